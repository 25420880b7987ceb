"""Random choices and numbers for programs under construction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

from codoku_env.synthesis.evaluation import int_range
from codoku_env.synthesis.expressions import Const, Decimal
from codoku_env.synthesis.profiles import WIDTHS, Profile
from codoku_env.synthesis.program import Interval

__all__ = ["TRIVIAL", "Draws"]

T = TypeVar("T")

TRIVIAL = 0.15
"""Probability that a number is 0 or 1 where that makes sense."""


class Draws:
    """Draws choices and numbers.

    Attributes:
        profile: How much of what.
        constants: For each number drawn the values that it may take, by slot.
        on_path: Whether the code being written is on the path, so that its numbers are left open.
    """

    def __init__(self, profile: Profile, rng: np.random.Generator) -> None:
        self.profile = profile
        self.rng = rng
        self.constants: list[Interval] = []
        self.on_path = True

    # Choices.

    def integer(self, low: int, high: int) -> int:
        """Uniform from low to high, both included."""
        return low + int(self.rng.random() * (high - low + 1))

    def chance(self, probability: float) -> bool:
        """True with this probability; what cannot happen or always does costs no draw."""
        return probability >= 1 or (probability > 0 and self.rng.random() < probability)

    def pick(self, items: Sequence[T], weights: Sequence[float]) -> T:
        """One item, each as likely as its weight says."""
        left = self.rng.random() * sum(weights)
        for item, weight in zip(items, weights, strict=True):
            left -= weight
            if left < 0:
                return item
        return items[-1]

    def pick_key(self, table: Mapping[str, float]) -> str:
        """One key, each as likely as its value says."""
        return self.pick(tuple(table), tuple(table.values()))

    def width(self) -> int:
        """A width of the profile."""
        return self.profile.widths[self.integer(0, len(self.profile.widths) - 1)]

    # Numbers.

    def magnitude(self, bits: int) -> int:
        """A log-uniform integer of 2 to ``bits`` bits, at least 2."""
        exponent = 1 + self.rng.random() * max(0.6, bits - 1)
        return max(2, int(2.0**exponent))

    def number(self, bits: int) -> Const:
        """A number of up to ``bits`` bits; on the path it is chosen later, from an interval."""
        if not self.on_path:
            return self.chosen_number(bits)
        size = self.magnitude(bits)
        width = next(width for width in WIDTHS if width > bits)
        return self.constant(Interval(max(2, size - size // 3), min(size + size // 3 + 1, int_range(width)[1]), width))

    def threshold(self, bits: int) -> Const:
        """A number of less than ``bits`` bits; on the path it is chosen later, from nearly all of them."""
        if not self.on_path:
            return self.chosen_number(bits - 2)
        size = self.magnitude(bits - 3)
        return self.constant(Interval(min(size, 6), int_range(bits)[1] // 2 + size // 2, bits))

    def chosen_number(self, bits: int, odd: bool = False) -> Const:
        """A number of up to ``bits`` bits, chosen now."""
        value = self.magnitude(bits)
        if value > 4 and value & (value - 1) == 0:
            value += 1
        return self.fixed(value | odd)

    def trivial(self, bits: int) -> Const:
        """0 or 1."""
        value = self.integer(0, 1)
        return self.constant(Interval(value, value, bits))

    def fixed(self, value: int) -> Const:
        """The number ``value``, which is not negative."""
        width = next(width for width in WIDTHS if width > value.bit_length())
        return self.constant(Interval(value, value, width))

    def constant(self, interval: Interval) -> Const:
        """A new number."""
        self.constants.append(interval)
        return Const(len(self.constants) - 1, interval.bits)

    def decimal(self, low: float, high: float) -> Decimal:
        """A log-uniform float between two positive ones, of one to three significant digits."""
        value = low * (high / low) ** self.rng.random()
        value = float(f"{value:.{self.integer(1, 3)}g}")
        return Decimal(value if value != 1.0 else 1.25)
