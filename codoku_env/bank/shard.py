"""What a bank is made from: settings, and shards, which are the rows of a few seeds."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from codoku_env.errors import ConfigError
from codoku_env.metrics import measure
from codoku_env.puzzle import Puzzle, format_puzzle
from codoku_env.synthesis import Profile, generate_with_witness

__all__ = ["Prompt", "Row", "Settings", "Shard", "make_shard"]

Prompt = Callable[[Puzzle], str]
"""The prompt of a puzzle: a pure function of module level, so that workers can import it."""

Row = dict[str, Any]
"""One puzzle, by column: int, float, str, or a list of str."""

GREATEST_SEED = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Settings:
    """All that the content of a bank depends on.

    Attributes:
        profile: Settings of the generator.
        start_seed: The first seed, from 0.
        count: Number of seeds, at least 1.
        with_witness: Whether rows have the witness.
        prompt: Makes the prompts.
        generator_version: Version of codoku_env.
        z3_version: Version of the solver.

    Raises:
        ConfigError: Seeds out of range.
    """

    profile: Profile
    start_seed: int
    count: int
    with_witness: bool
    prompt: Prompt
    generator_version: str
    z3_version: str

    def __post_init__(self) -> None:
        if self.start_seed < 0 or self.count < 1 or self.start_seed + self.count - 1 > GREATEST_SEED:
            raise ConfigError(
                f"expected a count of at least 1 and seeds from 0 to {GREATEST_SEED}, "
                f"got start seed {self.start_seed} and count {self.count}"
            )

    @property
    def seeds(self) -> range:
        """The seeds, one puzzle each."""
        return range(self.start_seed, self.start_seed + self.count)

    def to_dict(self) -> dict[str, object]:
        """JSON-ready data that is equal for settings that make equal banks."""
        return {
            "start_seed": self.start_seed,
            "count": self.count,
            "with_witness": self.with_witness,
            "prompt": f"{self.prompt.__module__}.{self.prompt.__qualname__}",
            "generator_version": self.generator_version,
            "z3_version": self.z3_version,
            "config": json.loads(json.dumps(self.profile.to_dict())),
        }


@dataclass(frozen=True, slots=True)
class Shard:
    """The rows of some seeds.

    Attributes:
        rows: One for each seed that gave a puzzle, by seed.
        left_out: The other seeds, each with the reason.
    """

    rows: list[Row]
    left_out: dict[int, str]

    def to_bytes(self) -> bytes:
        """The shard as compressed JSON; ``from_bytes`` reads it back."""
        data = {"rows": self.rows, "left_out": list(self.left_out.items())}
        return gzip.compress(json.dumps(data).encode(), compresslevel=1, mtime=0)

    @staticmethod
    def from_bytes(data: bytes) -> Shard:
        """The shard that ``to_bytes`` wrote.

        Raises:
            OSError, EOFError, ValueError, KeyError: The data is damaged.
        """
        loaded = json.loads(gzip.decompress(data))
        return Shard(loaded["rows"], dict(loaded["left_out"]))


def make_shard(settings: Settings, seeds: Sequence[int]) -> bytes:
    """The shard of some seeds, as bytes; a pure function.

    Whatever goes wrong with a seed is kept as the reason for which it is left out.
    """
    shard = Shard([], {})
    for seed in seeds:
        try:
            shard.rows.append(_row(settings, seed))
        except (MemoryError, _OtherVersionError):
            raise
        except Exception as error:
            shard.left_out[seed] = f"{type(error).__name__}: {error}"
    return shard.to_bytes()


class _OtherVersionError(ConfigError):
    """A worker has other versions than the process that it works for."""


def _row(settings: Settings, seed: int) -> Row:
    puzzle, witness = generate_with_witness(settings.profile, seed)
    origin = puzzle.provenance
    if origin is None:
        raise ValueError("expected a puzzle that has its provenance")
    versions = (origin.generator_version, origin.z3_version)
    if versions != (settings.generator_version, settings.z3_version):
        raise _OtherVersionError(
            f"expected codoku_env {settings.generator_version} and z3 {settings.z3_version} on every machine, "
            "got {} and {}".format(*versions)
        )
    return {
        "seed": seed,
        "profile": origin.profile,
        "puzzle": format_puzzle(puzzle),
        "prompt": settings.prompt(puzzle),
        **({"witness": list(witness.fills)} if settings.with_witness else {}),
        **measure(puzzle, witness),
        "generator_version": origin.generator_version,
        "z3_version": origin.z3_version,
        "config": json.dumps(origin.config, sort_keys=True),
    }
