"""Wheels in space: closed forms on slopes, boxes and fields, the kinematic limit, and what lies on its side."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import xarray as xr

from oracles.controllers import Always
from oracles.wheels import Axle, WheeledChain, one_round
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.gaits import FunctionOfTime
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Frictionless, Isotropic
from pushpoint.model.joints import Yaw
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot
from pushpoint.model.terrain import Box, HeightField, Ramp
from pushpoint.model.wheels import Wheels
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.world import World

G = 9.81
ROLLING, SIDE = 0.05, 0.5
ROUGH = Isotropic(0.9)
"""Of the ground: wheels do not ask for it."""


def cart(axle_angle: float = 0.0, track: float = 0.12) -> SpatialRobot:
    """One link on two axles, its centre of mass 0.05 m above the ground."""
    places = {"axle_angle": axle_angle, "rolling_resistance": ROLLING, "side_limit": SIDE, "track": track}
    wheels = tuple(Wheels(offset=offset, **places) for offset in (-0.08, 0.08))
    link = SpatialLink(length=0.2, mass=1.0, inertia=(1e-3, 4e-3, 4e-3), radius=0.04, wheels=wheels)
    return SpatialRobot(links=(link,), joints=())


def rolled(robot: SpatialRobot, environment: Environment, duration: float = 0.3, **start: Any) -> xr.Dataset:
    """The link left to itself."""
    order = Always(Command(joint_torque=np.zeros((1, 0))))
    return simulate(
        World(robot, environment, order, SpatialStart(**start)), duration, settings=Settings(dt=1e-3, tolerance=1e-6)
    )


def acceleration(run: xr.Dataset) -> np.ndarray:
    """Mean over the run [m/s^2]."""
    change = run.link_velocity.values[-1, 0] - run.link_velocity.values[0, 0]
    return np.asarray(change / float(run.time[-1]))


def slope_ground(slope: float, direction: float, kind: str) -> Environment:
    """The same slope as tilted ground and as a field of heights."""
    if kind == "tilted":
        return Environment(ground=Ground(friction=ROUGH, slope=slope, slope_direction=direction))
    places = -2.0 + 0.05 * np.arange(81)
    x, y = np.meshgrid(places, places, indexing="ij")
    heights = math.tan(slope) * (math.cos(direction) * x + math.sin(direction) * y)
    return Environment(
        ground=Ground(friction=ROUGH, heights=HeightField(heights=heights, spacing=0.05, origin=(-2, -2)))
    )


def tilt(slope: float, direction: float) -> tuple[float, ...]:
    """Lying on a slope: turned about the horizontal line across its direction."""
    half = -slope / 2
    return (math.cos(half), -math.sin(direction) * math.sin(half), math.cos(direction) * math.sin(half), 0.0)


@pytest.mark.parametrize("kind", ["tilted", "field"])
@pytest.mark.parametrize("skew", [0.0, 0.6])
def test_rolls_down_along_its_wheels(kind: str, skew: float) -> None:
    """Downhill is -x: a = g sin s cos k - rolling g cos s along the wheels, nothing along the axle."""
    slope = 0.3
    run = rolled(cart(skew), slope_ground(slope, 0.0, kind), orientation=tilt(slope, 0.0))
    found = acceleration(run)
    along = G * math.sin(slope) * math.cos(skew) - ROLLING * G * math.cos(slope)
    uphill = np.array([math.cos(slope), 0.0, math.sin(slope)])
    expected = -along * (math.cos(skew) * uphill + math.sin(skew) * np.array([0.0, 1.0, 0.0]))
    np.testing.assert_allclose(found, expected, atol=2e-3 * G)  # a slip of the first step: tolerance and settling
    assert np.abs(run.link_angular_velocity.values[-1]).max() < 1e-3


@pytest.mark.parametrize("kind", ["tilted", "field"])
def test_holds_across_below_the_limit(kind: str) -> None:
    slope = 0.9 * math.atan(SIDE)
    run = rolled(cart(), slope_ground(slope, math.pi / 2, kind), orientation=tilt(slope, math.pi / 2))
    assert np.abs(run.link_position.values[-1] - run.link_position.values[0]).max() < 1e-5


@pytest.mark.parametrize(("share", "tips"), [(0.95, False), (1.05, True)])
def test_tips_over_beyond_its_track(share: float, tips: bool) -> None:
    """Across a slope, a link falls over where tan s exceeds half the track over the height of its centre of mass."""
    slope = math.atan(share * 0.02 / 0.05)
    run = rolled(cart(track=0.04), slope_ground(slope, math.pi / 2, "tilted"), orientation=tilt(slope, math.pi / 2))
    assert (np.abs(run.link_angular_velocity.values[-1, 0, 0]) > 0.1) == tips


def test_slides_across_above_the_limit() -> None:
    """The side force falls short of the weight's part: g sin s - side g cos s, against the ground's larger friction."""
    slope = 1.2 * math.atan(SIDE)
    run = rolled(cart(), slope_ground(slope, math.pi / 2, "tilted"), orientation=tilt(slope, math.pi / 2))
    expected = G * math.sin(slope) - SIDE * G * math.cos(slope)
    assert np.linalg.norm(acceleration(run)) == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize("where", ["ground", "box"])
def test_coasts_to_a_stop(where: str) -> None:
    """On the ground and on a box: v^2/(2 rolling g), whatever the friction of what it stands on."""
    box = Box(center=(0.0, 0.0, 0.05), size=(4.0, 1.0, 0.1), friction=0.9)
    world = Environment(ground=Ground(friction=ROUGH), obstacles=(box,) if where == "box" else ())
    run = rolled(cart(), world, 1.2, position=(-0.5, 0.0), velocity=(0.5, 0.0, 0.0))
    way = run.link_position.values[-1, 0] - run.link_position.values[0, 0]
    assert way[0] == pytest.approx(0.5**2 / (2 * ROLLING * G), rel=2e-3)
    assert np.abs(way[1:]).max() < 1e-4 and np.abs(run.link_velocity.values[-1]).max() < 1e-4
    assert run.link_position.values[-1, 0, 2] == pytest.approx(0.05 + (0.1 if where == "box" else 0.0), abs=1e-5)


def test_rolls_down_a_ramp() -> None:
    """On a ramp with friction of its own: g sin s - rolling g cos s, as on a slope."""
    slope = 0.2
    ramp = Ramp(foot=(0.0, 0.0), heading=0.0, length=2.0, rise=2.0 * math.tan(slope), width=1.0, friction=0.9)
    world = Environment(ground=Ground(friction=ROUGH), obstacles=(ramp,))
    run = rolled(cart(), world, position=(1.0, 0.0), orientation=tilt(slope, 0.0))
    down = np.array([-math.cos(slope), 0.0, -math.sin(slope)])
    expected = (G * math.sin(slope) - ROLLING * G * math.cos(slope)) * down
    np.testing.assert_allclose(acceleration(run), expected, atol=2e-3 * G)


def test_on_its_side_the_body_rubs() -> None:
    """A link that fell over slides on its body: friction of the ground, and nothing rolls."""
    run = rolled(
        cart(track=0.04), Environment(ground=Ground(friction=Isotropic(0.3))), 0.1,
        orientation=(math.cos(math.pi / 4), math.sin(math.pi / 4), 0.0, 0.0), velocity=(0.5, 0.0, 0.0),
    )  # fmt: skip
    assert acceleration(run)[0] == pytest.approx(-0.3 * G, rel=1e-2)


def test_wheels_meet_pegs() -> None:
    """A wide axle stops at a peg that the body would pass."""
    wide = cart(track=0.16)
    pegs = tuple(Peg(x=0.3, y=y, radius=0.02) for y in (-0.08, 0.08))
    run = rolled(wide, Environment(ground=Ground(friction=ROUGH), obstacles=pegs), 1.0, velocity=(0.5, 0.0, 0.0))
    reach = 0.08 + 0.02 + 0.02  # front axle, wheel, peg
    assert run.link_position.values[:, 0, 0].max() == pytest.approx(0.3 - reach, abs=1e-3)
    assert np.abs(run.link_velocity.values[-1]).max() < 1e-4


def test_kinematic_limit() -> None:
    """Three axles, prescribed joints: the flat chain of the oracle, at second order."""
    chain = WheeledChain((0.2,) * 3, tuple(Axle(k, 0.1) for k in range(3)))
    shape = one_round(np.array([0.6, -0.6]), np.array([0.3, 0.3]), np.array([0.0, -np.pi / 2]), 2.0)
    exact = chain.path(shape, 2.0, 200)[-1]
    wheels = Wheels(rolling_resistance=0.0, side_limit=50.0)
    link = SpatialLink(length=0.2, mass=1.0, inertia=(1e-3, 4e-3, 4e-3), radius=0.05, wheels=(wheels,))
    robot = SpatialRobot.uniform(3, link, Yaw())
    errors = []
    for dt in (4e-3, 2e-3):
        gait = FunctionOfTime(function=lambda t: shape(t)[0], rate=1 / dt, prescribed=True)
        world = World(robot, Environment(ground=Ground(friction=Frictionless())), gait)
        run = simulate(world, 2.0, settings=Settings(dt=dt, tolerance=1e-6))
        axis = run.link_orientation.values[:, 0]
        theta = 2 * np.arctan2(axis[:, 3], axis[:, 0])
        joint = run.link_position.values[:, 0, :2] - 0.1 * np.stack((np.cos(theta), np.sin(theta)), axis=-1)
        turned = np.array([[np.cos(theta[0]), np.sin(theta[0])], [-np.sin(theta[0]), np.cos(theta[0])]])
        errors.append(np.abs(turned @ (joint[-1] - joint[0]) - exact[:2]).max())
    assert errors[1] < 1e-6
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
