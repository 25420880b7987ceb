"""Time the generator: CPU seconds per puzzle on one core, from seed to checked puzzle, all attempts included.

python scripts/bench_generate.py --profiles tiny small --seeds 200
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from codoku_env.errors import ConfigError, SynthesisError
from codoku_env.synthesis import PROFILES, generate, generator, get_profile, smt
from codoku_env.synthesis.program import Program

Solve = Callable[[str, int, int], dict[str, int] | None]


@dataclass
class Tally:
    """What one profile took.

    Attributes:
        seconds: CPU seconds of each puzzle.
        attempts: Programs drawn for each puzzle.
        solving: CPU seconds in the solver.
        failed: Seeds for which no puzzle was found.
    """

    seconds: list[float] = field(default_factory=list[float])
    attempts: list[int] = field(default_factory=list[int])
    solving: float = 0.0
    failed: list[int] = field(default_factory=list[int])
    drawn: int = 0

    def counted(self, populate: Callable[..., Program]) -> Callable[..., Program]:
        """``populate``, counted."""

        def counting(*arguments: object) -> Program:
            self.drawn += 1
            return populate(*arguments)

        return counting

    def timed(self, solve: Solve) -> Solve:
        """``solve``, timed."""

        def timing(script: str, rlimit: int, seed: int) -> dict[str, int] | None:
            start = time.process_time()
            try:
                return solve(script, rlimit, seed)
            finally:
                self.solving += time.process_time() - start

        return timing

    def row(self, name: str) -> str:
        """The figures as one line of the table."""
        total = sum(self.seconds)
        figures = (
            len(self.seconds) / total,
            quantile(self.seconds, 0.5),
            quantile(self.seconds, 0.95),
            max(self.seconds),
            sum(self.attempts) / len(self.attempts),
            self.solving / total,
            len(self.failed),
        )
        return "{:<10}{:>12.1f}{:>10.4f}{:>10.4f}{:>10.4f}{:>17.2f}{:>8.0%}{:>8}".format(name, *figures)


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def measure(name: str, seeds: int) -> Tally:
    """Generate puzzles of seeds 0 to ``seeds`` - 1."""
    tally = Tally()
    solve, populate = smt.solve, generator.populate
    smt.solve, generator.populate = tally.timed(solve), tally.counted(populate)
    try:
        for seed in range(seeds):
            drawn, start = tally.drawn, time.process_time()
            try:
                generate(name, seed)
            except SynthesisError:
                tally.failed.append(seed)
            tally.seconds.append(time.process_time() - start)
            tally.attempts.append(tally.drawn - drawn)
    finally:
        smt.solve, generator.populate = solve, populate
    return tally


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Time the generator (CPU seconds, one core).")
    parser.add_argument("--profiles", nargs="+", default=list(PROFILES), help="names of profiles")
    parser.add_argument("--seeds", type=int, default=200, help="puzzles per profile, from seed 0")
    arguments = parser.parse_args()
    if arguments.seeds < 1:
        parser.error("--seeds: expected at least 1")
    try:
        names = [get_profile(name).name for name in arguments.profiles]
    except ConfigError as error:
        parser.error(str(error))
    print("profile       puzzles/s    median       p95       max  attempts/puzzle   in z3  failed")
    for name in names:
        print(measure(name, arguments.seeds).row(name), flush=True)


if __name__ == "__main__":
    main()
