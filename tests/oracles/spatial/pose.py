"""Rotations and the pose of a chain whose links all have six coordinates: Transeth2008b (4) to (8).

Velocities u_i = (v in world axes, omega in the link's own axes) in arrays of shape (n_links, 6).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

Array = NDArray[np.float64]


def skew(a: ArrayLike) -> Array:
    """The matrix of the cross product: skew(a) b = a x b, Transeth2008b (7)."""
    x, y, z = np.asarray(a, dtype=float)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def cross(a: Array, b: Array) -> Array:
    """a x b of two vectors, without the overhead of NumPy's general one."""
    return np.asarray(skew(a) @ b)


def turn(axis: ArrayLike, angle: float) -> Array:
    """Rotation matrix about a unit vector [rad]."""
    K = skew(axis)
    return np.asarray(np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K)


def exponential(phi: ArrayLike) -> Array:
    """Exponential map on SO(3): the turn about phi by |phi| [rad]; Rodrigues' formula with its series near zero."""
    K = skew(phi)
    angle = float(np.linalg.norm(np.asarray(phi, dtype=float)))
    half = np.sinc(angle / (2.0 * np.pi))  # sin(angle/2)/(angle/2): (1 - cos)/angle^2 = half^2/2 without cancellation
    return np.asarray(np.eye(3) + np.sinc(angle / np.pi) * K + 0.5 * half**2 * K @ K)


@dataclass(frozen=True)
class Pose:
    """Where all links are."""

    position: Array
    """Centres of mass [m], shape (n_links, 3)."""
    rotation: Array
    """Link frames as columns in world axes, shape (n_links, 3, 3)."""

    @staticmethod
    def of(position: ArrayLike, quaternion: ArrayLike) -> Pose:
        """From centres of mass [m] and quaternions (w, x, y, z), shapes (n_links, 3) and (n_links, 4)."""
        turned = Rotation.from_quat(np.asarray(quaternion, dtype=float), scalar_first=True)
        return Pose(np.array(position, dtype=float), np.asarray(turned.as_matrix()))

    @property
    def quaternion(self) -> Array:
        """Quaternions (w, x, y, z) with w >= 0, shape (n_links, 4)."""
        return np.asarray(Rotation.from_matrix(self.rotation).as_quat(canonical=True, scalar_first=True))

    def advanced(self, u: ArrayLike, duration: float) -> Pose:
        """Moved for a time with constant velocity u (omega constant in the link's axes): (72), (83), exactly in R."""
        twist = np.asarray(u, dtype=float).reshape(-1, 6)
        turned = [R @ exponential(duration * w) for R, w in zip(self.rotation, twist[:, 3:], strict=True)]
        return Pose(self.position + duration * twist[:, :3], np.array(turned))

    def shifted(self, by: ArrayLike) -> Pose:
        """The same posture elsewhere [m]."""
        return Pose(self.position + np.asarray(by, dtype=float), self.rotation)

    def world(self, u: ArrayLike) -> Array:
        """Velocities with both halves in world axes, shape (n_links, 6), from u."""
        twist = np.asarray(u, dtype=float).reshape(-1, 6)
        return np.hstack([twist[:, :3], np.einsum("nij,nj->ni", self.rotation, twist[:, 3:])])

    def body(self, velocity: ArrayLike, angular_velocity: ArrayLike) -> Array:
        """u, shape (n_links, 6), from velocities and angular velocities in world axes, shape (n_links, 3) each."""
        omega = np.einsum("nji,nj->ni", self.rotation, np.asarray(angular_velocity, dtype=float))
        return np.hstack([np.asarray(velocity, dtype=float), omega])
