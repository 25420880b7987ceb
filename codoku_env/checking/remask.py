"""Extraction of fills from a candidate's syntax tree.

The candidate's text is read by CPython's parser alone. Its tree is listed as tokens in program order, without
parentheses and line structure; the puzzle's tokens are listed in the same form; the two are aligned, which yields one
fill per cell. The caller then renders the puzzle with these fills, and demands that the rendering has the candidate's
tree. So what the text looked like has no say, and no text of the candidate is used again.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, cast

from codoku_env import runtime
from codoku_env.puzzle.body import alignment_tokens
from codoku_env.puzzle.cells import CTRL_DOMAIN, MAX_INT_BITS, OP_DOMAIN, Cell, Kind, number_literal, parse_number
from codoku_env.puzzle.grammar import FLAG_PREFIX
from codoku_env.puzzle.helpers import HELPERS
from codoku_env.puzzle.model import Puzzle

__all__ = [
    "MAX_TREE_DEPTH",
    "Aligner",
    "RemaskError",
    "TooDeepError",
    "list_tokens",
    "program_nodes",
    "same_tree",
    "too_deep",
]

MAX_TREE_DEPTH = 200
"""A candidate nested deeper than this gets the verdict PARSE; fillings of puzzles that the reader accepts are not."""


class RemaskError(Exception):
    """The candidate is not the puzzle with its cells filled."""

    def __init__(self, message: str, node: ast.AST | None = None) -> None:
        line = getattr(node, "lineno", None)
        super().__init__(message if line is None else f"line {line}: {message}")


class TooDeepError(Exception):
    """The candidate is nested too deeply."""


_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Invert: "~",
    ast.Not: "not",
    ast.UAdd: "+",
    ast.USub: "-",
    ast.And: "and",
    ast.Or: "or",
}


def list_tokens(nodes: Sequence[ast.stmt]) -> tuple[list[str], list[ast.AST]]:
    """Tokens of the statements in program order, and for each the node it came from.

    Raises:
        RemaskError: A construct that the small language does not have.
        TooDeepError: Nesting beyond MAX_TREE_DEPTH.
    """
    lister = _Lister()
    lister.many(nodes)
    return lister.tokens, lister.nodes


def too_deep(tree: ast.AST) -> bool:
    """Whether the tree is nested deeper than MAX_TREE_DEPTH."""
    level = [tree]
    for _ in range(MAX_TREE_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True


class _Lister:
    """Walks a tree in program order."""

    def __init__(self) -> None:
        self.tokens: list[str] = []
        self.nodes: list[ast.AST] = []
        self.depth = 0

    def emit(self, token: str, node: ast.AST) -> None:
        self.tokens.append(token)
        self.nodes.append(node)

    def visit(self, node: ast.AST) -> None:
        handler = _HANDLERS.get(type(node))
        if handler is None:
            raise RemaskError(f"{type(node).__name__} is not part of the language of puzzles", node)
        self.depth += 1
        if self.depth > MAX_TREE_DEPTH:
            raise TooDeepError
        handler(self, node)
        self.depth -= 1

    def many(self, nodes: Sequence[ast.AST]) -> None:
        for node in nodes:
            self.visit(node)

    def separated(self, nodes: Sequence[ast.AST], parent: ast.AST) -> None:
        for position, node in enumerate(nodes):
            if position:
                self.emit(",", parent)
            self.visit(node)

    # Statements.

    def function(self, node: ast.FunctionDef) -> None:
        self.emit("def", node)
        self.emit(node.name, node)
        for position, argument in enumerate(node.args.args):
            if position:
                self.emit(",", argument)
            self.emit(argument.arg, argument)
            if argument.annotation is not None:
                self.visit(argument.annotation)
        if node.returns is not None:
            self.visit(node.returns)
        self.many(node.body)

    def assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self.visit(target)
            self.emit("=", node)
        self.visit(node.value)

    def annotated(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)
        self.visit(node.annotation)
        if node.value is not None:
            self.emit("=", node)
            self.visit(node.value)

    def augmented(self, node: ast.AugAssign) -> None:
        self.visit(node.target)
        self.operator(node.op, node)
        self.emit("=", node)
        self.visit(node.value)

    def branch(self, node: ast.If | ast.While) -> None:
        self.emit("if" if isinstance(node, ast.If) else "while", node)
        self.visit(node.test)
        self.many(node.body)
        if node.orelse:
            self.emit("else", node)
            self.many(node.orelse)

    def result(self, node: ast.Return) -> None:
        self.emit("return", node)
        if node.value is not None:
            self.visit(node.value)

    def word(self, node: ast.Break | ast.Continue | ast.Pass) -> None:
        self.emit(type(node).__name__.lower(), node)

    # Expressions.

    def operator(self, operator: ast.AST, node: ast.AST) -> None:
        if type(operator) not in _OPERATORS:
            raise RemaskError(f"{type(operator).__name__} is not part of the language of puzzles", node)
        self.emit(_OPERATORS[type(operator)], node)

    def name(self, node: ast.Name) -> None:
        self.emit(node.id, node)

    def constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self.emit(repr(value), node)
        elif isinstance(value, int) and value.bit_length() > MAX_INT_BITS:
            raise RemaskError(f"an integer literal has more than {MAX_INT_BITS} bits", node)
        elif isinstance(value, int | float):
            try:
                self.emit(number_literal(value), node)
            except ValueError:
                raise RemaskError("a float literal is not finite", node) from None
        else:
            raise RemaskError(f"a literal of type {type(value).__name__} is not part of the language of puzzles", node)

    def unary(self, node: ast.UnaryOp) -> None:
        self.emit(_OPERATORS[type(node.op)], node)
        self.visit(node.operand)

    def binary(self, node: ast.BinOp) -> None:
        self.visit(node.left)
        self.operator(node.op, node)
        self.visit(node.right)

    def logical(self, node: ast.BoolOp) -> None:
        for position, value in enumerate(node.values):
            if position:
                self.emit(_OPERATORS[type(node.op)], node)
            self.visit(value)

    def comparison(self, node: ast.Compare) -> None:
        self.visit(node.left)
        for operator, right in zip(node.ops, node.comparators, strict=True):
            self.emit(_OPERATORS[type(operator)], node)
            self.visit(right)

    def conditional(self, node: ast.IfExp) -> None:
        self.visit(node.body)
        self.emit("if", node)
        self.visit(node.test)
        self.emit("else", node)
        self.visit(node.orelse)

    def call(self, node: ast.Call) -> None:
        if node.keywords:
            raise RemaskError("keyword arguments are not part of the language of puzzles", node)
        self.visit(node.func)
        self.separated(node.args, node)

    def subscript(self, node: ast.Subscript) -> None:
        self.visit(node.value)
        self.emit("[", node)
        self.visit(node.slice)
        self.emit("]", node)

    def display(self, node: ast.List) -> None:
        self.emit("[", node)
        self.separated(node.elts, node)
        self.emit("]", node)


_HANDLERS: dict[type[ast.AST], Callable[[_Lister, Any], None]] = {
    ast.FunctionDef: _Lister.function,
    ast.Assign: _Lister.assign,
    ast.AnnAssign: _Lister.annotated,
    ast.AugAssign: _Lister.augmented,
    ast.If: _Lister.branch,
    ast.While: _Lister.branch,
    ast.Return: _Lister.result,
    ast.Break: _Lister.word,
    ast.Continue: _Lister.word,
    ast.Pass: _Lister.word,
    ast.Name: _Lister.name,
    ast.Constant: _Lister.constant,
    ast.UnaryOp: _Lister.unary,
    ast.BinOp: _Lister.binary,
    ast.BoolOp: _Lister.logical,
    ast.Compare: _Lister.comparison,
    ast.IfExp: _Lister.conditional,
    ast.Call: _Lister.call,
    ast.Subscript: _Lister.subscript,
    ast.List: _Lister.display,
}


class Aligner:
    """Aligns candidates' tokens with those of one puzzle."""

    def __init__(self, puzzle: Puzzle) -> None:
        self._tokens = alignment_tokens(puzzle.body)
        self._domains = {kind: frozenset(domain) for kind, domain in puzzle.domains.items()}
        self._arrays = frozenset(puzzle.body.arrays)

    def align(self, tokens: Sequence[str], nodes: Sequence[ast.AST]) -> tuple[str, ...]:
        """One fill per cell.

        Raises:
            RemaskError: A visible token differs, or a fill is of the wrong kind or names something not declared.
        """
        fills: list[str] = []
        i = 0
        for expected in self._tokens:
            if i >= len(tokens):
                raise RemaskError(f"the program ends where the puzzle goes on with {expected}")
            got = tokens[i]
            if isinstance(expected, Cell):
                if expected.kind is Kind.ID and got in self._arrays and len(tokens) > i + 3:
                    got = "".join(tokens[i : i + 4])
                    i += 3
                fills.append(self.fill(expected, got, nodes[i]))
            elif got != expected:
                raise RemaskError(f"expected {_show(expected)}, got {_show(got)}: the puzzle's code differs", nodes[i])
            i += 1
        if i < len(tokens):
            raise RemaskError(f"expected the end of the program, got {_show(tokens[i])}", nodes[i])
        return tuple(fills)

    def fill(self, cell: Cell, got: str, node: ast.AST | None = None) -> str:
        """The fill that the token ``got`` puts in ``cell``; a number that the table lacks is left to the CONST stage.

        Raises:
            RemaskError: It is of the wrong kind or names something not declared.
        """
        fill = got
        if cell.kind is Kind.LABEL and node is not None:
            fill = got.removeprefix(FLAG_PREFIX) if got.startswith(FLAG_PREFIX) else ""
        if fill in self._domains[cell.kind] or (cell.kind is Kind.CONST and _is_literal(fill)):
            return fill
        raise RemaskError(f"cell {cell.index} {cell} expects {_EXPECTED[cell.kind]}, got {_show(got)}", node)


_EXPECTED: dict[Kind, str] = {
    Kind.ID: "a parameter, local variable or array element of the function",
    Kind.FUNC: "an intrinsic that the puzzle offers",
    Kind.CONST: "an int or float literal without sign",
    Kind.OP: f"one of the {len(OP_DOMAIN)} operators",
    Kind.CTRL: " or ".join(CTRL_DOMAIN),
    Kind.LABEL: f"a goto flag {FLAG_PREFIX} with the label of a block of the CFG",
}


def _is_literal(text: str) -> bool:
    """Whether the text is a number in canonical spelling."""
    try:
        return number_literal(parse_number(text)) == text
    except ValueError:
        return False


def _show(token: object) -> str:
    """A token for a message: short and printable, whatever it is."""
    text = str(token)
    text = text if text.isascii() and text.isprintable() else ascii(text)
    return text if len(text) <= 40 else f"{text[:37]}..."


def program_nodes(tree: ast.Module) -> list[ast.stmt]:
    """The top-level statements without what brings the run-time helpers into scope.

    Left out are imports of helpers from ``codoku_env.runtime`` and definitions of helpers that equal the run-time's
    own; neither is ever executed, because a rendering runs with the checker's helpers.

    Raises:
        RemaskError: A definition of a helper that differs from the run-time's.
    """
    result: list[ast.stmt] = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            plain = node.level == 0 and all(name.asname is None and name.name in HELPERS for name in node.names)
            if node.module != "codoku_env.runtime" or not plain:
                raise RemaskError("the only import is that of run-time helpers from codoku_env.runtime", node)
        elif isinstance(node, ast.FunctionDef) and node.name in _helper_trees():
            if not same_tree(node, _helper_trees()[node.name]):
                raise RemaskError(f"the definition of run-time helper {node.name} was changed", node)
        else:
            result.append(node)
    return result


@cache
def _helper_trees() -> dict[str, ast.stmt]:
    return {n.name: n for n in ast.parse(inspect.getsource(runtime)).body if isinstance(n, ast.FunctionDef)}


def same_tree(left: ast.AST, right: ast.AST) -> bool:
    """Whether two syntax trees are equal in everything but positions; literals are equal in type and value.

    Not compared are the context of an expression, which its place in the tree determines, and whether the target of an
    annotated assignment stands in parentheses.
    """
    stack: list[tuple[object, object]] = [(left, right)]
    push, pop = stack.append, stack.pop
    while stack:
        a, b = pop()
        kind = type(a)
        if kind is not type(b):
            return False
        if kind is list:
            first, second = cast("list[object]", a), cast("list[object]", b)
            if len(first) != len(second):
                return False
            stack += zip(first, second, strict=True)
        elif isinstance(a, ast.AST):
            for name in _fields(kind):
                x, y = getattr(a, name, None), getattr(b, name, None)
                if x is not y:
                    push((x, y))
        elif a != b:
            return False
    return True


@cache
def _fields(kind: type[ast.AST]) -> tuple[str, ...]:
    return tuple(name for name in kind._fields if name not in ("ctx", "simple"))
