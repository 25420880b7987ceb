"""Cells, the six kinds of them, and what a fill is.

A fill is always text in its canonical spelling: ``"v3"``, ``"t0[2]"``, ``"sat_add"``, ``"500"``, ``"2.5"``,
``"<<"``, ``"is not"``, ``"break"``, ``"b3"``. Text keeps integer and float constants apart (``"1"`` and ``"1.0"``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from codoku_env.errors import ConfigError, PuzzleFormatError

__all__ = [
    "CTRL_DOMAIN",
    "MAX_INT_BITS",
    "OP_DOMAIN",
    "Assignment",
    "Cell",
    "Kind",
    "canonical_fill",
    "number_literal",
    "parse_number",
]

MAX_INT_BITS = 4096
"""Integers of more bits than this are refused in puzzles and stop a run with the verdict LIMIT."""

OP_DOMAIN: tuple[str, ...] = (
    *("+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^"),
    *("==", "!=", "<", "<=", ">", ">="),
    *("is", "is not", "in", "not in", "~", "not", "if"),
)
CTRL_DOMAIN: tuple[str, ...] = ("break", "continue")

_INT = re.compile(r"0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|0(?:_?0)*|[1-9](?:_?[0-9])*")
_DIGITS = r"[0-9](?:_?[0-9])*"
_FLOAT = re.compile(rf"(?:(?:{_DIGITS})?\.{_DIGITS}|{_DIGITS}\.)(?:[eE][+-]?{_DIGITS})?|{_DIGITS}[eE][+-]?{_DIGITS}")
_ELEMENT = re.compile(r"([A-Za-z_]\w*)\s*\[\s*(\w+)\s*\]", re.ASCII)


class Kind(StrEnum):
    """The kind of a cell: which tokens it masks, and thereby which fills may stand in it."""

    ID = "ID"
    FUNC = "FUNC"
    CONST = "CONST"
    OP = "OP"
    CTRL = "CTRL"
    LABEL = "LABEL"


@dataclass(frozen=True, slots=True)
class Cell:
    """One masked token.

    Attributes:
        index: Position among the puzzle's cells in program order, from 0.
        kind: What it masks.
    """

    index: int
    kind: Kind

    def __str__(self) -> str:
        return f"<{self.kind}>"


def parse_number(text: str) -> int | float:
    """Value of a numeric literal in any spelling that Python accepts (no sign).

    Raises:
        ValueError: Not a number, not finite, or an integer of more than MAX_INT_BITS bits.
    """
    if _INT.fullmatch(text):
        if len(text) > MAX_INT_BITS + MAX_INT_BITS // 2:
            raise ValueError(f"expected an integer of at most {MAX_INT_BITS} bits")
        value = int(text, 0)
        if value.bit_length() > MAX_INT_BITS:
            raise ValueError(f"expected an integer of at most {MAX_INT_BITS} bits")
        return value
    if _FLOAT.fullmatch(text):
        number = float(text)
        if not math.isfinite(number):
            raise ValueError(f"expected a finite float, got {text}")
        return number
    raise ValueError(f"expected a number, got {text!r}")


def number_literal(value: int | float) -> str:
    """Canonical spelling of a number: ``repr`` of it, so that 1 and 1.0 differ.

    Raises:
        ValueError: The number is a bool, not finite, or an integer of more than MAX_INT_BITS bits.
    """
    if isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value)):
        raise ValueError(f"expected an int or a finite float, got {value!r}")
    if isinstance(value, int) and value.bit_length() > MAX_INT_BITS:
        raise ValueError(f"expected an integer of at most {MAX_INT_BITS} bits")
    return repr(value)


def canonical_fill(kind: Kind, text: str) -> str:
    """Canonical spelling of a fill that a person or program wrote; unknown text is returned stripped, as it is.

    Numbers are respelled (``0x10`` is ``16``), blanks inside an array element or a two-word operator are normalized.
    Whether the fill lies in the cell's domain is not decided here.
    """
    text = text.strip()
    if kind is Kind.CONST:
        try:
            return number_literal(parse_number(text))
        except ValueError:
            return text
    if kind is Kind.ID and (match := _ELEMENT.fullmatch(text)):
        try:
            return f"{match[1]}[{number_literal(parse_number(match[2]))}]"
        except ValueError:
            return text
    if kind is Kind.OP:
        return " ".join(text.split())
    return text


@dataclass(frozen=True, slots=True)
class Assignment:
    """Fills of a puzzle's cells, possibly partial.

    Attributes:
        fills: One entry per cell in index order; None where the cell is unfilled.
    """

    fills: tuple[str | None, ...]

    @staticmethod
    def empty(cells: int) -> Assignment:
        """The assignment of ``cells`` unfilled cells."""
        return Assignment((None,) * cells)

    @staticmethod
    def of(cells: int, fills: Mapping[int, str] | Iterable[tuple[int, str]]) -> Assignment:
        """The assignment over ``cells`` cells that maps the given indices to the given fills.

        Raises:
            ConfigError: An index outside the puzzle.
        """
        result: list[str | None] = [None] * cells
        for index, fill in dict(fills).items():
            if not 0 <= index < cells:
                raise ConfigError(f"expected a cell from 0 to {cells - 1}, got {index}")
            result[index] = fill
        return Assignment(tuple(result))

    def replace(self, index: int, fill: str | None) -> Assignment:
        """A copy with the cell at ``index`` filled, or cleared by None."""
        if not 0 <= index < len(self.fills):
            raise ConfigError(f"expected a cell from 0 to {len(self.fills) - 1}, got {index}")
        return Assignment((*self.fills[:index], fill, *self.fills[index + 1 :]))

    @property
    def complete(self) -> bool:
        """Whether every cell is filled."""
        return None not in self.fills

    def __getitem__(self, index: int) -> str | None:
        return self.fills[index]

    def __len__(self) -> int:
        return len(self.fills)


def require_label(label: str) -> str:
    """``label`` itself when it names a block.

    Raises:
        PuzzleFormatError: It does not.
    """
    if not re.fullmatch(r"entry|exit|b(?:0|[1-9][0-9]{0,5})", label):
        raise PuzzleFormatError(f"expected a block label (entry, exit, b0, b1, ...), got {label!r}")
    return label
