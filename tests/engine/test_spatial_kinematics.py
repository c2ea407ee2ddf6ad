"""Poses and velocities of spatial robots: against SciPy's rotations and the dense oracle, and by differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.spatial.transform import Rotation

from oracles.spatial.dense import DenseRobot
from oracles.spatial.pose import Pose
from oracles.spatial.states import mixed_robot
from pushpoint.engine.spatial.kinematics import about, link_poses, link_velocities, product, rotation_of, turned
from pushpoint.model.catalogue import aiko, liljeback2014
from pushpoint.model.joints import FORWARD, LEFT, UP, Direction

ROBOTS = {"mixed": mixed_robot(), "axis distance": aiko(0.022), "single axes": liljeback2014()}
RANDOM = np.random.default_rng(0)
QUATERNIONS = Rotation.random(50, rng=RANDOM).as_quat(scalar_first=True)
VECTORS = RANDOM.normal(size=(50, 3))


class TestRotations:
    def test_matrix(self) -> None:
        expected = Rotation.from_quat(QUATERNIONS, scalar_first=True).as_matrix()
        np.testing.assert_allclose(rotation_of(QUATERNIONS), expected, atol=1e-15)
        np.testing.assert_allclose(rotation_of(QUATERNIONS.reshape(5, 10, 4)).reshape(50, 3, 3), expected, atol=1e-15)

    def test_turned_vectors(self) -> None:
        expected = Rotation.from_quat(QUATERNIONS, scalar_first=True).apply(VECTORS)
        np.testing.assert_allclose(turned(QUATERNIONS, VECTORS), expected, atol=1e-14)

    def test_product_turns_first_by_the_second(self) -> None:
        a, b = QUATERNIONS[:25], QUATERNIONS[25:]
        np.testing.assert_allclose(rotation_of(product(a, b)), rotation_of(a) @ rotation_of(b), atol=1e-14)

    @pytest.mark.parametrize(("direction", "letter"), [(UP, "z"), (LEFT, "y"), (FORWARD, "x")])
    def test_about_an_axis(self, direction: Direction, letter: str) -> None:
        angles = np.linspace(-4.0, 4.0, 21)
        expected = Rotation.from_euler(letter, angles[:, None]).as_matrix()
        np.testing.assert_allclose(rotation_of(about(direction, angles)), expected, atol=1e-15)

    def test_signs(self) -> None:
        # Positive yaw points the front link to the left, positive pitch downward.
        np.testing.assert_allclose(turned(about(UP, np.array(np.pi / 2)), np.array([1.0, 0, 0])), [0, 1, 0], atol=1e-15)
        np.testing.assert_allclose(turned(about(LEFT, np.array(np.pi / 2)), [1.0, 0, 0]), [0, 0, -1], atol=1e-15)


def posture(name: str, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Centre, tail and joint angles."""
    random, robot = np.random.default_rng(seed), ROBOTS[name]
    tail = Rotation.random(rng=random).as_quat(scalar_first=True)
    return random.normal(size=3), tail, random.uniform(-1.5, 1.5, robot.n_joints)


@pytest.mark.parametrize("name", ROBOTS)
class TestPoses:
    def test_against_the_dense_oracle(self, name: str) -> None:
        robot = ROBOTS[name]
        dense = DenseRobot.of(robot)
        for seed in range(5):
            center, tail, angle = posture(name, seed)
            places, frames = link_poses(robot, center, tail, angle)
            pose = dense.pose(angle, rotation=rotation_of(tail))
            pose = pose.shifted(center - dense.center_of_mass(pose))
            np.testing.assert_allclose(places, pose.position, atol=1e-13)
            np.testing.assert_allclose(rotation_of(frames), pose.rotation, atol=1e-13)

    def test_joints_are_closed(self, name: str) -> None:
        dense = DenseRobot.of(ROBOTS[name])
        places, frames = link_poses(ROBOTS[name], *posture(name, 3))
        np.testing.assert_allclose(dense.joint_gaps(Pose.of(places, frames)), 0.0, atol=1e-13)

    def test_many_at_once(self, name: str) -> None:
        robot = ROBOTS[name]
        several = [posture(name, seed) for seed in range(6)]
        center, tail, angle = (np.stack(part).reshape(2, 3, -1) for part in zip(*several, strict=True))
        places, frames = link_poses(robot, center, tail, angle)
        assert places.shape == (2, 3, robot.n_links, 3) and frames.shape == (2, 3, robot.n_links, 4)
        for k, one in enumerate(several):
            alone = link_poses(robot, *one)
            np.testing.assert_array_equal(places.reshape(6, -1, 3)[k], alone[0])
            np.testing.assert_array_equal(frames.reshape(6, -1, 4)[k], alone[1])

    def test_velocities_against_the_dense_oracle(self, name: str) -> None:
        robot, random = ROBOTS[name], np.random.default_rng(9)
        dense = DenseRobot.of(robot)
        _, tail, angle = posture(name, 4)
        rate, velocity, spin = random.normal(size=robot.n_joints), random.normal(size=3), random.normal(size=3)
        v, omega = link_velocities(robot, tail, angle, rate, velocity, spin)
        pose = dense.pose(angle, rotation=rotation_of(tail))
        # The dense chain is given the velocity of its tail.
        u = dense.velocities(pose, v[0], rotation_of(tail).T @ spin, rate)
        np.testing.assert_allclose(np.hstack([v, omega]), u, atol=1e-12)
        np.testing.assert_allclose(robot.column("mass") @ v / robot.mass, velocity, atol=1e-13)

    def test_velocities_are_derivatives_of_the_places(self, name: str) -> None:
        robot, random, h = ROBOTS[name], np.random.default_rng(7), 1e-6
        center, tail, angle = posture(name, 5)
        rate, velocity, spin = random.normal(size=robot.n_joints), random.normal(size=3), random.normal(size=3)
        v, omega = link_velocities(robot, tail, angle, rate, velocity, spin)
        ends = []
        for time in (-h, h):
            turn = Rotation.from_rotvec(time * spin) * Rotation.from_quat(tail, scalar_first=True)
            ends.append(
                link_poses(robot, center + time * velocity, turn.as_quat(scalar_first=True), angle + time * rate)
            )
        np.testing.assert_allclose((ends[1][0] - ends[0][0]) / (2 * h), v, atol=1e-8)  # h^2 and round-off over h
        R = [rotation_of(frames) for _, frames in ends]
        turning = np.einsum("nji,njk->nik", (R[0] + R[1]) / 2, R[1] - R[0]) / (2 * h)  # R^T R_dot = [omega x]
        np.testing.assert_allclose(turning[:, [2, 0, 1], [1, 2, 0]], omega, atol=1e-8)


@given(angle=st.floats(-3.0, 3.0), pitch=st.floats(-3.0, 3.0))
@settings(deadline=None, max_examples=30)
def test_front_link_is_turned_by_pitch_then_yaw(angle: float, pitch: float) -> None:
    robot = aiko(0.022)
    angles = np.zeros(20)
    angles[0], angles[1] = pitch, angle
    assert (robot.axes[0].name, robot.axes[1].name) == ("pitch", "yaw")
    _, frames = link_poses(robot, np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), angles)
    expected = Rotation.from_euler("Y", pitch) * Rotation.from_euler("Z", angle)
    np.testing.assert_allclose(rotation_of(frames[1]), expected.as_matrix(), atol=1e-14)
