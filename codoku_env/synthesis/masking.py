"""Masking: which tokens of a complete function become cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from codoku_env.puzzle.body import CHECKSUM_STATE, Body, Line
from codoku_env.puzzle.cells import CTRL_DOMAIN, OP_DOMAIN, Assignment, Cell, Kind, canonical_fill
from codoku_env.puzzle.flow import ENTRY, EXIT
from codoku_env.puzzle.grammar import AUGMENTED, FLAG_PREFIX, Token, is_name, is_number
from codoku_env.puzzle.helpers import FIXED_HELPERS, HELPERS, INTRINSICS
from codoku_env.puzzle.model import Constant
from codoku_env.synthesis.intrinsics import INT_INTRINSICS
from codoku_env.synthesis.profiles import Profile

__all__ = ["Masked", "mask"]

VISIBLE_NUMBERS = frozenset({"0", "1", "0.0", "1.0"})
"""Literals that are never masked."""

_LAYOUT_ARGUMENTS = {"cast_int": 1, **{name: intrinsic.arity for name, intrinsic in INT_INTRINSICS.items()}}
"""Helpers whose arguments from this position on are layout data."""


@dataclass(frozen=True, slots=True)
class Masked:
    """A body with cells and what was in them.

    Attributes:
        body: The masked function.
        witness: The fills that restore it.
        constants: Multiplicities of the masked numbers, integers before floats, in ascending order.
        intrinsics: What FUNC cells choose from: those of integers, where the function has floats those of floats too.
    """

    body: Body
    witness: Assignment
    constants: tuple[Constant, ...]
    intrinsics: tuple[str, ...] = INTRINSICS


@dataclass(frozen=True, slots=True)
class _Place:
    """Tokens that may become a cell: one, or the four of an array's element.

    Attributes:
        row: Index of the line.
        index: Of the first token in the line.
        kind: The cell's kind.
        text: The fill that restores it.
        target: Whether a line assigns it.
        size: Number of tokens.
    """

    row: int
    index: int
    kind: Kind
    text: str
    target: bool = False
    size: int = 1


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
    candidates = tuple(_places(body))
    always = [place for place in candidates if place.kind in (Kind.CTRL, Kind.LABEL)]
    drawn = _draw(body, candidates, profile, rng)
    surplus = len(always) + len(drawn) - most
    if surplus > 0:
        if surplus > len(drawn):
            return None
        kept = sorted(int(i) for i in rng.permutation(len(drawn))[surplus:])
        drawn = [drawn[i] for i in kept]
    places = sorted(always + drawn, key=lambda place: (place.row, place.index))
    return _masked(body, places) if len(places) >= least else None


def _draw(body: Body, candidates: Sequence[_Place], profile: Profile, rng: np.random.Generator) -> list[_Place]:
    probabilities = {
        Kind.ID: profile.mask_id,
        Kind.OP: profile.mask_op,
        Kind.CONST: profile.mask_const,
        Kind.FUNC: profile.mask_func,
    }
    visible = Counter(
        line.tokens[syntax.target]
        for line, syntax in zip(body.lines, body.syntax, strict=True)
        if syntax.target is not None and not syntax.target_element
    )
    drawn: list[_Place] = []
    for place in candidates:
        if place.kind not in probabilities:
            continue
        probability = profile.mask_target if place.target else probabilities[place.kind]
        if rng.random() >= probability:
            continue
        if place.target and place.size == 1:
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
        elif row > body.definition and tokens[0] != CHECKSUM_STATE and block not in (ENTRY, EXIT):
            yield from _line_places(row, tokens)


def _line_places(row: int, tokens: Sequence[str]) -> Iterator[_Place]:
    layout = _layout_indices(tokens)
    for index, token in enumerate(tokens):
        if index in layout or (index == 0 and token in ("if", "while", "return")):
            continue
        if token in OP_DOMAIN:
            yield _Place(row, index, Kind.OP, token)
        elif token in AUGMENTED:
            yield _Place(row, index, Kind.OP, token.removesuffix("="))
        elif token in INTRINSICS:
            yield _Place(row, index, Kind.FUNC, token)
        elif is_number(token) and token not in VISIBLE_NUMBERS:
            yield _Place(row, index, Kind.CONST, canonical_fill(Kind.CONST, token))
        elif is_name(token) and tokens[index + 1 : index + 2] == ["["]:
            if is_number(tokens[index + 2]) and tokens[index + 3] == "]":
                yield _Place(row, index, Kind.ID, f"{token}[{tokens[index + 2]}]", target=index == 0, size=4)
        elif is_name(token) and token not in HELPERS:
            yield _Place(row, index, Kind.ID, token, target=index == 0)


def _layout_indices(tokens: Sequence[str]) -> set[int]:
    """Positions of names of fixed helpers and of declared arrays, and of numbers that are layout data.

    Layout data are the widths in calls and the numbers in an index: the size of the array, or a position.
    """
    result = {0} if tokens[1:3] == ["=", "["] else set[int]()
    subscripts = 0
    calls: list[tuple[str, int]] = []  # open parentheses: the helper called, or "", and the argument reached
    for index, token in enumerate(tokens):
        if token == "(":
            called = tokens[index - 1] if index and tokens[index - 1] in HELPERS else ""
            calls.append((called, 0))
        elif token == ")":
            calls.pop()
        elif token == "[" and index and is_name(tokens[index - 1]):
            subscripts += 1
        elif token == "]":
            subscripts -= subscripts > 0
        elif subscripts and is_number(token):
            result.add(index)
        elif token == "," and calls:
            calls[-1] = (calls[-1][0], calls[-1][1] + 1)
        elif token in FIXED_HELPERS or any(argument >= _LAYOUT_ARGUMENTS.get(name, 99) for name, argument in calls):
            result.add(index)
    return result


def _masked(body: Body, places: Sequence[_Place]) -> Masked:
    cells = {(place.row, place.index): Cell(i, place.kind) for i, place in enumerate(places)}

    inside = {(place.row, place.index + offset) for place in places for offset in range(1, place.size)}

    def line(row: int, old: Line) -> Line:
        positions = (index for index in range(len(old.tokens)) if (row, index) not in inside)
        tokens: list[Token] = []
        for index in positions:
            cell = cells.get((row, index))
            tokens.append(cell or old.tokens[index])
            if cell and old.tokens[index] in AUGMENTED:
                tokens.append("=")
        return Line(old.depth, tuple(tokens), old.blocks)

    counts = Counter(place.text for place in places if place.kind is Kind.CONST)
    constants = sorted((Constant(text, count) for text, count in counts.items()), key=_table_order)
    masked = Body(tuple(line(row, old) for row, old in enumerate(body.lines)))
    fills = Assignment(tuple(place.text for place in places))
    return Masked(masked, fills, tuple(constants), _offered(body, places))


def _offered(body: Body, places: Sequence[_Place]) -> tuple[str, ...]:
    """The intrinsics of the types that occur; all where no cell chooses among them."""
    floats = any(is_number(token) and not str(token).isdigit() for line in body.lines for token in line.tokens)
    if floats or not any(place.kind is Kind.FUNC for place in places):
        return INTRINSICS
    return tuple(name for name in INTRINSICS if name in INT_INTRINSICS)


def _table_order(constant: Constant) -> tuple[bool, float]:
    return isinstance(constant.value, float), constant.value
