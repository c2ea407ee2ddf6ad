"""Frames: a rotation and a place. NumPy, in the frame of whatever holds them."""

from __future__ import annotations

from math import cos, sin
from typing import NamedTuple

import numpy as np

from pushpoint.engine.spatial.kinematics import rotation_of
from pushpoint.interchange.robots.trees import Element


class Frame(NamedTuple):
    """Where something is and how it is turned."""

    rotation: np.ndarray
    """Its axes as columns, shape (3, 3)."""
    place: np.ndarray
    """Its origin [m], shape (3,)."""

    def then(self, inner: Frame) -> Frame:
        """A frame that is given in this one, seen from outside."""
        return Frame(self.rotation @ inner.rotation, self.point(inner.place))

    def point(self, inner: np.ndarray) -> np.ndarray:
        """Points that are given in this frame, seen from outside, shape (..., 3)."""
        return np.asarray(self.place + inner @ self.rotation.T)

    def direction(self, inner: np.ndarray) -> np.ndarray:
        """A direction that is given in this frame, seen from outside."""
        return np.asarray(self.rotation @ inner)


ORIGIN = Frame(np.eye(3), np.zeros(3))
"""The frame of the world."""


def about_axis(axis: np.ndarray, angle: float) -> np.ndarray:
    """The rotation about a unit vector by an angle [rad], shape (3, 3)."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + sin(angle) * cross + (1.0 - cos(angle)) * (cross @ cross))


def about_axes(angles: np.ndarray, sequence: str) -> np.ndarray:
    """Rotations about x, y or z one after another; capitals are about axes that stay where they are."""
    turned = np.eye(3)
    for angle, letter in zip(angles, sequence, strict=True):
        step = about_axis(np.eye(3)["xyz".index(letter.lower())], float(angle))
        turned = turned @ step if letter.islower() else step @ turned
    return turned


def along(direction: np.ndarray) -> np.ndarray:
    """A rotation that takes z to a unit vector, by the shortest way, shape (3, 3)."""
    across = np.cross([0.0, 0.0, 1.0], direction)
    size = float(np.linalg.norm(across))
    if size < 1e-12:
        return np.eye(3) if direction[2] > 0 else about_axis(np.array([1.0, 0.0, 0.0]), np.pi)
    return about_axis(across / size, float(np.arctan2(size, direction[2])))


def quaternion_of(node: Element, name: str) -> np.ndarray | None:
    """An attribute as a rotation, or None if it is not given."""
    found = node.numbers(name, 4)
    return None if found is None else rotation_of(node.scaled(name, found))
