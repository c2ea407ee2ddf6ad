"""Starts of a body that is wound around a pole, or lies against the wall of a pipe from inside."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pushpoint.engine.spatial.kinematics import link_poses, product, turned
from pushpoint.engine.spatial.start import SpatialStart, level_tail
from pushpoint.errors import InvalidModel
from pushpoint.model.spatial_robot import SpatialRobot

NARROWINGS = 40
"""Bisections of the radius at which the body touches the pipe."""
LEAST, MOST, NARROWER = 0.2, 3.0, 0.95
"""The radii that are tried, over that of the pipe [-], and each over the last."""
FORWARD, STRAIGHT = np.array([1.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0, 0.0])


class PipeAxis(NamedTuple):
    """The axis of a pole or of a pipe."""

    foot: np.ndarray
    """Where it begins [m], (3,)."""
    direction: np.ndarray
    """Unit vector, (3,)."""


class Coil(NamedTuple):
    """A body in a helical posture, its tail unturned and its centre of mass at the origin."""

    places: np.ndarray
    """Middles of the links [m], (n_links, 3)."""
    forward: np.ndarray
    """Directions of the links, (n_links, 3)."""
    axis: np.ndarray
    """Direction of the axis of the helix, toward the head, (3,)."""
    center: np.ndarray
    """A point on that axis [m], (3,)."""


def coil_of(robot: SpatialRobot, angle: np.ndarray) -> Coil:
    """The helix that a posture forms.

    All links of a helix make the same angle with its axis: it is the direction in which their own vary least.
    """
    places, frames = link_poses(robot, np.zeros(3), STRAIGHT, angle)
    forward = turned(frames, FORWARD)
    _, _, directions = np.linalg.svd(forward - forward.mean(axis=0))
    axis = directions[2] * (1.0 if directions[2] @ forward.mean(axis=0) >= 0.0 else -1.0)
    across = directions[:2]
    flat = places @ across.T
    # |q - c|^2 = R^2 is linear in c and in R^2 - |c|^2.
    rows = np.column_stack((2.0 * flat, np.ones(len(flat))))
    (x, y, _), *_ = np.linalg.lstsq(rows, (flat**2).sum(axis=1), rcond=None)
    return Coil(places, forward, axis, x * across[0] + y * across[1])


def reach(robot: SpatialRobot, coil: Coil) -> tuple[float, float]:
    """Smallest and largest distance of the surface of the links from the axis of the helix [m]."""
    half = np.array([link.side_length or 0.0 for link in robot.links]) / 2
    body = np.array([link.radius for link in robot.links])
    upright = np.eye(3) - np.outer(coil.axis, coil.axis)
    middle, along = (coil.places - coil.center) @ upright, coil.forward @ upright
    nearest = -(middle * along).sum(axis=1) / np.maximum((along**2).sum(axis=1), 1e-12)
    points = [middle + np.clip(at, -half, half)[:, None] * along for at in (nearest, -half, half)]
    distance = np.linalg.norm(points, axis=-1)
    return float((distance.min(axis=0) - body).min()), float((distance.max(axis=0) + body).max())


def touching(robot: SpatialRobot, posture: Callable[[float], np.ndarray], pipe: float, *, outside: bool) -> np.ndarray:
    """Joint angles of a body that just touches a pipe of a radius [m]; `posture` gives them for that of a helix."""

    def beyond(radius: float) -> bool:
        try:
            near, far = reach(robot, coil_of(robot, posture(radius)))
        except InvalidModel:  # too tight for its joints
            return True
        return (near if outside else far) > pipe

    # From wide to tight, since a body that is wound tighter than its links allow sticks out again.
    high = MOST * pipe
    low = NARROWER * high
    while beyond(low):
        low, high = NARROWER * low, low
        if low < LEAST * pipe:
            where = "around" if outside else "in"
            raise InvalidModel("gait.pipe_radius", pipe, f"one {where} which this robot can be wound", unit="m")
    for _ in range(NARROWINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if beyond(middle) else (middle, high)
    return posture(high if outside else low)


def start_of(robot: SpatialRobot, angle: np.ndarray, pipe: PipeAxis, clearance: float) -> SpatialStart:
    """The start of a posture whose helix lies around a line, and begins `clearance` [m] beyond its foot."""
    coil = coil_of(robot, angle)
    turn = _shortest_turn(coil.axis, pipe.direction)
    along = coil.places @ coil.axis - np.array([0.5 * link.length + link.radius for link in robot.links])
    position = pipe.foot - turned(turn, coil.center) + (clearance - along.min()) * pipe.direction
    level = level_tail(robot, angle, None) * np.array([1.0, -1.0, -1.0, -1.0])
    return SpatialStart(
        joint_angles=tuple(angle.tolist()),
        orientation=tuple(product(turn, level).tolist()),
        position=tuple(position.tolist()),
    )


def _shortest_turn(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The shortest rotation from one unit vector to another, a quaternion."""
    if one @ other < -1.0 + 1e-12:
        aside = np.cross(one, np.eye(3)[np.abs(one).argmin()])  # any direction across
        return np.array([0.0, *(aside / np.linalg.norm(aside))])
    turn = np.array([1.0 + one @ other, *np.cross(one, other)])
    return turn / np.linalg.norm(turn)
