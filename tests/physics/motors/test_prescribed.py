"""Prescribed joint motion is exact: the joints do what they are told, and the reported torques are what that takes.

A step sets the new rate so that half of the angle error disappears; with e the angle's error and e' the rate's,

    e_next = (e + dt/2 e' + d)/2,    e'_next = -2 e_next/dt,    d = ref - ref_next + dt/2 (ref' + ref'_next),

so that from the second step on e = d/2: the trapezoidal rule's own error, |d| <= dt^3/12 max|ref'''|.
"""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from oracles.free_chain import FreeChain
from oracles.robots import uneven_robot
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.gaits import FunctionOfTime, LateralUndulation
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import FrictionLaw, Frictionless, Isotropic
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record

ROBOT = uneven_robot()
AMPLITUDE, OMEGA = 0.5, 6.0
GAIT = LateralUndulation(amplitude=AMPLITUDE, angular_frequency=OMEGA, phase_shift=-1.1, offset=0.1, prescribed=True)
DT = 1e-3


def follow(
    gait: object, start: Start, dt: float = DT, duration: float = 1.0, law: FrictionLaw = Frictionless()
) -> xr.Dataset:
    return simulate(
        ROBOT, Environment(ground=Ground(friction=law)), gait, start=start, duration=duration,
        settings=Settings(dt=dt), record=Record(rate=1 / dt),
    )  # fmt: skip


def consistent_start(gait: LateralUndulation) -> Start:
    angle, rate = gait.references(np.zeros(1), ROBOT)
    return Start(joint_angles=angle[0], joint_rates=rate[0], velocity=(0.2, 0.1), spin=0.3)


def wanted(gait: LateralUndulation, run: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    return gait.references(run.time.values, ROBOT)


@pytest.mark.parametrize("law", [Frictionless(), Isotropic(0.3)], ids=["free", "friction"])
def test_constant_rate_is_exact(law: FrictionLaw) -> None:
    rates = np.array([0.7, -0.4, 1.1])
    gait = FunctionOfTime(function=lambda t: 0.2 + rates * t, prescribed=True)
    run = follow(gait, Start(joint_angles=[0.2] * 3, joint_rates=rates), law=law)
    # Round-off: the rates are finite differences of the function over 2 microseconds, exact to 1e-16/1e-6.
    np.testing.assert_allclose(run.joint_angle, 0.2 + rates * run.time.values[:, None], atol=1e-12)
    np.testing.assert_allclose(run.link_angular_velocity.diff("link"), rates * np.ones((1001, 1)), atol=1e-9)


@pytest.mark.parametrize("dt", [4e-3, 1e-3, 2.5e-4])
@pytest.mark.parametrize("law", [Frictionless(), Isotropic(0.3)], ids=["free", "friction"])
def test_sine_errs_by_the_trapezoidal_rule(law: FrictionLaw, dt: float) -> None:
    run = follow(GAIT, consistent_start(GAIT), dt, law=law)
    angle, rate = wanted(GAIT, run)
    third = AMPLITUDE * OMEGA**3
    round_off = 1e-13 / dt  # of angles near 1 that a rate is made of
    assert np.abs(run.joint_angle.values - angle).max() <= dt**3 / 24 * third + 1e-14
    assert np.abs(run.link_angular_velocity.diff("link").values - rate).max() <= dt**2 / 12 * third + round_off


def test_wrong_start_settles_in_two_steps() -> None:
    angle, rate = GAIT.references(np.zeros(1), ROBOT)
    run = follow(GAIT, Start(joint_angles=angle[0] + [0.0, 1e-3, 0.0], joint_rates=rate[0] + [2.0, 0.0, -1.0]))
    error = np.abs(run.joint_angle.values - wanted(GAIT, run)[0]).max(axis=1)
    # After one step half of what the wrong rate and angle leave: (2 rad/s dt/2)/2 and (1 mrad)/2; then nothing.
    assert error[1] == pytest.approx(max(2.0 * DT / 4, 1e-3 / 2), rel=1e-3)
    assert error[2:].max() <= DT**3 / 24 * AMPLITUDE * OMEGA**3 + 1e-14


def generalised_momentum_change(run: xr.Dataset) -> np.ndarray:
    """J^T M (u_next - u)/dt at the midpoint of every step, from recorded velocities, shape (n_steps, 6)."""
    chain = FreeChain(robot=ROBOT)
    theta = (run.link_angle + DT / 2 * run.link_angular_velocity).values[:-1]
    twists = np.concatenate([run.link_velocity.values, run.link_angular_velocity.values[..., None]], axis=-1)
    change = np.diff(twists, axis=0) / DT
    J = np.stack([chain.jacobian(np.concatenate([np.zeros(2), angles])) for angles in theta])
    return np.asarray(np.einsum("tiak,ia,tia->tk", J, chain.inertias, change))


def test_torques_balance_the_change_of_momentum() -> None:
    run = follow(GAIT, consistent_start(GAIT))
    momentum = generalised_momentum_change(run)
    torque = run.joint_torque.values[1:]
    # Angle k is driven by the motor behind link k and held back by the one ahead of it.
    driven = np.pad(torque, ((0, 0), (1, 0))) - np.pad(torque, ((0, 0), (0, 1)))
    size = np.abs(torque).max()
    np.testing.assert_allclose(momentum[:, 2:], driven, atol=1e-9 * size)  # round-off of velocities over dt
    np.testing.assert_allclose(momentum[:, :2], 0.0, atol=1e-9 * size / 0.1)  # nothing pushes from outside


def inverse_dynamics(run: xr.Dataset) -> np.ndarray:
    """Torques that the oracle's equations of motion need for the gait at the run's states, shape (n_times, 3)."""
    chain, torques = FreeChain(robot=ROBOT), []
    for k, t in enumerate(run.time.values):
        state = chain.state(run.link_angle.values[k], run.link_angular_velocity.values[k])
        q, q_dot = np.split(state, 2)
        bends = -(OMEGA**2) * (GAIT.references(np.array([t]), ROBOT)[0][0] - GAIT.offset)
        M, jacobian = chain.mass_matrix(q), chain.jacobian(q)
        bias = np.einsum("iak,ia,ial,l->k", jacobian, chain.inertias, chain.jacobian_rate(q, q_dot), q_dot)
        # q_ddot = (x, y, theta_0) unknown, the other angles follow theta_0 and the bends.
        shape = np.zeros((6, 3))
        shape[0, 0] = shape[1, 1] = 1.0
        shape[2:, 2] = 1.0
        given = np.concatenate([np.zeros(3), np.cumsum(bends)])
        base = np.linalg.solve(shape.T @ M @ shape, -shape.T @ (M @ given + bias))
        needed = M @ (shape @ base + given) + bias
        torques.append(-np.cumsum(needed[2:])[:-1])
    return np.array(torques)


def test_torques_converge_to_inverse_dynamics() -> None:
    misses = []
    for dt in (1e-3, 5e-4):
        run = follow(GAIT, consistent_start(GAIT), dt, 0.5)
        every = round(0.01 / dt)
        exact = inverse_dynamics(run.isel(time=slice(None, None, every)))[1:]
        misses.append(np.abs(run.joint_torque.values[every::every] - exact).max() / np.abs(exact).max())
    assert misses[0] < 0.02  # of the largest torque, at 1 ms: a step's mean against its end, and OMEGA dt = 0.6 %
    assert misses[1] / misses[0] == pytest.approx(0.5, abs=0.05)  # first order
