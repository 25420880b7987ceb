"""Coverage: further walks through a graph that together with a path execute every block, or every edge."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from codoku_env.puzzle.flow import CFG, ENTRY, EXIT, Path

__all__ = ["covered_share", "covering_walks"]

_CANDIDATES = 6
"""Walks drawn for each one chosen."""


def covered_share(cfg: CFG, paths: Iterable[Path], coverage: str) -> float:
    """Share (0 to 1) of the graph's blocks or edges that the paths execute.

    Args:
        cfg: The graph.
        paths: Walks of it, such as those of a puzzle's examples.
        coverage: ``blocks`` or ``edges``.
    """
    parts = _parts(cfg, coverage)
    executed = {part for path in paths for part in _steps(path, coverage)}
    return len(executed.intersection(parts)) / len(parts)


def covering_walks(
    cfg: CFG, path: Path, coverage: str, most: int, longest: int, rng: np.random.Generator
) -> tuple[Path, ...]:
    """Walks that together with ``path`` execute all blocks or edges, or as many as so few and short walks can.

    Args:
        cfg: The graph.
        path: A walk that is taken anyway.
        coverage: ``blocks`` or ``edges``.
        most: Number of walks, at most.
        longest: Blocks of a walk, repeats included, at most.
        rng: Source of every choice.
    """
    missing = dict.fromkeys(part for part in _parts(cfg, coverage) if part not in set(_steps(path, coverage)))
    walks: list[Path] = []
    while missing and len(walks) < most:
        share = -(-len(missing) // (most - len(walks)))  # what each walk has to execute on average, rounded up
        drawn = [_walk(cfg, missing, coverage, share, longest, rng) for _ in range(_CANDIDATES)]
        gains = [len(set(_steps(walk, coverage)) & missing.keys()) for walk in drawn]
        best = max(range(len(drawn)), key=lambda i: (min(gains[i], share), -len(drawn[i])))
        if not gains[best]:
            break
        walks.append(drawn[best])
        for part in _steps(drawn[best], coverage):
            missing.pop(part, None)
    return tuple(walks)


def _parts(cfg: CFG, coverage: str) -> Sequence[Path]:
    """What is to be executed: walks of one block, or of the two that an edge joins."""
    return [(label,) for label in cfg.blocks] if coverage == "blocks" else cfg.edges


def _steps(path: Path, coverage: str) -> Iterable[Path]:
    return ((label,) for label in path) if coverage == "blocks" else itertools.pairwise(path)


def _walk(cfg: CFG, missing: Iterable[Path], coverage: str, share: int, longest: int, rng: np.random.Generator) -> Path:
    """A walk to the exit by way of up to ``share`` of the missing parts, the nearest first."""
    left = set(missing)
    walk: Path = (ENTRY,)
    for _ in range(share):
        left.difference_update(_steps(walk, coverage))
        detour = _shortest(cfg, walk[-1], {part[0] for part in left}, rng)
        if detour is None:
            break
        ends = [part for part in sorted(left) if part[0] == detour[-1]]
        onward = (*detour, *ends[int(rng.random() * len(ends))][1:])
        home = _shortest(cfg, onward[-1], {EXIT}, rng)
        if home is None or len(walk) + len(onward) + len(home) - 2 > longest:
            break
        walk = (*walk, *onward[1:])
    home = _shortest(cfg, walk[-1], {EXIT}, rng)
    return (*walk, *home[1:]) if home else walk


def _shortest(cfg: CFG, start: str, goals: set[str], rng: np.random.Generator) -> Path | None:
    """A shortest walk from a block to one of the goals, any of those that are equally short."""
    ways: dict[str, Path] = {start: (start,)}
    queue = [start]
    for label in queue:
        if label in goals:
            return ways[label]
        targets = cfg.successors(label)
        for target in targets if rng.random() < 0.5 else reversed(targets):
            if target not in ways:
                ways[target] = (*ways[label], target)
                queue.append(target)
    return None
