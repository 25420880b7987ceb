"""The environment: one puzzle an episode, one fill a step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, cast

import gymnasium
import numpy as np
from gymnasium import error, logger, spaces

from codoku_env.envs.actions import ActionLayout, ActionTable
from codoku_env.envs.bounds import require_playable
from codoku_env.envs.encoding import Observation, encode_progress, encode_puzzle, observation_space
from codoku_env.envs.episode import Episode
from codoku_env.envs.viewer import describe
from codoku_env.errors import ConfigError
from codoku_env.puzzle.cells import Assignment
from codoku_env.puzzle.model import Puzzle
from codoku_env.synthesis import Profile, generate, get_profile

__all__ = ["CodokuEnv", "Generator"]

Generator = Callable[[Profile, int], Puzzle]
"""A supply of puzzles: from a profile and a seed to a puzzle within the profile's bounds, a pure function."""

STEPS_PER_CELL = 4
"""Default step limit of an episode, as a multiple of the puzzle's cells."""

SEED_LIMIT = 2**53
"""Puzzle seeds are drawn below this, so that they survive JSON readers that know only doubles."""

_GREATEST_SEED = 2**63 - 1
_MOST_STEPS = 2**31 - 1
_OPTIONS = ("puzzle", "puzzle_seed")


class CodokuEnv(gymnasium.Env[Any, Any]):
    """Fill the cells of a masked program one after another, in program order.

    **Action.** ``Discrete(n)`` over the profile's value table (``ActionLayout``). A refused action (of the wrong kind,
    outside the domain, or a spent constant) raises nothing: no cell is filled, the feedback says why, a step is gone.

    **Observation.** A dict of arrays of fixed size; ``observation_space`` in ``codoku_env.envs.encoding`` lists them.

    **Reward.** 1.0 when the last cell is filled and the checker's verdict is PASS, else 0.0.

    **End.** ``terminated`` when every cell is filled; ``truncated`` when the step limit is reached before that.

    **Info** of reset and step:

    | key | type | meaning |
    | --- | --- | --- |
    | puzzle_seed | int | the seed that the puzzle was generated from; -1 for a puzzle given in the options |
    | verdict | str or None | stage of the checker's verdict; None while a cell is unfilled |
    | feedback | str | what the last action did, or the whole verdict |
    | is_success | bool | whether the verdict is PASS |
    | action_mask | int8 (n,) | actions that are not refused now; all 0 only when no cell is left |
    | cell | int | the cell to fill now, -1 when none is left |
    | valid_action | bool | whether the last action was accepted; True after reset |

    Args:
        profile: Name of a profile, or a profile; its bounds fix the spaces.
        generator: Supply of puzzles; by default they are synthesized on the fly.
        max_steps: Step limit of an episode; by default 4 for each cell of the puzzle.
        render_mode: None, or "ansi" for ``render()`` to return the puzzle as text.

    Raises:
        ConfigError: An argument that is none of these.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 4}  # pyright: ignore[reportIncompatibleVariableOverride]

    def __init__(
        self,
        profile: str | Profile = "small",
        *,
        generator: Generator | None = None,
        max_steps: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ConfigError(f"expected a render_mode of {self.metadata['render_modes']}, got {render_mode!r}")
        if max_steps is not None and not _is_integer(max_steps, 1, _MOST_STEPS):
            raise ConfigError(f"expected max_steps from 1 to {_MOST_STEPS}, got {max_steps!r}")
        self.render_mode = render_mode
        self.profile = get_profile(profile)
        self.max_steps = max_steps
        self._generator = generator or generate
        self._layout = ActionLayout.of(self.profile)
        self.action_space = spaces.Discrete(self._layout.size)
        self.observation_space = observation_space(self.profile, max_steps or STEPS_PER_CELL * self.profile.max_cells)
        self._episode: Episode | None = None

    @property
    def episode(self) -> Episode:
        """The play of the puzzle up to now; a value, which later steps do not change.

        Raises:
            gymnasium.error.ResetNeeded: No episode has begun.
        """
        if self._episode is None:
            raise error.ResetNeeded("expected an episode that has begun: call reset() first")
        return self._episode

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle being played."""
        return self.episode.table.puzzle

    @property
    def assignment(self) -> Assignment:
        """Its present fills."""
        return self.episode.assignment

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode.

        Args:
            seed: Seeds the stream from which this and later puzzle seeds are drawn: the same seed, the same puzzles.
            options: ``{"puzzle_seed": int}`` plays the puzzle generated from that seed, 0 to 2**63 - 1;
                ``{"puzzle": Puzzle}`` plays the given one.

        Raises:
            ConfigError: Unknown options, or a puzzle beyond the bounds of the profile.
            SynthesisError: No puzzle could be generated.
        """
        super().reset(seed=seed)
        puzzle, puzzle_seed = self._supply(dict(options or {}))
        require_playable(puzzle, self.profile)
        self._puzzle_seed = puzzle_seed
        self._static = encode_puzzle(puzzle, self.profile)
        step_limit = self.max_steps or STEPS_PER_CELL * len(puzzle.cells)
        self._episode = Episode.begin(ActionTable(self._layout, puzzle), step_limit)
        return self._observe()

    def step(self, action: int | np.integer[Any]) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Put the fill that ``action`` stands for into the cell at the cursor.

        Raises:
            gymnasium.error.ResetNeeded: The episode has not begun or is over.
            gymnasium.error.InvalidAction: The action is not in the action space.
        """
        episode = self.episode
        if episode.terminated or episode.truncated:
            raise error.ResetNeeded("the episode is over: call reset() before the next step()")
        if not self.action_space.contains(action):
            raise error.InvalidAction(f"expected an action of {self.action_space}, got {action!r}")
        self._episode = episode = episode.step(int(action))
        observation, info = self._observe()
        return observation, float(episode.is_success), episode.terminated, episode.truncated, info

    def render(self) -> str | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The puzzle as text, when render_mode is "ansi"."""
        if self.render_mode is None:
            logger.warn("render() without a render_mode does nothing: make the environment with render_mode='ansi'")
            return None
        episode = self.episode
        return describe(episode.table.puzzle, episode.assignment, episode.cursor, episode.feedback)

    # The supply.

    def _supply(self, options: dict[str, Any]) -> tuple[Puzzle, int]:
        """The puzzle to play and the seed it was generated from, -1 for one that was given."""
        for name in options:
            if name not in _OPTIONS:
                raise ConfigError(f"expected options from {', '.join(_OPTIONS)}, got {name!r}")
        if len(options) > 1:
            raise ConfigError("expected either puzzle or puzzle_seed in the options, got both")
        if "puzzle" in options:
            puzzle = options["puzzle"]
            if not isinstance(puzzle, Puzzle):
                raise ConfigError(f"expected the option puzzle to be a Puzzle, got {type(puzzle).__name__}")
            return puzzle, -1
        if "puzzle_seed" in options:
            seed = options["puzzle_seed"]
            if not _is_integer(seed, 0, _GREATEST_SEED):
                raise ConfigError(f"expected the option puzzle_seed from 0 to {_GREATEST_SEED}, got {seed!r}")
        else:
            seed = self.np_random.integers(SEED_LIMIT)
        return self._generator(self.profile, int(seed)), int(seed)

    # What the agent sees.

    def _observe(self) -> tuple[Observation, dict[str, Any]]:
        """Observation and info, both made afresh."""
        episode = self.episode
        progress = encode_progress(
            episode.table, episode.assignment, episode.cursor, episode.step_limit - episode.steps, self.profile
        )
        info = {
            "puzzle_seed": self._puzzle_seed,
            "verdict": None if episode.verdict is None else str(episode.verdict.stage),
            "feedback": episode.feedback,
            "is_success": episode.is_success,
            "action_mask": progress["action_mask"].copy(),
            "cell": -1 if episode.cursor is None else episode.cursor,
            "valid_action": episode.valid,
        }
        return {name: array.copy() for name, array in self._static.items()} | progress, info


def _is_integer(value: object, least: int, most: int) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        return False
    return least <= int(cast(int, value)) <= most
