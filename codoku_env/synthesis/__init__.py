"""The generator: from a seed to a puzzle. Importing this package does not load z3."""

from codoku_env.synthesis.generator import Witness, generate, generate_with_witness, reify
from codoku_env.synthesis.profiles import PROFILES, Profile, get_profile

__all__ = ["PROFILES", "Profile", "Witness", "generate", "generate_with_witness", "get_profile", "reify"]
