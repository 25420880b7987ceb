"""Expressions and statements of programs under construction, and the tokens that they become.

Numbers are slots whose values are chosen later. Every compound sub-expression is parenthesized, so that the tree of a
line does not depend on the operators that later fill its OP cells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = [
    "BOOL",
    "Assign",
    "Binary",
    "Cast",
    "Compare",
    "Const",
    "Expr",
    "Select",
    "Unary",
    "Var",
    "assign_tokens",
    "expression_tokens",
]

BOOL = 1
"""The width of truth values, which are no integers until they meet one."""


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
class Var:
    """A variable.

    Attributes:
        name: Its name in the program.
        bits: Width of its values.
    """

    name: str
    bits: int


@dataclass(frozen=True, slots=True)
class Unary:
    """``op operand`` with op one of ``-``, ``~`` (of integers) and ``not`` (of truth values).

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
    """``left op right`` with op one of ``+ - * // % << >> & | ^``.

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

    A truth value among the operands counts as 0 or 1.

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


Expr = Const | Var | Unary | Binary | Compare | Select | Cast


@dataclass(frozen=True, slots=True)
class Assign:
    """``target = value``.

    Attributes:
        target: The variable written.
        value: What is written, no wider than the variable.
    """

    target: Var
    value: Expr


Literal = Callable[[Const], str]
"""Spelling of the value chosen for a constant."""


def expression_tokens(expr: Expr, literal: Literal) -> tuple[str, ...]:
    """Tokens of the expression, itself without parentheses around it."""
    match expr:
        case Const():
            return (literal(expr),)
        case Var():
            return (expr.name,)
        case Unary():
            return (expr.op, *_operand(expr.operand, literal))
        case Binary() | Compare():
            return (*_operand(expr.left, literal), expr.op, *_operand(expr.right, literal))
        case Select():
            condition, other = _operand(expr.condition, literal), _operand(expr.other, literal)
            return (*_operand(expr.chosen, literal), "if", *condition, "else", *other)
        case Cast():
            return ("cast_int", "(", *expression_tokens(expr.operand, literal), ",", str(expr.bits), ")")


def _operand(expr: Expr, literal: Literal) -> tuple[str, ...]:
    tokens = expression_tokens(expr, literal)
    return tokens if isinstance(expr, Const | Var | Cast) else ("(", *tokens, ")")


def assign_tokens(statement: Assign, literal: Literal) -> tuple[str, ...]:
    """Tokens of the statement's line."""
    return (statement.target.name, "=", *expression_tokens(statement.value, literal))
