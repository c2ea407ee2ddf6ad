"""The contract of controllers: defaults, binding, gaits as controllers, controllers written for one world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from oracles.controllers import measured
from pushpoint.engine.batching import stack
from pushpoint.engine.controller import Controller, Gait, per_world
from pushpoint.engine.signals import Command, Measurement
from pushpoint.errors import InvalidModel
from pushpoint.gaits import FunctionOfTime, LateralUndulation, Sampled
from pushpoint.model.catalogue import aiko, aiko_planar
from pushpoint.model.spatial_robot import AnyRobot

WAVE = LateralUndulation(amplitude=0.5, angular_frequency=2.0, phase_shift=-0.7, offset=0.1)


class Idle(Controller[None]):
    def command(self, measurement: Measurement, memory: None) -> tuple[Command, None]:
        return Command(), None


def test_what_a_controller_does_not_say_has_a_default() -> None:
    idle, robot = Idle(), aiko_planar()
    assert (idle.rate, idle.needs, idle.modes, idle.period) == (100.0, frozenset(), (), None)
    assert idle.start(robot) is idle.first_reference(robot) is idle.link_angles(robot) is None
    assert idle.bind(robot) is idle and idle.memory() is None and idle.adopt("anything", Idle()) is None


def test_a_field_without_a_default_stays_one() -> None:
    @dataclass
    class Rated(Idle):
        rate: float
        period: float | None

    with pytest.raises(TypeError):
        Rated()  # type: ignore[call-arg]
    assert Rated(rate=30.0, period=2.0).rate == 30.0


def test_a_controller_without_command_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="abstract"):
        Controller()  # type: ignore[abstract]


@pytest.mark.parametrize("robot", [aiko_planar(), aiko()], ids=["plane", "space"])
@pytest.mark.parametrize("kind", ["wave", "sampled", "function"])
def test_a_bound_gait_commands_the_references_of_the_time(kind: str, robot: AnyRobot) -> None:
    gaits: dict[str, Gait] = {
        "wave": WAVE,
        "sampled": Sampled(gait=WAVE, rate=20.0, delay=0.3),
        "function": FunctionOfTime(function=lambda t: np.sin(t + np.arange(robot.n_joints))),
    }
    gait = gaits[kind]
    seen = measured(robot.n_joints, time=[0.0, 0.4, 1.7])
    command, memory = gait.bind(robot).command(seen, None)
    angle, rate = gait.references(seen.time, robot)
    np.testing.assert_array_equal(command.joint_angle, angle)
    np.testing.assert_array_equal(command.joint_rate, rate)
    assert memory is None and not command.prescribed
    np.testing.assert_array_equal(gait.first_reference(robot), angle[0])
    assert gait.link_angles(robot).shape == (robot.n_links,)


def test_an_unbound_gait_says_what_it_lacks() -> None:
    with pytest.raises(InvalidModel, match=r"^controller = 'LateralUndulation', must be bound to a robot first"):
        WAVE.command(measured(4), None)


def test_the_period_of_a_sampled_gait_is_that_of_the_gait() -> None:
    assert Sampled(gait=WAVE, rate=20.0).period == WAVE.period == pytest.approx(np.pi)
    assert Sampled(gait=FunctionOfTime(function=np.sin), rate=20.0).period is None


@dataclass
class Diary(Controller[list[Any]]):
    """Written for one world; its memory is a list, and its mode how long that is."""

    modes = ("new", "known")

    def memory(self) -> list[Any]:
        return []

    def mode_of(self, memory: list[Any]) -> np.ndarray:
        return np.array(min(len(memory), 1))

    def command(self, measurement: Measurement, memory: list[Any]) -> tuple[Command, list[Any]]:
        assert measurement.joint_angle.shape == (4,) and np.ndim(measurement.time) == 0
        return Command(joint_angle=measurement.joint_angle + len(memory)), [*memory, float(measurement.time)]


def test_a_controller_of_one_world_may_remember_anything() -> None:
    driver = per_world(Diary())
    memory = stack([driver.memory()] * 3)
    assert driver.mode_of(memory).tolist() == [0, 0, 0]
    for k in range(2):
        command, memory = driver.command(measured(4, time=[0.1 * k, 1.0, 2.0]), memory)
        np.testing.assert_array_equal(command.joint_angle, np.full((3, 4), k))
    assert memory.tolist() == [[0.0, 0.1], [1.0, 1.0], [2.0, 2.0]]
    assert driver.mode_of(memory).tolist() == [1, 1, 1] and driver.modes == ("new", "known")


def test_only_a_controller_can_be_wrapped() -> None:
    with pytest.raises(InvalidModel, match=r"^per_world = 'x', must be a Controller$"):
        per_world("x")  # type: ignore[arg-type]
