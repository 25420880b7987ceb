"""Programs from population to examples: typed, self-dependent, on their path, with numbers that matter."""

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from codoku_env.puzzle.flow import CFG, Path
from codoku_env.synthesis.cfg import Flow, require_reducible
from codoku_env.synthesis.evaluation import UndefinedError, int_range
from codoku_env.synthesis.examples import find_examples
from codoku_env.synthesis.expressions import (
    BOOL,
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Decimal,
    Element,
    Expr,
    Select,
    Unary,
    Var,
)
from codoku_env.synthesis.populate import populate
from codoku_env.synthesis.profiles import WIDTHS, Profile
from codoku_env.synthesis.program import Program, program_body, run_program, steps
from codoku_env.synthesis.query import find_input, find_numbers_and_input
from codoku_env.synthesis.refine import refine_numbers, tighten_thresholds
from codoku_env.synthesis.rotation import draw_structure
from tests.synthesis.programs import SMALL, drawn, solved

SEEDS = range(30)


def nodes(expr: Expr) -> Iterator[Expr]:
    yield expr
    match expr:
        case Const() | Decimal() | Var():
            children = ()
        case Element():
            children = (*expr.array, expr.index)
        case Unary() | Cast():
            children = (expr.operand,)
        case Call():
            children = expr.operands
        case Binary() | Compare():
            children = (expr.left, expr.right)
        case Select():
            children = (expr.condition, expr.chosen, expr.other)
    for child in children:
        yield from nodes(child)


def reads(expr: Expr) -> set[str]:
    return {node.name for node in nodes(expr) if isinstance(node, Var)}


@pytest.mark.parametrize("seed", SEEDS)
def test_programs_are_typed(seed):
    _, path, program = drawn(seed)
    statements = [*program.declarations, *(s for code in program.code.values() for s in code.statements)]
    assert {s.target for s in program.declarations} == set(program.locals)
    for statement in statements:
        target = statement.target
        assert set(target.array if isinstance(target, Element) else [target]) <= set(program.locals)
        assert BOOL < statement.value.bits <= statement.target.bits
    conditions = [code.condition for code in program.code.values() if code.condition is not None]
    for expr in (*(s.value for s in statements), *conditions):
        for node in nodes(expr):
            assert node.bits in (*WIDTHS, BOOL)
            if isinstance(node, Unary | Binary):
                operands = (node.operand,) if isinstance(node, Unary) else (node.left, node.right)
                assert all(operand.bits <= node.bits for operand in operands)
            if isinstance(node, Const):
                interval = program.constants[node.slot]
                assert 0 <= interval.low <= interval.high <= int_range(interval.bits)[1]
                assert interval.bits == node.bits
    for label, code in program.code.items():
        if label not in path:
            used = [n for s in code.statements for n in nodes(s.value) if isinstance(n, Const)]
            assert all(program.constants[n.slot].low == program.constants[n.slot].high for n in used)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_branch_taken_both_ways_reads_a_variable_that_changes_on_every_visit(seed):
    flow, path, program = drawn(seed)
    steps = set(itertools.pairwise(path))
    for label in flow.order:
        if sum((label, target) in steps for target in flow.cfg.successors(label)) < 2:
            continue
        code = program.code[label]
        assert code.condition is not None
        updated = {s.target.name for s in code.statements if s.target.name in reads(s.value)}
        assert updated & reads(code.condition)


def test_values_flow_from_statement_to_statement():
    """Few values are overwritten before anything reads them: the last write and every read in path order."""
    dead = total = 0
    for seed in SEEDS:
        _, path, program = drawn(seed)
        unread: set[str] = set()
        for label in path:
            code = program.code[label]
            for statement in code.statements:
                unread -= reads(statement.value)
                total += 1
                dead += statement.target.name in unread
                unread.add(statement.target.name)
            if code.condition is not None:
                unread -= reads(code.condition)
    assert dead / total < 0.15


@pytest.mark.parametrize("seed", SEEDS)
def test_solved_numbers_lie_in_their_intervals_and_the_run_takes_the_path(seed):
    path, program, constants, args = solved(seed)
    for slot, interval in enumerate(program.constants):
        assert interval.low <= constants[slot] <= interval.high
    assert isinstance(run_program(program, path, args, constants), int)
    assert program_body(program, constants).id_domain == tuple(v.name for v in program.variables)


@pytest.mark.parametrize("known", [False, True], ids=["by the solver", "by ranges"])
def test_what_has_no_solution_is_none(known):
    path, program, _, _ = solved(0)
    label = next(label for label in path if label in program.structure.then)
    taken = program.structure.then[label] == path[path.index(label) + 1]
    number = next(Const(slot, i.bits) for slot, i in enumerate(program.constants) if i.low > 1)
    if known:  # a positive number equals its negative, or not
        condition = Compare("==" if taken else "!=", Unary("-", number, number.bits), number)
    else:  # a variable differs from itself, or not
        condition = Compare("!=" if taken else "==", program.locals[0], program.locals[0])
    wrong = {**program.code, label: replace(program.code[label], condition=condition)}
    assert find_numbers_and_input(replace(program, code=wrong), path, 10**6, np.random.default_rng(0)) is None


def test_a_budget_too_small_is_no_answer():
    for seed in range(20):
        path, program, _, _ = solved(seed)
        if find_numbers_and_input(program, path, 1, np.random.default_rng(0)) is None:
            return
    pytest.fail("a budget of one unit was always enough")


@pytest.mark.parametrize("seed", range(8))
def test_further_inputs_take_the_path_and_are_new(seed):
    path, program, constants, args = solved(seed)
    known = [args]
    for _ in range(3):
        more = find_input(program, path, constants, known, 10**7, np.random.default_rng(seed))
        if more is None:
            break
        assert more not in known
        run_program(program, path, more, constants)
        known.append(more)
    assert len(known) > 1


@pytest.mark.parametrize("seed", SEEDS)
def test_examples_take_the_path_with_different_outputs(seed):
    path, program, constants, args = solved(seed)
    examples = find_examples(program, path, constants, args, SMALL, np.random.default_rng(seed))
    if examples is None:
        return
    assert SMALL.examples[0] <= len(examples) <= SMALL.examples[1]
    assert examples[0].args == args
    assert len({example.expected for example in examples}) == len(examples)
    for example in examples:
        inputs = tuple(int(value) for value in example.args)
        assert run_program(program, path, inputs, constants) == example.expected


def takes_path(program, path, args, constants):
    try:
        run_program(program, path, args, constants)
    except UndefinedError:
        return False
    return True


def test_refined_numbers_are_rarely_easy_to_guess():
    before = after = 0
    for seed in SEEDS:
        path, program, constants, args = solved(seed)
        refined = refine_numbers(program, path, constants, args, np.random.default_rng(seed))
        assert takes_path(program, path, args, refined)
        for slot, interval in enumerate(program.constants):
            assert interval.low <= refined[slot] <= interval.high
            if interval.high - interval.low >= 4:
                before += constants[slot] in (interval.low, interval.high) or constants[slot].bit_count() == 1
                after += refined[slot] in (interval.low, interval.high) or refined[slot].bit_count() == 1
    assert before > 20
    assert after < before / 2


def test_thresholds_are_next_to_where_the_branch_flips():
    def tight(path, program, args, numbers):
        slots = [program.code[label].threshold for label in dict.fromkeys(path) if label in program.structure.then]
        changed = [[{**numbers, slot: numbers[slot] + step} for step in (-1, 1)] for slot in slots]
        return sum(not all(takes_path(program, path, args, other) for other in pair) for pair in changed)

    before = after = total = 0
    for seed in SEEDS:
        path, program, constants, args = solved(seed)
        moved = tighten_thresholds(program, path, constants, args, np.random.default_rng(seed))
        assert takes_path(program, path, args, moved)
        before += tight(path, program, args, constants)
        after += tight(path, program, args, moved)
        total += sum(label in program.structure.then for label in set(path))
    assert before < total / 4
    assert after > total / 2


def made(flow: Flow, path: Path, profile: Profile) -> Program:
    rng = np.random.default_rng(0)
    return populate(flow, draw_structure(flow, profile, rng), path, profile, rng)


def test_a_run_comes_round_to_the_other_copy_of_a_rotated_header():
    flow = require_reducible(CFG.of([("entry", "b0"), ("b0", "b1"), ("b1", "b0"), ("b0", "exit")]))
    path = ("entry", *("b0", "b1") * 2, "b0", "exit")
    profile = replace(SMALL, rotation=1.0, bare_loops=0.0, running_checksum=1.0)
    program = made(flow, path, profile)
    code = program.code["b0"]
    assert code.again
    assert code.again != code.statements
    done = [step.statements for step in steps(program, path) if step.label == "b0"]
    assert done == [code.statements, code.again, code.again]
    absorbing = [step.label for step in steps(program, (*path, *path)) if step.absorbed]
    assert len(absorbing) in (4, 6)
    assert [step.statements for step in steps(program, (*path, *path)) if step.label == "b0"] == done * 2


def test_the_header_of_a_bare_loop_has_no_statements():
    flow = require_reducible(CFG.of([("entry", "b0"), ("b0", "b1"), ("b1", "b0"), ("b0", "exit")]))
    profile = replace(SMALL, rotation=1.0, bare_loops=1.0)
    path = ("entry", *("b0", "b1") * 2, "b0", "exit")
    program = made(flow, path, profile)
    assert program.code["b0"].statements == program.code["b0"].again == ()
    condition = program.code["b0"].condition
    assert condition is not None
    updated = {s.target.name for s in program.code["b1"].statements if s.target.name in reads(s.value)}
    assert updated & reads(condition)
