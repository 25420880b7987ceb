"""Metrics of a puzzle: size, search space, vocabulary, control flow, data flow, path."""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Iterator

from codoku_env.errors import ConfigError
from codoku_env.puzzle import CFG, Assignment, Kind, Path, Puzzle

__all__ = ["METRICS", "WITNESS_METRICS", "measure"]

Metrics = dict[str, int | float]

WITNESS_METRICS: tuple[str, ...] = (
    "halstead_distinct_operators",
    "halstead_distinct_operands",
    "halstead_total_operators",
    "halstead_total_operands",
    "halstead_difficulty",
    "data_dependency_nodes",
    "data_dependency_edges",
    "data_dependency_degree",
    "data_dependency_max_degree",
    "data_dependency_density_percent",
)
"""Names of the metrics that need the witness."""

METRICS: tuple[str, ...] = (
    "cells",
    *(f"cells_{kind.lower()}" for kind in Kind),
    "constant_table_entries",
    "search_space_log10",
    "lines_of_code",
    *WITNESS_METRICS[:5],
    "cfg_nodes",
    "cfg_edges",
    "cyclomatic_complexity",
    *WITNESS_METRICS[5:],
    "path_length",
    "path_unique_blocks",
    "path_repeated_blocks",
    "path_max_visits",
    "loops",
    "loop_iterations",
    "examples",
)
"""Names of all metrics, in the order in which ``measure`` lists them."""


def measure(puzzle: Puzzle, witness: Assignment | None = None) -> Metrics:
    """Metrics of a puzzle, by name.

    Args:
        puzzle: What to measure. Of its execution paths, that of the first example counts.
        witness: A complete assignment whose program the metrics of vocabulary and data flow are taken from.

    Returns:
        Every metric of ``METRICS``; without a witness, those of ``WITNESS_METRICS`` are absent.

    Raises:
        ConfigError: The witness leaves a cell unfilled, has another number of cells, or is not a Python function.
    """
    found = {**_size(puzzle), **_control_flow(puzzle.cfg), **_path(puzzle.path, puzzle.cfg)}
    if witness is not None:
        function = _function(puzzle, witness)
        found |= {**_vocabulary(function), **_data_flow(function)}
    return {name: found[name] for name in METRICS if name in found}


def _size(puzzle: Puzzle) -> Metrics:
    by_kind = Counter(cell.kind for cell in puzzle.cells)
    domains = puzzle.domains
    function_lines = len(puzzle.body.lines) - puzzle.body.definition
    return {
        "cells": len(puzzle.cells),
        **{f"cells_{kind.lower()}": by_kind[kind] for kind in Kind},
        "constant_table_entries": len(puzzle.constants),
        "search_space_log10": math.fsum(n * _log10(len(domains[kind])) for kind, n in by_kind.items()),
        "lines_of_code": function_lines + len(puzzle.examples),
        "examples": len(puzzle.examples),
    }


def _log10(size: int) -> float:
    """Like ``math.log10``, and minus infinity for an empty domain."""
    return math.log10(size) if size else -math.inf


def _control_flow(cfg: CFG) -> Metrics:
    nodes, edges = len(cfg.blocks), len(cfg.edges)
    return {"cfg_nodes": nodes, "cfg_edges": edges, "cyclomatic_complexity": max(1, edges - nodes + 2)}


def _path(path: Path, cfg: CFG) -> Metrics:
    """A trip is a visit to a loop's header: the published medians of trips and of most visits agree."""
    visits = Counter(path)
    trips = [visits[header] for header in _loop_headers(cfg) if visits[header] > 1]
    return {
        "path_length": len(path),
        "path_unique_blocks": len(visits),
        "path_repeated_blocks": len(path) - len(visits),
        "path_max_visits": max(visits.values()),
        "loops": len(trips),
        "loop_iterations": sum(trips),
    }


def _loop_headers(cfg: CFG) -> set[str]:
    """Targets of back edges: of edges whose target dominates their source."""
    return {target for source, target in cfg.edges if source not in _reached(cfg, without=target)}


def _reached(cfg: CFG, without: str) -> set[str]:
    """Blocks to which a walk leads from entry that avoids one block."""
    seen = {without}
    stack = ["entry"]
    while stack:
        label = stack.pop()
        if label not in seen:
            seen.add(label)
            stack += cfg.successors(label)
    return seen - {without}


def _function(puzzle: Puzzle, witness: Assignment) -> ast.FunctionDef:
    """Syntax tree of the function with the witness filled in."""
    if len(witness) != len(puzzle.cells) or not witness.complete:
        raise ConfigError(f"expected a witness that fills all {len(puzzle.cells)} cells")
    try:
        module = ast.parse(puzzle.body.render(witness.fills))
    except SyntaxError as error:
        raise ConfigError(f"expected a witness that is Python, got: {error.msg}") from None
    functions = [node for node in module.body if isinstance(node, ast.FunctionDef)]
    if len(functions) != 1:
        raise ConfigError("expected a witness that leaves one function")
    return functions[0]


def _vocabulary(function: ast.FunctionDef) -> Metrics:
    """Halstead's counts, after M. Halstead, Elements of Software Science (1977).

    Operators are told apart by node type, operands by spelling, so that 1 and 1.0 differ, and a parameter is the same
    operand where it is declared and where it is read.
    """
    operators: Counter[str] = Counter()
    operands: Counter[str] = Counter()
    for node in ast.walk(function):
        match node:
            case ast.Name(id=text) | ast.arg(arg=text):
                operands[text] += 1
            case ast.Constant(value=value):
                operands[repr(value)] += 1
            case ast.expr_context():
                pass
            case _:
                operators[type(node).__name__] += 1
    return {
        "halstead_distinct_operators": len(operators),
        "halstead_distinct_operands": len(operands),
        "halstead_total_operators": operators.total(),
        "halstead_total_operands": operands.total(),
        "halstead_difficulty": len(operators) / 2 * operands.total() / len(operands) if operands else 0.0,
    }


_Variable = tuple[str, int | None]
"""A name, or one element of an array; index None stands for the whole, or for an element not known."""

_Statement = tuple[set[_Variable], set[_Variable]]
"""Variables that a node of the data-dependency graph uses, and those that it defines."""


def _data_flow(function: ast.FunctionDef) -> Metrics:
    """The statement-level def-use graph; two nodes have at most one edge, however many variables it carries."""
    parameters: set[_Variable] = {(argument.arg, None) for argument in function.args.args}
    nodes: list[_Statement] = [(set(), parameters), *_statements(function.body)]
    edges: set[tuple[int, int]] = set()
    for index, (uses, _) in enumerate(nodes):
        for variable in uses:
            before = range(index - 1, -1, -1)
            definition = next((i for i in before if _defines(nodes[i][1], variable)), None)
            if definition is not None:
                edges.add((definition, index))
    ends = Counter(node for edge in edges for node in edge)
    pairs = len(nodes) * (len(nodes) - 1)
    return {
        "data_dependency_nodes": len(nodes),
        "data_dependency_edges": len(edges),
        "data_dependency_degree": 2 * len(edges) / len(nodes),
        "data_dependency_max_degree": max(ends.values(), default=0),
        "data_dependency_density_percent": 100 * len(edges) / pairs if pairs else 0.0,
    }


def _defines(definitions: set[_Variable], variable: _Variable) -> bool:
    """Whether one of the definitions may be of the variable."""
    return any(
        name == variable[0] and (index == variable[1] or index is None or variable[1] is None)
        for name, index in definitions
    )


def _statements(body: list[ast.stmt]) -> Iterator[_Statement]:
    """Assignments, tests and returns in textual order."""
    for statement in body:
        match statement:
            case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
                yield _variables(value) | _variables(target), _variables(target, ast.Store)
            case ast.AugAssign(target=target, value=value):
                written = _variables(target, ast.Store)
                yield _variables(value) | _variables(target) | written, written
            case (
                ast.If(test=test, body=inner, orelse=alternative) | ast.While(test=test, body=inner, orelse=alternative)
            ):
                yield _variables(test), set()
                yield from _statements(inner)
                yield from _statements(alternative)
            case ast.Return(value=value):
                yield (_variables(value) if value else set()), set()
            case _:
                pass


def _variables(expression: ast.expr, context: type[ast.expr_context] = ast.Load) -> set[_Variable]:
    """Variables in the expression, in one context.

    Names of called helpers are among them; nothing defines these. Of a written element, ``Load`` gives the variables
    of its index.
    """
    found: set[_Variable] = set()
    stack: list[ast.AST] = [expression]
    while stack:
        match stack.pop():
            case ast.Subscript(value=ast.Name(id=name), slice=index, ctx=held):
                if isinstance(held, context):
                    found.add((name, _element(index)))
                if context is ast.Load:
                    stack.append(index)
            case ast.Name(id=name, ctx=held):
                if isinstance(held, context):
                    found.add((name, None))
            case node:
                stack += ast.iter_child_nodes(node)
    return found


def _element(index: ast.expr) -> int | None:
    return index.value if isinstance(index, ast.Constant) and isinstance(index.value, int) else None
