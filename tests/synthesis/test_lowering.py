"""Structured lowering: the code makes exactly the graph's edges, and follows every walk."""

from __future__ import annotations

import ast
import itertools
import random
from collections.abc import Iterator, Sequence

import pytest

from codoku_env.checking.controlflow import rebuild_edges
from codoku_env.errors import ConfigError
from codoku_env.puzzle.body import Body, Line
from codoku_env.puzzle.flow import CFG
from codoku_env.synthesis.cfg import Flow, require_reducible
from codoku_env.synthesis.lowering import Structure, lay_out, lower
from codoku_env.synthesis.rotation import rotatable, rotate
from tests.synthesis.graphs import random_flow, random_walk


def lines_of(flow: Flow, empty: frozenset[str] = frozenset(), structure: Structure | None = None) -> tuple[Line, ...]:
    """The graph as a function whose blocks call for a decision by ``pa0``; blocks in ``empty`` have no statement."""
    structure = structure or lower(flow)
    statements: dict[str, list[tuple[str, ...]]] = {
        label: [] if label in empty else [("v0", "=", "pa0")] for label in flow.order
    }
    statements["exit"] = [("return", "v0")]
    conditions = {label: ("pa0", "==", str(index)) for index, label in enumerate(flow.order)}
    head = (Line(0, ("def", "codoku", "(", "pa0", ")", ":")), Line(1, ("v0", "=", "0")))
    again = {label: [] if label in empty else [("v0", "=", "2")] for label in structure.rotated}
    return (*head, *lay_out(structure, statements, conditions, again))


def edges_of(lines: Sequence[Line]) -> set[tuple[str, str]]:
    """The edges that the checker finds in the code."""
    body = Body(tuple(lines))
    function = ast.parse(body.render(())).body[0]
    assert isinstance(function, ast.FunctionDef)
    return rebuild_edges(function, {row + 1: line.blocks for row, line in enumerate(lines) if line.blocks})


def visited(lines: Sequence[Line], decisions: Iterator[bool], most: int) -> list[str]:
    """Blocks that the code visits when the conditions on ``pa0`` turn out as ``decisions`` say."""
    source: list[str] = []
    for line in lines:
        indent = "    " * line.depth
        source += [f"{indent}visit({label!r})" for label in line.blocks]
        tokens = (line.tokens[0], "decide", "(", ")", ":") if line.tokens[1:2] == ("pa0",) else line.tokens
        source.append(indent + " ".join(str(token) for token in tokens))
    trace: list[str] = []

    def visit(label: str) -> None:
        trace.append(label)
        if len(trace) > most:
            raise OverflowError

    scope: dict[str, object] = {"visit": visit, "decide": lambda: next(decisions)}
    exec("\n".join(source), scope)
    scope["codoku"](0)  # type: ignore[operator]
    return trace


def some(rng: random.Random, labels: Sequence[str]) -> list[str]:
    return rng.sample(labels, rng.randint(0, len(labels)))


def check_flow(flow: Flow, rng: random.Random, walks: int = 4) -> None:
    plain = lower(flow)
    headers = rotatable(plain)
    rotated = rotate(plain, flow, rng.sample(headers, rng.randint(0, len(headers))))
    jumpy = lower(flow, some(rng, flow.order[1:]), some(rng, flow.order))
    jumpy = rotate(jumpy, flow, some(rng, rotatable(jumpy)))
    for empty, structure in itertools.product(
        (frozenset[str](), frozenset(flow.order) - {"exit"}), (plain, rotated, jumpy)
    ):
        lines = lines_of(flow, empty, structure)
        assert edges_of(lines) == set(flow.cfg.edges)
        then = structure.then
        for _ in range(walks):
            path = random_walk(rng, flow)
            if path is not None:
                steps = itertools.pairwise(path)
                decisions = iter([then[a] == b for a, b in steps if a in then])
                assert visited(lines, decisions, len(path)) == list(path)
                assert next(decisions, None) is None


@pytest.mark.parametrize("interior", [1, 2, 3, 4, 5, 7, 9])
def test_random_graphs_come_back_from_the_code(interior: int) -> None:
    rng = random.Random(interior)
    for _ in range(60):
        check_flow(random_flow(rng, interior), rng)


def test_many_loops_of_random_graphs_can_be_rotated() -> None:
    rng = random.Random(0)
    flows = [random_flow(rng, 5) for _ in range(100)]
    loops = sum(len(flow.loops) for flow in flows)
    assert sum(len(rotatable(lower(flow))) for flow in flows) > loops / 8


def flow_of(text: str) -> Flow:
    sources = [part.split(":") for part in text.split()]
    return require_reducible(CFG.of((source, target) for source, targets in sources for target in targets.split(",")))


def text_of(flow: Flow, structure: Structure | None = None) -> str:
    lines = lines_of(flow, frozenset(flow.order) - {"exit"}, structure)[2:]
    rows = [f"{'  ' * (line.depth - 1)}{' '.join(map(str, line.tokens))}" for line in lines]
    marks = [f"  # {' '.join(line.blocks)}" if line.blocks else "" for line in lines]
    return "\n".join(row + mark for row, mark in zip(rows, marks, strict=True))


def test_a_diamond_is_if_and_else() -> None:
    assert text_of(flow_of("entry:b0,b1 b0:exit b1:exit")) == (
        "if pa0 == 0 :  # entry\n  pass  # b0\nelse :\n  pass  # b1\nreturn v0  # exit"
    )


def test_a_loop_is_left_by_break_and_needs_no_continue_at_its_end() -> None:
    assert text_of(flow_of("entry:b0 b0:b1,exit b1:b0")) == (
        "while True :  # entry\n  if pa0 == 1 :  # b0\n    break\n  pass  # b1\nreturn v0  # exit"
    )


def test_a_rotated_loop_has_its_header_at_two_places() -> None:
    flow = flow_of("entry:b0 b0:b1,exit b1:b0")
    structure = lower(flow)
    assert rotatable(structure) == ("b0",)
    rotated = rotate(structure, flow, ["b0"])
    assert structure.then == {"b0": "exit"}
    assert rotated.then == {"b0": "b1"}
    assert rotated.rotated == {"b0": {"b0", "b1"}}
    assert text_of(flow, rotated) == "while pa0 == 1 :  # entry b0\n  pass  # b1 b0\nreturn v0  # exit"


def test_a_block_that_is_its_own_loop_can_be_rotated() -> None:
    flow = flow_of("entry:b0 b0:b0,exit")
    rotated = rotate(lower(flow), flow, ["b0"])
    text = "\n".join(" ".join(map(str, line.tokens)) for line in lines_of(flow, structure=rotated)[3:])
    assert text == "v0 = pa0\nwhile pa0 == 1 :\nv0 = 2\nreturn v0"


def test_a_loop_with_a_continue_is_not_rotated() -> None:
    assert rotatable(lower(flow_of("entry:b0 b0:b1,exit b1:b0,b2 b2:b0"))) == ("b0",)
    assert rotatable(lower(flow_of("entry:b0 b0:b1,exit b1:b0,b2 b2:b0,b3 b3:b0"))) == ("b0",)
    assert rotatable(lower(flow_of("entry:b0 b0:b1,b2 b1:b0,b3 b2:b3 b3:b0,exit"))) == ()


def test_continue_stands_where_the_lap_ends_early() -> None:
    assert text_of(flow_of("entry:b0 b0:b1,b2 b1:b0,b3 b2:b3 b3:b0,exit")) == (
        "while True :  # entry\n  if pa0 == 1 :  # b0\n    pass  # b2\n  else :\n    if pa0 == 2 :  # b1\n"
        "      continue\n  if pa0 == 4 :  # b3\n    break\nreturn v0  # exit"
    )


def test_a_jump_out_of_two_loops_sets_a_flag_that_breaks_the_outer_one() -> None:
    flow = flow_of("entry:b0 b0:b1 b1:b1,b2 b2:b0,b3 b3:exit")
    assert lower(flow).flags == ()
    flow = flow_of("entry:b0 b0:b1 b1:b2,b3 b2:b1,exit b3:b0,exit")
    text = text_of(flow)
    assert lower(flow).flags == ("exit",)
    assert "_go_exit = 1\n      break" in text
    assert "if _go_exit :\n    break" in text


def test_a_flag_in_a_loop_is_cleared_before_the_next_lap() -> None:
    flow = flow_of("entry:b0 b0:b1,b2 b1:b3,b4 b2:b3 b3:b4 b4:b0,exit")
    text = text_of(flow)
    assert lower(flow).flags == ("b4",)
    assert text.count("_go_b4 = 0") == 2
    assert "if not _go_b4 :\n    pass  # b3" in text


def test_an_arm_that_stands_apart_takes_a_flag() -> None:
    flow = flow_of("entry:b0,b1 b0:exit b1:exit")
    structure = lower(flow, apart=["b1"])
    assert structure.flags == ("exit",)
    assert text_of(flow, structure) == (
        "_go_exit = 0\nif pa0 == 0 :  # entry\n  _go_exit = 1  # b0\nif not _go_exit :\n  pass  # b1\nreturn v0  # exit"
    )


def test_a_lap_can_end_by_continue_where_it_would_end_anyway() -> None:
    flow = flow_of("entry:b0 b0:b1,exit b1:b0")
    structure = lower(flow, explicit=["b1"])
    assert rotatable(structure) == ()
    assert text_of(flow, structure).splitlines()[3:] == ["  continue  # b1", "return v0  # exit"]


def test_a_deep_chain_of_branches_still_comes_back() -> None:
    rng = random.Random(0)
    chain = " ".join(f"b{i}:b{i + 1},exit" for i in range(9))
    check_flow(flow_of(f"entry:b0 {chain} b9:exit"), rng)


def test_code_that_would_nest_too_deep_is_refused() -> None:
    def chain(length: int) -> Flow:
        arms = " ".join(f"b{i}:b{i + 1},b{i + 100} b{i + 100}:exit" for i in range(length))
        return flow_of(f"entry:b0 {arms} b{length}:exit")

    check_flow(chain(17), random.Random(0))
    with pytest.raises(ConfigError, match="nests at most 18 levels"):
        lower(chain(18))


@pytest.mark.slow
def test_many_more_random_graphs_come_back_from_the_code() -> None:
    rng = random.Random(1)
    for _ in range(3000):
        check_flow(random_flow(rng, rng.randrange(1, 14)), rng)
