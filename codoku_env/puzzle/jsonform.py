"""The JSON form of a puzzle: its text, where it came from, and the witness when asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import TypeVar, cast

from codoku_env.errors import PuzzleFormatError
from codoku_env.puzzle.cells import Assignment, canonical_fill
from codoku_env.puzzle.model import Provenance, Puzzle
from codoku_env.puzzle.text import format_puzzle, parse_puzzle

__all__ = ["JSON_VERSION", "from_json", "to_json", "witness_from_json"]

JSON_VERSION = 1

_T = TypeVar("_T")


def to_json(puzzle: Puzzle, *, witness: Assignment | None = None, indent: int | None = None) -> str:
    """JSON text of the puzzle.

    An object with ``codoku_json`` (format version), ``puzzle`` (the text form), ``provenance`` (seed, profile,
    generator_version, z3_version, config; or null) and, only if ``witness`` is given, ``witness`` (one fill per cell).

    Args:
        puzzle: What to write.
        witness: A complete assignment to store beside it.
        indent: As for ``json.dumps``.
    """
    data: dict[str, object] = {
        "codoku_json": JSON_VERSION,
        "puzzle": format_puzzle(puzzle),
        "provenance": None if puzzle.provenance is None else asdict(puzzle.provenance),
    }
    if witness is not None:
        data["witness"] = list(witness.fills)
    return json.dumps(data, indent=indent, sort_keys=True)


def from_json(text: str) -> Puzzle:
    """The puzzle in ``text``, a string that ``to_json`` made.

    Raises:
        PuzzleFormatError: Not such a string.
    """
    data = _load(text)
    puzzle = parse_puzzle(_field(data, "puzzle", str))
    return replace(puzzle, provenance=_provenance(data.get("provenance")))


def witness_from_json(text: str) -> Assignment | None:
    """The witness stored in ``text``, or None when it has none.

    Raises:
        PuzzleFormatError: ``text`` is not what ``to_json`` writes, or the witness does not fill the puzzle's cells.
    """
    data = _load(text)
    if "witness" not in data:
        return None
    cells = parse_puzzle(_field(data, "puzzle", str)).cells
    fills = cast("list[object]", _field(data, "witness", list))
    if len(fills) != len(cells) or not all(isinstance(fill, str) for fill in fills):
        raise PuzzleFormatError(f"expected a witness of {len(cells)} fills")
    pairs = zip(cells, cast("list[str]", fills), strict=True)
    return Assignment(tuple(canonical_fill(cell.kind, fill) for cell, fill in pairs))


def _load(text: str) -> Mapping[str, object]:
    try:
        data: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PuzzleFormatError(f"expected JSON, got: {error}") from None
    if not isinstance(data, dict):
        raise PuzzleFormatError("expected a JSON object")
    data = cast("dict[str, object]", data)
    if data.get("codoku_json") != JSON_VERSION:
        raise PuzzleFormatError(f"expected codoku_json {JSON_VERSION}, got {data.get('codoku_json')!r}")
    return data


def _field(data: Mapping[str, object], name: str, kind: type[_T]) -> _T:
    value = data.get(name)
    if not isinstance(value, kind):
        raise PuzzleFormatError(f"expected field {name!r} of type {kind.__name__}, got {value!r}"[:200])
    return value


def _provenance(value: object) -> Provenance | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise PuzzleFormatError("expected field 'provenance' to be an object or null")
    data = cast("dict[str, object]", value)
    return Provenance(
        seed=_field(data, "seed", int),
        profile=_field(data, "profile", str),
        generator_version=_field(data, "generator_version", str),
        z3_version=_field(data, "z3_version", str),
        config=cast("dict[str, object]", _field(data, "config", dict)),
    )
