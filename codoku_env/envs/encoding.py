"""Observations: a puzzle and the state of its play as numpy arrays of fixed size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from codoku_env.envs.actions import ActionLayout, ActionTable, constants_left
from codoku_env.envs.vocabulary import Vocabulary
from codoku_env.puzzle.cells import Assignment, Cell, Kind, parse_number
from codoku_env.puzzle.grammar import is_number
from codoku_env.puzzle.model import Puzzle
from codoku_env.synthesis.profiles import Profile

__all__ = ["FLOAT_LIMIT", "Observation", "encode_number", "encode_progress", "encode_puzzle", "observation_space"]

Observation = dict[str, NDArray[Any]]
"""Arrays by name; ``observation_space`` has their shapes, dtypes and ranges."""

FLOAT_LIMIT = 2.0**1022
"""Floats are clipped to plus and minus this, so that the width of the range is a float too."""

_INT64 = np.iinfo(np.int64)


@dataclass(frozen=True, slots=True)
class _Field:
    shape: tuple[int, ...]
    dtype: type[np.integer[Any] | np.floating[Any]]
    low: Any
    high: Any


def _numbers(name: str, *shape: int) -> dict[str, _Field]:
    return {
        f"{name}_type": _Field(shape, np.int8, 0, 3),
        f"{name}_int": _Field(shape, np.int64, _INT64.min, _INT64.max),
        f"{name}_float": _Field(shape, np.float64, -FLOAT_LIMIT, FLOAT_LIMIT),
    }


def _puzzle_fields(profile: Profile) -> dict[str, _Field]:
    """The fields that do not change while a puzzle is played."""
    actions = ActionLayout.of(profile)
    vocabulary = Vocabulary(actions)
    tokens = profile.max_tokens + 2 * profile.max_lines
    return {
        "token": _Field((tokens,), np.int16, 0, vocabulary.size - 1),
        **_numbers("token", tokens),
        "cell_kind": _Field((profile.max_cells,), np.int8, 0, len(Kind)),
        "cell_token": _Field((profile.max_cells,), np.int16, 0, tokens - 1),
        "offered": _Field((actions.size,), np.int8, 0, 1),
        "variable_type": _Field((profile.max_variables,), np.int16, 0, 2 + profile.max_variables),
        **_numbers("constant", profile.max_constants),
        "cfg": _Field((profile.max_blocks, profile.max_blocks), np.int8, 0, 1),
        "path": _Field((profile.max_examples, profile.max_path), np.int16, 0, profile.max_blocks),
        **_numbers("argument", profile.max_examples, profile.max_parameters),
        **_numbers("expected", profile.max_examples),
        **_numbers("checksum", 1),
    }


def _progress_fields(profile: Profile, max_steps: int) -> dict[str, _Field]:
    """The fields that change from step to step."""
    cells, actions = profile.max_cells, ActionLayout.of(profile).size
    return {
        "fill": _Field((cells,), np.int16, 0, actions),
        "cursor": _Field((1,), np.int16, -1, cells - 1),
        "constant_left": _Field((profile.max_constants,), np.int16, -cells, cells),
        "progress": _Field((4,), np.int32, 0, np.array([cells, cells, cells, max_steps], np.int32)),
        "action_mask": _Field((actions,), np.int8, 0, 1),
    }


def observation_space(profile: Profile, max_steps: int) -> spaces.Dict:
    """The space of the observations of puzzles within the bounds of ``profile``.

    Padding is 0. C, K, V, B, X, P, A are max_cells, max_constants, max_variables, max_blocks, max_examples, max_path
    and max_parameters of the profile, N is the number of actions, S the size of the vocabulary, L is ``max_steps``, and
    T = max_tokens + 2 * max_lines.

    | field | shape | dtype | range | meaning |
    | --- | --- | --- | --- | --- |
    | token | (T,) | int16 | 0 to S - 1 | the program as ids; see ``Vocabulary`` |
    | token_* | (T,) | | | values of the visible numbers |
    | cell_kind | (C,) | int8 | 0 to 6 | 1 + position of the kind in ``Kind`` |
    | cell_token | (C,) | int16 | 0 to T - 1 | where the cell stands in token, at least 1 |
    | offered | (N,) | int8 | 0 to 1 | actions that mean anything in this puzzle |
    | variable_type | (V,) | int16 | 0 to 2 + V | 1 parameter, 2 local, 3 + a: element of array a |
    | constant_* | (K,) | | | values of the constant table |
    | cfg | (B, B) | int8 | 0 to 1 | 1 at [i, j] for an edge from block i to block j of ``cfg.blocks`` |
    | path | (X, P) | int16 | 0 to B | execution path of each example, blocks from 1 in the order of ``cfg.blocks`` |
    | argument_* | (X, A) | | | arguments of the examples |
    | expected_* | (X,) | | | return values expected |
    | checksum_* | (1,) | | | running checksum expected; checksum_type 0: unconstrained |
    | fill | (C,) | int16 | 0 to N | 0 unfilled, else 1 + action, which is also a token id |
    | cursor | (1,) | int16 | -1 to C - 1 | the cell to fill now, -1 when none is left |
    | constant_left | (K,) | int16 | -C to C | uses left, negative when overspent |
    | progress | (4,) | int32 | 0 to max(C, L) | cells filled, cells unfilled, uses of constants left, steps left |
    | action_mask | (N,) | int8 | 0 to 1 | actions that are not refused; all 0 only when no cell is left |

    Numbers are three arrays; see ``encode_number``:

    | suffix | dtype | range | meaning |
    | --- | --- | --- | --- |
    | _type | int8 | 0 to 3 | 0 none, 1 int, 2 float, 3 clipped |
    | _int | int64 | all | the int itself; a float cut towards zero |
    | _float | float64 | +-FLOAT_LIMIT | the float itself; the one nearest to an int |

    Args:
        profile: Its bounds are the shapes.
        max_steps: Greatest step limit of an episode.
    """
    fields = _puzzle_fields(profile) | _progress_fields(profile, max_steps)
    return spaces.Dict({name: spaces.Box(f.low, f.high, f.shape, f.dtype) for name, f in fields.items()})


def encode_number(value: int | float) -> tuple[int, int, float]:
    """Type, int64 and float64 of a number.

    The type is 1 for an int of the int64 range, 2 for a float from -FLOAT_LIMIT to FLOAT_LIMIT, and 3 for a number
    outside them, which is clipped. Of type 1 the int is exact, of type 2 the float.
    """
    limited = max(-FLOAT_LIMIT, min(value, FLOAT_LIMIT))
    integer = max(int(_INT64.min), min(int(limited), int(_INT64.max)))
    if isinstance(value, int):
        return (1 if integer == value else 3), integer, float(limited)
    return (2 if limited == value else 3), integer, float(limited)


def encode_puzzle(puzzle: Puzzle, profile: Profile) -> Observation:
    """The fields that do not change while ``puzzle`` is played; it lies within the bounds of ``profile``."""
    arrays = {name: np.zeros(field.shape, field.dtype) for name, field in _puzzle_fields(profile).items()}
    layout = ActionLayout.of(profile)
    _put_program(arrays, puzzle, layout)
    _put_control_flow(arrays, puzzle)
    arrays["offered"][:] = ActionTable(layout, puzzle).offered()
    arrays["variable_type"][: len(puzzle.body.id_domain)] = _variable_types(puzzle)
    for i, constant in enumerate(puzzle.constants):
        _put_number(arrays, "constant", i, constant.value)
    for x, example in enumerate(puzzle.examples):
        _put_number(arrays, "expected", x, example.expected)
        for a, value in enumerate(example.args):
            _put_number(arrays, "argument", (x, a), value)
    if puzzle.checksum is not None:
        _put_number(arrays, "checksum", 0, puzzle.checksum)
    return arrays


def encode_progress(
    table: ActionTable, assignment: Assignment, cursor: int | None, steps_left: int, profile: Profile
) -> Observation:
    """The fields that change from step to step.

    Args:
        table: Actions of the puzzle.
        assignment: Its present fills.
        cursor: The cell to fill now, or None.
        steps_left: Steps until the episode is truncated.
        profile: The puzzle lies within its bounds.
    """
    puzzle = table.puzzle
    left = constants_left(puzzle, assignment)
    fill = np.zeros(profile.max_cells, np.int16)
    for cell, text in zip(puzzle.cells, assignment.fills, strict=True):
        if text is not None:
            fill[cell.index] = 1 + table.encode(cell.kind, text)
    constant_left = np.zeros(profile.max_constants, np.int16)
    constant_left[: len(left)] = list(left.values())
    filled = int(np.count_nonzero(fill))
    uses = sum(max(0, uses) for uses in left.values())
    return {
        "fill": fill,
        "cursor": np.array([-1 if cursor is None else cursor], np.int16),
        "constant_left": constant_left,
        "progress": np.array([filled, len(puzzle.cells) - filled, uses, steps_left], np.int32),
        "action_mask": table.mask(None if cursor is None else puzzle.cells[cursor].kind, left),
    }


def _put_number(arrays: Observation, name: str, index: int | tuple[int, int], value: int | float) -> None:
    for suffix, part in zip(("type", "int", "float"), encode_number(value), strict=True):
        arrays[f"{name}_{suffix}"][index] = part


def _put_program(arrays: Observation, puzzle: Puzzle, layout: ActionLayout) -> None:
    kinds = list(Kind)
    for position, (token_id, token) in enumerate(Vocabulary(layout).stream(puzzle)):
        arrays["token"][position] = token_id
        if isinstance(token, Cell):
            arrays["cell_kind"][token.index] = 1 + kinds.index(token.kind)
            arrays["cell_token"][token.index] = position
        elif token and is_number(token):
            _put_number(arrays, "token", position, parse_number(token))


def _put_control_flow(arrays: Observation, puzzle: Puzzle) -> None:
    blocks = {label: i for i, label in enumerate(puzzle.cfg.blocks)}
    for source, target in puzzle.cfg.edges:
        arrays["cfg"][blocks[source], blocks[target]] = 1
    for x, example in enumerate(puzzle.examples):
        arrays["path"][x, : len(example.path)] = [1 + blocks[label] for label in example.path]


def _variable_types(puzzle: Puzzle) -> list[int]:
    """The types of the ID domain's entries, in its order."""
    types: list[int] = []
    arrays = list(puzzle.body.arrays)
    for name in puzzle.body.variables:
        if name in puzzle.body.arrays:
            types += [3 + arrays.index(name)] * puzzle.body.arrays[name]
        else:
            types.append(1 if name in puzzle.body.parameters else 2)
    return types
