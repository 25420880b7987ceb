"""Endlessly renewed program-reasoning puzzles as a Gymnasium environment.

Importing the package registers the environment ids and loads no solver.
"""

from codoku_env.checking import Checker, Limits, Stage, Verdict, check
from codoku_env.envs import CodokuEnv, register_envs
from codoku_env.errors import CodokuError, ConfigError, PuzzleFormatError, SynthesisError
from codoku_env.metrics import measure
from codoku_env.puzzle import (
    CFG,
    Assignment,
    Cell,
    Constant,
    Example,
    Kind,
    Puzzle,
    format_program,
    format_puzzle,
    from_json,
    load_puzzle,
    parse_puzzle,
    to_json,
)
from codoku_env.synthesis import PROFILES, Profile, Witness, generate, generate_with_witness, get_profile, reify
from codoku_env.version import __version__

__all__ = [
    "CFG",
    "PROFILES",
    "Assignment",
    "Cell",
    "Checker",
    "CodokuEnv",
    "CodokuError",
    "ConfigError",
    "Constant",
    "Example",
    "Kind",
    "Limits",
    "Profile",
    "Puzzle",
    "PuzzleFormatError",
    "Stage",
    "SynthesisError",
    "Verdict",
    "Witness",
    "__version__",
    "check",
    "format_program",
    "format_puzzle",
    "from_json",
    "generate",
    "generate_with_witness",
    "get_profile",
    "load_puzzle",
    "measure",
    "parse_puzzle",
    "reify",
    "to_json",
]

register_envs()
