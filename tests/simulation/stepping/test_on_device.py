"""Batches that stay on their device, on a CPU: they do what a Simulator does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from on_device import LIBRARIES, giver, in_planes
from pushpoint.engine.on_device.namespaces import library
from pushpoint.envs import PegField, Randomised, Rubble, Sidewind, Slither, SnakeTask
from pushpoint.errors import PushpointError
from pushpoint.model.sensors import Channel, Sensors

SLOTS = 6
LATE = Sensors(
    joint_angle=Channel(gain=1.1, bias=0.02, quantum=0.01),
    joint_torque=Channel(rate=10.0, delay=0.1),
    contact_normal_force=Channel(delay=0.05),
    imu_acceleration=Channel(rate=20 / 3),
)
VARIED = Randomised(friction=(0.5, 2.0), mass=(0.8, 1.2), stiffness=(0.7, 1.3))
TASKS: dict[str, SnakeTask] = {
    "pegs": PegField(courses=[0, 1, 2], sensors=LATE),
    "pegs varied": PegField(courses=[0, 1, 2], randomised=VARIED),
    "flat varied": Slither(randomised=VARIED),
    "space": Sidewind(sensors=LATE),
    "boxes varied": Rubble(boxes=4, randomised=VARIED),
}


def worlds_of(task: SnakeTask, count: int = 4) -> list[pp.World]:
    return [episode.world for episode in task.pool(np.random.default_rng(1), count)]


def both(task: SnakeTask, library: str, count: int = 4) -> tuple[list[pp.World], pp.Simulator, pp.DeviceSimulator]:
    """The pool, a simulator of the worlds in the slots, and the same on a device."""
    pool = worlds_of(task, count)
    how: dict[str, Any] = {"rate": task.rate, "settings": task.settings}
    worlds = [pool[k % len(pool)] for k in range(SLOTS)]
    return pool, pp.Simulator(worlds, **how), pp.DeviceSimulator(pool, slots=SLOTS, arrays=library, **how)  # type: ignore[arg-type]


def assert_alike(found: pp.Measurement, wanted: pp.Measurement) -> None:
    for name, values in vars(wanted).items():
        other = getattr(found, name)
        assert (values is None) == (other is None), name
        if values is not None:  # rounding apart: libraries sum in orders of their own
            np.testing.assert_allclose(np.asarray(other), values, rtol=1e-9, atol=1e-9, err_msg=name)


def wave(task: SnakeTask, k: int) -> np.ndarray:
    phases = 0.3 * k - 0.7 * np.arange(task.usual_robot.n_joints)
    return np.linspace(0.2, 0.6, SLOTS)[:, None] * np.sin(phases)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", TASKS)
def test_a_slot_does_what_a_simulator_does(name: str, library: str) -> None:
    compare(TASKS[name], library, 24)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", ["pegs", "flat varied"])
def test_it_does_so_with_the_arrays_of_a_gpu(name: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    in_planes(monkeypatch)
    compare(TASKS[name], library, 24)


@pytest.mark.slow
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", ["space", "boxes varied", "pegs varied"])
def test_it_does_so_in_space_and_for_long(name: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    in_planes(monkeypatch)
    compare(TASKS[name], library, 60)


def compare(task: SnakeTask, library: str, steps: int) -> None:
    """Steps, resets and parks the worlds of both."""
    give = giver(library)
    pool, simulator, device = both(task, library)
    assert_alike(device.reset(), simulator.reset())
    forces = 0.0
    for k in range(steps):
        active = np.arange(SLOTS) % 3 != k % 3 if k % 4 == 1 else None
        command = wave(task, k)
        wanted = simulator.step(pp.Command(joint_angle=command, joint_rate=0.1 * command), active)
        found = device.step(
            pp.Command(joint_angle=give(command), joint_rate=give(0.1 * command)),
            None if active is None else give(active),
        )
        assert_alike(found, wanted)
        forces = max(forces, np.abs(wanted.contact_normal_force).max())
        if k % 7 == 5:
            mask, which = np.arange(SLOTS) % 3 == k % 3, (np.arange(SLOTS) * 5 + k) % len(pool)
            wanted = simulator.reset(mask, [pool[row] for row in which[mask]])
            assert_alike(device.reset(give(mask), give(which)), wanted)
    assert forces > 0.1 or not isinstance(task, PegField)  # the courses are felt
    mask = np.arange(SLOTS) == 2
    assert_alike(device.reset(give(mask)), simulator.reset(mask))
    torque = 0.5 * command
    for _ in range(2):
        wanted = simulator.step(pp.Command(joint_torque=torque))
        assert_alike(device.step(pp.Command(joint_torque=give(torque))), wanted)
    assert_alike(device.step(pp.Command(joint_angle=give(command))), simulator.step(pp.Command(joint_angle=command)))
    assert not np.asarray(device.failed).any() and device.statuses == simulator.statuses


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_was_measured_stays_as_it_was(library: str) -> None:
    give, (_, _, device) = giver(library), both(TASKS["pegs"], library)
    first = device.reset()
    before = {name: np.asarray(value).copy() for name, value in vars(first).items() if value is not None}
    for k in range(3):
        device.step(pp.Command(joint_angle=give(wave(TASKS["pegs"], k))))
    for name, value in before.items():
        np.testing.assert_array_equal(np.asarray(getattr(first, name)), value)


def noise_of(simulator: pp.DeviceSimulator, steps: int, noise: Any) -> tuple[np.ndarray, np.ndarray]:
    """Readings of two quantities of a robot that lies still, [step, slot, joint]."""
    held = np.zeros((SLOTS, simulator.worlds[0].robot.n_joints))
    seen = [simulator.reset(noise=noise)]
    seen += [simulator.step(pp.Command(joint_angle=held)) for _ in range(steps)]
    return np.stack([each.joint_angle for each in seen]), np.stack([each.joint_rate for each in seen])


def test_noise_is_normal_independent_and_a_function_of_its_number() -> None:
    robot, noisy = pp.catalogue.aiko_planar(), Channel(noise=0.5)
    worlds = [pp.World(robot, pp.Environment(), sensors=Sensors(joint_angle=noisy, joint_rate=noisy))]
    simulator = pp.DeviceSimulator(worlds, slots=SLOTS, rate=20.0, settings=pp.Settings(dt=0.01), arrays="numpy")
    numbers = np.array([3, 4, 5, 6, 7, 3], dtype=np.int32)
    angle, rate = noise_of(simulator, 99, numbers)
    np.testing.assert_array_equal(angle[:, 0], angle[:, 5])  # the same number in another slot
    again, _ = noise_of(simulator, 99, numbers[::-1].copy())
    np.testing.assert_array_equal(again[:, ::-1], angle)
    drawn = angle[:, :5] / 0.5
    # Bounds of five standard errors: those of a mean, of a deviation, and of a correlation of `count` normal numbers.
    count = drawn.size
    assert abs(drawn.mean()) < 5 / count**0.5 and abs(drawn.std() - 1.0) < 5 / (2 * count) ** 0.5
    assert abs((drawn**4).mean() - 3.0) < 5 * (96 / count) ** 0.5
    pairs = {
        "slots": (drawn[:, 0], drawn[:, 1]),
        "samples": (drawn[1:], drawn[:-1]),
        "joints": (drawn[..., 1:], drawn[..., :-1]),
        "quantities": (drawn, rate[:, :5]),
    }
    for name, (one, other) in pairs.items():
        assert abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < 5 / one.size**0.5, name


def test_a_world_that_fails_stands_still_alone_until_it_is_reset() -> None:
    task = Slither(action="torque", rate=4.0, dt=0.25)  # no integration survives such steps
    _, _, device = both(task, "numpy")
    device.reset()
    for k in range(100):
        torque = np.zeros((SLOTS, 9))
        torque[1] = 40.0 * (-1) ** k
        measured = device.step(pp.Command(joint_torque=torque))
    assert np.asarray(device.failed).tolist() == [False, True, False, False, False, False]
    others = np.arange(SLOTS) != 1
    assert np.isfinite(measured.joint_angle[others]).all()
    device.reset(~others)
    assert not np.asarray(device.failed).any()
    assert np.isfinite(device.step(pp.Command(joint_angle=np.zeros((SLOTS, 9)))).joint_angle).all()


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda s: s.step(3), r"command = 3, must be a Command"),
        (
            lambda s: s.step(pp.Command(joint_angle=np.zeros((2, 9)))),
            r"command.joint_angle = \(2, 9\), must be of shape",
        ),
        (lambda s: s.step(pp.Command(joint_angle=np.full((SLOTS, 9), np.nan))), r"= 'nan or infinite', must be finite"),
        (lambda s: s.step(pp.Command(joint_angle=[[0.0]])), r"= 'list', must be an array of numpy on cpu with numbers"),
        (lambda s: s.step(pp.Command(link_load=np.zeros((SLOTS, 10, 3)))), r"link_load = 'given', must be left out"),
        (lambda s: s.step(pp.Command(prescribed=True)), r"prescribed = 'given', must be left out on a device"),
        (lambda s: s.step(pp.Command(), np.zeros(SLOTS)), r"active = 'float64', must be truth values"),
        (lambda s: s.reset(np.zeros(2, dtype=bool)), r"mask = \(2,\), must be of shape \(6,\)"),
        (lambda s: s.reset("all"), r"mask = 'all', must be an array of numpy on cpu with truth values"),
        (lambda s: s.reset(which=np.full(SLOTS, 9)), r"which = 'a number beyond the pool', must be from 0 to 3"),
        (lambda s: s.reset(which=np.full(SLOTS, 0.5)), r"which = 'float64', must be whole numbers"),
    ],
)
def test_mistakes_are_told_in_one_sentence(call: Any, sentence: str) -> None:
    _, _, device = both(Slither(), "numpy")
    device.reset()
    with pytest.raises(PushpointError, match=sentence) as told:
        call(device)
    assert "\n" not in str(told.value)
    device.step(pp.Command(joint_angle=np.zeros((SLOTS, 9))))  # nothing has been broken


def test_what_cannot_be_on_a_device_is_refused() -> None:
    world = worlds_of(Slither())[0]
    ranging = pp.World(world.robot, world.environment, sensors=Sensors(range=Channel(noise=0.1)))
    for make, sentence in (
        (lambda: pp.DeviceSimulator([world], arrays="cupy"), r"arrays = 'cupy', must be one of"),
        (lambda: pp.DeviceSimulator([world], arrays="numpy", slots=0), r"slots = 0, must be at least one"),
        (
            lambda: pp.DeviceSimulator([ranging], arrays="numpy"),
            r"worlds\[0\].sensors = 'with ranges', must be without",
        ),
        (lambda: pp.DeviceSimulator([world], arrays="numpy", slots=10**9), r"1000000000 worlds of 10 links"),
        (lambda: pp.DeviceSimulator([], arrays="numpy"), r"worlds = \(\), must be at least one World"),
    ):
        with pytest.raises(PushpointError, match=sentence):
            make()
    device = pp.DeviceSimulator([world], slots=2, arrays="numpy")
    with pytest.raises(PushpointError, match=r"mask = 'given', must be left out in the first reset"):
        device.reset(np.array([True, False]))


@pytest.mark.parametrize("name", LIBRARIES[1:])
def test_a_torch_for_processors_has_no_arrays_on_a_gpu(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(PushpointError, match=r"arrays = 'torch', must be a torch that can use cuda:0"):
        library(name, "cuda:0")


@pytest.mark.parametrize("library", LIBRARIES[1:])
def test_memory_is_shared_by_dlpack(library: str) -> None:
    import warp as wp

    _, _, device = both(Slither(), library)
    measured = device.reset()
    assert np.shares_memory(wp.from_dlpack(measured.joint_angle).numpy(), measured.joint_angle.numpy())
    jax = pytest.importorskip("jax")
    np.testing.assert_allclose(jax.dlpack.from_dlpack(measured.joint_angle), measured.joint_angle.numpy())
