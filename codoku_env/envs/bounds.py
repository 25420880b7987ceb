"""The bounds of a profile, which fix the shapes of observations and actions."""

from __future__ import annotations

from codoku_env.errors import ConfigError
from codoku_env.puzzle.model import Puzzle
from codoku_env.synthesis.bounds import exceeded
from codoku_env.synthesis.profiles import Profile

__all__ = ["require_playable"]


def require_playable(puzzle: Puzzle, profile: Profile) -> None:
    """Raise ConfigError unless the puzzle lies within the bounds of ``profile`` and has a cell to fill."""
    for bound, size in exceeded(puzzle, profile):
        most = getattr(profile, bound)
        raise ConfigError(f"expected a puzzle within {bound} = {most} of profile {profile.name!r}, got {size}")
    starts = sum(len(line.blocks) for line in puzzle.body.lines)
    if starts > profile.max_lines:
        raise ConfigError(f"expected at most max_lines = {profile.max_lines} starts of blocks, got {starts}")
    uses = sum(constant.count for constant in puzzle.constants)
    if uses > profile.max_cells:
        raise ConfigError(f"expected at most max_cells = {profile.max_cells} uses of constants, got {uses}")
    if not puzzle.cells:
        raise ConfigError("expected a puzzle with at least one cell")
