"""Inputs of programs, drawn at random."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from codoku_env.synthesis.evaluation import int_range
from codoku_env.synthesis.expressions import FLOAT
from codoku_env.synthesis.program import Program

__all__ = ["Args", "draw_input", "mutated_input"]

Args = tuple[int, ...]
"""Values of the parameters, in order."""


def draw_input(program: Program, rng: np.random.Generator) -> Args:
    """Any of the values that the program's first input may have."""
    return tuple(
        _float(interval.low + (interval.high - interval.low) * rng.random())
        if interval.bits == FLOAT
        else int(rng.integers(interval.low, interval.high, endpoint=True))
        for interval in program.inputs
    )


def mutated_input(program: Program, known: Sequence[Args], rng: np.random.Generator) -> Args:
    """A known input with one or more values changed, by a log-uniform amount or to any value of the width."""
    args = list(known[int(rng.integers(len(known)))])
    first = int(rng.integers(len(args)))
    for index, variable in enumerate(program.parameters):
        if index != first and rng.random() < 0.5:
            continue
        if variable.bits == FLOAT:
            args[index] = _float(args[index] + 60.0 * (rng.random() - 0.5))
            continue
        low, high = int_range(variable.bits)
        if rng.random() < 0.2:
            args[index] = int(rng.integers(low, high, endpoint=True))
        else:
            size = int(2.0 ** (rng.random() * (variable.bits - 1)))
            args[index] = min(high, max(low, args[index] + (size if rng.random() < 0.5 else -size)))
    return tuple(args)


def _float(value: float) -> int:
    """The value with two decimals, annotated as ConcreteAlgebra has it."""
    return cast(int, round(value, 2))
