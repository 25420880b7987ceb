"""Gymnasium environments: thin shells that translate between agents and the layers below."""

from codoku_env.envs.codoku import CodokuEnv
from codoku_env.envs.registration import ENV_IDS, register_envs
from codoku_env.envs.viewer import describe

__all__ = ["ENV_IDS", "CodokuEnv", "describe", "register_envs"]
