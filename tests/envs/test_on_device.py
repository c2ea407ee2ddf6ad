"""Environments that stay on their device, on a CPU: they do what the vector environment of NumPy does."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from on_device import LIBRARIES, giver, in_planes
from pushpoint.engine.planar.kinematics import directions, link_positions, link_weights
from pushpoint.envs import DeviceVectorEnv, PegField, Randomised, SnakeTask, SnakeVectorEnv
from pushpoint.envs.tasks import TASKS
from pushpoint.errors import PushpointError
from pushpoint.model.catalogue import liljeback2011
from pushpoint.model.sensors import Channel, Sensors

WORLDS, LIMIT = 5, 11
VARIED = Randomised(friction=(0.5, 2.0), mass=(0.9, 1.1), stiffness=(0.8, 1.2), torque_limit=(0.7, 1.0))
LATE = Sensors(joint_angle=Channel(delay=0.1, quantum=0.01), imu_heading=Channel(delay=0.05))
CASES: dict[str, dict[str, Any]] = {
    "Slither": {"randomised": VARIED, "sensors": LATE},
    "PegField": {"courses": [3, 5, 7], "patience": 0.4, "sensors": LATE},
    "Sidewind": {"action": "bends"},
    "Rubble": {"boxes": 5, "action": "torque"},
}
FIELDS = ("observation", "reward", "terminated", "truncated")


def compare(monkeypatch: pytest.MonkeyPatch, name: str, library: str, mode: str, steps: int) -> float:
    """Lets the environment of NumPy take the episodes that were drawn on the device; returns the largest difference."""
    give, options = giver(library), {"autoreset_mode": mode, "max_episode_steps": LIMIT}
    device = DeviceVectorEnv(name, WORLDS, arrays=library, pool=7, **options, **CASES[name])  # type: ignore[arg-type]
    device.reset()  # makes its pool
    begun: list[int] = []
    pool = device.task.pool(np.random.default_rng(0), 7)
    monkeypatch.setattr(TASKS[name], "episode", lambda _self, _random: pool[begun.pop(0)])
    usual = SnakeVectorEnv(name, WORLDS, **options, **CASES[name])
    random, worst, over = np.random.default_rng(1), 0.0, np.zeros(WORLDS, dtype=bool)

    def now() -> np.ndarray:
        assert device._pool is not None
        return np.asarray(device._pool.told()["episode"])

    def seen(found: Any, wanted: Any, what: str) -> None:
        nonlocal worst
        assert np.asarray(found).dtype == wanted.dtype and found.shape == wanted.shape, what
        worst = max(worst, float(np.abs(np.asarray(found).astype(float) - wanted).max()))

    first, _ = device.reset(seed=4)
    begun += now().tolist()
    seen(first, usual.reset(seed=4)[0], "first observation")
    for k in range(steps):
        actions = random.uniform(-1.2, 1.2, device.action_space.shape)
        found, before = device.step(give(actions)), over
        over = np.asarray(found[2] | found[3])
        begun += now()[over if mode == "SameStep" else before].tolist() if mode != "Disabled" else []
        wanted = usual.step(actions)
        assert not begun
        for what, one, other in zip(FIELDS, found, wanted, strict=False):
            seen(one, other, what)
        running = ~before if mode == "NextStep" else ~over if mode == "SameStep" else np.ones(WORLDS, dtype=bool)
        for term, values in found[4]["reward_terms"].items():
            if running.any():
                seen(values[give(running)], wanted[4]["reward_terms"][term][running], term)
        if mode == "SameStep" and over.any():
            np.testing.assert_array_equal(np.asarray(found[4]["_final_obs"]), over)
            seen(found[4]["final_obs"][give(over)], np.stack(list(wanted[4]["final_obs"][over])), "final_obs")
        if mode == "Disabled" and (over.any() or k == 3):
            over[2] = True
            again, _ = device.reset(options={"reset_mask": give(over.copy())})
            begun += now()[over].tolist()
            seen(again, usual.reset(options={"reset_mask": over.copy()})[0], "after a reset")
    return worst


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("mode", [mode.value for mode in AutoresetMode])
@pytest.mark.parametrize("name", ["PegField", "Slither"])
def test_it_does_what_the_environment_of_numpy_does(
    name: str, mode: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert compare(monkeypatch, name, library, mode, 30) < 1e-6  # observations are of single precision


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", ["Sidewind", "Rubble"])
def test_it_does_so_in_space(name: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert compare(monkeypatch, name, library, "SameStep", 15) < 1e-5  # of numbers up to 100


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", ["PegField", "Slither"])
def test_it_does_so_with_the_arrays_of_a_gpu(name: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    in_planes(monkeypatch)
    assert compare(monkeypatch, name, library, "SameStep", 30) < 1e-6  # observations are of single precision


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_it_does_so_over_whole_episodes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "LIMIT", 200)
    # Episodes of ten seconds: contacts begin a step earlier or later where sums differ by their rounding, so that what
    # is seen is the same only as far as the arrays are in the same order in memory, as they are here.
    assert compare(monkeypatch, name, "numpy", "SameStep", 450) < 1e-6


def rolled(envs: Any, seeds: list[int | None], steps: int) -> np.ndarray:
    """Observations after a reset, [step, world, row]."""
    actions = np.random.default_rng(2).uniform(-1.0, 1.0, (steps, *envs.single_action_space.shape))
    seen = [envs.reset(seed=seeds)[0]]
    seen += [envs.step(np.stack([action] * envs.num_envs))[0] for action in actions]
    return np.stack(seen)


def test_the_same_seed_gives_the_same_bits_whatever_the_slot_and_the_past() -> None:
    noisy = Sensors(joint_angle=Channel(noise=0.01), joint_rate=Channel(noise=0.1, delay=0.05))
    envs = DeviceVectorEnv("Slither", 3, arrays="numpy", max_episode_steps=4, pool=50, sensors=noisy)
    first = rolled(envs, [7, 8, 9], 9)
    again = rolled(envs, [9, 8, 7], 9)
    np.testing.assert_array_equal(first, again[:, ::-1])
    assert not np.array_equal(first[:, 0], first[:, 1]) and not np.array_equal(first[:5, 0], first[4:9, 0])
    other = DeviceVectorEnv("Slither", 2, arrays="numpy", max_episode_steps=4, pool=50, sensors=noisy)
    np.testing.assert_array_equal(rolled(other, [8, 9], 9), first[:, 1:])
    whole = envs.reset(seed=7)[0]
    np.testing.assert_array_equal(whole, first[0])  # world i has seed + i
    assert not np.array_equal(envs.reset()[0], whole)


def test_a_seed_is_for_the_worlds_that_are_reset_alone() -> None:
    def rest(seeds: list[int | None]) -> np.ndarray:
        envs = DeviceVectorEnv("Slither", 3, arrays="numpy", pool=50)
        envs.reset(seed=0)
        envs.reset(seed=seeds, options={"reset_mask": np.array([True, False, False])})
        return np.asarray(envs.reset()[0])

    np.testing.assert_array_equal(rest([5, 6, 7]), rest([5, None, None]))


def test_every_course_is_in_the_pool_and_every_episode_is_as_likely() -> None:
    task, random = PegField(courses=[3, 5]), np.random.default_rng(0)
    assert [each.told["course"] for each in task.pool(random, 1)] == [3, 5]
    assert [each.told["course"] for each in task.pool(random, 7)] == [3, 3, 3, 5, 5, 5]
    envs, count = DeviceVectorEnv("Slither", 400, arrays="numpy", pool=8), np.zeros(8)
    envs.reset(seed=1)
    for _ in range(10):
        _, infos = envs.reset()
        count += np.bincount(infos["episode"], minlength=8)
    # Counts of 4000 even draws of 8: five standard deviations around their mean.
    assert (np.abs(count - 500.0) < 5 * (4000 * 7 / 64) ** 0.5).all()
    np.testing.assert_array_equal(infos["asked_speed"][infos["episode"] == 3], envs._pool._asked[1][3])  # type: ignore[union-attr]


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_world_that_fails_terminates_alone_and_begins_again(library: str) -> None:
    give = giver(library)
    envs = DeviceVectorEnv("Slither", 3, arrays=library, pool=4, action="torque", rate=4.0, dt=0.25)  # type: ignore[arg-type]
    envs.reset(seed=0)
    actions, failures = np.zeros((3, 9)), np.zeros(3)
    for k in range(200):  # no integration survives such steps
        actions[1] = (-1.0) ** k
        seen, reward, terminated, _, infos = envs.step(give(actions))
        assert np.isfinite(np.asarray(seen)).all() and np.isfinite(np.asarray(reward)).all()
        np.testing.assert_array_equal(np.asarray(terminated), np.asarray(infos["failed"]))
        failures += np.asarray(infos["failed"])
    assert failures[1] > 1 and failures[0] == failures[2] == 0


@pytest.mark.parametrize("library", LIBRARIES[1:])
@pytest.mark.parametrize("action", ["wave", "torque"])
def test_tensors_keep_no_past_and_modes_of_torch_may_change(action: str, library: str) -> None:
    import torch

    envs = DeviceVectorEnv("Slither", 2, arrays=library, pool=2, action=action)  # type: ignore[arg-type]
    policy = torch.nn.Linear(*(space.shape[0] for space in (envs.single_observation_space, envs.single_action_space)))
    with torch.inference_mode():
        seen, _ = envs.reset(seed=0)
        envs.step(policy(seen))
    seen, _ = envs.reset(seed=0)
    for _ in range(2):
        seen, reward, *_ = envs.step(policy(seen))
        assert not seen.requires_grad and not reward.requires_grad
    (name,) = {"table_angle", "torque"} & envs._pool.simulator._stepper._shown.keys()  # type: ignore[union-attr]
    assert not envs._pool.simulator._stepper._shown[name].requires_grad  # type: ignore[union-attr]


def test_make_vec_makes_it() -> None:
    made = gymnasium.make_vec("pushpoint/Slither-v0", 3, arrays="numpy", pool=2)
    assert isinstance(made, DeviceVectorEnv) and made.autoreset_mode is AutoresetMode.SAME_STEP
    assert isinstance(gymnasium.make_vec("pushpoint/Slither-v0", 3), SnakeVectorEnv)
    seen, _ = made.reset(seed=0)
    assert seen in made.observation_space and len(made.rows) == seen.shape[1]
    for k in range(400):
        found = made.step(np.zeros((3, 4)))
        assert bool(found[3].all()) == (k == 399)


def test_the_head_is_a_weighted_sum_of_directions() -> None:
    robot, random = liljeback2011(), np.random.default_rng(3)
    center, angle = random.normal(size=(4, 2)), random.normal(size=(4, robot.n_links))
    for link in (0, 4, robot.n_links - 1):
        found = center + (directions(angle) * link_weights(robot, link)[:, None]).sum(axis=-2)
        np.testing.assert_allclose(found, link_positions(robot, center, angle)[:, link], atol=1e-14)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda e: e.step(np.zeros((2, 3))), r"action = \(2, 3\), must be of shape \(2, 4\)"),
        (lambda e: e.step(np.full((2, 4), np.nan)), r"action = 'nan or infinite', must be finite"),
        (lambda e: e.step("forward"), r"action = 'forward', must be an array of numpy on cpu"),
        (lambda e: e.reset(seed=-1), r"seed = -1, must be a whole number >= 0"),
        (lambda e: e.reset(options={"mask": 1}), r"unknown option of reset 'mask'; did you mean reset_mask"),
        (lambda e: e.reset(options={"reset_mask": np.zeros(2)}), r"reset_mask = 'float64', must be truth values"),
        (lambda e: e.reset(options={"reset_mask": np.zeros(2, bool)}), r"reset_mask = 'all false', must be true for"),
    ],
)
def test_mistakes_are_told_in_one_sentence(call: Any, sentence: str) -> None:
    envs = DeviceVectorEnv("Slither", 2, arrays="numpy", pool=2)
    with pytest.raises(PushpointError, match=r"must be begun: call reset first"):
        envs.step(np.zeros((2, 4)))
    with pytest.raises(PushpointError, match=r"must be left out in the first reset"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    envs.reset()
    with pytest.raises(PushpointError, match=sentence) as told:
        call(envs)
    assert "\n" not in str(told.value)
    envs.step(np.zeros((2, 4)))  # nothing has been broken


def test_wrong_arguments_and_steps_after_the_end() -> None:
    for options, sentence in (
        ({"arrays": "cupy"}, r"arrays = 'cupy', must be one of 'torch', 'numpy'"),
        ({"pool": 0}, r"env.pool = 0, must be a whole number"),
        ({"speeed": 1}, r"unknown argument of Slither 'speeed'; did you mean speed"),
        ({"render_mode": "rgb_array"}, r"unknown argument of Slither 'render_mode'"),
    ):
        with pytest.raises(PushpointError, match=sentence):
            DeviceVectorEnv("Slither", 2, **({"arrays": "numpy"} | options)).reset()  # type: ignore[arg-type]
    ended = DeviceVectorEnv("Slither", 2, arrays="numpy", autoreset_mode="Disabled", max_episode_steps=1, pool=2)
    ended.reset()
    ended.step(np.zeros((2, 4)))
    with pytest.raises(PushpointError, match=r"env: episode = 'over in world 0', must be going on"):
        ended.step(np.zeros((2, 4)))


def test_a_task_of_ones_own_takes_part(monkeypatch: pytest.MonkeyPatch) -> None:
    class Own(TASKS["Slither"]):  # type: ignore[misc, name-defined]
        def judge(self, turn: Any, memory: Any) -> Any:
            outcome, memory = super().judge(turn, memory)
            return outcome._replace(rewards={"one": np.ones(len(turn.place))}), memory

    task: SnakeTask = Own()
    envs = DeviceVectorEnv(task, 2, arrays="numpy", pool=2)
    envs.reset()
    np.testing.assert_array_equal(envs.step(np.zeros((2, 4)))[1], [1.0, 1.0])
