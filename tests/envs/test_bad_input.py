"""Mistakes are told in one sentence."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest

from pushpoint.envs import SnakeEnv, SnakeVectorEnv
from pushpoint.errors import PushpointError

FLAT = "pushpoint/Slither-v0"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"speeed": 1}, r"unknown argument of Slither 'speeed'; did you mean speed"),
        ({"action": "walk"}, r"env.action = 'walk', must be one of 'joints', 'wave', 'bends', 'torque'"),
        ({"robot": "nessie"}, r"unknown robot 'nessie'; known are"),
        ({"rate": -1.0}, r"env.rate = -1.0, must be finite and > 0 \[Hz\]"),
        ({"speed": (0.3, 0.1)}, r"env.speed = \(0.3, 0.1\), must be two numbers, the smaller one first"),
        ({"randomised": {"gravity": (1, 2)}}, r"unknown field of env.randomised 'gravity'; known are friction, mass"),
        ({"randomised": {"mass": (1.1, 0.9)}}, r"randomised.mass = \(1.1, 0.9\), must be two factors, the smaller"),
        ({"randomised": 3}, r"env.randomised = 3, must be a Randomised, or a mapping"),
        ({"sensors": {"joint_angle": {"noise": -1.0}}}, r"channel.noise = -1.0, must be finite and >= 0"),
        ({"sensors": {"center_of_mass": {"noise": 0.1}}}, r"must be left out: rewards see the truth"),
        ({"render_mode": "human"}, r"env.render_mode = 'human', must be one of 'rgb_array'"),
        ({"device": "cuda:99"}, r"settings.device = 'cuda:99', must be"),
        ({"device": 3}, r"env.device = 3, must be text"),
        ({"precision": "double"}, r"env.precision = 'double', must be one of 'float64', 'float32'"),
        ({"width": 12}, r"width = 12, must be a whole number from 320 to 3840"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], sentence: str) -> None:
    for kind in (SnakeEnv, SnakeVectorEnv):
        with pytest.raises(PushpointError, match=sentence) as told:
            kind("Slither", **options)
        assert "\n" not in str(told.value)


def test_wrong_tasks_counts_and_modes() -> None:
    for make, sentence in (
        (lambda: SnakeVectorEnv("Slyther"), r"unknown task 'Slyther'; did you mean Slither"),
        (lambda: SnakeVectorEnv(3), r"env.task = 3, must be the name of a task"),  # type: ignore[arg-type]
        (lambda: SnakeVectorEnv("Slither", 0), r"env.num_envs = 0, must be a whole number"),
        (lambda: SnakeVectorEnv("Slither", autoreset_mode="never"), r"env.autoreset_mode = 'never', must be one of"),
        (lambda: SnakeVectorEnv("PegField", courses="easy"), r"unknown set of courses 'easy'"),
        (lambda: SnakeVectorEnv("PegField", courses=[-1]), r"env.courses\[0\] = -1"),
        (lambda: SnakeVectorEnv("PegField", courses=[]), r"env.courses = \[\], must be one course or more"),
    ):
        with pytest.raises(PushpointError, match=sentence):
            make()


def test_wrong_actions() -> None:
    env, envs = SnakeEnv("Slither"), SnakeVectorEnv("Slither", 2)
    env.reset(), envs.reset()
    for action, sentence in (
        (np.zeros(3), r"action = \(3,\), must be of shape \(4,\)"),
        (np.array([0.0, np.nan, 0.0, 0.0]), r"action\[1\] = nan, must be finite"),
        (np.array([0.0, np.inf, 0.0, 0.0]), r"action\[1\] = inf, must be finite"),
        ("forward", r"action = 'forward', must be numbers of shape \(4,\)"),
        (None, r"action = None, must be numbers of shape \(4,\)"),
    ):
        with pytest.raises(PushpointError, match=sentence):
            env.step(action)  # type: ignore[arg-type]
    with pytest.raises(PushpointError, match=r"action = \(4,\), must be of shape \(2, 4\)"):
        envs.step(np.zeros(4))
    with pytest.raises(PushpointError, match=r"action\[1, 2\] = nan, must be finite"):
        envs.step(np.array([[0.0] * 4, [0.0, 0.0, np.nan, 0.0]]))
    env.step(np.zeros(4, dtype=np.float32))  # nothing has been broken


def test_steps_before_the_first_reset_and_after_the_end() -> None:
    env = SnakeEnv("PegField", courses=[3], patience=0.05)
    with pytest.raises(PushpointError, match=r"env: episode = 'none', must be begun: call reset first"):
        env.step(np.zeros(10))
    with pytest.raises(PushpointError, match=r"must be begun: call reset first"):
        SnakeEnv("Slither", render_mode="rgb_array").render()
    env.reset(seed=0)
    for _ in range(3):
        if env.step(np.zeros(10))[3]:
            break
    with pytest.raises(PushpointError, match=r"env: episode = 'over in world 0', must be going on: call reset first"):
        env.step(np.zeros(10))
    env.reset()
    env.step(np.zeros(10))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"seed": -1}, r"seed = -1, must be a whole number >= 0"),
        ({"seed": 1.5}, r"seed = 1.5, must be"),
        ({"seed": [1]}, r"seed = \[1\], must be a whole number, None, or a list of 2"),
        ({"seed": [1, "a"]}, r"seed\[1\] = 'a', must be"),
        ({"options": {"mask": 1}}, r"unknown option of reset 'mask'; did you mean reset_mask"),
        ({"options": {"reset_mask": [1, 0]}}, r"options.reset_mask = \[1, 0\], must be truth values of shape \(2,\)"),
        ({"options": {"reset_mask": np.zeros(2, bool)}}, r"options.reset_mask = 'all false', must be true for at"),
        ({"options": 7}, r"options = 7, must be a dict"),
    ],
)
def test_wrong_resets(given: dict[str, Any], sentence: str) -> None:
    envs = SnakeVectorEnv("Slither", 2)
    with pytest.raises(PushpointError, match=r"left out in the first reset"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    envs.reset()
    with pytest.raises(PushpointError, match=sentence):
        envs.reset(**given)
    with pytest.raises(PushpointError, match=r"options = .*, must be left out, or empty"):
        SnakeEnv("Slither").reset(options={"x": 1})


def test_mistakes_in_make_are_told_as_well() -> None:
    with pytest.raises(PushpointError, match=r"unknown argument of Slither 'nonsense'"):
        gymnasium.make(FLAT, nonsense=1)
    with pytest.raises(PushpointError, match=r"unknown argument of Slither 'nonsense'"):
        gymnasium.make_vec(FLAT, 2, nonsense=1)


def test_without_gymnasium_the_extra_is_named() -> None:
    program = """
import sys
from pushpoint.errors import MissingExtra
sys.modules["gymnasium"] = None
try:
    import pushpoint.envs
except MissingExtra as missing:
    print(missing)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "pushpoint.envs needs the extra 'learn': pip install 'pushpoint[learn]'\n"
