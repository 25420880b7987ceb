"""What the checker says about a candidate."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Stage", "Verdict"]


class Stage(StrEnum):
    """The stages in the order in which they run; a verdict is the first that fails, or PASS."""

    BASICS = "BASICS"
    PARSE = "PARSE"
    COMPILE = "COMPILE"
    REMASK = "REMASK"
    CFG = "CFG"
    LIMIT = "LIMIT"
    PATH = "PATH"
    OUTPUT = "OUTPUT"
    CONST = "CONST"
    PASS = "PASS"

    @property
    def rank(self) -> int:
        """Position in the order of the stages, from 0."""
        return list(Stage).index(self)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on one candidate.

    Attributes:
        stage: The first stage that fails, or PASS.
        message: One line or more on what failed and where, in terms of the candidate and the puzzle alone.
        example: Number of the example that failed, from 1, or None.
        step: Position on that example's execution path, from 0, or None.
        expected: What the constraint asks for, or None.
        got: What the candidate did, or None.
    """

    stage: Stage
    message: str
    example: int | None = None
    step: int | None = None
    expected: str | None = None
    got: str | None = None

    @property
    def passed(self) -> bool:
        """Whether the candidate is a solution."""
        return self.stage is Stage.PASS

    def __str__(self) -> str:
        return f"{self.stage}: {self.message}"

    def to_dict(self) -> dict[str, object]:
        """The verdict as JSON-ready data: passed, stage, message, example, step, expected, got."""
        return {
            "passed": self.passed,
            "stage": str(self.stage),
            "message": self.message,
            "example": self.example,
            "step": self.step,
            "expected": self.expected,
            "got": self.got,
        }
