"""Concrete algebra, z3 and CPython agree on what expressions mean."""

import random

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from codoku_env import runtime
from codoku_env.puzzle.helpers import INTRINSICS
from codoku_env.synthesis import smt
from codoku_env.synthesis.evaluation import ConcreteAlgebra, UndefinedError, evaluate, int_range
from codoku_env.synthesis.expressions import (
    BOOL,
    Assign,
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Select,
    Unary,
    Var,
    assign_tokens,
    expression_tokens,
)
from codoku_env.synthesis.intrinsics import FLOAT_INTRINSICS, INT_INTRINSICS
from codoku_env.synthesis.profiles import WIDTHS
from codoku_env.synthesis.symbolic import SymbolicAlgebra, numeral

ARITHMETIC = ("+", "-", "*", "//", "%", "<<", ">>", "&", "|", "^")
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


def concrete(expr, values, numbers):
    try:
        return evaluate(expr, values, numbers, ConcreteAlgebra())
    except UndefinedError:
        return None


def symbolic(expr, values, bits, numbers, slack):
    """The value that z3 computes, or None where it says undefined; unknowns are known up to ``slack`` beforehand."""
    algebra = SymbolicAlgebra()
    unknowns = {}
    for name, value in values.items():
        low, high = int_range(bits[name])
        unknown = algebra.declare(name, bits[name], max(low, value - slack), min(high, value + slack))
        algebra.require(algebra.compare("==", unknown, numeral(value, bits[name]), bits[name]), True)
        unknowns[name] = unknown
    constants = {slot: numeral(value, width) for slot, (value, width) in numbers.items()}
    try:
        result = evaluate(expr, unknowns, constants, algebra)
    except UndefinedError:
        return None
    output = algebra.declare("output", expr.bits, *int_range(expr.bits))
    algebra.require(algebra.compare("==", output, result, expr.bits), True)
    model = smt.solve(algebra.script(), 10_000_000, 0)
    if model is None:
        return None
    assert result.low <= model["output"] <= result.high
    return model["output"]


def run(expr, values, numbers):
    """What CPython makes of the emitted tokens."""
    code = " ".join(expression_tokens(expr, lambda const: str(numbers[const.slot])))
    return int(eval(code, {**vars(runtime)}, dict(values)))


def agree(expr, values, bits, numbers, slack):
    expected = concrete(expr, values, {slot: value for slot, (value, _) in numbers.items()})
    assert symbolic(expr, values, bits, numbers, slack) == expected
    if expected is not None:
        assert run(expr, values, {slot: value for slot, (value, _) in numbers.items()}) == expected


def edge_values(bits):
    low, high = int_range(bits)
    return (low, low + 1, -bits, -1, 0, 1, 3, bits - 1, bits, high)


@pytest.mark.parametrize("bits", WIDTHS)
def test_operators_agree_on_edge_values(bits):
    rng = random.Random(bits)
    x, y = Var("x", bits), Var("y", bits)
    for op in ARITHMETIC:
        for left in edge_values(bits):
            for right in rng.sample(edge_values(bits), 6):
                slack = rng.choice((0, 1, 1 << 70))
                agree(Binary(op, x, y, bits), {"x": left, "y": right}, {"x": bits, "y": bits}, {}, slack)
    for op in ("-", "~"):
        for value in edge_values(bits):
            agree(Unary(op, x, bits), {"x": value}, {"x": bits}, {}, 2)
    for op in COMPARISONS:
        for left, right in ((3, 3), (-1, 1), int_range(bits), (5, -5)):
            agree(Cast(Compare(op, x, y), 8), {"x": left, "y": right}, {"x": bits, "y": bits}, {}, 3)
    for width in WIDTHS:
        for value in edge_values(bits):
            agree(Cast(x, width), {"x": value}, {"x": bits}, {}, 2)


def test_floor_division_by_zero_and_overflow_are_undefined():
    for op in ("//", "%"):
        assert concrete(Binary(op, Var("x", 8), Var("y", 8), 8), {"x": 5, "y": 0}, {}) is None
        assert concrete(Binary(op, Var("x", 8), Var("y", 8), 8), {"x": -128, "y": -1}, {}) is None
    assert concrete(Binary("//", Var("x", 8), Var("y", 8), 8), {"x": -7, "y": 2}, {}) == -4
    assert concrete(Binary("%", Var("x", 8), Var("y", 8), 8), {"x": -7, "y": 2}, {}) == 1


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("name", INT_INTRINSICS)
def test_intrinsics_agree_on_edge_and_random_values(name, bits):
    rng = random.Random(f"{name} {bits}")
    names = ("x", "y", "z")[: INT_INTRINSICS[name].arity]
    call = Call(name, tuple(Var(variable, bits) for variable in names), bits)
    edges = edge_values(bits)
    for _ in range(14 if len(names) > 1 else 8):
        values = {variable: rng.choice((rng.choice(edges), rng.randint(*int_range(bits)))) for variable in names}
        if name.startswith("rotate") and rng.random() < 0.7:
            values["y"] = rng.randrange(bits)
        agree(call, values, dict.fromkeys(names, bits), {}, rng.choice((0, 2, 1 << 70)))


def test_every_intrinsic_of_the_run_time_has_its_forms():
    assert {*INT_INTRINSICS, *FLOAT_INTRINSICS} == set(INTRINSICS)


def test_a_call_violating_a_precondition_is_undefined():
    x, y, z = (Var(name, 8) for name in "xyz")
    values = {"x": 5, "y": 8, "z": 2}
    assert concrete(Call("rotate_left", (x, y), 8), values, {}) is None
    assert concrete(Call("clamp_int", (x, y, z), 8), values, {}) is None


VARIABLES = {"p": 8, "q": 16, "r": 32, "s": 64, "u": 20}


@st.composite
def expressions(draw, depth=3):
    forms = (
        ["var", "const"] if depth == 0 else ["var", "unary", "cast", "select", "compare", "call", "binary", "binary"]
    )
    form = draw(st.sampled_from(forms))
    if form == "var":
        name = draw(st.sampled_from(sorted(VARIABLES)))
        return Var(name, VARIABLES[name])
    if form == "const":
        return Const(draw(st.integers(0, 3)), 8)
    child = expressions(depth=depth - 1)
    first = draw(child)
    if form == "unary":
        return Unary(draw(st.sampled_from("-~")), first, max(first.bits, 8))
    if form == "cast":
        return Cast(first, draw(st.sampled_from(WIDTHS)))
    second = draw(child)
    if form == "compare":
        return Compare(draw(st.sampled_from(COMPARISONS)), first, second)
    width = max(first.bits, second.bits, draw(st.sampled_from(WIDTHS)))
    if form == "call":
        name = draw(st.sampled_from(sorted(INT_INTRINSICS)))
        return Call(name, (first, second, first)[: INT_INTRINSICS[name].arity], width)
    if form == "select":
        condition = Compare(draw(st.sampled_from(COMPARISONS)), draw(child), first)
        if draw(st.booleans()):
            condition = Unary("not", condition, BOOL)
        return Select(condition, first, second, width)
    return Binary(draw(st.sampled_from(ARITHMETIC)), first, second, width)


@st.composite
def states(draw):
    def value(bits):
        low, high = int_range(bits)
        return draw(st.one_of(st.sampled_from((low, high, -1, 0, 1)), st.integers(-20, 20), st.integers(low, high)))

    return {name: value(bits) for name, bits in VARIABLES.items()}


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(
    expressions(), states(), st.lists(st.integers(0, 127), min_size=4, max_size=4), st.sampled_from((0, 1, 40, 1 << 70))
)
@example(
    Cast(Binary("*", Unary("-", Const(0, 8), 8), Var("p", 8), 16), 8), dict.fromkeys(VARIABLES, -128), [3, 0, 0, 0], 0
)
def test_algebras_and_cpython_agree(expr, values, literals, slack):
    if expr.bits == BOOL:
        expr = Cast(expr, 8)
    agree(expr, values, VARIABLES, {slot: (literal, 8) for slot, literal in enumerate(literals)}, slack)


def test_sub_expressions_are_parenthesized():
    x, c = Var("x", 8), Const(0, 8)
    inner = Binary("+", x, Unary("-", c, 8), 8)
    expr = Select(Compare("<", inner, c), Cast(inner, 8), Unary("~", inner, 8), 8)
    text = " ".join(expression_tokens(expr, lambda const: "5"))
    call = Binary("*", Call("sat_add", (x, Binary("+", x, c, 8)), 8), c, 8)
    assert " ".join(expression_tokens(call, lambda const: "5")) == "sat_add ( x , x + 5 , 8 ) * 5"
    assert text == ("cast_int ( x + ( - 5 ) , 8 ) if ( ( x + ( - 5 ) ) < 5 ) else ( ~ ( x + ( - 5 ) ) )")


def test_a_target_joined_with_something_is_an_augmented_assignment():
    x, c, t = Var("x", 8), Const(0, 8), Var("t0[1]", 8)
    for target, value, text in (
        (x, Binary("-", x, Binary("+", x, c, 8), 8), "x -= x + 5"),
        (t, Binary("//", t, c, 8), "t0 [ 1 ] //= 5"),
        (x, Binary("-", c, x, 8), "x = 5 - x"),
        (x, Cast(Binary("-", x, c, 16), 8), "x = cast_int ( x - 5 , 8 )"),
    ):
        assert " ".join(assign_tokens(Assign(target, value), lambda const: "5")) == text
