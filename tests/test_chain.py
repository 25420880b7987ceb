"""The whole chain on generated puzzles: the witness passes in every form, and a corruption gets the right stage."""

import ast
import random
import re

import pytest

from codoku_env import (
    Assignment,
    Kind,
    Stage,
    check,
    format_program,
    format_puzzle,
    from_json,
    generate_with_witness,
    parse_puzzle,
    to_json,
)
from codoku_env.puzzle import witness_from_json
from tests.checking.test_independent import DepartError, explored_edges, program

SEEDS = [("tiny", seed) for seed in range(50)] + [("small", seed) for seed in range(25)]


@pytest.fixture(scope="module", params=SEEDS, ids=lambda case: f"{case[0]}-{case[1]}")
def generated(request):
    return generate_with_witness(*request.param)


def test_the_witness_passes_in_every_form(generated):
    puzzle, witness = generated
    assert check(puzzle, witness).passed
    assert check(puzzle, format_program(puzzle, witness)).passed
    assert check(puzzle, format_program(puzzle, witness, standalone=True)).passed


def test_text_and_json_round_trip(generated):
    puzzle, witness = generated
    assert parse_puzzle(format_puzzle(puzzle)) == puzzle
    assert parse_puzzle(format_puzzle(puzzle, standalone=True)) == puzzle
    back = from_json(to_json(puzzle, witness=witness))
    assert (back, back.provenance) == (puzzle, puzzle.provenance)
    assert witness_from_json(to_json(puzzle, witness=witness)) == witness


def run_stage(source, puzzle):
    """The stage at which bare CPython, with marked block starts, sees the examples fail, or None."""
    steps = []
    path = ()

    def mark(label):
        if path[len(steps) : len(steps) + 1] != (label,):
            raise DepartError
        steps.append(label)

    scope = {"mark": mark}
    exec(compile(source, "<bare>", "exec"), scope)
    stages = set()
    for example in puzzle.examples:
        steps.clear()
        path = example.path
        try:
            value = scope[puzzle.body.name](*example.args)
        except (DepartError, ArithmeticError, TypeError, ValueError, NameError, IndexError):
            stages.add(Stage.PATH)
        else:
            stages.add(
                Stage.PATH if tuple(steps) != path else Stage.OUTPUT if value != example.expected else Stage.PASS
            )
    return next((stage for stage in (Stage.PATH, Stage.OUTPUT) if stage in stages), None)


def expected_stage(puzzle, assignment):
    """The verdict by the specification, without any of the checker's code."""
    source = program(puzzle, assignment)
    for stage, flags in ((Stage.PARSE, ast.PyCF_ONLY_AST), (Stage.COMPILE, 0)):
        try:
            compile(source, "<bare>", "exec", flags)
        except SyntaxError:
            return stage
    tree = ast.parse(format_program(puzzle, assignment))
    if any(isinstance(node, ast.Starred) for node in ast.walk(tree)):
        return Stage.REMASK  # an argument f(*x) is no operator
    if explored_edges(source, choices=10) != set(puzzle.cfg.edges):
        return Stage.CFG
    if stage := run_stage(source, puzzle):
        return stage
    used = sorted(fill for cell, fill in zip(puzzle.cells, assignment.fills, strict=True) if cell.kind is Kind.CONST)
    return Stage.PASS if used == sorted(c.literal for c in puzzle.constants for _ in range(c.count)) else Stage.CONST


GROWING = ("**", "<<", "is", "is not")
"""Operators that the specification treats unlike bare CPython; tests/checking covers them."""


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_refilling_one_cell_gets_the_right_stage(generated):
    puzzle, witness = generated
    rng = random.Random(format_puzzle(puzzle))
    for _ in range(12):
        cell = rng.choice(puzzle.cells)
        fill = rng.choice([fill for fill in puzzle.domain(cell) if fill not in GROWING])
        corrupted = witness.replace(cell.index, fill)
        verdict = check(puzzle, corrupted)
        if verdict.stage is Stage.LIMIT and " << " in format_program(puzzle, corrupted):
            continue  # a great constant in place of a shift amount
        assert verdict.stage is expected_stage(puzzle, corrupted), (cell, fill, verdict)


TEXT_CORRUPTIONS = {
    "emptied": (lambda text: "", Stage.REMASK),
    "a colon lost": (lambda text: text.replace("):\n", ")\n", 1), Stage.PARSE),
    "a bracket lost": (lambda text: text.replace("return checksum(", "return checksum", 1), Stage.PARSE),
    "a line too deep": (lambda text: text.replace("    return", "        return"), None),
    "a break outside loops": (lambda text: text.replace("    return", "    break\n    return"), Stage.COMPILE),
    "a return outside": (lambda text: text + "return 1\n", Stage.COMPILE),
    "a statement more": (lambda text: text.replace("    return", "    pass\n    return"), Stage.REMASK),
    "a visible name changed": (lambda text: text.replace("checksum(pa0", "checksum(v0"), Stage.REMASK),
    "the function renamed": (lambda text: text.replace("def codoku", "def solve"), Stage.REMASK),
    "an import more": (lambda text: "import os\n" + text, Stage.REMASK),
    "a null byte": (lambda text: text + "\0", Stage.PARSE),
    "a cell left": (lambda text: text.replace("    return", "    v0 = <CONST>\n    return"), Stage.BASICS),
    "not UTF-8": (lambda text: text.encode() + b"#\xff", Stage.BASICS),
}


@pytest.mark.parametrize("name", TEXT_CORRUPTIONS)
def test_corrupting_the_text_gets_the_right_stage(name):
    corrupt, stage = TEXT_CORRUPTIONS[name]
    for profile, seed in (("tiny", 0), ("tiny", 1), ("small", 0), ("small", 1), ("small", 2)):
        puzzle, witness = generate_with_witness(profile, seed)
        text = format_program(puzzle, witness)
        assert corrupt(text) != text
        verdict = check(puzzle, corrupt(text))
        assert not verdict.passed
        assert verdict.stage in ((stage,) if stage else (Stage.PARSE, Stage.REMASK)), verdict


def test_clearing_any_cell_is_basics(generated):
    puzzle, witness = generated
    for cell in puzzle.cells:
        assert check(puzzle, witness.replace(cell.index, None)).stage is Stage.BASICS
    assert check(puzzle, Assignment.empty(len(puzzle.cells))).stage is Stage.BASICS


def test_fills_of_the_wrong_kind_are_remask(generated):
    puzzle, witness = generated
    wrong = {Kind.ID: "3", Kind.CONST: "v0", Kind.OP: "v0", Kind.CTRL: "pass", Kind.LABEL: "b77", Kind.FUNC: "abs"}
    for cell in puzzle.cells:
        verdict = check(puzzle, witness.replace(cell.index, wrong[cell.kind]))
        assert verdict.stage is Stage.REMASK
        assert re.search(rf"cell {cell.index} <{cell.kind}>", verdict.message)
