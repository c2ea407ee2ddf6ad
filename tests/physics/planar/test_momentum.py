"""Without friction only outside forces change momentum: here there are none, and the gait runs."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from oracles.robots import uneven_robot
from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.gaits import LateralUndulation
from pushpoint.model.environment import Environment
from pushpoint.model.motor import Motor
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record

ROBOT = uneven_robot(Motor(stiffness=20.0, damping=0.2, torque_limit=0.4))
GAIT = LateralUndulation(amplitude=0.8, angular_frequency=6.0, phase_shift=-1.1, offset=0.2)
START = Start(position=(0.3, -0.2), velocity=(0.4, -0.7), spin=0.9, heading=0.5)


def swim(dt: float) -> xr.Dataset:
    return simulate(
        ROBOT,
        Environment(),
        GAIT,
        duration=1.0,
        start=START,
        settings=Settings(dt=dt, tolerance=1e-8),
        record=Record(rate=1 / dt),
    )


@pytest.fixture(scope="module")
def run() -> xr.Dataset:
    return swim(1e-3)


def angular_momentum(position: np.ndarray, velocity: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """About the robot's centre of mass [kg m^2/s], shape (n_times,)."""
    mass = ROBOT.column("mass")
    arm = position - (position * mass[:, None]).sum(axis=1, keepdims=True) / ROBOT.mass
    spin = arm[..., 0] * velocity[..., 1] - arm[..., 1] * velocity[..., 0]
    return np.asarray(spin @ mass + omega @ ROBOT.column("inertia"))


def test_the_gait_moves_the_links(run: xr.Dataset) -> None:
    kinetic = 0.5 * (run.link_velocity**2).sum("axis") @ xr.DataArray(ROBOT.column("mass"), dims="link")
    assert float(kinetic.max() - kinetic.min()) > 0.03  # J: the joints do work on the links
    assert float(abs(run.joint_torque).max()) == pytest.approx(0.4)  # the torque limit took part


def test_linear_momentum_is_conserved(run: xr.Dataset) -> None:
    momentum = np.einsum("tix,i->tx", run.link_velocity.values, ROBOT.column("mass"))
    expected = ROBOT.mass * np.array([0.4, -0.7])
    np.testing.assert_allclose(momentum, expected[None] * np.ones((run.time.size, 1)), rtol=0, atol=1e-12)  # required


def test_centre_of_mass_moves_straight(run: xr.Dataset) -> None:
    expected = np.array([0.3, -0.2]) + run.time.values[:, None] * np.array([0.4, -0.7])
    np.testing.assert_allclose(run.center_of_mass, expected, atol=1e-12)  # round-off of 1000 sums


def test_angular_momentum_is_exact_at_every_midpoint(run: xr.Dataset) -> None:
    # A step is a balance of momentum in the midpoint's posture, about which a rigid turn is an admissible motion.
    theta = (run.link_angle + 1e-3 / 2 * run.link_angular_velocity).values
    middle = link_positions(ROBOT, np.zeros((run.time.size, 2)), theta)
    v, omega = run.link_velocity.values, run.link_angular_velocity.values
    before = angular_momentum(middle[:-1], v[:-1], omega[:-1])
    after = angular_momentum(middle[:-1], v[1:], omega[1:])
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-13)  # round-off


def test_angular_momentum_drifts_in_second_order() -> None:
    drifts = []
    for dt in (2e-3, 1e-3, 5e-4):
        run = swim(dt)
        turning = angular_momentum(run.link_position.values, run.link_velocity.values, run.link_angular_velocity.values)
        drifts.append(np.abs(turning - turning[0]).max() / abs(turning[0]))
    ratios = np.array(drifts[:-1]) / np.array(drifts[1:])
    np.testing.assert_allclose(ratios, 4.0, atol=0.4)  # second order: half the step, a quarter of the drift
    assert drifts[1] < 1e-4  # joints turn at up to 6 rad/s: (6 mrad)^2 per step of 1 ms
