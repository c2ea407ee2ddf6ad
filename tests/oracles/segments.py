"""How far two straight links are apart: the squared distance is convex, so the best of few candidates is exact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oracles.spatial.pose import Array, Pose
from pushpoint.model.spatial_robot import SpatialRobot


@dataclass(frozen=True)
class Touch:
    """The nearest points of two links' surfaces."""

    gap: float
    """Distance of the surfaces [m]; negative where they overlap."""
    normal: Array
    """Unit vector from the second link to the first, shape (3,)."""
    first: Array
    """Point of the first link's surface [m], shape (3,)."""
    second: Array
    """Point of the second link's surface [m], shape (3,)."""


def nearest_shares(a: tuple[Array, Array], b: tuple[Array, Array]) -> tuple[float, float]:
    """Shares of two segments at which they come nearest: within both, or with one of them at an end."""
    d, e, r = a[1] - a[0], b[1] - b[0], a[0] - b[0]
    dd, de, ee, dr, er = d @ d, d @ e, e @ e, d @ r, e @ r
    candidates = [(s, _clamped(er + s * de, ee)) for s in (0.0, 1.0)]
    candidates += [(_clamped(t * de - dr, dd), t) for t in (0.0, 1.0)]
    apart = dd * ee - de * de
    if apart > 1e-12 * dd * ee:
        s, t = (de * er - ee * dr) / apart, (dd * er - de * dr) / apart
        if 0.0 <= s <= 1.0 and 0.0 <= t <= 1.0:
            candidates.append((s, t))
    return min(candidates, key=lambda shares: float(np.linalg.norm(r + shares[0] * d - shares[1] * e)))


def _clamped(numerator: float, denominator: float) -> float:
    return float(np.clip(numerator / denominator, 0.0, 1.0)) if denominator > 0.0 else 0.5


def axis_of(robot: SpatialRobot, pose: Pose, link: int) -> tuple[Array, Array]:
    """Ends of the straight side of a link [m]."""
    one, forward = robot.links[link], pose.rotation[link][:, 0]
    middle = pose.position[link] - one.mass_offset * forward
    half = float(one.side_length or 0.0) / 2 * forward
    return middle - half, middle + half


def touch(robot: SpatialRobot, pose: Pose, i: int, j: int) -> Touch:
    """Where links i and j of a robot come nearest to each other."""
    a, b = axis_of(robot, pose, i), axis_of(robot, pose, j)
    s, t = nearest_shares(a, b)
    on_a, on_b = a[0] + s * (a[1] - a[0]), b[0] + t * (b[1] - b[0])
    distance = float(np.linalg.norm(on_a - on_b))
    normal = (on_a - on_b) / distance
    radii = robot.links[i].radius, robot.links[j].radius
    return Touch(distance - sum(radii), normal, on_a - radii[0] * normal, on_b + radii[1] * normal)


def deepest_overlap(robot: SpatialRobot, pose: Pose) -> float:
    """How far links two or more apart overlap at most [m]; negative if none does."""
    pairs = [(i, j) for i in range(robot.n_links) for j in range(i + 2, robot.n_links)]
    return -min(touch(robot, pose, i, j).gap for i, j in pairs)
