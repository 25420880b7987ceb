"""The checker: from a puzzle and a candidate to a verdict."""

from __future__ import annotations

import ast
import os
import re
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path as FilePath
from typing import TypeVar

from codoku_env.checking.controlflow import rebuild_edges
from codoku_env.checking.execution import LimitError, Program, Run
from codoku_env.checking.limits import Limits
from codoku_env.checking.remask import (
    Aligner,
    RemaskError,
    TooDeepError,
    list_tokens,
    program_nodes,
    same_tree,
    too_deep,
)
from codoku_env.checking.verdict import Stage, Verdict
from codoku_env.errors import ConfigError
from codoku_env.puzzle.cells import Assignment, Kind
from codoku_env.puzzle.flow import block_order
from codoku_env.puzzle.model import Example, Puzzle

__all__ = ["Candidate", "Checker", "check"]

Candidate = str | bytes | os.PathLike[str] | Assignment
"""A program's text (str, or bytes in UTF-8), the path of a file with it, or an assignment."""


def check(puzzle: Puzzle, candidate: Candidate, limits: Limits | None = None) -> Verdict:
    """Verdict on ``candidate``: a pure function of its arguments.

    Args:
        puzzle: The puzzle.
        candidate: Text of a program (str or bytes), the path of a file (PathLike), or an assignment.
        limits: Bounds on what the check may cost.

    Raises:
        ConfigError: The candidate is none of these, or an assignment of another number of cells.
    """
    return _checker(puzzle, limits or Limits()).check(candidate)


class _FailError(Exception):
    """Carries the verdict of the stage that failed."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(str(verdict))
        self.verdict = verdict


class Checker:
    """Checks candidates of one puzzle. Holds what depends on the puzzle alone; no state between checks."""

    def __init__(self, puzzle: Puzzle, limits: Limits | None = None) -> None:
        if not isinstance(puzzle, Puzzle):
            raise ConfigError(f"expected a Puzzle (read one with load_puzzle), got {type(puzzle).__name__}")
        if not isinstance(limits, Limits | None):
            raise ConfigError(f"expected limits as Limits, got {type(limits).__name__}")
        self.puzzle = puzzle
        self.limits = limits or Limits()
        self._aligner = Aligner(puzzle)
        self._starts = {row: line.blocks for row, line in enumerate(puzzle.body.lines, 1) if line.blocks}
        self._edges = frozenset(puzzle.cfg.edges)
        self._constants = {constant.literal: constant.count for constant in puzzle.constants}
        self._const_cells = [cell.index for cell in puzzle.cells if cell.kind is Kind.CONST]

    def check(self, candidate: Candidate) -> Verdict:
        """Verdict on the candidate; see ``codoku_env.check``."""
        return _with_room(lambda: self._check(candidate))

    def extract(self, candidate: Candidate) -> Assignment | Verdict:
        """The candidate's fills, or the verdict when it fails a stage up to REMASK."""
        return _with_room(lambda: self._fills_of(candidate))

    def _check(self, candidate: Candidate) -> Verdict:
        try:
            fills, tree = self._extract(candidate)
            program = self._compile(tree)
            self._check_runs(program)
            self._check_constants(fills)
        except _FailError as failure:
            return failure.verdict
        return Verdict(Stage.PASS, "every constraint is satisfied")

    def _fills_of(self, candidate: Candidate) -> Assignment | Verdict:
        try:
            return Assignment(self._extract(candidate)[0])
        except _FailError as failure:
            return failure.verdict

    # BASICS, PARSE, COMPILE, REMASK.

    def _extract(self, candidate: Candidate) -> tuple[tuple[str, ...], ast.Module]:
        """The candidate's fills and the tree of the puzzle rendered with them."""
        given = self._given(candidate) if isinstance(candidate, Assignment) else None
        text = _read(candidate, self.limits) if given is None else self.puzzle.body.render(given)
        tree = _parse(text)
        try:
            fills = self._aligner.align(*list_tokens(program_nodes(tree)))
            if given is not None:
                if fills != given:
                    raise RemaskError("neighbouring fills read as one operator")
                return fills, tree
            rendering = _parse(self.puzzle.body.render(fills))
            if not same_tree(ast.Module(program_nodes(tree), []), rendering):
                raise RemaskError("the program is not the puzzle with its cells filled: its structure differs")
        except TooDeepError:
            raise _FailError(_TOO_DEEP) from None
        except RemaskError as error:
            _require_compilable(tree)
            raise _FailError(Verdict(Stage.REMASK, str(error))) from None
        return fills, rendering

    def _given(self, assignment: Assignment) -> tuple[str, ...]:
        """The fills of a complete assignment, each a token of its cell's kind."""
        cells = self.puzzle.cells
        if len(assignment) != len(cells):
            raise ConfigError(f"expected an assignment of {len(cells)} cells, got one of {len(assignment)}")
        fills: list[str] = []
        for cell, fill in zip(cells, assignment.fills, strict=True):
            if fill is None:
                row = self.puzzle.body.cell_rows[cell.index]
                raise _fail_basics(f"cell {cell.index} {cell} is unfilled (body line {row + 1})")
            if not isinstance(fill, str):
                raise ConfigError(f"expected the fill of cell {cell.index} as text, got {type(fill).__name__}")
            try:
                fills.append(self._aligner.fill(cell, fill))
            except RemaskError as error:
                raise _FailError(Verdict(Stage.REMASK, str(error))) from None
        return tuple(fills)

    # CFG, LIMIT, PATH, OUTPUT, CONST.

    def _compile(self, tree: ast.Module) -> Program:
        function = tree.body[-1]
        assert isinstance(function, ast.FunctionDef)
        try:
            edges = frozenset(rebuild_edges(function, self._starts))
        except LimitError as error:
            raise _FailError(Verdict(Stage.LIMIT, str(error))) from None
        with _quiet():
            try:
                program = Program(tree, self._starts, self.limits)
            except (SyntaxError, ValueError, MemoryError) as error:
                raise _FailError(Verdict(Stage.COMPILE, f"the program does not compile: {_reason(error)}")) from None
        if edges != self._edges:
            missing, unexpected = self._edges - edges, edges - self._edges
            parts = [
                f"{what} {_edges(some)}" for what, some in (("missing", missing), ("unexpected", unexpected)) if some
            ]
            message = f"the CFG differs: {'; '.join(parts)}"
            raise _FailError(Verdict(Stage.CFG, message, expected=_edges(self._edges), got=_edges(edges)))
        return program

    def _check_runs(self, program: Program) -> None:
        """Run every example; the earliest stage that fails on any of them is the verdict."""
        failures: list[Verdict] = []
        for number, example in enumerate(self.puzzle.examples, 1):
            failure = _judge(number, example, program.run(example))
            if failure is not None:
                failures.append(failure)
                if failure.stage is Stage.LIMIT:
                    break
        if not failures and self.puzzle.checksum is not None and program.checksum != self.puzzle.checksum:
            expected, got = str(self.puzzle.checksum), _value(program.checksum)
            message = f"the running checksum after the last example is {got}, expected {expected}"
            failures.append(Verdict(Stage.OUTPUT, message, expected=expected, got=got))
        if failures:
            raise _FailError(min(failures, key=lambda failure: failure.stage.rank))

    def _check_constants(self, fills: Sequence[str]) -> None:
        used = Counter(fills[index] for index in self._const_cells)
        for literal in [*self._constants, *(literal for literal in used if literal not in self._constants)]:
            expected, got = self._constants.get(literal, 0), used[literal]
            if expected != got:
                message = f"constant {literal} is used {_times(got)}, expected {_times(expected)}"
                raise _FailError(Verdict(Stage.CONST, message, expected=str(expected), got=str(got)))


_T = TypeVar("_T")


_TOO_DEEP = Verdict(Stage.PARSE, "the program is nested too deeply")


def _with_room(call: Callable[[], _T]) -> _T | Verdict:
    """``call()``, repeated on a stack of its own when the caller's is too full, so that its depth does not matter."""
    try:
        return call()
    except RecursionError:
        with ThreadPoolExecutor(1) as pool:
            try:
                return pool.submit(call).result()
            except RecursionError:
                return _TOO_DEEP


@lru_cache(maxsize=64)
def _checker(puzzle: Puzzle, limits: Limits) -> Checker:
    return Checker(puzzle, limits)


def _judge(number: int, example: Example, run: Run) -> Verdict | None:
    """The stage that the run of an example fails, or None."""
    path, step = example.path, run.steps
    here = f"example {number}, step {step}"
    if run.limit is not None:
        return Verdict(Stage.LIMIT, f"example {number} did not finish: {run.limit}", number, step, got=run.limit)
    expected = path[step] if step < len(path) else "return"
    if run.trap is not None:
        block = path[step - 1] if step else "the declarations"
        message = f"{here}: trapped in {block}: {run.trap}"
        return Verdict(Stage.PATH, message, number, step, expected, f"trap: {run.trap}")
    got = run.departure or "return"
    if got != expected:
        return Verdict(Stage.PATH, f"{here}: expected {expected}, got {got}", number, step, expected, got)
    if not _equal(run.value, example.expected):
        returned, wanted = _value(run.value), repr(example.expected)
        message = f"example {number} returned {returned}, expected {wanted}"
        return Verdict(Stage.OUTPUT, message, number, None, wanted, returned)
    return None


def _equal(value: object, expected: int | float) -> bool:
    return isinstance(value, int | float) and value == expected


def _value(value: object) -> str:
    """A returned value for a message, of bounded length."""
    if isinstance(value, int) and value.bit_length() > 256:
        return f"an integer of {value.bit_length()} bits"
    return repr(value)[:80]


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _edges(edges: Iterable[tuple[str, str]]) -> str:
    ordered = sorted(edges, key=lambda edge: (block_order(edge[0]), block_order(edge[1])))
    return ", ".join(f"{source} -> {target}" for source, target in ordered)


_UNFILLED = re.compile(r"<(?:ID|FUNC|CONST|OP|CTRL|LABEL)>")
_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)")


def _read(candidate: object, limits: Limits) -> str:
    """Text of the candidate. The language has no strings, so that a # always begins a comment."""
    if isinstance(candidate, os.PathLike):
        candidate = _load(FilePath(candidate), limits)  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(candidate, str):
        try:
            candidate = candidate.encode()
        except UnicodeEncodeError:
            raise _fail_basics("expected text that UTF-8 can encode, got a lone surrogate") from None
    if not isinstance(candidate, bytes):
        raise ConfigError(f"expected a candidate as str, bytes, path or Assignment, got {type(candidate).__name__}")
    if len(candidate) > limits.max_bytes:
        raise _fail_basics(f"expected at most {limits.max_bytes} bytes, the candidate is larger")
    try:
        text = candidate.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _fail_basics(f"expected UTF-8, got byte 0x{candidate[error.start]:02x} at {error.start}") from None
    rows = re.split(r"\r\n|\r|\n", text)
    encoding = _declared_encoding(rows)
    if not f"{encoding.lower().replace('_', '-').replace('utf8', 'utf-8')}-".startswith("utf-8-"):
        raise _fail_basics(f"expected UTF-8, the candidate declares another encoding: {encoding[:40]}")
    for number, row in enumerate(rows, 1):
        if "<" in row and (match := _UNFILLED.search(row.partition("#")[0])):
            raise _fail_basics(f"line {number}: a cell is unfilled: {match[0]}")
    return text


def _declared_encoding(rows: Sequence[str]) -> str:
    """What CPython would decode a file of these rows with (PEP 263)."""
    for row in rows[:2]:
        if cookie := _COOKIE.match(row):
            return cookie[1]
        if row.partition("#")[0].strip():
            break
    return "utf-8"


def _load(path: FilePath, limits: Limits) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(limits.max_bytes + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise _fail_basics(f"cannot read {str(path)!r}: {reason}") from None


def _fail_basics(message: str) -> _FailError:
    return _FailError(Verdict(Stage.BASICS, message))


def _parse(text: str) -> ast.Module:
    if "\0" in text:
        raise _FailError(Verdict(Stage.PARSE, f"line {text[: text.index(chr(0))].count(chr(10)) + 1}: a null byte"))
    with _quiet():
        try:
            return ast.parse(text, feature_version=(3, 11))  # the same language under every CPython
        except MemoryError:  # CPython's parser has a stack of its own
            raise _FailError(_TOO_DEEP) from None
        except (SyntaxError, ValueError) as error:
            raise _FailError(Verdict(Stage.PARSE, f"the program does not parse: {_reason(error)}")) from None


def _require_compilable(tree: ast.Module) -> None:
    """Fail unless the tree of a candidate compiles. Compiling is not executing: the code object is thrown away.

    CPython compiles a ``finally`` suite once for each way into it, which can take exponential time: a candidate with
    one is left to the REMASK stage, which it cannot pass.
    """
    if too_deep(tree):
        raise _FailError(_TOO_DEEP)
    if any(getattr(node, "finalbody", None) for node in ast.walk(tree)):
        return
    with _quiet():
        try:
            compile(tree, "<candidate>", "exec", dont_inherit=True, optimize=0)
        except (SyntaxError, ValueError, MemoryError) as error:
            raise _FailError(Verdict(Stage.COMPILE, f"the program does not compile: {_reason(error)}")) from None


def _reason(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}" if error.lineno else str(error.msg)
    return str(error) or type(error).__name__


_WARNINGS_LOCK = threading.RLock()


@contextmanager
def _quiet() -> Generator[None]:
    """Compiler warnings neither printed nor, under filters that say so, turned into errors."""
    with _WARNINGS_LOCK, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
