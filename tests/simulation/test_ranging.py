"""Ranges in measurements: on request, from the nearest surface, between zero and the largest."""

from __future__ import annotations

import numpy as np
import pytest

from pushpoint.engine.controller import Controller, per_world
from pushpoint.engine.planar.start import Start
from pushpoint.engine.signals import Command, Measurement
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.sensors import Channel, Sensors
from pushpoint.simulation.simulate import simulate
from pushpoint.simulation.stepping.simulator import Simulator
from pushpoint.worlds.world import World

LINK = PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.02)
ROBOT = PlanarRobot.uniform(4, LINK, Motor(stiffness=5.0, damping=0.1))
FREE = Environment()
AHEAD = Environment(obstacles=[Peg(x=0.4, y=0.0, radius=0.1), Peg(x=-3.0, y=0.0, radius=0.1)])
GAPS = np.array([0.38, 0.28, 0.18, 0.08])  # from the links' front ends at -0.1, 0, 0.1, 0.2 to the peg at 0.3


class Look(Controller[None]):
    """Holds still and keeps the ranges it sees; written for one world as for many."""

    rate = 100.0

    def __init__(self, *needs: str) -> None:
        self.needs = frozenset(needs)
        self.seen: list[np.ndarray | None] = []

    def command(self, measurement: Measurement, memory: None) -> tuple[Command, None]:
        self.seen.append(measurement.range)
        return Command(joint_angle=np.zeros_like(measurement.joint_angle)), memory


def test_is_off_unless_asked_for() -> None:
    assert Simulator([World(ROBOT, AHEAD)]).reset().range is None
    look = Look()
    simulate(ROBOT, AHEAD, look, duration=0.02)
    assert look.seen == [None, None]


def test_nearest_surface() -> None:
    shown = Simulator([World(ROBOT, AHEAD, sensors=Sensors(range=Channel()))]).reset().range
    assert shown is not None
    np.testing.assert_allclose(shown, [GAPS], atol=1e-15)


@pytest.mark.parametrize("wrapped", [False, True])
def test_for_controllers_that_need_it(wrapped: bool) -> None:
    look = Look("range")
    simulate(ROBOT, AHEAD, per_world(look) if wrapped else look, duration=0.02)
    np.testing.assert_allclose(look.seen[0], GAPS if wrapped else [GAPS], atol=1e-15)


def test_ends_at_the_largest_range() -> None:
    sensors = Sensors(range=Channel(bias=0.05), max_range=0.3)
    worlds = [World(ROBOT, environment, sensors=sensors) for environment in (AHEAD, FREE)]
    shown = Simulator(worlds).reset().range
    assert shown is not None
    np.testing.assert_allclose(shown, [[0.3, 0.3, 0.23, 0.13], [0.3] * 4], atol=1e-15)


def test_ends_at_zero() -> None:
    sensors = Sensors(range=Channel(bias=-0.2))
    shown = Simulator([World(ROBOT, AHEAD, sensors=sensors)]).reset().range
    assert shown is not None
    np.testing.assert_allclose(shown, [[0.18, 0.08, 0.0, 0.0]], atol=1e-15)


def test_worlds_without_it_beside_worlds_with_it() -> None:
    simulator = Simulator([World(ROBOT, AHEAD), World(ROBOT, AHEAD, sensors=Sensors(range=Channel(rate=50.0)))])
    for shown in (simulator.reset().range, *(simulator.step(Command()).range for _ in range(3))):
        assert shown is not None
        assert np.isnan(shown[0]).all()
        np.testing.assert_allclose(shown[1], GAPS, atol=1e-15)


def test_many_worlds_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    starts = [Start(heading=0.1 * k, position=(-0.3 * k, 0.0)) for k in range(5)]
    worlds = [World(ROBOT, AHEAD, start=start, sensors=Sensors(range=Channel())) for start in starts]
    whole = Simulator(worlds).reset().range
    monkeypatch.setattr("pushpoint.simulation.sensing.senses.PAIRS_AT_ONCE", 17)
    assert whole is not None and len(np.unique(whole)) > 10
    np.testing.assert_array_equal(Simulator(worlds).reset().range, whole)
