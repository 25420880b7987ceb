"""What is masked, what never is, and that the witness restores the function."""

from dataclasses import replace

import numpy as np
import pytest

from codoku_env.puzzle.body import Body, Line
from codoku_env.puzzle.cells import Kind
from codoku_env.puzzle.model import Constant
from codoku_env.synthesis import PROFILES, reify
from codoku_env.synthesis.intrinsics import INT_INTRINSICS
from codoku_env.synthesis.masking import mask

ALL = replace(
    PROFILES["small"], mask_target=1.0, mask_id=1.0, mask_op=1.0, mask_const=1.0, cells=(1, 500), max_cells=500
)
EDGES = [
    *(("entry", "b0"), ("b0", "b1"), ("b1", "b2"), ("b1", "b3")),
    *(("b2", "b1"), ("b2", "exit"), ("b3", "b0"), ("b3", "exit")),
]
PATH = ("entry", "b0", "b1", "b3", "b0", "b1", "b2", "exit")


def lines(*rows):
    """Lines from text: depth by two blanks each, tokens by one blank, blocks that start there after a #."""
    result = []
    for row in rows:
        code, _, blocks = row.partition("#")
        depth = (len(code) - len(code.lstrip())) // 2
        result.append(Line(depth, tuple(code.split()), tuple(blocks.split())))
    return tuple(result)


HAND = Body(
    lines(
        "def codoku ( pa0 ) :",
        "  v0 = - 5",
        "  v1 = 0",
        "  _go_exit = 0",
        "  v1 = v0 + 7 # entry",
        "  while True :",
        "    v0 = cast_int ( ( pa0 if ( v0 < 9 ) else 5 ) * 1 , 16 ) # b0",
        "    if not ( v0 >= 5 ) : # b1",
        "      _go_exit = 1",
        "      break",
        "  if not _go_exit :",
        "    v1 = ~ v0 # b2",
        "  return checksum ( pa0 , v0 , v1 ) # exit",
    )
)


def test_everything_that_may_be_masked_is_and_nothing_else():
    masked = mask(HAND, ALL, np.random.default_rng(0))
    assert masked is not None
    assert masked.body.render([None] * len(masked.body.cells)) == (
        "def codoku(pa0):\n"
        "    <ID> = <OP> <CONST>\n"
        "    <ID> = 0\n"
        "    _go_exit = 0\n"
        "    v1 = v0 + 7\n"
        "    while True:\n"
        "        v0 = cast_int((<ID> <OP> (<ID> <OP> <CONST>) else <CONST>) <OP> 1, 16)\n"
        "        if <OP> (<ID> <OP> <CONST>):\n"
        "            _go_<LABEL> = 1\n"
        "            <CTRL>\n"
        "    if not _go_exit:\n"
        "        <ID> = <OP> <ID>\n"
        "    return checksum(pa0, v0, v1)\n"
    )
    assert masked.constants == (Constant("5", 3), Constant("9", 1))


def test_an_element_is_one_cell_and_sizes_stay_visible():
    body = Body(
        lines(
            "_checksum = [ 0 ]",
            "def codoku ( pa0 ) :",
            "  v0 = 1",
            "  t0 = [ 5 , - 2.5 , 0 , v0 ]",
            "  v0 = t0 [ 2 ] # entry",
            "  t0 [ 2 ] = t0 [ 1 ] * sat_add ( t0 [ v0 % 4 ] , 7 , 16 ) # b0",
            "  t0 [ ( v0 + 3 ) & 3 ] = rotate_left ( v0 , 3 , 8 )",
            "  _checksum [ 0 ] = checksum ( _checksum [ 0 ] , v0 , t0 [ 0 ] )",
            "  return v0 # exit",
        )
    )
    masked = mask(body, ALL, np.random.default_rng(0))
    assert masked is not None
    assert masked.body.render([None] * len(masked.body.cells)) == (
        "_checksum = [0]\n"
        "def codoku(pa0):\n"
        "    <ID> = 1\n"
        "    t0 = [<CONST>, <OP> <CONST>, 0, <ID>]\n"
        "    v0 = t0[2]\n"
        "    <ID> = <ID> <OP> <FUNC>(t0[<ID> <OP> 4], <CONST>, 16)\n"
        "    t0[(<ID> <OP> 3) <OP> 3] = <FUNC>(<ID>, <CONST>, 8)\n"
        "    _checksum[0] = checksum(_checksum[0], v0, t0[0])\n"
        "    return v0\n"
    )
    assert masked.body.render(masked.witness.fills) == body.render(())
    assert masked.witness.fills[5:7] == ("t0[2]", "t0[1]")
    assert "floor_float" in masked.intrinsics


def test_the_operator_of_an_augmented_assignment_is_a_cell():
    body = Body(
        lines("def codoku ( pa0 ) :", "  v0 = 1", "  v0 = 2 # entry", "  v0 >>= pa0 # b0", "  return v0 # exit")
    )
    masked = mask(body, replace(ALL, mask_target=0.0), np.random.default_rng(0))
    assert masked is not None
    assert "    v0 <OP>= <ID>\n" in masked.body.render([None, None])
    assert masked.witness.fills == (">>", "pa0")
    assert masked.body.render(masked.witness.fills) == body.render(())


def test_intrinsics_of_floats_are_offered_where_there_are_floats():
    body = Body(
        lines(
            "def codoku ( pa0 ) :",
            "  v0 = 1",
            "  v0 = pa0 # entry",
            "  v0 = abs_int ( v0 , 8 ) # b0",
            "  return v0 # exit",
        )
    )
    masked = mask(body, ALL, np.random.default_rng(0))
    assert masked is not None
    assert masked.intrinsics == tuple(INT_INTRINSICS)


def test_a_variable_keeps_one_visible_assignment():
    for seed in range(20):
        masked = mask(HAND, ALL, np.random.default_rng(seed))
        assert masked is not None
        assert set(masked.body.variables) == {"pa0", "v0", "v1"}


def test_float_constants_come_after_integers_and_trivial_ones_stay():
    body = Body(
        lines(
            "def codoku ( pa0 ) :",
            "  v0 = 2.5",
            "  v1 = 1.0",
            "  v2 = 30",
            "  v3 = 0.0",
            "  v4 = 2 # entry",
            "  v4 = 2 # b0",
            "  return v0 # exit",
        )
    )
    masked = mask(body, replace(ALL, mask_target=0.0), np.random.default_rng(0))
    assert masked is not None
    assert masked.constants == (Constant("2", 1), Constant("30", 1), Constant("2.5", 1))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("profile", [ALL, PROFILES["small"]], ids=["all", "small"])
def test_the_witness_restores_the_function(seed, profile):
    body = reify(EDGES, PATH, seed).body
    masked = mask(body, profile, np.random.default_rng(seed))
    assert masked is not None
    assert masked.body.render(masked.witness.fills) == body.render(())
    fills = [
        fill for cell, fill in zip(masked.body.cells, masked.witness.fills, strict=True) if cell.kind is Kind.CONST
    ]
    assert {constant.literal: constant.count for constant in masked.constants} == {f: fills.count(f) for f in fills}
    kinds = [cell.kind for cell in masked.body.cells]
    assert kinds.count(Kind.CTRL) == body.render(()).count("break") + body.render(()).count("continue")
    assert kinds.count(Kind.LABEL) == body.render(()).count("= 1\n") - sum(
        line.tokens[1:] == ("=", "1") and not str(line.tokens[0]).startswith("_go_") for line in body.lines
    )


def test_the_number_of_cells_is_kept_in_range():
    low = replace(ALL, cells=(1, 12))
    for seed in range(10):
        masked = mask(HAND, low, np.random.default_rng(seed))
        assert masked is not None
        assert len(masked.body.cells) == 12
        assert {Kind.CTRL, Kind.LABEL} <= {cell.kind for cell in masked.body.cells}
    assert mask(HAND, replace(ALL, cells=(40, 50)), np.random.default_rng(0)) is None
    assert mask(HAND, replace(ALL, cells=(1, 1)), np.random.default_rng(0)) is None


def test_probabilities_are_met_on_average():
    body = reify(EDGES, PATH, 1).body
    full = mask(body, ALL, np.random.default_rng(0))
    assert full is not None
    most = {kind: sum(cell.kind is kind for cell in full.body.cells) for kind in Kind}
    counts = dict.fromkeys(Kind, 0)
    for seed in range(100):
        masked = mask(body, replace(ALL, mask_target=0.0, mask_op=0.3, mask_const=0.8), np.random.default_rng(seed))
        assert masked is not None
        for cell in masked.body.cells:
            counts[cell.kind] += 1
    assert counts[Kind.OP] / 100 / most[Kind.OP] == pytest.approx(0.3, abs=0.03)
    assert counts[Kind.CONST] / 100 / most[Kind.CONST] == pytest.approx(0.8, abs=0.03)
