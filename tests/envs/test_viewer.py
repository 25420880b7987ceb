import re

from codoku_env import Assignment
from codoku_env.envs import describe
from tests.envs.supplies import generated, read
from tests.puzzle.examples import DIAMOND, LOOPS


def test_a_puzzle_in_play_is_shown_whole():
    puzzle = read(DIAMOND)
    assignment = puzzle.assignment({0: "500", 1: "c", 2: "c"})
    assert (
        describe(puzzle, assignment, 3, "cell 2 <ID> is now c")
        == """\
   1       | def codoku(a, b):
   2       |     c: int = -{500}
   3 entry |     if {c} < b:
   4    b1 |         c = {c} [3:OP] (a * [4:CONST])
           |                 ^^^^^^
   5       |     else:
   6    b2 |         [5:ID] += [6:CONST]
   7  exit |     return c + [7:ID] * 90

cfg             entry -> b1, b2
                b1 -> exit
                b2 -> exit
path            entry -> b1 -> exit
examples        codoku(10, 20) == 1050
constants left  25:2
cells left      5 of 8
fill now        cell 3 <OP>: +, -, *, /, //, %, **, <<, >>, &, |, ^, ==, !=, <, <=, >, >=, is,
                is not, in, not in, ~, not, if
feedback        cell 2 <ID> is now c
"""
    )


def test_without_cursor_and_feedback_neither_is_shown():
    puzzle = read(DIAMOND)
    text = describe(puzzle, Assignment.empty(8))
    assert "^" not in text
    assert "fill now" not in text
    assert "feedback" not in text


def test_paths_that_differ_and_the_checksum_are_shown():
    puzzle = read(LOOPS)
    text = describe(puzzle, puzzle.assignment({4: "7", 9: "b3", 10: "break"}))
    assert "path 1          entry -> b0 -> b1 -> b1 -> b2 -> b0 -> b3 -> exit" in text
    assert "path 2          entry -> b0 -> b3 -> exit" in text
    assert "checksum        -667895 after the last example" in text
    assert "_go_{b3} = 1" in text
    assert "v0 [1:OP]= [2:CONST]" in text
    assert "[5:FUNC]([6:ID], t0[2], 8)" in text


def test_an_overspent_constant_is_shown_below_zero():
    puzzle = read(DIAMOND)
    assert "constants left  500:-1, 25:2\n" in describe(puzzle, puzzle.assignment({0: "500", 4: "500"}))


def test_every_cell_is_underlined_where_it_stands():
    puzzle = generated("small", 0)[0]
    for assignment in (puzzle.assignment(), puzzle.assignment(dict.fromkeys(range(len(puzzle.cells)), "0"))):
        for cell in puzzle.cells:
            rows = describe(puzzle, assignment, cell.index).splitlines()
            line = next(i for i, row in enumerate(rows) if row.lstrip(" |").startswith("^"))
            start, stop = rows[line].index("^"), len(rows[line])
            assert rows[line].strip(" |") == "^" * (stop - start)
            shown = rows[line - 1][start:stop]
            assert shown == ("{0}" if assignment.complete else f"[{cell.index}:{cell.kind}]")
            row = puzzle.body.cell_rows[cell.index]
            earlier = puzzle.body.cell_rows[: cell.index].count(row)
            assert len(re.findall(r"\{|\[\d+:", rows[line - 1][:start])) == earlier


def test_multi_line_feedback_keeps_its_lines_and_long_text_is_wrapped():
    puzzle = read(DIAMOND)
    text = describe(puzzle, puzzle.assignment(), None, "first\n" + "word " * 40)
    assert "feedback        first\n                word word" in text
    assert max(map(len, text.splitlines())) <= 100
