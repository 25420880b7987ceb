"""Programs under construction, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from codoku_env.puzzle.flow import Path
from codoku_env.puzzle.helpers import import_prologue
from codoku_env.synthesis import Witness
from codoku_env.synthesis.cfg import Flow, draw_cfg, draw_walk
from codoku_env.synthesis.populate import populate
from codoku_env.synthesis.profiles import PROFILES
from codoku_env.synthesis.program import Program
from codoku_env.synthesis.query import find_numbers_and_input
from codoku_env.synthesis.rotation import draw_structure

SMALL = PROFILES["small"]


def drawn(seed: int) -> tuple[Flow, Path, Program]:
    """A small graph, a walk through it, and a program."""
    rng = np.random.default_rng(seed)
    while True:
        flow = draw_cfg(SMALL, rng)
        path = flow and draw_walk(flow, SMALL, rng)
        if flow and path:
            return flow, path, populate(flow, draw_structure(flow, SMALL, rng), path, SMALL, rng)


def solved(seed: int) -> tuple[Path, Program, dict[int, int], tuple[int, ...]]:
    """A walk, a program that takes it, and with which numbers and input it does."""
    while True:
        _, path, program = drawn(seed)
        found = find_numbers_and_input(program, path, SMALL.solver_rlimit, np.random.default_rng(seed))
        if found is not None:
            return path, program, *found
        seed += 1000


def runs(witness: Witness) -> Iterator[tuple[object, Path]]:
    """The return values of the witness, and the blocks that it visits, under CPython on each of its inputs."""
    source: list[str] = []
    for line in witness.body.lines:
        source += ["    " * line.depth + f"visit({label!r})" for label in line.blocks]
        source.append("    " * line.depth + " ".join(map(str, line.tokens)))
    visited: list[str] = []
    scope: dict[str, Any] = {"visit": visited.append}
    exec(import_prologue(witness.body.calls) + "\n".join(source), scope)
    for example in witness.examples:
        visited.clear()
        yield scope["codoku"](*example.args), tuple(visited)
