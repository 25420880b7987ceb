"""Expressions and statements of programs under construction, and the tokens that they become.

Numbers are slots whose values are chosen later. Every compound sub-expression is parenthesized, so that the tree of a
line does not depend on the operators that later fill its OP cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from codoku_env.puzzle.cells import number_literal

__all__ = [
    "BOOL",
    "FLOAT",
    "Assign",
    "Binary",
    "Call",
    "Cast",
    "Compare",
    "Const",
    "Decimal",
    "Element",
    "Expr",
    "Literal",
    "Select",
    "Unary",
    "Var",
    "assign_tokens",
    "expression_tokens",
    "separated",
]

BOOL = 1
"""The width of truth values, which are no integers until they meet one."""

FLOAT = 0
"""What stands for a width where the value is a float."""


@dataclass(frozen=True, slots=True)
class Const:
    """A literal of a value not yet chosen.

    Attributes:
        slot: Which literal of the program it is.
        bits: Width of the integers among which the value lies; it is not negative.
    """

    slot: int
    bits: int


@dataclass(frozen=True, slots=True)
class Decimal:
    """A float literal.

    Attributes:
        value: Its value, finite and not negative.
        bits: FLOAT.
    """

    value: float
    bits: int = FLOAT


@dataclass(frozen=True, slots=True)
class Var:
    """A variable, or an element of an array.

    Attributes:
        name: Its name in the program; ``t0[2]`` is an element.
        bits: Width of its values.
    """

    name: str
    bits: int


@dataclass(frozen=True, slots=True)
class Element:
    """The element of an array at an index that is computed.

    Attributes:
        array: All elements of the array, in order.
        index: An integer that is always at least 0 and less than the size.
        bits: Width of the elements.
    """

    array: tuple[Var, ...]
    index: Expr
    bits: int

    @property
    def name(self) -> str:
        """Name of the array."""
        return self.array[0].name.partition("[")[0]


@dataclass(frozen=True, slots=True)
class Unary:
    """``op operand`` with op one of ``-``, ``~`` (of integers) and ``not`` (of truth values); of floats, ``-``.

    Attributes:
        op: The operator.
        operand: What it is applied to, no wider than ``bits``.
        bits: Width that it is computed at; BOOL for ``not``.
    """

    op: str
    operand: Expr
    bits: int


@dataclass(frozen=True, slots=True)
class Binary:
    """``left op right`` with op one of ``+ - * // % << >> & | ^``; of floats, one of ``+ - * /``.

    Attributes:
        op: The operator.
        left: Left operand, no wider than ``bits``.
        right: Right operand, no wider than ``bits``.
        bits: Width that it is computed at.
    """

    op: str
    left: Expr
    right: Expr
    bits: int


@dataclass(frozen=True, slots=True)
class Compare:
    """``left op right`` with op one of ``== != < <= > >=``, at the width of the wider operand.

    A truth value among the operands counts as 0 or 1, an integer that meets a float as the float equal to it.

    Attributes:
        op: The operator.
        left: Left operand.
        right: Right operand.
        bits: BOOL.
    """

    op: str
    left: Expr
    right: Expr
    bits: int = BOOL


@dataclass(frozen=True, slots=True)
class Select:
    """``chosen if condition else other``; both arms have to be defined.

    Attributes:
        condition: A truth value.
        chosen: The value where the condition holds, no wider than ``bits``.
        other: The value elsewhere, no wider than ``bits``.
        bits: Width of the result.
    """

    condition: Expr
    chosen: Expr
    other: Expr
    bits: int


@dataclass(frozen=True, slots=True)
class Cast:
    """``cast_int(operand, bits)``.

    Attributes:
        operand: Of any width.
        bits: Width to which the value is wrapped around.
    """

    operand: Expr
    bits: int


@dataclass(frozen=True, slots=True)
class Call:
    """``name(operands, bits)``, a call of an intrinsic; one of floats has no width in the text.

    Attributes:
        name: The intrinsic.
        operands: What it is applied to, no wider than ``bits``.
        bits: Width of operands and result.
    """

    name: str
    operands: tuple[Expr, ...]
    bits: int


Expr = Const | Decimal | Var | Element | Unary | Binary | Compare | Select | Cast | Call


@dataclass(frozen=True, slots=True)
class Assign:
    """``target = value``.

    Attributes:
        target: The variable or element written.
        value: What is written, no wider than the target; evaluated before the target's index.
    """

    target: Var | Element
    value: Expr


Literal = Callable[[Const], str]
"""Spelling of the value chosen for a constant."""


def expression_tokens(expr: Expr, literal: Literal) -> tuple[str, ...]:
    """Tokens of the expression, itself without parentheses around it."""
    match expr:
        case Const():
            return (literal(expr),)
        case Decimal():
            return (number_literal(expr.value),)
        case Var():
            name, bracket, index = expr.name.partition("[")
            return (name, "[", index[:-1], "]") if bracket else (name,)
        case Element():
            return (expr.name, "[", *expression_tokens(expr.index, literal), "]")
        case Unary():
            return (expr.op, *_operand(expr.operand, literal))
        case Binary() | Compare():
            return (*_operand(expr.left, literal), expr.op, *_operand(expr.right, literal))
        case Select():
            condition, other = _operand(expr.condition, literal), _operand(expr.other, literal)
            return (*_operand(expr.chosen, literal), "if", *condition, "else", *other)
        case Cast():
            return ("cast_int", "(", *expression_tokens(expr.operand, literal), ",", str(expr.bits), ")")
        case Call():
            width = () if expr.bits == FLOAT else ((str(expr.bits),),)
            arguments = (*(expression_tokens(operand, literal) for operand in expr.operands), *width)
            return (expr.name, "(", *separated(arguments), ")")


def _operand(expr: Expr, literal: Literal) -> tuple[str, ...]:
    tokens = expression_tokens(expr, literal)
    return tokens if isinstance(expr, _ATOMS) else ("(", *tokens, ")")


_ATOMS = (Const, Decimal, Var, Element, Cast, Call)
"""What needs no parentheses around it."""


def separated(items: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """The tokens of all items with commas between them."""
    return tuple(token for item in items for token in (",", *item))[1:]


def assign_tokens(statement: Assign, literal: Literal) -> tuple[str, ...]:
    """Tokens of the statement's line, an augmented assignment where the value is the target joined with something."""
    value = statement.value
    if isinstance(value, Binary) and value.left == statement.target and isinstance(statement.target, Var):
        return (*expression_tokens(statement.target, literal), value.op + "=", *expression_tokens(value.right, literal))
    return (*expression_tokens(statement.target, literal), "=", *expression_tokens(statement.value, literal))
