"""A puzzle and the state of its play as plain text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping

from codoku_env.envs.actions import constants_left, legal_fills
from codoku_env.puzzle.cells import Assignment, Cell, Kind
from codoku_env.puzzle.model import Puzzle

__all__ = ["describe", "format_uses"]

_WIDTH = 100
_MARGIN = 16
_GLUE = "\u00a0"
"""Stands for the blank in operators of two words while lines are wrapped."""


def describe(puzzle: Puzzle, assignment: Assignment, cursor: int | None = None, feedback: str | None = None) -> str:
    """The puzzle for a reader: the program, then its constraints, what may be filled in now, and the last feedback.

    An unfilled cell is shown as ``[12:OP]``, its index and kind, a filled one as ``{+}``. Lines are numbered as in the
    checker's messages.

    Args:
        puzzle: The puzzle.
        assignment: Its present fills.
        cursor: The cell to fill now; it is underlined, and the fills it may hold are listed.
        feedback: What the checker said last.
    """
    left = constants_left(puzzle, assignment)
    rows = [*_program(puzzle, assignment, cursor), ""]
    rows += _entry("cfg", (f"{label} -> {', '.join(puzzle.cfg.successors(label))}" for label in puzzle.cfg.blocks[:-1]))
    rows += _paths(puzzle)
    name = puzzle.body.name
    calls = (f"{name}({', '.join(map(repr, x.args))}) == {x.expected!r}" for x in puzzle.examples)
    rows += _entry("examples", calls)
    if puzzle.checksum is not None:
        rows += _entry("checksum", [f"{puzzle.checksum} after the last example"])
    rows += _entry("constants left", [format_uses(left)])
    rows += _entry("cells left", [f"{assignment.fills.count(None)} of {len(puzzle.cells)}"])
    if cursor is not None:
        rows += _entry("fill now", [_choices(puzzle, puzzle.cells[cursor], left)])
    if feedback is not None:
        rows += _entry("feedback", feedback.splitlines())
    return "\n".join(rows) + "\n"


def format_uses(left: Mapping[str, int]) -> str:
    """The constants with uses left (or overspent, then negative), as ``value:uses``."""
    return ", ".join(f"{literal}:{uses}" for literal, uses in left.items() if uses) or "none"


def _program(puzzle: Puzzle, assignment: Assignment, cursor: int | None) -> Iterator[str]:
    """The lines of the body with number and blocks in the margin, and one more under the cursor."""
    body = puzzle.body
    shown = [_shown(cell, fill) for cell, fill in zip(puzzle.cells, assignment.fills, strict=True)]
    starts = [",".join(line.blocks) for line in body.lines]
    width = max(map(len, starts))
    for row, (text, labels) in enumerate(zip(body.render(shown).splitlines(), starts, strict=True)):
        yield f"{row + 1:4} {labels:>{width}} | {text}"
        if cursor is not None and body.cell_rows[cursor] == row:
            earlier = sum(other == row for other in body.cell_rows[:cursor])
            column = _column(text, shown[cursor - earlier : cursor + 1])
            yield f"{'':4} {'':{width}} | {'':{column}}{'^' * len(shown[cursor])}"


def _shown(cell: Cell, fill: str | None) -> str:
    return f"[{cell.index}:{cell.kind}]" if fill is None else f"{{{fill}}}"


def _column(text: str, shown: Iterable[str]) -> int:
    """Where the last of the shown cells begins in their line; the program itself has no braces and no such brackets."""
    column = end = 0
    for mark in shown:
        column = text.index(mark, end)
        end = column + len(mark)
    return column


def _paths(puzzle: Puzzle) -> Iterator[str]:
    """The execution path, or one for each example where they differ."""
    if all(example.path == puzzle.path for example in puzzle.examples):
        yield from _entry("path", [" -> ".join(puzzle.path)])
        return
    for number, example in enumerate(puzzle.examples, 1):
        yield from _entry(f"path {number}", [" -> ".join(example.path)])


def _choices(puzzle: Puzzle, cell: Cell, left: Mapping[str, int]) -> str:
    fills = (fill.replace(" ", _GLUE) for fill in legal_fills(puzzle, cell.kind, left))
    return f"cell {cell.index} {cell}: {(', ' if cell.kind is Kind.OP else ' ').join(fills)}"


def _entry(title: str, paragraphs: Iterable[str]) -> Iterator[str]:
    """The paragraphs, wrapped, behind a margin whose first line has the title."""
    for paragraph in paragraphs:
        for line in textwrap.wrap(paragraph, _WIDTH - _MARGIN, break_long_words=False, break_on_hyphens=False):
            yield f"{title:<{_MARGIN}}{line.replace(_GLUE, ' ')}"
            title = ""
