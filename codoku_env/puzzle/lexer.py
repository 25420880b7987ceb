"""From the code rows of a puzzle file to statements: tokens with their places, depth, and nothing of the layout."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from codoku_env.errors import PuzzleFormatError
from codoku_env.puzzle.body import MAX_DEPTH
from codoku_env.puzzle.cells import Cell, Kind, number_literal, parse_number
from codoku_env.puzzle.grammar import FLAG_PREFIX, Token

__all__ = ["Lexeme", "Place", "Statement", "read_statements"]

_MAX_BRACKETS = 40

_TOKEN = re.compile(
    r"""[ \t\f]*(?:
    (?P<cell>(?:_go_)?<[A-Z]+>)
    |(?P<number>(?:0[xXoObB]\w+|(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9_]+)?)\w*)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<bracket>[()\[\]])
    |(?P<op>\*\*=|//=|>>=|<<=|\*\*|//|>>|<<|<=|>=|==|!=|->|[-+*/%&|^]=|[-+*/%&|^~<>=,:;])
    |(?P<end>(?:\#.*)?$)
    |(?P<join>\\$))""",
    re.VERBOSE | re.ASCII,
)
_KINDS = ", ".join(f"<{kind}>" for kind in Kind)
_WORD_PAIRS = (("is", "not"), ("not", "in"))
_CLOSING: dict[Token, str] = {"(": ")", "[": "]"}
_HEADERS = frozenset({"def", "if", "elif", "else", "while"})


class Place(NamedTuple):
    """A place in the text; both numbers count from 1."""

    line: int
    column: int


class Lexeme(NamedTuple):
    """A token and where it stands. Cells are numbered 0 until the whole body is known."""

    token: Token
    place: Place


@dataclass(slots=True)
class Statement:
    """One simple statement or block header.

    Attributes:
        depth: Nesting depth, 0 at module level.
        lexemes: Its tokens, at least one.
        blocks: Labels of the blocks that start here.
    """

    depth: int
    lexemes: list[Lexeme]
    blocks: list[str] = field(default_factory=list[str])


def read_statements(rows: Sequence[str]) -> list[Statement]:
    """Statements of the code in ``rows``, the lines of the file (annotations blanked out).

    Raises:
        PuzzleFormatError: Text that is no token of the small language, or brackets or indentation that do not match.
    """
    statements: list[Statement] = []
    indents = [0]
    for width, logical in _logical_lines(rows):
        statements += _split(_depth(indents, width, logical[0].place), logical)
    return statements


def _logical_lines(rows: Sequence[str]) -> list[tuple[int, list[Lexeme]]]:
    """Tokens by logical line, each with its indentation: comments are dropped, brackets and backslashes join rows."""
    result: list[tuple[int, list[Lexeme]]] = []
    current: list[Lexeme] = []
    brackets: list[Lexeme] = []
    joined = False
    width = 0
    for number, row in enumerate(rows, 1):
        if not current and not joined:
            blanks = row[: len(row) - len(row.lstrip(" \t\f"))]
            width = len(blanks.rpartition("\f")[2].expandtabs(8))
        form = ""
        position = 0
        while position < len(row):
            match = _TOKEN.match(row, position)
            form = match and match.lastgroup
            if match is None or form is None:
                raise _no_token(row, number, position)
            position = match.end()
            if form in ("end", "join"):
                break
            place = Place(number, match.start(form) + 1)
            lexeme = Lexeme(_token(form, match[form], place), place)
            current.append(lexeme)
            if form == "bracket":
                _track(brackets, lexeme)
        joined = form == "join"
        if current and not brackets and not joined:
            result.append((width, _join_words(current)))
            current = []
    if brackets:
        raise PuzzleFormatError(f"expected a closing bracket for this {brackets[-1].token}", *brackets[-1].place)
    if joined:
        raise PuzzleFormatError("expected a line after the backslash", len(rows), len(rows[-1]))
    return result


def _no_token(row: str, number: int, position: int) -> PuzzleFormatError:
    position += len(row[position:]) - len(row[position:].lstrip(" \t\f"))
    return PuzzleFormatError(f"expected a token of the small language, got {row[position]!r}", number, position + 1)


def _token(form: str, text: str, place: Place) -> Token:
    if form == "cell":
        kind = text.removeprefix(FLAG_PREFIX)[1:-1]
        if kind not in Kind.__members__:
            raise PuzzleFormatError(f"expected a cell ({_KINDS}), got {text}", *place)
        if text.startswith(FLAG_PREFIX) != (kind == Kind.LABEL):
            raise PuzzleFormatError(f"expected a LABEL cell, and only that, behind {FLAG_PREFIX}, got {text}", *place)
        return Cell(0, Kind(kind))
    if form == "number":
        try:
            return number_literal(parse_number(text))
        except ValueError as error:
            raise PuzzleFormatError(str(error), *place) from None
    return text


def _track(brackets: list[Lexeme], lexeme: Lexeme) -> None:
    """Keep the stack of open brackets."""
    if lexeme.token in ("(", "["):
        brackets.append(lexeme)
        if len(brackets) > _MAX_BRACKETS:
            raise PuzzleFormatError(f"expected at most {_MAX_BRACKETS} nested brackets", *lexeme.place)
    elif not brackets or _CLOSING[brackets.pop().token] != lexeme.token:
        raise PuzzleFormatError(f"expected no {lexeme.token} here", *lexeme.place)


def _join_words(lexemes: Sequence[Lexeme]) -> list[Lexeme]:
    """The lexemes with ``is not`` and ``not in`` joined to one token each."""
    result: list[Lexeme] = []
    for lexeme in lexemes:
        if lexeme.token in ("not", "in") and result and (result[-1].token, lexeme.token) in _WORD_PAIRS:
            result[-1] = Lexeme(f"{result[-1].token} {lexeme.token}", result[-1].place)
        else:
            result.append(lexeme)
    return result


def _depth(indents: list[int], width: int, place: Place) -> int:
    """Nesting depth of a line that starts ``width`` columns in; ``indents`` are the widths of the open blocks."""
    if width > indents[-1]:
        indents.append(width)
    while width < indents[-1]:
        indents.pop()
    if width != indents[-1]:
        raise PuzzleFormatError("expected the indentation of an enclosing block", *place)
    if len(indents) > MAX_DEPTH + 1:
        raise PuzzleFormatError(f"expected at most {MAX_DEPTH} levels of indentation", *place)
    return len(indents) - 1


def _split(depth: int, logical: Sequence[Lexeme]) -> list[Statement]:
    """Statements of one logical line: those that ``;`` separates, and a header's suite on its own line."""
    statements: list[Statement] = []
    current: list[Lexeme] = []
    brackets = 0
    suite = False
    for lexeme in logical:
        token = lexeme.token
        if token == ";":
            if not current:
                raise PuzzleFormatError("expected a statement, got ;", *lexeme.place)
            statements.append(Statement(depth, current))
            current = []
            continue
        if not current and suite and token in _HEADERS:
            raise PuzzleFormatError(f"expected a new line before {token}", *lexeme.place)
        current.append(lexeme)
        brackets += (token in ("(", "[")) - (token in (")", "]"))
        if token == ":" and not brackets and current[0].token in _HEADERS:
            statements.append(Statement(depth, current))
            current = []
            suite = True
            depth += 1
    if current:
        statements.append(Statement(depth, current))
    return statements
