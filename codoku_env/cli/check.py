"""``codoku check``: the verdict on a candidate."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from codoku_env.checking import check
from codoku_env.cli.common import Commands, read_puzzle

__all__ = ["add_parser"]


def add_parser(commands: Commands) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "check",
        help="print the verdict on a candidate",
        description="Print the verdict on a candidate. Exit status: 0 PASS, 1 any other verdict, 2 misuse.",
    )
    parser.add_argument("puzzle", metavar="PUZZLE", help="file with the puzzle")
    parser.add_argument("candidate", metavar="SOLUTION", help="file with the complete program")
    parser.add_argument("--json", action="store_true", help="print the verdict as a JSON object")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    verdict = check(read_puzzle(arguments.puzzle), Path(arguments.candidate))
    print(json.dumps(verdict.to_dict()) if arguments.json else verdict)
    return 0 if verdict.passed else 1
