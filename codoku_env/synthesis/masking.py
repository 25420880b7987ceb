"""Masking: which tokens of a complete function become cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from codoku_env.puzzle.body import Body, Line
from codoku_env.puzzle.cells import CTRL_DOMAIN, OP_DOMAIN, Assignment, Cell, Kind, canonical_fill
from codoku_env.puzzle.flow import ENTRY, EXIT
from codoku_env.puzzle.grammar import FLAG_PREFIX, Token, is_name, is_number
from codoku_env.puzzle.helpers import FIXED_HELPERS, HELPERS
from codoku_env.puzzle.model import Constant
from codoku_env.synthesis.profiles import Profile

__all__ = ["Masked", "mask"]

VISIBLE_NUMBERS = frozenset({"0", "1", "0.0", "1.0"})
"""Literals that are never masked."""

_LAYOUT_ARGUMENTS = {"cast_int": 1}
"""Helpers whose arguments from this position on are layout data."""


@dataclass(frozen=True, slots=True)
class Masked:
    """A body with cells and what was in them.

    Attributes:
        body: The masked function.
        witness: The fills that restore it.
        constants: Multiplicities of the masked numbers, integers before floats, in ascending order.
    """

    body: Body
    witness: Assignment
    constants: tuple[Constant, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """A token that may become a cell; ``target`` tells that it is the name that a line assigns."""

    row: int
    index: int
    kind: Kind
    text: str
    target: bool = False


def mask(body: Body, profile: Profile, rng: np.random.Generator) -> Masked | None:
    """Mask tokens at random, each with the probability of its kind.

    Never masked: the signature, entry and exit, 0 and 1, layout data, the initial values and tests of goto flags, and
    the last visible assignment of a variable. Break, continue and the targets of jumps by flag always are.

    Args:
        body: A complete function.
        profile: Probabilities, and the accepted number of cells; surplus cells are unmasked again, in random order.
        rng: Source of every choice.

    Returns:
        The masked function, or None when it has too few cells.
    """
    least, most = profile.cells
    always = [place for place in _places(body) if place.kind in (Kind.CTRL, Kind.LABEL)]
    drawn = _draw(body, profile, rng)
    surplus = len(always) + len(drawn) - most
    if surplus > 0:
        if surplus > len(drawn):
            return None
        kept = sorted(int(i) for i in rng.permutation(len(drawn))[surplus:])
        drawn = [drawn[i] for i in kept]
    places = sorted(always + drawn, key=lambda place: (place.row, place.index))
    return _masked(body, places) if len(places) >= least else None


def _draw(body: Body, profile: Profile, rng: np.random.Generator) -> list[_Place]:
    probabilities = {Kind.ID: profile.mask_id, Kind.OP: profile.mask_op, Kind.CONST: profile.mask_const}
    visible = Counter(
        line.tokens[syntax.target]
        for line, syntax in zip(body.lines, body.syntax, strict=True)
        if syntax.target is not None
    )
    drawn: list[_Place] = []
    for place in _places(body):
        if place.kind not in probabilities:
            continue
        probability = profile.mask_target if place.target else probabilities[place.kind]
        if rng.random() >= probability:
            continue
        if place.target:
            if visible[place.text] == 1:
                continue
            visible[place.text] -= 1
        drawn.append(place)
    return drawn


def _places(body: Body) -> Iterator[_Place]:
    """Every token that may become a cell, in program order."""
    block = ""
    for row, line in enumerate(body.lines):
        block = line.blocks[-1] if line.blocks else block
        tokens = [str(token) for token in line.tokens]
        if any(token.startswith(FLAG_PREFIX) for token in tokens):
            if tokens[1:] == ["=", "1"]:
                yield _Place(row, 0, Kind.LABEL, tokens[0].removeprefix(FLAG_PREFIX))
        elif tokens[0] in CTRL_DOMAIN:
            yield _Place(row, 0, Kind.CTRL, tokens[0])
        elif row > body.definition and block not in (ENTRY, EXIT):
            yield from _line_places(row, tokens)


def _line_places(row: int, tokens: Sequence[str]) -> Iterator[_Place]:
    layout = _layout_indices(tokens)
    for index, token in enumerate(tokens):
        if index in layout or (index == 0 and token in ("if", "while", "return")):
            continue
        if token in OP_DOMAIN:
            yield _Place(row, index, Kind.OP, token)
        elif is_number(token) and token not in VISIBLE_NUMBERS:
            yield _Place(row, index, Kind.CONST, canonical_fill(Kind.CONST, token))
        elif is_name(token) and token not in HELPERS:
            yield _Place(row, index, Kind.ID, token, target=index == 0)


def _layout_indices(tokens: Sequence[str]) -> set[int]:
    """Positions of helper names and of their arguments that are layout data."""
    result: set[int] = set()
    calls: list[tuple[str, int]] = []  # open parentheses: the helper called, or "", and the argument reached
    for index, token in enumerate(tokens):
        if token == "(":
            called = tokens[index - 1] if index and tokens[index - 1] in HELPERS else ""
            calls.append((called, 0))
        elif token == ")":
            calls.pop()
        elif token == "," and calls:
            calls[-1] = (calls[-1][0], calls[-1][1] + 1)
        elif token in FIXED_HELPERS or any(argument >= _LAYOUT_ARGUMENTS.get(name, 99) for name, argument in calls):
            result.add(index)
    return result


def _masked(body: Body, places: Sequence[_Place]) -> Masked:
    cells = {(place.row, place.index): Cell(i, place.kind) for i, place in enumerate(places)}

    def line(row: int, old: Line) -> Line:
        tokens: list[Token] = [cells.get((row, index), token) for index, token in enumerate(old.tokens)]
        return Line(old.depth, tuple(tokens), old.blocks)

    counts = Counter(place.text for place in places if place.kind is Kind.CONST)
    constants = sorted((Constant(text, count) for text, count in counts.items()), key=_table_order)
    masked = Body(tuple(line(row, old) for row, old in enumerate(body.lines)))
    return Masked(masked, Assignment(tuple(place.text for place in places)), tuple(constants))


def _table_order(constant: Constant) -> tuple[bool, float]:
    return isinstance(constant.value, float), constant.value
