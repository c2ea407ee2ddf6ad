"""Wheels that hold: the planar engine tends to the kinematic model without side slip, at second order in dt."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray as xr

from oracles.wheels import Axle, Shape, WheeledChain, one_round
from pushpoint.engine.settings import Settings
from pushpoint.gaits import FunctionOfTime
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Frictionless
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot, Support
from pushpoint.model.wheels import Wheels
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.world import World

PERIOD = 2.0
SMOOTH = Environment(ground=Ground(friction=Frictionless()))


def planar_robot(chain: WheeledChain, *, track: float = 0.0, rolling: float = 0.0) -> PlanarRobot:
    """The same chain for the engine; links without an axle slide on smooth ground."""
    links = []
    for i, length in enumerate(chain.lengths):
        wheels = tuple(
            Wheels(offset=axle.ahead - length / 2, axle_angle=axle.turn, rolling_resistance=rolling, side_limit=50.0,
                   track=track)
            for axle in chain.axles if axle.link == i
        )  # fmt: skip
        mass = 5.0 * length
        body = {"length": length, "mass": mass, "inertia": mass * length**2 / 12, "radius": 0.03}
        links.append(PlanarLink(**body, wheels=wheels, supports=None if wheels else (Support(offset=0.0),)))
    return PlanarRobot(links=tuple(links))


THREE = WheeledChain((0.2,) * 3, tuple(Axle(k, 0.1) for k in range(3)))
THREE_SHAPE = one_round(np.array([0.6, -0.6]), np.array([0.3, 0.3]), np.array([0.0, -np.pi / 2]), PERIOD)
FIVE = WheeledChain((0.15, 0.2, 0.1, 0.25, 0.15), (Axle(0, 0.05), Axle(2, 0.0, 0.3), Axle(4, 0.15, -0.2)))
FIVE_SHAPE = one_round(
    np.array([0.5, 0.4, -0.6, 0.3]), np.array([0.3, 0.2, 0.2, 0.3]), np.array([0.0, 1.0, 2.5, 4.0]), PERIOD
)
CASES = {"three links": (THREE, THREE_SHAPE), "five links, skewed": (FIVE, FIVE_SHAPE)}


def moved(run: xr.Dataset, robot: PlanarRobot) -> np.ndarray:
    """How the tail's rear joint moved and turned, seen from where it began [m, m, rad]."""
    theta = run.link_angle.values[:, 0]
    to_mass = robot.links[0].length / 2
    joint = run.link_position.values[:, 0] - to_mass * np.stack((np.cos(theta), np.sin(theta)), axis=-1)
    way, (c, s) = joint[-1] - joint[0], (np.cos(theta[0]), np.sin(theta[0]))
    return np.array([c * way[0] + s * way[1], c * way[1] - s * way[0], theta[-1] - theta[0]])


def driven(robot: PlanarRobot, shape: Shape, dt: float, **settings: Any) -> xr.Dataset:
    """One period with prescribed joints, from rest to rest."""
    gait = FunctionOfTime(function=lambda t: shape(t)[0], rate=min(1000.0, 1 / dt), prescribed=True)
    return simulate(World(robot, SMOOTH, gait), PERIOD, settings=Settings(**{"dt": dt, "tolerance": 1e-8} | settings))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("track", [0.0, 0.06])
def test_no_side_slip(case: str, track: float) -> None:
    chain, shape = CASES[case]
    assert chain.worst_condition(shape, PERIOD) < 300  # the motion keeps away from singular postures
    exact = chain.path(shape, PERIOD, 200)[-1]
    assert np.abs(exact[:2]).max() > 0.01  # it goes somewhere
    robot = planar_robot(chain, track=track)
    errors = [np.abs(moved(driven(robot, shape, dt), robot) - exact).max() for dt in (2e-3, 1e-3, 5e-4)]
    assert errors[-1] < 1e-6  # [m], [rad]: what wheels that hold are asked for
    ratios = np.array(errors[:-1]) / errors[1:]
    np.testing.assert_allclose(ratios, 4.0, rtol=0.1)  # second order


def test_rolling_resistance_changes_forces_alone() -> None:
    """Three axles fix the motion; what resists rolling is overcome by the motors."""
    exact = THREE.path(THREE_SHAPE, PERIOD, 200)[-1]
    robot = planar_robot(THREE, rolling=0.2)
    assert np.abs(moved(driven(robot, THREE_SHAPE, 5e-4), robot) - exact).max() < 1e-6


def test_float32() -> None:
    """Single precision holds the axles as well; its own rounding, 1e-7 of some decimetres per step, is left."""
    exact = THREE.path(THREE_SHAPE, PERIOD, 200)[-1]
    robot = planar_robot(THREE)
    run = driven(robot, THREE_SHAPE, 2e-3, precision="float32", tolerance=1e-3)
    assert np.abs(moved(run, robot) - exact).max() < 5e-5


def test_singular_posture() -> None:
    """Equal joint angles make all axles meet in a point: the chain may turn about it, and only friction decides.

    The engine passes through such a posture without trouble. Its forces stay within the limits.
    """
    shape = one_round(np.array([0.0, 0.0]), np.array([0.6, 0.6]), np.array([0.0, np.pi / 2]), PERIOD)
    assert THREE.worst_condition(shape, PERIOD) > 1e3
    robot = planar_robot(THREE, rolling=0.05)
    run = driven(robot, shape, 1e-3)
    assert run.attrs["status"] == "finished"
    force = np.linalg.norm(run.ground_force.values, axis=-1)
    limit = 50.0 * 9.81 * robot.links[0].mass
    assert np.nanmax(force) <= limit * np.sqrt(1 + (0.05 / 50) ** 2) * (1 + 1e-9)
