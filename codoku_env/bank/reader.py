"""Reading banks."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from codoku_env.errors import ConfigError, PuzzleFormatError
from codoku_env.puzzle import Provenance, Puzzle, parse_puzzle
from codoku_env.synthesis import Profile

if TYPE_CHECKING:
    from codoku_env.bank.parquet import BankFile

__all__ = ["Bank"]


class Bank(Sequence[Puzzle]):
    """The puzzles of a bank, a sequence; a slice of it is a bank too.

    Only what is asked for is read. A bank can be pickled: workers open the file anew.

    >>> bank = Bank("bank.parquet")                                 # doctest: +SKIP
    >>> train, test = bank[:9000], bank[9000:]                      # doctest: +SKIP
    >>> env = CodokuEnv("small", generator=train.generator)         # doctest: +SKIP

    Args:
        path: A file that ``codoku bank build`` made.

    Raises:
        ConfigError: It is no such file, or pyarrow is not installed.
    """

    def __init__(self, path: str | Path) -> None:
        from codoku_env.bank.parquet import BankFile

        self._file = BankFile(Path(path))
        self._indices = range(len(self._file))

    def __len__(self) -> int:
        return len(self._indices)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Puzzle: ...

    @overload
    def __getitem__(self, index: slice) -> Bank: ...

    def __getitem__(self, index: SupportsIndex | slice) -> Puzzle | Bank:
        """The puzzle at an index, or the bank of a slice.

        Raises:
            IndexError: There is no such puzzle.
            PuzzleFormatError: The row holds no puzzle.
        """
        if isinstance(index, slice):
            return _view(self._file, self._indices[index])
        try:
            row = self._indices[index]
        except IndexError:
            raise IndexError(f"expected an index from {-len(self)} to {len(self) - 1}, got {index}") from None
        return _puzzle(self._file, row)

    @cached_property
    def seeds(self) -> NDArray[np.int64]:
        """The seed of each puzzle, int64 of shape (len,); read-only."""
        seeds = self._file.seeds[np.asarray(self._indices, dtype=np.int64)]
        seeds.flags.writeable = False
        return seeds

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self._file.columns

    @property
    def left_out(self) -> dict[int, str]:
        """The seeds that gave no puzzle when the bank was built, each with the reason."""
        return dict(self._file.about.get("left_out", []))

    def rows(self, columns: Iterable[str] | None = None) -> Iterator[dict[str, Any]]:
        """The rows, one dict each.

        Args:
            columns: Names of the columns wanted; None for all.

        Raises:
            ConfigError: An unknown column.
        """
        names = self.columns if columns is None else tuple(columns)
        for name in names:
            if name not in self.columns:
                close = difflib.get_close_matches(name, self.columns, n=1)
                hint = f", did you mean {close[0]!r}?" if close else f" (there are: {', '.join(self.columns)})"
                raise ConfigError(f"unknown column {name!r}{hint}")
        return self._file.rows(self._indices, names)

    def generator(self, profile: Profile, seed: int) -> Puzzle:
        """The bank as the ``generator`` of ``CodokuEnv``.

        Args:
            profile: Not looked at; the environment refuses a puzzle beyond its bounds.
            seed: Any integer from 0. A seed of the bank gives the puzzle generated from it; the others are spread over
                all puzzles evenly (seed modulo length).

        Raises:
            ConfigError: The bank is empty.
        """
        if not len(self):
            raise ConfigError("expected a bank that has puzzles, this one is empty")
        found = np.flatnonzero(self.seeds == seed)
        return self[int(found[0]) if found.size else seed % len(self)]


def _view(file: BankFile, indices: range) -> Bank:
    bank = Bank.__new__(Bank)
    bank.__dict__.update(_file=file, _indices=indices)
    return bank


def _puzzle(file: BankFile, index: int) -> Puzzle:
    row = file.row(index)
    try:
        origin = Provenance(
            seed=int(row["seed"]),
            profile=str(row["profile"]),
            generator_version=str(row["generator_version"]),
            z3_version=str(row["z3_version"]),
            config=json.loads(row["config"]),
        )
        return replace(parse_puzzle(row["puzzle"]), provenance=origin)
    except (AttributeError, TypeError, ValueError) as error:
        raise PuzzleFormatError(f"expected a puzzle in row {index} of {str(file.path)!r}: {error}") from None
