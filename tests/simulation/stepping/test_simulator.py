"""Stepping: commands in, measurements out, masked resets, and states that continue bit for bit."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pushpoint.engine.controller import Controller
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings, Status
from pushpoint.engine.signals import Command, Measurement
from pushpoint.engine.state import State
from pushpoint.errors import InvalidModel, PushpointError, StartOverlap
from pushpoint.gaits import LateralUndulation
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.simulation.simulate import simulate
from pushpoint.simulation.stepping.simulator import Simulator
from pushpoint.worlds.world import World

LINK = PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.02)
ROBOT = PlanarRobot.uniform(4, LINK, Motor(stiffness=5.0, damping=0.1))
PEG = Peg(x=0.05, y=0.075, radius=0.05, friction=0.2)
ROUGH = Ground(friction=Isotropic(0.2))
WORLDS = (
    World(ROBOT, Environment(ground=ROUGH, obstacles=[PEG])),
    World(ROBOT, Environment(ground=ROUGH), start=Start(position=(1.0, 0.0), heading=0.5)),
    World(ROBOT, Environment(obstacles=[PEG, replace(PEG, y=-0.075)]), start=Start(velocity=(0.1, 0.0))),
)
FIELDS = ("time", "joint_angle", "joint_rate", "joint_torque", "contact_normal_force", "center_of_mass", "link_angle")


def wave(k: int, worlds: int = 3) -> Command:
    """The command of turn k: bends that swing, different in each world."""
    shift = np.arange(worlds)[:, None] + np.arange(3)
    return Command(joint_angle=0.6 * np.sin(0.3 * k + shift))


def run(simulator: Simulator, turns: range) -> list[Measurement]:
    return [simulator.step(wave(k)) for k in turns]


def assert_same(a: Measurement, b: Measurement, rows: Any = slice(None)) -> None:
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(a, name)[rows], getattr(b, name)[rows], err_msg=name)


def assert_same_state(a: State, b: State, rows: Any = slice(None)) -> None:
    for name in State.names():
        np.testing.assert_array_equal(getattr(a, name)[rows], getattr(b, name)[rows], err_msg=name)


class TestMeasurement:
    def test_at_the_start(self) -> None:
        measured = Simulator(WORLDS).reset()
        np.testing.assert_array_equal(measured.time, np.zeros(3))
        np.testing.assert_array_equal(measured.joint_angle, np.zeros((3, 3)))
        np.testing.assert_array_equal(measured.center_of_mass, [[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
        np.testing.assert_array_equal(measured.link_angle, [[0.0] * 4, [0.5] * 4, [0.0] * 4])
        for name in ("joint_rate", "joint_torque", "contact_normal_force"):
            assert not getattr(measured, name).any()

    def test_shapes(self) -> None:
        measured = Simulator(WORLDS).step(Command())
        shapes = {name: getattr(measured, name).shape for name in FIELDS}
        assert shapes == {
            "time": (3,), "joint_angle": (3, 3), "joint_rate": (3, 3), "joint_torque": (3, 3),
            "contact_normal_force": (3, 4), "center_of_mass": (3, 2), "link_angle": (3, 4),
        }  # fmt: skip

    def test_is_what_the_dataset_says(self) -> None:
        # The same held commands by both ways: 50 turns of 10 ms, samples of 10 ms.
        class Script(Controller[None]):
            rate = 100.0

            def command(self, measurement: Measurement, memory: None) -> tuple[Command, None]:
                return wave(round(float(measurement.time[0]) * 100)), memory

        script = Script()
        recorded = simulate([replace(world, controller=script) for world in WORLDS], duration=0.5)
        stepped = run(Simulator(WORLDS), range(50))
        assert max(np.abs(measured.contact_normal_force).max() for measured in stepped) > 0.5
        for k, measured in enumerate(stepped):
            sample = recorded.isel(time=k + 1)
            assert measured.time == pytest.approx(float(sample.time))
            for name in ("joint_angle", "center_of_mass", "link_angle"):
                np.testing.assert_array_equal(getattr(measured, name), sample[name], err_msg=name)
            rate = np.diff(sample.link_angular_velocity, axis=1)
            np.testing.assert_array_equal(measured.joint_rate, rate)
            for name in ("joint_torque", "contact_normal_force"):
                np.testing.assert_allclose(getattr(measured, name), sample[name], atol=1e-9, err_msg=name)

    @pytest.mark.parametrize(("rate", "dt"), [(50.0, 1e-3), (1000.0, 1e-3), (100.0, 2.5e-3)])
    def test_a_turn_lasts_one_period(self, rate: float, dt: float) -> None:
        simulator = Simulator(WORLDS, rate=rate, settings=Settings(dt=dt))
        for k in range(3):
            np.testing.assert_allclose(simulator.step(Command()).time, np.full(3, (k + 1) / rate))
        np.testing.assert_array_equal(simulator.state.step, np.full(3, round(3 / rate / dt)))

    def test_constant_torque_is_measured_as_it_is(self) -> None:
        torque = np.array([[0.01, -0.02, 0.0], [0.0, 0.03, 0.01], [0.02, 0.02, 0.02]])
        measured = Simulator(WORLDS).step(Command(joint_torque=torque))
        np.testing.assert_allclose(measured.joint_torque, torque, rtol=1e-9, atol=1e-15)


class TestReset:
    def test_all_begins_again(self) -> None:
        simulator = Simulator(WORLDS)
        first = run(simulator, range(30))
        start = simulator.reset()
        np.testing.assert_array_equal(start.time, np.zeros(3))
        for a, b in zip(first, run(simulator, range(30)), strict=True):
            for name in ("time", "joint_angle", "joint_rate", "center_of_mass", "link_angle"):
                np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)
            np.testing.assert_allclose(a.joint_torque, b.joint_torque, atol=1e-9)
            np.testing.assert_allclose(a.contact_normal_force, b.contact_normal_force, atol=1e-9)

    @pytest.mark.parametrize("mask", [(True, False, True), (False, True, False), (False, False, False)])
    def test_some_begin_again_beside_others_that_go_on(self, mask: tuple[bool, ...]) -> None:
        whole, reset = Simulator(WORLDS), Simulator(WORLDS)
        run(whole, range(20))
        last = run(reset, range(20))[-1]
        back, kept = np.flatnonzero(mask), np.flatnonzero(~np.array(mask))
        measured = reset.reset(np.array(mask))
        np.testing.assert_array_equal(measured.time, np.where(mask, 0.0, 0.2))
        assert not measured.joint_torque[back].any() and not measured.contact_normal_force[back].any()
        assert_same(measured, last, kept)  # the others repeat what they measured
        fresh = Simulator(WORLDS)
        assert_same_state(reset.state, fresh.state, back)
        assert_same_state(reset.state, whole.state, kept)
        for k in range(20, 40):
            reset.step(wave(k)), whole.step(wave(k)), fresh.step(wave(k))
        assert_same_state(reset.state, fresh.state, back)
        assert_same_state(reset.state, whole.state, kept)

    def test_mask_may_be_a_list(self) -> None:
        simulator = Simulator(WORLDS)
        run(simulator, range(3))
        np.testing.assert_allclose(simulator.reset([True, False, False]).time, [0.0, 0.03, 0.03])

    @pytest.mark.parametrize("mask", [np.ones(2, dtype=bool), np.ones((3, 1), dtype=bool), True], ids=str)
    def test_mask_of_another_shape_is_refused(self, mask: Any) -> None:
        with pytest.raises(InvalidModel, match=r"^mask = .*, must be truth values of shape \(3,\)$"):
            Simulator(WORLDS).reset(mask)


class TestRestore:
    def test_continues_bit_for_bit(self) -> None:
        simulator = Simulator(WORLDS)
        run(simulator, range(25))
        kept = simulator.state
        assert kept.n_contacts.any()
        run(simulator, range(25, 60))
        end = simulator.state
        simulator.restore(kept)
        assert_same_state(simulator.state, kept)
        run(simulator, range(25, 60))
        assert_same_state(simulator.state, end)

    def test_in_another_simulator(self) -> None:
        a, b = Simulator(WORLDS), Simulator(WORLDS)
        run(a, range(25))
        restored = b.restore(a.state)
        np.testing.assert_allclose(restored.time, np.full(3, 0.25))
        assert not restored.joint_torque.any()
        for measured in zip(run(a, range(25, 40)), run(b, range(25, 40)), strict=True):
            for name in ("joint_angle", "center_of_mass"):
                np.testing.assert_array_equal(*(getattr(m, name) for m in measured), err_msg=name)
        assert_same_state(a.state, b.state)

    def test_a_state_is_a_copy(self) -> None:
        simulator = Simulator(WORLDS)
        kept = simulator.state
        before = {name: getattr(kept, name).copy() for name in State.names()}
        run(simulator, range(10))
        for name, values in before.items():
            np.testing.assert_array_equal(getattr(kept, name), values, err_msg=name)
        kept.theta[:] = 7.0
        assert not (simulator.state.theta == 7.0).any()

    @pytest.mark.parametrize(
        "other",
        [WORLDS[:2], tuple(replace(world, robot=PlanarRobot.uniform(5, LINK)) for world in WORLDS)],
        ids=["fewer worlds", "more links"],
    )
    def test_of_other_worlds_is_refused(self, other: tuple[World, ...]) -> None:
        simulator = Simulator(WORLDS)
        run(simulator, range(3))
        before = simulator.state
        with pytest.raises(InvalidModel):
            simulator.restore(Simulator(other).state)
        assert_same_state(simulator.state, before)


class TestStatuses:
    WORLDS = (World(PlanarRobot.uniform(4, LINK), Environment()),) * 3
    TORQUE = np.outer([0.0, 1.0, 0.0], [1e6, -1e6, 1e6])

    def test_a_failed_world_stands_still_until_it_is_reset(self) -> None:
        simulator = Simulator(self.WORLDS)
        assert simulator.statuses == [Status.RUNNING] * 3
        simulator.step(Command(joint_torque=self.TORQUE))
        assert simulator.statuses == [Status.RUNNING, Status.DIVERGED, Status.RUNNING]
        stopped = simulator.state
        measured = simulator.step(Command(joint_torque=self.TORQUE))
        assert_same_state(simulator.state, stopped, 1)
        np.testing.assert_array_equal(measured.joint_torque[1], np.zeros(3))
        np.testing.assert_allclose(measured.time[[0, 2]], [0.02, 0.02])
        simulator.reset(np.array([False, True, False]))
        assert simulator.statuses == [Status.RUNNING] * 3
        measured = simulator.step(Command(joint_torque=0 * self.TORQUE))
        np.testing.assert_allclose(measured.time, [0.03, 0.01, 0.03])
        assert np.isfinite(measured.joint_angle).all()

    def test_is_part_of_the_state(self) -> None:
        simulator = Simulator(self.WORLDS)
        before = simulator.state
        simulator.step(Command(joint_torque=self.TORQUE))
        failed = simulator.state
        simulator.restore(before)
        assert simulator.statuses == [Status.RUNNING] * 3
        simulator.restore(failed)
        assert simulator.statuses == [Status.RUNNING, Status.DIVERGED, Status.RUNNING]

    @pytest.mark.parametrize("field", ["joint_angle", "joint_torque"])
    def test_a_command_that_is_no_number_ends_that_world_alone(self, field: str) -> None:
        values = np.zeros((3, 3))
        values[1, 1] = math.nan
        simulator = Simulator([World(ROBOT, Environment())] * 3)
        simulator.step(Command(**{field: values}))
        assert simulator.statuses == [Status.RUNNING, Status.DIVERGED, Status.RUNNING]


COMMANDS: dict[str, tuple[Any, str]] = {
    "angles of another robot": (Command(joint_angle=np.zeros((3, 4))), r"^command\.joint_angle = \(3, 4\), must be"),
    "angles without worlds": (Command(joint_angle=np.zeros(3)), r"^command\.joint_angle = \(3,\), must be"),
    "rates of fewer worlds": (Command(joint_rate=np.zeros((2, 3))), r"^command\.joint_rate = \(2, 3\), must be"),
    "a torque": (Command(joint_torque=0.1), r"^command\.joint_torque = \(\), must be of shape \(3, 3\) \["),
    "loads of two figures": (Command(link_load=np.zeros((3, 4, 2))), r"^command\.link_load = \(3, 4, 2\), must be"),
    "words": (Command(joint_angle=[["a"] * 3] * 3), r"^command\.joint_angle"),
    "no command": (None, r"must be a Command"),
}


@pytest.mark.parametrize("case", COMMANDS)
def test_commands_that_do_not_fit_are_refused(case: str) -> None:
    command, words = COMMANDS[case]
    simulator = Simulator(WORLDS)
    with pytest.raises(InvalidModel, match=words):
        simulator.step(command)
    np.testing.assert_array_equal(simulator.state.step, np.zeros(3))


REFUSED: dict[str, tuple[dict[str, Any], type[PushpointError], str]] = {
    "no worlds": ({"worlds": []}, InvalidModel, r"^worlds = \(\), must be at least one World$"),
    "a stranger": ({"worlds": [WORLDS[0], 5]}, InvalidModel, r"^worlds\[1\] = 5, must be a World$"),
    "a rate that does not divide": ({"rate": 300.0}, InvalidModel, r"^rate = 300\.0, must be a rate \[Hz\]"),
    "a negative rate": ({"rate": -100.0}, InvalidModel, r"^rate = -100\.0, must be"),
    "no rate": ({"rate": 0.0}, InvalidModel, r"^rate = 0\.0, must be"),
    "a rate that is no number": ({"rate": math.nan}, InvalidModel, r"^rate = nan, must be"),
    "an unknown device": (
        {"settings": Settings(device="tpu:0")},
        InvalidModel,
        r"^settings\.device = 'tpu:0', must be",
    ),
    "an overlap": (
        {"worlds": [WORLDS[1], World(ROBOT, Environment(obstacles=[replace(PEG, y=0.0)]))]},
        StartOverlap,
        r"^start: link 2 overlaps obstacle 0 by 70 mm \(world 1\)",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_in_one_sentence(case: str) -> None:
    change, kind, words = REFUSED[case]
    with pytest.raises(kind, match=words):
        Simulator(**{"worlds": WORLDS} | change)


def test_a_gait_in_the_world_gives_the_posture_alone() -> None:
    gait = LateralUndulation(amplitude=0.5, angular_frequency=4.0, phase_shift=-0.8, phase=0.3)
    measured = Simulator([World(ROBOT, Environment(), gait)]).reset()
    np.testing.assert_allclose(measured.joint_angle[0], 0.5 * np.sin(0.3 - 0.8 * np.array([2, 1, 0])), atol=1e-15)
