"""The upper bounds of a profile, which generated puzzles keep and which size observations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from codoku_env.puzzle.model import Puzzle
from codoku_env.synthesis.profiles import Profile

__all__ = ["BOUNDED", "exceeded"]

BOUNDED: Mapping[str, Callable[[Puzzle], int]] = {
    "max_cells": lambda puzzle: len(puzzle.cells),
    "max_tokens": lambda puzzle: sum(len(line.tokens) for line in puzzle.body.lines),
    "max_lines": lambda puzzle: len(puzzle.body.lines),
    "max_variables": lambda puzzle: max(len(puzzle.body.id_domain), len(puzzle.body.arrays)),
    "max_constants": lambda puzzle: len(puzzle.constants),
    "max_blocks": lambda puzzle: len(puzzle.cfg.blocks),
    "max_edges": lambda puzzle: len(puzzle.cfg.edges),
    "max_path": lambda puzzle: max(len(example.path) for example in puzzle.examples),
    "max_examples": lambda puzzle: len(puzzle.examples),
    "max_parameters": lambda puzzle: len(puzzle.body.parameters),
}
"""What each bound of a profile bounds."""


def exceeded(puzzle: Puzzle, profile: Profile) -> Iterator[tuple[str, int]]:
    """Names of the bounds of ``profile`` that the puzzle exceeds, each with the puzzle's size."""
    for bound, measure in BOUNDED.items():
        size = measure(puzzle)
        if size > getattr(profile, bound):
            yield bound, size
