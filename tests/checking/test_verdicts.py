"""Every verdict reached by a candidate made for it, and what it says."""

import os
from itertools import combinations

import pytest

from codoku_env import Assignment, Checker, ConfigError, Limits, Stage, check, format_program, parse_puzzle
from codoku_env.runtime import checksum
from tests.checking.puzzles import (
    CONSTANT,
    FLOATS,
    LOOP,
    PUZZLES,
    STATE,
    masked,
    small,
    solution,
    solved,
    straight,
)

BASICS, PARSE, COMPILE, REMASK = Stage.BASICS, Stage.PARSE, Stage.COMPILE, Stage.REMASK
CFG, LIMIT, PATH, OUTPUT, CONST, PASS = Stage.CFG, Stage.LIMIT, Stage.PATH, Stage.OUTPUT, Stage.CONST, Stage.PASS


def refill(name, *changes):
    """Verdicts on the solution of a puzzle with (cell, fill) changes: as an assignment and as text."""
    puzzle, assignment = PUZZLES[name]
    for cell, fill in zip(changes[::2], changes[1::2], strict=True):
        assignment = assignment.replace(cell, fill)
    return check(puzzle, assignment), check(puzzle, format_program(puzzle, assignment))


@pytest.mark.parametrize("name", PUZZLES)
@pytest.mark.parametrize("standalone", [False, True])
def test_the_solution_passes(name, standalone):
    puzzle, assignment = PUZZLES[name]
    assert check(puzzle, assignment).stage is PASS
    assert check(puzzle, format_program(puzzle, assignment, standalone=standalone)).stage is PASS


# The flag that the inner loop sets is still set when it is left another way.
FLAG_KEPT = "entry -> b0, b0 -> b1, b1 -> b1, b1 -> b2, b2 -> b0, b2 -> b1, b2 -> b3, b3 -> exit"

# name, changed cells, stage, example, step, expected, got
REACHED = [
    ("diamond", (3, "if"), PARSE, None, None, None, None),
    ("diamond", (3, "not"), PARSE, None, None, None, None),
    ("loop", (2, "<"), REMASK, None, None, None, None),
    ("loop", (3, "break"), CFG, None, None, "entry -> b0, b0 -> b1, b0 -> b2, b1 -> b0, b2 -> exit", None),
    ("loop", (6, "continue"), CFG, None, None, "entry -> b0, b0 -> b1, b0 -> b2, b1 -> b0, b2 -> exit", None),
    (
        "flags",
        (3, "continue"),
        CFG,
        None,
        None,
        None,
        FLAG_KEPT,
    ),
    ("flags", (2, "b0"), CFG, None, None, None, "entry -> b0, b0 -> b1, b1 -> b0, b1 -> b2, b2 -> b0, b2 -> b1"),
    ("constant", (1, "<"), CFG, None, None, "entry -> b0, b0 -> b0, b0 -> exit", "entry -> exit"),
    ("constant", (1, "=="), CFG, None, None, "entry -> b0, b0 -> b0, b0 -> exit", "entry -> exit"),
    ("constant", (1, "is"), CFG, None, None, "entry -> b0, b0 -> b0, b0 -> exit", ""),
    ("constant", (1, "%", 0, "4"), CFG, None, None, "entry -> b0, b0 -> b0, b0 -> exit", "entry -> exit"),
    ("diamond", (1, "b"), PATH, 1, 1, "b1", "b2"),
    ("loop", (1, "i"), PATH, 1, 2, "b1", "b2"),
    ("loop", (0, "5"), PATH, 1, 4, "b1", "b2"),
    ("rotated", (0, "2", 3, "2"), PATH, 1, 6, "exit", "b1"),
    ("state", (0, "<<", 1, "4"), PATH, 2, 1, "exit", "b0"),
    ("floats", (6, "-"), PATH, 1, 1, "b0", "exit"),
    ("floats", (6, "~"), PASS, None, None, None, None),
    ("array", (3, "abs_int"), PATH, 1, 1, "b1", "trap: an operation on values of the wrong type"),
    ("array", (6, "9"), PATH, 1, 1, "b1", "trap: an index outside the array"),
    ("diamond", (3, "is"), PATH, 1, 2, "exit", "trap: identity of numbers (is, is not)"),
    ("diamond", (3, "in"), PATH, 1, 2, "exit", "trap: an operation on values of the wrong type"),
    ("diamond", (7, "a"), OUTPUT, 1, None, "1050", "150"),
    ("diamond", (3, "<"), OUTPUT, 1, None, "1050", "1801"),
    ("loop", (7, "*"), OUTPUT, 1, None, "-3", "18"),
    ("loop", (8, "i"), PASS, None, None, None, None),
    ("rotated", (4, "+"), OUTPUT, 1, None, "-30", "26"),
    ("rotated", (4, "~"), OUTPUT, 1, None, "-30", "-31"),
    ("flags", (5, "a"), OUTPUT, 1, None, "-38", "-1"),
    ("array", (9, "sat_sub"), PATH, 1, 2, "exit", "trap: an operation on values of the wrong type"),
    ("state", (4, "v1"), OUTPUT, 1, None, "19", "23"),
    ("state", (3, "v1"), OUTPUT, None, None, "-1173193766", str(checksum(checksum(7, 23), 4))),
    ("floats", (9, "4.0"), CONST, None, None, "2", "1"),
    ("diamond", (0, "500.0"), CONST, None, None, "1", "0"),
    ("diamond", (6, "500"), CONST, None, None, "1", "2"),
    ("diamond", (6, "7"), CONST, None, None, "2", "1"),
    ("floats", (5, "7"), CONST, None, None, "1", "0"),
]


@pytest.mark.parametrize(("name", "changes", "stage", "example", "step", "expected", "got"), REACHED)
def test_each_stage_is_reached_and_says_where(name, changes, stage, example, step, expected, got):
    for verdict in refill(name, *changes):
        assert verdict.stage is stage, verdict
        assert verdict.passed == (stage is PASS)
        assert verdict.example == example
        assert step is None or verdict.step == step
        assert expected is None or verdict.expected == expected
        assert got is None or verdict.got == got


# name, changed cells, parts of the message
MESSAGES = [
    ("loop", (3, "break"), ["missing b1 -> b0", "unexpected b1 -> exit"]),
    ("flags", (2, "b0"), ["missing b1 -> b3, b3 -> exit", "unexpected b1 -> b0"]),
    ("diamond", (1, "b"), ["example 1", "step 1", "expected b1", "got b2"]),
    ("diamond", (3, "is"), ["example 1", "step 2", "trap", "b1", "identity"]),
    ("diamond", (7, "a"), ["example 1", "150", "1050"]),
    ("state", (4, "v1"), ["example 1", "23", "19"]),
    ("state", (3, "v1"), ["checksum", "-1173193766"]),
    ("diamond", (6, "500"), ["500", "2", "once"]),
    ("diamond", (0, "500.0"), ["constant 500 ", "0 times", "once"]),
    ("diamond", (3, "if"), ["parse"]),
]


@pytest.mark.parametrize(("name", "changes", "parts"), MESSAGES)
def test_the_message_names_the_constraint_and_the_place(name, changes, parts):
    message = refill(name, *changes)[1].message
    assert [part for part in parts if part not in message] == [], message


def test_a_constant_outside_the_table_is_named_when_the_table_is_used_up():
    puzzle = parse_puzzle(straight("a = a + <CONST> - <CONST>", constants="5:1", example="codoku(3) == 1"))
    verdict = check(puzzle, Assignment(("5", "7")))
    assert (verdict.stage, verdict.expected, verdict.got) == (CONST, "0", "1")
    assert "constant 7 " in verdict.message


def test_unreadable_files_are_basics(tmp_path):
    puzzle, _ = PUZZLES["diamond"]
    good = tmp_path / "good.py"
    good.write_text(solution("diamond"), encoding="utf-8")
    binary = tmp_path / "binary.py"
    binary.write_bytes(bytes(range(256)))
    large = tmp_path / "large.py"
    large.write_bytes(b"#" * ((1 << 18) + 1))
    assert check(puzzle, good).stage is PASS
    for path in (tmp_path, tmp_path / "none.py", binary, large, tmp_path / "null\0.py", tmp_path / ("x" * 5000)):
        assert check(puzzle, path).stage is BASICS
    os.chmod(good, 0)
    assert os.geteuid() == 0 or check(puzzle, good).stage is BASICS


@pytest.mark.parametrize("name", PUZZLES)
def test_each_unfilled_cell_is_basics(name):
    puzzle, assignment = PUZZLES[name]
    for cell in puzzle.cells:
        partial = assignment.replace(cell.index, None)
        assert check(puzzle, partial).stage is BASICS
        assert check(puzzle, format_program(puzzle, partial)).stage is BASICS


# Edits of the text of the diamond, in the order of the stages that they fail.
FAULTS = [
    (BASICS, "c += 25", "c += <CONST>"),
    (PARSE, "else:", "else"),
    (COMPILE, "c: int", "global a; c: int"),
    (REMASK, "* 90", "* 91"),
    (PATH, "c < b", "b < b"),
    (OUTPUT, "c + b", "c + a"),
    (CONST, "-500", "-500.0"),
]


@pytest.mark.parametrize(("first", "second"), list(combinations(FAULTS, 2)))
def test_of_several_faults_the_first_stage_is_the_verdict(first, second):
    text = solution("diamond")
    for _, old, new in (first, second):
        assert old in text
        text = text.replace(old, new, 1)
    assert check(PUZZLES["diamond"][0], text).stage is first[0]


def test_cfg_comes_before_limit_path_output_and_const():
    assert {verdict.stage for verdict in refill("loop", 3, "break", 0, "7", 7, "<<", 8, "i")} == {CFG}
    assert {verdict.stage for verdict in refill("constant", 1, "<", 0, "9")} == {CFG}


def test_limit_of_a_later_example_comes_before_path_and_output_of_an_earlier():
    text = straight(
        "b = 1 << (a * <CONST>)",
        constants="9:1",
        example="codoku(1) == 2",
        more=["#@INOUT_EX: codoku(5000) == 5000"],
    )
    verdict = check(parse_puzzle(text), Assignment(("9",)))
    assert (verdict.stage, verdict.example) == (LIMIT, 2)


def test_path_of_a_later_example_comes_before_output_of_an_earlier():
    verdict = refill("state", 0, "*", 4, "v1", 3, "v1", 1, "300")[0]
    assert (verdict.stage, verdict.example) == (PATH, 2)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(max_steps=3), "3"),
        (Limits(max_int_bits=2), "2 bits"),
        (Limits(wall_seconds=0), "0 s"),
    ],
)
def test_limits_are_limit(limits, message):
    puzzle, assignment = PUZZLES["rotated"]
    verdict = check(puzzle, assignment, limits)
    assert (verdict.stage, verdict.example) == (LIMIT, 1)
    assert message in verdict.message


def test_a_small_limit_of_size_is_basics():
    puzzle, _ = PUZZLES["diamond"]
    size = len(solution("diamond").encode())
    assert check(puzzle, solution("diamond"), Limits(max_bytes=size)).passed
    assert check(puzzle, solution("diamond"), Limits(max_bytes=size - 1)).stage is BASICS


@pytest.mark.parametrize("field", ["max_bytes", "max_steps", "max_int_bits", "wall_seconds"])
@pytest.mark.parametrize("value", [-1, float("nan"), None, "5"])
def test_limits_are_validated(field, value):
    with pytest.raises(ConfigError):
        Limits(**{field: value})


# An integer of exactly the greatest size is allowed, one bit more is not.
@pytest.mark.parametrize(
    ("expression", "stage"),
    [
        ("2 ** 4095", PASS),
        ("2 ** 4096", LIMIT),
        ("7 ** 1400", PASS),
        ("1 << 4095", PASS),
        ("1 << 4096", LIMIT),
        ("(1 << 2048) * (1 << 2047)", PASS),
        ("(1 << 2048) * (1 << 2048)", LIMIT),
        ("1 ** (1 << 4000)", PASS),
        ("(0 - 1) ** (1 << 4000)", PASS),
        ("0 << (1 << 4000)", PASS),
        ("0 * (1 << 4095)", PASS),
        ("a >> (1 << 4000)", PASS),
    ],
)
def test_the_size_of_integers_is_bounded_exactly(expression, stage):
    assert check(parse_puzzle(straight(f"b = {expression}")), Assignment(())).stage is stage


def test_a_run_stops_at_the_first_block_that_departs():
    """The loop would run for ever in the block that departs."""
    source = """\
#@CODOKU: 1
#@CFG_EDGE: entry -> b0, b1
#@CFG_EDGE: b0 -> exit
#@CFG_EDGE: b1 -> b1, exit
#@EXE_PATH: entry -> b0 -> exit
#@CONST_TB: 5:1
#@INOUT_EX: codoku(3) == 3
def codoku(a):
    #@CFG_BLOCK: entry
    b = a
    if a <OP> <CONST>:
        #@CFG_BLOCK: b0
        b = a
    else:
        while b:
            #@CFG_BLOCK: b1
            b += 1
    #@CFG_BLOCK: exit
    return b
"""
    puzzle = parse_puzzle(source.replace("entry -> b0, b1", "entry -> b0, b1, exit"))
    verdict = check(puzzle, Assignment((">", "5")))
    assert (verdict.stage, verdict.step, verdict.expected, verdict.got) == (PATH, 1, "b0", "b1")


def test_a_run_that_returns_too_early_or_goes_on_departs():
    text = small(
        "def codoku(a):\n    #@CFG_BLOCK: entry\n    if a <OP> 3: return a\n    #@CFG_BLOCK: exit\n    return a\n"
    )
    verdict = check(parse_puzzle(text), Assignment(("==",)))
    assert (verdict.stage, verdict.step, verdict.expected, verdict.got) == (PATH, 1, "exit", "return")


def test_each_example_has_its_own_path():
    swapped = STATE.replace("#@EXE_PATH 2: entry -> exit", "#@EXE_PATH 2: entry -> b0 -> exit")
    puzzle, assignment = solved(swapped)
    verdict = check(puzzle, assignment)
    assert (verdict.stage, verdict.example, verdict.step, verdict.expected, verdict.got) == (PATH, 2, 1, "b0", "exit")


def test_the_checksum_runs_over_the_examples_in_order():
    puzzle, assignment = solved(STATE.replace("#@CHECKSUM: -1173193766", f"#@CHECKSUM: {checksum(7, 4)}"))
    verdict = check(puzzle, assignment)
    assert (verdict.stage, verdict.got) == (OUTPUT, str(checksum(checksum(7, 19), 4)))
    checker = Checker(PUZZLES["state"][0])
    assert [checker.check(PUZZLES["state"][1]).stage for _ in range(3)] == [PASS] * 3


def test_a_checksum_is_only_compared_where_the_file_declares_it():
    puzzle, assignment = solved(STATE.replace("#@CHECKSUM: -1173193766\n", ""))
    assert check(puzzle, assignment.replace(3, "v1")).stage is PASS


def test_a_rotated_loop_starts_one_block_at_two_places():
    puzzle, assignment = PUZZLES["rotated"]
    assert sum("b0" in line.blocks for line in puzzle.body.lines) == 2
    assert check(puzzle, assignment).passed


@pytest.mark.parametrize("value", ["0", "1", "True", "False"])
def test_a_flag_carries_the_constant_last_assigned(value):
    source = """\
#@CODOKU: 1
#@CFG_EDGE: entry -> exit
#@EXE_PATH: entry -> exit
#@INOUT_EX: codoku(3) == 3
def codoku(a):
    _go_b0 = 1
    #@CFG_BLOCK: entry
    _go_b0 = VALUE
    if not _go_b0:
        return a
    #@CFG_BLOCK: exit
    return a
""".replace("VALUE", value)
    assert check(parse_puzzle(source), Assignment(())).stage is (PASS if value in ("1", "True") else CFG)


def test_a_label_cell_may_stand_wherever_a_goto_flag_may():
    text = small(
        "def codoku(a):\n    _go_exit = 1\n    _go_entry = 0\n    #@CFG_BLOCK: entry\n    a += 0\n"
        "    if not _go_<LABEL>:\n        return a\n    #@CFG_BLOCK: exit\n    return a\n"
    )
    puzzle = parse_puzzle(text)
    assert check(puzzle, Assignment(("exit",))).stage is PASS
    assert check(puzzle, Assignment(("entry",))).stage is CFG
    assert check(puzzle, format_program(puzzle, Assignment(("exit",)))).stage is PASS


@pytest.mark.parametrize(
    ("loop", "exit_edge"), [("while 1:", False), ("while 2 > 1:", False), ("while not 0:", False), ("while a:", True)]
)
def test_constant_conditions_go_one_way(loop, exit_edge):
    body = (
        f"def codoku(a):\n    #@CFG_BLOCK: entry\n    a += 0\n    {loop}\n        #@CFG_BLOCK: b0\n        a -= 1\n"
        "        if a < 3: break\n    #@CFG_BLOCK: exit\n    return a\n"
    )
    edges = ["entry -> b0", "b0 -> b0, exit", *(["entry -> exit"] if exit_edge else [])]
    text = small(body, edges=edges, path="entry -> b0 -> exit", example="codoku(3) == 2")
    assert check(parse_puzzle(text), Assignment(())).stage is PASS


@pytest.mark.parametrize(
    ("expected", "stage"),
    [
        ("codoku(3) == 1", OUTPUT),
        ("codoku(3) == 1.5", PASS),
        ("codoku(3) == 15e-1", PASS),
        ("codoku(3) == -1.5", OUTPUT),
    ],
)
def test_float_results(expected, stage):
    assert check(parse_puzzle(straight("b = a / 2", result="b", example=expected)), Assignment(())).stage is stage


@pytest.mark.parametrize("statement", ["return", "b = 1e308 * 10; return b - b", "b = 1e308 * 10; return b"])
def test_no_value_and_values_that_are_no_numbers_are_output(statement):
    text = small(f"def codoku(a):\n    #@CFG_BLOCK: entry\n    a += 0\n    #@CFG_BLOCK: exit\n    {statement}\n")
    assert check(parse_puzzle(text), Assignment(())).stage is OUTPUT


def test_a_huge_value_is_shown_shortly():
    verdict = check(parse_puzzle(straight("a = 1 << 4000")), Assignment(()))
    assert verdict.stage is OUTPUT
    assert len(verdict.message) < 200


def test_int_and_float_constants_are_kept_apart():
    puzzle = parse_puzzle(straight("a = a + <CONST> - <CONST>", constants="2:1, 2.0:1"))
    stages = {(x, y): check(puzzle, Assignment((x, y))).stage for x in ("2", "2.0") for y in ("2", "2.0")}
    assert stages == {("2", "2"): CONST, ("2.0", "2.0"): CONST, ("2", "2.0"): PASS, ("2.0", "2"): PASS}


@pytest.mark.parametrize("source", [LOOP, FLOATS, CONSTANT])
def test_feedback_is_in_terms_of_the_candidate(source):
    """No message for a wrong fill of one cell names that cell's fill in the solution, unless the puzzle shows it."""
    puzzle, assignment = solved(source)
    for cell in puzzle.cells:
        for fill in puzzle.domain(cell):
            verdict = check(puzzle, assignment.replace(cell.index, fill))
            assert f"cell {cell.index} " not in verdict.message or fill in verdict.message
    assert "solution" not in masked(source)


def test_every_stage_has_a_test():
    tested = {case[2] for case in REACHED} | {fault[0] for fault in FAULTS} | {LIMIT}
    assert tested == set(Stage)
