"""The command ``codoku``: create, check, analyze and play puzzles in a terminal."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from codoku_env.cli import analyze, bank, check, create, play
from codoku_env.cli.common import MISUSE, one_line
from codoku_env.errors import CodokuError, ConfigError
from codoku_env.version import __version__

__all__ = ["main"]

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells give it: 128 + SIGINT."""

BROKEN_PIPE = 141
"""Exit status when the reader of our output has gone, as shells give it: 128 + SIGPIPE."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command ``codoku``.

    Args:
        argv: Arguments; those of the process when None.

    Returns:
        The exit status: 0, or what the subcommand documents; 2 after an error, told in one line on stderr; 130 after
        Ctrl-C; 141 when the reader of the output has gone.
    """
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        arguments = _parser().parse_args(argv)
        status: int = arguments.run(arguments)
        sys.stdout.flush()
    except CodokuError as error:
        return _fail(MISUSE, f"error: {one_line(str(error))}")
    except KeyboardInterrupt as interrupt:
        return _fail(INTERRUPTED, str(interrupt) or "interrupted")
    except BrokenPipeError:
        _drop_output()
        return BROKEN_PIPE
    except OSError as error:
        _drop_output()
        return _fail(MISUSE, f"error: {one_line(str(error))}")
    return status


def _fail(status: int, message: str) -> int:
    print(f"codoku: {message}", file=sys.stderr)
    return status


def _drop_output() -> None:
    """Send what stdout still buffers nowhere, so that the interpreter's last flush does not fail again."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Parser(argparse.ArgumentParser):
    """Reports misuse like any other error: in one line."""

    def error(self, message: str) -> NoReturn:
        raise ConfigError(f"{message} (try: {self.prog} --help)")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="codoku", description="Program-reasoning puzzles: create, check, analyze and play them.")
    parser.add_argument("--version", action="version", version=f"codoku {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in (create, check, analyze, play, bank):
        module.add_parser(commands)
    return parser
