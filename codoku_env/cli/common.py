"""What the subcommands share."""

from __future__ import annotations

import argparse
import re
from typing import TypeAlias

from codoku_env.errors import ConfigError, PuzzleFormatError
from codoku_env.puzzle import Puzzle, load_puzzle

__all__ = ["MISUSE", "Commands", "one_line", "read_puzzle", "read_seed"]

MISUSE = 2
"""Exit status when the command was not given what it needs."""

# argparse gives its type no public name.
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # pyright: ignore[reportPrivateUsage]
"""What subcommands are added to: the result of ``ArgumentParser.add_subparsers``."""

_MAX_MESSAGE = 400


def one_line(message: str) -> str:
    """``message`` as one printable line of bounded length: it may quote a stranger's file."""
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in " ".join(message.split()))
    return text if len(text) <= _MAX_MESSAGE else f"{text[:_MAX_MESSAGE]}..."


def read_puzzle(path: str) -> Puzzle:
    """The puzzle in the file at ``path``.

    Raises:
        PuzzleFormatError: The file cannot be read.
        ConfigError: It is malformed; the message begins with the path.
    """
    try:
        return load_puzzle(path)
    except PuzzleFormatError as error:
        if error.line is None:
            raise
        raise ConfigError(f"{path}: {error}") from None


def read_seed(text: str) -> int:
    """The seed that an argument gives.

    Raises:
        ArgumentTypeError: It is not an integer of at least 0 and at most 18 digits.
    """
    if not re.fullmatch(r"[0-9]{1,18}", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"expected an integer of at least 0, got {text!r}")
    return int(text)
