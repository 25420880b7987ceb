"""What a check may cost."""

from __future__ import annotations

from dataclasses import dataclass

from codoku_env.errors import ConfigError
from codoku_env.puzzle.cells import MAX_INT_BITS

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on a candidate and on its execution. All but ``wall_seconds`` are deterministic.

    Attributes:
        max_bytes: Size of a candidate's text in UTF-8 bytes; more is BASICS.
        max_steps: Block visits and loop laps of all examples together; more is LIMIT.
        max_int_bits: Bits of an integer that ``+``, ``-``, ``*``, ``<<`` or ``**`` makes; more is LIMIT.
        wall_seconds: Wall time of one example, a last resort that the other bounds keep out of reach; more is LIMIT.
    """

    max_bytes: int = 1 << 18
    max_steps: int = 100_000
    max_int_bits: int = MAX_INT_BITS
    wall_seconds: float = 5.0

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            kinds = (int, float) if name == "wall_seconds" else (int,)
            if isinstance(value, bool) or not isinstance(value, kinds) or not value >= 0:
                raise ConfigError(f"expected {name} to be a number of at least 0, got {value!r}")
