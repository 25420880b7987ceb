"""Execution of a rendering under CPython, watched block by block and bounded.

What runs is the syntax tree of our own rendering, with a call before each block start, a call on each lap of a loop,
and guarded forms of the operators that can make integers grow or whose result CPython does not define. Nothing else is
in scope: no builtins, only the run-time helpers. The names of the watching functions are no identifiers, so that code
cannot refer to them.
"""

# ruff: noqa: ANN401  (operands of a running program can be anything)

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, cast

from codoku_env.checking.limits import Limits
from codoku_env.puzzle.body import CHECKSUM_STATE
from codoku_env.puzzle.helpers import HELPERS, helper
from codoku_env.puzzle.model import Example

__all__ = ["LimitError", "Program", "Run", "TrapError", "constant_value"]

_VISIT, _LAP, _IDENTITY, _INVERT = "#visit", "#lap", "#identity", "#invert"
_ADD, _SUB, _MUL, _SHIFT, _POWER = "#add", "#sub", "#mul", "#shift", "#power"


class LimitError(Exception):
    """A bound of Limits was reached."""


class TrapError(Exception):
    """The program did what has no defined result; the message says what."""


class DepartureError(Exception):
    """The run reached a block that is not the next on its path; the argument is that block's label."""


@dataclass(frozen=True, slots=True)
class Run:
    """How the run of one example ended.

    Attributes:
        steps: Number of blocks visited in agreement with the path.
        departure: Label of the first block that departs from the path, or None.
        trap: What trapped, or None.
        limit: Which bound was reached, or None.
        value: What was returned when none of the three happened; None when nothing was returned.
    """

    steps: int
    departure: str | None = None
    trap: str | None = None
    limit: str | None = None
    value: object = None


class Program:
    """A rendering, compiled for watched execution; module state starts fresh in each Program.

    Args:
        tree: Syntax tree of the rendering; it is changed in place.
        starts: Labels of the blocks that start at a line, by line number.
        limits: Bounds on each run.

    Raises:
        SyntaxError: The tree does not compile.
    """

    def __init__(self, tree: ast.Module, starts: Mapping[int, Sequence[str]], limits: Limits) -> None:
        self._limits = limits
        self._laps = 0
        function = tree.body[-1]
        assert isinstance(function, ast.FunctionDef)
        function.returns = None
        for argument in function.args.args:
            argument.annotation = None
        instrument = _Instrument(starts)
        tree.body[:-1] = [instrument.statement(node) for node in tree.body[:-1]]
        function.body = instrument.suite(function.body)
        code = compile(tree, "<rendering>", "exec", dont_inherit=True, optimize=0)
        self._scope: dict[str, Any] = _scope(limits)
        exec(code, self._scope)  # the rendering is ours: nothing of a candidate's text is in it
        self._function: Callable[..., object] = self._scope[function.name]

    @property
    def checksum(self) -> object:
        """The running checksum as it stands, or None when the module keeps none."""
        state = self._scope.get(CHECKSUM_STATE)
        return None if state is None else state[0]

    def run(self, example: Example) -> Run:
        """Run the example until it returns, departs from its path, traps or reaches a bound."""
        path, limits = example.path, self._limits
        deadline = time.monotonic() + limits.wall_seconds
        steps = 0

        def visit(label: str) -> None:
            nonlocal steps
            if steps == len(path) or path[steps] != label:
                raise DepartureError(label)
            steps += 1
            lap()

        def lap() -> None:
            self._laps += 1
            if self._laps > limits.max_steps:
                raise LimitError(f"more than {limits.max_steps} block visits and loop laps")
            if time.monotonic() > deadline:
                raise LimitError(f"more than {limits.wall_seconds:g} s")

        self._scope[_VISIT], self._scope[_LAP] = visit, lap
        try:
            value = self._function(*example.args)
        except DepartureError as error:
            return Run(steps, departure=str(error))
        except LimitError as error:
            return Run(steps, limit=str(error))
        except Exception as error:
            return Run(steps, trap=_describe(error))
        return Run(steps, value=value)


_TRAPS: dict[type[BaseException], str] = {
    ZeroDivisionError: "division by zero",
    OverflowError: "a result too large for a float",
    UnboundLocalError: "a variable is read before it was written",
    NameError: "a variable is read before it was written",
    IndexError: "an index outside the array",
    TypeError: "an operation on values of the wrong type",
    ValueError: "a negative shift",
}


def _describe(error: Exception) -> str:
    """What an exception of the running program means; the wording does not depend on the version of CPython."""
    if isinstance(error, TrapError):
        return str(error)
    if type(error) is ArithmeticError:
        return f"a helper's precondition fails ({error})"
    return _TRAPS.get(type(error), type(error).__name__)


def constant_value(expression: ast.expr, values: Mapping[str, int]) -> object:
    """Value of an expression that reads nothing but ``values``.

    Raises:
        TrapError: Evaluation traps, also on reading another name.
        LimitError: An integer grows too large.
    """
    node = _Instrument({}).expression(copy.deepcopy(expression))
    code = compile(ast.Expression(node), "<condition>", "eval", dont_inherit=True, optimize=0)
    try:
        return eval(code, {**_scope(Limits()), **values})  # an expression of our own rendering
    except LimitError:
        raise
    except Exception as error:
        raise TrapError(_describe(error)) from None


def _scope(limits: Limits) -> dict[str, Any]:
    """Everything that running code can reach."""
    bits = limits.max_int_bits

    # Each guard first compares a lower bound of the result's size, so that nothing large is computed, then its size.

    def bounded(size: int) -> None:
        if size > bits:
            raise LimitError(f"an integer of more than {bits} bits")

    def sized(result: Any) -> Any:
        if isinstance(result, int):
            bounded(result.bit_length())
        return result

    def add(left: Any, right: Any) -> Any:
        return sized(left + right)

    def sub(left: Any, right: Any) -> Any:
        return sized(left - right)

    def mul(left: Any, right: Any) -> Any:
        if isinstance(left, int) and isinstance(right, int):
            bounded(left.bit_length() + right.bit_length() - 1)
        return sized(left * right)

    def shift(left: Any, right: Any) -> Any:
        if isinstance(left, int) and isinstance(right, int) and left and right > 0:
            bounded(left.bit_length() + right)
        return left << right

    def power(left: Any, right: Any) -> Any:
        if isinstance(left, int) and isinstance(right, int) and right > 0:
            bounded((left.bit_length() - 1) * right + 1)
        result = left**right
        if isinstance(result, complex):
            raise TrapError("a complex result")
        return sized(result)

    def invert(operand: Any) -> Any:
        return ~int(operand) if isinstance(operand, bool) else ~operand  # CPython deprecates it for bool

    def identity(*operands: object) -> NoReturn:
        raise TrapError("identity of numbers (is, is not)")

    helpers = {name: helper(name) for name in HELPERS}
    watch = {_ADD: add, _SUB: sub, _MUL: mul, _SHIFT: shift, _POWER: power, _INVERT: invert, _IDENTITY: identity}
    return {"__builtins__": {}, **helpers, **watch}


_GUARDS: dict[type[ast.operator], str] = {
    ast.Add: _ADD,
    ast.Sub: _SUB,
    ast.Mult: _MUL,
    ast.LShift: _SHIFT,
    ast.Pow: _POWER,
}


class _Instrument:
    """Adds watching calls to statements and replaces operators by their guarded forms, in place."""

    def __init__(self, starts: Mapping[int, Sequence[str]]) -> None:
        self.starts = starts

    def suite(self, statements: Sequence[ast.stmt], *, loop: bool = False) -> list[ast.stmt]:
        """The statements, with a call before each block start and, in a loop, one on each lap."""
        result: list[ast.stmt] = []
        if loop and statements[0].lineno not in self.starts:
            result.append(_statement(_LAP))
        for node in statements:
            result += [_statement(_VISIT, label) for label in self.starts.get(node.lineno, ())]
            result.append(self.statement(node))
        return result

    def statement(self, node: ast.stmt) -> ast.stmt:
        if isinstance(node, ast.If | ast.While):
            node.test = self.expression(node.test)
            node.body = self.suite(node.body, loop=isinstance(node, ast.While))
            node.orelse = self.suite(node.orelse)
        elif isinstance(node, ast.Assign):
            self.children(node.targets[0])
            node.value = self.expression(node.value)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            return ast.Assign([node.target], self.expression(node.value), **_PLACE)
        elif isinstance(node, ast.AugAssign):
            self.children(node.target)
            node.value = self.expression(node.value)
            if type(node.op) in _GUARDS:
                value = _call(_GUARDS[type(node.op)], _read(node.target), node.value)
                return ast.Assign([node.target], value, **_PLACE)
        elif isinstance(node, ast.Return) and node.value is not None:
            node.value = self.expression(node.value)
        return node

    def expression(self, node: ast.expr) -> ast.expr:
        kind = type(node)
        if kind is ast.Name or kind is ast.Constant:
            return node
        self.children(node)
        if isinstance(node, ast.BinOp) and type(node.op) in _GUARDS:
            return _call(_GUARDS[type(node.op)], node.left, node.right)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            return _call(_INVERT, node.operand)
        if isinstance(node, ast.Compare) and any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
            return _identity_chain(node)
        return node

    def children(self, node: ast.expr) -> None:
        for name in node._fields:
            child = getattr(node, name)
            if isinstance(child, ast.expr):
                setattr(node, name, self.expression(child))
            elif isinstance(child, list) and child and isinstance(child[0], ast.expr):
                setattr(node, name, [self.expression(item) for item in cast("list[ast.expr]", child)])


_PLACE: dict[str, Any] = {"lineno": 1, "col_offset": 0}


def _identity_chain(node: ast.Compare) -> ast.expr:
    """A chain of comparisons up to the first by identity, which traps if it is reached; the rest never is."""
    first = next(i for i, operator in enumerate(node.ops) if isinstance(operator, ast.Is | ast.IsNot))
    if first == 0:
        return _call(_IDENTITY, node.left, node.comparators[0])
    before = ast.Compare(node.left, node.ops[:first], node.comparators[:first], **_PLACE)
    return ast.BoolOp(ast.And(), [before, _call(_IDENTITY, node.comparators[first])], **_PLACE)


def _read(target: ast.expr) -> ast.expr:
    """The expression that reads what the target writes."""
    if isinstance(target, ast.Subscript):
        return ast.Subscript(target.value, target.slice, ast.Load(), **_PLACE)
    return ast.Name(cast("ast.Name", target).id, ast.Load(), **_PLACE)


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load(), **_PLACE), list(arguments), [], **_PLACE)


def _statement(name: str, *labels: str) -> ast.Expr:
    return ast.Expr(_call(name, *(ast.Constant(label, **_PLACE) for label in labels)), **_PLACE)
