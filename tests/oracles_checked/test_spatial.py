"""The dense spatial chain itself: finite differences, conservation laws, second formulations, closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from oracles.free_chain import FreeChain
from oracles.spatial.dense import DenseRobot
from oracles.spatial.free import FreeFlight
from oracles.spatial.pose import Pose, exponential
from oracles.spatial.states import mixed_robot, moving_state
from oracles.spatial.step import ground_normal
from pushpoint.model.catalogue import aiko
from pushpoint.model.environment import Ground
from pushpoint.model.joints import Cardan, Yaw
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot

Array = NDArray[np.float64]
G = 9.81


def rate_of(function, pose: Pose, u: Array, h: float = 1e-5) -> Array:  # type: ignore[no-untyped-def]
    """d(function)/dt while the links move with u, by central differences of order h^2."""
    return np.asarray((function(pose.advanced(u, h)) - function(pose.advanced(u, -h))) / (2 * h))


MIXED = DenseRobot.of(mixed_robot())


class TestPose:
    def test_exponential_map(self) -> None:
        for phi in np.random.default_rng(0).normal(size=(20, 3)) * np.logspace(-9, 0.5, 20)[:, None]:
            np.testing.assert_allclose(exponential(phi), Rotation.from_rotvec(phi).as_matrix(), atol=1e-15)
        np.testing.assert_array_equal(exponential(np.zeros(3)), np.eye(3))

    def test_quaternion_turns_the_link_frame_into_the_world(self) -> None:
        pose = Pose.of([[0.0, 0.0, 0.0]], [[math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)]])
        np.testing.assert_allclose(pose.rotation[0] @ [1, 0, 0], [0, 1, 0], atol=1e-15)
        pose, u = moving_state(MIXED)
        np.testing.assert_allclose(Pose.of(pose.position, pose.quaternion).rotation, pose.rotation, atol=1e-15)
        world = pose.world(u)
        np.testing.assert_allclose(pose.body(world[:, :3], world[:, 3:]), u, atol=1e-15)


class TestKinematics:
    def test_yaw_turns_left_and_pitch_turns_down(self) -> None:
        link = SpatialLink(length=0.2, mass=1.0, inertia=(1e-3,) * 3, radius=0.05)
        dense = DenseRobot.of(SpatialRobot.uniform(2, link, Cardan(axis_distance=0.03)))
        left = dense.pose([0.0, math.pi / 2]).position
        np.testing.assert_allclose(
            left, [[0.0, 0.0, 0.0], [0.13, 0.1, 0.0]], atol=1e-15
        )  # 0.1 + 0.03 ahead, then 0.1 left
        down = dense.pose([math.pi / 2, 0.0]).position
        np.testing.assert_allclose(down, [[0.0, 0.0, 0.0], [0.1, 0.0, -0.13]], atol=1e-15)
        both = dense.pose([math.pi / 2, math.pi / 2]).position
        np.testing.assert_allclose(both, [[0.0, 0.0, 0.0], [0.1, 0.1, -0.03]], atol=1e-15)

    def test_mass_offset_moves_the_centre_of_mass_only(self) -> None:
        pose = MIXED.pose(position=(0.0, 0.0, 0.0))
        middles = pose.position[:, 0] - MIXED.robot.column("mass_offset")
        np.testing.assert_allclose(middles, [0.0, 0.132, 0.257, 0.392, 0.492], atol=1e-15)  # half lengths and 0.022
        centers = MIXED.sphere_positions(pose)[[0, 1, 2, 3], 0]
        np.testing.assert_allclose(centers, [-0.04, 0.04, 0.132 - 0.05, 0.132 + 0.05], atol=1e-15)

    def test_joint_angles_of_a_pose(self) -> None:
        rng = np.random.default_rng(3)
        angles = rng.uniform(-3.0, 3.0, MIXED.robot.n_joints)
        pose = MIXED.pose(angles, rotation=exponential(rng.normal(size=3)))
        np.testing.assert_allclose(MIXED.joint_angles(pose), angles, atol=1e-14)
        np.testing.assert_allclose(MIXED.joint_gaps(pose), 0.0, atol=1e-15)
        u = rng.normal(size=(5, 6))
        drifted = pose.advanced(u, 1e-3)
        mended = MIXED.assembled(drifted)
        assert np.abs(MIXED.joint_gaps(drifted)).max() > 1e-4
        np.testing.assert_allclose(MIXED.joint_gaps(mended), 0.0, atol=1e-15)
        np.testing.assert_allclose(MIXED.center_of_mass(mended), MIXED.center_of_mass(drifted), atol=1e-15)

    def test_equations_65_and_66_of_the_paper(self) -> None:
        # Its frames: e_z backward along the link, e_x to the right, e_y up; its link i is ahead of its link i + 1.
        B = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
        dense = DenseRobot.of(SpatialRobot.uniform(2, aiko().links[0], Cardan()))
        pose = dense.pose([0.3, -0.7])
        R = (pose.rotation[1] @ B).T @ pose.rotation[0] @ B
        pitch, yaw = math.atan(R[2, 1] / R[2, 2]), math.asin(R[2, 0])  # alpha_v, -alpha_h
        np.testing.assert_allclose([pitch, yaw], [0.3, -0.7], atol=1e-15)

    def test_velocities_are_rates_of_the_forward_kinematics(self) -> None:
        rng = np.random.default_rng(4)
        angles, rates, R = rng.uniform(-1, 1, 6), rng.normal(size=6), exponential(rng.normal(size=3))
        v, w, h = rng.normal(size=3), rng.normal(size=3), 1e-5
        u = MIXED.velocities(MIXED.pose(angles, rotation=R), v, w, rates)
        after, before = (MIXED.pose(angles + t * rates, t * v, R @ exponential(t * w)) for t in (h, -h))
        np.testing.assert_allclose(u[:, :3], (after.position - before.position) / (2 * h), atol=1e-7)  # order h^2
        for i in range(5):
            turned = Rotation.from_matrix(before.rotation[i].T @ after.rotation[i]).as_rotvec() / (2 * h)
            np.testing.assert_allclose(u[i, 3:], turned, atol=1e-7)


class TestJacobians:
    def test_joint_rows_are_rates_of_the_gaps_also_off_the_joints(self) -> None:
        rng = np.random.default_rng(5)
        for seed in range(3):
            pose, _ = moving_state(MIXED, seed)
            for drift in (0.0, 0.05):
                place = pose.advanced(rng.normal(size=(5, 6)), drift)
                u = rng.normal(size=(5, 6))
                numeric = rate_of(MIXED.joint_gaps, place, u)
                np.testing.assert_allclose(MIXED.joint_jacobian(place).T @ u.ravel(), numeric, atol=1e-7)  # order h^2

    def test_joint_rows_leave_exactly_the_free_axes(self) -> None:
        pose, _ = moving_state(MIXED)
        W_J, J = MIXED.joint_jacobian(pose), MIXED.chain_jacobian(pose)
        assert W_J.shape == (30, 4 + 5 + 5 + 4)
        assert np.linalg.matrix_rank(W_J) + np.linalg.matrix_rank(J) == 30
        np.testing.assert_allclose(W_J.T @ J, 0.0, atol=1e-14)
        np.testing.assert_allclose(MIXED.axis_jacobian(pose).T @ J, np.eye(12)[6:], atol=1e-14)

    @pytest.mark.parametrize("ground", [Ground(), Ground(slope=0.3, slope_direction=0.8)])
    def test_contact_rows(self, ground: Ground) -> None:
        n = ground_normal(ground)
        rng = np.random.default_rng(6)
        pose, u = moving_state(MIXED)[0], rng.normal(size=(5, 6))
        every = range(len(MIXED.spheres))
        gamma = (MIXED.contact_jacobian(pose, every, n).T @ u.ravel()).reshape(-1, 6)
        np.testing.assert_allclose(gamma[:, 0], rate_of(lambda p: MIXED.contact_gaps(p, n), pose, u), atol=1e-7)
        world = pose.world(u)
        for k, sphere in enumerate(MIXED.spheres):
            i, R = sphere.link, pose.rotation[sphere.link]
            fixed = sphere.center - sphere.radius * R.T @ n  # the body-fixed point that touches

            def point(p: Pose, fixed: Array = fixed, i: int = i) -> Array:
                return np.asarray(p.position[i] + p.rotation[i] @ fixed)

            along = R[:, 0] - n * (n @ R[:, 0])
            basis = np.array([along / np.linalg.norm(along), np.cross(n, along / np.linalg.norm(along))])
            np.testing.assert_allclose(gamma[k, 1:3], basis @ rate_of(point, pose, u), atol=1e-7)
            np.testing.assert_allclose(gamma[k, 3:5], basis @ np.cross(sphere.radius * n, world[i, 3:]), atol=1e-14)
            assert gamma[k, 5] == pytest.approx(n @ world[i, 3:], abs=1e-14)

    def test_slope_rises_where_it_says(self) -> None:
        n = ground_normal(Ground(slope=0.3, slope_direction=math.pi / 2))
        np.testing.assert_allclose(n, [0.0, -math.sin(0.3), math.cos(0.3)], atol=1e-15)


class TestFreeFlight:
    def test_single_body_against_euler_equations(self) -> None:
        link = SpatialLink(length=0.2, mass=0.5, inertia=(3e-4, 9e-4, 7e-4), radius=0.05)
        robot = SpatialRobot(links=(link,), joints=())
        flight = FreeFlight(robot=robot, gravity=G)
        pose, u = flight.dense.pose(rotation=exponential([0.3, 0.2, 0.1])), np.array([[1.0, 0.5, 2.0, 8.0, 0.3, 2.0]])
        run = flight.integrate([0.0, 0.4, 1.0], pose, u)
        A, B, C = link.inertia

        def euler(t: float, y: Array) -> Array:
            p, q, r = y[:3]
            spin = np.array([[0, -r, q], [r, 0, -p], [-q, p, 0]])
            rates = [(B - C) / A * q * r, (C - A) / B * r * p, (A - B) / C * p * q]
            return np.concatenate([rates, (y[3:].reshape(3, 3) @ spin).ravel()])

        start = np.concatenate([u[0, 3:], pose.rotation[0].ravel()])
        other = solve_ivp(euler, (0.0, 1.0), start, method="LSODA", t_eval=[0.0, 0.4, 1.0], rtol=1e-12, atol=1e-13).y.T
        np.testing.assert_allclose(run.u[:, 0, 3:], other[:, :3], atol=1e-9)  # both integrate to 1e-11 or so
        np.testing.assert_allclose([p.rotation[0].ravel() for p in run.poses], other[:, 3:], atol=1e-9)
        fall = np.array([[t, 0.5 * t, 2.0 * t - G * t * t / 2] for t in run.time])
        np.testing.assert_allclose(run.position[:, 0], fall, atol=1e-9)

    def test_chain_keeps_energy_and_momentum(self) -> None:
        def reference(t: float) -> tuple[list[float], list[float]]:
            return [0.2, -0.1, 0.3, 0.0, -0.2, 0.1], [0.0] * 6

        flight = FreeFlight(robot=mixed_robot(Motor(stiffness=3.0)), gravity=G, reference=reference)
        pose, u = moving_state(flight.dense)
        run = flight.integrate(np.linspace(0.0, 0.3, 4), pose, u)
        energy = [flight.energy(t, p, v) for t, p, v in zip(run.time, run.poses, run.u, strict=True)]
        np.testing.assert_allclose(energy, energy[0], rtol=1e-9)  # integration error at rtol 1e-11
        spin = []
        for t, p, v in zip(run.time, run.poses, run.u, strict=True):
            linear, center = flight.dense.momentum(p, v)[:3], flight.dense.center_of_mass(p)
            start = flight.dense.momentum(pose, u)[:3]
            np.testing.assert_allclose(linear - start, [0, 0, -flight.robot.mass * G * t], atol=1e-9)
            spin.append(flight.dense.momentum(p, v)[3:] - np.cross(center, linear))
            np.testing.assert_allclose(flight.dense.joint_gaps(p), 0.0, atol=1e-13)
        np.testing.assert_allclose(spin, [spin[0]] * 4, atol=1e-10)
        assert np.abs(run.joint_angle[-1] - run.joint_angle[0]).max() > 0.3

    def test_acceleration_agrees_with_lagrange_multipliers_in_maximal_coordinates(self) -> None:
        flight = FreeFlight(robot=mixed_robot(), gravity=G, reference=lambda t: ([0.1] * 6, [0.5] * 6))
        dense = flight.dense
        pose, u = moving_state(dense, 7)
        nu = np.concatenate([u[0], dense.joint_rates(pose, u)])
        torque = flight.torques(0.0, dense.joint_angles(pose), nu[6:])
        W_J = dense.joint_jacobian(pose)
        turning = rate_of(dense.joint_jacobian, pose, u)
        system = np.block([[dense.mass_matrix, -W_J], [W_J.T, np.zeros((18, 18))]])
        force = dense.smooth_forces(u, G).ravel() + dense.axis_jacobian(pose) @ torque
        maximal = np.linalg.solve(system, np.concatenate([force, -turning.T @ u.ravel()]))[:30]
        minimal = dense.chain_jacobian(pose) @ flight.acceleration(0.0, pose, nu) + flight.bias(pose, nu).ravel()
        np.testing.assert_allclose(minimal, maximal, atol=1e-6 * np.abs(maximal).max())  # W_J's rate: order h^2

    def test_yaw_chain_moves_as_the_planar_one(self) -> None:
        motor = Motor(stiffness=2.0, damping=0.01)
        sizes = [(0.12, 0.7, 1e-3, 0.01), (0.10, 0.5, 6e-4, -0.02), (0.15, 0.9, 9e-4, 0.0)]
        flat = PlanarRobot(
            links=tuple(PlanarLink(length=l, mass=m, inertia=i, radius=0.05, mass_offset=o) for l, m, i, o in sizes),
            motors=motor,
        )
        chain = FreeChain(robot=flat, reference=lambda t: ([0.3 * math.sin(5 * t)] * 2, [1.5 * math.cos(5 * t)] * 2))
        spatial = SpatialRobot(
            links=tuple(
                SpatialLink(length=l, mass=m, inertia=(i, i, i), radius=0.05, mass_offset=o) for l, m, i, o in sizes
            ),
            joints=Yaw(motor),
        )
        flight = FreeFlight(robot=spatial, reference=chain.reference)
        pose = flight.dense.pose([0.4, -0.6], rotation=exponential([0.0, 0.0, 0.2]))
        u = flight.dense.velocities(pose, [0.3, -0.2, 0.0], [0.0, 0.0, 1.0], [2.0, -3.0])
        center, moving = flight.dense.center_of_mass(pose)[:2], flight.dense.momentum(pose, u)[:2] / spatial.mass
        times = np.linspace(0.0, 0.5, 3)
        plane = chain.integrate(times, chain.state([0.2, 0.6, 0.0], [1.0, 3.0, 0.0], center, moving))
        run = flight.integrate(times, pose, u)
        np.testing.assert_allclose(run.position[..., :2], plane.link_position, atol=1e-9)  # both at rtol 1e-11
        np.testing.assert_allclose(run.u[..., 5], plane.link_angular_velocity, atol=1e-8)
        np.testing.assert_allclose(run.position[..., 2], 0.0, atol=1e-12)
