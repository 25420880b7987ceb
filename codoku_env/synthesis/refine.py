"""Better numbers for a solved program: less easy to guess, and thresholds that matter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from codoku_env.puzzle.flow import Path
from codoku_env.synthesis.evaluation import ConcreteAlgebra, UndefinedError, evaluate
from codoku_env.synthesis.expressions import Expr
from codoku_env.synthesis.numbers import is_easy
from codoku_env.synthesis.program import Interval, Program, run_program, trace

__all__ = ["refine_numbers", "tighten_thresholds"]

_CONCRETE = ConcreteAlgebra()

_REDRAWS = 3
"""Other values tried for a number that is easy to guess."""


def refine_numbers(
    program: Program, path: Path, constants: Mapping[int, int], args: tuple[int, ...], rng: np.random.Generator
) -> dict[int, int]:
    """The program's numbers, those that are easy to guess drawn anew where the run on ``args`` still takes ``path``.

    Args:
        program: What to run.
        path: The blocks to visit.
        constants: Numbers by slot with which ``args`` takes the path.
        args: Values of the parameters.
        rng: Source of every choice.
    """
    result = dict(constants)
    for slot, interval in enumerate(program.constants):
        if interval.low == interval.high or not is_easy(result[slot], interval):
            continue
        for _ in range(_REDRAWS):
            other = int(rng.integers(interval.low, interval.high, endpoint=True))
            if not is_easy(other, interval) and _takes_path(program, path, {**result, slot: other}, args):
                result[slot] = other
                break
    return result


def tighten_thresholds(
    program: Program, path: Path, constants: Mapping[int, int], args: tuple[int, ...], rng: np.random.Generator
) -> dict[int, int]:
    """The program's numbers, with thresholds moved to where one more would flip a branch of the run on ``args``.

    A threshold far from every value that it is compared with would leave the branch open to almost any other operand.
    Arguments are those of ``refine_numbers``.
    """
    branches: dict[str, list[_Visit]] = {}

    def at_branch(label: str, values: Mapping[str, int], outcome: int) -> None:
        branches.setdefault(label, []).append((dict(values), bool(outcome)))

    inputs = {variable.name: value for variable, value in zip(program.parameters, args, strict=True)}
    trace(program, path, inputs, constants, _CONCRETE, at_branch)
    result = dict(constants)
    for label, visits in branches.items():
        code = program.code[label]
        if code.condition is not None and code.threshold is not None:
            keeps = partial(_same_outcomes, code.condition, visits, result, code.threshold)
            interval = program.constants[code.threshold]
            result[code.threshold] = _last_before_flip(keeps, result[code.threshold], interval, rng)
    return result


_Visit = tuple[dict[str, int], bool]
"""The variables when a branch is reached, and the outcome of its condition."""


def _same_outcomes(condition: Expr, visits: list[_Visit], constants: Mapping[int, int], slot: int, value: int) -> bool:
    """Whether the condition has the same outcome on every visit when the number of ``slot`` is ``value``."""
    numbers = {**constants, slot: value}
    try:
        return all(bool(evaluate(condition, state, numbers, _CONCRETE)) == outcome for state, outcome in visits)
    except UndefinedError:
        return False


def _last_before_flip(keeps: Callable[[int], bool], value: int, interval: Interval, rng: np.random.Generator) -> int:
    """A value that keeps all outcomes, as ``value`` does, next to one that does not, if the interval has any."""
    flips = [end for end in (interval.low, interval.high) if not keeps(end)]
    if not flips:
        return value
    good, bad = value, flips[int(rng.integers(len(flips)))]
    while abs(bad - good) > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if keeps(middle) else (good, middle)
    return good


def _takes_path(program: Program, path: Path, constants: Mapping[int, int], args: tuple[int, ...]) -> bool:
    try:
        run_program(program, path, args, constants)
    except UndefinedError:
        return False
    return True
