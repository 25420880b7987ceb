"""Drawing while executing: runs, branches steered, and assignments that matter."""

from dataclasses import replace

import numpy as np
import pytest

from codoku_env.puzzle.flow import CFG
from codoku_env.synthesis.branches import Visit, steer
from codoku_env.synthesis.cfg import require_reducible
from codoku_env.synthesis.evaluation import ConcreteAlgebra, evaluate
from codoku_env.synthesis.expressions import Assign, Binary, Compare, Const, Var
from codoku_env.synthesis.hybrid import find_by_drawing
from codoku_env.synthesis.inputs import draw_input
from codoku_env.synthesis.liveness import dead_assignments
from codoku_env.synthesis.lowering import lower
from codoku_env.synthesis.numbers import Numbers
from codoku_env.synthesis.profiles import PROFILES
from codoku_env.synthesis.program import Code, Interval, run_program
from codoku_env.synthesis.query import find_condition_numbers
from codoku_env.synthesis.runs import run_along, run_freely
from codoku_env.synthesis.symbolic import numeral
from tests.synthesis.programs import drawn

SMALL = PROFILES["small"]
CONCRETE = ConcreteAlgebra()


def holds(condition, visit, numbers):
    return bool(evaluate(condition, visit.values, numbers, CONCRETE))


def steered(seed, outcomes):
    """A branch of a random program steered to go as told on visits in which every variable has another value."""
    _, _, program = drawn(seed)
    rng = np.random.default_rng(seed)
    visits = [
        Visit({variable.name: int(rng.integers(-120, 120)) for variable in program.variables}, outcome)
        for outcome in outcomes
    ]
    numbers = Numbers(program.constants, rng)
    label = next(iter(program.structure.then))
    return steer(program, label, visits, numbers, SMALL, rng), visits, numbers


@pytest.mark.parametrize("outcomes", [[True], [False], [True] * 8, [False] * 8, [True, False], [True] * 4 + [False]])
@pytest.mark.parametrize("seed", range(8))
def test_a_steered_branch_goes_as_told_and_its_threshold_is_tight(outcomes, seed):
    found, visits, numbers = steered(seed, outcomes)
    assert found is not None
    condition, slot = found
    assert [holds(condition, visit, numbers) for visit in visits] == outcomes
    ways = [[holds(condition, visit, {**numbers, slot: numbers[slot] + d}) for visit in visits] for d in (-1, 1)]
    assert any(way != outcomes for way in ways)


def test_branches_that_alternate_can_be_steered():
    outcomes = [True, False, True, True, False, True]
    found = [steered(seed, outcomes) for seed in range(10)]
    assert sum(condition is not None for condition, _, _ in found) >= 7
    for branch, visits, numbers in found:
        if branch is not None:
            assert [holds(branch[0], visit, numbers) for visit in visits] == outcomes


def test_a_branch_that_is_to_go_both_ways_in_one_state_is_not_steered():
    _, _, program = drawn(0)
    values = dict.fromkeys((variable.name for variable in program.variables), 5)
    numbers = Numbers(program.constants, np.random.default_rng(0))
    visits = [Visit(values, True), Visit(values, False)]
    label = next(iter(program.structure.then))
    assert steer(program, label, visits, numbers, SMALL, np.random.default_rng(0)) is None
    assert (len(numbers), len(numbers.intervals)) == (0, len(program.constants))  # nothing is left behind


def test_the_solver_chooses_the_numbers_of_a_condition():
    x = Var("x", 16)
    condition = Compare("==", Binary("&", Const(0, 16), x, 16), Const(1, 16))
    outcomes = {5: True, 7: False, 21: True, 13: False}
    states = [({"x": numeral(value, 16)}, outcome) for value, outcome in outcomes.items()]
    intervals = {0: Interval(2, 1000, 16), 1: Interval(2, 1000, 16)}
    found = find_condition_numbers(condition, states, intervals, 1_000_000, np.random.default_rng(0))
    assert found is not None
    assert all((found[0] & value == found[1]) == outcome for value, outcome in outcomes.items())
    contradiction = [(state, outcome) for state, _ in states for outcome in (True, False)]
    assert find_condition_numbers(condition, contradiction, intervals, 1_000_000, np.random.default_rng(0)) is None


@pytest.mark.parametrize("seed", range(20))
def test_what_is_found_runs_as_the_examples_say(seed):
    flow, path, _ = drawn(seed)
    found = find_by_drawing(flow, (path,), SMALL, np.random.default_rng(seed))
    if found is None:
        return
    program, constants, examples = found
    for example in examples:
        args = tuple(map(int, example.args))
        assert run_program(program, path, args, constants) == example.expected
        free = run_freely(program, flow.cfg, 100, args, constants)
        assert free is not None
        assert (free.path, free.output) == (path, example.expected)
        assert run_freely(program, flow.cfg, len(path) - 1, args, constants) is None


def test_a_run_draws_numbers_within_their_intervals_and_only_once():
    _, path, program = drawn(2)
    rng = np.random.default_rng(1)
    numbers = Numbers(program.constants, rng)
    args = draw_input(program, rng)
    first = run_along(program, path, args, numbers)
    drawn_numbers = dict(numbers)
    assert run_along(program, path, args, numbers) == first
    assert numbers == drawn_numbers
    assert all(program.constants[slot].low <= n <= program.constants[slot].high for slot, n in numbers.items())


def test_numbers_taken_back_are_drawn_anew():
    numbers = Numbers([Interval(2, 10**6, 32)] * 3, np.random.default_rng(0))
    first = [numbers[slot] for slot in range(3)]
    numbers.forget(1)
    assert numbers == {0: first[0]}
    assert numbers[1] != first[1]


def test_dead_assignments_are_those_that_are_overwritten_unread_on_all_paths():
    edges = [("entry", "b0"), ("b0", "b1"), ("b0", "exit"), ("b1", "exit")]
    flow = require_reducible(CFG.of(edges))
    a, b = Var("v0", 8), Var("v1", 8)
    _, _, program = drawn(0)
    code = {
        "entry": Code((Assign(a, b), Assign(b, a))),
        "b0": Code((Assign(a, b),), Compare("<", b, b), None),
        "b1": Code((Assign(a, b),)),
        "exit": Code(()),
    }
    program = replace(program, structure=lower(flow), parameters=(), locals=(a, b), declarations=(), code=code)
    long, short = ("entry", "b0", "b1", "exit"), ("entry", "b0", "exit")
    assert dead_assignments(program, [long]) == 1  # b0 assigns what b1 assigns again
    assert dead_assignments(program, [short]) == 0
    assert dead_assignments(program, [long, short]) == 0
