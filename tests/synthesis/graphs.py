"""Random reducible graphs and walks for tests, wilder than those the generator draws."""

from __future__ import annotations

import random

from codoku_env.puzzle.flow import CFG, ENTRY, EXIT, Path
from codoku_env.synthesis.cfg import Flow, require_reducible


def random_flow(rng: random.Random, interior: int) -> Flow:
    """A reducible graph of ``interior`` blocks besides entry and exit, each with at most two successors."""
    labels = [ENTRY, *(f"b{i}" for i in range(interior)), EXIT]
    while True:
        edges: set[tuple[str, str]] = set()
        for index, label in enumerate(labels[:-1]):
            for _ in range(rng.choice((1, 1, 2, 2, 2))):
                edges.add((label, labels[min(len(labels) - 1, index + 1 + int(rng.expovariate(0.6)))]))
        forward = connected(edges, labels)
        if forward is None:
            continue
        for label in labels[1:-1]:
            if len(forward.cfg.successors(label)) == 2 and rng.random() < 0.5:
                edges.discard((label, rng.choice(forward.cfg.successors(label))))
            if sum(source == label for source, _ in edges) < 2 and rng.random() < 0.6:
                edges.add((label, rng.choice(dominators(forward, label))))
        flow = connected(edges, labels)
        if flow is not None:
            return flow


def connected(edges: set[tuple[str, str]], labels: list[str]) -> Flow | None:
    """The flow of the graph, or None unless every block is reached and reaches exit."""
    for start, ahead in ((ENTRY, 1), (EXIT, 0)):
        seen = {start}
        for _ in labels:
            seen |= {edge[ahead] for edge in edges if edge[1 - ahead] in seen}
        if len(seen) < len(labels):
            return None
    return require_reducible(CFG.of(edges))


def dominators(flow: Flow, label: str) -> list[str]:
    """Blocks but entry that dominate the block, itself among them."""
    result: list[str] = []
    while label != ENTRY:
        result.append(label)
        label = flow.dominator[label]
    return result


def random_walk(rng: random.Random, flow: Flow, most: int = 60) -> Path | None:
    """A walk from entry to exit, or None when it got too long."""
    path = [ENTRY]
    while path[-1] != EXIT and len(path) < most:
        path.append(rng.choice(flow.cfg.successors(path[-1])))
    return tuple(path) if path[-1] == EXIT else None
