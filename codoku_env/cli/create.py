"""``codoku create``: synthesize puzzles and write them to disk."""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from codoku_env.cli.common import Commands, read_seed
from codoku_env.errors import ConfigError
from codoku_env.instruction import format_instruction
from codoku_env.metrics import measure
from codoku_env.puzzle import Assignment, Puzzle, format_program, format_puzzle, to_json

__all__ = ["add_parser"]

_ORACLE = "The folder `oracle/` is for those who evaluate: do not open it.\n"

_ENTRIES = ("oracle", "INSTRUCTION.md", "puzzle.py")
"""What a puzzle's directory holds. The puzzle is moved in last: where it is, all is."""


@dataclass(frozen=True, slots=True)
class _Job:
    """One puzzle to create, and the directory to write it to."""

    profile: str
    seed: int
    target: Path


def add_parser(commands: Commands) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "create",
        help="synthesize puzzles",
        description="Synthesize puzzles. DIR gets puzzle.py, INSTRUCTION.md, oracle/witness.py and "
        "oracle/metadata.json; with --count or --seeds, each puzzle gets a directory DIR/PROFILE-SEED of its own.",
    )
    parser.add_argument("--profile", default="small", help="generation settings (default: %(default)s)")
    seeds = parser.add_mutually_exclusive_group()
    seeds.add_argument("--seed", type=read_seed, default=0, metavar="N", help="seed of the first puzzle (default: 0)")
    seeds.add_argument("--seeds", type=_seeds, metavar="A:B", help="one puzzle for each seed from A to B - 1")
    parser.add_argument("--count", type=_count, metavar="N", help="puzzles to create, with seeds SEED, SEED + 1, ...")
    parser.add_argument("--standalone", action="store_true", help="write the run-time helpers into the files")
    parser.add_argument("--force", action="store_true", help="replace puzzles that are already there")
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="directory to write to")
    parser.set_defaults(run=_run)


def _count(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,6}", text, re.ASCII) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected an integer from 1 to 999999, got {text!r}")
    return int(text)


def _seeds(text: str) -> range:
    match = re.fullmatch(r"([0-9]{1,18}):([0-9]{1,18})", text, re.ASCII)
    if match is None or not (seeds := range(int(match[1]), int(match[2]))):
        raise argparse.ArgumentTypeError(f"expected A:B with integers 0 <= A < B, got {text!r}")
    return seeds


def _run(arguments: argparse.Namespace) -> int:
    # Solving needs z3; the other subcommands start without it.
    from codoku_env.synthesis import generate_with_witness, get_profile

    profile = get_profile(arguments.profile)
    jobs = _jobs(arguments, profile.name)
    for job in jobs:
        _require_free(job.target, arguments.force)
    with _interrupts_held() as let_through:
        for number, job in enumerate(jobs, 1):
            _tell(f"[{number}/{len(jobs)}] {job.profile}, seed {job.seed}: synthesizing")
            start = time.perf_counter()
            with _staged(job.target, arguments.force) as stage:
                puzzle, witness = generate_with_witness(profile, job.seed)
                let_through()
                _write(stage, puzzle, witness, arguments.standalone)
            seconds = time.perf_counter() - start
            _tell(f"[{number}/{len(jobs)}] wrote {job.target} ({len(puzzle.cells)} cells, {seconds:.1f} s)")
            let_through()
    return 0


@contextmanager
def _interrupts_held() -> Generator[Callable[[], None]]:
    """Hold the first Ctrl-C back until the function that this yields is called; a second one interrupts at once.

    An interrupt anywhere in the solver's wrapper or in the making of a directory would leave traces of the half-done.
    """
    held: list[int] = []

    def hold(number: int, frame: FrameType | None) -> None:
        if held:
            raise KeyboardInterrupt
        held.append(number)

    def let_through() -> None:
        if held:
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():  # signals reach the main thread only
        yield let_through
        return
    before = signal.signal(signal.SIGINT, hold)
    try:
        yield let_through
    finally:
        signal.signal(signal.SIGINT, before)


def _jobs(arguments: argparse.Namespace, profile: str) -> list[_Job]:
    if arguments.seeds is not None and arguments.count is not None:
        raise ConfigError("expected --seeds or --count, got both")
    target = Path(arguments.output)
    if arguments.seeds is None and arguments.count is None:
        return [_Job(profile, arguments.seed, target)]
    seeds = arguments.seeds or range(arguments.seed, arguments.seed + arguments.count)
    return [_Job(profile, seed, target / f"{profile}-{seed}") for seed in seeds]


def _tell(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def _write(stage: Path, puzzle: Puzzle, witness: Assignment, standalone: bool) -> None:
    metadata = {**json.loads(to_json(puzzle, witness=witness)), "metrics": measure(puzzle, witness)}
    texts = {
        "puzzle.py": format_puzzle(puzzle, standalone=standalone),
        "INSTRUCTION.md": f"{format_instruction(puzzle)}\n{_ORACLE}",
        "oracle/witness.py": format_program(puzzle, witness, standalone=standalone),
        "oracle/metadata.json": json.dumps(metadata, indent=2) + "\n",
    }
    for name, text in texts.items():
        path = stage / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


# Nothing half-written: a puzzle is written to a new directory beside its target and renamed when complete.


def _require_free(target: Path, force: bool) -> None:
    """Raise ConfigError unless the target can be written without losing anything that was not given up by force."""
    taken = [name for name in _ENTRIES if os.path.lexists(target / name)]
    if taken and not force:
        raise ConfigError(f"expected no {taken[-1]} in {str(target)!r}, it would be overwritten (try --force)")


@contextmanager
def _staged(target: Path, force: bool) -> Generator[Path]:
    """A new directory whose content becomes the target's when the block ends well; after any other end it is gone.

    It lies in the target, or in the nearest directory above it that exists: on the same file system, and where the
    user may write. Directories are made only once there is something to put in them.
    """
    try:
        nearest = _nearest(target)
        with tempfile.TemporaryDirectory(prefix=".codoku-", dir=nearest, ignore_cleanup_errors=True) as name:
            temporary = Path(name)
            stage = temporary / "new"
            stage.mkdir()
            yield stage
            _require_free(target, force)
            _install(stage, target, temporary)
    except OSError as error:
        raise ConfigError(f"expected a directory to write to, got {str(target)!r}: {error.strerror or error}") from None


def _nearest(target: Path) -> Path:
    return next(path for path in (target, *target.absolute().parents) if os.path.lexists(path))


def _install(stage: Path, target: Path, temporary: Path) -> None:
    """Move the stage to the target; what lay there before moves to ``temporary``. All of it, or nothing."""
    if not os.path.lexists(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        os.rename(stage, target)
        return
    done: list[tuple[Path, Path]] = []
    try:
        for name in _ENTRIES:
            for source, goal in ((target / name, temporary / name), (stage / name, target / name)):
                if os.path.lexists(source):
                    os.rename(source, goal)
                    done.append((source, goal))
    except BaseException:
        for source, goal in reversed(done):
            os.rename(goal, source)
        raise
