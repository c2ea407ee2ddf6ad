"""Ramps: rest up to mu = tan(slope), slide as the closed form says, nothing beside and behind them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray as xr
from scipy.spatial.transform import Rotation

import pushpoint as pp
from oracles.controllers import Always

G = 9.81
RADIUS, HALF = 0.03, 0.1
HOLD = Always(pp.Command())
SLOPE = float(np.arctan(0.4))


def block(shape: str) -> pp.SpatialRobot:
    """One link of 1 kg."""
    link = pp.SpatialLink(length=2 * HALF, mass=1.0, inertia=(1e-3, 4e-3, 4e-3), radius=RADIUS, shape=shape)  # type: ignore[arg-type]
    return pp.SpatialRobot(links=(link,), joints=())


def ramp(friction: float, heading: float = 0.0, **more: Any) -> pp.Ramp:
    """It rises by 0.4 m per metre."""
    return pp.Ramp(foot=(0.0, 0.0), heading=heading, length=1.5, rise=0.6, width=0.6, friction=friction, **more)


def on_ramp(friction: float, shape: str, seconds: float, heading: float = 0.0, speed: float = 0.0) -> xr.Dataset:
    """A link that starts on the middle of a ramp, along it, with a speed up it [m/s]."""
    turn = Rotation.from_euler("ZY", [heading, -SLOPE])
    x, y, z = Rotation.from_euler("Z", heading).apply([0.75, 0.05, 0.3]) + turn.apply([0.0, 0.0, RADIUS])
    way = turn.apply([speed, 0.0, 0.0])
    begin = pp.SpatialStart(position=(x, y, z), orientation=tuple(turn.as_quat(scalar_first=True)), velocity=tuple(way))
    return pp.simulate(
        pp.World(block(shape), pp.Environment(obstacles=[ramp(friction, heading)]), HOLD, begin), seconds
    )


@pytest.mark.parametrize("shape", ["round", "square"])
class TestSlope:
    def test_rests_with_more_friction_than_the_slope(self, shape: str) -> None:
        run = on_ramp(0.42, shape, 0.5)
        np.testing.assert_allclose(run.link_position[-1, 0], run.link_position[0, 0], rtol=0, atol=1e-5)
        assert float(run.obstacle_load[-1, 0]) == pytest.approx(G * np.cos(SLOPE), rel=1e-4)

    def test_slides_with_less(self, shape: str) -> None:
        run = on_ramp(0.3, shape, 0.5)
        down = -np.array([np.cos(SLOPE), 0.0, np.sin(SLOPE)])
        way = float((run.link_position[-1, 0] - run.link_position[0, 0]).values @ down)
        assert way == pytest.approx(G * (np.sin(SLOPE) - 0.3 * np.cos(SLOPE)) * 0.5**2 / 2, rel=3e-3)  # dt/2 of speed

    def test_a_ramp_turned_gives_the_same_run_turned(self, shape: str) -> None:
        turned = Rotation.from_euler("Z", 2.2).inv().apply(on_ramp(0.3, shape, 0.3, heading=2.2).link_position[:, 0])
        np.testing.assert_allclose(turned, on_ramp(0.3, shape, 0.3).link_position[:, 0], rtol=0, atol=1e-6)


def dropped(place: tuple[float, float, float], heading: float = 0.0) -> float:
    """How far a link falls in 0.2 s [m]; `heading` is its own."""
    begin = pp.SpatialStart(position=place, heading=heading)
    run = pp.simulate(pp.World(block("round"), pp.Environment(obstacles=[ramp(0.5)]), HOLD, begin), 0.2)
    return place[2] - float(run.link_position[-1, 0, 2])


def test_nothing_stands_beside_and_behind() -> None:
    free = G * 0.2**2 / 2
    room = RADIUS + 1e-4
    assert dropped((1.5 + room, 0.0, 0.55), np.pi / 2) == pytest.approx(free, rel=1e-3)  # along the upright back
    assert dropped((0.75, 0.3 + room, 0.35)) == pytest.approx(free, rel=1e-3)  # along a side
    assert dropped((-HALF - room, 0.0, 0.3)) == pytest.approx(free, rel=1e-3)  # before the foot
    assert dropped((1.5 - HALF, 0.0, 0.7)) < 0.15  # above it


def test_over_the_upper_edge_onto_the_landing() -> None:
    # Frictionless, from the slope onto the level: the edge gives nothing and does not catch.
    place = pp.Environment(obstacles=[ramp(0.0, landing=1.0)])
    turn = Rotation.from_euler("Y", -SLOPE)
    x, y, z = np.array([1.1, 0.0, 0.44]) + turn.apply([0.0, 0.0, RADIUS])
    way = turn.apply([2.0, 0.0, 0.0])
    begin = pp.SpatialStart(position=(x, y, z), orientation=tuple(turn.as_quat(scalar_first=True)), velocity=tuple(way))
    run = pp.simulate(pp.World(block("round"), place, HOLD, begin), 0.6)
    energy = 0.5 * (run.link_velocity[:, 0] ** 2).sum("axis") + G * run.link_position[:, 0, 2]
    energy = (energy + 0.5 * 4e-3 * (run.link_angular_velocity[:, 0] ** 2).sum("axis")).values
    assert np.diff(energy).max() < 1e-3  # J
    assert float(run.link_position[-1, 0, 0]) > 1.5 + HALF  # all of it got across
    assert float(run.link_position[-1, 0, 2]) == pytest.approx(0.6 + RADIUS, abs=0.02)


def test_a_robot_put_down_lies_on_the_ramp() -> None:
    start = pp.SpatialStart(position=(0.75, 0.0))
    pose = start.pose(block("round"), pp.Environment(obstacles=[ramp(0.5)]))
    # Level above the slope, its front end touches: the middle is lower than there by half its length times the rise.
    front = 0.75 + HALF
    assert pose["center"][2] == pytest.approx(0.4 * front + RADIUS / np.cos(SLOPE), abs=1e-6)
