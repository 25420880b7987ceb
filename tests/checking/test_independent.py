"""Passing, decided a second time: bare CPython runs the rendered program, with marks that this test puts in itself."""

import ast
import random
import re
import warnings
from collections import Counter
from contextlib import suppress
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from codoku_env import Assignment, Stage, check, format_program, parse_puzzle, runtime
from tests.checking.puzzles import PUZZLES, straight

_MARK = re.compile(r"^( *)#@CFG_BLOCK: (\w+)$", re.MULTILINE)


class DepartError(Exception):
    pass


def program(puzzle, assignment):
    """Source of the filled program, in which each block start is a call of ``mark``."""
    return _MARK.sub(r"\1mark('\2')", format_program(puzzle, assignment, standalone=True))


def runs_right(source, puzzle):
    """Whether all examples follow their paths and return what they should, and the checksum is right at the end."""
    steps = []
    path = ()

    def mark(label):
        if path[len(steps) : len(steps) + 1] != (label,):
            raise DepartError
        steps.append(label)

    scope: dict[str, Any] = {"mark": mark}
    try:
        exec(compile(source, "<bare>", "exec"), scope)
        for example in puzzle.examples:
            steps.clear()
            path = example.path
            value = scope[puzzle.body.name](*example.args)
            if tuple(steps) != path or not isinstance(value, int | float) or value != example.expected:
                return False
    except (DepartError, ArithmeticError, TypeError, ValueError, NameError, IndexError, SyntaxError):
        return False
    return puzzle.checksum is None or scope["_checksum"][0] == puzzle.checksum


class _Explore(ast.NodeTransformer):
    """Keeps blocks, jumps and flags; a condition that reads a variable becomes a choice."""

    def visit_test(self, node):
        names = [n.id for n in ast.walk(node.test) if isinstance(n, ast.Name)]
        if any(not name.startswith("_go_") for name in names):
            node.test = ast.parse("choose()", mode="eval").body
        self.generic_visit(node)
        return node

    visit_If = visit_While = visit_test  # noqa: N815

    def visit_Assign(self, node):
        target = node.targets[0]
        return node if isinstance(target, ast.Name) and target.id.startswith("_go_") else ast.Pass()

    def visit_AnnAssign(self, node):
        return ast.Pass()

    visit_AugAssign = visit_AnnAssign  # noqa: N815  # pyright: ignore[reportAssignmentType]

    def visit_Return(self, node):
        return ast.Return()


@cache
def explored_edges(source, choices=9):
    """Edges that the program can take within a number of free choices, by trying them all."""
    tree = ast.parse(source)
    function = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and "mark(" in ast.unparse(n))
    function = ast.fix_missing_locations(_Explore().visit(function))
    edges = set()
    for bits in range(1 << choices):
        trail = []
        left = [bits >> i & 1 for i in range(choices)]

        def mark(label, trail=trail):
            trail.append(label)
            if len(trail) > 4 * choices:
                raise DepartError

        def choose(left=left):
            if not left:
                raise DepartError
            return left.pop()

        scope = {"mark": mark, "choose": choose}
        exec(compile(ast.Module([function], []), "<explored>", "exec"), scope)
        with suppress(DepartError, NameError):  # out of choices, or a flag that was never assigned
            scope[function.name](*[None] * len(function.args.args))
        edges |= set(pairwise(trail))
    return edges


def solves(puzzle, assignment):
    """Whether the assignment is a solution, without any of the checker's code."""
    kinds = [cell.kind for cell in puzzle.cells]
    used = Counter(f for f, kind in zip(assignment.fills, kinds, strict=True) if kind == "CONST")
    if used != {constant.literal: constant.count for constant in puzzle.constants}:
        return False
    source = program(puzzle, assignment)
    try:
        compile(source, "<bare>", "exec")
    except SyntaxError:
        return False
    if not runs_right(source, puzzle):
        return False
    return explored_edges(source) == set(puzzle.cfg.edges)


def near(rng, puzzle, solution):
    """The solution with a few cells refilled or two of a kind swapped."""
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        cell = rng.choice(puzzle.cells)
        other = rng.choice([c for c in puzzle.cells if c.kind is cell.kind])
        one, two = solution[cell.index], solution[other.index]
        if rng.random() < 0.3:
            solution = solution.replace(cell.index, two).replace(other.index, one)
        else:
            solution = solution.replace(cell.index, rng.choice(puzzle.domain(cell)))
    return solution


@pytest.mark.parametrize("name", PUZZLES)
def test_passing_agrees_with_bare_cpython(name):
    puzzle, solution = PUZZLES[name]
    assert solves(puzzle, solution)
    rng = random.Random(name)
    seen = Counter()
    for _ in range(250):
        candidate = near(rng, puzzle, solution)
        verdict = check(puzzle, candidate)
        if verdict.stage is Stage.LIMIT or any(fill in ("is", "is not") for fill in candidate.fills):
            assert not verdict.passed or "is" in candidate.fills or "is not" in candidate.fills
            continue  # bare CPython might not end, and it does not trap on identity
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert verdict.passed == solves(puzzle, candidate), (candidate, verdict)
        seen[verdict.stage] += 1
    assert seen[Stage.PASS] > 5
    assert len(seen) > 2


# Expressions over a = 3, b = -2, x = 2.5 whose value the checker must get as CPython does.
ARITHMETIC = ["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^"]
COMPARISONS = ["==", "!=", "<", "<=", ">", ">="]


def _expression(rng, depth):
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(["a", "b", "x", "0", "1", "7", "2.5", "t[1]", "t[b]", "True"])
    left, right = _expression(rng, depth - 1), _expression(rng, depth - 1)
    operators = [*ARITHMETIC, *COMPARISONS, "and", "or", "in"]
    return rng.choice(
        [
            *[f"({left} {rng.choice(operators)} {right})"] * 4,
            f"({left} {rng.choice(COMPARISONS)} {right} {rng.choice(COMPARISONS)} a)",
            f"({rng.choice(['-', '~', 'not ', '+'])}{left})",
            f"({left} if {right} else b)",
            f"cast_int({left}, 8)",
            f"sat_mul({left}, {right}, 16)",
            f"checksum({left}, {right})",
        ]
    )


@pytest.mark.parametrize("seed", range(3))
def test_values_and_traps_are_those_of_cpython(seed):
    rng = random.Random(seed)
    for _ in range(150):
        expression = _expression(rng, rng.choice([2, 3, 4]))
        text = straight("x = 2.5", "b = -2", f"y = {expression}", result="y")
        text = text.replace("    #@CFG_BLOCK: entry", "    t = [4, 5, 6]\n    #@CFG_BLOCK: entry")
        verdict = check(parse_puzzle(text), Assignment(()))
        if verdict.stage is Stage.LIMIT:
            continue
        names = {name: getattr(runtime, name) for name in runtime.__all__}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = eval(expression, {**names, "a": 3, "b": -2, "x": 2.5, "t": [4, 5, 6]})
        except (ArithmeticError, TypeError, ValueError, IndexError):
            assert (verdict.stage, verdict.got[:4]) == (Stage.PATH, "trap"), (expression, verdict)  # pyright: ignore[reportOptionalSubscript]
            continue
        if isinstance(value, complex) or verdict.got == "trap: a complex result":
            assert verdict.got == "trap: a complex result", expression
        elif verdict.stage is Stage.PASS:
            assert value == 3
        elif not isinstance(value, int) or value.bit_length() <= 256:
            assert verdict.got == repr(value)[:80], (expression, verdict)
