import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

from codoku_env.envs import ENV_IDS, CodokuEnv, register_envs
from codoku_env.envs.actions import ActionLayout
from codoku_env.puzzle import Kind
from codoku_env.synthesis import get_profile
from tests.envs.supplies import play_randomly


@pytest.mark.parametrize("env_id", ENV_IDS)
def test_every_id_passes_gymnasiums_checker_without_warnings(env_id):
    check_env(gymnasium.make(env_id).unwrapped)  # warnings are errors


@pytest.mark.parametrize("env_id", ENV_IDS)
def test_every_id_is_deterministic_and_plays_to_an_end(env_id):
    runs = []
    for _ in range(2):
        env = gymnasium.make(env_id, render_mode="ansi")
        observation, info = env.reset(seed=11)
        runs.append([(observation, info), *play_randomly(env, 11, info), env.render()])
        assert runs[-1][-2][2:4] == (True, False)
        env.close()
    assert data_equivalence(runs[0], runs[1], exact=True)


@pytest.mark.parametrize("env_id", ENV_IDS)
def test_an_id_can_be_made_through_its_module(env_id):
    env = gymnasium.make(f"codoku_env:{env_id}")
    assert isinstance(env.unwrapped, CodokuEnv)
    assert env.unwrapped.profile.name == env_id.split("-")[1]
    assert env.spec is not None
    assert EnvSpec.from_json(env.spec.to_json()) == env.spec


def test_gymnasium_time_limit_applies_on_top():
    env = gymnasium.make("Codoku-tiny-v0", max_episode_steps=2)
    env.reset(seed=0)
    refused = ActionLayout.of(get_profile("tiny")).slots[Kind.LABEL][-1]
    assert [env.step(refused)[3] for _ in range(2)] == [False, True]


def test_registering_again_changes_nothing():
    before = dict(gymnasium.registry)
    register_envs()
    assert dict(gymnasium.registry) == before


def run(code):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_importing_the_package_registers_the_ids():
    code = "import codoku_env, gymnasium; print(*sorted(id for id in gymnasium.registry if id.startswith('Codoku-')))"
    assert run(code).split() == sorted(ENV_IDS)


def test_making_an_env_does_not_load_the_solver():
    made = "import sys; from codoku_env.envs import CodokuEnv; CodokuEnv()"
    assert run(f"{made}; print('z3' in sys.modules)") == "False\n"
    assert run(f"{made}.reset(seed=0); print('z3' in sys.modules)") == "False\n"


def vector(kind, env_id, seeds):
    make = [lambda: gymnasium.make(f"codoku_env:{env_id}")] * len(seeds)
    return SyncVectorEnv(make) if kind == "sync" else AsyncVectorEnv(make, context="spawn")


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_vector_env_is_step_for_step_its_single_envs(kind):
    seeds: list[int | None] = [3, 4]
    envs = vector(kind, "Codoku-tiny-v0", seeds)
    singles = [gymnasium.make("Codoku-tiny-v0") for _ in seeds]
    observations, infos = envs.reset(seed=seeds)
    expected = [env.reset(seed=seed) for env, seed in zip(singles, seeds, strict=True)]
    rng = np.random.default_rng(0)
    for _ in range(4):
        for i, (observation, info) in enumerate(expected):
            assert data_equivalence({name: column[i] for name, column in observations.items()}, observation)
            assert np.array_equal(infos["action_mask"][i], info["action_mask"])
            assert infos["puzzle_seed"][i] == info["puzzle_seed"]
            assert infos["feedback"][i] == info["feedback"]
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in infos["action_mask"]])
        observations, _, terminated, truncated, infos = envs.step(actions)
        expected = [(r[0], r[4]) for r in (env.step(a) for env, a in zip(singles, actions, strict=True))]
        if terminated.any() or truncated.any():
            break
    envs.close()


@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_vector_env_goes_on_after_the_end_of_an_episode(mode):
    envs = SyncVectorEnv([lambda: gymnasium.make("Codoku-tiny-v0", max_steps=3)] * 2, autoreset_mode=mode)
    envs.reset(seed=1)
    ends = 0
    for _ in range(8):
        _, _, _, truncated, _ = envs.step(envs.action_space.sample() * 0)
        ends += int(truncated.sum())
        if mode is AutoresetMode.DISABLED and truncated.any():
            envs.reset(options={"reset_mask": truncated})
    assert ends >= 4
    envs.close()
