"""Checks per second on generated puzzles, by verdict; everything is measured in one run.

python scripts/bench_check.py --profiles tiny small --seeds 20 --rounds 20
"""

import argparse
import random
import statistics
import time

from codoku_env.checking import Checker
from codoku_env.puzzle import Assignment, Puzzle, format_program
from codoku_env.synthesis import PROFILES, generate_with_witness


def candidates(puzzle: Puzzle, witness: Assignment, seed: int) -> dict[str, list[str | Assignment]]:
    """Candidates of each form: the witness, and witnesses with one cell refilled at random."""
    rng = random.Random(seed)
    changed: list[Assignment] = []
    for _ in range(10):
        cell = rng.choice(puzzle.cells)
        changed.append(witness.replace(cell.index, rng.choice(puzzle.domain(cell))))
    return {
        "witness, text": [format_program(puzzle, witness)],
        "witness, assignment": [witness],
        "one cell changed, text": [format_program(puzzle, assignment) for assignment in changed],
        "one cell changed, assignment": list(changed),
    }


def main() -> None:
    """Print a table of median and 95th percentile milliseconds per check, and checks per second."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profiles", nargs="+", default=["tiny", "small"], choices=list(PROFILES))
    parser.add_argument("--seeds", type=int, default=20, help="puzzles per profile (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=20, help="checks of each candidate (default %(default)s)")
    arguments = parser.parse_args()
    print(f"{'profile':8} {'candidate':30} {'median ms':>10} {'p95 ms':>8} {'checks/s':>9}")
    for profile in arguments.profiles:
        times: dict[str, list[float]] = {}
        for seed in range(arguments.seeds):
            puzzle, witness = generate_with_witness(profile, seed)
            checker = Checker(puzzle)
            for form, forms in candidates(puzzle, witness, seed).items():
                for candidate in forms:
                    for _ in range(arguments.rounds):
                        start = time.perf_counter()
                        checker.check(candidate)
                        times.setdefault(form, []).append(time.perf_counter() - start)
        for form, seconds in times.items():
            seconds.sort()
            p95 = seconds[int(len(seconds) * 0.95)]
            rate = len(seconds) / sum(seconds)
            print(f"{profile:8} {form:30} {statistics.median(seconds) * 1e3:10.2f} {p95 * 1e3:8.2f} {rate:9.0f}")


if __name__ == "__main__":
    main()
