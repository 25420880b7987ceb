import copy
import hashlib
import os
import pickle
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from hypothesis import given, settings
from hypothesis import strategies as st

from codoku_env import ConfigError, Stage, check, parse_puzzle
from codoku_env.envs import CodokuEnv
from codoku_env.envs.actions import ActionLayout
from codoku_env.puzzle.cells import Kind
from codoku_env.synthesis import generate_with_witness, get_profile
from tests.envs.supplies import SOLUTION, action_for, diamond, generated, loops, play, play_randomly, read
from tests.puzzle.examples import DIAMOND

INVALID = ActionLayout.of(get_profile("small")).slots[Kind.LABEL][-1]
"""An action that means nothing in these puzzles."""


@pytest.fixture
def env():
    """Eight cells to fill."""
    return CodokuEnv("small", generator=diamond, render_mode="ansi")


# Solving and failing.


def test_a_solution_gets_reward_1(env):
    env.reset(seed=0)
    *before, (observation, reward, terminated, truncated, info) = play(env, SOLUTION)
    assert [result[1:4] for result in before] == [(0.0, False, False)] * 7
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert (info["verdict"], info["is_success"], info["cell"]) == ("PASS", True, -1)
    assert info["feedback"] == "PASS: every constraint is satisfied"
    assert observation["cursor"].tolist() == [-1]
    assert not info["action_mask"].any()
    assert env.assignment.fills == SOLUTION


@pytest.mark.parametrize(
    ("fills", "stage"),
    [
        ({0: "25", 6: "500"}, "OUTPUT"),
        ({3: "+"}, "OUTPUT"),
        ({1: "b"}, "PATH"),
        ({3: "is"}, "PATH"),
        ({3: "not"}, "PARSE"),
    ],
)
def test_a_complete_filling_that_is_wrong_ends_with_reward_0_and_the_verdict(env, fills, stage):
    env.reset(seed=0)
    _, reward, terminated, truncated, info = play(env, (dict(enumerate(SOLUTION)) | fills).values())[-1]
    verdict = check(env.puzzle, env.assignment)
    assert (reward, terminated, truncated) == (0.0, True, False)
    assert (info["verdict"], info["is_success"], info["feedback"]) == (verdict.stage, False, str(verdict))
    assert info["verdict"] == stage


@pytest.mark.parametrize(("profile", "seeds"), [("tiny", range(4)), ("small", range(2))])
def test_the_witness_gets_reward_1(profile, seeds):
    env = CodokuEnv(profile)
    for seed in seeds:
        _, info = env.reset(seed=seed)
        puzzle, witness = generate_with_witness(profile, info["puzzle_seed"])
        assert env.puzzle == puzzle
        results = play(env, witness.fills)
        assert [result[1] for result in results] == [0.0] * (len(results) - 1) + [1.0]
        assert results[-1][4]["verdict"] == Stage.PASS


@pytest.mark.parametrize("seed", range(5))
def test_masked_random_play_fills_every_cell_and_is_judged(seed):
    env = CodokuEnv("tiny")
    puzzle, _ = generated("tiny", seed)
    _, info = env.reset(seed=seed, options={"puzzle": puzzle})
    results = play_randomly(env, seed, info)
    assert len(results) == len(puzzle.cells)
    _, reward, terminated, truncated, info = results[-1]
    assert (terminated, truncated) == (True, False)
    assert reward == float(check(puzzle, env.assignment).passed)
    assert all(result[4]["valid_action"] for result in results)


# Refusal and truncation.


def test_a_refused_action_fills_nothing_says_why_and_costs_a_step(env):
    before, _ = env.reset(seed=0)
    refusals = {
        ActionLayout.of(env.profile).slots[Kind.OP][0]: "refused: action 44 is the OP +, cell 0 wants <CONST>",
        ActionLayout.of(env.profile).slots[Kind.ID][12]: "refused: action 12 names nothing in this puzzle",
        ActionLayout.of(env.profile).slots[Kind.CONST][2]: "names nothing in this puzzle",
    }
    for steps, (action, feedback) in enumerate(refusals.items(), 1):
        observation, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (0.0, False, False)
        assert (info["valid_action"], info["cell"], info["verdict"]) == (False, 0, None)
        assert feedback.split("action")[-1].lstrip(" 0123456789") in info["feedback"]
        assert info["feedback"].startswith("refused: ")
        assert observation["progress"].tolist() == [0, 8, 3, 32 - steps]
        assert np.array_equal(observation["fill"], before["fill"])
    assert env.step(action_for(env, "500"))[4]["valid_action"] is True


def test_a_spent_constant_is_refused(env):
    env.reset(seed=0)
    _, _, _, _, info = play(env, ["500", "c", "c", "-", "500"])[-1]
    assert "the CONST 500, which has no use left" in info["feedback"]
    assert (info["cell"], info["valid_action"]) == (4, False)
    assert [env.episode.table.decode(action)[1] for action in np.flatnonzero(info["action_mask"])] == ["25"]


def test_the_mask_is_never_empty_when_the_table_has_fewer_uses_than_the_puzzle_has_cells():
    puzzle = parse_puzzle(DIAMOND.replace("500:1, 25:2", "500:1, 25:1"))
    env = CodokuEnv("small")
    env.reset(options={"puzzle": puzzle})
    results = play(env, SOLUTION)
    assert all(result[4]["action_mask"].any() for result in results[:-1])
    assert results[-1][4]["feedback"] == "CONST: constant 25 is used 2 times, expected once"


def test_feedback_tells_the_fill_and_what_is_left(env):
    _, info = env.reset(seed=0)
    assert info["feedback"] == "a new puzzle: 8 cells left; constants left 500:1, 25:2"
    feedback = [result[4]["feedback"] for result in play(env, SOLUTION[:7])]
    assert feedback[0] == "cell 0 <CONST> is now 500; 7 cells left; constants left 25:2"
    assert feedback[3] == "cell 3 <OP> is now -; 4 cells left; constants left 25:2"
    assert feedback[6] == "cell 6 <CONST> is now 25; 1 cell left; constants left none"


@pytest.mark.parametrize(("max_steps", "limit"), [(None, 32), (1, 1), (5, 5)])
def test_the_step_limit_truncates(max_steps, limit):
    env = CodokuEnv("small", generator=diamond, max_steps=max_steps)
    _, info = env.reset(seed=0)
    for step in range(1, limit + 1):
        observation, reward, terminated, truncated, info = env.step(INVALID)
        assert env.observation_space.contains(observation)
        assert (reward, terminated, truncated) == (0.0, False, step == limit)
        assert truncated is (step == limit)
        assert info["action_mask"].any()
    assert info["verdict"] is None
    assert info["feedback"].endswith(f"; the step limit of {limit} is reached")
    with pytest.raises(ResetNeeded, match=r"the episode is over: call reset\(\)"):
        env.step(0)


def test_filling_the_last_cell_in_the_last_step_terminates_and_does_not_truncate():
    env = CodokuEnv("small", generator=diamond, max_steps=8)
    env.reset(seed=0)
    assert play(env, SOLUTION)[-1][1:4] == (1.0, True, False)


def test_a_step_before_reset_or_after_the_end_asks_for_a_reset(env):
    for use in (lambda: env.step(0), env.render, lambda: env.puzzle, lambda: env.assignment):
        with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
            use()
    env.reset(seed=0)
    play(env, SOLUTION)
    with pytest.raises(ResetNeeded, match="the episode is over"):
        env.step(0)
    env.reset()
    assert env.step(action_for(env, "25"))[4]["valid_action"]


@pytest.mark.parametrize("action", [-1, 10_000, 0.5, None, "+", np.array([1])])
def test_an_action_outside_the_action_space_is_an_error_and_costs_nothing(env, action):
    env.reset(seed=0)
    with pytest.raises(InvalidAction, match=r"expected an action of Discrete\(\d+\), got"):
        env.step(action)
    assert env.episode.steps == 0


# Invariants of random play.


@settings(max_examples=60, deadline=None)
@given(
    generator=st.sampled_from([diamond, loops]),
    choices=st.lists(st.tuples(st.booleans(), st.integers(0, 10_000)), min_size=1, max_size=60),
)
def test_invariants_hold_over_random_play(generator, choices):
    env = CodokuEnv("small", generator=generator)
    actions = ActionLayout.of(env.profile).size
    observation, info = env.reset(seed=0)
    for masked, choice in choices:
        allowed = np.flatnonzero(info["action_mask"])
        cell, filled = info["cell"], observation["progress"][0]
        action = int(allowed[choice % len(allowed)]) if masked else choice % actions
        observation, reward, terminated, truncated, info = env.step(action)
        assert env.observation_space.contains(observation)
        assert type(reward) is float
        assert type(terminated) is bool
        assert type(truncated) is bool
        assert not (terminated and truncated)
        assert info["valid_action"] is (action in allowed)
        assert observation["progress"][0] == filled + info["valid_action"]
        assert np.array_equal(info["action_mask"], observation["action_mask"])
        assert observation["cursor"].item() == info["cell"]
        if info["valid_action"]:
            assert observation["fill"][cell] == 1 + action
        assert info["action_mask"].any() != terminated
        assert (info["verdict"] is not None) == terminated
        assert reward == float(info["is_success"]) == float(info["verdict"] == "PASS")
        assert info["feedback"]
        if terminated or truncated:
            break


def test_spaces_contain_numbers_beyond_their_range():
    text = DIAMOND.replace("codoku(10, 20) == 1050", f"codoku(-1.7e308, {2**70}) == {-(10**400)}")
    env = CodokuEnv("small")
    observation, _ = env.reset(options={"puzzle": parse_puzzle(text)})
    assert env.observation_space.contains(observation)
    assert observation["argument_type"][0].tolist() == [3, 3, 0]
    assert observation["expected_type"][0] == 3


@pytest.mark.parametrize(("profile", "seeds"), [("tiny", range(6)), ("small", range(2))])
def test_spaces_contain_what_generated_puzzles_show(profile, seeds):
    env = CodokuEnv(profile)
    for seed in seeds:
        observation, info = env.reset(options={"puzzle": generated(profile, seed)[0]})
        assert env.observation_space.contains(observation)
        assert all(env.observation_space.contains(result[0]) for result in play_randomly(env, seed, info))


def test_observations_and_infos_are_never_shared(env):
    results = [env.reset(seed=0), env.reset(seed=0)]
    results += [(result[0], result[4]) for result in play(env, SOLUTION)]
    results.append(env.reset(seed=0))
    for i, (observation, info) in enumerate(results):
        assert not np.shares_memory(observation["action_mask"], info["action_mask"])
        for other_observation, other_info in results[:i]:
            assert not shares_objects(observation, other_observation)
            assert not shares_objects(info, other_info)


def test_what_an_agent_writes_into_an_observation_changes_nothing(env):
    observation, info = env.reset(seed=0)
    untouched = copy.deepcopy(env.reset(seed=0))
    for array in (*observation.values(), info["action_mask"]):
        array.fill(1)
    assert data_equivalence(env.reset(seed=0), untouched)
    observation, *_, info = env.step(action_for(env, "500"))
    for array in (*observation.values(), info["action_mask"]):
        array.fill(1)
    env.step(action_for(env, "c"))
    assert env.assignment.fills[:3] == ("500", "c", None)


def shares_objects(first, second):
    return any(np.shares_memory(first[name], second[name]) for name in first if isinstance(first[name], np.ndarray))


# Seeds and options.


def episode(env, seed):
    results = [env.reset(seed=seed)]
    return results + play_randomly(env, seed, results[0][1])


def test_the_same_seed_gives_the_same_episode():
    first, second, other = (episode(CodokuEnv("tiny"), seed) for seed in (7, 7, 8))
    assert data_equivalence(first, second, exact=True)
    assert not data_equivalence(first, other)


def test_the_same_seed_gives_the_same_episode_in_another_process():
    code = "from tests.envs.test_codoku import digest; print(digest())"
    for hash_seed in ("0", "1"):
        process = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert process.stdout.strip() == digest()


def digest():
    """Hash of everything that an episode of a tiny puzzle returns."""
    text = "\n".join(
        f"{name} {value.tobytes() if isinstance(value, np.ndarray) else value!r}"
        for result in episode(CodokuEnv("tiny"), 7)
        for part in result
        for name, value in (part.items() if isinstance(part, dict) else [("", part)])
    )
    return hashlib.sha256(text.encode()).hexdigest()


def seeds_of(env, seed, count=20):
    return [env.reset(seed=seed)[1]["puzzle_seed"]] + [env.reset()[1]["puzzle_seed"] for _ in range(count - 1)]


def test_a_seed_fixes_this_and_all_later_puzzles_and_none_repeats(env):
    assert seeds_of(env, 3) == seeds_of(env, 3)
    drawn = [seed for start in range(20) for seed in seeds_of(env, start)]
    assert len(set(drawn)) == len(drawn)
    assert all(0 <= seed < 2**53 for seed in drawn)


def test_the_generator_gets_the_profile_and_the_puzzle_seed():
    calls = []
    env = CodokuEnv("tiny", generator=lambda profile, seed: calls.append((profile, seed)) or read(DIAMOND))
    _, info = env.reset(seed=1)
    assert calls == [(get_profile("tiny"), info["puzzle_seed"])]


@pytest.mark.parametrize("seed", [0, 42, np.int64(42), 2**63 - 1])
def test_options_pin_the_puzzle_seed(env, seed):
    assert env.reset(seed=5, options={"puzzle_seed": seed})[1]["puzzle_seed"] == seed
    assert env.reset(options={"puzzle_seed": seed})[1]["puzzle_seed"] == seed


def test_a_pinned_puzzle_seed_gives_the_generated_puzzle():
    env = CodokuEnv("tiny")
    env.reset(options={"puzzle_seed": 3})
    assert env.puzzle == generated("tiny", 3)[0]


def test_options_give_a_puzzle(env):
    puzzle = generated("tiny", 0)[0]
    assert env.reset(options={"puzzle": puzzle})[1]["puzzle_seed"] == -1
    assert env.puzzle is puzzle


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 3}, "expected options from puzzle, puzzle_seed, got 'level'"),
        ({"puzzle": read(DIAMOND), "puzzle_seed": 3}, "either puzzle or puzzle_seed"),
        ({"puzzle": DIAMOND}, "expected the option puzzle to be a Puzzle, got str"),
        ({"puzzle_seed": -1}, "expected the option puzzle_seed from 0 to 9223372036854775807, got -1"),
        ({"puzzle_seed": 2**63}, "puzzle_seed from 0"),
        ({"puzzle_seed": True}, "puzzle_seed from 0"),
        ({"puzzle_seed": 1.0}, "puzzle_seed from 0"),
    ],
)
def test_wrong_options_are_refused_and_leave_the_episode_alone(env, options, message):
    env.reset(seed=0)
    play(env, SOLUTION[:2])
    with pytest.raises(ConfigError, match=message):
        env.reset(options=options)
    assert env.assignment.fills[:3] == (*SOLUTION[:2], None)


def test_a_puzzle_beyond_the_bounds_of_the_profile_is_refused():
    env = CodokuEnv("tiny", generator=diamond)
    with pytest.raises(ConfigError, match="within max_cells = 10 of profile 'tiny', got 11"):
        env.reset(options={"puzzle": loops(env.profile, 0)})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"profile": "smal"}, "did you mean 'small'"),
        ({"render_mode": "human"}, r"expected a render_mode of \['ansi'\], got 'human'"),
        ({"max_steps": 0}, "expected max_steps from 1"),
        ({"max_steps": 2.5}, "expected max_steps from 1"),
        ({"max_steps": True}, "expected max_steps from 1"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(ConfigError, match=message):
        CodokuEnv(**arguments)


# Copies and rendering.


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_carries_the_state_and_goes_its_own_way(env, duplicate):
    env.reset(seed=0)
    play(env, SOLUTION[:4])
    twin = duplicate(env)
    assert twin.render() == env.render()
    assert data_equivalence(play(env, SOLUTION[4:]), play(twin, SOLUTION[4:]), exact=True)
    assert data_equivalence(env.reset(), twin.reset(), exact=True)
    env.step(action_for(env, "25"))
    assert twin.assignment.fills[0] is None


def test_a_copy_of_an_env_that_synthesizes_carries_the_state():
    env = CodokuEnv("tiny")
    env.reset(seed=0)
    twin = pickle.loads(pickle.dumps(env))
    assert twin.puzzle == env.puzzle
    assert twin.reset()[1]["puzzle_seed"] == env.reset()[1]["puzzle_seed"]


def test_render_shows_the_program_the_cursor_and_the_feedback(env):
    env.reset(seed=0)
    play(env, SOLUTION[:2])
    text = env.render()
    assert "if {c} < b:" in text
    assert "c = [2:ID] [3:OP] (a * [4:CONST])" in text
    assert "fill now        cell 2 <ID>: a b c" in text
    assert "feedback        cell 1 <ID> is now c; 6 cells left; constants left 25:2" in text


def test_render_after_the_end_shows_the_verdict(env):
    env.reset(seed=0)
    play(env, SOLUTION)
    assert "fill now" not in env.render()
    assert "feedback        PASS: every constraint is satisfied" in env.render()


def test_render_without_a_mode_warns_and_shows_nothing():
    env = CodokuEnv("small", generator=diamond)
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="render_mode='ansi'"):
        assert env.render() is None


def test_render_modes_are_declared():
    assert CodokuEnv.metadata["render_modes"] == ["ansi"]
    assert CodokuEnv.metadata["render_fps"] > 0
    assert issubclass(CodokuEnv, gymnasium.Env)
