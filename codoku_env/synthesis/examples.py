"""Further inputs on the path of a finished program."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from codoku_env.puzzle.flow import Path
from codoku_env.puzzle.model import Example
from codoku_env.synthesis.evaluation import UndefinedError
from codoku_env.synthesis.inputs import Args, mutated_input
from codoku_env.synthesis.profiles import Profile
from codoku_env.synthesis.program import Program, run_program
from codoku_env.synthesis.query import find_input

__all__ = ["find_examples"]

_MUTATIONS = 24
"""Mutated inputs tried for each example wanted."""


def find_examples(
    program: Program,
    path: Path,
    constants: Mapping[int, int],
    args: Args,
    profile: Profile,
    rng: np.random.Generator,
) -> tuple[Example, ...] | None:
    """Examples that take ``path``: the input ``args`` and mutations of it, the solver where these leave the path.

    Args:
        program: What to run.
        path: The blocks that each example visits.
        constants: The program's numbers by slot.
        args: An input that takes the path.
        profile: How many examples, and the solver's budget.
        rng: Source of every choice.

    Returns:
        The examples, no two with the same input or return value, or None when there are too few.
    """
    wanted = int(rng.integers(profile.examples[0], profile.examples[1] + 1))
    found: dict[Args, int] = {args: run_program(program, path, args, constants)}
    for _ in range(_MUTATIONS * (wanted - 1)):
        if len(found) == wanted:
            break
        _try(program, path, constants, mutated_input(program, list(found), rng), found)
    for _ in range(wanted - len(found)):
        more = find_input(program, path, constants, list(found), profile.solver_rlimit, rng)
        if more is None:
            break
        _try(program, path, constants, more, found)
    if len(found) < profile.examples[0]:
        return None
    return tuple(Example(values, output, path) for values, output in found.items())


def _try(program: Program, path: Path, constants: Mapping[int, int], args: Args, found: dict[Args, int]) -> None:
    if args in found:
        return
    try:
        output = run_program(program, path, args, constants)
    except UndefinedError:
        return
    if output not in found.values():
        found[args] = output
