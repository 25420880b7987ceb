"""Control-flow graphs over labelled blocks, and walks through them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from codoku_env.errors import PuzzleFormatError
from codoku_env.puzzle.cells import require_label

__all__ = ["CFG", "ENTRY", "EXIT", "Path", "block_order", "require_path"]

ENTRY = "entry"
EXIT = "exit"

Path = tuple[str, ...]
"""An execution path: the labels of the blocks visited, repeats included, from entry to exit."""


def block_order(label: str) -> tuple[int, int]:
    """Sort key of block labels: entry, b0, b1, ..., exit."""
    if label == ENTRY:
        return (0, 0)
    return (2, 0) if label == EXIT else (1, int(label[1:]))


@dataclass(frozen=True)
class CFG:
    """A control-flow graph from ``entry`` to ``exit``.

    Attributes:
        edges: Directed edges (source, target), each once, in block order.

    Raises:
        PuzzleFormatError: A malformed label, a doubled edge, an edge out of ``exit``, or a block that is not reached
            from ``entry`` or does not reach ``exit``.
    """

    edges: tuple[tuple[str, str], ...]

    @staticmethod
    def of(edges: Iterable[tuple[str, str]]) -> CFG:
        """The CFG with these edges, in any order."""
        edges = tuple(edges)
        for edge in edges:
            for label in edge:
                require_label(label)
        return CFG(tuple(sorted(edges, key=lambda edge: (block_order(edge[0]), block_order(edge[1])))))

    def __post_init__(self) -> None:
        for edge in self.edges:
            for label in edge:
                require_label(label)
        keys = [(block_order(source), block_order(target)) for source, target in self.edges]
        if keys != sorted(keys):
            raise PuzzleFormatError("expected edges in block order (make the graph with CFG.of)")
        for edge, following in pairwise(self.edges):
            if edge == following:
                raise PuzzleFormatError(f"expected each edge once, got {edge[0]} -> {edge[1]} twice")
        if self.successors(EXIT):
            raise PuzzleFormatError(f"expected no edge out of exit, got exit -> {self.successors(EXIT)[0]}")
        forward = _reach(ENTRY, self._successors)
        backward = _reach(EXIT, self._predecessors)
        for label in self.blocks:
            if label not in forward:
                raise PuzzleFormatError(f"expected every block to be reached from entry, {label} is not")
            if label not in backward:
                raise PuzzleFormatError(f"expected every block to reach exit, {label} does not")

    @cached_property
    def blocks(self) -> tuple[str, ...]:
        """All labels in block order."""
        return tuple(sorted({ENTRY, EXIT, *(label for edge in self.edges for label in edge)}, key=block_order))

    @cached_property
    def _successors(self) -> dict[str, tuple[str, ...]]:
        return self._neighbours(self.edges)

    @cached_property
    def _predecessors(self) -> dict[str, tuple[str, ...]]:
        return self._neighbours((target, source) for source, target in self.edges)

    def _neighbours(self, edges: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {label: [] for label in self.blocks}
        for source, target in edges:
            found[source].append(target)
        return {label: tuple(labels) for label, labels in found.items()}

    def successors(self, label: str) -> tuple[str, ...]:
        """Targets of the edges out of ``label``, in block order."""
        return self._successors.get(label, ())

    def predecessors(self, label: str) -> tuple[str, ...]:
        """Sources of the edges into ``label``, in block order."""
        return self._predecessors.get(label, ())


def _reach(start: str, neighbours: dict[str, tuple[str, ...]]) -> set[str]:
    seen = {start}
    stack = [start]
    while stack:
        for label in neighbours[stack.pop()]:
            if label not in seen:
                seen.add(label)
                stack.append(label)
    return seen


def require_path(path: Iterable[str], cfg: CFG) -> Path:
    """``path`` as a tuple when it is a walk of ``cfg`` from entry to exit.

    Raises:
        PuzzleFormatError: It is not; the message names the first wrong step.
    """
    path = tuple(path)
    if len(path) < 2 or path[0] != ENTRY or path[-1] != EXIT:
        raise PuzzleFormatError("expected an execution path that starts at entry and ends at exit")
    edges = frozenset(cfg.edges)
    for source, target in pairwise(path):
        if (source, target) not in edges:
            raise PuzzleFormatError(f"expected a path along CFG edges, there is no edge {source} -> {target}")
    return path
