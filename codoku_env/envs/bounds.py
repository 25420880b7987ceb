"""The bounds of a profile, which fix the shapes of observations and actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from codoku_env.errors import ConfigError
from codoku_env.puzzle.model import Puzzle
from codoku_env.synthesis.profiles import Profile

__all__ = ["BOUNDED", "require_playable"]

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


def require_playable(puzzle: Puzzle, profile: Profile) -> None:
    """Raise ConfigError unless the puzzle lies within the bounds of ``profile`` and has a cell to fill."""
    for bound, measure in BOUNDED.items():
        most, size = getattr(profile, bound), measure(puzzle)
        if size > most:
            raise ConfigError(f"expected a puzzle within {bound} = {most} of profile {profile.name!r}, got {size}")
    starts = sum(len(line.blocks) for line in puzzle.body.lines)
    if starts > profile.max_lines:
        raise ConfigError(f"expected at most max_lines = {profile.max_lines} starts of blocks, got {starts}")
    uses = sum(constant.count for constant in puzzle.constants)
    if uses > profile.max_cells:
        raise ConfigError(f"expected at most max_cells = {profile.max_cells} uses of constants, got {uses}")
    if not puzzle.cells:
        raise ConfigError("expected a puzzle with at least one cell")
