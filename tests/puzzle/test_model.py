"""The value types: what they hold apart, what they refuse, and the JSON form."""

import json

import pytest

from codoku_env.errors import ConfigError, PuzzleFormatError
from codoku_env.puzzle import (
    CFG,
    Assignment,
    Constant,
    Example,
    Kind,
    Provenance,
    from_json,
    parse_puzzle,
    to_json,
    witness_from_json,
)
from codoku_env.puzzle.cells import canonical_fill, number_literal, parse_number
from codoku_env.puzzle.flow import require_path
from tests.puzzle.examples import ALL, DIAMOND

PROVENANCE = Provenance(7, "tiny", "0.1.0", "5.4.1", {"strategy": "smt"})


@pytest.mark.parametrize("name", ALL)
def test_json_round_trips_with_provenance(name):
    puzzle = parse_puzzle(ALL[name])
    object.__setattr__(puzzle, "provenance", PROVENANCE)
    back = from_json(to_json(puzzle))
    assert back == puzzle
    assert back.provenance == PROVENANCE
    assert to_json(back) == to_json(puzzle)


def test_json_holds_the_witness_only_when_asked():
    puzzle = parse_puzzle(DIAMOND)
    witness = Assignment(("500", "a", "c", "-", "25", "a", "25", "b"))
    assert "witness" not in json.loads(to_json(puzzle))
    assert witness_from_json(to_json(puzzle)) is None
    assert witness_from_json(to_json(puzzle, witness=witness)) == witness


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected JSON"),
        ("[" * 100_000, "expected JSON"),
        ("[]", "expected a JSON object"),
        ('{"codoku_json": 9}', "expected codoku_json 1"),
        ('{"codoku_json": 1}', "expected field 'puzzle'"),
        ('{"codoku_json": 1, "puzzle": "x"}', "line 1"),
    ],
)
def test_malformed_json_is_refused(text, words):
    with pytest.raises(PuzzleFormatError, match=words.replace("(", r"\(")):
        from_json(text)


def test_malformed_provenance_and_witness_are_refused():
    data = json.loads(to_json(parse_puzzle(DIAMOND)))
    with pytest.raises(PuzzleFormatError, match="'seed'"):
        from_json(json.dumps({**data, "provenance": {"seed": "7"}}))
    with pytest.raises(PuzzleFormatError, match="8 fills"):
        witness_from_json(json.dumps({**data, "witness": ["1"]}))


@pytest.mark.parametrize(
    ("literal", "value"),
    [("0x10", 16), ("1_0", 10), ("0b11", 3), ("0o17", 15), ("00", 0), ("1e3", 1000.0), (".5", 0.5), ("1.", 1.0)],
)
def test_numbers_are_read_in_every_spelling(literal, value):
    assert repr(parse_number(literal)) == repr(value)
    assert canonical_fill(Kind.CONST, f" {literal} ") == number_literal(value)


@pytest.mark.parametrize(
    "literal", ["", "-1", "007", "1__0", "1e999", "1j", "0x", "x", "1 0", "1" * 9000, "0x" + "f" * 1025]
)
def test_what_is_no_number_is_refused(literal):
    with pytest.raises(ValueError, match="expected"):
        parse_number(literal)


@pytest.mark.parametrize("value", [True, float("inf"), float("nan"), 1 << 4096])
def test_values_outside_the_language_have_no_literal(value):
    with pytest.raises(ValueError, match="expected"):
        number_literal(value)


def test_examples_keep_types_and_signs_apart():
    path = ("entry", "exit")
    values = [1, 1.0, 0.0, -0.0]
    assert len({Example((), value, path) for value in values}) == 4


def test_constants_are_canonical():
    assert Constant("1", 1) != Constant("1.0", 1)
    for literal, count in (("0x10", 1), ("-1", 1), ("x", 1), ("1", 0)):
        with pytest.raises(PuzzleFormatError, match="expected"):
            Constant(literal, count)


def test_assignments_are_values():
    assignment = Assignment.empty(3).replace(1, "v0")
    assert assignment == Assignment.of(3, {1: "v0"})
    assert not assignment.complete
    assert (len(assignment), assignment[1], assignment.replace(1, None)) == (3, "v0", Assignment.empty(3))
    with pytest.raises(ConfigError, match="0 to 2"):
        assignment.replace(3, "v0")
    with pytest.raises(ConfigError, match="0 to 7"):
        parse_puzzle(DIAMOND).assignment({8: "a"})


def test_assignment_of_a_puzzle_makes_spellings_canonical():
    assignment = parse_puzzle(DIAMOND).assignment({0: "0x1F4", 1: " a ", 3: " is   not "})
    assert assignment.fills[:4] == ("500", "a", None, "is not")


def test_cfg_is_ordered_and_knows_its_neighbours():
    cfg = CFG.of([("b10", "exit"), ("entry", "b10"), ("b2", "b10"), ("entry", "b2")])
    assert cfg.edges == (("entry", "b2"), ("entry", "b10"), ("b2", "b10"), ("b10", "exit"))
    assert cfg.blocks == ("entry", "b2", "b10", "exit")
    assert cfg.successors("entry") == ("b2", "b10")
    assert cfg.predecessors("b10") == ("entry", "b2")


@pytest.mark.parametrize(
    ("edges", "words"),
    [
        ([], "entry does not"),
        ([("entry", "exit"), ("exit", "entry")], "no edge out of exit"),
        ([("entry", "exit"), ("entry", "exit")], "each edge once"),
        ([("entry", "exit"), ("b1", "exit")], "b1 is not"),
        ([("entry", "exit"), ("entry", "b1")], "b1 does not"),
        ([("entry", "c1")], "block label"),
        ([("entry", "b01")], "block label"),
    ],
)
def test_malformed_graphs_are_refused(edges, words):
    with pytest.raises(PuzzleFormatError, match=words):
        CFG.of(edges)


@pytest.mark.parametrize(
    "path", [(), ("entry",), ("exit", "entry"), ("entry", "b1", "exit"), ("entry", "entry", "exit")]
)
def test_paths_off_the_graph_are_refused(path):
    with pytest.raises(PuzzleFormatError, match="expected"):
        require_path(path, CFG.of([("entry", "exit")]))
