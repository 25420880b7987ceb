"""The value table: which action puts which fill.

An action is an index into a table whose size depends on the profile alone. The kinds have one range of slots each, in
the order of ``Kind``. OP, CTRL and FUNC slots mean the same in every puzzle; an ID, CONST or LABEL slot is a
position in the puzzle's own domain, and slots beyond the end of that domain mean nothing.

| kind | slots | the slot at position i |
| --- | --- | --- |
| ID | max_variables | ``puzzle.domains[Kind.ID][i]`` |
| FUNC | number of intrinsics | ``INTRINSICS[i]``, if the puzzle offers it |
| CONST | max_constants | ``puzzle.constants[i]`` |
| OP | 25 | ``OP_DOMAIN[i]`` |
| CTRL | 2 | ``CTRL_DOMAIN[i]`` |
| LABEL | max_blocks | ``puzzle.cfg.blocks[i]`` |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from codoku_env.errors import ConfigError
from codoku_env.puzzle.cells import CTRL_DOMAIN, OP_DOMAIN, Assignment, Kind
from codoku_env.puzzle.helpers import INTRINSICS
from codoku_env.puzzle.model import Puzzle
from codoku_env.synthesis.profiles import Profile

__all__ = ["ActionLayout", "ActionTable", "constants_left", "legal_fills", "slot_texts"]


@dataclass(frozen=True)
class ActionLayout:
    """Where the slots of each kind lie.

    Attributes:
        variables: Number of ID slots, at least 1.
        constants: Number of CONST slots, at least 1.
        blocks: Number of LABEL slots, at least 2.
    """

    variables: int
    constants: int
    blocks: int

    @staticmethod
    def of(profile: Profile) -> ActionLayout:
        """The layout that every puzzle within the bounds of ``profile`` shares."""
        return ActionLayout(profile.max_variables, profile.max_constants, profile.max_blocks)

    @cached_property
    def slots(self) -> dict[Kind, range]:
        """The actions of each kind; the ranges are adjacent, start at 0 and stand in the order of ``Kind``."""
        sizes = {
            Kind.ID: self.variables,
            Kind.FUNC: len(INTRINSICS),
            Kind.CONST: self.constants,
            Kind.OP: len(OP_DOMAIN),
            Kind.CTRL: len(CTRL_DOMAIN),
            Kind.LABEL: self.blocks,
        }
        slots: dict[Kind, range] = {}
        start = 0
        for kind in Kind:
            slots[kind] = range(start, start + sizes[kind])
            start += sizes[kind]
        return slots

    @property
    def size(self) -> int:
        """Number of actions."""
        return self.slots[Kind.LABEL].stop


def slot_texts(puzzle: Puzzle, kind: Kind) -> tuple[str, ...]:
    """The text that each slot of ``kind`` stands for, whether the puzzle offers it or not."""
    return INTRINSICS if kind is Kind.FUNC else puzzle.domains[kind]


@dataclass(frozen=True)
class ActionTable:
    """What each action means for one puzzle.

    Attributes:
        layout: Of a profile within whose bounds the puzzle lies.
        puzzle: The puzzle.
    """

    layout: ActionLayout
    puzzle: Puzzle

    @cached_property
    def _actions(self) -> dict[tuple[Kind, str], int]:
        actions: dict[tuple[Kind, str], int] = {}
        for kind, slots in self.layout.slots.items():
            offered = self.puzzle.domains[kind]
            texts = slot_texts(self.puzzle, kind)
            actions |= {(kind, fill): slots[i] for i, fill in enumerate(texts) if fill in offered}
        return actions

    @cached_property
    def _meanings(self) -> dict[int, tuple[Kind, str]]:
        return {action: meaning for meaning, action in self._actions.items()}

    def encode(self, kind: Kind, fill: str) -> int:
        """The action, 0 to ``layout.size - 1``, that puts ``fill`` into a cell of ``kind``.

        Raises:
            ConfigError: The fill is not in the domain of that kind.
        """
        try:
            return self._actions[kind, fill]
        except KeyError:
            domain = " ".join(self.puzzle.domains[kind])
            raise ConfigError(f"expected a fill of the kind {kind} ({domain}), got {fill!r}") from None

    def decode(self, action: int) -> tuple[Kind, str] | None:
        """The kind and the fill that ``action`` stands for, or None where it means nothing for this puzzle."""
        return self._meanings.get(action)

    def mask(self, kind: Kind | None, left: Mapping[str, int]) -> NDArray[np.int8]:
        """Which actions a cell of ``kind`` accepts.

        Args:
            kind: The kind of the cell, or None when no cell is left.
            left: Uses left of each constant; see ``constants_left``.

        Returns:
            Shape (layout.size,), 1 where the action is accepted; all 0 exactly when ``kind`` is None.
        """
        mask = np.zeros(self.layout.size, np.int8)
        if kind is not None:
            mask[[self._actions[kind, fill] for fill in legal_fills(self.puzzle, kind, left)]] = 1
        return mask

    def offered(self) -> NDArray[np.int8]:
        """Which actions mean anything for this puzzle: shape (layout.size,), 0 or 1."""
        offered = np.zeros(self.layout.size, np.int8)
        offered[list(self._meanings)] = 1
        return offered


def constants_left(puzzle: Puzzle, assignment: Assignment) -> dict[str, int]:
    """Uses left of each constant, in the order of the constant table; negative where it is overspent.

    Fills that are not in the table are not counted.
    """
    left = {constant.literal: constant.count for constant in puzzle.constants}
    for cell, fill in zip(puzzle.cells, assignment.fills, strict=True):
        if cell.kind is Kind.CONST and fill in left:
            left[fill] -= 1
    return left


def legal_fills(puzzle: Puzzle, kind: Kind, left: Mapping[str, int]) -> tuple[str, ...]:
    """The fills that a cell of ``kind`` accepts: its domain, and of that only the constants with uses left.

    A table with fewer uses than the puzzle has CONST cells runs out; the whole domain is accepted from then on.

    Args:
        puzzle: The puzzle.
        kind: The kind of the cell.
        left: Uses left of each constant; see ``constants_left``.
    """
    domain = puzzle.domains[kind]
    if kind is not Kind.CONST:
        return domain
    return tuple(literal for literal in domain if left[literal] > 0) or domain
