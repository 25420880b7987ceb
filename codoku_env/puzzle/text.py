"""The text form of a puzzle: reader and writer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath
from typing import TypeVar

from codoku_env.errors import PuzzleFormatError
from codoku_env.puzzle.body import Body, BodyError, Line
from codoku_env.puzzle.cells import Assignment, Cell, Kind, number_literal, parse_number, require_label
from codoku_env.puzzle.flow import CFG, Path, require_path
from codoku_env.puzzle.grammar import Token
from codoku_env.puzzle.helpers import HELPERS, INTRINSICS, import_prologue, standalone_prologue
from codoku_env.puzzle.lexer import Place, Statement, read_statements
from codoku_env.puzzle.model import (
    Constant,
    Example,
    Puzzle,
    require_args,
    require_checksum,
    require_intrinsics,
)

__all__ = ["FORMAT_VERSION", "MAX_PUZZLE_BYTES", "format_program", "format_puzzle", "load_puzzle", "parse_puzzle"]

FORMAT_VERSION = 1
MAX_PUZZLE_BYTES = 1 << 17
"""Puzzle files larger than this (128 KiB) are refused."""

_T = TypeVar("_T")


# Writing.


def format_puzzle(puzzle: Puzzle, *, standalone: bool = False) -> str:
    """Text of the puzzle in the canonical layout; ``parse_puzzle`` reads it back to an equal puzzle.

    Args:
        puzzle: What to write.
        standalone: Write the definitions of the run-time helpers into the file instead of an import of them.
    """
    return format_program(puzzle, Assignment.empty(len(puzzle.cells)), standalone=standalone)


def format_program(puzzle: Puzzle, assignment: Assignment, *, standalone: bool = False) -> str:
    """Text of the puzzle with the fills of ``assignment``; complete, it runs under CPython 3.11+.

    Unfilled cells are shown as ``<KIND>``.
    """
    body = puzzle.body
    names = set(body.calls)
    if any(cell.kind is Kind.FUNC for cell in body.cells):
        names |= set(puzzle.intrinsics)
    prologue = standalone_prologue if standalone else import_prologue
    parts = [*_annotations(puzzle), "\n", prologue(names) + "\n\n" if names else ""]
    for line, text in zip(body.lines, body.render(assignment.fills).splitlines(), strict=True):
        parts += [f"{'    ' * line.depth}#@CFG_BLOCK: {label}\n" for label in line.blocks]
        parts += [text, "\n"]
    return "".join(parts)


def _annotations(puzzle: Puzzle) -> Iterator[str]:
    yield f"#@CODOKU: {FORMAT_VERSION}\n"
    for label in puzzle.cfg.blocks:
        if targets := puzzle.cfg.successors(label):
            yield f"#@CFG_EDGE: {label} -> {', '.join(targets)}\n"
    yield f"#@EXE_PATH: {' -> '.join(puzzle.path)}\n"
    for number, example in enumerate(puzzle.examples, 1):
        if example.path != puzzle.path:
            yield f"#@EXE_PATH {number}: {' -> '.join(example.path)}\n"
    if puzzle.constants:
        yield f"#@CONST_TB: {', '.join(f'{c.literal}:{c.count}' for c in puzzle.constants)}\n"
    if puzzle.intrinsics != INTRINSICS:
        yield f"#@FUNC_TB: {', '.join(puzzle.intrinsics)}\n"
    for example in puzzle.examples:
        yield f"#@INOUT_EX: {puzzle.body.name}({', '.join(map(repr, example.args))}) == {example.expected!r}\n"
    if puzzle.checksum is not None:
        yield f"#@CHECKSUM: {puzzle.checksum}\n"


# Reading.


def load_puzzle(path: str | FilePath) -> Puzzle:
    """Read a puzzle file.

    Raises:
        PuzzleFormatError: The file cannot be read, is too large, is not UTF-8, or is malformed.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_PUZZLE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise PuzzleFormatError(f"expected a readable puzzle file, got {str(path)!r}: {reason}") from None
    if len(data) > MAX_PUZZLE_BYTES:
        raise PuzzleFormatError(f"expected a puzzle file of at most {MAX_PUZZLE_BYTES} bytes, {str(path)!r} is larger")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        column = error.start - before.rfind(b"\n")
        raise PuzzleFormatError(
            f"expected UTF-8, got byte 0x{data[error.start]:02x}", before.count(b"\n") + 1, column
        ) from None
    return parse_puzzle(text)


def parse_puzzle(text: str) -> Puzzle:
    """The puzzle that ``text`` describes.

    Raises:
        PuzzleFormatError: The text is malformed; the error has line, column and what was expected.
    """
    if len(text) > MAX_PUZZLE_BYTES:
        raise PuzzleFormatError(f"expected a puzzle of at most {MAX_PUZZLE_BYTES} characters", 1, 1)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    rows = _without_prologue(text).split("\n")
    annotations = _Annotations()
    marks: list[tuple[Place, str]] = []
    for number, row in enumerate(rows, 1):
        stripped = row.lstrip(" \t\f")
        if not stripped.startswith("#@"):
            continue
        rows[number - 1] = ""
        place = Place(number, len(row) - len(stripped) + 1)
        if match := _BLOCK.fullmatch(stripped):
            marks.append((place, _located(place, require_label, match[1])))
        else:
            annotations.add(stripped, place)
    body, definition = _read_body(rows, marks)
    return annotations.puzzle(body, definition)


_BLOCK = re.compile(r"#@\s*CFG_BLOCK(?:\s*:\s*|\s+)(\S+)\s*")
_IMPORT = re.compile(r"^from[ \t]+codoku_env\.runtime[ \t]+import\b[ \t]*(\([^()]*\)|[^(\n]*)", re.MULTILINE)


def _located(place: Place, read: Callable[..., _T], *args: object) -> _T:
    """``read(*args)``, where an error that has no place yet gets ``place``."""
    try:
        return read(*args)
    except PuzzleFormatError as error:
        if error.line is not None:
            raise
        raise PuzzleFormatError(error.message, *place) from None


def _without_prologue(text: str) -> str:
    """The text with what brings the helpers into scope blanked out: imports of them, or their own definitions."""
    text = _IMPORT.sub(_without_import, text)
    defined = frozenset(re.findall(r"^def (\w+)\(", text, re.MULTILINE)).intersection(HELPERS)
    if not defined:
        return text
    prologue = standalone_prologue(defined).strip()
    before, found, after = text.partition(prologue)
    if not found:
        number = min(text[: text.find(f"def {name}(")].count("\n") for name in defined) + 1
        raise PuzzleFormatError("expected helper definitions exactly as this version writes them", number, 1)
    return before + "\n" * found.count("\n") + after


def _without_import(match: re.Match[str]) -> str:
    """The line ends of an import of run-time helpers."""
    for name in re.split(r"[,()]", re.sub(r"#.*", "", match[1])):
        if name.strip() and name.strip() not in HELPERS:
            number = match.string.count("\n", 0, match.start()) + 1
            known = ", ".join(HELPERS)
            raise PuzzleFormatError(f"expected run-time helpers ({known}), got {name.strip()[:40]}", number, 1)
    return "\n" * match[0].count("\n")


def _read_body(rows: Sequence[str], marks: Sequence[tuple[Place, str]]) -> tuple[Body, Place]:
    """The body that the code rows and block starts make, and the place of its ``def``."""
    statements = read_statements(rows)
    if not statements:
        raise PuzzleFormatError("expected a function (def ...), the file has none", len(rows), 1)
    _place_marks(statements, marks)
    cells = 0
    lines: list[Line] = []
    for statement in statements:
        tokens: list[Token] = []
        for lexeme in statement.lexemes:
            token = lexeme.token
            if isinstance(token, Cell):
                token = replace(token, index=cells)
                cells += 1
            tokens.append(token)
        lines.append(Line(statement.depth, tuple(tokens), tuple(statement.blocks)))
    try:
        body = Body(tuple(lines))
    except BodyError as error:
        lexemes = statements[error.row].lexemes
        place = lexemes[min(error.index, len(lexemes) - 1)].place
        raise PuzzleFormatError(error.message, *place) from None
    return body, statements[body.definition].lexemes[0].place


def _place_marks(statements: Sequence[Statement], marks: Sequence[tuple[Place, str]]) -> None:
    """Give each block start to the first statement behind it."""
    position = 0
    for place, label in marks:
        while position < len(statements) and statements[position].lexemes[0].place.line < place.line:
            position += 1
        if position == len(statements):
            raise PuzzleFormatError(f"expected a statement behind the start of block {label}", *place)
        if position and statements[position - 1].lexemes[-1].place.line > place.line:
            raise PuzzleFormatError(f"expected block {label} to start between statements", *place)
        statements[position].blocks.append(label)


@dataclass(slots=True)
class _Annotations:
    """The annotations of a file, each kept with its place until the body is known."""

    edges: dict[tuple[str, str], Place] = field(default_factory=dict[tuple[str, str], Place])
    paths: dict[int | None, tuple[Place, Path]] = field(default_factory=dict[int | None, tuple[Place, Path]])
    constants: dict[str, Constant] = field(default_factory=dict[str, Constant])
    intrinsics: tuple[str, ...] | None = None
    examples: list[tuple[Place, str, tuple[int | float, ...], int | float]] = field(
        default_factory=list[tuple[Place, str, tuple[int | float, ...], int | float]]
    )
    checksum: tuple[Place, int] | None = None
    version: Place | None = None

    def add(self, row: str, place: Place) -> None:
        """Take in one annotation other than CFG_BLOCK."""
        readers = {
            "CODOKU": self._version,
            "CFG_EDGE": self._edges,
            "EXE_PATH": self._path,
            "CONST_TB": self._constants,
            "FUNC_TB": self._intrinsics,
            "INOUT_EX": self._example,
            "CHECKSUM": self._checksum,
        }
        match = re.fullmatch(r"#@\s*(\w+)(?:\s+(\w+))?\s*:\s*(.*)", row.rstrip(), re.ASCII)
        if match is None or match[1] not in readers or (match[2] and match[1] != "EXE_PATH"):
            known = ", ".join(f"#@{name}:" for name in (*readers, "CFG_BLOCK"))
            raise PuzzleFormatError(f"expected an annotation ({known}), got {row.strip()}", *place)
        value = Place(place.line, place.column + match.start(3))
        if match[1] == "EXE_PATH":
            _located(value, self._path, match[3], value, match[2])
        else:
            _located(value, readers[match[1]], match[3], value)

    def _version(self, text: str, place: Place) -> None:
        if text != str(FORMAT_VERSION):
            raise PuzzleFormatError(f"expected format version {FORMAT_VERSION}, got {text}")
        if self.version is not None:
            raise PuzzleFormatError("expected one format version, got a second")
        self.version = place

    def _edges(self, text: str, place: Place) -> None:
        source, arrow, targets = text.partition("->")
        if not arrow:
            raise PuzzleFormatError(f"expected source -> target, ..., got {text!r}")
        for target in targets.split(","):
            edge = (require_label(source.strip()), require_label(target.strip()))
            if edge in self.edges:
                raise PuzzleFormatError(f"expected each edge once, got {edge[0]} -> {edge[1]} twice")
            self.edges[edge] = place

    def _path(self, text: str, place: Place, number: str | None = None) -> None:
        if number is not None and not re.fullmatch(r"[1-9][0-9]{0,5}", number):
            raise PuzzleFormatError(f"expected the number of an example, from 1, got {number}")
        key = None if number is None else int(number)
        if key in self.paths:
            raise PuzzleFormatError("expected one execution path for each example, got a second")
        self.paths[key] = (place, tuple(require_label(label.strip()) for label in text.split("->")))

    def _constants(self, text: str, place: Place) -> None:
        for entry in text.split(",") if text else ():
            match = re.fullmatch(r"\s*([\w.+-]+)\s*:\s*([0-9]{1,6})\s*", entry, re.ASCII)
            if match is None:
                raise PuzzleFormatError(f"expected value:count, ..., got {entry.strip()!r}")
            try:
                literal = number_literal(parse_number(match[1]))
            except ValueError as error:
                raise PuzzleFormatError(f"{error} in the constant table") from None
            if literal in self.constants:
                raise PuzzleFormatError(f"expected each constant once in the table, got {literal} twice")
            self.constants[literal] = Constant(literal, int(match[2]))

    def _intrinsics(self, text: str, place: Place) -> None:
        if self.intrinsics is not None:
            raise PuzzleFormatError("expected one table of intrinsics, got a second")
        self.intrinsics = tuple(name.strip() for name in text.split(","))
        require_intrinsics(self.intrinsics)

    def _example(self, text: str, place: Place) -> None:
        match = re.fullmatch(r"(\w+)\s*\((.*)\)\s*==\s*(.+)", text, re.ASCII)
        if match is None:
            raise PuzzleFormatError(f"expected name(argument, ...) == value, got {text!r}")
        arguments = match[2].split(",")
        if not arguments[-1].strip():
            arguments.pop()
        self.examples.append((place, match[1], tuple(map(_signed, arguments)), _signed(match[3])))

    def _checksum(self, text: str, place: Place) -> None:
        value = _signed(text)
        if not isinstance(value, int):
            raise PuzzleFormatError(f"expected an integer checksum, got {text}")
        if self.checksum is not None:
            raise PuzzleFormatError("expected one checksum, got a second")
        self.checksum = (place, value)

    def puzzle(self, body: Body, definition: Place) -> Puzzle:
        """The puzzle that these annotations and the body make."""
        if self.version is None:
            raise PuzzleFormatError(f"expected the format version (#@CODOKU: {FORMAT_VERSION})", 1, 1)
        cfg = _located(next(iter(self.edges.values()), definition), CFG.of, self.edges)
        paths = {key: _located(place, require_path, path, cfg) for key, (place, path) in self.paths.items()}
        examples: list[Example] = []
        for number, (place, name, args, expected) in enumerate(self.examples, 1):
            path = paths.get(number, paths.get(None))
            if path is None:
                raise PuzzleFormatError(f"expected an execution path for example {number} (#@EXE_PATH)", *place)
            if name != body.name:
                raise PuzzleFormatError(f"expected an example of {body.name}, got {name}", *place)
            examples.append(_located(place, Example, args, expected, path))
            _located(place, require_args, examples[-1], body)
        for key, (place, _) in self.paths.items():
            if key is not None and key > len(examples):
                raise PuzzleFormatError(f"expected an example {key} for this path, there are {len(examples)}", *place)
        checksum = None
        if self.checksum is not None:
            place, checksum = self.checksum
            _located(place, require_checksum, checksum, body)
        intrinsics = INTRINSICS if self.intrinsics is None else self.intrinsics
        constants = tuple(self.constants.values())
        return _located(definition, Puzzle, body, cfg, constants, tuple(examples), checksum, intrinsics)


def _signed(text: str) -> int | float:
    """Number with an optional minus sign."""
    text = text.strip()
    digits = text[1:].lstrip() if text[:1] == "-" else text
    try:
        value = parse_number(digits)
    except ValueError as error:
        raise PuzzleFormatError(str(error)) from None
    return -value if text[:1] == "-" else value
