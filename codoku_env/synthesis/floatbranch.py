"""Branches on floats: comparisons with a short decimal that have the wanted outcome in every state."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from codoku_env.synthesis.branches import Visit
from codoku_env.synthesis.evaluation import ConcreteAlgebra, UndefinedError, evaluate
from codoku_env.synthesis.expressions import FLOAT, Binary, Compare, Decimal, Expr, Unary, Var
from codoku_env.synthesis.profiles import Profile
from codoku_env.synthesis.program import Program

__all__ = ["decimal_between", "float_condition"]

_CONCRETE = ConcreteAlgebra()

_SHAPES = 6
"""Sides of a comparison tried."""

_MARGIN = 0.2
"""How far beyond all values a threshold lies that all are on one side of, as a share of the greatest magnitude."""


def float_condition(
    program: Program, visits: Sequence[Visit], profile: Profile, rng: np.random.Generator
) -> Expr | None:
    """A comparison of floats that suits all visits to a branch, if one is wanted and found soon.

    Args:
        program: Whose variables the condition may read.
        visits: All times that the branch is reached, at least one.
        profile: How often a branch shall compare floats.
        rng: Source of every choice.
    """
    variables = [variable for variable in program.variables if variable.bits == FLOAT]
    if not variables or not profile.float_conditions or rng.random() >= profile.float_conditions:
        return None
    for _ in range(_SHAPES):
        left = _side(variables, rng)
        condition = _separating(left, visits, rng)
        if condition is not None:
            return condition
    return None


def _side(variables: Sequence[Var], rng: np.random.Generator) -> Expr:
    """A variable, or a sum of two."""
    first, second = (variables[int(rng.random() * len(variables))] for _ in range(2))
    return first if first == second else Binary("+" if rng.random() < 0.5 else "-", first, second, FLOAT)


def _separating(left: Expr, visits: Sequence[Visit], rng: np.random.Generator) -> Expr | None:
    """A comparison of ``left`` with a threshold between the visits where it has to hold and the others."""
    try:
        values = [(evaluate(left, visit.values, {}, _CONCRETE), visit.outcome) for visit in visits]
    except UndefinedError:
        return None
    holding = [float(value) for value, outcome in values if outcome]
    failing = [float(value) for value, outcome in values if not outcome]
    margin = _MARGIN * max(1.0, *(abs(value) for value in (*holding, *failing)))
    below = max(holding, default=-math.inf) < min(failing, default=math.inf)
    above = min(holding, default=math.inf) > max(failing, default=-math.inf)
    if not below and not above:
        return None
    if below and (not above or rng.random() < 0.5):
        ops, low, high = ("<", "<="), max(holding, default=-math.inf), min(failing, default=math.inf)
    else:
        ops, low, high = (">", ">="), max(failing, default=-math.inf), min(holding, default=math.inf)
    low, high = (low if low > -math.inf else high - margin), (high if high < math.inf else low + margin)
    threshold = decimal_between(low, high, rng)
    if threshold is None:
        return None
    number = Decimal(abs(threshold))
    return Compare(ops[int(rng.random() * 2)], left, Unary("-", number, FLOAT) if threshold < 0 else number)


def decimal_between(low: float, high: float, rng: np.random.Generator) -> float | None:
    """A float strictly between two others, of as few decimals as a random one between them needs, if there is one."""
    value = low + (high - low) * rng.random()
    for digits in range(1, 8):
        if low < (rounded := round(value, digits)) < high:
            return rounded
    return None
