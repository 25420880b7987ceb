"""Structured code as a tree whose statements and conditions are still open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

__all__ = [
    "Branch",
    "Flag",
    "Guard",
    "Jump",
    "Loop",
    "Node",
    "Straight",
    "Structure",
    "While",
    "depth_of",
    "size_of",
    "suites",
    "with_suites",
]


@dataclass(frozen=True, slots=True)
class Straight:
    """The statements of a block; ``again`` tells that it is the copy at the end of a rotated loop."""

    label: str
    again: bool = False


@dataclass(frozen=True, slots=True)
class Branch:
    """``if`` on the condition of the block ``label``."""

    label: str
    then: tuple[Node, ...]
    otherwise: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """``while True``."""

    body: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class While:
    """``while`` on the condition of the block ``label``, the header of a rotated loop."""

    label: str
    body: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Jump:
    """``break`` or ``continue``."""

    keyword: str


@dataclass(frozen=True, slots=True)
class Flag:
    """Assignment of a goto flag."""

    target: str
    value: int


@dataclass(frozen=True, slots=True)
class Guard:
    """``if`` on a goto flag being ``wanted``."""

    target: str
    wanted: bool
    body: tuple[Node, ...]


Node = Straight | Branch | Loop | While | Jump | Flag | Guard


@dataclass(frozen=True, slots=True)
class Structure:
    """A graph as structured code whose statements and conditions are still open.

    Attributes:
        nodes: The code.
        then: For each block with two successors the one that its condition leads to where it holds.
        flags: Targets of the goto flags, in program order.
        rotated: Headers of rotated loops, and the blocks of each: coming from one of these, control enters the copy of
            the header at the end of the loop.
    """

    nodes: tuple[Node, ...]
    then: dict[str, str]
    flags: tuple[str, ...]
    rotated: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])


def suites(node: Node) -> tuple[tuple[Node, ...], ...]:
    """The code inside the node."""
    match node:
        case Branch():
            return (node.then, node.otherwise)
        case Loop() | While() | Guard():
            return (node.body,)
        case _:
            return ()


def with_suites(node: Node, inner: tuple[tuple[Node, ...], ...]) -> Node:
    """The node with other code inside."""
    match node:
        case Branch():
            return replace(node, then=inner[0], otherwise=inner[1])
        case Loop() | While() | Guard():
            return replace(node, body=inner[0])
        case _:
            return node


def size_of(nodes: Sequence[Node]) -> int:
    """Number of lines, roughly."""
    return sum(1 + sum(size_of(suite) for suite in suites(node)) for node in nodes)


def depth_of(nodes: Sequence[Node]) -> int:
    """Levels of indentation, that of the nodes themselves included."""
    return 1 + max((depth_of(suite) for node in nodes for suite in suites(node)), default=0)
