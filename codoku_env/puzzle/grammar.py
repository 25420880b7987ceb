"""The small language of puzzle bodies, one line of tokens at a time.

A line is one statement or one block header. Tokens are canonical text, or cells. Because an OP cell may become any
operator, the tree of an expression is known only once its cells are filled; what is fixed, and checked here, is
where operands and operators stand.
"""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from dataclasses import dataclass, field

from codoku_env.errors import CodokuError
from codoku_env.puzzle.cells import Cell, Kind

__all__ = ["FLAG_PREFIX", "GrammarError", "LineSyntax", "Token", "parse_line"]

Token = str | Cell

FLAG_PREFIX = "_go_"
"""Goto flags are the names that start so; a LABEL cell masks the block label behind it."""

_PREFIX = frozenset({"+", "-", "~", "not"})
_ARITHMETIC = frozenset({"+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^"})
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"})
_INFIX = _ARITHMETIC | _COMPARISONS | {"and", "or"}
AUGMENTED = frozenset(op + "=" for op in _ARITHMETIC)


class GrammarError(CodokuError):
    """A token that cannot stand where it stands; ``index`` is its position, or the length of the line for its end."""

    def __init__(self, index: int, message: str) -> None:
        super().__init__(message)
        self.index = index
        self.message = message


@dataclass(slots=True)
class LineSyntax:
    """What one line is and which visible names it uses; positions are token indices.

    Attributes:
        form: def, if, elif, else, while, assign, return, break, continue, pass or ctrl (a CTRL cell).
        parameters: Of a def: (position, name).
        target: Of an assignment: position of the written name or cell.
        target_element: Whether that target is a subscripted array.
        display: Of an assignment of a list display: number of its elements, else None.
        value: Position of the first token of the assigned value.
        augmented: Whether the assignment is an augmented one.
        reads: (position, name) of plain names read; written elements' indices included.
        arrays: (position, name) of names that are subscripted, read or written.
        calls: (position, name) of called helpers.
        prefix: Cell indices of OP cells in prefix position.
        selects: Cell indices of OP cells that an ``else`` needs to be ``if``.
    """

    form: str = ""
    parameters: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    target: int | None = None
    target_element: bool = False
    display: int | None = None
    value: int = 0
    augmented: bool = False
    reads: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    arrays: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    calls: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    prefix: list[int] = field(default_factory=list[int])
    selects: list[int] = field(default_factory=list[int])


def is_name(token: Token) -> bool:
    """Whether the token is an identifier that is not a keyword."""
    return isinstance(token, str) and token.isidentifier() and not keyword.iskeyword(token)


def is_number(token: Token) -> bool:
    """Whether the token is a numeric literal."""
    return isinstance(token, str) and token[:1].isdigit()


def is_kind(token: Token, *kinds: Kind) -> bool:
    """Whether the token is a cell of one of these kinds."""
    return isinstance(token, Cell) and token.kind in kinds


def parse_line(tokens: Sequence[Token]) -> LineSyntax:
    """Syntax of one line.

    Raises:
        GrammarError: The line is not of the small language.
    """
    return _LineParser(tokens).parse()


class _LineParser:
    """Reads one line from left to right; ``i`` is the next token."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.i = 0
        self.syntax = LineSyntax()

    # Statements.

    def parse(self) -> LineSyntax:
        first = self.peek()
        statements = {
            "def": self.function,
            "if": self.condition,
            "elif": self.condition,
            "while": self.condition,
            "else": self.alternative,
            "return": self.result,
        }
        if isinstance(first, str) and first in statements:
            self.syntax.form = first
            self.i += 1
            statements[first]()
        elif first in ("break", "continue", "pass"):
            self.syntax.form = str(first)
            self.i += 1
        elif is_kind(self.tokens[0], Kind.CTRL):
            self.syntax.form = "ctrl"
            self.i += 1
        else:
            self.syntax.form = "assign"
            self.assignment()
        if self.i < len(self.tokens):
            raise self.unexpected("the end of the statement")
        return self.syntax

    def function(self) -> None:
        self.name("a function name")
        self.expect("(")
        while self.peek() != ")":
            position = self.i
            self.syntax.parameters.append((position, self.name("a parameter or )")))
            if self.peek() == ":":
                self.i += 1
                self.annotation()
            if self.peek() != ")":
                self.expect(",")
        self.i += 1
        if self.peek() == "->":
            self.i += 1
            self.annotation()
        self.expect(":")

    def condition(self) -> None:
        self.expression()
        self.expect(":")

    def alternative(self) -> None:
        self.expect(":")

    def result(self) -> None:
        if self.i < len(self.tokens):
            self.expression()

    def assignment(self) -> None:
        syntax = self.syntax
        syntax.target = self.i
        token = self.peek()
        if is_kind(token, Kind.ID, Kind.LABEL):
            self.i += 1
        elif is_name(token):
            self.i += 1
            if self.peek() == "[":
                syntax.target_element = True
                syntax.arrays.append((syntax.target, str(token)))
                self.subscript()
        else:
            raise self.unexpected(
                "a statement (assignment, if, elif, else, while, break, continue, pass, return or a cell)"
            )
        if self.peek() == ":":
            self.i += 1
            self.annotation()
            self.expect("=")
        elif isinstance(self.peek(), str) and self.peek() in AUGMENTED:
            syntax.augmented = True
            self.i += 1
        elif is_kind(self.peek(), Kind.OP):
            syntax.augmented = True
            self.i += 1
            self.expect("=")
        else:
            self.expect("=")
        syntax.value = self.i
        if self.peek() == "[" and not syntax.augmented:
            self.display()
        else:
            self.expression()

    def display(self) -> None:
        self.i += 1
        count = 0
        while self.peek() != "]":
            self.expression()
            count += 1
            if self.peek() != "]":
                self.expect(",")
        self.i += 1
        self.syntax.display = count

    def annotation(self) -> None:
        if self.peek() == "None":
            self.i += 1
            return
        self.name("a type")
        if self.peek() == "[":
            self.i += 1
            self.annotation()
            self.expect("]")

    # Expressions: operands and infix operators in turn.

    def expression(self) -> None:
        ifs = 0
        candidates: list[int] = []
        while True:
            self.operand()
            token = self.peek()
            if isinstance(token, Cell) and token.kind is Kind.OP:
                candidates.append(token.index)
            elif token == "if":
                ifs += 1
            elif token == "else":
                if ifs:
                    ifs -= 1
                elif candidates:
                    self.syntax.selects.append(candidates.pop())
                else:
                    raise self.unexpected("an operator (this else has no if)")
                candidates.clear()
            elif not (isinstance(token, str) and token in _INFIX):
                break
            self.i += 1
        if ifs:
            raise self.unexpected("else")

    def operand(self) -> None:
        while True:
            token = self.peek()
            if isinstance(token, Cell) and token.kind is Kind.OP:
                self.syntax.prefix.append(token.index)
            elif not (isinstance(token, str) and token in _PREFIX):
                break
            self.i += 1
        position = self.i
        if is_number(token) or token in ("True", "False") or is_kind(token, Kind.ID, Kind.CONST, Kind.LABEL):
            self.i += 1
        elif is_kind(token, Kind.FUNC):
            self.i += 1
            self.arguments()
        elif token == "(":
            self.i += 1
            self.expression()
            self.expect(")")
        elif is_name(token):
            self.i += 1
            if self.peek() == "(":
                self.syntax.calls.append((position, str(token)))
                self.arguments()
            elif self.peek() == "[":
                self.syntax.arrays.append((position, str(token)))
                self.subscript()
            else:
                self.syntax.reads.append((position, str(token)))
        else:
            raise self.unexpected("an operand (a name, a number, a cell or a parenthesis)")

    def arguments(self) -> None:
        self.expect("(")
        while self.peek() != ")":
            self.expression()
            if self.peek() != ")":
                self.expect(",")
        self.i += 1

    def subscript(self) -> None:
        self.i += 1
        self.expression()
        self.expect("]")

    # Tokens.

    def peek(self) -> Token:
        return self.tokens[self.i] if self.i < len(self.tokens) else ""

    def expect(self, token: str) -> None:
        if self.peek() != token:
            raise self.unexpected(token)
        self.i += 1

    def name(self, what: str) -> str:
        token = self.peek()
        if not is_name(token):
            raise self.unexpected(what)
        self.i += 1
        return str(token)

    def unexpected(self, expected: str) -> GrammarError:
        found = str(self.tokens[self.i]) if self.i < len(self.tokens) else "the end of the line"
        return GrammarError(self.i, f"expected {expected}, got {found}")
