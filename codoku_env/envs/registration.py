"""The ids that ``gymnasium.make`` knows once ``codoku_env`` is imported."""

from __future__ import annotations

import gymnasium

__all__ = ["ENV_IDS", "register_envs"]

ENV_IDS: tuple[str, ...] = ("Codoku-tiny-v0", "Codoku-small-v0", "Codoku-medium-v0", "Codoku-large-v0")
"""The registered ids; the word in the middle is the profile."""


def register_envs() -> None:
    """Register every id of ENV_IDS; ids that are registered already are left alone."""
    for env_id in ENV_IDS:
        if env_id not in gymnasium.registry:
            profile = env_id.split("-")[1]
            gymnasium.register(  # pyright: ignore[reportUnknownMemberType]
                env_id, entry_point="codoku_env.envs.codoku:CodokuEnv", kwargs={"profile": profile}
            )
