# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportMissingTypeStubs=false
"""The one module that imports pyarrow: a bank's rows in a Parquet file."""

from __future__ import annotations

import bisect
import contextlib
import functools
import itertools
import json
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codoku_env.bank.shard import Row
from codoku_env.errors import ConfigError

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError:
    raise ConfigError("expected pyarrow, it is not installed (try: pip install 'codoku_env[bank]')") from None

__all__ = ["REQUIRED", "BankFile", "write_bank"]

REQUIRED = ("seed", "puzzle", "profile", "generator_version", "z3_version", "config")
"""Columns without which a Parquet file is no bank."""

ROWS_PER_GROUP = 128
"""Rows that are read at once: reading one row needs a few, compression and a short footer need many."""

CACHED_GROUPS = 128
"""Row groups whose puzzles are kept in memory; of small puzzles about 0.4 MB each."""

_KEY = b"codoku_bank"
_UNIQUE = ("puzzle", "prompt", "witness")
_LAYOUT: dict[str, Any] = {
    "version": "2.6",
    "compression": "zstd",
    "compression_level": 3,
    "use_dictionary": ["profile", "generator_version", "z3_version", "config"],
}


def write_bank(path: Path, rows: Iterable[Row], about: Mapping[str, object]) -> None:
    """Write a Parquet file: the same bytes for the same arguments and version of pyarrow.

    Args:
        path: The file.
        rows: At least one, all of the same columns and types.
        about: JSON-ready data to keep beside the rows.
    """
    rows = iter(rows)
    first = next(rows)
    schema = pa.schema([pa.field(name, _type(value), nullable=False) for name, value in first.items()])
    rows = itertools.chain([first], rows)
    # Least and greatest texts serve nobody and would make up most of the footer.
    statistics: Any = [name for name in first if name not in _UNIQUE]
    with pq.ParquetWriter(path, schema, write_statistics=statistics, **_LAYOUT) as writer:
        while group := list(itertools.islice(rows, ROWS_PER_GROUP)):
            writer.write_table(pa.Table.from_pylist(group, schema=schema))
        writer.add_key_value_metadata({_KEY: json.dumps(about, sort_keys=True)})


def _type(value: object) -> pa.DataType:
    if isinstance(value, list):
        return pa.list_(pa.field("element", pa.string(), nullable=False))
    types: dict[type, pa.DataType] = {int: pa.int64(), float: pa.float64(), str: pa.string()}
    return types[type(value)]


class BankFile:
    """An open bank: rows by index, from 0.

    Args:
        path: The file.

    Raises:
        ConfigError: It cannot be read, or is no bank.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = pq.ParquetFile(path, memory_map=True)
        except FileNotFoundError:
            raise ConfigError(f"expected a bank, there is no file {str(path)!r}") from None
        except (OSError, pa.ArrowException) as error:
            raise ConfigError(f"expected a bank, {str(path)!r} cannot be read as Parquet: {error}") from None
        self.columns: tuple[str, ...] = tuple(self._file.schema_arrow.names)
        if missing := [name for name in REQUIRED if name not in self.columns]:
            raise ConfigError(
                f"expected a bank (made by codoku bank build), {str(path)!r} is Parquet without the columns {missing}"
            )
        metadata = self._file.metadata
        sizes = (metadata.row_group(group).num_rows for group in range(metadata.num_row_groups))
        self._ends = list(itertools.accumulate(sizes))
        self._puzzles = functools.lru_cache(CACHED_GROUPS)(functools.partial(self._group, columns=REQUIRED))

    def __reduce__(self) -> tuple[type[BankFile], tuple[Path]]:
        return BankFile, (self.path.absolute(),)

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @functools.cached_property
    def about(self) -> dict[str, Any]:
        """What is kept beside the rows; empty when another program wrote the file anew."""
        try:
            loaded = json.loads((self._file.metadata.metadata or {}).get(_KEY, b"{}"))
        except ValueError:
            loaded = None
        return loaded if isinstance(loaded, dict) else {}

    @functools.cached_property
    def seeds(self) -> NDArray[np.int64]:
        """The seed of each row, int64."""
        with self._reading():
            column = self._file.read(columns=["seed"]).column("seed").cast(pa.int64())
            return column.to_numpy().astype(np.int64)

    def row(self, index: int) -> Row:
        """The REQUIRED columns of one row."""
        group, offset = self._locate(index)
        table = self._puzzles(group)
        return {name: table.column(name)[offset].as_py() for name in REQUIRED}

    def rows(self, indices: Iterable[int], columns: Sequence[str]) -> Iterator[Row]:
        """The given columns of some rows; quick when neighbours follow each other."""
        for group, located in itertools.groupby(map(self._locate, indices), lambda place: place[0]):
            table = self._group(group, columns)
            for _, offset in located:
                yield {name: table.column(name)[offset].as_py() for name in columns}

    def _locate(self, index: int) -> tuple[int, int]:
        """The row group of a row, and its place in it."""
        group = bisect.bisect_right(self._ends, index)
        return group, index - (self._ends[group - 1] if group else 0)

    def _group(self, group: int, columns: Sequence[str]) -> pa.Table:
        with self._reading():
            return self._file.read_row_group(group, columns=list(columns), use_threads=False)

    @contextlib.contextmanager
    def _reading(self) -> Generator[None]:
        try:
            yield
        except (OSError, pa.ArrowException) as error:
            raise ConfigError(f"expected a bank, {str(self.path)!r} is damaged: {error}") from None
