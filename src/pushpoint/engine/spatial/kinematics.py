"""Positions of the links of a spatial robot, from its centre of mass, the tail's orientation and the joint angles.

NumPy or torch, any leading dimensions. Quaternions are (w, x, y, z); rotations map link frames to world axes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint.engine.on_device.namespaces import Constant, floats, namespace_of
from pushpoint.engine.planar.kinematics import to_mass
from pushpoint.model.joints import Direction
from pushpoint.model.spatial_robot import SpatialRobot


def rotation_of(quaternion: np.ndarray) -> np.ndarray:
    """Rotation matrices of unit quaternions, shape (..., 3, 3)."""
    space = namespace_of(quaternion)
    w, x, y, z = space.moveaxis(floats(quaternion), -1, 0)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return space.stack([space.stack(row, axis=-1) for row in rows], axis=-2)


FACTOR = Constant([[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]])
SIGN = Constant([[1.0, -1.0, -1.0, -1.0], [1.0, 1.0, 1.0, -1.0], [1.0, -1.0, 1.0, 1.0], [1.0, 1.0, -1.0, 1.0]])
"""Quaternion products: component r is the sum over k of SIGN[r, k] a[k] b[FACTOR[r, k]]."""


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Quaternion product: first b, then a, shape (..., 4)."""
    one, other = floats(a), floats(b)
    terms = one[..., None, :] * (SIGN.like(one) * other[..., FACTOR.like(one)])
    found: np.ndarray = terms.sum(axis=-1)
    return found


def about(direction: Direction, angle: np.ndarray) -> np.ndarray:
    """Quaternions of rotations about a unit vector of a link's frame, shape (..., 4)."""
    space, half = namespace_of(angle), floats(angle) / 2
    sine = space.sin(half)
    parts = [part * sine if part else space.zeros_like(sine) for part in direction]
    return space.stack((space.cos(half), *parts), axis=-1)


def turned(quaternion: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Vectors of a link's frame in world axes, shape (..., 3)."""
    return np.einsum("...ij,...j->...i", rotation_of(quaternion), np.asarray(vector, dtype=float))


def forward_of(quaternion: np.ndarray) -> np.ndarray:
    """The x axes of link frames in world axes, shape (..., 3)."""
    w, x, y, z = np.moveaxis(np.asarray(quaternion, dtype=float), -1, 0)
    return np.stack((1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)), axis=-1)


class BodyPosture(NamedTuple):
    """A robot's links without its place: orientation of the tail and joint angles. Any leading dimensions."""

    places: np.ndarray
    """Centres of mass of the links from the tail's rear joint [m], shape (..., n_links, 3)."""
    mean: np.ndarray
    """The robot's centre of mass, from there [m], shape (..., 3)."""
    frames: np.ndarray
    """Orientations of the links, shape (..., n_links, 4)."""

    @staticmethod
    def of(robot: SpatialRobot, tail: np.ndarray, angle: np.ndarray) -> BodyPosture:
        """The posture with this orientation of the tail and these joint angles [rad]."""
        joints, frames = _from_tail(robot, np.asarray(tail, dtype=float), np.asarray(angle, dtype=float))
        places = joints + to_mass(robot)[:, None] * forward_of(frames)
        mean = (places * robot.column("mass")[:, None]).sum(axis=-2) / robot.mass
        return BodyPosture(places, mean, frames)

    def at(self, center: np.ndarray) -> np.ndarray:
        """Centres of mass of the links of a robot with this centre of mass [m], shape (..., n_links, 3)."""
        return self.places + (np.asarray(center, dtype=float) - self.mean)[..., None, :]


def link_poses(
    robot: SpatialRobot, center: np.ndarray, tail: np.ndarray, angle: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Centres of mass [m], shape (..., n_links, 3), and orientations, shape (..., n_links, 4), of the links."""
    posture = BodyPosture.of(robot, tail, angle)
    return posture.at(center), posture.frames


def link_frames(robot: SpatialRobot, tail: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Orientations of the links, shape (..., n_links, 4)."""
    quaternion, found, j = tail, [tail], 0
    for between in robot.chain:
        for hinge in between.hinges:
            quaternion = product(quaternion, about(hinge.direction, angle[..., j]))
            j += 1
        found.append(quaternion)
    return namespace_of(tail).stack(found, axis=-2)


def _from_tail(robot: SpatialRobot, tail: np.ndarray, angle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rear joints of the links relative to the tail's, and orientations."""
    joint, quaternion = np.zeros((*tail.shape[:-1], 3)), tail
    joints, quaternions = [joint], [quaternion]
    j = 0
    for link, between in zip(robot.links, robot.chain, strict=False):
        joint = joint + link.length * forward_of(quaternion)
        for a, hinge in enumerate(between.hinges):
            if a == 1:
                joint = joint + between.axis_distance * forward_of(quaternion)
            quaternion = product(quaternion, about(hinge.direction, angle[..., j]))
            j += 1
        joints.append(joint)
        quaternions.append(quaternion)
    return np.stack(joints, axis=-2), np.stack(quaternions, axis=-2)


def link_velocities(
    robot: SpatialRobot,
    tail: np.ndarray,
    angle: np.ndarray,
    rate: np.ndarray,
    velocity: np.ndarray,
    angular_velocity: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Velocities of links that keep the joints closed, shape (..., n_links, 3).

    Linear velocities are in world axes [m/s], angular velocities in link frames [rad/s]. The velocity of the robot's
    centre of mass and the angular velocity of the tail are given in world axes.
    """
    _joints, quaternions = _from_tail(robot, tail, angle)
    forward, offset = forward_of(quaternions), to_mass(robot)
    v, omega = np.zeros((*tail.shape[:-1], 3)), np.array(angular_velocity, dtype=float)
    speeds, turns = [], []
    j = 0
    for i, link in enumerate(robot.links):
        frame = quaternions[..., i, :]
        speeds.append(v + np.cross(omega, offset[i] * forward[..., i, :]))
        turns.append(np.matmul(rotation_of(frame).swapaxes(-1, -2), omega[..., None])[..., 0])
        if i == robot.n_links - 1:
            break
        v = v + np.cross(omega, link.length * forward[..., i, :])
        for a, hinge in enumerate(robot.chain[i].hinges):
            if a == 1:
                v = v + np.cross(omega, robot.chain[i].axis_distance * forward_of(frame))
            omega = omega + rate[..., j, None] * turned(frame, np.array(hinge.direction))
            frame = product(frame, about(hinge.direction, angle[..., j]))
            j += 1
    all_speeds = np.stack(speeds, axis=-2)
    mean = (all_speeds * robot.column("mass")[:, None]).sum(axis=-2) / robot.mass
    return all_speeds + (np.asarray(velocity) - mean)[..., None, :], np.stack(turns, axis=-2)
