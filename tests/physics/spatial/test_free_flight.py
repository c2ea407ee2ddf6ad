"""Motion without contact: against a SciPy integration in minimal coordinates, and what such motion conserves.

The scheme is of the second order here. Linear momentum is kept to round-off. Angular momentum is balanced exactly in
the posture of every midpoint, and drifts in second order.
"""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from scipy.integrate import solve_ivp

from oracles.spatial.dense import DenseRobot
from oracles.spatial.engine import engine_start, midpoint, smooth_impulses, stepper_in
from oracles.spatial.free import Flight, FreeFlight
from oracles.spatial.pose import Array, Pose, exponential
from oracles.spatial.states import mixed_robot, moving_state, single_link
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.gaits import Sidewinding
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.motor import Motor
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record

ROBOT = mixed_robot(Motor(stiffness=3.0, damping=0.03))
GAIT = Sidewinding(yaw_amplitude=0.5, pitch_amplitude=0.4, angular_frequency=5.0, phase_shift=-1.2, yaw_offset=0.2)
DURATION = 0.5
VELOCITY, SPIN = np.array([0.3, -0.2, 0.5]), np.array([0.8, -0.5, 1.1])
START = SpatialStart(
    joint_angles=(0.3, -0.2, 0.5, 0.1, -0.4, 0.2), joint_rates=(0.5, -0.8, 0.3, 0.4, 0.1, -0.6), heading=0.4,
    position=(0.2, 0.1, 5.0), velocity=VELOCITY, angular_velocity=SPIN,
)  # fmt: skip


def fly(dt: float, gravity: float = 9.81, rate: float | None = None) -> xr.Dataset:
    return simulate(
        ROBOT, Environment(ground=Ground(gravity=gravity)), GAIT, start=START, duration=DURATION,
        settings=Settings(dt=dt, tolerance=1e-8), record=Record(rate=1 / dt if rate is None else rate),
    )  # fmt: skip


def state_of(run: xr.Dataset, k: int) -> tuple[Pose, Array]:
    """Pose and u of a sample."""
    now = run.isel(time=k)
    pose = Pose.of(now.link_position.values, now.link_orientation.values)
    return pose, pose.body(now.link_velocity.values, now.link_angular_velocity.values)


@pytest.fixture(scope="module")
def truth() -> Flight:
    def reference(t: float) -> tuple[np.ndarray, np.ndarray]:
        angle, rate = GAIT.references(np.array([t]), ROBOT)
        return angle[0], rate[0]

    flight = FreeFlight(robot=ROBOT, gravity=9.81, reference=reference)
    start = START.pose(ROBOT, Environment())
    pose = flight.dense.pose(start["angle"], rotation=Pose.of(np.zeros((1, 3)), start["tail"][None]).rotation[0])
    pose = pose.shifted(start["center"] - flight.dense.center_of_mass(pose))
    u = np.hstack([start["v"], start["omega"]])
    return flight.integrate(np.linspace(0.0, DURATION, 6), pose, u, rtol=1e-9)


def errors(run: xr.Dataset, truth: Flight) -> np.ndarray:
    """Largest errors of places [m], rotations [-], velocities [m/s], turning [rad/s] and joint angles [rad]."""
    at = run.sel(time=truth.time, method="nearest")
    found = []
    for k in range(len(truth.time)):
        pose, u = state_of(at, k)
        miss = (
            pose.position - truth.poses[k].position,
            pose.rotation - truth.poses[k].rotation,
            (u - truth.u[k])[:, :3],
            (u - truth.u[k])[:, 3:],
            at.joint_angle.values[k] - truth.joint_angle[k],
        )
        found.append([np.abs(part).max() for part in miss])
    return np.array(found).max(axis=0)


def test_converges_to_the_reference_in_second_order(truth: Flight) -> None:
    coarse, middle, fine = (errors(fly(dt, rate=10.0), truth) for dt in (1e-3, 5e-4, 2.5e-4))
    order = np.log2(np.array([coarse / middle, middle / fine]))
    np.testing.assert_allclose(order, 2.0, atol=0.15)  # the third order's share, w dt = 10 % at 1 ms, fades with dt
    # Errors b dt^2 + c dt^3 leave 4 fine - middle = O(dt^3); a limit elsewhere would show with its full distance.
    assert (np.abs(4 * fine - middle) < 0.3 * fine).all()  # servos swing at some 100 rad/s: w dt = 3 % at 0.25 ms
    assert coarse[0] < 1e-4 and coarse[4] < 3e-3  # m, rad: of a motion of 1.2 m and 0.5 rad


@pytest.fixture(scope="module")
def run() -> xr.Dataset:
    return fly(1e-3, gravity=0.0)


class TestMomentum:
    def test_gait_moves_the_links(self, run: xr.Dataset) -> None:
        kinetic = 0.5 * (run.link_velocity**2).sum("axis") @ xr.DataArray(ROBOT.column("mass"), dims="link")
        assert float(kinetic.max() - kinetic.min()) > 0.02  # J: the joints do work on the links

    def test_linear_momentum_is_conserved(self, run: xr.Dataset) -> None:
        momentum = np.einsum("tix,i->tx", run.link_velocity.values, ROBOT.column("mass"))
        np.testing.assert_allclose(momentum, ROBOT.mass * VELOCITY + 0 * momentum, rtol=0, atol=1e-12)  # round-off
        path = np.array([0.2, 0.1, 5.0]) + run.time.values[:, None] * VELOCITY
        np.testing.assert_allclose(run.center_of_mass, path, rtol=0, atol=1e-12)

    def test_fall_is_exact(self) -> None:
        # Velocities fall by g dt per step and carry half a step each: v0 t - g t^2/2 at the samples.
        run = fly(1e-3)
        t = run.time.values[:, None]
        path = np.array([0.2, 0.1, 5.0]) + t * VELOCITY - 9.81 / 2 * t**2 * np.array([0.0, 0.0, 1.0])
        np.testing.assert_allclose(run.center_of_mass, path, rtol=0, atol=1e-12)

    def test_angular_momentum_is_balanced_at_every_midpoint(self) -> None:
        # sum c x m (v' - v) + R (I (w' - w) + dt T) = 0, places and axes at the midpoint; T is w x I w there.
        dense, dt = DenseRobot.of(ROBOT), 1e-3
        pose, u = moving_state(dense, 4)
        stepper = stepper_in(ROBOT, Environment(ground=Ground(gravity=0.0)), [engine_start(dense, pose, u)])
        stepper.use_command(Command(joint_angle=np.full((1, 6), 0.2)), 200)
        for _ in range(200):
            before = stepper.state()
            stepper.advance(1)
            after, mid = stepper.state(), midpoint(dense, before, 0, dt)
            old, new = (np.hstack([state.v[0], state.omega[0]]) for state in (before, after))
            old = old + smooth_impulses(dense, before, 0, dt, 0.0) / np.diag(dense.mass_matrix).reshape(-1, 6)
            np.testing.assert_allclose(dense.momentum(mid, new), dense.momentum(mid, old), rtol=0, atol=1e-12)

    def test_angular_momentum_drifts_in_second_order(self) -> None:
        drifts, dense = [], DenseRobot.of(ROBOT)
        for dt in (1e-3, 5e-4, 2.5e-4):
            run = fly(dt, gravity=0.0, rate=20.0)
            found = np.array([self.turning(run, k, dense) for k in range(run.time.size)])
            drifts.append(np.abs(found - found[0]).max() / np.linalg.norm(found[0]))
        np.testing.assert_allclose(np.array(drifts[:-1]) / drifts[1:], 4.0, atol=0.4)  # half the step, a quarter
        assert drifts[0] < 1e-3  # links turn at up to 10 rad/s: (10 mrad)^2 per step of 1 ms

    def turning(self, run: xr.Dataset, k: int, dense: DenseRobot) -> Array:
        """Angular momentum about the centre of mass [kg m^2/s]."""
        pose, u = state_of(run, k)
        return dense.momentum(pose.shifted(-dense.center_of_mass(pose)), u)[3:]


class TestRigidBody:
    """One link that tumbles freely: Euler's equations."""

    robot = single_link((1e-3, 2e-3, 2.6e-3))
    omega = np.array([3.0, 2.0, -4.0])  # rad/s, link axes

    def tumble(self, dt: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Energy [J], angular momentum in world axes [kg m^2/s] and w in link axes [rad/s] over one second."""
        dense, every = DenseRobot.of(self.robot), round(0.01 / dt)
        pose = Pose(np.array([[0.0, 0.0, 2.0]]), np.array([exponential([0.3, -0.5, 0.2])]))
        u = np.array([[0.1, 0.2, 0.3, *self.omega]])
        stepper = stepper_in(
            self.robot,
            Environment(ground=Ground(gravity=0.0)),
            [engine_start(dense, pose, u)],
            Settings(dt=dt, tolerance=1e-8),
        )
        energy, turning, omega = [], [], []
        for _ in range(101):
            state = stepper.state()
            R = Pose.of(state.center, state.tail).rotation[0]
            w = state.omega[0, 0]
            energy.append(0.5 * w @ (dense.inertia[0] * w))
            turning.append(R @ (dense.inertia[0] * w))
            omega.append(w)
            stepper.advance(every)
        return np.array(energy), np.array(turning), np.array(omega)

    def test_energy_and_angular_momentum_drift_in_second_order(self) -> None:
        drifts = []
        for dt in (2e-3, 1e-3, 5e-4):
            energy, turning, _ = self.tumble(dt)
            miss = np.abs(turning - turning[0]).max() / np.linalg.norm(turning[0])
            drifts.append([np.abs(energy / energy[0] - 1.0).max(), miss])
        np.testing.assert_allclose(np.array(drifts[:-1]) / drifts[1:], 4.0, atol=0.2)  # w dt = 1 % at 2 ms
        assert drifts[1][0] < 1e-5 and drifts[1][1] < 1e-5  # at 1 ms, of energy and momentum

    def test_converges_to_eulers_equations_in_second_order(self) -> None:
        inertia = np.array(self.robot.column("inertia")[0])
        exact = solve_ivp(
            lambda _, w: -np.cross(w, inertia * w) / inertia, (0.0, 1.0), self.omega, method="DOP853", rtol=1e-12
        ).y[:, -1]
        misses = [np.abs(self.tumble(dt)[2][-1] - exact).max() for dt in (2e-3, 1e-3, 5e-4)]
        np.testing.assert_allclose(np.array(misses[:-1]) / misses[1:], 4.0, atol=0.2)
        assert misses[1] < 1e-4  # rad/s of 5

    @pytest.mark.parametrize("axis", range(3))
    def test_spin_about_a_principal_axis_is_exact(self, axis: int) -> None:
        dense, w = DenseRobot.of(self.robot), 5.0 * np.eye(3)[axis]
        R = exponential([0.3, -0.5, 0.2])
        start = engine_start(dense, Pose(np.array([[0.0, 0.0, 2.0]]), R[None]), np.array([[0.0, 0.0, 0.0, *w]]))
        stepper = stepper_in(self.robot, Environment(ground=Ground(gravity=0.0)), [start])
        stepper.advance(1000)
        state = stepper.state()
        np.testing.assert_allclose(state.omega[0, 0], w, rtol=0, atol=1e-12)  # round-off of 1000 steps
        np.testing.assert_allclose(Pose.of(state.center, state.tail).rotation[0], R @ exponential(w), atol=1e-12)
