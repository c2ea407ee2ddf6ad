"""Robots at rest against pegs, and the instant at which they begin to move, against balances derived by hand.

Held straight by motors that allow no bend, the tail's rear end at the origin; see oracles.statics for the derivations.
"""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from oracles import statics
from oracles.controllers import Always
from oracles.robots import uneven_robot
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record

UNEVEN = uneven_robot()
EVEN = PlanarRobot.uniform(2, PlanarLink(length=0.2, mass=0.5, inertia=2e-3, radius=0.03))
RADIUS = 0.02  # of UNEVEN's links
CLEARANCE = 1e-9  # m: within what counts as touching, so that the start is not refused for round-off
DT = 1e-3
TOLERANCE = 1e-7  # relative: the solver stops at 1e-9 g dt, remembered impulses bring rest far closer


def press(robot: PlanarRobot, pegs: list[Peg], loads: np.ndarray, steps: int) -> xr.Dataset:
    """The run of a straight robot under loads (x, y, moment) per link, every step recorded."""
    middle = float(robot.column("mass") @ statics.centres(robot)) / robot.mass
    return simulate(
        robot,
        Environment(obstacles=pegs),
        Always(Command(prescribed=True, link_load=loads[None])),
        start=Start(joint_angles=np.zeros(robot.n_joints), position=(middle, 0.0)),
        duration=steps * DT,
        settings=Settings(dt=DT, tolerance=1e-10),  # velocities over DT are compared to 1e-8
        record=Record(rate=1 / DT),
    )


def under(x: float, friction: float = 0.0, radius: float = 0.05) -> Peg:
    """A peg that touches the right side of UNEVEN at x."""
    return Peg(x=x, y=-(RADIUS + radius + CLEARANCE), radius=radius, friction=friction)


def assert_balanced(run: xr.Dataset, balance: statics.Balance) -> None:
    """The last sample carries what the balance says."""
    last, load = run.isel(time=-1), balance.peg_load.max()
    np.testing.assert_allclose(last.obstacle_load, balance.peg_load, rtol=TOLERANCE)
    np.testing.assert_allclose(last.joint_torque, balance.joint_torque, atol=TOLERANCE * load)  # arms are below 1 m
    np.testing.assert_allclose(last.joint_force, balance.joint_force, atol=TOLERANCE * load)


def test_beam_on_two_pegs() -> None:
    load, pegs = np.array([1.0, 2.0, 0.5, 3.0]), (0.07, 0.40)
    run = press(UNEVEN, [under(x) for x in pegs], np.column_stack([0 * load, -load, 0 * load]), 50)
    assert_balanced(run, statics.beam_on_two_pegs(UNEVEN, load, pegs))
    assert float(abs(run.link_velocity.isel(time=-1)).max()) < 1e-12  # m/s: rest


def test_two_equal_links_carry_a_quarter_of_the_load_moment() -> None:
    y = -(0.03 + 0.05 + CLEARANCE)
    pegs = [Peg(x=0.05, y=y, radius=0.05), Peg(x=0.35, y=y, radius=0.05)]
    run = press(EVEN, pegs, np.array([[0.0, -3.0, 0.0], [0.0, -3.0, 0.0]]), 50).isel(time=-1)
    np.testing.assert_allclose(run.obstacle_load, [3.0, 3.0], rtol=TOLERANCE)
    np.testing.assert_allclose(run.joint_torque, [-3.0 * 0.2 / 4], rtol=TOLERANCE)  # -p L/4, oracles.statics


@pytest.mark.parametrize("push", [0.5, 3.0], ids=["holds", "slides"])
def test_rough_peg_at_the_side(push: float) -> None:
    load, pushes, at = np.array([1.0, 2.0, 0.5, 1.5]), push * np.array([0.1, 0.4, 0.3, 0.2]), 0.18
    balance = statics.against_side_peg(UNEVEN, pushes, load, at, 0.3)
    loads = np.column_stack([pushes, -load, np.zeros(4)])
    loads[statics.link_at(UNEVEN, at), 2] += balance.couple
    # A sliding robot leaves the place of the balance: only its first step is compared.
    run = press(UNEVEN, [under(at, friction=0.3)], loads, 50 if push < 1.5 else 1)
    assert_balanced(run, balance)
    friction = float(run.obstacle_force.isel(time=-1).sel(axis="x").sum())
    assert friction == pytest.approx(-balance.peg_friction[0], rel=TOLERANCE)  # the tangent is -x
    velocity = run.link_velocity.isel(time=-1) if push < 1.5 else run.link_velocity.isel(time=1) / DT
    np.testing.assert_allclose(velocity, balance.acceleration * np.ones((4, 1)), atol=1e-8)


@pytest.mark.parametrize("across", [1.9, 2.5], ids=["holds", "slides"])
def test_rough_peg_in_front(across: float) -> None:
    pushes, sideways = np.array([3.0, 1.0, 0.5, 0.5]), across * np.array([0.4, 0.3, 0.2, 0.1])
    balance = statics.against_front_peg(UNEVEN, pushes, sideways, 0.4)
    loads = np.column_stack([pushes, sideways, np.zeros(4)])
    loads[3, 2] += balance.couple
    peg = Peg(x=UNEVEN.length + RADIUS + 0.05 + CLEARANCE, y=0.0, radius=0.05, friction=0.4)
    run = press(UNEVEN, [peg], loads, 50 if across < 2 else 1)
    assert_balanced(run, balance)
    friction = float(run.obstacle_force.isel(time=-1).sel(axis="y").sum())
    assert friction == pytest.approx(-balance.peg_friction[0], rel=TOLERANCE)  # the tangent is -y
    velocity = run.link_velocity.isel(time=-1) if across < 2 else run.link_velocity.isel(time=1) / DT
    np.testing.assert_allclose(velocity, balance.acceleration * np.ones((4, 1)), atol=1e-8)


def test_load_and_force_on_the_peg_agree() -> None:
    # One number per peg and one vector per link tell of the same contacts.
    load = np.array([1.0, 2.0, 0.5, 3.0])
    run = press(UNEVEN, [under(0.07), under(0.40)], np.column_stack([0 * load, -load, 0 * load]), 50).isel(time=-1)
    np.testing.assert_allclose(run.obstacle_force.sel(axis="y").sum(), run.obstacle_load.sum(), rtol=1e-12)
    np.testing.assert_allclose(run.contact_normal_force, run.obstacle_force.sel(axis="y"), rtol=1e-9, atol=1e-9)
