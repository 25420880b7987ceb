"""From a seed to a puzzle: solvable, within bounds, the same wherever it is made."""

import ast
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from codoku_env.checking import check
from codoku_env.errors import ConfigError, PuzzleFormatError, SynthesisError
from codoku_env.puzzle.cells import Kind
from codoku_env.puzzle.text import format_program, format_puzzle, parse_puzzle
from codoku_env.synthesis import PROFILES, Profile, generate, generate_with_witness, reify
from tests.synthesis.programs import runs

SMT = {name: replace(profile, strategy="smt") for name, profile in PROFILES.items()}
STRATEGIES = {"hybrid": PROFILES, "smt": SMT}
CASES = [("hybrid", name, seed) for name in ("tiny", "small") for seed in range(40)]
CASES += [("smt", "tiny", seed) for seed in range(25)] + [("smt", "small", seed) for seed in range(10)]


@pytest.mark.parametrize(("strategy", "name", "seed"), CASES)
def test_generated_puzzles_are_solved_by_their_witness_and_within_bounds(strategy, name, seed):
    puzzle, witness = generate_with_witness(STRATEGIES[strategy][name], seed)
    assert puzzle.provenance is not None
    assert puzzle.provenance.config["strategy"] == strategy
    assert check(puzzle, witness).passed
    assert check(puzzle, format_program(puzzle, witness)).passed
    assert parse_puzzle(format_puzzle(puzzle)) == puzzle
    profile = PROFILES[name]
    assert profile.cells[0] <= len(puzzle.cells) <= profile.cells[1]
    assert profile.examples[0] <= len(puzzle.examples) <= profile.examples[1]
    assert len({example.expected for example in puzzle.examples}) == len(puzzle.examples)
    assert profile.path_length[0] <= len(puzzle.path) <= profile.path_length[1]
    assert {example.path for example in puzzle.examples} == {puzzle.path}
    assert sum(len(line.tokens) for line in puzzle.body.lines) <= profile.max_tokens
    assert len(puzzle.body.lines) <= profile.max_lines
    assert len(puzzle.body.id_domain) <= profile.max_variables
    assert len(puzzle.constants) <= profile.max_constants
    assert not {"0", "1"} & {constant.literal for constant in puzzle.constants}
    for cell, fill in zip(puzzle.cells, witness.fills, strict=True):
        assert fill in puzzle.domain(cell)


@pytest.mark.parametrize(("name", "seed"), [("tiny", 1), ("small", 3)])
def test_examples_hold_in_plain_cpython(name, seed):
    puzzle, witness = generate_with_witness(name, seed)
    scope: dict[str, object] = {}
    exec(format_program(puzzle, witness), scope)
    for example in puzzle.examples:
        assert scope["codoku"](*example.args) == example.expected  # type: ignore[operator]


def test_seeds_make_different_puzzles():
    assert len({format_puzzle(generate("tiny", seed)) for seed in range(40)}) == 40


def test_provenance_tells_how_to_make_the_puzzle_again():
    puzzle = generate("tiny", 5)
    provenance = puzzle.provenance
    assert provenance is not None
    assert (provenance.seed, provenance.profile) == (5, "tiny")
    assert provenance.config["strategy"] == "hybrid"
    assert tuple(map(int, provenance.z3_version.split("."))) >= (4, 13)
    again = generate(Profile.from_dict(provenance.config), provenance.seed)
    assert format_puzzle(again) == format_puzzle(puzzle)


def in_new_process(code, hash_seed):
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    root = Path(__file__).parents[2]
    result = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=root, capture_output=True, text=True, check=True
    )
    return result.stdout


def test_another_process_under_another_hash_seed_makes_the_same_bytes():
    code = """
from codoku_env.puzzle.text import format_program, format_puzzle
from dataclasses import replace
from codoku_env.synthesis import PROFILES, generate_with_witness
small, tiny = PROFILES["small"], PROFILES["tiny"]
cases = [("small", range(5)), (replace(small, coverage="edges"), range(5)), (replace(tiny, strategy="smt"), range(5))]
for profile, seeds in cases:
    for seed in seeds:
        puzzle, witness = generate_with_witness(profile, seed)
        print(format_puzzle(puzzle), format_program(puzzle, witness))
"""
    first = in_new_process(code, "1")
    assert first.count("def codoku(") == 2 * 15
    assert in_new_process(code, "4242") == first
    puzzle, witness = generate_with_witness("small", 0)
    assert first.startswith(format_puzzle(puzzle) + " " + format_program(puzzle, witness))


def test_importing_the_package_does_not_load_z3():
    assert in_new_process("import codoku_env.synthesis, sys; print('z3' in sys.modules)", "0") == "False\n"


def test_puzzles_need_z3_only_where_drawing_does_not_help():
    code = "import codoku_env.synthesis as s, sys; s.generate('small', 3); print('z3' in sys.modules)"
    assert in_new_process(code, "0") == "False\n"


@pytest.mark.parametrize("seed", [-1, 1.5, True, None, "1"])
def test_bad_seeds_are_refused(seed):
    with pytest.raises(ConfigError, match="integer from 0"):
        generate("tiny", seed)


def test_unknown_profiles_are_refused():
    with pytest.raises(ConfigError, match="did you mean 'tiny'"):
        generate("tinny")


def test_giving_up_names_profile_and_seed():
    hopeless = replace(PROFILES["tiny"], name="hopeless", max_tokens=5, max_attempts=3)
    with pytest.raises(SynthesisError, match=r"3 attempts for profile 'hopeless' and seed 7"):
        generate(hopeless, 7)


# reify

LOOP = [("entry", "b0"), ("b0", "b1"), ("b1", "b0"), ("b0", "exit")]


@pytest.mark.parametrize("laps", [0, 1, 2, 5])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_reify_follows_the_given_path(laps, seed, strategy):
    path = ("entry", *("b0", "b1") * laps, "b0", "exit")
    witness = reify(LOOP, path, seed, STRATEGIES[strategy]["tiny"])
    assert witness.cfg.edges == tuple(sorted(LOOP, key=lambda edge: (edge[0] != "entry", edge)))
    assert not witness.body.cells
    for example, (output, visited) in zip(witness.examples, runs(witness), strict=True):
        assert example.path == visited == path
        assert example.expected == output
    assert reify(LOOP, path, seed, STRATEGIES[strategy]["tiny"]) == witness


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_reify_takes_a_branch_back_and_forth(strategy):
    edges = [("entry", "b0"), ("b0", "b1"), ("b0", "b2"), ("b1", "b3"), ("b2", "b3"), ("b3", "b0"), ("b3", "exit")]
    arms = ("b1", "b2", "b1", "b1", "b2")
    path = ("entry", *(label for arm in arms for label in ("b0", arm, "b3")), "exit")
    witness = reify(edges, path, 0, STRATEGIES[strategy]["small"])
    assert all(visited == path for _, visited in runs(witness))


@pytest.mark.parametrize(
    ("edges", "path", "error"),
    [
        ([("entry", "b0"), ("entry", "b1"), ("b0", "b1"), ("b1", "b0"), ("b1", "exit")], "entry b1 exit", ConfigError),
        (LOOP, "entry b0 b1 exit", PuzzleFormatError),
        (LOOP, "entry b0", PuzzleFormatError),
        ([*LOOP, ("exit", "b0")], "entry b0 exit", PuzzleFormatError),
        ([*LOOP, ("b7", "exit")], "entry b0 exit", PuzzleFormatError),
    ],
)
def test_reify_refuses_bad_graphs_and_paths(edges, path, error):
    with pytest.raises(error, match="expected"):
        reify(edges, path.split(), 0, "tiny")


def test_reify_gives_up_on_a_path_that_no_draw_of_a_program_takes():
    with pytest.raises(SynthesisError, match="2 attempts"):
        reify(
            LOOP,
            ("entry", *("b0", "b1") * 3, "b0", "exit"),
            0,
            replace(SMT["tiny"], solver_rlimit=1, max_attempts=2),
        )


def test_the_hybrid_gives_up_where_every_state_comes_again():
    laps = ("b0", "b1") * 200  # variables of 8 bits take no 200 values, and what repeats can not end a loop
    hopeless = replace(PROFILES["tiny"], widths=(8,), max_attempts=3)
    with pytest.raises(SynthesisError, match="3 attempts"):
        reify(LOOP, ("entry", *laps, *laps, "b0", "exit"), 0, hopeless)


@pytest.mark.slow
@pytest.mark.parametrize("name", PROFILES)
def test_no_seed_fails(name):
    for seed in range(200):
        assert generate(name, seed).cells


def test_the_package_reaches_neither_environment_nor_metrics():
    for path in sorted((Path(__file__).parents[2] / "codoku_env" / "synthesis").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("codoku_env"):
                layer = ((node.module or "") + ".").split(".")[1]
                assert layer in ("checking", "errors", "puzzle", "runtime", "synthesis", "version")
            if isinstance(node, ast.Import) and any(alias.name == "z3" for alias in node.names):
                assert path.name == "smt.py"


def test_cells_are_of_the_kinds_of_the_issue():
    kinds = {cell.kind for seed in range(25) for cell in generate("small", seed).cells}
    assert {Kind.ID, Kind.CONST, Kind.OP, Kind.CTRL} <= kinds <= set(Kind) - {Kind.FUNC}
