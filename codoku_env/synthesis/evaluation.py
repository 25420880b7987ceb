"""What expressions mean: one evaluator over an algebra of values, and the algebra of concrete numbers.

An operation is defined only where its result lies in the range of the width it is computed at. Where everything is
defined, CPython's unbounded integers and bit-vectors of that width agree; ``cast_int`` alone wraps around. Floats are
CPython's; an operation on them is defined only where its result is at most ``MAX_FLOAT`` in magnitude.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar, cast

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
    Expr,
    Select,
    Unary,
    Var,
)
from codoku_env.synthesis.intrinsics import call_intrinsic

__all__ = ["Algebra", "ConcreteAlgebra", "UndefinedError", "evaluate", "execute", "int_range"]

V = TypeVar("V")

MAX_FLOAT = 1e15
"""Greatest magnitude of a float that a program computes."""


class UndefinedError(ArithmeticError):
    """A concrete operation has no result of its width, or a run leaves its path."""


def int_range(bits: int) -> tuple[int, int]:
    """Least and greatest signed integer of ``bits`` bits."""
    return -(1 << (bits - 1)), (1 << (bits - 1)) - 1


class Algebra(Protocol[V]):
    """Operations on values of type V; integers are of a width in bits, truth values of width BOOL, floats of FLOAT.

    An operation that may be undefined either raises UndefinedError or notes the condition under which it is defined.
    """

    def unary(self, op: str, value: V, bits: int) -> V:
        """``op value`` at width ``bits``."""
        ...

    def binary(self, op: str, left: V, right: V, bits: int) -> V:
        """``left op right`` of two integers of width ``bits``."""
        ...

    def compare(self, op: str, left: V, right: V, bits: int) -> V:
        """Truth of ``left op right`` for two integers of width ``bits``."""
        ...

    def select(self, condition: V, chosen: V, other: V, bits: int) -> V:
        """``chosen`` where the condition holds, else ``other``; both of width ``bits``."""
        ...

    def widen(self, value: V, source: int, bits: int) -> V:
        """The same integer at the greater width ``bits``, or as a float; a truth value becomes 0 or 1."""
        ...

    def wrap(self, value: V, source: int, bits: int) -> V:
        """The integer of width ``bits`` congruent to ``value`` modulo ``2**bits``."""
        ...

    def call(self, name: str, operands: Sequence[V], bits: int) -> V:
        """What the intrinsic ``name`` returns for numbers of width ``bits``."""
        ...

    def real(self, value: float) -> V:
        """The float of this value."""
        ...

    def item(self, items: Sequence[V], index: V, source: int, bits: int) -> V:
        """The item, of width ``bits``, at an index of width ``source``."""
        ...

    def replaced(self, items: Sequence[V], index: V, source: int, value: V, bits: int) -> Sequence[V]:
        """The items with the one at an index of width ``source`` replaced."""
        ...

    def require(self, condition: V, outcome: bool) -> None:
        """Go on only where the truth value is ``outcome``."""
        ...


def evaluate(expr: Expr, variables: Mapping[str, V], constants: Mapping[int, V], algebra: Algebra[V]) -> V:
    """Value of ``expr``, of width ``expr.bits``.

    Args:
        expr: What to evaluate.
        variables: Values by name, each of its variable's width.
        constants: Values by slot, each of its constant's width.
        algebra: What values are.

    Raises:
        UndefinedError: An operation is undefined (in a concrete algebra).
    """

    def at(child: Expr, bits: int) -> V:
        value = visit(child)
        return value if child.bits == bits else algebra.widen(value, child.bits, bits)

    def visit(node: Expr) -> V:
        match node:
            case Const():
                return constants[node.slot]
            case Var():
                return variables[node.name]
            case Unary():
                return algebra.unary(node.op, at(node.operand, node.bits), node.bits)
            case Binary():
                return algebra.binary(node.op, at(node.left, node.bits), at(node.right, node.bits), node.bits)
            case Compare():
                floats = FLOAT in (node.left.bits, node.right.bits)
                bits = FLOAT if floats else max(node.left.bits, node.right.bits, BOOL + 1)
                return algebra.compare(node.op, at(node.left, bits), at(node.right, bits), bits)
            case Select():
                condition = visit(node.condition)
                return algebra.select(condition, at(node.chosen, node.bits), at(node.other, node.bits), node.bits)
            case Cast():
                convert = algebra.widen if node.operand.bits < node.bits else algebra.wrap
                return convert(visit(node.operand), node.operand.bits, node.bits)
            case Call():
                return algebra.call(node.name, [at(operand, node.bits) for operand in node.operands], node.bits)
            case Element():
                items = [variables[item.name] for item in node.array]
                return algebra.item(items, visit(node.index), node.index.bits, node.bits)
            case Decimal():
                return algebra.real(node.value)

    return visit(expr)


def execute(statement: Assign, variables: dict[str, V], constants: Mapping[int, V], algebra: Algebra[V]) -> None:
    """Run one assignment on ``variables``; arguments are those of ``evaluate``.

    Raises:
        UndefinedError: In a concrete algebra, the value has no result; ``variables`` is as before.
    """
    target, value = statement.target, evaluate(statement.value, variables, constants, algebra)
    if statement.value.bits != target.bits:
        value = algebra.widen(value, statement.value.bits, target.bits)
    if not isinstance(target, Element):
        variables[target.name] = value
        return
    index = evaluate(target.index, variables, constants, algebra)
    items = [variables[item.name] for item in target.array]
    items = algebra.replaced(items, index, target.index.bits, value, target.bits)
    variables.update(zip((item.name for item in target.array), items, strict=True))


class ConcreteAlgebra:
    """Numbers and truth values of Python; what is undefined raises UndefinedError.

    Values are annotated as integers, which all are but the floats of programs that have floats.
    """

    def unary(self, op: str, value: int, bits: int) -> int:
        """``op value``, see Algebra."""
        if bits == BOOL:
            return not value
        if bits == FLOAT:
            return -value
        return _in_range(-value if op == "-" else ~value, bits)

    def binary(self, op: str, left: int, right: int, bits: int) -> int:
        """``left op right``, see Algebra."""
        if bits == FLOAT:
            return _sane(_FLOAT_BINARY[op](left, right))
        return _in_range(_BINARY[op](left, right, bits), bits)

    def compare(self, op: str, left: int, right: int, bits: int) -> int:
        """Truth of ``left op right``, see Algebra."""
        return _COMPARE[op](left, right)

    def select(self, condition: int, chosen: int, other: int, bits: int) -> int:
        """One of two values, see Algebra."""
        return chosen if condition else other

    def widen(self, value: int, source: int, bits: int) -> int:
        """The same integer at a greater width, see Algebra."""
        return self.real(value) if bits == FLOAT else value

    def wrap(self, value: int, source: int, bits: int) -> int:
        """The congruent integer of another width, see Algebra."""
        return (value + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))

    def call(self, name: str, operands: Sequence[int], bits: int) -> int:
        """What an intrinsic returns, see Algebra."""
        try:
            return cast(int, call_intrinsic(name, operands, bits))
        except ArithmeticError as error:
            raise UndefinedError(str(error)) from None

    def real(self, value: float) -> int:
        """A float, see Algebra."""
        return cast(int, float(value))

    def item(self, items: Sequence[int], index: int, source: int, bits: int) -> int:
        """An item, see Algebra."""
        return items[_position(index, items)]

    def replaced(self, items: Sequence[int], index: int, source: int, value: int, bits: int) -> Sequence[int]:
        """The items with one replaced, see Algebra."""
        result = list(items)
        result[_position(index, items)] = value
        return result

    def require(self, condition: int, outcome: bool) -> None:
        """Go on only where the truth value is ``outcome``, see Algebra."""
        if bool(condition) != outcome:
            raise UndefinedError("left the path")


def _in_range(value: int, bits: int) -> int:
    if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
        raise UndefinedError("out of range")
    return value


def _sane(value: float) -> int:
    if not -MAX_FLOAT <= value <= MAX_FLOAT:
        raise UndefinedError("too large a float")
    return cast(int, value)


def _position(index: int, items: Sequence[int]) -> int:
    if not 0 <= index < len(items):
        raise UndefinedError("index outside the array")
    return index


def _divisor(right: int) -> int:
    if right == 0:
        raise UndefinedError("division by zero")
    return right


def _remainder(left: int, right: int, bits: int) -> int:
    if right == -1 and left == -(1 << (bits - 1)):
        raise UndefinedError("the quotient is out of range")
    return left % _divisor(right)


def _amount(right: int, bits: int) -> int:
    if not 0 <= right < bits:
        raise UndefinedError("shift amount outside the width")
    return right


_BINARY: dict[str, Callable[[int, int, int], int]] = {
    "+": lambda left, right, bits: left + right,
    "-": lambda left, right, bits: left - right,
    "*": lambda left, right, bits: left * right,
    "//": lambda left, right, bits: left // _divisor(right),
    "%": _remainder,
    "<<": lambda left, right, bits: left << _amount(right, bits),
    ">>": lambda left, right, bits: left >> _amount(right, bits),
    "&": lambda left, right, bits: left & right,
    "|": lambda left, right, bits: left | right,
    "^": lambda left, right, bits: left ^ right,
}
_FLOAT_BINARY: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda left, right: left / _divisor(cast(int, right)),
}
_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
