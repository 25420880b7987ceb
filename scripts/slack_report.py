"""Measure slack: the share of single changes to the witness that still pass, by kind, on and off the path.

A change is another value of the domain for an ID, OP, FUNC, CTRL or LABEL cell, and an exchange of two different
constants for CONST cells. A cell is on the path when an example executes its block, or it stands before entry; an
exchange is when both of its cells are.

python scripts/slack_report.py --profiles tiny small --seeds 100 --samples 60
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from codoku_env.checking import Checker
from codoku_env.errors import ConfigError
from codoku_env.puzzle import Assignment, Cell, Kind, Puzzle
from codoku_env.synthesis import Profile, generate_with_witness, get_profile

_ALL = "all"
_COVERAGES = (None, "blocks", "edges")


@dataclass
class Tally:
    """Changes tried and passed, by kind and whether they are on the path."""

    tried: dict[tuple[str, bool], int] = field(default_factory=dict[tuple[str, bool], int])
    passed: dict[tuple[str, bool], int] = field(default_factory=dict[tuple[str, bool], int])

    def add(self, kind: str, on_path: bool, passed: bool) -> None:
        """Count one change."""
        for key in ((kind, on_path), (_ALL, on_path)):
            self.tried[key] = self.tried.get(key, 0) + 1
            self.passed[key] = self.passed.get(key, 0) + passed

    def share(self, kind: str, *sides: bool) -> str:
        """Share of the changes that passed, and of how many."""
        tried = sum(self.tried.get((kind, side), 0) for side in sides)
        passed = sum(self.passed.get((kind, side), 0) for side in sides)
        return f"{passed / tried:6.1%} of {tried:<6}" if tried else f"{'-':>6}{'':10}"


def executed_rows(puzzle: Puzzle) -> list[bool]:
    """For each line of the body whether it stands before entry or in a block that an example visits."""
    visited = {label for example in puzzle.examples for label in example.path}
    rows: list[bool] = []
    on_path = True
    for line in puzzle.body.lines:
        on_path = line.blocks[-1] in visited if line.blocks else on_path
        rows.append(on_path)
    return rows


def changes(puzzle: Puzzle, witness: Assignment, samples: int, rng: random.Random) -> Iterator[tuple[Cell, Assignment]]:
    """Sampled cells, each with a witness changed in it; an exchange of constants changes a second cell."""
    constants = [cell for cell in puzzle.cells if cell.kind is Kind.CONST]
    for _ in range(samples):
        cell = rng.choice(puzzle.cells)
        fill = witness.fills[cell.index]
        if cell.kind is Kind.CONST:
            others = [other for other in constants if witness.fills[other.index] != fill]
            if others:
                other = rng.choice(others)
                exchanged = witness.replace(cell.index, str(witness.fills[other.index]))
                yield cell, exchanged.replace(other.index, str(fill))
        elif others := [value for value in puzzle.domain(cell) if value != fill]:
            yield cell, witness.replace(cell.index, rng.choice(others))


def measure(profile: Profile, seeds: int, samples: int) -> Tally:
    """Change the witnesses of seeds 0 to ``seeds`` - 1, each ``samples`` times."""
    tally = Tally()
    for seed in range(seeds):
        puzzle, witness = generate_with_witness(profile, seed)
        checker, rows = Checker(puzzle), executed_rows(puzzle)
        for cell, changed in changes(puzzle, witness, samples, random.Random(seed)):
            pairs = zip(witness.fills, changed.fills, puzzle.body.cell_rows, strict=True)
            on_path = all(rows[row] for before, after, row in pairs if before != after)
            tally.add(cell.kind, on_path, checker.check(changed).passed)
    return tally


def main() -> None:
    """Print one table per profile and coverage."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profiles", nargs="+", default=["small"], help="names of profiles")
    parser.add_argument("--seeds", type=int, default=100, help="puzzles per profile, from seed 0")
    parser.add_argument("--samples", type=int, default=60, help="changes per puzzle")
    arguments = parser.parse_args()
    try:
        profiles = [get_profile(name) for name in arguments.profiles]
    except ConfigError as error:
        parser.error(str(error))
    for profile in profiles:
        for coverage in _COVERAGES:
            tally = measure(replace(profile, coverage=coverage), arguments.seeds, arguments.samples)
            print(f"{profile.name}, coverage {coverage}")
            print(f"  {'kind':<6} {'on the path':<17} {'off the path':<17} all")
            for kind in (*Kind, _ALL):
                columns = (tally.share(kind, True), tally.share(kind, False), tally.share(kind, True, False))
                print(f"  {kind:<6}", *columns, flush=True)


if __name__ == "__main__":
    main()
