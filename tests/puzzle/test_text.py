"""The text form: what the reader accepts, what it refuses and where, and the round trip."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codoku_env.errors import PuzzleFormatError
from codoku_env.puzzle import Assignment, Kind, format_program, format_puzzle, load_puzzle, parse_puzzle
from tests.puzzle.examples import ALL, DIAMOND, LOOPS


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("standalone", [False, True])
def test_writing_and_reading_round_trip(name, standalone):
    puzzle = parse_puzzle(ALL[name])
    text = format_puzzle(puzzle, standalone=standalone)
    assert parse_puzzle(text) == puzzle
    assert format_puzzle(parse_puzzle(text), standalone=standalone) == text


@pytest.mark.parametrize("name", ALL)
def test_canonical_text_is_written_as_it_was_read(name):
    body = ALL[name].split("def codoku")[1]
    assert format_puzzle(parse_puzzle(ALL[name])).split("def codoku")[1] == body


LIBERTIES = {
    "annotations behind the code": lambda t: "\n".join(sorted(t.splitlines(), key=lambda row: row.startswith("#@"))),
    "annotations reversed": lambda t: "\n".join(
        [r for r in t.splitlines() if r.startswith("#@")][::-1] + [r for r in t.splitlines() if not r.startswith("#@")]
    ),
    "one edge a line": lambda t: t.replace(
        "#@CFG_EDGE: entry -> b1, b2", "#@CFG_EDGE:entry->b2\n#@CFG_EDGE : entry->b1"
    ),
    "two tables": lambda t: t.replace("500:1, 25:2", "500 : 1\n#@CONST_TB: 0x19:2"),
    "block without colon": lambda t: t.replace("#@CFG_BLOCK: b1", "#@CFG_BLOCK b1"),
    "block at the margin": lambda t: t.replace("        #@CFG_BLOCK: b1", "#@CFG_BLOCK: b1"),
    "comments and blank lines": lambda t: t.replace("b:\n        #", "b:  # <ID> in prose\n\n   # more\n        #"),
    "tabs": lambda t: t.replace("    ", "\t"),
    "two columns": lambda t: t.replace("    ", "  "),
    "carriage returns": lambda t: t.replace("\n", "\r\n"),
    "byte order mark": lambda t: "\ufeff" + t,
    "joined by brackets": lambda t: t.replace("<OP> (a * <CONST>)", "<OP> (a\n * # why\n\n<CONST>)"),
    "joined by a backslash": lambda t: t.replace("c + <ID> * 90", "c \\\n  + <ID>*90"),
    "suite on the line": lambda t: t.replace(
        "else:\n        #@CFG_BLOCK: b2\n        ", "else:\n #@CFG_BLOCK: b2\n       "
    ),
    "numbers respelled": lambda t: t.replace("* 90", "* 0x5_A").replace("(10, 20)", "(0b1010, 2_0)"),
    "no final newline": str.rstrip,
    "form feed": lambda t: t.replace("def", "\f\ndef"),
}


@pytest.mark.parametrize("liberty", LIBERTIES)
def test_liberties_do_not_change_the_puzzle(liberty):
    text = LIBERTIES[liberty](DIAMOND)
    assert text != DIAMOND
    assert parse_puzzle(text) == parse_puzzle(DIAMOND)


def test_several_statements_and_a_suite_on_a_line():
    text = DIAMOND.replace("    return c", "    a = 1; b = 2;\n    if a: c = 1; a = 2\n    return c")
    lines = [(line.depth, line.tokens[0]) for line in parse_puzzle(text).body.lines]
    assert lines[-6:] == [(1, "a"), (1, "b"), (1, "if"), (2, "c"), (2, "a"), (1, "return")]


def test_integer_and_float_constants_are_kept_apart():
    puzzle = parse_puzzle(DIAMOND.replace("500:1, 25:2", "1:1, 1.0:1, 1e0:1".replace(", 1e0:1", "")))
    assert puzzle.domain(0) == ("1", "1.0")
    other = parse_puzzle(DIAMOND.replace("== 1050", "== 1050.0"))
    assert other != parse_puzzle(DIAMOND)


def test_array_elements_are_in_the_domain_of_id_cells():
    puzzle = parse_puzzle(LOOPS)
    assert puzzle.domains[Kind.ID] == ("pa0", "pa1", "v0", "t0[0]", "t0[1]", "t0[2]", "v1")
    assert puzzle.domains[Kind.FUNC] == ("sat_add", "min_int")
    assert puzzle.domains[Kind.LABEL] == ("entry", "b0", "b1", "b2", "b3", "exit")


def test_each_example_has_its_path():
    assert [len(example.path) for example in parse_puzzle(LOOPS).examples] == [8, 4]


# What is replaced, by what, and the place and words of the error.
ERRORS = [
    ("#@CODOKU: 1", "#@CODOKU: 2", 1, 11, "expected format version 1"),
    ("#@CODOKU: 1\n", "", 1, 1, "expected the format version"),
    ("#@CODOKU: 1", "#@KODOKU: 1", 1, 1, "expected an annotation"),
    ("entry -> b1, b2", "entry b1", 2, 13, "expected source -> target"),
    ("entry -> b1, b2", "entry -> b1, bx", 2, 13, "expected a block label"),
    ("entry -> b1, b2", "entry -> b1, b1", 2, 13, "each edge once"),
    ("#@CFG_EDGE: b2 -> exit", "#@CFG_EDGE: b2 -> b2", 2, 13, "b2 does not"),
    ("entry -> b1 -> exit", "entry -> exit", 5, 13, "no edge entry -> exit"),
    ("entry -> b1 -> exit", "entry -> b1", 5, 13, "starts at entry and ends at exit"),
    ("#@EXE_PATH:", "#@EXE_PATH 2:", 7, 13, "expected an execution path for example 1"),
    ("500:1", "500", 6, 13, "expected value:count"),
    ("500:1", "-500:1", 6, 13, "expected a number"),
    ("500:1", "1e999:1", 6, 13, "finite"),
    ("500:1", "500:0", 6, 13, "count of at least 1"),
    ("#@CONST_TB: 500:1, 25:2\n", "", 8, 1, "in the domain of <CONST>"),
    ("500:1", "0x19:1", 6, 13, "each constant once"),
    ("codoku(10, 20) == 1050", "codoku(10) == 1050", 7, 13, "expected 2 arguments"),
    ("codoku(10, 20) == 1050", "codoku(10, 20)", 7, 13, "expected name(argument, ...) == value"),
    ("codoku(10, 20) == 1050", "kodoku(10, 20) == 1050", 7, 13, "expected an example of codoku"),
    ("codoku(10, 20) == 1050", "codoku(10, x) == 1050", 7, 13, "expected a number"),
    ("#@INOUT_EX: codoku(10, 20) == 1050\n", "", 8, 1, "at least one example"),
    ("#@CONST_TB", "#@CHECKSUM: 3\n#@CONST_TB", 6, 13, "expected module-level state"),
    ("def codoku(a, b):", "def codoku(a, a):", 9, 15, "expected distinct parameters"),
    ("def codoku(a, b):", "def codoku(a, *b):", 9, 15, "expected a parameter or )"),
    ("def codoku(a, b):", "def codoku(a, b=1):", 9, 16, "expected ,"),
    ("def codoku(a, b):", "def cast_int(a, b):", 9, 1, "helper definitions"),
    ("def codoku(a, b):", "import os\ndef codoku(a, b):", 9, 1, "expected a statement"),
    ("-<CONST>", "-<CONTS>", 10, 15, "expected a cell"),
    ("-<CONST>", "-<LABEL>", 10, 15, "LABEL"),
    ("-<CONST>", "-<CONST", 10, 15, "expected an operand"),
    ("-<CONST>", "-'x'", 10, 15, "expected a token of the small language"),
    ("-<CONST>", "-x.y", 10, 16, "expected a token of the small language"),
    ("-<CONST>", "-x", 10, 15, "expected a declared variable, got x"),
    ("-<CONST>", "-007", 10, 15, "expected a number"),
    ("-<CONST>", "-open(1)", 10, 15, "expected a run-time helper"),
    ("-<CONST>", "-(1", 10, 15, "expected a closing bracket"),
    ("-<CONST>", "-1)", 10, 16, "expected no )"),
    ("-<CONST>", "- <CONST> <CONST>", 10, 24, "expected the end of the statement"),
    ("c: int =", "c: int", 10, 12, "expected ="),
    ("c: int =", "ID: int =", 10, 5, "reserved"),
    ("c: int =", "__c: int =", 10, 5, "reserved"),
    ("#@CFG_BLOCK: b1", "#@CFG_BLOCK: b7", 9, 1, "block b1"),
    ("#@CFG_BLOCK: b1", "#@CFG_BLOCK: 1", 13, 9, "expected a block label"),
    ("    #@CFG_BLOCK: entry\n", "", 9, 1, "expected a block entry"),
    ("#@CFG_BLOCK: exit\n", "return 1\n    #@CFG_BLOCK: exit\n#", 19, 5, "expected a statement behind"),
    ("        c = <ID>", "    c = <ID>", 14, 5, "expected an indented statement"),
    ("<ID> += <CONST>", "c = 1\n          a = 1", 18, 11, "expected less indentation"),
    ("    else:", "   else:", 15, 4, "indentation of an enclosing block"),
    ("    else:", "    elif:", 15, 9, "expected an operand"),
    ("<ID> += <CONST>", "break", 17, 9, "expected a loop"),
    ("<ID> += <CONST>", "else: pass", 17, 9, "expected an if before this else"),
    ("<ID> += <CONST>", "if a: if b: pass", 17, 15, "expected a new line before if"),
    ("<ID> += <CONST>", "c = [1]", 17, 13, "list displays only in declarations"),
    ("<ID> += <CONST>", "c = 1 if a", 17, 18, "expected else"),
    ("<ID> += <CONST>", "c = 1 else a", 17, 15, "this else has no if"),
    ("<ID> += <CONST>", "c[0] = 1", 17, 9, "expected a declared array"),
    ("<ID> += <CONST>", "_go_b1 = 2", 17, 18, "goto flag"),
    ("<ID> += <CONST>", "_go_x = 1", 17, 9, "expected a block label"),
    ("return c", "yield c", 19, 5, "expected a statement"),
]


@pytest.mark.parametrize(("old", "new", "line", "column", "words"), ERRORS)
def test_errors_name_line_column_and_what_was_expected(old, new, line, column, words):
    assert DIAMOND.count(old) >= 1
    with pytest.raises(PuzzleFormatError) as caught:
        parse_puzzle(DIAMOND.replace(old, new, 1))
    assert words in caught.value.message
    assert (caught.value.line, caught.value.column) == (line, column)


def test_the_import_brings_in_only_run_time_helpers():
    with pytest.raises(PuzzleFormatError, match="expected run-time helpers"):
        parse_puzzle(LOOPS.replace("import cast_int,", "import system,"))


def test_changed_helper_definitions_are_refused():
    text = format_puzzle(parse_puzzle(LOOPS), standalone=True)
    with pytest.raises(PuzzleFormatError, match="exactly as this version writes them"):
        parse_puzzle(text.replace("% (1 << bits)", "% (2 << bits)", 1))


@pytest.mark.parametrize("data", [b"\xff\xfe", b"\0" * 100, b"x" * (1 << 21), b""])
def test_unreadable_files_are_refused(tmp_path, data):
    (tmp_path / "puzzle.py").write_bytes(data)
    with pytest.raises(PuzzleFormatError, match="expected"):
        load_puzzle(tmp_path / "puzzle.py")


def test_missing_files_and_directories_are_refused(tmp_path):
    for path in (tmp_path, tmp_path / "missing.py"):
        with pytest.raises(PuzzleFormatError, match="expected a readable puzzle file"):
            load_puzzle(path)


def read_or_error(text):
    try:
        return parse_puzzle(text)
    except PuzzleFormatError as error:
        return error


@given(st.data())
def test_only_format_errors_escape_the_reader(data):
    """Text made of the format's own pieces either reads or is refused with a place."""
    pieces = [
        "#@CFG_BLOCK: b1\n",
        "<OP>",
        "<ID>",
        "(",
        ")",
        "[",
        "]",
        ":",
        ";",
        "if ",
        "else",
        "\n",
        "    ",
        "1",
        "a",
        ",",
        "\\",
    ]
    text = LOOPS if data.draw(st.booleans()) else DIAMOND
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 12))
        text = text[:at] + data.draw(st.sampled_from(pieces)) + text[at + cut :]
    result = read_or_error(text)
    if isinstance(result, PuzzleFormatError):
        assert result.line is not None
    else:
        assert parse_puzzle(format_puzzle(result)) == result


def test_a_program_shows_the_fills():
    puzzle = parse_puzzle(DIAMOND)
    text = format_program(puzzle, Assignment(("500", "a", "c", "-", "25", "b", "25", None)))
    assert "c = c - (a * 25)" in text
    assert "return c + <ID> * 90" in text


def test_values_are_frozen():
    puzzle = parse_puzzle(DIAMOND)
    with pytest.raises(dataclasses.FrozenInstanceError):
        puzzle.checksum = 3  # type: ignore[misc]
    assert hash(puzzle) == hash(parse_puzzle(DIAMOND))
