"""Structured lowering: any reducible graph of blocks with at most two successors becomes while, if, break, continue.

After Ramsey, "Beyond Relooper" (2022): the code of a block contains the code of the blocks that it dominates. A block
with one forward predecessor stands where that branches to it, a block where several meet follows the code of its
dominator, blocks outside a loop follow the loop. Python has no labelled blocks: a jump that neither falling through nor
break nor continue expresses sets a goto flag, and the code that it has to skip tests the flag.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from codoku_env.errors import ConfigError
from codoku_env.puzzle.body import MAX_DEPTH, Line
from codoku_env.puzzle.flow import ENTRY
from codoku_env.puzzle.grammar import FLAG_PREFIX
from codoku_env.synthesis.cfg import Flow
from codoku_env.synthesis.structure import (
    Branch,
    Flag,
    Guard,
    Jump,
    Loop,
    Node,
    Straight,
    Structure,
    While,
    depth_of,
    size_of,
)

__all__ = ["Structure", "lay_out", "lower"]


@dataclass(frozen=True, slots=True)
class _Piece:
    """Code, whether control can reach its end, and the goto flags that may be set there."""

    nodes: tuple[Node, ...]
    reaches_end: bool
    pending: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Frame:
    """A loop under construction: where continue and break lead, and which flags a break may carry."""

    header: str
    after: str | None
    broken: bool = False
    pending: set[str] = field(default_factory=set[str])


@dataclass(frozen=True, slots=True)
class _Context:
    """Where control goes from the end of a suite: to ``follow[0]``, past it to the others with the help of flags."""

    follow: tuple[str, ...] = ()
    loop: _Frame | None = None


def lower(flow: Flow, apart: Collection[str] = (), explicit: Collection[str] = ()) -> Structure:
    """Structured code for the graph.

    Args:
        flow: The graph.
        apart: Blocks that stand after their dominator's code although they could stand at the only branch to them;
            what has to get past them sets goto flags.
        explicit: Blocks that end a lap of a loop by continue, also where the lap would end anyway.

    Raises:
        ConfigError: The code would nest deeper than a body may.
    """
    lowering = _Lowering(flow, apart, explicit)
    piece = lowering.subtree(ENTRY, _Context())
    if depth_of(piece.nodes) > MAX_DEPTH:
        raise ConfigError(f"expected a graph whose code nests at most {MAX_DEPTH} levels, got {depth_of(piece.nodes)}")
    flags = tuple(label for label in flow.order if label in lowering.flags)
    return Structure(piece.nodes, lowering.then, flags)


class _Lowering:
    def __init__(self, flow: Flow, apart: Collection[str], explicit: Collection[str]) -> None:
        self.flow = flow
        self.apart = apart
        self.explicit = explicit
        self.then: dict[str, str] = {}
        self.flags: set[str] = set()
        self.inlined: set[str] = set()
        self.followers: dict[str, list[str]] = {label: [] for label in flow.order}
        self.hoisted: dict[str, list[str]] = {header: [] for header in flow.loops}
        self._place()

    # Where the code of each block stands.

    def _place(self) -> None:
        """Decide for each block: at the branch to it, after its dominator's code, or after a loop."""
        leavers: dict[str, list[str]] = {header: [] for header in self.flow.loops}
        for label in self.flow.order[1:]:
            loop = self._left_loop(self.flow.dominator[label], label)
            if loop is not None:
                leavers[loop].append(label)
            elif self._stands_apart(label):
                self.followers[self.flow.dominator[label]].append(label)
            else:
                self.inlined.add(label)
        for header, labels in leavers.items():
            exits = self._exits(header)
            hoisted = [label for label in labels if self._stands_apart(label)]
            if not hoisted and set(labels) == exits:
                hoisted = labels[-1:]  # so that break leads somewhere
            self.hoisted[header] = hoisted
            self.inlined.update(label for label in labels if label not in hoisted)

    def _stands_apart(self, label: str) -> bool:
        return label in self.apart or len(self.flow.forward_predecessors(label)) > 1

    def _left_loop(self, source: str, target: str) -> str | None:
        """Header of the outermost loop around ``source`` but not around ``target``."""
        for header in self.flow.order:
            loop = self.flow.loops.get(header, frozenset())
            if source in loop and target not in loop:
                return header
        return None

    def _exits(self, header: str) -> set[str]:
        loop = self.flow.loops[header]
        return {target for source, target in self.flow.cfg.edges if source in loop and target not in loop}

    # Code.

    def subtree(self, label: str, context: _Context) -> _Piece:
        """Code of the block and of all that it dominates."""
        if label not in self.flow.loops:
            return self._with_followers(label, self.followers[label], context)
        hoisted = (*self.hoisted[label], *context.follow)
        frame = _Frame(label, hoisted[0] if hoisted else None)
        body = self._with_followers(label, self.followers[label], _Context((label,), frame))
        after = _Context(hoisted, context.loop)
        piece = self._settled(_Piece((Loop(body.nodes),), frame.broken, frozenset(frame.pending)), after)
        return self._sequence(piece, self.hoisted[label], context)

    def _with_followers(self, label: str, followers: Sequence[str], context: _Context) -> _Piece:
        head = self._block(label, _Context((*followers, *context.follow), context.loop))
        return self._sequence(head, followers, context)

    def _sequence(self, piece: _Piece, followers: Sequence[str], context: _Context) -> _Piece:
        """``piece``, then the code of the followers, each skipped where a flag for a later place is set."""
        for index, label in enumerate(followers):
            follow = (*followers[index + 1 :], *context.follow)
            code = self.subtree(label, _Context(follow, context.loop))
            nodes, reaches, skipping = code.nodes, code.reaches_end, sorted(piece.pending - {label})
            for target in skipping:
                nodes, reaches = (Guard(target, False, nodes),), True
            reset = self._reset(label) if label in piece.pending else ()
            piece = _Piece((*piece.nodes, *reset, *nodes), reaches, code.pending.union(skipping))
        return piece

    def _settled(self, piece: _Piece, context: _Context) -> _Piece:
        """``piece`` and then the jumps for those pending flags that jumping can serve here."""
        nodes = list(piece.nodes)
        pending: set[str] = set()
        for target in sorted(piece.pending):
            jump = self._jump(target, context)
            if target in context.follow and jump.reaches_end:
                pending.add(target)
                continue
            carried = (node for node in jump.nodes if isinstance(node, Jump))
            served = () if any(isinstance(node, Flag) for node in jump.nodes) else self._reset(target)
            nodes.append(Guard(target, True, (*served, *carried)))
        return _Piece(tuple(nodes), piece.reaches_end, frozenset(pending))

    def _reset(self, target: str) -> tuple[Node, ...]:
        """A flag is cleared where it has served, if control can come by again."""
        return (Flag(target, 0),) if self.flow.innermost_loop(target) else ()

    def _block(self, label: str, context: _Context) -> _Piece:
        targets = self.flow.cfg.successors(label)
        start = (Straight(label),)
        if not targets:
            return _Piece(start, False)
        arms = [(target, self._arm(label, target, context)) for target in targets]
        if len(arms) == 1:
            piece = arms[0][1]
            return _Piece((*start, *piece.nodes), piece.reaches_end, piece.pending)
        (target, then), (_, other) = sorted(arms, key=lambda arm: self._arm_order(*arm))
        self.then[label] = target
        pending = then.pending | other.pending
        if then.reaches_end:
            branch = (Branch(label, then.nodes, other.nodes),)
        else:
            branch = (Branch(label, then.nodes, ()), *other.nodes)
        return _Piece((*start, *branch), then.reaches_end or other.reaches_end, pending)

    def _arm_order(self, target: str, piece: _Piece) -> tuple[bool, bool, int, int]:
        """The arm that the condition leads to is not empty, and if it can be one that jumps away, the shorter one."""
        return (not piece.nodes, piece.reaches_end, size_of(piece.nodes), self.flow.order.index(target))

    def _arm(self, label: str, target: str, context: _Context) -> _Piece:
        if target in self.inlined and (label, target) not in self.flow.back_edges:
            return self.subtree(target, context)
        if label in self.explicit and context.loop is not None and target == context.loop.header:
            return _Piece((Jump("continue"),), False)
        return self._jump(target, context)

    def _jump(self, target: str, context: _Context) -> _Piece:
        frame = context.loop
        if context.follow[:1] == (target,):
            return _Piece((), True)
        if frame and target == frame.header:
            return _Piece((Jump("continue"),), False)
        if frame and target == frame.after:
            frame.broken = True
            return _Piece((Jump("break"),), False)
        self.flags.add(target)
        if target in context.follow or frame is None:
            return _Piece((Flag(target, 1),), True, frozenset({target}))
        frame.broken = True
        frame.pending.add(target)
        return _Piece((Flag(target, 1), Jump("break")), False)


# Lines.

Tokens = tuple[str, ...]


def lay_out(
    structure: Structure,
    statements: Mapping[str, Sequence[Tokens]],
    conditions: Mapping[str, Tokens],
    again: Mapping[str, Sequence[Tokens]] | None = None,
) -> tuple[Line, ...]:
    """Lines of the function from the initial values of the goto flags on, at depth 1 and deeper.

    Args:
        structure: The code.
        statements: Tokens of each block's statements, by label.
        conditions: Tokens of the condition of each block with two successors, by label.
        again: Tokens of the statements of the second copy of each rotated loop's header, by label.
    """
    flags = [Line(1, (FLAG_PREFIX + target, "=", "0")) for target in structure.flags]
    layout = _Layout(statements, conditions, again or {})
    layout.suite(structure.nodes, 1)
    return (*flags, *layout.lines)


class _Layout:
    def __init__(
        self,
        statements: Mapping[str, Sequence[Tokens]],
        conditions: Mapping[str, Tokens],
        again: Mapping[str, Sequence[Tokens]],
    ) -> None:
        self.statements = statements
        self.again = again
        self.conditions = conditions
        self.lines: list[Line] = []
        self.marks: list[str] = []  # blocks that start at the next line

    def suite(self, nodes: Sequence[Node], depth: int) -> None:
        start = len(self.lines)
        for node in nodes:
            self.node(node, depth)
        if self.marks or len(self.lines) == start:
            self.line(depth, "pass")

    def line(self, depth: int, *tokens: str) -> None:
        self.lines.append(Line(depth, tokens, tuple(self.marks)))
        self.marks.clear()

    def node(self, node: Node, depth: int) -> None:
        match node:
            case Straight():
                self.marks.append(node.label)
                for tokens in (self.again if node.again else self.statements)[node.label]:
                    self.line(depth, *tokens)
            case Branch():
                self.line(depth, "if", *self.conditions[node.label], ":")
                self.suite(node.then, depth + 1)
                if node.otherwise:
                    self.line(depth, "else", ":")
                    self.suite(node.otherwise, depth + 1)
            case Loop():
                self.line(depth, "while", "True", ":")
                self.suite(node.body, depth + 1)
            case While():
                self.line(depth, "while", *self.conditions[node.label], ":")
                self.suite(node.body, depth + 1)
            case Jump():
                self.line(depth, node.keyword)
            case Flag():
                self.line(depth, FLAG_PREFIX + node.target, "=", str(node.value))
            case Guard():
                test = (FLAG_PREFIX + node.target,) if node.wanted else ("not", FLAG_PREFIX + node.target)
                self.line(depth, "if", *test, ":")
                self.suite(node.body, depth + 1)
