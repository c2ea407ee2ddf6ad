"""Impacts of a straight, stiff robot on a peg: Newton's law of restitution, and what else a hit must do.

Motors that allow no bend make the robot one rigid body of mass m and moment of inertia I.
"""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from oracles.controllers import Always, straight
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record

DT = 1e-3
LINK = PlanarLink(length=0.2, mass=0.5, inertia=2e-3, radius=0.03)
ROBOT = PlanarRobot.uniform(3, LINK)
INERTIA = 3 * LINK.inertia + 2 * LINK.mass * LINK.length**2
SPEED = 0.4
COEFFICIENTS = (0.0, 0.3, 0.7, 1.0)
TOLERANCE = 1e-6  # relative: the solver stops at 1e-9 g dt, 3e-11 of the speed, and some such errors add up


def way(steps: int, phase: float) -> float:
    """Free way to the peg [m], so that the midpoint of a step finds it overlapped by `phase` of a step's way.

    Overlap up to 1 micrometre is left alone, more is pushed out by 10 % per step: phase 0 shows the impact by itself.
    """
    return SPEED * DT * (steps + 0.5 - phase) - 5e-7


def hit(peg: Peg, velocity: tuple[float, float], duration: float = 0.05) -> xr.Dataset:
    return simulate(
        ROBOT, Environment(obstacles=[peg]), straight(), start=Start(joint_angles=(0, 0), velocity=velocity),
        duration=duration, settings=Settings(dt=DT, tolerance=1e-9), record=Record(rate=1 / DT),
    )  # fmt: skip


def below(x: float, gap: float, restitution: float, friction: float = 0.0) -> Peg:
    """A peg whose top lies `gap` under the robot's right side."""
    return Peg(x=x, y=-(LINK.radius + 0.05 + gap), radius=0.05, restitution=restitution, friction=friction)


@pytest.mark.parametrize("e", COEFFICIENTS)
def test_broadside(e: float) -> None:
    run = hit(below(0.0, way(10, 0.0), e), (0.0, -SPEED))
    if e > 0.0:
        assert int((run.obstacle_load.isel(obstacle=0) > 0).sum()) == 1  # one step of contact
    np.testing.assert_allclose(run.link_velocity.sel(axis="y")[-1], e * SPEED, atol=TOLERANCE * SPEED)
    np.testing.assert_allclose(run.link_angular_velocity[-1], 0.0, atol=1e-9)
    impulse = float(run.obstacle_load.sum()) * DT
    assert impulse == pytest.approx((1 + e) * ROBOT.mass * SPEED, rel=TOLERANCE)


@pytest.mark.parametrize("e", COEFFICIENTS)
def test_head_on(e: float) -> None:
    front = 1.5 * LINK.length + LINK.radius
    peg = Peg(x=front + way(10, 0.0) + 0.05, y=0.0, radius=0.05, restitution=e)
    run = hit(peg, (SPEED, 0.0))
    np.testing.assert_allclose(run.link_velocity.sel(axis="x")[-1], -e * SPEED, atol=TOLERANCE * SPEED)
    # Every joint passes on what the links behind it lose.
    behind = (1 + e) * SPEED * LINK.mass * np.array([1.0, 2.0])
    np.testing.assert_allclose(run.joint_force.sel(axis="x").sum("time") * DT, behind, rtol=TOLERANCE)


@pytest.mark.parametrize("e", COEFFICIENTS)
def test_off_centre(e: float) -> None:
    # P (1/m + d^2/I) = (1 + e) v, for a peg at the distance d from the centre of mass.
    d = 0.17
    run = hit(below(d, way(10, 0.0), e), (0.0, -SPEED), duration=0.012)
    P = (1 + e) * SPEED / (1 / ROBOT.mass + d**2 / INERTIA)
    np.testing.assert_allclose(run.link_angular_velocity[11], P * d / INERTIA, rtol=TOLERANCE)
    assert float(run.link_velocity.sel(axis="y")[11, 1]) == pytest.approx(P / ROBOT.mass - SPEED, rel=TOLERANCE)


@pytest.mark.parametrize("e", COEFFICIENTS)
def test_rough_peg_brakes_while_it_bounces(e: float) -> None:
    # Sliding on through the hit: friction mu P against the slip, at the surface, a radius below the axis.
    mu, slip = 0.2, 0.5
    run = hit(below(slip * DT * 10.5, way(10, 0.0), e, friction=mu), (slip, -SPEED), duration=0.012)
    P = (1 + e) * ROBOT.mass * SPEED
    assert float(run.link_velocity.sel(axis="x")[11, 1]) == pytest.approx(slip - mu * P / ROBOT.mass, rel=TOLERANCE)
    np.testing.assert_allclose(run.link_angular_velocity[11], -mu * P * LINK.radius / INERTIA, rtol=TOLERANCE)


@pytest.mark.parametrize("e", [0.3, 0.7, 1.0])
def test_bounce_does_not_depend_on_the_instant_of_the_hit(e: float) -> None:
    for phase in np.linspace(0.0, 0.95, 8):
        run = hit(below(0.0, way(10, phase), e), (0.0, -SPEED))
        np.testing.assert_allclose(run.link_velocity.sel(axis="y")[-1], e * SPEED, atol=TOLERANCE * SPEED)


def test_plastic_hit_leaves_no_more_than_the_push_out_of_the_overlap() -> None:
    # A step may find the robot overlapped by all its way v dt, which is undone at 5 mm/s at most.
    rebounds = [
        float(hit(below(0.0, way(10, phase), 0.0), (0.0, -SPEED)).link_velocity.sel(axis="y")[-1, 1])
        for phase in np.linspace(0.0, 0.95, 8)
    ]
    assert min(rebounds) > -TOLERANCE * SPEED and max(rebounds) <= 5e-3 * (1 + TOLERANCE)


def test_slow_touch_does_not_bounce() -> None:
    peg = Peg(x=0.0, y=-(LINK.radius + 0.05 + 5e-6), radius=0.05, restitution=1.0)
    run = hit(peg, (0.0, -0.9e-3))  # below 1 mm/s a contact counts as resting
    np.testing.assert_allclose(run.link_velocity.sel(axis="y")[-1], 0.0, atol=1e-9)


def test_limp_robot_bounces_with_the_mass_behind_the_contact() -> None:
    # Without motors a hit on the middle of the middle link moves the joints: minimal coordinates y, and both bends s by
    # symmetry. The outer links turn freely about the joints: each weighs m_eff = m I'/(I' + m l^2/4) there, I' its own.
    limp = PlanarRobot.uniform(3, LINK, Motor())
    e, m, half = 0.7, LINK.mass, LINK.length / 2
    run = simulate(
        limp, Environment(obstacles=[below(0.0, way(10, 0.0), e)]), Always(Command()),
        start=Start(joint_angles=(0, 0), velocity=(0.0, -SPEED)), duration=0.011,
        settings=Settings(dt=DT, tolerance=1e-9), record=Record(rate=1 / DT),
    )  # fmt: skip
    effective = m + 2 * m * LINK.inertia / (LINK.inertia + m * half**2)
    assert float(run.obstacle_load.sum()) * DT == pytest.approx((1 + e) * SPEED * effective, rel=TOLERANCE)
    assert float(run.link_velocity.sel(axis="y")[11, 1]) == pytest.approx(e * SPEED, rel=TOLERANCE)
