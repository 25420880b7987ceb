"""The rules of play in cursor mode: one cell after another, in program order. They know nothing of Gymnasium."""

from __future__ import annotations

from dataclasses import dataclass, replace

from codoku_env.checking.checker import check
from codoku_env.checking.verdict import Verdict
from codoku_env.envs.actions import ActionTable, constants_left, legal_fills
from codoku_env.envs.viewer import format_uses
from codoku_env.puzzle.cells import Assignment

__all__ = ["Episode"]


@dataclass(frozen=True, slots=True)
class Episode:
    """The play of one puzzle up to now.

    Attributes:
        table: The puzzle and its actions.
        step_limit: Steps after which the episode is truncated, at least 1.
        assignment: The present fills.
        feedback: What the last action did, or the whole verdict; never empty.
        steps: Actions taken, refused ones included, 0 to ``step_limit``.
        valid: Whether the last action was accepted.
        verdict: The checker's, once every cell is filled.
    """

    table: ActionTable
    step_limit: int
    assignment: Assignment
    feedback: str
    steps: int = 0
    valid: bool = True
    verdict: Verdict | None = None

    @staticmethod
    def begin(table: ActionTable, step_limit: int) -> Episode:
        """The episode before its first step."""
        empty = table.puzzle.assignment()
        return Episode(table, step_limit, empty, f"a new puzzle: {_remaining(table, empty)}")

    @property
    def cursor(self) -> int | None:
        """The cell to fill now, None when all are filled."""
        return None if self.assignment.complete else self.assignment.fills.index(None)

    @property
    def is_success(self) -> bool:
        """Whether the verdict is PASS."""
        return self.verdict is not None and self.verdict.passed

    @property
    def terminated(self) -> bool:
        """Whether every cell is filled."""
        return self.verdict is not None

    @property
    def truncated(self) -> bool:
        """Whether the step limit was reached before every cell was filled."""
        return not self.terminated and self.steps >= self.step_limit

    def step(self, action: int) -> Episode:
        """The episode after ``action``, 0 to ``table.layout.size - 1``; only while neither terminated nor truncated."""
        after = replace(self._fill(action), steps=self.steps + 1)
        if after.truncated:
            return replace(after, feedback=f"{after.feedback}; the step limit of {self.step_limit} is reached")
        return after

    def _fill(self, action: int) -> Episode:
        """Fill the cell at the cursor, or refuse to; check, if that was the last."""
        puzzle, cursor = self.table.puzzle, self.assignment.fills.index(None)
        meaning = self.table.decode(action)
        if meaning is None:
            return self._refuse(f"action {action} names nothing in this puzzle")
        (kind, fill), cell = meaning, puzzle.cells[cursor]
        if kind is not cell.kind:
            return self._refuse(f"action {action} is the {kind} {fill}, cell {cursor} wants {cell}")
        if fill not in legal_fills(puzzle, kind, constants_left(puzzle, self.assignment)):
            return self._refuse(f"action {action} is the {kind} {fill}, which has no use left")
        assignment = self.assignment.replace(cursor, fill)
        if assignment.complete:
            verdict = check(puzzle, assignment)
            return replace(self, assignment=assignment, valid=True, verdict=verdict, feedback=str(verdict))
        feedback = f"cell {cursor} {cell} is now {fill}; {_remaining(self.table, assignment)}"
        return replace(self, assignment=assignment, valid=True, feedback=feedback)

    def _refuse(self, reason: str) -> Episode:
        return replace(self, valid=False, feedback=f"refused: {reason}")


def _remaining(table: ActionTable, assignment: Assignment) -> str:
    """What is left to do, in words."""
    cells = assignment.fills.count(None)
    uses = format_uses(constants_left(table.puzzle, assignment))
    return f"{cells} {'cell' if cells == 1 else 'cells'} left; constants left {uses}"
