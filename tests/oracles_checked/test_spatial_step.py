"""The dense time step itself: balances, inclusions, convergence to free flight, closed forms of single links."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from oracles import cones
from oracles.spatial import closed as closed
from oracles.spatial.contacts import ContactLaws, Residuals, nearest_normals, residuals_of
from oracles.spatial.dense import DenseRobot
from oracles.spatial.free import FreeFlight
from oracles.spatial.pose import Pose, exponential
from oracles.spatial.states import mixed_robot, moving_state, pressed_state, single_link
from oracles.spatial.step import StepResult, Way, ground_normal, servo_share, step, velocity_spread
from pushpoint.model.catalogue import aiko
from pushpoint.model.environment import Ground
from pushpoint.model.friction import Elliptic, FrictionLaw, Frictionless, Isotropic, Rectangular, Skin
from pushpoint.model.joints import Cardan
from pushpoint.model.motor import Motor
from pushpoint.model.spatial_robot import SpatialRobot

Array = NDArray[np.float64]
G = 9.81
LAWS: list[FrictionLaw] = [Isotropic(0.3), Elliptic(along=0.1, across=0.5), Skin(forward=0.1, backward=0.4, across=0.6)]


def run_link(pose: Pose, u: Array, dt: float, duration: float, ground: Ground) -> StepResult:
    """A single link after a time [s]."""
    dense = DenseRobot.of(single_link())
    for _ in range(round(duration / dt)):
        result = step(dense, pose, u, dt, ground=ground)
        pose, u = result.pose, result.u
    return result


def short_aiko(axis_distance: float = 0.0) -> SpatialRobot:
    """The first six links of Aiko."""
    whole = aiko(axis_distance)
    return SpatialRobot(links=whole.links[:6], joints=whole.joints[:5])  # type: ignore[index]


def lying_link(ground: Ground = Ground(), heading: float = 0.0) -> Pose:
    """Aiko's link, touching the plane with both spheres."""
    n = ground_normal(ground)
    downhill = np.arctan2(-n[0], n[2])  # about y, for slopes that rise along x
    R = exponential([0.0, -downhill, 0.0]) @ exponential([0.0, 0.0, heading])
    return Pose(np.array([0.0525 * n]), np.array([R]))


class TestWithoutContact:
    def test_steps_converge_to_free_flight(self) -> None:
        reference = (np.array([0.2, -0.1, 0.3, 0.0, -0.2, 0.1]), np.zeros(6))
        flight = FreeFlight(robot=mixed_robot(), gravity=G, reference=lambda t: reference)
        start = moving_state(flight.dense)
        high = Ground(gravity=G)
        truth = flight.integrate([0.0, 0.032], start[0].shifted([0, 0, 5.0]), start[1])
        ends = []
        for count in (32, 64, 128):
            pose, u, last = start[0].shifted([0, 0, 5.0]), start[1], start[1]
            for _ in range(count):
                rates = flight.dense.joint_rates(pose, u)
                way = Way(rates, u[0, 3:], rates, last)
                result = step(flight.dense, pose, u, 0.032 / count, ground=high, references=reference, way=way)
                pose, u, last = flight.dense.assembled(result.pose), result.u, u
            ends.append(np.hstack([u, pose.position]))
        true = np.hstack([truth.u[-1], truth.position[-1]])
        errors = [np.abs(end - true).max() for end in ends]
        assert errors[0] / errors[1] > 3.6 and errors[1] / errors[2] > 3.6  # second order
        assert np.abs((4 * ends[2] - ends[1]) / 3 - true).max() < 0.1 * errors[2]  # extrapolated: the third is left

    def test_one_step_keeps_joints_and_momentum(self) -> None:
        dense = DenseRobot.of(mixed_robot())
        pose, u = moving_state(dense)
        way, rates = None, dense.joint_rates(pose, u)
        for _ in range(5):  # drift made of the velocities that it leads to
            result = step(dense, pose, u, 2e-3, ground=None, references=(np.zeros(6), np.ones(6)), way=way)
            way = Way(rates, result.u[0, 3:], result.joint_rate)
        mid = result.pose_mid
        assert result.residuals.joints < 1e-13  # u fits the joints of the midpoint but for the drift
        early, late = (np.abs(dense.joint_jacobian(p).T @ result.u.ravel()).max() for p in (mid, result.pose))
        assert late < 0.05 * early  # and those of the end, with an error of second order
        assert result.residuals.balance < 1e-14 and result.active == ()
        before, after = dense.momentum(pose, u), dense.momentum(mid, result.u)
        np.testing.assert_allclose(after[:3], before[:3], atol=1e-14)  # servos and joints are internal

    def test_servo_impulse_is_a_mean_of_start_and_end(self) -> None:
        dense, dt = DenseRobot.of(mixed_robot(Motor(stiffness=800.0, damping=2.0))), 2e-3
        pose, u = moving_state(dense)
        target, rate = dense.joint_angles(pose) + 1e-3, np.full(6, 0.5)
        result = step(dense, pose, u, dt, references=(target, rate))
        rate_A, rate_E, angle_M = dense.joint_rates(pose, u), result.joint_rate, dense.joint_angles(result.pose_mid)
        angle_A, angle_E = angle_M - dt / 2 * rate_A, angle_M + dt / 2 * rate_E
        early, late = (
            dt * (800.0 * (target - angle) + 2.0 * (rate - now))
            for angle, now in ((angle_A, rate_A), (angle_E, rate_E))
        )
        share = servo_share(dense.robot, dt)
        assert (share > 0.5).all() and (share < 1.0).all()
        np.testing.assert_allclose(result.P_S, share * late + (1 - share) * early, rtol=1e-9)
        np.testing.assert_allclose(dense.joint_angles(result.pose), angle_E, atol=(2.0 * dt) ** 2)  # rates below 2

    def test_stiff_servos_take_energy_at_long_steps(self) -> None:
        flight = FreeFlight(robot=short_aiko(), reference=lambda t: (np.zeros(10), np.zeros(10)))
        pose, u = flight.dense.pose(np.full(10, 0.01)), np.zeros((6, 6))
        energy = [flight.energy(0.0, pose, u)]
        for _ in range(50):
            result = step(flight.dense, pose, u, 4e-3, references=(np.zeros(10), np.zeros(10)))
            pose, u = flight.dense.assembled(result.pose), result.u
            energy.append(flight.energy(0.0, pose, u))
        assert np.diff(energy).max() < 0.0


class TestContacts:
    @pytest.mark.parametrize("law", LAWS, ids=str)
    def test_random_states_meet_all_inclusions(self, law: FrictionLaw) -> None:
        dense = DenseRobot.of(mixed_robot())
        for seed in range(8):
            ground = Ground(friction=law, rolling=0.05 * (seed % 2), spin=0.003 * (seed % 3))
            pose, u = pressed_state(dense, seed)
            result = step(dense, pose, u, 1e-3, ground=ground, references=(0.9 * dense.joint_angles(pose), np.zeros(6)))
            assert result.active and result.P_N.max() > 0.0
            assert result.residuals.relative < 1e-12  # what the solver is asked for

    @pytest.mark.parametrize("law", [Frictionless(), Isotropic(0.05), Elliptic(along=0.02, across=0.1)], ids=str)
    def test_independent_contacts_with_little_friction_have_one_solution(self, law: FrictionLaw) -> None:
        dense = DenseRobot.of(short_aiko(axis_distance=0.022))
        ground = Ground(friction=law, rolling=0.01, spin=0.0005, restitution=0.3)
        touching = []
        for seed in range(6):
            pose, u = pressed_state(dense, seed, depth=0.02)
            result = step(dense, pose, u, 1e-3, ground=ground)
            touching.append(len(result.active))
            assert result.normal_rank == len(result.active) and result.residuals.relative < 1e-12
            assert velocity_spread(dense, pose, u, 1e-3, ground=ground, tries=1) < 1e-10  # residual over Delassus
        assert max(touching) >= 4

    def test_much_friction_can_have_two_solutions(self) -> None:
        # Also with independent normal rows: full rank does not make u_E unique, velocity_spread has to be asked.
        dense = DenseRobot.of(short_aiko(axis_distance=0.022))
        law = Elliptic(along=0.1, across=0.5)
        ground = Ground(friction=law, rolling=0.05, spin=0.002)
        pose, u = pressed_state(dense, 0, depth=0.02)
        results = []
        for seed in range(8):
            guess = np.abs(np.random.default_rng(seed).normal(scale=0.2, size=(7, 6)))
            result = step(dense, pose, u, 1e-3, ground=ground, start=guess)
            assert result.normal_rank == 7 and result.residuals.relative < 1e-12
            assert cones.cone_residual(law, result.P_T, result.gamma[:, 1:3], result.P_N).max() < 1e-12
            assert cones.unilateral_residual(result.P_N, result.gamma[:, 0]).max() < 1e-12
            results.append(result.u)
        assert np.ptp(results, axis=0).max() > 0.01

    def test_many_contacts_of_cardans_without_distance_have_not(self) -> None:
        dense = DenseRobot.of(aiko())
        pose = dense.put_down(dense.pose())
        u = dense.velocities(pose, [0.1, 0.0, 0.0], np.zeros(3), np.arange(20) % 2)
        ground = Ground(friction=Isotropic(0.2))
        result = step(dense, pose, u, 1e-3, ground=ground, references=(np.zeros(20), np.zeros(20)))
        assert (len(result.active), result.normal_rank) == (22, 12)  # paper-notes: rank 12 of 22
        assert (
            velocity_spread(dense, pose, u, 1e-3, ground=ground, references=(np.zeros(20), np.zeros(20)), tries=1)
            > 1e-4
        )

    def test_ground_is_felt_from_a_micrometre_on(self) -> None:
        for gap, active in ((0.9e-6, (0, 1)), (1.1e-6, ())):
            assert step(single_link(), lying_link().shifted([0, 0, gap]), np.zeros(6), 0.0).active == ()
            result = step(single_link(), lying_link().shifted([0, 0, gap]), np.zeros(6), 1e-3, ground=Ground())
            assert result.active == active

    def test_weight_at_rest_and_equal_shares(self) -> None:
        dense, dt = DenseRobot.of(aiko()), 1e-3
        pose = dense.put_down(dense.pose())
        still = (np.zeros(20), np.zeros(20))
        for ground in (Ground(friction=Isotropic(0.2), rolling=0.1), Ground()):
            result = step(dense, pose, np.zeros((11, 6)), dt, ground=ground, references=still)
            np.testing.assert_allclose(result.u, 0.0, atol=1e-14)
            assert result.P_N.sum() == pytest.approx(7.5 * G * dt, rel=1e-12)
        share = np.full(22, 7.5 * G * dt / 22)
        nearest = nearest_normals(result.P_N, result.delassus[::6, ::6], share)
        np.testing.assert_allclose(nearest, share, rtol=1e-9)  # every link lies on its own two spheres

    def test_nearest_normals_against_an_optimiser(self) -> None:
        rng = np.random.default_rng(2)
        for _ in range(5):
            B = rng.normal(size=(3, 6))
            P, target = np.maximum(rng.normal(size=6), 0.0), rng.normal(size=6)
            found = nearest_normals(P, B.T @ B, target)
            assert found.min() > -1e-12 and np.abs(B @ (found - P)).max() < 1e-12
            other = minimize(
                lambda q, target=target: np.sum((q - target) ** 2),
                P,
                bounds=[(0, None)] * 6,
                constraints={"type": "eq", "fun": lambda q, B=B, P=P: B @ (q - P)},
                method="SLSQP",
                options={"ftol": 1e-14, "maxiter": 500},
            )
            np.testing.assert_allclose(found, other.x, atol=1e-6)  # SLSQP's own accuracy

    def test_residuals_see_every_kind_of_error(self) -> None:
        laws = ContactLaws(
            sets=np.array([[0.1, 0.1, 0.5]]),
            rolling=0.2,
            spin=0.3,
            bounce=np.zeros(1),
            impulse_scale=1.0,
            velocity_scale=1.0,
        )
        S, slip, roll = np.array([0.1, 0.5]), np.array([0.3, 0.4]), np.array([0.6, -0.8])
        P = np.array([[2.0, *(-2 * S**2 * slip / np.hypot(*(S * slip))), *(-0.4 * roll), -0.6]])
        gamma = np.array([[0.0, *slip, *roll, 5.0]])

        def violation(column: int, by: float, moving: bool = False) -> Residuals:
            change = np.zeros((1, 6))
            change[0, column] = by
            return residuals_of(P + change * (not moving), gamma + change * moving, laws)

        assert residuals_of(P, gamma, laws).relative < 1e-15
        assert violation(0, 0.01, moving=True).work == pytest.approx(0.02)
        assert violation(0, -0.01, moving=True).approach == pytest.approx(0.01)
        assert violation(0, -2.5).pull == pytest.approx(0.5)
        for column in range(1, 6):
            for by in (-1e-3, 1e-3):
                assert violation(column, by).slip > 0.9e-3
                assert violation(column, by).relative > 0.9e-3
        assert violation(5, -1e-3).outside == pytest.approx(1e-3)
        assert violation(5, 1e-3).shortfall == pytest.approx(5e-3)
        stuck = residuals_of(P * [[1, 0.5, 0.5, 0.5, 0.5, 0.5]], np.zeros((1, 6)), laws)
        assert stuck.relative == 0.0

    def test_states_beyond_the_linear_servo_are_refused(self) -> None:
        motor = Motor(stiffness=100.0, torque_limit=1.0, lower=-0.5, upper=0.5)
        robot = SpatialRobot.uniform(2, single_link().links[0], Cardan(yaw=motor, pitch=motor))
        dense = DenseRobot.of(robot)
        u = np.zeros((2, 6))
        step(dense, dense.pose([0.1, 0.1]), u, 1e-3, references=([0.1, 0.1], [0.0, 0.0]))
        with pytest.raises(NotImplementedError, match="torque limit"):
            step(dense, dense.pose([0.1, 0.1]), u, 1e-3, references=([0.2, 0.1], [0.0, 0.0]))
        with pytest.raises(NotImplementedError, match="end stop"):
            step(dense, dense.pose([0.6, 0.1]), u, 1e-3)
        with pytest.raises(NotImplementedError, match="ellipse"):
            step(single_link(), lying_link(), u[:1], 1e-3, ground=Ground(friction=Rectangular(along=0.1, across=0.2)))


class TestSingleLink:
    link = single_link().links[0]

    def test_sliding_stop(self) -> None:
        ground, dt = Ground(friction=Elliptic(along=0.2, across=0.6)), 1e-3
        distance, time = closed.sliding_stop(0.5, 0.2, G)
        after = step(single_link(), lying_link(), [[0.5, 0, 0, 0, 0, 0]], dt, ground=ground)
        np.testing.assert_allclose(after.u, [[0.5 - 0.2 * G * dt, 0, 0, 0, 0, 0]], atol=1e-14)
        assert after.P_N[1] > after.P_N[0]  # friction under the link presses its front end down
        end = run_link(lying_link(), np.array([[0.5, 0, 0, 0, 0, 0]]), dt, time + 2 * dt, ground)
        np.testing.assert_allclose(end.u, 0.0, atol=1e-13)
        assert end.pose.position[0, 0] == pytest.approx(distance, abs=0.2 * G * dt**2)  # exact but in the last step

    def test_elliptic_slip_is_normal_to_the_ellipse(self) -> None:
        along, across = 0.1, 0.5
        ground = Ground(friction=Elliptic(along=along, across=across))
        result = step(single_link(), lying_link(heading=0.7), [[0.3, 0.1, 0, 0, 0, 0]], 1e-3, ground=ground)
        S = np.array([along, across])
        for P_N, P_T, gamma in zip(result.P_N, result.P_T, result.gamma[:, 1:3], strict=True):
            np.testing.assert_allclose(P_T, -P_N * S**2 * gamma / np.hypot(*(S * gamma)), atol=1e-15)

    @pytest.mark.parametrize(("speed", "coefficient"), [(0.3, 0.1), (-0.3, 0.4)])
    def test_skin_slides_easier_forward(self, speed: float, coefficient: float) -> None:
        ground = Ground(friction=Skin(forward=0.1, backward=0.4, across=0.6))
        result = step(single_link(), lying_link(), [[speed, 0, 0, 0, 0, 0]], 1e-3, ground=ground)
        assert abs(result.u[0, 0]) == pytest.approx(0.3 - coefficient * G * 1e-3, abs=1e-14)

    def test_slide_to_roll_and_rolling_friction(self) -> None:
        dt = 1e-3
        round_ = closed.roundness(self.link.inertia[0], self.link.mass, self.link.radius)
        start = np.array([[0.0, 0.4, 0, 0, 0, 0]])
        time = closed.slide_to_roll_time(0.4, round_, 0.2, G)
        rolling = run_link(lying_link(), start, dt, time + 2 * dt, Ground(friction=Isotropic(0.2)))
        assert rolling.u[0, 1] == pytest.approx(closed.slide_to_roll(0.4, round_), rel=1e-9)
        assert rolling.u[0, 3] == pytest.approx(-rolling.u[0, 1] / self.link.radius, rel=1e-9)
        before = run_link(lying_link(), start, dt, time - 2 * dt, Ground(friction=Isotropic(0.2)))
        assert abs(before.u[0, 1] + before.u[0, 3] * self.link.radius) > 1e-3  # still slips

        slow = step(single_link(), rolling.pose, rolling.u, dt, ground=Ground(friction=Isotropic(0.2), rolling=0.03))
        loss = closed.rolling_deceleration(0.03, round_, G) * dt
        assert slow.u[0, 1] == pytest.approx(rolling.u[0, 1] - loss, abs=1e-12)
        np.testing.assert_allclose(np.hypot(*slow.P_V.T), 0.03 * slow.P_N, rtol=1e-9)

    def test_incline(self) -> None:
        dt, mu = 1e-3, 0.3
        for slope in (0.25, math.atan(mu) - 1e-3, math.atan(mu) + 1e-3, 0.5):
            ground = Ground(friction=Isotropic(mu), slope=slope)
            n = ground_normal(ground)
            pose = lying_link(ground)
            np.testing.assert_allclose(DenseRobot.of(single_link()).contact_gaps(pose, n), 0.0, atol=1e-15)
            result = run_link(pose, np.zeros((1, 6)), dt, 5 * dt, ground)
            downhill = np.array([-math.cos(slope), 0.0, -math.sin(slope)])
            speed = closed.incline_acceleration(slope, mu, G) * 5 * dt
            np.testing.assert_allclose(result.u[0, :3], speed * downhill, atol=1e-13)
            assert result.P_N.sum() == pytest.approx(self.link.mass * G * math.cos(slope) * dt, rel=1e-12)

    def test_cross_slope_rolls_down(self) -> None:
        ground = Ground(friction=Isotropic(0.8), slope=0.3, rolling=0.1)
        pose = Pose(np.array([0.0525 * ground_normal(ground)]), lying_link(ground, heading=math.pi / 2).rotation)
        result = run_link(pose, np.zeros((1, 6)), 1e-3, 5e-3, ground)
        round_ = closed.roundness(self.link.inertia[0], self.link.mass, self.link.radius)
        speed = closed.incline_rolling_acceleration(0.3, round_, G, rolling=0.1) * 5e-3
        assert np.linalg.norm(result.u[0, :3]) == pytest.approx(speed, rel=1e-9) and result.u[0, 0] < 0.0
        held = run_link(pose, np.zeros((1, 6)), 1e-3, 5e-3, replace(ground, rolling=0.32))  # atan 0.32 > 0.3
        np.testing.assert_allclose(held.u, 0.0, atol=1e-13)

    def test_drop_with_restitution(self) -> None:
        dt, height, e = 2e-4, 0.05, 0.6
        touch, rebound, rise = closed.drop(height, e, G)
        ground = Ground(restitution=e)
        start = lying_link().shifted([0, 0, height])
        after = run_link(start, np.zeros((1, 6)), dt, touch + 2 * dt, ground)
        assert after.u[0, 2] == pytest.approx(rebound, abs=4 * G * dt)  # the impact falls within a step or two
        top = run_link(start, np.zeros((1, 6)), dt, touch + rebound / G, ground)
        assert top.pose.position[0, 2] - 0.0525 == pytest.approx(rise, abs=4 * G * dt * touch)
        dead = run_link(start, np.zeros((1, 6)), dt, touch + 2 * dt, Ground())
        np.testing.assert_allclose(dead.u, 0.0, atol=1e-14)
        total = closed.drop_rest_time(height, e, G)  # the sum of the geometric series of bounces
        bounces = touch + sum(2 * touch * e**k for k in range(1, 60))
        assert total == pytest.approx(bounces, rel=1e-9)
