"""``codoku bank``: build banks of puzzles."""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from codoku_env.bank import Executor, Processes, Ray, Report, build_bank
from codoku_env.bank.build import parts_of
from codoku_env.cli.common import Commands, one_line, read_seed
from codoku_env.instruction import format_instruction
from codoku_env.puzzle import Puzzle, format_puzzle
from codoku_env.synthesis import Profile, get_profile

__all__ = ["add_parser", "format_prompt"]

_TOLD = 5
"""Seeds left out that are told one by one."""


def add_parser(commands: Commands) -> None:
    """Add the subcommand."""
    parser = commands.add_parser("bank", help="build banks of puzzles", description="Build banks of puzzles.")
    actions = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    build = actions.add_parser(
        "build",
        help="synthesize many puzzles into a Parquet file",
        description="Synthesize a puzzle for each of COUNT seeds into one Parquet file. What was stopped, in whatever "
        "way, is resumed by the same command. Seeds that give no puzzle, or that of an earlier seed, are told and left "
        "out. Needs the extra codoku_env[bank].",
    )
    build.add_argument("--profile", default="small", help="generation settings (default: %(default)s)")
    build.add_argument("--coverage", metavar="PARTS", help="none, blocks or edges (default: as the profile says)")
    build.add_argument("--count", type=_positive, required=True, metavar="N", help="number of seeds")
    build.add_argument("--start-seed", type=read_seed, default=0, metavar="S", help="the first seed (default: 0)")
    where = build.add_mutually_exclusive_group()
    where.add_argument("--jobs", type=_positive, default=_cpus(), metavar="N", help="processes (default: %(default)s)")
    where.add_argument("--ray", action="store_true", help="use a Ray cluster, that of RAY_ADDRESS if there is one")
    build.add_argument("--with-witness", action="store_true", help="store the witnesses as well, in a column")
    build.add_argument("--force", action="store_true", help="replace FILE, and discard parts of another bank")
    build.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="file to write")
    build.set_defaults(run=_build)


def format_prompt(puzzle: Puzzle) -> str:
    """The task as INSTRUCTION.md tells it, and the puzzle's file."""
    return f"{format_instruction(puzzle)}\n## puzzle.py\n\n```python\n{format_puzzle(puzzle)}```\n"


def _positive(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text, re.ASCII) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected an integer from 1 to 999999999, got {text!r}")
    return int(text)


def _cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _build(arguments: argparse.Namespace) -> int:
    executor: Executor = Ray() if arguments.ray else Processes(arguments.jobs)
    progress = _Progress()
    try:
        report = build_bank(
            arguments.output,
            _profile(arguments),
            arguments.count,
            start_seed=arguments.start_seed,
            prompt=format_prompt,
            with_witness=arguments.with_witness,
            executor=executor,
            force=arguments.force,
            progress=progress,
        )
    except KeyboardInterrupt:
        if progress.done is None:
            raise
        kept = f"{progress.done} of {arguments.count} seeds are done and kept in {str(parts_of(arguments.output))!r}"
        raise KeyboardInterrupt(f"interrupted: {kept}; the same command resumes") from None
    _tell(report, arguments.output)
    return 0


def _profile(arguments: argparse.Namespace) -> Profile:
    profile = get_profile(arguments.profile)
    if arguments.coverage is None:
        return profile
    return replace(profile, coverage=None if arguments.coverage == "none" else arguments.coverage)


def _tell(report: Report, path: Path) -> None:
    left_out = report.left_out
    for seed, reason in list(left_out.items())[:_TOLD]:
        print(f"left out seed {seed}: {one_line(reason)}", file=sys.stderr)
    if len(left_out) > _TOLD:
        print(f"left out {len(left_out) - _TOLD} more (Bank.left_out has them all)", file=sys.stderr)
    print(f"wrote {path}: {report.puzzles} puzzles, no two equal, {len(left_out)} seeds left out", file=sys.stderr)


class _Progress:
    """Tells on stderr how far the work has come and when it will be done."""

    _INTERVAL = 2.0
    """Seconds between two lines."""

    def __init__(self) -> None:
        self.done: int | None = None
        self._first: tuple[int, float] | None = None
        self._told = float("-inf")

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        self.done = done
        if self._first is None:
            self._first = (done, now)
        if done < total and now - self._told < self._INTERVAL:
            return
        self._told = now
        text = f"{done}/{total} seeds"
        made, seconds = done - self._first[0], now - self._first[1]
        if made and seconds:
            rate = made / seconds
            text += f", {rate:.1f}/s, {timedelta(seconds=round((total - done) / rate))} left"
        print(text, file=sys.stderr, flush=True)
