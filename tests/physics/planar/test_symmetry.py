"""No side and no direction is preferred: mirrored and turned scenes give mirrored and turned runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

from oracles.course import course
from oracles.robots import uneven_robot
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.gaits import LateralUndulation
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Skin
from pushpoint.model.motor import Motor
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.world import World

TOLERANCE = 1e-9  # m and rad over 1 s, required: round-off and the solver's 1e-8 g dt, carried along for 1000 steps
SETTINGS = Settings(tolerance=1e-8)
TURN, SHIFT = 2.1, np.array([3.0, -5.0])
ROTATION = np.array([[np.cos(TURN), -np.sin(TURN)], [np.sin(TURN), np.cos(TURN)]])


def skin_world() -> World:
    """Unequal links, an anisotropic skin, an offset gait, rough pegs: nothing is symmetric by itself."""
    gait = LateralUndulation(amplitude=0.6, angular_frequency=4.0, phase_shift=-1.0, phase=0.4, offset=0.1)
    robot = uneven_robot(Motor(stiffness=30.0, damping=0.3, torque_limit=2.0))
    angles = gait.references(np.zeros(1), robot)[0][0]
    pegs = [Peg(x=0.3, y=0.04, radius=0.05, friction=0.4, restitution=0.2), Peg(x=0.0, y=-0.13, radius=0.08)]
    return World(
        robot,
        Environment(ground=Ground(friction=Skin(forward=0.1, backward=0.3, across=0.4), spin=2e-3), obstacles=pegs),
        gait,
        Start(joint_angles=angles, velocity=(0.6, 0.1), spin=0.4),
    )


def with_link_angles(world: World) -> Start:
    """The same start, said by link angles, so that it can be mirrored and turned."""
    return replace(world.start, link_angles=world.pose()["theta"], joint_angles=None)


def mirrored(world: World) -> World:
    """Left and right exchanged: y -> -y."""
    start, gait = with_link_angles(world), world.controller
    x, y = start.position
    u, v = start.velocity
    return World(
        world.robot,
        replace(world.environment, obstacles=[replace(peg, y=-peg.y) for peg in world.environment.obstacles]),
        replace(gait, amplitude=-gait.amplitude, offset=-gait.offset),
        replace(
            start, link_angles=-np.array(start.link_angles), position=(x, -y), velocity=(u, -v), spin=-start.spin
        ),
    )  # fmt: skip


def turned(world: World) -> World:
    """The whole scene turned by TURN about the origin and moved by SHIFT."""
    start = with_link_angles(world)
    pegs = []
    for peg in world.environment.obstacles:
        x, y = ROTATION @ (peg.x, peg.y) + SHIFT
        pegs.append(replace(peg, x=x, y=y))
    return World(
        world.robot,
        replace(world.environment, obstacles=pegs),
        world.controller,
        replace(
            start,
            link_angles=np.array(start.link_angles) + TURN,
            position=ROTATION @ start.position + SHIFT,
            velocity=ROTATION @ start.velocity,
        ),
    )


WORLDS = {
    "flat": course(obstacles=False),
    "obstacle-aided": course(obstacles=True),
    "rough pegs": course(obstacles=True, friction=0.3),
    "skin": skin_world(),
}


def run(world: World) -> xr.Dataset:
    return simulate(
        world.robot, world.environment, world.controller, start=world.start, duration=1.0, settings=SETTINGS
    )


@pytest.fixture(scope="module", params=WORLDS)
def plain(request: pytest.FixtureRequest) -> tuple[World, xr.Dataset]:
    world = WORLDS[request.param]
    dataset = run(world)
    moved = dataset.link_position.isel(time=-1) - dataset.link_position.isel(time=0)
    assert float(np.abs(moved).max()) > 0.02  # m: something happened
    if world.environment.obstacles:
        assert float(np.abs(dataset.obstacle_force).sum()) > 0.0  # and pegs were hit
    return world, dataset


def test_mirror(plain: tuple[World, xr.Dataset]) -> None:
    world, here = plain
    there = run(mirrored(world))
    np.testing.assert_allclose(there.link_position, here.link_position * np.array([1.0, -1.0]), atol=TOLERANCE)
    np.testing.assert_allclose(there.link_angle, -here.link_angle, atol=TOLERANCE)
    np.testing.assert_allclose(there.joint_reference, -here.joint_reference, atol=1e-14)  # the same wave, mirrored


def test_rotation(plain: tuple[World, xr.Dataset]) -> None:
    world, here = plain
    there = run(turned(world))
    np.testing.assert_allclose(there.link_position, here.link_position.values @ ROTATION.T + SHIFT, atol=TOLERANCE)
    np.testing.assert_allclose(there.link_angle, here.link_angle + TURN, atol=TOLERANCE)
