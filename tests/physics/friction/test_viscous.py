"""Viscous ground: straight robots against closed forms, compliant ones against the linear solution; oracles.viscous."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from oracles import viscous
from oracles.controllers import Always, straight
from oracles.robots import uneven_robot
from oracles.statics import centres
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Viscous
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot, Support
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record

ROBOT = uneven_robot(Motor(stiffness=3.0, damping=0.1))
DRAG = Viscous(along=0.4, across=2.5)
DT, STEPS = 1e-3, 1000
ROUND_OFF = 1e-11  # relative, of 1000 steps


def drift(robot: PlanarRobot, loads: np.ndarray, controller: Always | None = None, **start: object) -> xr.Dataset:
    """A straight robot along x on viscous ground under constant loads (x, y, moment) per link."""
    return simulate(
        robot, Environment(ground=Ground(friction=DRAG)), controller or straight(loads[None]),
        start=Start(joint_angles=np.zeros(robot.n_joints), **start), duration=STEPS * DT,
        settings=Settings(dt=DT), record=Record(rate=1 / DT),
    )  # fmt: skip


def balanced(force: float, axis: int) -> np.ndarray:
    """A force on the whole robot, spread by mass, so that it acts at the centre of mass."""
    loads = np.zeros((ROBOT.n_links, 3))
    loads[:, axis] = force * ROBOT.column("mass") / ROBOT.mass
    return loads


@pytest.mark.parametrize("initial", [0.0, 0.8])
def test_motion_along(initial: float) -> None:
    run, body, load = drift(ROBOT, balanced(1.5, 0), velocity=(initial, 0.0)), viscous.straight_body(ROBOT, DRAG), 1.5
    speeds = viscous.implicit_speed(load, body.along, body.mass, DT, STEPS, initial=initial)
    np.testing.assert_allclose(
        run.link_velocity.sel(axis="x"), speeds[:, None] * np.ones(4), rtol=ROUND_OFF, atol=1e-14
    )
    way = run.center_of_mass.sel(axis="x") - run.center_of_mass.sel(axis="x")[0]
    np.testing.assert_allclose(way, viscous.implicit_travel(speeds, DT), rtol=ROUND_OFF, atol=1e-14)
    exact = viscous.speed(load, body.along, body.mass, run.time.values, initial=initial)
    # Implicit Euler of v_dot = (Q - c v)/m: each step errs by (c dt/m)^2/2, in all by c dt/m of the change of speed.
    change = abs(load / body.along - initial)
    np.testing.assert_allclose(speeds, exact, atol=body.along * DT / body.mass * change)
    np.testing.assert_allclose(run.link_velocity.sel(axis="y"), 0.0, atol=1e-14)


# Links whose friction acts symmetrically about the robot's centre: moving across and turning do not mix.
FEET = (Support(offset=-0.04, share=0.5), Support(offset=0.04, share=0.5))
EVEN = PlanarRobot.uniform(4, PlanarLink(length=0.12, mass=0.5, inertia=8e-4, radius=0.02, supports=FEET))


def test_motion_across() -> None:
    body = viscous.straight_body(EVEN, DRAG)
    loads = np.zeros((4, 3))
    loads[:, 1] = 0.5
    run = drift(EVEN, loads)
    speeds = viscous.implicit_speed(2.0, body.across, body.mass, DT, STEPS)
    np.testing.assert_allclose(
        run.link_velocity.sel(axis="y"), speeds[:, None] * np.ones(4), rtol=ROUND_OFF, atol=1e-14
    )
    np.testing.assert_allclose(run.link_angular_velocity, 0.0, atol=1e-12)


def test_turning() -> None:
    body = viscous.straight_body(EVEN, DRAG)
    loads = np.zeros((4, 3))
    loads[:, 2] = [0.1, 0.0, 0.05, 0.05]
    run = drift(EVEN, loads)
    spins = viscous.implicit_spin(0.2, body, DT, STEPS)
    np.testing.assert_allclose(run.link_angular_velocity, spins[:, None] * np.ones(4), rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(run.center_of_mass, 0.0, atol=1e-12)
    assert spins[-1] == pytest.approx(0.2 / body.spin, rel=0.01)  # near its final rate


def test_friction_forces_balance_the_load() -> None:
    run = drift(ROBOT, balanced(1.5, 0))
    speed = run.link_velocity.sel(axis="x").values
    np.testing.assert_allclose(run.ground_force.sel(axis="x")[1:], -DRAG.along * speed[1:], rtol=1e-9)


def test_compliant_chain_moves_as_the_linear_solution_says() -> None:
    # Small motion: a force of 0.01 N bends the joints by milliradians, so that the neglected squares are 1e-6.
    forces = 0.01 * np.array([1.0, -0.5, 0.3, 0.8])
    chain = viscous.sideways_chain(ROBOT, DRAG)
    times = np.linspace(0.0, 1.0, 11)
    q, q_dot = chain.motion(forces, times)
    start = float(ROBOT.column("mass") @ centres(ROBOT)) / ROBOT.mass
    misses = []
    for dt in (1e-3, 5e-4):
        loads = np.column_stack([np.zeros(4), forces, np.zeros(4)])
        run = simulate(
            ROBOT, Environment(ground=Ground(friction=DRAG)), Always(Command(link_load=loads[None])),
            start=Start(joint_angles=np.zeros(3), position=(start, 0.0)), duration=1.0,
            settings=Settings(dt=dt), record=Record(rate=10.0),
        )  # fmt: skip
        pairs = (
            (run.link_angle, q[:, 1:]),
            (run.link_position.sel(axis="y"), q @ chain.centre.T),
            (run.link_velocity.sel(axis="y"), q_dot @ chain.centre.T),
        )
        misses.append([np.abs(ours.values - exact).max() / np.abs(exact).max() for ours, exact in pairs])
    assert max(misses[0]) < 0.02  # first order in dt: w dt with modes of up to some 30 rad/s
    np.testing.assert_allclose(np.array(misses[1]) / np.array(misses[0]), 0.5, atol=0.05)  # and it halves with dt
