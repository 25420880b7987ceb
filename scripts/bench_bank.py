"""Time banks: puzzles built per second, and what reading one by a random index takes.

python scripts/bench_bank.py --profile small --count 1000 --jobs 2
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from codoku_env.bank import Bank, Processes, build_bank
from codoku_env.cli.bank import format_prompt
from codoku_env.errors import ConfigError
from codoku_env.puzzle import parse_puzzle
from codoku_env.synthesis import get_profile


def times(call: Callable[[int], object], arguments: Iterable[int]) -> list[float]:
    """Milliseconds of each call, least first."""
    taken: list[float] = []
    for argument in arguments:
        start = time.perf_counter()
        call(argument)
        taken.append(1000 * (time.perf_counter() - start))
    return sorted(taken)


def tell(name: str, taken: Sequence[float]) -> None:
    median, p95 = taken[len(taken) // 2], taken[int(0.95 * len(taken))]
    print(f"{name:<44}{median:>9.3f}{p95:>9.3f}{sum(taken) / len(taken):>9.3f}", flush=True)


def read(path: Path, reads: int) -> None:
    """Print what reading takes."""
    rng = random.Random(0)
    tell("open", times(lambda _: Bank(path), range(5)))
    bank = Bank(path)
    indices = [rng.randrange(len(bank)) for _ in range(reads)]
    texts = [row["puzzle"] for row in bank.rows(["puzzle"])]
    # The file keeps rows as text; what lies between it and Bank.__getitem__ is parsing.
    file = bank._file  # pyright: ignore[reportPrivateUsage]
    tell("row, at first (its group is read)", times(file.row, indices))
    tell("row, its group cached", times(file.row, indices))
    tell("parse_puzzle", times(lambda index: parse_puzzle(texts[index]), indices))
    tell("bank[i]", times(lambda index: bank[index], indices))


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="Time banks.")
    parser.add_argument("--profile", default="small", help="name of a profile")
    parser.add_argument("--count", type=int, default=1000, help="puzzles")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--reads", type=int, default=1000, help="reads by a random index")
    parser.add_argument("--bank", type=Path, help="read this bank and build none")
    arguments = parser.parse_args()
    try:
        profile = get_profile(arguments.profile)
        executor = Processes(arguments.jobs)
    except ConfigError as error:
        parser.error(str(error))
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.bank or Path(folder) / "bank.parquet"
        if arguments.bank is None:
            start = time.perf_counter()
            report = build_bank(path, profile, arguments.count, prompt=format_prompt, executor=executor)
            rate = report.puzzles / (time.perf_counter() - start)
            print(
                f"built {report.puzzles} puzzles, {rate:.1f} a second with {arguments.jobs} jobs (their start included)"
            )
        print(f"{path.stat().st_size / 1024:.0f} KiB\n{'milliseconds':<44}   median      p95     mean")
        read(path, arguments.reads)


if __name__ == "__main__":
    main()
