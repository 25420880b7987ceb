"""Numbers drawn while executing: the strategy ``hybrid``.

The assignments along the paths of several inputs run first, as if every branch went the way that the path goes; numbers
are drawn when they are first read. Which states reach each branch is known then, and its condition is chosen to suit
all of them. The conditions change no variable, so the runs stay what they were.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from codoku_env.puzzle.flow import CFG, Path
from codoku_env.puzzle.model import Example
from codoku_env.synthesis.branches import Visit, steer
from codoku_env.synthesis.cfg import Flow
from codoku_env.synthesis.floatbranch import float_condition
from codoku_env.synthesis.inputs import draw_input, mutated_input
from codoku_env.synthesis.liveness import dead_assignments
from codoku_env.synthesis.numbers import Numbers
from codoku_env.synthesis.populate import populate
from codoku_env.synthesis.profiles import Profile
from codoku_env.synthesis.program import Program
from codoku_env.synthesis.rotation import draw_structure
from codoku_env.synthesis.runs import Run, run_along, run_freely

__all__ = ["find_by_drawing"]

_PROGRAMS = 4
"""Programs drawn before one with dead assignments is taken."""

_INPUTS = 12
"""Inputs tried for each run."""


def find_by_drawing(
    flow: Flow, paths: tuple[Path, ...], profile: Profile, rng: np.random.Generator
) -> tuple[Program, dict[int, int], tuple[Example, ...]] | None:
    """A program, its numbers, and examples that take the paths.

    Without coverage, the profile's further examples take the first path too; with it, they take any path.

    Args:
        flow: The graph.
        paths: Each is taken by an example, in this order.
        profile: How much of what.
        rng: Source of every choice.

    Returns:
        What was found, no two examples with the same input or return value; None when the attempts are used up.
    """
    program = _drawn(flow, paths, profile, rng)
    numbers = Numbers(program.constants, rng)
    wanted = int(rng.integers(profile.examples[0], profile.examples[1] + 1))
    further = () if profile.coverage else paths[:1] * (wanted - len(paths))
    runs = _joint_runs(program, (*paths, *further), numbers, rng)
    if runs is None:
        return None
    program = _steered(program, runs, numbers, profile, rng)
    if program is None:
        return None
    constants = {slot: numbers[slot] for slot in range(len(program.constants))}
    runs += _free_runs(program, flow.cfg, wanted - len(runs), runs, constants, profile, rng)
    if len(runs) < profile.examples[0]:
        return None
    return program, constants, tuple(Example(run.args, run.output, run.path) for run in runs)


def _drawn(flow: Flow, paths: tuple[Path, ...], profile: Profile, rng: np.random.Generator) -> Program:
    """A random program, if one comes up soon, without dead assignments."""
    structure = draw_structure(flow, profile, rng)
    # To populate, all paths are one: what counts is which blocks they execute and how they leave them.
    joined = tuple(itertools.chain(*paths))
    program = populate(flow, structure, joined, profile, rng)
    for _ in range(_PROGRAMS - 1):
        if not dead_assignments(program, paths):
            break
        program = populate(flow, structure, joined, profile, rng)
    return program


def _joint_runs(
    program: Program, paths: Sequence[Path], numbers: Numbers, rng: np.random.Generator
) -> list[Run] | None:
    """One run along each path, all with the same numbers and no two with the same input or return value."""
    runs: list[Run] = []
    for path in paths:
        known = len(numbers)
        for _ in range(_INPUTS):
            args = mutated_input(program, [run.args for run in runs], rng) if runs else draw_input(program, rng)
            run = run_along(program, path, args, numbers)
            if run is not None and not _repeats(run, runs):
                runs.append(run)
                break
            numbers.forget(known)
        else:
            return None
    return runs


def _steered(
    program: Program, runs: Sequence[Run], numbers: Numbers, profile: Profile, rng: np.random.Generator
) -> Program | None:
    """The program with conditions for which it runs as ``runs``; their numbers are added to ``numbers``."""
    visits: dict[str, list[Visit]] = {}
    for run in runs:
        for label, more in run.visits.items():
            visits.setdefault(label, []).extend(more)
    code = dict(program.code)
    for label in visits:
        comparison = float_condition(program, visits[label], profile, rng)
        if comparison is not None:
            code[label] = replace(code[label], condition=comparison, threshold=None)
            continue
        found = steer(program, label, visits[label], numbers, profile, rng)
        if found is None:
            return None
        code[label] = replace(code[label], condition=found[0], threshold=found[1])
    return replace(program, code=code, constants=tuple(numbers.intervals))


def _free_runs(
    program: Program,
    cfg: CFG,
    count: int,
    known: Sequence[Run],
    constants: Mapping[int, int],
    profile: Profile,
    rng: np.random.Generator,
) -> list[Run]:
    """Up to ``count`` runs on mutated inputs, whatever paths they take."""
    runs: list[Run] = []
    for _ in range(_INPUTS * count):
        if len(runs) == count:
            break
        args = mutated_input(program, [run.args for run in (*known, *runs)], rng)
        run = run_freely(program, cfg, profile.max_path, args, constants)
        if run is not None and not _repeats(run, (*known, *runs)):
            runs.append(run)
    return runs


def _repeats(run: Run, runs: Sequence[Run]) -> bool:
    return any(run.args == other.args or run.output == other.output for other in runs)
