"""Steering by two rays: to the side with more room, by as much as the gain says, and through the room scenario."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.engine.planar.ranges import link_obstacle_distance
from pushpoint.errors import InvalidModel

ROBOT = pp.catalogue.aiko_planar()
GAIT = pp.gaits.LateralUndulation(amplitude=0.0, angular_frequency=1.0, phase_shift=-0.5)
RAYS = (pp.RangeSensor(azimuth=np.pi / 2, reach=2.0), pp.RangeSensor(azimuth=-np.pi / 2, reach=2.0))


def wall(y: float) -> pp.Wall:
    return pp.Wall(start=(-5, y), end=(5, y))


def asked(controller: Any, *walls: pp.Wall, turns: int = 1) -> np.ndarray:
    world = pp.World(ROBOT, pp.Environment(obstacles=walls), controller, sensors=pp.Sensors(rays=RAYS))
    measured = pp.Simulator([world]).reset()
    bound = controller.bind(ROBOT)
    memory: Any = bound.memory()[None]
    for _ in range(turns):
        command, memory = bound.command(measured, memory)
    return np.asarray(command.joint_angle[0])


def test_the_bend_is_gain_times_difference() -> None:
    steering = pp.control.RaySteering(gait=GAIT, gain=0.1, smoothing=0.0)
    np.testing.assert_allclose(asked(steering, wall(1.005), wall(-0.505)), 0.1 * (1.0 - 0.5), atol=1e-12)
    np.testing.assert_allclose(asked(steering, wall(0.505), wall(-1.005)), -0.05, atol=1e-12)
    np.testing.assert_allclose(asked(steering), 0.0, atol=1e-12)  # nothing on either side


def test_the_bend_is_bounded_and_comes_with_a_lag() -> None:
    steering = pp.control.RaySteering(gait=GAIT, gain=10.0, largest=0.12, smoothing=0.1, rate=50.0)
    after = [float(asked(steering, wall(-0.5), turns=turns)[0]) for turns in (1, 5, 200)]
    np.testing.assert_allclose(after, 0.12 * (1 - (5 / 6) ** np.array([1, 5, 200])), rtol=1e-9)  # lag 1 / (1 + 0.1 50)


def test_without_two_rays_it_says_what_it_needs() -> None:
    steering = pp.control.RaySteering(gait=GAIT)
    for rays in ((), RAYS[:1]):
        world = pp.World(ROBOT, pp.Environment(), steering, sensors=pp.Sensors(rays=rays))
        with pytest.raises(InvalidModel, match=r"^sensors\.rays = \d, must be two or more: the first to the left"):
            pp.simulate(world, 0.1)


def test_it_drives_around_the_room_without_getting_stuck() -> None:
    """One round within 27 s; the same gait without steering runs into the wall and stays there."""
    scenario = pp.scenario("plane/room").with_changes(duration=27.0)
    run = scenario.run()
    around = np.unwrap(np.arctan2(*run.center_of_mass.values.T[::-1]))
    assert around[-1] - around[0] > 1.8 * np.pi
    gaps = link_obstacle_distance(
        scenario.world.robot, scenario.world.environment.obstacles, run.center_of_mass.values, run.link_angle.values
    )
    assert gaps.min() > -1e-3
    blind = scenario.with_changes(controller=replace(scenario.world.controller, gain=0.0)).run()
    around = np.unwrap(np.arctan2(*blind.center_of_mass.values.T[::-1]))
    assert around[-1] - around[0] < 0.8 * np.pi
