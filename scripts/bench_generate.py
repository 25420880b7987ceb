"""Time the generator: CPU milliseconds per puzzle on one core, from seed to checked puzzle, all attempts included.

One row per profile, strategy and coverage; every program drawn is an attempt. ``covered`` is the share of the puzzles
whose examples execute every block, or every edge.

python scripts/bench_generate.py --profiles small medium large --seeds 300
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from codoku_env.errors import ConfigError, SynthesisError
from codoku_env.synthesis import PROFILES, Profile, generate, get_profile, hybrid, smt, wholepath
from codoku_env.synthesis.coverage import covered_share
from codoku_env.synthesis.program import Program

Solve = Callable[[str, int, int], dict[str, int] | None]

_WAYS = {
    "hybrid": ("hybrid", None),
    "hybrid, blocks": ("hybrid", "blocks"),
    "hybrid, edges": ("hybrid", "edges"),
    "smt": ("smt", None),
}
"""Strategy and coverage by what the row is called."""


@dataclass
class Tally:
    """What the puzzles of one profile took.

    Attributes:
        seconds: CPU seconds of each puzzle.
        drawn: Programs drawn for all of them.
        solving: CPU seconds in the solver.
        covered: For each puzzle whether its examples execute all that they should.
        failed: Seeds for which no puzzle was found.
    """

    seconds: list[float] = field(default_factory=list[float])
    drawn: int = 0
    solving: float = 0.0
    covered: list[bool] = field(default_factory=list[bool])
    failed: list[int] = field(default_factory=list[int])

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

    def row(self) -> str:
        """The figures as columns of the table."""
        total = sum(self.seconds)
        figures = (
            quantile(self.seconds, 0.5) * 1e3,
            quantile(self.seconds, 0.95) * 1e3,
            max(self.seconds) * 1e3,
            len(self.seconds) / total,
            self.drawn / len(self.seconds),
            self.solving / total,
            len(self.failed),
        )
        covered = f"{sum(self.covered) / len(self.covered):9.1%}" if self.covered else f"{'-':>9}"
        return "{:>8.1f}{:>8.1f}{:>9.1f}{:>11.1f}{:>17.2f}{:>7.0%}{:>8}".format(*figures) + covered


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def measure(profile: Profile, seeds: int) -> Tally:
    """Generate puzzles of seeds 0 to ``seeds`` - 1."""
    tally = Tally()
    solve, populate = smt.solve, hybrid.populate
    smt.solve, hybrid.populate = tally.timed(solve), tally.counted(populate)
    wholepath.populate = hybrid.populate
    try:
        for seed in range(seeds):
            start = time.process_time()
            try:
                puzzle = generate(profile, seed)
            except SynthesisError:
                tally.failed.append(seed)
            else:
                if profile.coverage:
                    paths = [example.path for example in puzzle.examples]
                    tally.covered.append(covered_share(puzzle.cfg, paths, profile.coverage) == 1)
            tally.seconds.append(time.process_time() - start)
    finally:
        smt.solve, hybrid.populate, wholepath.populate = solve, populate, populate
    return tally


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profiles", nargs="+", default=list(PROFILES), help="names of profiles")
    parser.add_argument("--seeds", type=int, default=200, help="puzzles per row, from seed 0")
    parser.add_argument("--ways", nargs="+", choices=_WAYS, default=list(_WAYS), help="strategies and coverages")
    arguments = parser.parse_args()
    if arguments.seeds < 1:
        parser.error("--seeds: expected at least 1")
    try:
        profiles = [get_profile(name) for name in arguments.profiles]
    except ConfigError as error:
        parser.error(str(error))
    print(f"{'':24}  median     p95      max  puzzles/s  attempts/puzzle  in z3  failed  covered")
    for profile in profiles:
        generate(profile, 0)  # what is loaded once counts for no puzzle
        for way in arguments.ways:
            strategy, coverage = _WAYS[way]
            tally = measure(replace(profile, strategy=strategy, coverage=coverage), arguments.seeds)
            print(f"{profile.name:<10}{way:<14}{tally.row()}", flush=True)


if __name__ == "__main__":
    main()
