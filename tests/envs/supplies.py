"""Puzzles to play that cost nothing to make, and policies that play them."""

from functools import cache

from codoku_env import Assignment, Puzzle, parse_puzzle
from codoku_env.synthesis import Profile, generate_with_witness
from tests.puzzle.examples import DIAMOND, LOOPS

SOLUTION = ("500", "c", "c", "-", "25", "b", "25", "b")
"""One of the six solutions of DIAMOND."""


@cache
def read(text: str) -> Puzzle:
    return parse_puzzle(text)


def diamond(profile: Profile, seed: int) -> Puzzle:
    """A supply of always the same eight cells."""
    return read(DIAMOND)


def loops(profile: Profile, seed: int) -> Puzzle:
    """A supply of always the same eleven cells, of all six kinds."""
    return read(LOOPS)


@cache
def generated(profile: str, seed: int) -> tuple[Puzzle, Assignment]:
    """A generated puzzle and its witness, made once per test run."""
    return generate_with_witness(profile, seed)


def play(env, fills):
    """The results of putting the fills in one after another."""
    return [env.step(action_for(env, fill)) for fill in fills]


def action_for(env, fill):
    """The action that puts ``fill`` into the cell at the cursor."""
    episode = env.episode
    return episode.table.encode(env.puzzle.cells[episode.cursor].kind, fill)


def play_randomly(env, seed, info):
    """The results of masked random actions until the episode is over."""
    env.action_space.seed(seed)
    results = []
    while not results or not (results[-1][2] or results[-1][3]):
        results.append(env.step(env.action_space.sample(mask=info["action_mask"])))
        info = results[-1][4]
    return results
