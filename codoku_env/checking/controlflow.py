"""The CFG that a program makes: which block can follow which."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from codoku_env.checking.execution import LimitError, TrapError, constant_value
from codoku_env.puzzle.grammar import FLAG_PREFIX
from codoku_env.puzzle.helpers import HELPERS

__all__ = ["rebuild_edges"]

_MAX_STATES = 400_000

_Flags = tuple[int | None, ...]
"""Value of each goto flag that some condition reads; None before it is assigned."""

_State = tuple[int, str | None, _Flags]
"""Index of the next step, the block that was entered last, and the values of the goto flags assigned so far."""


def rebuild_edges(function: ast.FunctionDef, starts: Mapping[int, Sequence[str]]) -> set[tuple[str, str]]:
    """Edges between blocks that the function can take.

    A condition that reads a variable goes both ways; one that reads only literals and goto flags goes the way of its
    value, or nowhere when evaluating it traps. A goto flag holds the constant last assigned to it.

    Args:
        function: The function.
        starts: Labels of the blocks that start at a line, by line number.

    Raises:
        LimitError: Blocks and values of goto flags make too many combinations.
    """
    graph = _Graph(starts)
    graph.suite(function.body, None)
    graph.emit("return")
    graph.find_reads()
    edges: set[tuple[str, str]] = set()
    stack: list[_State] = [(0, None, (None,) * len(graph.flags))]
    seen = set(stack)
    while stack:
        if len(seen) > _MAX_STATES:
            raise LimitError("blocks and goto flags make too many combinations")
        for state in graph.follow(stack.pop(), edges):
            if state not in seen:
                seen.add(state)
                stack.append(state)
    return edges


@dataclass(slots=True)
class _Step:
    """One step of the program as far as control flow goes.

    Attributes:
        form: block, flag, branch, jump or return.
        name: Label of a block, or name of a flag.
        value: What a flag is assigned.
        test: Condition of a branch, which goes to the next step when true and to ``target`` when false.
        target: Index of the step that follows a jump or a false condition.
    """

    form: str
    name: str = ""
    value: int = 0
    test: ast.expr | None = None
    target: int = -1


@dataclass(slots=True)
class _Loop:
    """The loop around a statement: where it starts, and the jumps that leave it."""

    start: int
    exits: list[_Step]


@dataclass(slots=True)
class _Graph:
    """The program as a list of steps; each falls through to the next unless it jumps.

    Attributes:
        starts: Labels of the blocks that start at a line.
        steps: In program order.
        reads: For each branch whose condition reads no variable, by step, the flags that it reads.
        flags: Position of each flag that some condition reads among the flags of a state.
        outcomes: Ways that such a branch can go, by step and values of the flags that it reads.
    """

    starts: Mapping[int, Sequence[str]]
    steps: list[_Step] = field(default_factory=list[_Step])
    reads: dict[int, tuple[str, ...]] = field(default_factory=dict[int, tuple[str, ...]])
    flags: dict[str, int] = field(default_factory=dict[str, int])
    outcomes: dict[tuple[int, _Flags], tuple[bool, ...]] = field(
        default_factory=dict[tuple[int, _Flags], tuple[bool, ...]]
    )

    def emit(self, form: str, name: str = "", value: int = 0, test: ast.expr | None = None, target: int = -1) -> _Step:
        step = _Step(form, name, value, test, target)
        self.steps.append(step)
        return step

    def suite(self, statements: Sequence[ast.stmt], loop: _Loop | None) -> None:
        for statement in statements:
            for label in self.starts.get(statement.lineno, ()):
                self.emit("block", label)
            self.statement(statement, loop)

    def statement(self, node: ast.stmt, loop: _Loop | None) -> None:
        if isinstance(node, ast.If):
            branch = self.emit("branch", test=node.test)
            self.suite(node.body, loop)
            if node.orelse:
                jump = self.emit("jump")
                branch.target = len(self.steps)
                self.suite(node.orelse, loop)
                jump.target = len(self.steps)
            else:
                branch.target = len(self.steps)
        elif isinstance(node, ast.While):
            inner = _Loop(len(self.steps), [self.emit("branch", test=node.test)])
            self.suite(node.body, inner)
            self.emit("jump", target=inner.start)
            for step in inner.exits:
                step.target = len(self.steps)
        elif isinstance(node, ast.Break) and loop is not None:
            loop.exits.append(self.emit("jump"))
        elif isinstance(node, ast.Continue) and loop is not None:
            self.emit("jump", target=loop.start)
        elif isinstance(node, ast.Return):
            self.emit("return")
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and target.id.startswith(FLAG_PREFIX):
                value = node.value.value if isinstance(node.value, ast.Constant) else 0
                self.emit("flag", target.id, int(bool(value)))

    def follow(self, state: _State, edges: set[tuple[str, str]]) -> list[_State]:
        """States that can follow; the edge that a block start makes is added to ``edges``."""
        at, block, flags = state
        step = self.steps[at]
        if step.form == "block":
            if block is not None:
                edges.add((block, step.name))
            return [(at + 1, step.name, flags)]
        if step.form == "flag":
            if (position := self.flags.get(step.name)) is not None:
                flags = (*flags[:position], step.value, *flags[position + 1 :])
            return [(at + 1, block, flags)]
        if step.form == "jump":
            return [(step.target, block, flags)]
        if step.form == "return" or step.test is None:
            return []
        return [(at + 1 if way else step.target, block, flags) for way in self.ways(at, step.test, flags)]

    def find_reads(self) -> None:
        """Find which conditions read no variable, and the flags that these read."""
        for at, step in enumerate(self.steps):
            if step.test is None:
                continue
            names = {node.id for node in ast.walk(step.test) if isinstance(node, ast.Name)}.difference(HELPERS)
            if all(name.startswith(FLAG_PREFIX) for name in names):
                self.reads[at] = tuple(sorted(names))
                for name in self.reads[at]:
                    self.flags.setdefault(name, len(self.flags))

    def ways(self, at: int, test: ast.expr, flags: _Flags) -> tuple[bool, ...]:
        """The truth values that the condition can have."""
        if at not in self.reads:
            return (True, False)
        values = tuple(flags[self.flags[name]] for name in self.reads[at])
        if (at, values) not in self.outcomes:
            known = {name: value for name, value in zip(self.reads[at], values, strict=True) if value is not None}
            self.outcomes[at, values] = _truth(test, known)
        return self.outcomes[at, values]


def _truth(test: ast.expr, flags: Mapping[str, int]) -> tuple[bool, ...]:
    try:
        return (bool(constant_value(test, flags)),)
    except (TrapError, LimitError):
        return ()
