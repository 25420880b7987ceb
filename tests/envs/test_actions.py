import numpy as np
import pytest

from codoku_env import ConfigError
from codoku_env.envs.actions import ActionLayout, ActionTable, constants_left, legal_fills
from codoku_env.puzzle.cells import CTRL_DOMAIN, OP_DOMAIN, Kind
from codoku_env.puzzle.helpers import INTRINSICS
from codoku_env.synthesis import PROFILES
from tests.envs.supplies import generated, read
from tests.puzzle.examples import DIAMOND, LOOPS

LAYOUT = ActionLayout(variables=7, constants=4, blocks=7)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_slots_of_the_kinds_are_adjacent_and_cover_the_actions(profile):
    layout = ActionLayout.of(profile)
    assert [action for slots in layout.slots.values() for action in slots] == list(range(layout.size))
    assert tuple(layout.slots) == tuple(Kind)
    assert [len(slots) for slots in layout.slots.values()] == [
        profile.max_variables,
        len(INTRINSICS),
        profile.max_constants,
        25,
        2,
        profile.max_blocks,
    ]


@pytest.mark.parametrize("puzzle", [read(DIAMOND), read(LOOPS)], ids=["diamond", "loops"])
def test_every_fill_of_every_domain_is_encoded_and_decoded(puzzle):
    table = ActionTable(LAYOUT, puzzle)
    actions = {}
    for kind, domain in puzzle.domains.items():
        for fill in domain:
            action = table.encode(kind, fill)
            assert action in LAYOUT.slots[kind]
            assert table.decode(action) == (kind, fill)
            actions[action] = fill
    assert len(actions) == sum(map(len, puzzle.domains.values()))
    others = set(range(LAYOUT.size)) - set(actions)
    assert all(table.decode(action) is None for action in others)
    assert np.flatnonzero(table.offered()).tolist() == sorted(actions)


def test_operators_ctrl_words_and_intrinsics_mean_the_same_in_every_puzzle():
    tables = [ActionTable(LAYOUT, read(text)) for text in (DIAMOND, LOOPS)]
    for kind, texts in ((Kind.OP, OP_DOMAIN), (Kind.CTRL, CTRL_DOMAIN)):
        assert [table.encode(kind, text) for table in tables for text in texts] == 2 * list(LAYOUT.slots[kind])
    assert [table.encode(Kind.FUNC, "min_int") for table in tables] == 2 * [
        LAYOUT.slots[Kind.FUNC][INTRINSICS.index("min_int")]
    ]


def test_a_fill_outside_the_domain_has_no_action():
    table = ActionTable(LAYOUT, read(LOOPS))
    for kind, fill in ((Kind.ID, "nobody"), (Kind.FUNC, "sat_mul"), (Kind.CONST, "2.0"), (Kind.CTRL, "b3")):
        with pytest.raises(ConfigError, match=f"of the kind {kind} .*got '{fill}'"):
            table.encode(kind, fill)


def test_constants_left_counts_down_and_below_zero():
    puzzle = read(DIAMOND)
    assert constants_left(puzzle, puzzle.assignment()) == {"500": 1, "25": 2}
    assert constants_left(puzzle, puzzle.assignment({0: "25", 4: "0x19"})) == {"500": 1, "25": 0}
    assert constants_left(puzzle, puzzle.assignment({0: "500", 4: "500", 6: "7"})) == {"500": -1, "25": 2}


def test_the_budget_takes_spent_constants_out_until_none_is_left():
    puzzle = read(DIAMOND)
    assert legal_fills(puzzle, Kind.CONST, {"500": 1, "25": 2}) == ("500", "25")
    assert legal_fills(puzzle, Kind.CONST, {"500": 0, "25": 1}) == ("25",)
    assert legal_fills(puzzle, Kind.CONST, {"500": 0, "25": 0}) == ("500", "25")
    assert legal_fills(puzzle, Kind.ID, {"500": 0, "25": 0}) == ("a", "b", "c")


@pytest.mark.parametrize("kind", Kind)
def test_the_mask_allows_exactly_the_legal_fills(kind):
    puzzle = read(LOOPS)
    table, left = ActionTable(LAYOUT, puzzle), {"3": 0, "2.5": 1, "2": 2}
    mask = table.mask(kind, left)
    assert mask.dtype == np.int8
    assert mask.shape == (LAYOUT.size,)
    assert {table.decode(int(action)) for action in np.flatnonzero(mask)} == {
        (kind, fill) for fill in legal_fills(puzzle, kind, left)
    }
    assert not table.mask(None, left).any()


@pytest.mark.parametrize("name", ["tiny", "small"])
def test_witnesses_have_actions(name):
    puzzle, witness = generated(name, 0)
    table = ActionTable(ActionLayout.of(PROFILES[name]), puzzle)
    for cell, fill in zip(puzzle.cells, witness.fills, strict=True):
        assert fill is not None
        assert table.decode(table.encode(cell.kind, fill)) == (cell.kind, fill)
