from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codoku_env import ConfigError, parse_puzzle
from codoku_env.envs.actions import ActionLayout, ActionTable
from codoku_env.envs.bounds import require_playable
from codoku_env.envs.encoding import FLOAT_LIMIT, encode_number, encode_progress, encode_puzzle, observation_space
from codoku_env.envs.vocabulary import Vocabulary
from codoku_env.puzzle.cells import Cell, Kind
from codoku_env.puzzle.grammar import is_number
from codoku_env.synthesis import PROFILES, get_profile
from codoku_env.synthesis.bounds import BOUNDED
from tests.envs.supplies import generated, read
from tests.puzzle.examples import DIAMOND, LOOPS

SMALL = get_profile("small")


# The space and its documentation.


def boxes(space) -> list[tuple[str, Any]]:
    return list(space.spaces.items())


def documented_fields(scope):
    """Shape, dtype, low and high of every field, as the documentation of the space has them."""
    rows = [
        [column.strip() for column in row.split("|")[1:-1]] for row in (observation_space.__doc__ or "").splitlines()
    ]
    numbers = [row for row in rows if row[:1] and row[0].startswith("_")]
    fields = {}
    for name, shape, dtype, bounds, _ in (row for row in rows if len(row) == 5 and row[1].startswith("(")):
        for suffix, number_dtype, number_bounds, _ in numbers if name.endswith("_*") else [("", dtype, bounds, "")]:
            low, _, high = number_bounds.partition(" to ")
            if high:
                limits = eval(low, scope), eval(high, scope)
            else:
                limits = {"all": (-(2**63), 2**63 - 1), "+-FLOAT_LIMIT": (-FLOAT_LIMIT, FLOAT_LIMIT)}[low]
            fields[name.removesuffix("_*") + suffix] = (eval(shape, scope), number_dtype, *limits)
    return fields


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_the_space_is_what_its_documentation_says(profile):
    actions = ActionLayout.of(profile)
    scope = {
        "C": profile.max_cells,
        "K": profile.max_constants,
        "V": profile.max_variables,
        "B": profile.max_blocks,
        "X": profile.max_examples,
        "P": profile.max_path,
        "A": profile.max_parameters,
        "N": actions.size,
        "S": Vocabulary(actions).size,
        "T": profile.max_tokens + 2 * profile.max_lines,
        "L": 7 * profile.max_cells,
    }
    space = observation_space(profile, scope["L"])
    fields = {name: (box.shape, str(box.dtype), box.low.min(), box.high.max()) for name, box in boxes(space)}
    assert fields == documented_fields(scope)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_the_space_has_finite_bounds_and_can_be_sampled(profile):
    space = observation_space(profile, 40)
    for name, box in boxes(space):
        assert np.isfinite(box.low).all(), name
        assert np.isfinite(box.high).all(), name
        assert (box.low < box.high).all(), name
    assert space.contains(space.sample())


# Numbers.


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        (0, (1, 0, 0.0)),
        (-1, (1, -1, -1.0)),
        (2**63 - 1, (1, 2**63 - 1, 2.0**63)),
        (-(2**63), (1, -(2**63), -(2.0**63))),
        (2**63, (3, 2**63 - 1, 2.0**63)),
        (-(2**63) - 1, (3, -(2**63), -(2.0**63))),
        (10**1000, (3, 2**63 - 1, FLOAT_LIMIT)),
        (2.5, (2, 2, 2.5)),
        (-2.5, (2, -2, -2.5)),
        (1.0, (2, 1, 1.0)),
        (1e300, (2, 2**63 - 1, 1e300)),
        (1.5e308, (3, 2**63 - 1, FLOAT_LIMIT)),
        (-1.5e308, (3, -(2**63), -FLOAT_LIMIT)),
    ],
)
def test_numbers_are_encoded(value, encoded):
    assert encode_number(value) == encoded


@given(st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_that_are_not_clipped_can_be_read_back(value):
    kind, integer, real = encode_number(value)
    assert np.int64(integer) == integer
    if kind != 3:
        assert repr({1: integer, 2: real}[kind]) == repr(value)
    else:
        assert value != integer
        assert abs(value) >= 2**63


# The program.


def decode_lines(puzzle, profile, arrays):
    """The lines of the body, read back from the observation alone (but for the names that the puzzle declares)."""
    layout = ActionLayout.of(profile)
    groups = Vocabulary(layout).groups
    words = {token_id: token for token_id, token in Vocabulary(layout).stream(puzzle) if isinstance(token, str)}
    lines, cells = [], 0
    for position, token_id in enumerate(map(int, arrays["token"])):
        if token_id in groups["line"]:
            lines.append((groups["line"].index(token_id), [], []))
        elif token_id in groups["cell"]:
            lines[-1][2].append(Cell(cells, list(Kind)[groups["cell"].index(token_id)]))
            cells += 1
        elif token_id in groups["number"]:
            lines[-1][2].append(
                arrays[f"token_{['', 'int', 'float'][arrays['token_type'][position]]}"][position].item()
            )
        elif token_id in groups["fill"] and (token_id - 1) in layout.slots[Kind.LABEL]:
            lines[-1][1].append(puzzle.cfg.blocks[layout.slots[Kind.LABEL].index(token_id - 1)])
        elif token_id:
            lines[-1][2].append(words[token_id])
    return [(depth, tuple(blocks), tuple(tokens)) for depth, blocks, tokens in lines]


def plain_lines(puzzle):
    """The lines of the body, with numbers by value and the type names of annotations alike."""
    annotations = {"int", "float", "list"}
    last = [t for line in puzzle.body.lines for t in line.tokens if t in annotations][-1:]
    return [
        (
            line.depth,
            line.blocks,
            tuple(
                (
                    eval(token)
                    if isinstance(token, str) and is_number(token)
                    else last[0]
                    if token in annotations
                    else token
                )
                for token in line.tokens
            ),
        )
        for line in puzzle.body.lines
    ]


@pytest.mark.parametrize("case", ["diamond", "loops", "tiny", "small"])
def test_the_program_can_be_read_back_from_its_ids(case):
    texts = {"diamond": DIAMOND, "loops": LOOPS}
    puzzle = read(texts[case]) if case in texts else generated(case, 0)[0]
    arrays = encode_puzzle(puzzle, SMALL)
    assert decode_lines(puzzle, SMALL, arrays) == plain_lines(puzzle)


def test_a_name_that_is_spelled_like_a_block_is_a_variable():
    puzzle = parse_puzzle(
        DIAMOND.replace("c: int", "b1: int").replace("c + <ID>", "b1 + <ID>").replace("c = <ID>", "b1 = <ID>")
    )
    arrays = encode_puzzle(puzzle, SMALL)
    assert decode_lines(puzzle, SMALL, arrays)[1][2][0] == "b1"


@pytest.mark.parametrize("text", [DIAMOND, LOOPS], ids=["diamond", "loops"])
def test_cells_point_at_their_tokens(text):
    puzzle = read(text)
    arrays = encode_puzzle(puzzle, SMALL)
    groups = Vocabulary(ActionLayout.of(SMALL)).groups
    count = len(puzzle.cells)
    assert [list(Kind)[kind - 1] for kind in arrays["cell_kind"][:count]] == [cell.kind for cell in puzzle.cells]
    tokens = arrays["token"][arrays["cell_token"][:count]]
    assert [list(Kind)[groups["cell"].index(token)] for token in tokens] == [cell.kind for cell in puzzle.cells]
    assert not arrays["cell_kind"][count:].any()
    assert not arrays["cell_token"][count:].any()


# The constraints.


def test_the_constraints_are_encoded():
    puzzle = read(LOOPS)
    arrays = encode_puzzle(puzzle, SMALL)
    blocks = puzzle.cfg.blocks
    edges = [(blocks[i], blocks[j]) for i, j in np.argwhere(arrays["cfg"])]
    assert tuple(edges) == puzzle.cfg.edges
    for row, example in zip(arrays["path"], puzzle.examples, strict=False):
        assert tuple(blocks[block - 1] for block in row if block) == example.path
    assert arrays["variable_type"].tolist() == [1, 1, 2, 3, 3, 3, 2] + [0] * (SMALL.max_variables - 7)
    assert arrays["constant_type"][:4].tolist() == [1, 2, 1, 0]
    assert arrays["constant_float"][:4].tolist() == [3.0, 2.5, 2.0, 0.0]
    assert arrays["argument_int"][:3, :2].tolist() == [[0, -7], [9, 1], [0, 0]]
    assert arrays["argument_float"][1, :2].tolist() == [9.0, 1.5]
    assert arrays["expected_type"][:3].tolist() == [1, 2, 0]
    assert arrays["expected_float"][:2].tolist() == [12.0, -1e-05]
    assert (arrays["checksum_type"].item(), arrays["checksum_int"].item()) == (1, -667895)
    assert encode_puzzle(read(DIAMOND), SMALL)["checksum_type"].item() == 0


def test_progress_is_encoded():
    puzzle = read(DIAMOND)
    table = ActionTable(ActionLayout.of(SMALL), puzzle)
    arrays = encode_progress(table, puzzle.assignment({0: "25", 1: "c"}), 2, 30, SMALL)
    assert arrays["fill"][:3].tolist() == [1 + table.encode(Kind.CONST, "25"), 1 + table.encode(Kind.ID, "c"), 0]
    assert arrays["cursor"].tolist() == [2]
    assert arrays["constant_left"][:3].tolist() == [1, 1, 0]
    assert arrays["progress"].tolist() == [2, 6, 2, 30]
    assert {table.decode(int(action)) for action in np.flatnonzero(arrays["action_mask"])} == {
        (Kind.ID, name) for name in "abc"
    }
    assert encode_progress(table, puzzle.assignment(), None, 0, SMALL)["cursor"].tolist() == [-1]


# The bounds.


@pytest.mark.parametrize("bound", BOUNDED)
def test_a_puzzle_beyond_a_bound_is_refused(bound):
    puzzle = read(LOOPS)
    require_playable(puzzle, SMALL)
    size = BOUNDED[bound](puzzle)
    loose = {"cells": (1, 1), "path_length": (2, 2), "examples": (1, 1), "parameters": (1, 1)}
    require_playable(puzzle, replace(SMALL, **loose, **{bound: size}))
    with pytest.raises(ConfigError, match=rf"within {bound} = {size - 1} of profile 'small', got {size}"):
        require_playable(puzzle, replace(SMALL, **loose, **{bound: size - 1}))


def test_a_puzzle_that_cannot_be_played_is_refused():
    solved = DIAMOND.replace("<CONST>", "25").replace("<ID>", "c").replace("<OP>", "-")
    with pytest.raises(ConfigError, match="at least one cell"):
        require_playable(parse_puzzle(solved), SMALL)
    with pytest.raises(ConfigError, match=f"max_cells = {SMALL.max_cells} uses of constants, got 93"):
        require_playable(parse_puzzle(DIAMOND.replace("25:2", "25:92")), SMALL)
    marks = "".join("    #@CFG_BLOCK: exit\n" for _ in range(70))
    with pytest.raises(ConfigError, match=f"max_lines = {SMALL.max_lines} starts of blocks, got 73"):
        require_playable(parse_puzzle(DIAMOND.replace("    #@CFG_BLOCK: exit\n", marks)), SMALL)
