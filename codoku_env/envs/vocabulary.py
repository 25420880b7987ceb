"""Token ids: a puzzle's program as a sequence of integers, without loss.

A line becomes one token of the group ``line`` (its depth), a token for each block that starts there, and its own
tokens. A text that can also be a fill has the same id in both places: 1 + its action.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from codoku_env.envs.actions import ActionLayout, ActionTable, slot_texts
from codoku_env.puzzle.body import CHECKSUM_STATE, MAX_DEPTH
from codoku_env.puzzle.cells import Cell, Kind
from codoku_env.puzzle.grammar import AUGMENTED, FLAG_PREFIX, Token, is_number
from codoku_env.puzzle.helpers import FIXED_HELPERS
from codoku_env.puzzle.model import Puzzle

__all__ = ["Vocabulary"]

_WORDS: tuple[str, ...] = (
    *("def", "elif", "else", "while", "return", "pass", "and", "or", "True", "False"),
    *("(", ")", "[", "]", ",", ":", "=", "->", *sorted(AUGMENTED)),
    *(*FIXED_HELPERS, CHECKSUM_STATE),
)


@dataclass(frozen=True)
class Vocabulary:
    """The ids of one profile.

    | group | ids | meaning |
    | --- | --- | --- |
    | padding | 1 | id 0, behind the end |
    | fill | layout.size | variables, intrinsics, constants, operators (``if`` too), ctrl words, blocks: 1 + action |
    | word | 33 | the other keywords, punctuation, augmented assignments, ``cast_int``, ``checksum``, ``_checksum`` |
    | cell | 6 | a cell, by kind |
    | line | 19 | the start of a line at depth 0, 1, ..., 18 |
    | number | 1 | a visible number; its value stands beside it |
    | name | 2 | the function's own name; a name in an annotation |
    | array | layout.variables | the name of the array declared first, second, ... |
    | flag | layout.blocks | the goto flag of the block at that position in ``cfg.blocks`` |

    Attributes:
        layout: Of the same profile.
    """

    layout: ActionLayout

    @cached_property
    def groups(self) -> dict[str, range]:
        """The ids of each group; the ranges are adjacent and start at 0."""
        sizes = {
            "padding": 1,
            "fill": self.layout.size,
            "word": len(_WORDS),
            "cell": len(Kind),
            "line": MAX_DEPTH + 1,
            "number": 1,
            "name": 2,
            "array": self.layout.variables,
            "flag": self.layout.blocks,
        }
        groups: dict[str, range] = {}
        start = 0
        for name, size in sizes.items():
            groups[name] = range(start, start + size)
            start += size
        return groups

    @property
    def size(self) -> int:
        """Number of ids, padding included."""
        return self.groups["flag"].stop

    def stream(self, puzzle: Puzzle) -> Iterator[tuple[int, Token]]:
        """The program as (id, token) in program order; the token of a line or block start is empty."""
        table = ActionTable(self.layout, puzzle)
        named, groups = self._named(table), self.groups
        kinds = dict(zip(Kind, groups["cell"], strict=True))
        for line in puzzle.body.lines:
            yield groups["line"][line.depth], ""
            for label in line.blocks:
                yield 1 + table.encode(Kind.LABEL, label), ""
            for token in line.tokens:
                if isinstance(token, Cell):
                    yield kinds[token.kind], token
                elif is_number(token):
                    yield groups["number"][0], token
                else:
                    yield named.get(token, groups["name"][1]), token

    def _named(self, table: ActionTable) -> dict[str, int]:
        """Ids of the words, and of the names that the puzzle declares."""
        puzzle, groups = table.puzzle, self.groups
        ids = {FLAG_PREFIX + label: groups["flag"][i] for i, label in enumerate(puzzle.cfg.blocks)}
        ids[puzzle.body.name] = groups["name"][0]
        ids |= dict(zip(_WORDS, groups["word"], strict=True))
        for kind, slots in self.layout.slots.items():
            if kind not in (Kind.CONST, Kind.LABEL):
                ids |= {text: 1 + slots[i] for i, text in enumerate(slot_texts(puzzle, kind))}
        return ids | {name: groups["array"][i] for i, name in enumerate(puzzle.body.arrays)}
