"""Numbers and inputs from one solver query over the whole path: the strategy ``smt``."""

from __future__ import annotations

import numpy as np

from codoku_env.puzzle.flow import Path
from codoku_env.puzzle.model import Example
from codoku_env.synthesis.cfg import Flow
from codoku_env.synthesis.examples import find_examples
from codoku_env.synthesis.populate import populate
from codoku_env.synthesis.profiles import Profile
from codoku_env.synthesis.program import Program
from codoku_env.synthesis.query import find_numbers_and_input
from codoku_env.synthesis.refine import refine_numbers, tighten_thresholds
from codoku_env.synthesis.rotation import draw_structure

__all__ = ["find_by_query"]


def find_by_query(
    flow: Flow, paths: tuple[Path, ...], profile: Profile, rng: np.random.Generator
) -> tuple[Program, dict[int, int], tuple[Example, ...]] | None:
    """A program, its numbers, and examples that take the first of the paths, see ``find_by_drawing``."""
    path = paths[0]
    program = populate(flow, draw_structure(flow, profile, rng), path, profile, rng)
    found = find_numbers_and_input(program, path, profile.solver_rlimit, rng)
    if found is None:
        return None
    constants, args = found
    constants = refine_numbers(program, path, constants, args, rng)
    constants = tighten_thresholds(program, path, constants, args, rng)
    examples = find_examples(program, path, constants, args, profile, rng)
    return None if examples is None else (program, constants, examples)
