"""Numbers of a program, drawn when they are first needed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from codoku_env.synthesis.expressions import Const
from codoku_env.synthesis.program import Interval

__all__ = ["Numbers", "is_easy"]


def is_easy(value: int, interval: Interval) -> bool:
    """Whether the value is a power of two, one less, or an end of its interval (where that has anything else)."""
    if interval.high - interval.low < 4:
        return False
    return value in (interval.low, interval.high) or value & (value - 1) == 0 or value & (value + 1) == 0


class Numbers(dict[int, int]):
    """Numbers by slot; reading one that has none yet draws it from its interval, where it can not an easy one.

    Args:
        intervals: For each slot the values that its number may take; slots can be added.
        rng: Source of every choice.
    """

    def __init__(self, intervals: Iterable[Interval], rng: np.random.Generator) -> None:
        super().__init__()
        self.intervals = list(intervals)
        self._rng = rng

    def __missing__(self, slot: int) -> int:
        interval = self.intervals[slot]
        span = interval.high - interval.low + 1
        value = interval.low + int(self._rng.random() * span)
        if is_easy(value, interval):
            value = interval.low + int(self._rng.random() * span)
        self[slot] = value
        return value

    def add(self, interval: Interval) -> Const:
        """A literal in a new slot."""
        self.intervals.append(interval)
        return Const(len(self.intervals) - 1, interval.bits)

    def forget(self, drawn: int, slots: int | None = None) -> None:
        """Take back all but the first ``drawn`` numbers and, where told, all but the first ``slots`` slots."""
        while len(self) > drawn:
            self.popitem()
        if slots is not None:
            del self.intervals[slots:]
