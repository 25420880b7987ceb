"""``codoku analyze``: the metrics of a puzzle."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from codoku_env.checking import Checker
from codoku_env.cli.common import Commands, read_puzzle
from codoku_env.errors import ConfigError
from codoku_env.metrics import measure
from codoku_env.puzzle import Assignment, Puzzle

__all__ = ["add_parser"]


def add_parser(commands: Commands) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "analyze",
        help="print the metrics of a puzzle",
        description="Print the metrics of a puzzle; those of vocabulary and data flow only with --witness.",
    )
    parser.add_argument("puzzle", metavar="PUZZLE", help="file with the puzzle")
    parser.add_argument("--witness", metavar="SOLUTION", help="file with a solution to measure as well")
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    puzzle = read_puzzle(arguments.puzzle)
    witness = None if arguments.witness is None else _read_solution(puzzle, Path(arguments.witness))
    metrics = measure(puzzle, witness)
    if arguments.json:
        print(json.dumps({name: value if math.isfinite(value) else None for name, value in metrics.items()}, indent=2))
    else:
        print("\n".join(_table(metrics)))
    return 0


def _read_solution(puzzle: Puzzle, path: Path) -> Assignment:
    """Fills of the solution in a file.

    Raises:
        ConfigError: The file holds no solution.
    """
    checker = Checker(puzzle)
    solution = checker.extract(path)
    verdict = checker.check(solution) if isinstance(solution, Assignment) else solution
    if not isinstance(solution, Assignment) or not verdict.passed:
        raise ConfigError(f"expected a solution, {str(path)!r} gets the verdict {verdict}")
    return solution


def _table(metrics: Mapping[str, int | float]) -> Iterator[str]:
    width = max(map(len, metrics))
    for name, value in metrics.items():
        yield f"{name:<{width}}  {value:>10}" if isinstance(value, int) else f"{name:<{width}}  {value:>10.2f}"
