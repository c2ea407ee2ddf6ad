"""Two to five thousand links: joints stay closed, in place and in velocity, and nothing blows up."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.engine import drift_made_of, stepper_at_start
from pushpoint.engine.planar.kinematics import directions, to_mass
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings, Status
from pushpoint.gaits import LateralUndulation
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Elliptic
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

DT = 1e-3


def world(n_links: int) -> World:
    """A robot of 1.2 m in all whose links differ, on anisotropic ground, with a peg at its side and one ahead."""
    length = 1.2 / n_links
    mass = 3.0 / n_links
    links = tuple(
        PlanarLink(
            length=length * (1.2 if i % 2 else 0.8), mass=mass * (0.7 + 0.6 * (i % 3) / 2),
            inertia=mass * (length**2 + 0.01) / 12, radius=0.03, mass_offset=0.1 * length * (-1) ** i,
        )
        for i in range(n_links)
    )  # fmt: skip
    gait = LateralUndulation(
        amplitude=1.5 / n_links, angular_frequency=4.0, phase_shift=-2 * np.pi / n_links, soft_start=0.2
    )
    pegs = [Peg(x=0.1, y=-0.09, radius=0.05, friction=0.2), Peg(x=0.75, y=0.01, radius=0.05)]
    return World(
        PlanarRobot(links=links, motors=Motor(stiffness=20.0, damping=0.5)),
        Environment(ground=Ground(friction=Elliptic(along=0.1, across=0.4)), obstacles=pegs),
        gait,
        Start(joint_angles=np.zeros(n_links - 1)),
    )


@pytest.mark.parametrize("n_links", [2, 3, 17, 100, 500])
def test_runs_and_joints_stay_closed(n_links: int) -> None:
    scene = world(n_links)
    run = simulate(
        scene.robot, scene.environment, scene.controller, start=scene.start, duration=1.0, settings=Settings(dt=DT),
        record=Record(rate=20.0),
    )  # fmt: skip
    for name in run.data_vars:
        if name != "obstacle_count":
            assert np.isfinite(run[name].isel(time=slice(1, None))).all(), name
    assert float(np.abs(run.joint_angle).max()) > 0.5 / n_links  # it moves
    assert float(run.penetration.max()) < 1e-3  # m
    assert float(run.unconverged.sum()) == 0
    # Joint points, seen from the links on both sides, from recorded places and angles.
    e, lengths, middle = directions(run.link_angle.values), scene.robot.column("length"), to_mass(scene.robot)
    rear = run.link_position.values - middle[:, None] * e
    front = rear + lengths[:, None] * e
    np.testing.assert_allclose(front[:, :-1], rear[:, 1:], atol=1e-12)  # m: round-off of a sum over the chain


@pytest.mark.parametrize("n_links", [2, 17, 500, 5000])
def test_velocities_fit_the_joints_of_the_end(n_links: int) -> None:
    stepper = stepper_at_start([world(n_links)], Settings(dt=DT))
    stepper.advance(300)
    before = stepper.state()
    stepper.advance(1)
    after = stepper.state()
    assert stepper.statuses() == [Status.RUNNING]
    robot = world(n_links).robot
    e = directions(before.theta[0] + DT / 2 * before.omega[0])
    left = np.stack((-e[:, 1], e[:, 0]), axis=-1)
    # From the midpoint on arms turn for half a step more: w x r becomes w x r - dt/2 w^2 r, r seen from the mass.
    inward, c, ahead = drift_made_of(stepper)[0], to_mass(robot), robot.column("length") - to_mass(robot)
    rear = after.v[0] - (after.omega[0] * c)[:, None] * left + (inward * c)[:, None] * e
    front = after.v[0] + (after.omega[0] * ahead)[:, None] * left - (inward * ahead)[:, None] * e
    # The turning is the one at hand when the last iteration began: between the start's and, nearly, the end's.
    fastest = max(np.abs(state.omega).max() for state in (before, after))
    slack = DT * np.abs(after.omega - before.omega).max() * fastest + 1e-12
    np.testing.assert_allclose(inward, DT / 2 * after.omega[0] ** 2, atol=slack)
    assert np.abs(after.v).max() > 1e-3
    np.testing.assert_allclose(front[:-1], rear[1:], atol=1e-12)  # m/s: the sweep carries one into the other
