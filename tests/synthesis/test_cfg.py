"""Graphs: dominators and loops against their definitions, and what is refused."""

import random

import numpy as np
import pytest

from codoku_env.errors import ConfigError
from codoku_env.puzzle.flow import CFG, require_path
from codoku_env.synthesis import PROFILES, generate
from codoku_env.synthesis.cfg import draw_cfg, draw_walk, require_reducible
from tests.synthesis.graphs import random_flow


def reached_without(cfg, removed):
    seen = set() if removed == "entry" else {"entry"}
    stack = list(seen)
    while stack:
        for target in cfg.successors(stack.pop()):
            if target != removed and target not in seen:
                seen.add(target)
                stack.append(target)
    return seen


@pytest.mark.parametrize("seed", range(40))
def test_flow_agrees_with_the_definitions(seed):
    flow = random_flow(random.Random(seed), 6)
    dominated = {label: set(flow.order) - reached_without(flow.cfg, label) for label in flow.order}
    for label in flow.order[1:]:
        strict = [other for other in flow.order if label in dominated[other] and other != label]
        assert flow.dominator[label] == max(strict, key=lambda other: len([s for s in strict if other in dominated[s]]))
    assert flow.back_edges == {(a, b) for a, b in flow.cfg.edges if a in dominated[b]}
    position = {label: index for index, label in enumerate(flow.order)}
    for source, target in flow.cfg.edges:
        assert ((source, target) in flow.back_edges) == (position[target] <= position[source])
    for header, loop in flow.loops.items():
        assert loop <= dominated[header]


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ("entry:b0,b1 b0:b1 b1:b0,exit", "reducible"),
        ("entry:b0,b1,b2 b0:exit b1:exit b2:exit", "at most two successors of a block, entry has 3"),
        ("entry:b0 b0:entry,exit", "no edge into entry, got b0 -> entry"),
    ],
)
def test_what_structured_code_cannot_express_is_refused(edges, message):
    sources = [part.split(":") for part in edges.split()]
    cfg = CFG.of((source, target) for source, targets in sources for target in targets.split(","))
    with pytest.raises(ConfigError, match=message):
        require_reducible(cfg)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_drawn_graphs_and_walks_are_what_the_profile_accepts(profile):
    visits = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        flow = draw_cfg(profile, rng)
        path = flow and draw_walk(flow, profile, rng)
        if flow is None or path is None:
            continue
        visits += 1
        cfg = flow.cfg
        assert profile.cyclomatic[0] <= max(1, len(cfg.edges) - len(cfg.blocks) + 2) <= profile.cyclomatic[1]
        assert profile.path_length[0] <= len(require_path(path, cfg)) <= profile.path_length[1]
        assert len(cfg.blocks) <= profile.max_blocks
        assert len(cfg.edges) <= profile.max_edges
        low, high = profile.interior_blocks
        assert low <= len(cfg.blocks) - 2 <= high
    assert visits > 100  # enough for the rest to mean something


def test_a_draw_that_leaves_a_block_unreached_is_drawn_again():
    """With this seed two loops give up their lower exits, both of which led to the same block."""
    assert generate("large", 184).cfg.blocks
