"""Arrays, floats and intrinsics: what their code means to concrete algebra, z3 and CPython, and in whole programs."""

import random
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from codoku_env import runtime
from codoku_env.checking import check
from codoku_env.errors import ConfigError
from codoku_env.puzzle.cells import Kind
from codoku_env.puzzle.helpers import INTRINSICS
from codoku_env.puzzle.text import format_program, format_puzzle, parse_puzzle
from codoku_env.synthesis import PROFILES, generate_with_witness, smt
from codoku_env.synthesis.branches import Visit
from codoku_env.synthesis.evaluation import ConcreteAlgebra, UndefinedError, evaluate, execute, int_range
from codoku_env.synthesis.expressions import (
    BOOL,
    FLOAT,
    Assign,
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Decimal,
    Element,
    Select,
    Unary,
    Var,
    assign_tokens,
    expression_tokens,
)
from codoku_env.synthesis.floatbranch import decimal_between, float_condition
from codoku_env.synthesis.intrinsics import FLOAT_INTRINSICS
from codoku_env.synthesis.profiles import STRATEGIES
from codoku_env.synthesis.symbolic import SymbolicAlgebra, numeral
from codoku_env.synthesis.terms import Terms

CONCRETE = ConcreteAlgebra()
RICH = replace(
    PROFILES["small"],
    name="rich",
    calls=0.15,
    arrays=(1, 2),
    array_size=(2, 5),
    element_reads=0.4,
    element_targets=0.3,
    computed_index=0.4,
    rereads=0.3,
    floats=0.3,
    rotation=0.7,
    running_checksum=0.5,
    exit_statements=(0, 2),
    apart=0.3,
    augmented=0.5,
    explicit_continue=0.3,
    back_edge=(50, 80),
    loop_iterations=(1, 3),
    cells=(10, 300),
    max_cells=300,
    max_variables=40,
    max_tokens=2000,
    max_lines=100,
    max_constants=100,
)


def literal(const):
    return "3"


# Elements of arrays.


def array(size, bits):
    return tuple(Var(f"t0[{i}]", bits) for i in range(size))


@pytest.mark.parametrize("seed", range(40))
def test_reads_and_writes_at_computed_indices_agree(seed):
    rng = random.Random(seed)
    size, bits = rng.choice((1, 2, 3, 4, 7)), rng.choice((8, 20, 64))
    items, x, y = array(size, bits), Var("x", 16), Var("y", 16)
    op, number = ("&", size - 1) if size & (size - 1) == 0 and rng.random() < 0.5 else ("%", size)
    numbers = {0: 3, 1: number}
    at = [Element(items, Binary(op, variable, Const(1, 8), 16), bits) for variable in (x, y)]
    value = rng.choice((Cast(Binary("+", at[1], Const(0, 8), bits), 8), at[1], Unary("~", at[1], bits), x))
    if value.bits > bits:
        value = Cast(value, bits)
    statement = Assign(at[0], value)
    values = {v.name: rng.randint(-100, 100) for v in (x, y, *items)}
    expected = dict(values)
    execute(statement, expected, numbers, CONCRETE)

    def spelled(const):
        return str(numbers[const.slot])

    t0 = [values[item.name] for item in items]
    exec(" ".join(assign_tokens(statement, spelled)), {**vars(runtime)}, {"x": values["x"], "y": values["y"], "t0": t0})
    assert expected == {"x": values["x"], "y": values["y"], **{f"t0[{i}]": item for i, item in enumerate(t0)}}

    algebra = SymbolicAlgebra()
    widths = {v.name: v.bits for v in (x, y, *items)}
    terms = {name: numeral(number, widths[name]) for name, number in values.items()}
    for name in rng.sample(sorted(values), rng.randint(0, len(values))):
        unknown = algebra.declare(f"|{name}|", widths[name], *int_range(widths[name]))
        algebra.require(algebra.compare("==", unknown, terms[name], widths[name]), True)
        terms[name] = unknown
    execute(statement, terms, {slot: numeral(number, 8) for slot, number in numbers.items()}, algebra)
    outcome = algebra.compare("==", numeral(0, 8), numeral(0, 8), 8)
    for name, term in terms.items():
        same = algebra.compare("==", term, numeral(expected[name], widths[name]), widths[name])
        outcome = algebra.select(outcome, same, outcome, BOOL)
        assert term.low <= expected[name] <= term.high
    script = algebra.script()
    assert smt.solve(script, 10_000_000, 0) is not None
    if outcome.low != outcome.high:  # some value was unknown: it cannot differ from the concrete one
        algebra.require(outcome, False)
        assert smt.solve(algebra.script(), 10_000_000, 0) is None
    else:
        assert outcome.low == 1


def test_an_index_outside_the_array_is_undefined():
    items = array(3, 8)
    values = {"x": 3, "t0[0]": 1, "t0[1]": 2, "t0[2]": 4}
    for index in (3, -1):
        with pytest.raises(UndefinedError):
            evaluate(Element(items, Var("x", 8), 8), {**values, "x": index}, {}, CONCRETE)
        algebra = SymbolicAlgebra()
        terms = {name: numeral(value, 8) for name, value in {**values, "x": index}.items()}
        with pytest.raises(UndefinedError):
            evaluate(Element(items, Var("x", 8), 8), terms, {}, algebra)


# Floats.


def float_expressions(seed):
    """A random sum of floats and integers as generated, and values of its variables."""
    rng = np.random.default_rng(seed)
    terms = Terms(replace(RICH, floats=0.5, mixed=0.4, calls=0.3, strategy="hybrid"), rng)
    expr = terms.float_total(4) if any(v.bits == FLOAT for v in terms.values) else Decimal(0.5)
    values: dict[str, Any] = {
        variable.name: float(f"{rng.normal(0, 50):.4g}") if variable.bits == FLOAT else int(rng.integers(-99, 99))
        for variable in terms.values
    }
    numbers = {
        slot: int(rng.integers(interval.low, interval.high + 1)) for slot, interval in enumerate(terms.constants)
    }
    return expr, values, {variable.name: variable.bits for variable in terms.values}, numbers


@pytest.mark.parametrize("seed", range(80))
def test_floats_agree_with_cpython_and_are_known_to_the_symbolic_algebra(seed):
    expr, values, bits, numbers = float_expressions(seed)
    expected = evaluate(expr, values, numbers, CONCRETE)
    assert isinstance(expected, float)
    scope: dict[str, Any] = {name: value for name, value in values.items() if "[" not in name}
    for name, value in values.items():
        if "[" in name:
            scope.setdefault(name[:2], []).append(value)
    code = " ".join(expression_tokens(expr, lambda const: str(numbers[const.slot])))
    assert repr(eval(code, {**vars(runtime)}, scope)) == repr(expected)
    terms = {name: numeral(value, bits[name]) for name, value in values.items()}
    constants = {slot: numeral(value, 64) for slot, value in numbers.items()}
    assert repr(evaluate(expr, terms, constants, SymbolicAlgebra()).number) == repr(expected)


def test_a_float_that_depends_on_an_unknown_is_refused():
    algebra = SymbolicAlgebra()
    terms = {"x": algebra.declare("x", 8, -9, 9), "f": algebra.real(2.5)}
    x, f = Var("x", 8), Var("f", FLOAT)
    for expr in (Binary("*", f, x, FLOAT), Select(Compare("<", x, Unary("-", x, 8)), f, Decimal(1.5), FLOAT)):
        with pytest.raises(UndefinedError, match="unknown"):
            evaluate(expr, terms, {}, algebra)
    assert evaluate(Compare("<", f, Decimal(3.0)), terms, {}, algebra).low == 1


def test_too_large_floats_and_division_by_zero_are_undefined():
    f = Var("f", FLOAT)
    for expr in (Binary("*", f, f, FLOAT), Binary("/", f, Binary("-", f, f, FLOAT), FLOAT)):
        with pytest.raises(UndefinedError):
            evaluate(expr, {"f": CONCRETE.real(1e9)}, {}, CONCRETE)


@pytest.mark.parametrize("name", FLOAT_INTRINSICS)
def test_float_intrinsics_have_no_width_in_the_text(name):
    operands = (Var("f", FLOAT), Decimal(2.5))[: FLOAT_INTRINSICS[name]]
    text = "".join(expression_tokens(Call(name, operands, FLOAT), literal))
    assert text == (f"{name}(f,2.5)" if len(operands) == 2 else f"{name}(f)")


def test_decimals_are_short():
    terms = Terms(RICH, np.random.default_rng(0))
    drawn = [terms.decimal(0.05, 500.0).value for _ in range(500)]
    assert all(0.04 < value < 501 and len(repr(value)) <= 6 and value != 1.0 for value in drawn)


def test_a_branch_on_floats_has_the_wanted_outcome_on_every_visit():
    profile = replace(RICH, float_conditions=1.0)
    program = SimpleNamespace(variables=(Var("f", FLOAT), Var("g", FLOAT), Var("x", 8)))
    found = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        values = [{"f": float(rng.normal(0, 9)), "g": float(rng.normal(0, 9)), "x": 3} for _ in range(seed % 4 + 1)]
        visits = [Visit(state, bool(rng.random() < 0.5)) for state in cast(Any, values)]
        condition = float_condition(cast(Any, program), visits, profile, rng)
        if condition is not None:
            found += 1
            assert all(evaluate(condition, visit.values, {}, CONCRETE) == visit.outcome for visit in visits)
            assert float_condition(cast(Any, program), visits, RICH, rng) is None
    assert found > 120


def test_a_decimal_between_is_short_where_there_is_room():
    rng = np.random.default_rng(0)
    assert decimal_between(1.5, 1.5, rng) is None
    for _ in range(100):
        assert 2.0 < (value := decimal_between(2.0, 3.0, rng) or 0.0) < 3.0
        assert value == round(value, 4)


# Whole programs.


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("seed", range(15))
def test_rich_puzzles_are_solved_by_their_witness_also_in_plain_cpython(seed, strategy):
    puzzle, witness = generate_with_witness(
        replace(RICH, strategy=strategy, mixed=0.3, float_parameters=0.4, float_conditions=0.5), seed
    )
    assert check(puzzle, witness).passed
    assert parse_puzzle(format_puzzle(puzzle)) == puzzle
    assert check(puzzle, format_program(puzzle, witness)).passed
    scope: dict[str, object] = {}
    exec(format_program(puzzle, witness), scope)
    for example in puzzle.examples:
        assert scope["codoku"](*example.args) == example.expected  # type: ignore[operator]
    state = scope.get("_checksum", [None])
    assert puzzle.checksum == state[0]  # type: ignore[index]
    for cell, fill in zip(puzzle.cells, witness.fills, strict=True):
        assert fill in puzzle.domain(cell)


@pytest.mark.parametrize("seed", range(10))
def test_rich_puzzles_can_cover_all_blocks(seed):
    profile = replace(RICH, coverage="blocks", exit_statements=(1, 2), max_examples=12, mixed=0.3, float_conditions=0.5)
    puzzle, witness = generate_with_witness(profile, seed)
    assert check(puzzle, witness).passed
    assert {label for example in puzzle.examples for label in example.path} == set(puzzle.cfg.blocks)


def test_all_parts_of_the_language_occur():
    kinds: set[Kind] = set()
    fills: set[str | None] = set()
    text = ""
    for seed in range(25):
        puzzle, witness = generate_with_witness(RICH, seed)
        kinds |= {cell.kind for cell in puzzle.cells}
        fills |= set(witness.fills)
        text += format_program(puzzle, witness).split("\n\n\n")[1]
    assert kinds == set(Kind)
    assert {"t0[0]", "t0[1]", "/", "sat_add"} <= fills
    assert any(fill and "." in fill for fill in fills)
    for form in (" & 1]", " % 3]", " = [", " += ", "_float(", "_checksum[0] = checksum(_checksum[0], "):
        assert form in text
    assert text.count("while ") > text.count("while True:") > 0


def test_settings_are_checked():
    wrong = [
        *({"terms_weights": (1.0,)}, {"terms_weights": (0.0,) * 7}, {"read_weights": (1.0, 0.0, 1.0)}),
        *({"calls": 1.5}, {"arrays": (2, 1)}),
    ]
    for bad in wrong:
        with pytest.raises(ConfigError):
            replace(RICH, **bad)
    assert set(INTRINSICS) >= set(FLOAT_INTRINSICS)
