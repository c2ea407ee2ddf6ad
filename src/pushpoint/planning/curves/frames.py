"""Orientations of the shape frame: turns about an axis, and directions across it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import Many, real

Axis = Annotated[Sequence[float], real("-"), Many(3, "three numbers x, y, z")]
"""A direction x, y, z; its length does not matter [-]."""
VERTICAL = (0.0, 0.0, 1.0)
"""The world's z axis [-]."""


def unit(axis: Sequence[float]) -> np.ndarray:
    """The axis with length one, shape (3,)."""
    largest = np.max(np.abs(axis))  # first, or the squares of tiny and of huge numbers leave the range
    scaled = np.asarray(axis, dtype=float) / largest
    return np.asarray(scaled / np.linalg.norm(scaled))


def check_axis(name: str, axis: Sequence[float]) -> None:
    """Raises InvalidModel if an axis has no direction."""
    if not any(axis):
        raise InvalidModel(name, axis, "a direction: not all three numbers zero")


def turned_about(axis: Sequence[float], angle: np.ndarray) -> np.ndarray:
    """Rotations about an axis by given angles [rad], shape (..., 3, 3)."""
    along, aside, cross = _parts_of_turn(tuple(axis))
    c, s = np.cos(angle)[..., None, None], np.sin(angle)[..., None, None]
    return np.asarray(along + c * aside + s * cross)


@lru_cache(maxsize=64)
def _parts_of_turn(axis: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What a turn about an axis keeps, and what enters with its cosine and its sine."""
    a = unit(axis)
    x, y, z = a
    along = np.outer(a, a)
    return along, np.eye(3) - along, np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def across(axis: Sequence[float]) -> np.ndarray:
    """Two directions across an axis, shape (2, 3): the world's x and y axes where the axis is vertical.

    They are x and y after the shortest turn that takes z to the axis. Angles count from the first toward the second.
    """
    x, y, z = unit(axis)
    if z <= -1.0:
        return np.array([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
    skew = -x * y / (1.0 + z)
    return np.array([[1.0 - x * x / (1.0 + z), skew, -x], [skew, 1.0 - y * y / (1.0 + z), -y]])


def part_of_turn(before: np.ndarray, after: np.ndarray, part: np.ndarray) -> np.ndarray:
    """Orientations a part of the way from one to another, at a constant rate about one axis, shape (..., 3, 3).

    `before` and `after` have shape (..., 3, 3), `part` (...), from 0 to 1.
    """
    from scipy.spatial.transform import Rotation  # here, because it takes time to load

    shape = np.broadcast_shapes(before.shape, after.shape)
    first, last = (np.broadcast_to(given, shape).reshape(-1, 3, 3) for given in (before, after))
    vector = Rotation.from_matrix(np.swapaxes(first, -1, -2) @ last).as_rotvec()
    parts = np.broadcast_to(part, shape[:-2]).reshape(-1, 1)
    return np.asarray(first @ Rotation.from_rotvec(parts * vector).as_matrix()).reshape(shape)
