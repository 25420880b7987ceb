"""Which assignments matter: whose value reaches a condition or the return value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from codoku_env.puzzle.flow import Path
from codoku_env.synthesis.expressions import (
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
from codoku_env.synthesis.program import Program, steps

__all__ = ["dead_assignments"]


def dead_assignments(program: Program, paths: Iterable[Path]) -> int:
    """Number of assignments that the paths execute, but whose value is always overwritten before it matters."""
    executed: set[int] = set()
    live: set[int] = set()
    for path in paths:
        needed = {variable.name for variable in program.variables}  # the return value mixes all of them
        for step in reversed(tuple(steps(program, path))):
            if step.condition is not None:
                needed.update(_reads(step.condition))
            needed.update(variable.name for variable in step.absorbed)
            for statement in reversed(step.statements):
                executed.add(id(statement))
                if _matters(statement, needed):
                    live.add(id(statement))
    return len(executed - live)


def _matters(statement: Assign, needed: set[str]) -> bool:
    """Whether one of the ``needed`` variables is assigned; makes these what is needed before the assignment."""
    target = statement.target
    if isinstance(target, Element):
        if needed.isdisjoint(item.name for item in target.array):
            return False
        needed.update(_reads(target.index))
    elif target.name in needed:
        needed.remove(target.name)
    else:
        return False
    needed.update(_reads(statement.value))
    return True


def _reads(expr: Expr) -> Iterator[str]:
    """Names of the variables whose values an expression may depend on."""
    match expr:
        case Var():
            yield expr.name
        case Element():
            yield from (item.name for item in expr.array)
            yield from _reads(expr.index)
        case Unary() | Cast():
            yield from _reads(expr.operand)
        case Binary() | Compare():
            yield from _reads(expr.left)
            yield from _reads(expr.right)
        case Select():
            for part in (expr.condition, expr.chosen, expr.other):
                yield from _reads(part)
        case Call():
            for part in expr.operands:
                yield from _reads(part)
        case Const() | Decimal():
            return
