"""Control-flow graphs for synthesis: their dominators and loops, random reducible graphs, random walks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from codoku_env.errors import ConfigError
from codoku_env.puzzle.flow import CFG, ENTRY, EXIT, Path
from codoku_env.synthesis.profiles import Profile

__all__ = ["Flow", "draw_cfg", "draw_walk", "require_reducible"]

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Flow:
    """What lowering and walks need to know of a reducible graph.

    Attributes:
        cfg: The graph.
        order: Its blocks in reverse postorder: every forward edge leads to a later block.
        dominator: Immediate dominator of each block but entry.
        back_edges: Edges whose target dominates their source.
        loops: For each loop header the blocks of its natural loop, the header among them.
    """

    cfg: CFG
    order: tuple[str, ...]
    dominator: dict[str, str]
    back_edges: frozenset[Edge]
    loops: dict[str, frozenset[str]]

    def forward_predecessors(self, label: str) -> tuple[str, ...]:
        """Sources of the forward edges into ``label``."""
        return tuple(p for p in self.cfg.predecessors(label) if (p, label) not in self.back_edges)

    def children(self, label: str) -> tuple[str, ...]:
        """Blocks that ``label`` immediately dominates, in reverse postorder."""
        return tuple(block for block in self.order if self.dominator.get(block) == label)

    def innermost_loop(self, label: str) -> str | None:
        """Header of the smallest loop around ``label``."""
        around = [header for header in self.order if label in self.loops.get(header, ())]
        return min(around, key=lambda header: len(self.loops[header])) if around else None


def require_reducible(cfg: CFG) -> Flow:
    """The flow of ``cfg`` when structured code can express it.

    Raises:
        ConfigError: A block has more than two successors, an edge leads into entry, or the graph is irreducible (a
            loop is entered at two places).
    """
    for label in cfg.blocks:
        targets = cfg.successors(label)
        if len(targets) > 2:
            raise ConfigError(f"expected at most two successors of a block, {label} has {len(targets)}")
        if ENTRY in targets:
            raise ConfigError(f"expected no edge into entry, got {label} -> entry")
    order = _reverse_postorder(cfg)
    dominator = _dominators(cfg, order)
    position = {label: index for index, label in enumerate(order)}
    back: set[Edge] = set()
    for source, target in cfg.edges:
        if position[target] <= position[source]:
            if not _dominates(target, source, dominator):
                raise ConfigError(
                    f"expected a reducible graph, but the loop of {source} -> {target} can be entered without {target}"
                )
            back.add((source, target))
    headers = [label for label in order if any((source, label) in back for source in cfg.predecessors(label))]
    loops = {header: _natural_loop(cfg, header, back) for header in headers}
    return Flow(cfg, order, dominator, frozenset(back), loops)


def _reverse_postorder(cfg: CFG) -> tuple[str, ...]:
    """Successors are explored in reverse, so that blocks keep their label order where the edges allow it."""
    result: list[str] = []
    seen = {ENTRY}
    stack = [(ENTRY, list(cfg.successors(ENTRY)))]
    while stack:
        label, targets = stack[-1]
        if targets:
            target = targets.pop()
            if target not in seen:
                seen.add(target)
                stack.append((target, list(cfg.successors(target))))
        else:
            result.append(label)
            stack.pop()
    return tuple(reversed(result))


def _dominators(cfg: CFG, order: Sequence[str]) -> dict[str, str]:
    """Immediate dominators by the iteration of Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm"."""
    position = {label: index for index, label in enumerate(order)}
    dominator = {ENTRY: ENTRY}
    changed = True
    while changed:
        changed = False
        for label in order[1:]:
            known = [p for p in cfg.predecessors(label) if p in dominator]
            new = known[0]
            for other in known[1:]:
                while new != other:
                    if position[new] > position[other]:
                        new = dominator[new]
                    else:
                        other = dominator[other]
            if dominator.get(label) != new:
                dominator[label] = new
                changed = True
    del dominator[ENTRY]
    return dominator


def _dominates(label: str, other: str, dominator: dict[str, str]) -> bool:
    while other != label and other in dominator:
        other = dominator[other]
    return other == label


def _natural_loop(cfg: CFG, header: str, back: set[Edge]) -> frozenset[str]:
    members = {header}
    stack = [source for source in cfg.predecessors(header) if (source, header) in back]
    while stack:
        label = stack.pop()
        if label not in members:
            members.add(label)
            stack.extend(cfg.predecessors(label))
    return frozenset(members)


_GRAPH_DRAWS = 40


def draw_cfg(profile: Profile, rng: np.random.Generator) -> Flow | None:
    """A random reducible graph, or None when no draw was within what the profile accepts.

    Blocks lie on a line from entry to exit. Forward edges skip ahead; a back edge leads to a dominator of its source,
    which keeps the graph reducible.
    """
    interior = int(rng.integers(profile.interior_blocks[0], profile.interior_blocks[1] + 1))
    labels = (ENTRY, *(f"b{i}" for i in range(interior)), EXIT)
    for _ in range(_GRAPH_DRAWS):
        edges = _draw_edges(labels, profile, rng)
        cyclomatic = max(1, len(edges) - len(labels) + 2)
        accepted = profile.cyclomatic[0] <= cyclomatic <= profile.cyclomatic[1]
        if accepted and _connected(labels, edges) and len(edges) <= profile.max_edges:
            return require_reducible(CFG.of(edges)) if len(labels) <= profile.max_blocks else None
    return None


def _draw_edges(labels: Sequence[str], profile: Profile, rng: np.random.Generator) -> list[Edge]:
    branch = rng.integers(profile.branch[0], profile.branch[1] + 1) / 100
    back = rng.integers(profile.back_edge[0], profile.back_edge[1] + 1) / 100
    edges = _forward_edges(labels, branch, profile.detour, rng)
    forward = require_reducible(CFG.of(edges))
    for index, source in enumerate(labels[1:-1], 1):
        targets = forward.cfg.successors(source)
        if len(targets) == 2 or rng.random() >= back:
            continue
        headers = [label for label in labels[1 : index + 1] if _dominates(label, source, forward.dominator)]
        header = headers[int(rng.integers(len(headers)))]
        edges.append((source, header))
        elsewhere = [p for p in forward.cfg.predecessors(targets[0]) if p != source]
        if any(_dominates(header, p, forward.dominator) for p in elsewhere) and rng.random() < 0.5:
            edges.remove((source, targets[0]))  # a loop that is left at its head rather than at its end
    return edges


def _forward_edges(labels: Sequence[str], branch: float, detour: float, rng: np.random.Generator) -> list[Edge]:
    last = len(labels) - 1
    skips = [False] * len(labels)
    edges: list[Edge] = []
    for index in range(last):
        following = index + (2 if skips[index] else 1)
        edges.append((labels[index], labels[following]))
        if index + 2 > last or skips[index] or rng.random() >= branch:
            continue
        target = int(rng.integers(index + 2, last + 1))
        if index + 3 <= last and rng.random() < detour:
            target = index + 2
            skips[index + 1] = True
        edges.append((labels[index], labels[target]))
    return edges


def _connected(labels: Sequence[str], edges: Sequence[Edge]) -> bool:
    """Whether every block is reached from entry and reaches exit."""
    reached, reaching = {ENTRY}, {EXIT}
    for _ in labels:
        reached |= {target for source, target in edges if source in reached}
        reaching |= {source for source, target in edges if target in reaching}
    return len(reached) == len(reaching) == len(labels)


_NEW_WEIGHTS = (10.0, 2.0)
"""Of a block not visited yet: the next one in order, others. Of all else: 1."""


def draw_walk(flow: Flow, profile: Profile, rng: np.random.Generator) -> Path | None:
    """A random walk from entry to exit, or None when its length is outside what the profile accepts.

    In a loop it goes round as often as drawn when the loop is entered, then leaves where it can.
    """
    path = [ENTRY]
    trips: dict[str, int] = {}
    while path[-1] != EXIT:
        if len(path) >= min(profile.path_length[1], profile.max_path):
            return None
        label = path[-1]
        if label in flow.loops and (len(path) < 2 or path[-2] not in flow.loops[label]):
            trips[label] = int(rng.integers(profile.loop_iterations[0], profile.loop_iterations[1] + 1))
        targets = _preferred_targets(flow, label, trips)
        new = [t for t in targets if t not in path and t != EXIT]
        weights = np.array([_NEW_WEIGHTS[t != new[0]] if t in new else 1.0 for t in targets])
        target = targets[int(rng.choice(len(targets), p=weights / weights.sum()))]
        if (label, target) in flow.back_edges:
            trips[target] -= 1
        path.append(target)
    return tuple(path) if len(path) >= profile.path_length[0] else None


def _preferred_targets(flow: Flow, label: str, trips: dict[str, int]) -> tuple[str, ...]:
    targets = flow.cfg.successors(label)
    header = flow.innermost_loop(label)
    if header is None:
        return targets
    loop = flow.loops[header]
    if trips[header] > 0:
        preferred = [t for t in targets if t in loop]
    else:
        preferred = [t for t in targets if t not in loop] or [t for t in targets if (label, t) not in flow.back_edges]
    return tuple(preferred) or targets
