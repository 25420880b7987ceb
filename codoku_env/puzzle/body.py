"""The masked function: lines of tokens and cells, validated as a whole, and their rendering with fills."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from codoku_env.errors import PuzzleFormatError
from codoku_env.puzzle.cells import CTRL_DOMAIN, Cell, Kind, parse_number, require_label
from codoku_env.puzzle.flow import ENTRY
from codoku_env.puzzle.grammar import (
    AUGMENTED,
    FLAG_PREFIX,
    GrammarError,
    LineSyntax,
    Token,
    is_number,
    parse_line,
)
from codoku_env.puzzle.helpers import HELPERS, RESERVED

__all__ = ["CHECKSUM_STATE", "Body", "BodyError", "Line"]

CHECKSUM_STATE = "_checksum"
"""Name of the module-level one-element list that holds the running checksum."""

MAX_DEPTH = 18
"""Blocks of code nest at most this deep (CPython nests at most 20 loops)."""

MAX_LINES = 5000
"""Lines of a body."""

MAX_FLAGS = 64
"""Goto flags of a body."""

_MAX_TREE_DEPTH = 90


class BodyError(PuzzleFormatError):
    """A body that is not of the small language; ``row`` and ``index`` are its line and token, from 0."""

    def __init__(self, row: int, index: int, message: str) -> None:
        super().__init__(message)
        self.row = row
        self.index = index


@dataclass(frozen=True, slots=True)
class Line:
    """One statement or block header.

    Attributes:
        depth: Nesting depth: 0 for the ``def``, 1 for the statements of the function, and so on.
        tokens: Canonical text or cells.
        blocks: Labels of the CFG blocks that start here, in order.
    """

    depth: int
    tokens: tuple[Token, ...]
    blocks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Body:
    """The function of a puzzle, and before it the module-level state of the running checksum, if any.

    Attributes:
        lines: In program order. Cells are numbered from 0 in this order.

    Raises:
        BodyError: The lines are not a function of the small language; the error has row and token index.
    """

    lines: tuple[Line, ...]

    def __post_init__(self) -> None:
        _check_cells(self.lines)
        _check_structure(self.lines, self.syntax)
        _check_names(self)
        _check_tree(self)

    @cached_property
    def _hash(self) -> int:
        return hash(self.lines)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def syntax(self) -> tuple[LineSyntax, ...]:
        """Syntax of each line."""
        result: list[LineSyntax] = []
        for row, line in enumerate(self.lines):
            try:
                result.append(parse_line(line.tokens))
            except GrammarError as error:
                raise BodyError(row, error.index, error.message) from None
        return tuple(result)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """All cells in program order; ``cells[i].index == i``."""
        return tuple(token for line in self.lines for token in line.tokens if isinstance(token, Cell))

    @cached_property
    def cell_rows(self) -> tuple[int, ...]:
        """For each cell the index of its line."""
        return tuple(row for row, line in enumerate(self.lines) for token in line.tokens if isinstance(token, Cell))

    @cached_property
    def has_state(self) -> bool:
        """Whether the module keeps a running checksum."""
        return self.lines[0].tokens[0] == CHECKSUM_STATE

    @property
    def definition(self) -> int:
        """Index of the ``def`` line."""
        return 1 if self.has_state else 0

    @property
    def name(self) -> str:
        """Name of the function."""
        return str(self.lines[self.definition].tokens[1])

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters, in order."""
        return tuple(name for _, name in self.syntax[self.definition].parameters)

    @cached_property
    def arrays(self) -> dict[str, int]:
        """Sizes of the arrays that the function declares, by name, in order of declaration."""
        return {
            str(line.tokens[syntax.target]): syntax.display
            for line, syntax in zip(self.lines, self.syntax, strict=True)
            if syntax.display is not None and syntax.target is not None and line.depth
        }

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """Parameters, then visibly assigned locals, arrays among them, in program order; goto flags are none."""
        names = dict.fromkeys(self.parameters)
        for line, syntax in zip(self.lines, self.syntax, strict=True):
            if syntax.target is None or syntax.target_element or not line.depth:
                continue
            token = line.tokens[syntax.target]
            if isinstance(token, str) and not token.startswith(FLAG_PREFIX):
                names[token] = None
        return tuple(names)

    @cached_property
    def flags(self) -> tuple[str, ...]:
        """Names of the visible goto flags, in program order."""
        tokens = (token for line in self.lines for token in line.tokens)
        return tuple(
            dict.fromkeys(token for token in tokens if isinstance(token, str) and token.startswith(FLAG_PREFIX))
        )

    @cached_property
    def id_domain(self) -> tuple[str, ...]:
        """What an ID cell may hold: parameters, locals, and every element of every array."""
        result: list[str] = []
        for name in self.variables:
            size = self.arrays.get(name)
            result.extend([name] if size is None else [f"{name}[{i}]" for i in range(size)])
        return tuple(result)

    @cached_property
    def blocks(self) -> tuple[str, ...]:
        """Labels of the blocks that start somewhere in the body, each once, in program order."""
        return tuple(dict.fromkeys(label for line in self.lines for label in line.blocks))

    @cached_property
    def calls(self) -> tuple[str, ...]:
        """Names of the helpers that visible code calls, each once, in program order."""
        return tuple(dict.fromkeys(name for syntax in self.syntax for _, name in syntax.calls))

    @cached_property
    def prefix_cells(self) -> frozenset[int]:
        """Indices of the OP cells that stand before an operand rather than between two."""
        return frozenset(index for syntax in self.syntax for index in syntax.prefix)

    @cached_property
    def select_cells(self) -> frozenset[int]:
        """Indices of the OP cells whose ``else`` is visible; in a fully parenthesized body they can only be ``if``."""
        return frozenset(index for syntax in self.syntax for index in syntax.selects)

    @cached_property
    def _segments(self) -> tuple[str, ...]:
        """The fixed text before, between and after the cells: one more than there are cells."""
        segments: list[str] = []
        text: list[str] = []
        for line in self.lines:
            text.append("    " * line.depth)
            previous: Token = ""
            prefix = False
            for token in line.tokens:
                text.append(_gap(previous, token, prefix) if previous != "" else "")
                if isinstance(token, Cell):
                    text.append(FLAG_PREFIX if token.kind is Kind.LABEL else "")
                    segments.append("".join(text))
                    text.clear()
                    prefix = token.index in self.prefix_cells
                else:
                    text.append(token)
                    prefix = token == "~" or (token in ("+", "-") and not _ends_operand(previous))
                previous = token
            text.append("\n")
        return (*segments, "".join(text))

    def render(self, fills: Sequence[str | None]) -> str:
        """Text of the body with ``fills``, one physical line per line; unfilled cells are shown as ``<KIND>``.

        Args:
            fills: One entry per cell.
        """
        segments = self._segments
        parts = [segments[0]]
        for cell, fill, segment in zip(self.cells, fills, segments[1:], strict=True):
            text = str(cell) if fill is None else fill
            parts.append(f"{text} " if cell.index in self.prefix_cells and text not in ("+", "-", "~") else text)
            parts.append(segment)
        return "".join(parts)


def _gap(previous: Token, token: Token, prefix: bool) -> str:
    """Blank or nothing between two neighbouring tokens; ``prefix`` tells that the first is a sign or a prefix cell."""
    if prefix or previous in ("(", "[") or token in (")", "]", ",", ":"):
        return ""
    if token == "(":
        called = isinstance(previous, Cell) and previous.kind is Kind.FUNC
        return "" if called or _is_plain_name(previous) else " "
    if token == "[":
        return "" if _is_plain_name(previous) else " "
    if token == "=" and isinstance(previous, Cell) and previous.kind is Kind.OP:
        return ""
    return " "


_WORDS = frozenset({"if", "elif", "else", "while", "return", "not", "and", "or", "in", "not in", "is", "is not", "def"})


def _is_plain_name(token: Token) -> bool:
    return isinstance(token, str) and token.isidentifier() and token not in _WORDS


def _ends_operand(token: Token) -> bool:
    """Whether an operand may end with the token, so that an operator after it is infix."""
    if isinstance(token, Cell):
        return token.kind is not Kind.OP
    return token in (")", "]") or is_number(token) or _is_plain_name(token)


def _check_cells(lines: Sequence[Line]) -> None:
    if not lines:
        raise BodyError(0, 0, "expected a function (def ...), got nothing")
    if len(lines) > MAX_LINES:
        raise BodyError(MAX_LINES, 0, f"expected a function of at most {MAX_LINES} lines")
    expected = 0
    for row, line in enumerate(lines):
        if not line.tokens:
            raise BodyError(row, 0, "expected a statement, got an empty line")
        for label in line.blocks:
            require_label(label)
        for index, token in enumerate(line.tokens):
            if isinstance(token, Cell):
                if token.index != expected:
                    raise BodyError(row, index, f"expected cell number {expected}, got {token.index}")
                expected += 1


def _check_structure(lines: Sequence[Line], syntaxes: Sequence[LineSyntax]) -> None:
    """Nesting, suites, loops and branches fit together; exactly one function; blocks start inside it."""
    first = 1 if lines[0].tokens[0] == CHECKSUM_STATE and lines[0].depth == 0 else 0
    if first:
        _check_state(lines[0], syntaxes[0])
    if len(lines) <= first or syntaxes[first].form != "def" or lines[first].depth != 0:
        raise BodyError(min(first, len(lines) - 1), 0, "expected a function (def ...)")
    headers: list[str] = ["def"]  # headers[d] is the last line at depth d that is still open
    opened = True  # whether the previous line wants a suite
    for row in range(first + 1, len(lines)):
        line, form = lines[row], syntaxes[row].form
        if line.depth == 0 or form == "def":
            raise BodyError(row, 0, "expected one function and nothing after it")
        if opened and line.depth != len(headers):
            raise BodyError(row, 0, "expected an indented statement after the colon")
        if not opened and line.depth >= len(headers):
            raise BodyError(row, 0, "expected less indentation")
        if line.depth > MAX_DEPTH:
            raise BodyError(row, 0, f"expected at most {MAX_DEPTH} levels of indentation")
        before = headers[line.depth] if line.depth < len(headers) else ""
        if form in ("elif", "else") and before not in ("if", "elif"):
            raise BodyError(row, 0, f"expected an if before this {form}")
        if form in ("elif", "else") and line.blocks:
            raise BodyError(row, 0, f"expected a statement where block {line.blocks[0]} starts, got {form}")
        if form in ("break", "continue", "ctrl") and "while" not in headers[: line.depth]:
            raise BodyError(row, 0, "expected a loop around break or continue")
        del headers[line.depth :]
        headers.append(form)
        opened = form in ("if", "elif", "else", "while")
        if not opened:
            headers[-1] = ""
    if opened:
        raise BodyError(len(lines) - 1, len(lines[-1].tokens), "expected an indented statement after the colon")
    for row in range(first + 1):
        if lines[row].blocks:
            raise BodyError(row, 0, f"expected block {lines[row].blocks[0]} to start inside the function")
    entries = [row for row, line in enumerate(lines) if ENTRY in line.blocks]
    if not entries:
        raise BodyError(first, 0, "expected a block entry (#@CFG_BLOCK: entry)")
    starts = [row for row, line in enumerate(lines) if line.blocks]
    if lines[starts[0]].blocks[0] != ENTRY or any(line.depth != 1 for line in lines[first + 1 : starts[0] + 1]):
        raise BodyError(starts[0], 0, "expected only declarations before block entry, and entry before any other block")
    for row, syntax in enumerate(syntaxes):
        if syntax.display is not None and row > first and row >= starts[0]:
            raise BodyError(row, syntax.value, "expected list displays only in declarations, before block entry")


def _check_state(line: Line, syntax: LineSyntax) -> None:
    tokens = line.tokens
    value = tuple(token for token in tokens[syntax.value + 1 : -1] if token != "-")
    single = syntax.display == 1 and len(value) == 1 and len(tokens) - syntax.value <= 4
    if not single or not is_number(value[0]) or not isinstance(parse_number(str(value[0])), int):
        raise BodyError(0, 0, f"expected module-level state {CHECKSUM_STATE} = [integer]")


def _check_names(body: Body) -> None:
    """Every visible name is declared and used as what it is."""
    reserved = frozenset({*RESERVED, *Kind, CHECKSUM_STATE})
    arrays = {*body.arrays, *([CHECKSUM_STATE] if body.has_state else [])}
    scalars = {name for name in (*body.variables, *body.flags) if name not in body.arrays}
    parameters: set[str] = set()
    for row, (line, syntax) in enumerate(zip(body.lines, body.syntax, strict=True)):
        for index, name in syntax.parameters:
            if name in parameters:
                raise BodyError(row, index, f"expected distinct parameters, got {name} twice")
            parameters.add(name)
        named = [*syntax.parameters]
        target = None if syntax.target is None else line.tokens[syntax.target]
        if isinstance(target, str) and not syntax.target_element and line.depth:
            named.append((syntax.target or 0, target))
            if syntax.display is None and target in body.arrays:
                raise BodyError(row, syntax.target or 0, f"expected an element of {target}, which is an array")
            if syntax.display is not None and target in parameters:
                raise BodyError(row, syntax.target or 0, f"expected a new name for an array, {target} is a parameter")
        for index, name in named:
            flag = name.startswith(FLAG_PREFIX) and (index, name) in syntax.parameters
            if flag or name in reserved or name.startswith("__"):
                raise BodyError(row, index, f"expected another name, {name} is reserved")
        for index, name in syntax.reads:
            if name in arrays:
                raise BodyError(row, index, f"expected an element of {name}, which is an array")
            if name not in scalars:
                raise BodyError(row, index, f"expected a declared variable, got {name}")
        for index, name in syntax.arrays:
            if name not in arrays:
                raise BodyError(row, index, f"expected a declared array before [, got {name}")
        for index, name in syntax.calls:
            if name not in HELPERS:
                raise BodyError(row, index, f"expected a run-time helper ({', '.join(HELPERS)}), got {name}")
        _check_flag(row, line, syntax)
    if len(body.flags) > MAX_FLAGS:
        raise BodyError(body.definition, 0, f"expected at most {MAX_FLAGS} goto flags, got {len(body.flags)}")
    if body.name in reserved or body.name in body.variables or body.name.startswith(("__", FLAG_PREFIX)):
        raise BodyError(body.definition, 1, f"expected another name for the function, {body.name} is reserved")


def _check_flag(row: int, line: Line, syntax: LineSyntax) -> None:
    """A goto flag is assigned only a visible constant, so that its value is known wherever it is read."""
    if syntax.target is None:
        return
    target = line.tokens[syntax.target]
    flag = target.kind is Kind.LABEL if isinstance(target, Cell) else target.startswith(FLAG_PREFIX)
    if not flag:
        return
    if syntax.augmented or line.tokens[syntax.value :] not in (("0",), ("1",), ("True",), ("False",)):
        raise BodyError(row, syntax.value, "expected a goto flag to be assigned 0, 1, True or False")
    if isinstance(target, str):
        try:
            require_label(target.removeprefix(FLAG_PREFIX))
        except PuzzleFormatError as error:
            raise BodyError(row, syntax.target, error.message) from None


def _check_tree(body: Body) -> None:
    """With the plainest fills CPython parses the body, and nests it no deeper than the checker walks."""
    plain = {Kind.ID: "x", Kind.FUNC: "f", Kind.CONST: "2", Kind.CTRL: CTRL_DOMAIN[0], Kind.LABEL: ENTRY, Kind.OP: "+"}
    fills = ["if" if c.index in body.select_cells else plain[c.kind] for c in body.cells]
    try:
        tree = ast.parse(body.render(fills))
    except SyntaxError as error:
        row = (error.lineno or 1) - 1
        raise BodyError(row, 0, f"expected Python once the cells are filled, got: {error.msg}") from None
    except (RecursionError, MemoryError):
        raise BodyError(0, 0, "expected less deeply nested code") from None
    if MAX_DEPTH + sum(syntax.form == "elif" for syntax in body.syntax) + _longest(body) < _MAX_TREE_DEPTH:
        return  # a line adds at most as many levels as it has tokens
    level: list[ast.AST] = [tree]
    for _ in range(_MAX_TREE_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return
    raise BodyError(0, 0, f"expected code nested at most {_MAX_TREE_DEPTH} levels deep")


def _longest(body: Body) -> int:
    return max(len(line.tokens) for line in body.lines)


def alignment_tokens(body: Body) -> tuple[Token, ...]:
    """The body's tokens without parentheses, colons and line structure: the form in which candidates are listed."""
    result: list[Token] = []
    for line in body.lines:
        for index, token in enumerate(line.tokens):
            if token in ("(", ")", ":", "->"):
                continue
            if token == "," and line.tokens[index + 1] in (")", "]"):
                continue
            if isinstance(token, str) and token in AUGMENTED:
                result += [token[:-1], "="]
            elif token == "elif":
                result += ["else", "if"]
            else:
                result.append(token)
    return tuple(result)
