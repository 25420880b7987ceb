"""INSTRUCTION.md: the task as a solver, person or program, is told it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from codoku_env.puzzle import Kind, Puzzle

__all__ = ["format_instruction"]

_KINDS: dict[Kind, str] = {
    Kind.ID: "a variable, read or written; an element such as `t0[2]` is one cell",
    Kind.FUNC: "the name of a called intrinsic",
    Kind.CONST: "a numeric literal without sign",
    Kind.OP: "one operator",
    Kind.CTRL: "`break` or `continue`",
    Kind.LABEL: "the label of a block, behind `_go_` in the name of a goto flag",
}

_STAGES = (
    ("BASICS", "the file is missing, unreadable, not UTF-8 or too large, or a cell is left unfilled"),
    ("PARSE", "it does not parse as Python"),
    ("COMPILE", "it parses but does not compile"),
    ("REMASK", "something outside the cells differs, or a fill is not from its cell's domain"),
    ("CFG", "the control-flow graph of the program is not the declared one"),
    ("LIMIT", "an example does not finish within its limits"),
    ("PATH", "an example visits other blocks than its execution path, or traps on the way"),
    ("OUTPUT", "an example returns another value, or the running checksum differs"),
    ("CONST", "the constants used do not match the constant table in value, type and count"),
    ("PASS", "none of these: the program is a solution"),
)


def format_instruction(puzzle: Puzzle) -> str:
    """Text of INSTRUCTION.md for the puzzle, in Markdown. It tells nothing that the puzzle's file does not."""
    return "\n".join([*_task(puzzle), *_cells(puzzle), *_constraints(puzzle), *_checking()]) + "\n"


def _task(puzzle: Puzzle) -> Iterator[str]:
    yield f"""# A codoku

`puzzle.py` holds the Python function `{puzzle.body.name}` in which {len(puzzle.cells)} tokens are masked. Write a file
`solution.py` that is the same program with every cell filled, such that all constraints below hold. Any filling that
satisfies them is a solution. Nothing outside the cells may change; comments, white space, redundant parentheses and the
spelling of numbers (`0x10` for `16`) are free.
"""


def _cells(puzzle: Puzzle) -> Iterator[str]:
    counts = Counter(cell.kind for cell in puzzle.cells)
    yield "## Cells\n"
    yield "| cell | how many | masks | domain |"
    yield "| --- | --- | --- | --- |"
    for kind in Kind:
        if counts[kind]:
            domain = " ".join(f"`{fill}`" for fill in puzzle.domains[kind]).replace("|", "\\|")
            yield f"| `<{kind}>` | {counts[kind]} | {_KINDS[kind]} | {domain} |"
    yield ""


def _constraints(puzzle: Puzzle) -> Iterator[str]:
    yield """## Constraints

The lines of `puzzle.py` that start with `#@` declare them:

- `#@CFG_EDGE: b0 -> b1, exit`: the control-flow graph; `#@CFG_BLOCK: b0` is where block `b0` starts. The program must
  have exactly these transitions between blocks when data-dependent conditions go both ways, constant conditions one,
  and goto flags (`_go_b3`, ...) hold the constant last assigned to them.
- `#@EXE_PATH: entry -> b0 -> exit`: the blocks that every example visits, in order, repeats included;
  `#@EXE_PATH 3: ...` is the path of the third example only.
- `#@INOUT_EX: f(1, 2) == 3`: an example, an input and the return value expected for it. Examples run in order.
- `#@CONST_TB: 500:1, 2.5:3`: the constant table. The `<CONST>` cells together use exactly these constants, each exactly
  as often as its count says; `1` and `1.0` are different constants."""
    if puzzle.checksum is not None:
        yield "- `#@CHECKSUM: -667895`: the running checksum after the last example."
    yield """
The program runs with CPython's own semantics. These are traps, and end a run: division by zero, a negative shift, an
operation on operands of the wrong type, a violated precondition of a run-time helper, reading a variable that was never
written, and `is` or `is not` between numbers.
"""


def _checking() -> Iterator[str]:
    yield """## Checking

    codoku check puzzle.py solution.py

prints the verdict, the first of these stages that fails, and exits with 0 for PASS and 1 for any other:

| verdict | when |
| --- | --- |"""
    for stage, meaning in _STAGES:
        yield f"| {stage} | {meaning} |"
