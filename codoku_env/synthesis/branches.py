"""Branches steered: conditions that have the wanted outcome in every state in which they are reached."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from codoku_env.synthesis.evaluation import ConcreteAlgebra, UndefinedError, evaluate, int_range
from codoku_env.synthesis.expressions import FLOAT, Binary, Compare, Const, Expr, Unary, Var
from codoku_env.synthesis.numbers import Numbers
from codoku_env.synthesis.populate import draw_condition
from codoku_env.synthesis.profiles import Profile
from codoku_env.synthesis.program import Interval, Program
from codoku_env.synthesis.query import find_condition_numbers
from codoku_env.synthesis.symbolic import numeral

__all__ = ["Visit", "steer"]

_CONCRETE = ConcreteAlgebra()

_SHAPES = 24
"""Conditions drawn for a branch besides the program's own."""

_SEPARATING = 6
"""How much rather a condition reads a variable that a threshold separates."""

_REMAINDERS = 200
"""Remainders tried as what a condition compares."""

_QUERY_SHARE = 10
"""Which part of the solver's budget the query for one branch has."""

_ORDER = {"<=": 3.0, ">=": 3.0, "<": 3.0, ">": 3.0, "==": 0.5, "!=": 0.5}
"""Weights of the comparisons."""

_COMPARE: Mapping[str, Callable[[int, int], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
    "==": operator.eq,
    "!=": operator.ne,
}

Condition = tuple[Expr, int]
"""A condition, and the slot of its threshold: the number that its right side starts with and is a sum of."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A time that a branch is reached.

    Attributes:
        values: The variables then.
        outcome: What its condition has to be.
    """

    values: Mapping[str, int]
    outcome: bool


def steer(
    program: Program, label: str, visits: Sequence[Visit], numbers: Numbers, profile: Profile, rng: np.random.Generator
) -> Condition | None:
    """A condition for the branch of the block ``label`` that suits all visits.

    Args:
        program: Whose variables the condition may read; its own condition for the branch is the first that is tried.
        label: A block with two successors.
        visits: All times that the block is reached, at least one.
        numbers: The program's numbers, to which those of the condition are added.
        profile: What conditions look like, and the solver's budget.
        rng: Source of every choice.

    Returns:
        The condition, or None when the attempts are used up.
    """
    drawn, slots = len(numbers), len(numbers.intervals)
    for condition, slot in _candidates(program, label, visits, numbers, profile, rng):
        settled = _settled(condition, slot, visits, numbers, rng)
        if settled is not None:
            return settled, slot
        numbers.forget(drawn, slots)
    return None


def _candidates(
    program: Program, label: str, visits: Sequence[Visit], numbers: Numbers, profile: Profile, rng: np.random.Generator
) -> Iterator[Condition]:
    """Conditions from the likeliest to the last resort; which comparison they have and their threshold is open."""
    code = program.code[label]
    if code.condition is not None and code.threshold is not None:
        yield code.condition, code.threshold
    readable = _readable(program, visits)
    for _ in range(_SHAPES if readable else 0):
        yield draw_condition(program, _any(readable, rng), numbers.intervals, profile, rng)
    for variable in dict.fromkeys(readable):
        yield _comparison(variable, numbers)
    yield from _remainders(readable, visits, numbers, rng)
    if readable and (condition := _solved(program, _any(readable, rng), visits, numbers, profile, rng)):
        yield condition


def _any(variables: Sequence[Var], rng: np.random.Generator) -> Var:
    return variables[int(rng.random() * len(variables))]


def _readable(program: Program, visits: Sequence[Visit]) -> list[Var]:
    """Integers that never are the same where the condition has to hold and where it must not.

    Those that a threshold separates stand several times.
    """
    result: list[Var] = []
    for variable in program.variables:
        if variable.bits == FLOAT:
            continue
        holding, failing = _partition([(visit.values[variable.name], visit.outcome) for visit in visits])
        if not holding & failing:
            separated = holding and failing and any(_separations(holding, failing))
            result += [variable] * (_SEPARATING if separated else 1)
    return result


def _comparison(left: Expr, numbers: Numbers) -> Condition:
    threshold = numbers.add(Interval(0, 0, left.bits))
    return Compare("<=", left, threshold), threshold.slot


def _remainders(
    readable: Sequence[Var], visits: Sequence[Visit], numbers: Numbers, rng: np.random.Generator
) -> Iterator[Condition]:
    """Comparisons of remainders of variables, those that a threshold separates."""
    for _ in range(_REMAINDERS if readable else 0):
        variable = _any(readable, rng)
        divisor = 3 + int(2.0 ** (rng.random() * min(variable.bits - 2, 10)))
        parts = _partition([(visit.values[variable.name] % divisor, visit.outcome) for visit in visits])
        if any(_separations(*parts)):
            number = numbers.add(Interval(divisor, divisor, variable.bits))
            yield _comparison(Binary("%", variable, number, variable.bits), numbers)


def _solved(
    program: Program, reads: Var, visits: Sequence[Visit], numbers: Numbers, profile: Profile, rng: np.random.Generator
) -> Condition | None:
    """A condition whose numbers the solver has chosen, if it found any."""
    slots = len(numbers.intervals)
    condition = draw_condition(program, reads, numbers.intervals, profile, rng)
    bits = {variable.name: variable.bits for variable in program.variables}
    states = [({name: numeral(v.values[name], width) for name, width in bits.items()}, v.outcome) for v in visits]
    intervals = {
        slot: Interval(2, int_range(interval.bits)[1], interval.bits)
        for slot, interval in enumerate(numbers.intervals[slots:], slots)
    }
    found = find_condition_numbers(condition[0], states, intervals, profile.solver_rlimit // _QUERY_SHARE, rng)
    numbers.update(found or {})
    return None if found is None else condition


def _settled(
    condition: Expr, slot: int, visits: Sequence[Visit], numbers: Numbers, rng: np.random.Generator
) -> Expr | None:
    """The condition with a comparison and a threshold for which it suits all visits.

    ``left op threshold + rest`` holds where ``left - rest op threshold`` does, so the differences ``left - rest`` tell
    which comparisons and thresholds suit.
    """
    if not isinstance(condition, Compare) or condition.left.bits == FLOAT or _first(condition.right) != slot:
        return None
    numbers[slot] = 0
    try:
        differences = [
            (
                evaluate(condition.left, visit.values, numbers, _CONCRETE)
                - evaluate(condition.right, visit.values, numbers, _CONCRETE),
                visit.outcome,
            )
            for visit in visits
        ]
        most = int_range(condition.left.bits)[1]
        choices = [choice for choice in _separations(*_partition(differences)) if 2 <= abs(choice[1]) <= most]
        if not choices:
            return None
        weights = np.array([_ORDER[op] * _discerning(op, threshold, visits) for op, threshold in choices])
        op, threshold = choices[int(rng.choice(len(choices), p=weights / weights.sum()))]
        numbers[slot] = abs(threshold)
        right = condition.right if threshold > 0 else _negated_first(condition.right)
        settled = Compare(op, condition.left, right)
        suits = all(bool(evaluate(settled, v.values, numbers, _CONCRETE)) == v.outcome for v in visits)
    except UndefinedError:
        return None
    return settled if suits else None


def _partition(values: Collection[tuple[int, bool]]) -> tuple[set[int], set[int]]:
    """Values where the condition has to hold, and where it must not."""
    return {value for value, outcome in values if outcome}, {value for value, outcome in values if not outcome}


def _separations(holding: set[int], failing: set[int]) -> Iterator[tuple[str, int]]:
    """Comparisons and thresholds that hold for the one and not for the other.

    Each threshold is one of the values, so that neither a neighbouring comparison nor a number that is one more or less
    does the same.
    """
    if holding:
        if not failing or max(holding) < min(failing):
            yield "<=", max(holding)
        if not failing or min(holding) > max(failing):
            yield ">=", min(holding)
        if len(holding) == 1 and not holding & failing:
            yield "==", max(holding)
    if failing:
        if not holding or max(holding) < min(failing):
            yield "<", min(failing)
        if not holding or min(holding) > max(failing):
            yield ">", max(failing)
        if len(failing) == 1 and not holding & failing:
            yield "!=", max(failing)


def _discerning(op: str, threshold: int, visits: Sequence[Visit]) -> float:
    """How many of the variables would not do as the left side, a weight from 0.02 on."""
    names = visits[0].values
    wrong = sum(any(_COMPARE[op](v.values[name], threshold) != v.outcome for v in visits) for name in names)
    return 0.02 + (wrong / len(names)) ** 2


def _first(right: Expr) -> int | None:
    """Slot of the number that a sum starts with."""
    while isinstance(right, Binary) and right.op in ("+", "-"):
        right = right.left
    return right.slot if isinstance(right, Const) else None


def _negated_first(right: Expr) -> Expr:
    if isinstance(right, Binary):
        return replace(right, left=_negated_first(right.left))
    return Unary("-", right, right.bits)
