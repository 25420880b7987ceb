"""Every metric against numbers counted by hand."""

import math

import pytest

from codoku_env.checking import check
from codoku_env.errors import ConfigError
from codoku_env.metrics import METRICS, WITNESS_METRICS, measure
from codoku_env.puzzle import parse_puzzle

LOOP = """\
#@CODOKU: 1
#@CFG_EDGE: entry -> b0, b1
#@CFG_EDGE: b0 -> b0, b1
#@CFG_EDGE: b1 -> b2, exit
#@CFG_EDGE: b2 -> exit
#@EXE_PATH: entry -> b0 -> b0 -> b1 -> exit
#@CONST_TB: 3:1, 7:1, 9:1
#@INOUT_EX: codoku(1, 3) == 17
#@INOUT_EX: codoku(0, 5) == 20

# A line of prose does not count.
def codoku(pa0, pa1):
    v0 = <CONST>
    t0 = [1, 2]
    #@CFG_BLOCK: entry
    v1 = <ID> + <CONST>
    while v1 <OP> <CONST>:
        #@CFG_BLOCK: b0
        <ID> <OP>= pa1

        t0[1] = v1
    #@CFG_BLOCK: b1
    if <ID> == v0:
        #@CFG_BLOCK: b2
        v0 = <OP>v1
    #@CFG_BLOCK: exit
    return v0 <OP> t0[1]
"""
LOOP_FILLS = ("7", "pa0", "3", "<", "9", "v1", "+", "t0[0]", "-", "+")

BY_HAND = {
    "cells": 10,
    "cells_id": 3,
    "cells_func": 0,
    "cells_const": 3,
    "cells_op": 4,
    "cells_ctrl": 0,
    "cells_label": 0,
    "constant_table_entries": 3,
    # pa0, pa1, v0, t0[0], t0[1], v1 for each ID: 6^3 * 3^3 * 25^4.
    "search_space_log10": math.log10(6**3 * 3**3 * 25**4),
    # 10 lines of the function, 2 examples.
    "lines_of_code": 12,
    # FunctionDef, arguments, Assign, List, BinOp, Add, While, Compare, Lt, AugAssign, Subscript, If, Eq, UnaryOp, USub,
    # Return; of these 5 Assign, 2 BinOp, 3 Add, 2 Compare, 3 Subscript.
    "halstead_distinct_operators": 16,
    "halstead_total_operators": 16 + 4 + 1 + 2 + 1 + 2,
    # pa0, pa1, v0, v1, t0, and 0, 1, 2, 3, 7, 9.
    "halstead_distinct_operands": 11,
    # By line: def 2, 2, 3, 3, while 2, 2, 3, if 3, 2, return 3.
    "halstead_total_operands": 25,
    "halstead_difficulty": 16 / 2 * (25 / 11),
    "cfg_nodes": 5,
    "cfg_edges": 7,
    "cyclomatic_complexity": 4,
    # 0 parameters, 1 v0, 2 t0, 3 v1, 4 while, 5 v1 +=, 6 t0[1], 7 if, 8 v0, 9 return.
    "data_dependency_nodes": 10,
    # 0-3, 3-4, 0-5, 3-5, 5-6, 1-7, 2-7, 5-8, 6-9, 8-9; t0[0] of the test comes from the declaration, not from t0[1].
    "data_dependency_edges": 10,
    "data_dependency_degree": 2.0,
    # v1 += has two in, two out.
    "data_dependency_max_degree": 4,
    "data_dependency_density_percent": 100 * 10 / 90,
    "path_length": 5,
    "path_unique_blocks": 4,
    "path_repeated_blocks": 1,
    "path_max_visits": 2,
    # b0 is a loop of its own, and visited twice.
    "loops": 1,
    "loop_iterations": 2,
    "examples": 2,
}


def straight(body, *, cfg="entry -> exit", path="entry -> exit", call="codoku(1, 2) == 3", table=""):
    """A puzzle whose function has the given lines."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    edges = "".join(f"#@CFG_EDGE: {edge}\n" for edge in cfg.split("; "))
    text = f"#@CODOKU: 1\n{edges}#@EXE_PATH: {path}\n{table}#@INOUT_EX: {call}\ndef codoku(pa0, pa1):\n{lines}"
    return parse_puzzle(text)


def test_every_metric_is_what_a_person_counts():
    puzzle = parse_puzzle(LOOP)
    witness = puzzle.assignment(enumerate(LOOP_FILLS))
    assert check(puzzle, witness).passed
    assert measure(puzzle, witness) == pytest.approx(BY_HAND)


def test_metrics_have_the_published_names_in_a_fixed_order():
    puzzle = parse_puzzle(LOOP)
    found = measure(puzzle, puzzle.assignment(enumerate(LOOP_FILLS)))
    assert tuple(found) == METRICS
    assert set(METRICS) == set(BY_HAND)


def test_without_a_witness_vocabulary_and_data_flow_are_absent():
    found = measure(parse_puzzle(LOOP))
    assert set(METRICS) - set(found) == set(WITNESS_METRICS)
    assert found == pytest.approx({name: BY_HAND[name] for name in found})


def test_two_variables_from_one_definition_are_one_edge():
    puzzle = straight("#@CFG_BLOCK: entry\nv0 = pa0 + pa1\n#@CFG_BLOCK: exit\nreturn v0")
    found = measure(puzzle, puzzle.assignment())
    assert (found["data_dependency_nodes"], found["data_dependency_edges"]) == (3, 2)


def test_a_computed_index_reads_any_element_and_is_itself_read():
    puzzle = straight("t0 = [1, 2]\n#@CFG_BLOCK: entry\nt0[0] = 5\nt0[pa0] = 6\n#@CFG_BLOCK: exit\nreturn t0[1]")
    found = measure(puzzle, puzzle.assignment())
    # Parameters -> t0[pa0] = 6 -> return; the declaration and t0[0] = 5 reach nothing.
    assert found["data_dependency_edges"] == 2


def test_elements_of_an_array_are_variables_of_their_own():
    puzzle = straight("t0 = [1, 2]\n#@CFG_BLOCK: entry\nt0[1] = 5\n#@CFG_BLOCK: exit\nreturn t0[0] + t0[1]")
    # The declaration and t0[1] = 5 both reach the return.
    assert measure(puzzle, puzzle.assignment())["data_dependency_edges"] == 2


def test_both_arms_of_a_branch_are_statements():
    puzzle = straight(
        "#@CFG_BLOCK: entry\nif pa0 < 5:\n    #@CFG_BLOCK: b0\n    v0 = 1\nelse:\n    #@CFG_BLOCK: b1\n    v0 = 2\n"
        "#@CFG_BLOCK: exit\nreturn v0",
        cfg="entry -> b0, b1; b0 -> exit; b1 -> exit",
        path="entry -> b0 -> exit",
    )
    found = measure(puzzle, puzzle.assignment())
    # Parameters -> test, and the textually nearest v0 = 2 -> return.
    assert (found["data_dependency_nodes"], found["data_dependency_edges"]) == (5, 2)


def test_module_state_is_no_line_of_the_function():
    text = "#@CODOKU: 1\n#@CFG_EDGE: entry -> exit\n#@EXE_PATH: entry -> exit\n#@INOUT_EX: codoku(1) == 1\n"
    function = "def codoku(pa0):\n    #@CFG_BLOCK: entry\n    pass\n    #@CFG_BLOCK: exit\n    return pa0\n"
    assert measure(parse_puzzle(f"{text}_checksum = [0]\n{function}"))["lines_of_code"] == 4


def test_a_use_before_every_definition_has_no_edge():
    puzzle = straight("#@CFG_BLOCK: entry\nv0 = v1\nv1 = 2\n#@CFG_BLOCK: exit\nreturn 3")
    found = measure(puzzle, puzzle.assignment())
    assert (found["data_dependency_nodes"], found["data_dependency_edges"]) == (4, 0)
    assert found["data_dependency_max_degree"] == 0


def test_integer_and_float_constants_are_different_operands():
    puzzle = straight("#@CFG_BLOCK: entry\nv0 = 1 + 1.0\n#@CFG_BLOCK: exit\nreturn v0")
    # pa0, pa1, v0, 1, 1.0
    assert measure(puzzle, puzzle.assignment())["halstead_distinct_operands"] == 5


def test_nested_loops_count_each_header_that_the_path_revisits():
    puzzle = straight(
        "#@CFG_BLOCK: entry\nv0 = 0\n#@CFG_BLOCK: b0\nwhile v0 < pa0:\n    #@CFG_BLOCK: b1\n    while v0 < pa1:\n"
        "        #@CFG_BLOCK: b2\n        v0 += 1\n    #@CFG_BLOCK: b3\n    v0 += 1\n#@CFG_BLOCK: exit\nreturn v0",
        cfg="entry -> b0; b0 -> b1, exit; b1 -> b2, b3; b2 -> b1; b3 -> b0",
        path="entry -> b0 -> b1 -> b2 -> b1 -> b3 -> b0 -> exit",
    )
    found = measure(puzzle)
    # b0 and b1, two visits each.
    assert (found["loops"], found["loop_iterations"]) == (2, 4)


def test_a_loop_that_the_path_passes_once_does_not_count():
    puzzle = straight(
        "#@CFG_BLOCK: entry\nv0 = 9\n#@CFG_BLOCK: b0\nwhile v0 < pa0:\n    #@CFG_BLOCK: b1\n    v0 += 1\n"
        "#@CFG_BLOCK: exit\nreturn v0",
        cfg="entry -> b0; b0 -> b1, exit; b1 -> b0",
        path="entry -> b0 -> exit",
        call="codoku(1, 2) == 9",
    )
    found = measure(puzzle)
    assert (found["loops"], found["loop_iterations"], found["path_max_visits"]) == (0, 0, 1)


@pytest.mark.parametrize(
    ("fills", "expected"),
    [
        (LOOP_FILLS[:-1], "expected a witness that fills all 10 cells"),
        ((*LOOP_FILLS[:-1], ")"), "expected a witness that is Python"),
        ((*LOOP_FILLS[:-1], "+ 0\ndef again(): pass\n0 +"), "expected a witness that"),
    ],
)
def test_a_witness_that_is_no_program_is_refused(fills, expected):
    puzzle = parse_puzzle(LOOP)
    with pytest.raises(ConfigError, match=expected):
        measure(puzzle, puzzle.assignment(enumerate(fills)))
