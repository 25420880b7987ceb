"""The errors that codoku_env raises on purpose; everything else is a bug."""

from __future__ import annotations

__all__ = ["CodokuError", "ConfigError", "PuzzleFormatError", "SynthesisError"]


class CodokuError(Exception):
    """Base of every error that codoku_env raises on purpose."""


class ConfigError(CodokuError, ValueError):
    """A setting, name or argument is not one that the library offers."""


class SynthesisError(CodokuError):
    """No program could be synthesized for what was asked."""


class PuzzleFormatError(CodokuError, ValueError):
    """A puzzle is malformed.

    Attributes:
        message: What was expected and what came.
        line: 1-based line in the text, or None when the puzzle was not read from text.
        column: 1-based column in the text, or None likewise.
    """

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        self.message = message
        self.line = line
        self.column = column
        where = "" if line is None else f"line {line}, column {column}: "
        super().__init__(where + message)
