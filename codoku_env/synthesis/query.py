"""The whole-path query: numbers and inputs for which a program takes its path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from codoku_env.puzzle.flow import Path
from codoku_env.synthesis.evaluation import UndefinedError, evaluate, int_range
from codoku_env.synthesis.expressions import Expr
from codoku_env.synthesis.inputs import Args
from codoku_env.synthesis.program import Interval, Program, trace
from codoku_env.synthesis.symbolic import SymbolicAlgebra, Term, numeral

__all__ = ["find_condition_numbers", "find_input", "find_numbers_and_input"]


def find_numbers_and_input(
    program: Program, path: Path, rlimit: int, rng: np.random.Generator
) -> tuple[dict[int, int], Args] | None:
    """Numbers for every slot, each within its interval, and an input for which the program takes ``path``.

    One query holds the path conditions, the definedness conditions and the computations along the path. What it does
    not constrain is drawn at random.

    Args:
        program: With numbers to be chosen.
        path: The blocks to visit.
        rlimit: Budget of the query, see ``smt.solve``.
        rng: Source of every choice.

    Returns:
        Numbers by slot and values of the parameters, or None when there are none or the budget ran out.
    """
    algebra = SymbolicAlgebra()
    unknowns = {f"c{slot}": interval for slot, interval in enumerate(program.constants)}
    inputs = {v.name: interval for v, interval in zip(program.parameters, program.inputs, strict=True)}
    args = {name: algebra.declare(name, i.bits, i.low, i.high) for name, i in inputs.items()}
    constants = {slot: _term(algebra, f"c{slot}", interval) for slot, interval in enumerate(program.constants)}
    model = _solve(program, path, args, constants, algebra, rlimit, rng)
    if model is None:
        return None
    values = {
        name: model[name] if name in model else int(rng.integers(interval.low, interval.high, endpoint=True))
        for name, interval in {**unknowns, **inputs}.items()
    }
    return {slot: values[f"c{slot}"] for slot in constants}, tuple(values[name] for name in inputs)


def find_input(
    program: Program,
    path: Path,
    constants: Mapping[int, int],
    known: Sequence[Args],
    rlimit: int,
    rng: np.random.Generator,
) -> Args | None:
    """An input not among ``known`` for which the program with these numbers takes ``path``, or None as above."""
    algebra = SymbolicAlgebra()
    args = {v.name: algebra.declare(v.name, v.bits, *int_range(v.bits)) for v in program.parameters}
    for values in known:
        algebra.exclude([(args[v.name], value, v.bits) for v, value in zip(program.parameters, values, strict=True)])
    numbers = {slot: numeral(constants[slot], i.bits) for slot, i in enumerate(program.constants)}
    model = _solve(program, path, args, numbers, algebra, rlimit, rng)
    if model is None:
        return None
    return tuple(
        model[v.name] if v.name in model else int(rng.integers(*int_range(v.bits), endpoint=True))
        for v in program.parameters
    )


def find_condition_numbers(
    condition: Expr,
    states: Sequence[tuple[Mapping[str, Term], bool]],
    intervals: Mapping[int, Interval],
    rlimit: int,
    rng: np.random.Generator,
) -> dict[int, int] | None:
    """Numbers for which a condition has the wanted outcome in every state, or None as above.

    Args:
        condition: What a branch tests.
        states: The variables by name, and the outcome wanted.
        intervals: For each slot of the condition the values that its number may take.
        rlimit: Budget of the query, see ``smt.solve``.
        rng: Source of every choice.

    Returns:
        Numbers by slot, of those slots that matter.
    """
    from codoku_env.synthesis import smt  # loads z3

    algebra = SymbolicAlgebra()
    constants = {slot: _term(algebra, f"c{slot}", interval) for slot, interval in intervals.items()}
    try:
        for values, outcome in states:
            algebra.require(evaluate(condition, values, constants, algebra), outcome)
    except UndefinedError:
        return None
    model = smt.solve(algebra.script(), rlimit, int(rng.integers(1 << 30)))
    if model is None:
        return None
    return {slot: model[f"c{slot}"] for slot in intervals if f"c{slot}" in model}


def _term(algebra: SymbolicAlgebra, name: str, interval: Interval) -> Term:
    if interval.low == interval.high:
        return numeral(interval.low, interval.bits)
    return algebra.declare(name, interval.bits, interval.low, interval.high)


def _solve(
    program: Program,
    path: Path,
    args: Mapping[str, Term],
    constants: Mapping[int, Term],
    algebra: SymbolicAlgebra,
    rlimit: int,
    rng: np.random.Generator,
) -> dict[str, int] | None:
    from codoku_env.synthesis import smt  # loads z3

    try:
        trace(program, path, args, constants, algebra)
    except UndefinedError:
        return None
    return smt.solve(algebra.script(), rlimit, int(rng.integers(1 << 30)))
