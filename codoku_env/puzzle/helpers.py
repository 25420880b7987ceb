"""Which run-time helpers puzzle code may call, and the prologue that brings them into scope."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable

from codoku_env import runtime

__all__ = ["FIXED_HELPERS", "HELPERS", "INTRINSICS", "RESERVED", "import_prologue", "standalone_prologue"]

FIXED_HELPERS: tuple[str, ...] = ("cast_int", "checksum")
"""Layout helpers: always visible, never the fill of a cell."""

INTRINSICS: tuple[str, ...] = (
    *("sat_add", "sat_sub", "sat_mul", "min_int", "max_int", "abs_diff", "rotate_left", "rotate_right"),
    *("abs_int", "sign_int", "popcount", "leading_zeros", "trailing_zeros", "reverse_bits", "clamp_int"),
    *("min_float", "max_float", "copysign", "abs_float", "floor_float"),
)
"""What FUNC cells choose from when a puzzle does not narrow it."""

HELPERS: tuple[str, ...] = FIXED_HELPERS + INTRINSICS

RESERVED: frozenset[str] = frozenset(name for name, value in vars(runtime).items() if inspect.isfunction(value))
"""Names of all functions of the run-time; neither a variable nor a puzzle's function can have one."""

_SHARED = ("require_bits", "require_int", "cast_int", "saturate", "require_float")


def helper(name: str) -> Callable[..., int | float]:
    """The run-time function called ``name``, one of HELPERS."""
    return getattr(runtime, name)


def import_prologue(names: Iterable[str]) -> str:
    """The import line through which code that calls ``names`` runs."""
    return f"from codoku_env.runtime import {', '.join(sorted(set(names)))}\n"


def standalone_prologue(names: Iterable[str]) -> str:
    """Source of the helpers ``names`` and of what they call, in a fixed order."""
    names = set(names)
    shared = _SHARED if names & set(INTRINSICS) else _SHARED[:1]
    needed = [name for name in dict.fromkeys((*_SHARED, *HELPERS)) if name in names or name in shared]
    return "\n\n".join(inspect.getsource(getattr(runtime, name)) for name in needed)
