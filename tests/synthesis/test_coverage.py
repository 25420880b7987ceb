"""Coverage: examples that together execute every block or edge, found out by running the witness under CPython."""

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest

from codoku_env.checking import check
from codoku_env.errors import ConfigError
from codoku_env.puzzle.flow import CFG, require_path
from codoku_env.synthesis import PROFILES, generate_with_witness, reify
from codoku_env.synthesis.coverage import covered_share, covering_walks
from tests.synthesis.graphs import random_flow, random_walk
from tests.synthesis.programs import runs

TINY, SMALL = PROFILES["tiny"], PROFILES["small"]
DIAMOND_IN_LOOP = CFG.of(
    [("entry", "b0"), ("b0", "b1"), ("b0", "b2"), ("b1", "b3"), ("b2", "b3"), ("b3", "b0"), ("b3", "exit")]
)


def executed(paths, coverage):
    steps = (itertools.pairwise(path) if coverage == "edges" else ((label,) for label in path) for path in paths)
    return set(itertools.chain(*steps))


def wanted(cfg, coverage):
    return set(cfg.edges) if coverage == "edges" else {(label,) for label in cfg.blocks}


@pytest.mark.parametrize("coverage", ["blocks", "edges"])
@pytest.mark.parametrize("profile", [TINY, SMALL], ids=["tiny", "small"])
def test_examples_of_generated_puzzles_cover(profile, coverage):
    for seed in range(25):
        puzzle, witness = generate_with_witness(replace(profile, coverage=coverage), seed)
        assert check(puzzle, witness).passed  # the checker demands of each example its own path
        assert executed((example.path for example in puzzle.examples), coverage) == wanted(puzzle.cfg, coverage)
        assert covered_share(puzzle.cfg, [example.path for example in puzzle.examples], coverage) == 1
        assert profile.examples[0] <= len(puzzle.examples) <= profile.max_examples
        assert len({example.expected for example in puzzle.examples}) == len(puzzle.examples)


@pytest.mark.parametrize("coverage", ["blocks", "edges"])
@pytest.mark.parametrize("seed", range(5))
def test_cpython_visits_what_the_examples_say(coverage, seed):
    path = ("entry", "b0", "b1", "b3", "b0", "b1", "b3", "exit")
    witness = reify(DIAMOND_IN_LOOP, path, seed, replace(SMALL, coverage=coverage))
    visited = [blocks for _, blocks in runs(witness)]
    assert visited == [example.path for example in witness.examples]
    assert visited[0] == path
    assert executed(visited, coverage) == wanted(DIAMOND_IN_LOOP, coverage)


@pytest.mark.parametrize("coverage", ["blocks", "edges"])
def test_walks_cover_any_graph(coverage):
    for seed in range(40):
        rng = random.Random(seed)
        flow = random_flow(rng, rng.randrange(1, 9))
        path = random_walk(rng, flow)
        if path is None:
            continue
        walks = covering_walks(flow.cfg, path, coverage, 20, 60, np.random.default_rng(seed))
        assert executed((path, *walks), coverage) == wanted(flow.cfg, coverage)
        assert all(require_path(walk, flow.cfg) for walk in walks)
        few = covering_walks(flow.cfg, path, coverage, 1, 60, np.random.default_rng(seed))
        assert len(few) == min(1, len(walks))


def test_walks_are_no_longer_than_told():
    chain = CFG.of([("entry", "b0"), ("b0", "b1"), ("b1", "b2"), ("b2", "exit"), ("entry", "exit")])
    assert covering_walks(chain, ("entry", "exit"), "blocks", 3, 4, np.random.default_rng(0)) == ()
    walk = ("entry", "b0", "b1", "b2", "exit")
    assert covering_walks(chain, ("entry", "exit"), "blocks", 3, 5, np.random.default_rng(0)) == (walk,)


def test_the_covered_share_is_that_of_the_blocks_or_edges():
    path = ("entry", "b0", "b1", "b3", "exit")
    assert covered_share(DIAMOND_IN_LOOP, [path], "blocks") == 5 / 6
    assert covered_share(DIAMOND_IN_LOOP, [path], "edges") == 4 / 7


def test_where_the_walks_do_not_fit_what_can_be_is_covered():
    short = replace(SMALL, coverage="blocks", path_length=(2, 4), max_path=4)
    path = ("entry", "b0", "exit")
    long = CFG.of([("entry", "b0"), ("b0", "exit"), ("b0", "b1"), ("b1", "b2"), ("b2", "exit")])
    witness = reify(long, path, 0, short)
    assert covered_share(long, [example.path for example in witness.examples], "blocks") < 1


def test_coverage_is_an_option_of_the_hybrid():
    with pytest.raises(ConfigError, match="hybrid"):
        replace(SMALL, strategy="smt", coverage="blocks")
    with pytest.raises(ConfigError, match="expected coverage to be one of None, blocks, edges"):
        replace(SMALL, coverage="lines")
