"""Building banks, such that a build that was stopped at any moment can be resumed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from codoku_env.bank.executors import Executor, Processes
from codoku_env.bank.shard import Prompt, Row, Settings, Shard, make_shard
from codoku_env.errors import ConfigError, SynthesisError
from codoku_env.puzzle import format_puzzle
from codoku_env.synthesis import Profile, get_profile
from codoku_env.synthesis.generator import z3_version
from codoku_env.version import __version__

__all__ = ["Progress", "Report", "build_bank", "parts_of"]

FORMAT_VERSION = 1

SEEDS_PER_SHARD = 32
"""What a kill costs at most, for each job."""

Progress = Callable[[int, int], None]
"""Called with the seeds done and the seeds in all: once at the start, then after each shard."""


@dataclass(frozen=True, slots=True)
class Report:
    """What became of a bank.

    Attributes:
        puzzles: Puzzles in the bank, no two of them equal.
        left_out: Seeds that gave no puzzle, or that of an earlier seed, each with the reason.
    """

    puzzles: int
    left_out: dict[int, str]


def build_bank(
    path: str | Path,
    profile: str | Profile = "small",
    count: int = 1000,
    *,
    start_seed: int = 0,
    prompt: Prompt = format_puzzle,
    with_witness: bool = False,
    executor: Executor | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Build a bank: a Parquet file with one row for each seed, in order of the seeds.

    Its bytes depend on profile, seeds, prompt, witness and the versions of codoku_env, z3 and pyarrow, and on nothing
    else. Until it is complete, there is only a directory ``PATH.parts``; the same call takes up what lies there. With
    a complete bank of the same settings at the path there is nothing to do.

    Args:
        path: The file.
        profile: A profile or the name of one.
        count: Number of seeds.
        start_seed: The first seed; the others follow it.
        prompt: Makes the column ``prompt``; a pure function of module level.
        with_witness: Add a column ``witness``; without it no witness is in the file.
        executor: Where puzzles are made; by default in one process besides this.
        force: Replace a bank that is there, and discard the parts of another one.
        progress: Told how far the work has come.

    Raises:
        ConfigError: Settings that do not exist or fit what is there, or pyarrow is not installed.
        SynthesisError: No seed gave a puzzle.
        WorkerError: A worker process ended early.
    """
    from codoku_env.bank.parquet import write_bank

    path = Path(path)
    settings = Settings(get_profile(profile), start_seed, count, with_witness, prompt, __version__, z3_version())
    parts = _Parts(parts_of(path), settings)
    if path.is_dir():
        raise ConfigError(f"expected a file to write to, {str(path)!r} is a directory")
    if os.path.lexists(path) and not force:
        about = _about(path)
        if about.get("settings") != settings.to_dict():
            raise ConfigError(f"expected no file {str(path)!r}, it would be overwritten (try --force)")
        parts.remove()
        left_out = dict(about["left_out"])
        return Report(count - len(left_out), left_out)
    parts.open(discard=force)
    parts.make(executor or Processes(), progress or _silent)
    left_out = parts.left_out()
    if len(left_out) == count:
        raise SynthesisError(f"no seed gave a puzzle; the first: {left_out[start_seed]}")
    about = {"format": FORMAT_VERSION, "settings": settings.to_dict(), "left_out": list(left_out.items())}
    with _whole(path, parts.directory) as temporary:
        write_bank(temporary, parts.rows(left_out), about)
    parts.remove()
    return Report(count - len(left_out), left_out)


def parts_of(path: Path) -> Path:
    """Where the parts of an unfinished bank lie."""
    return path.with_name(path.name + ".parts")


def _about(path: Path) -> dict[str, Any]:
    """What a bank tells about itself; nothing when the file is no bank."""
    from codoku_env.bank.parquet import BankFile

    try:
        return BankFile(path).about
    except ConfigError:
        return {}


def _silent(done: int, total: int) -> None:
    pass


class _Parts:
    """A directory with the settings of an unfinished bank and its finished shards: a file that exists is whole."""

    def __init__(self, directory: Path, settings: Settings) -> None:
        self.directory = directory
        self._settings = settings
        self._about = directory / "settings.json"
        seeds = settings.seeds
        self._shards = [seeds[i : i + SEEDS_PER_SHARD] for i in range(0, len(seeds), SEEDS_PER_SHARD)]

    def open(self, discard: bool) -> None:
        """Begin, or take up what is there.

        Raises:
            ConfigError: It belongs to another bank, or to somebody else.
        """
        found = self._found()
        if found is not None and found != self._settings.to_dict():
            if not discard:
                raise ConfigError(self._difference(found))
            self._delete()
        self.directory.mkdir(parents=True, exist_ok=True)
        if foreign := [name for name in os.listdir(self.directory) if found is None and not name.endswith(".tmp")]:
            raise ConfigError(f"expected parts of a bank in {str(self.directory)!r}, got {foreign[0]!r}: remove it")
        self._write(self._about, json.dumps(self._settings.to_dict(), indent=2, sort_keys=True).encode())

    def make(self, executor: Executor, progress: Progress) -> None:
        """Make the shards that are missing."""
        missing = [seeds for seeds in self._shards if not self._path(seeds).exists()]
        total = self._settings.count
        done = total - sum(map(len, missing))
        progress(done, total)
        with contextlib.closing(executor.map(partial(make_shard, self._settings), missing)) as made:
            for seeds, data in made:
                self._write(self._path(seeds), data)
                done += len(seeds)
                progress(done, total)

    def left_out(self) -> dict[int, str]:
        """The seeds without a row in the bank: those that failed, and those whose puzzle an earlier one gave."""
        reasons: dict[int, str] = {}
        first: dict[bytes, int] = {}
        for shard in self._load():
            reasons |= shard.left_out
            for row in shard.rows:
                seed = first.setdefault(hashlib.sha256(row["puzzle"].encode()).digest(), row["seed"])
                if seed != row["seed"]:
                    reasons[row["seed"]] = f"duplicate of the puzzle of seed {seed}"
        return dict(sorted(reasons.items()))

    def rows(self, left_out: dict[int, str]) -> Iterator[Row]:
        """All rows but those of seeds that are left out."""
        return (row for shard in self._load() for row in shard.rows if row["seed"] not in left_out)

    def remove(self) -> None:
        """Delete the directory, if it is that of these settings."""
        if self._found() == self._settings.to_dict():
            self._delete()

    def _delete(self) -> None:
        # The settings go last: whatever is left when this is interrupted is still known to be parts.
        for path in self.directory.iterdir():
            if path != self._about:
                path.unlink()
        self._about.unlink()
        self.directory.rmdir()

    def _found(self) -> dict[str, Any] | None:
        try:
            return dict(json.loads(self._about.read_bytes()))
        except FileNotFoundError:
            return None
        except (OSError, TypeError, ValueError) as error:
            raise ConfigError(f"expected settings in {str(self._about)!r}: {error} (remove the directory)") from None

    def _difference(self, found: dict[str, Any]) -> str:
        ours = _flat(self._settings.to_dict())
        found = _flat(found)
        name = next((name for name in ours if found.get(name) != ours[name]), "settings")
        return (
            f"expected the settings of the unfinished bank in {str(self.directory)!r} ({name} {found.get(name)!r}), "
            f"got {ours.get(name)!r}: give the same, or try --force to discard it"
        )

    def _path(self, seeds: range) -> Path:
        return self.directory / f"{seeds.start}-{seeds.stop}.json.gz"

    def _write(self, path: Path, data: bytes) -> None:
        with _whole(path, self.directory) as temporary:
            temporary.write_bytes(data)

    def _load(self) -> Iterator[Shard]:
        for seeds in self._shards:
            path = self._path(seeds)
            try:
                yield Shard.from_bytes(path.read_bytes())
            except (OSError, EOFError, ValueError, KeyError) as error:
                raise ConfigError(f"expected a shard in {str(path)!r}, remove it and start again: {error}") from None


def _flat(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings of the bank and of its profile side by side."""
    return {name: value for name, value in settings.items() if name != "config"} | settings.get("config", {})


@contextlib.contextmanager
def _whole(path: Path, directory: Path) -> Generator[Path]:
    """A file in the directory that takes the place of ``path`` when all of it is on the disk."""
    # The process's number keeps two builds of one bank from writing to the same file.
    temporary = directory / f"{path.name}.{os.getpid()}.tmp"
    yield temporary
    with open(temporary, "rb+") as file:
        os.fsync(file.fileno())
    os.replace(temporary, path)
