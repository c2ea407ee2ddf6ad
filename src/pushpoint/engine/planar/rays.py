"""Rays in the plane: how far it is to the first obstacle. NumPy, any number of rays at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pushpoint.engine.planar.kinematics import directions, link_positions
from pushpoint.engine.planar.ranges import Outlines, Point, lies_left, point_to_segment
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.sensors import RangeSensor

ROUND_OFF = 1e-12
"""How far beyond the end of an edge a ray still meets it, as a share of its length: nothing leaks out at corners."""


def planar_rays(
    robot: PlanarRobot, rays: Sequence[RangeSensor], center: np.ndarray, theta: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Starts [m] and unit vectors of rays, from the robot's pose, shape (..., n_rays, 2) each."""
    links = [robot.n_links - 1 if ray.link is None else ray.link for ray in rays]
    e = directions(theta)[..., links, :]
    left = np.stack([-e[..., 1], e[..., 0]], axis=-1)
    place, look = (np.array(part)[:, :2] for part in zip(*((ray.position, ray.direction) for ray in rays), strict=True))
    ahead = place[:, 0] - robot.column("mass_offset")[links]  # positions of links are those of their masses
    starts = link_positions(robot, center, theta)[..., links, :] + ahead[:, None] * e + place[:, 1:] * left
    return starts, look[:, :1] * e + look[:, 1:] * left


def distances_in_plane(starts: np.ndarray, looks: np.ndarray, outlines: Outlines) -> np.ndarray:
    """How far it is from each start along its unit vector to an obstacle [m], shape (...); infinite if there is none.

    It is zero for a start inside an obstacle.
    """
    o, d = ((part[..., 0, None], part[..., 1, None]) for part in (starts, looks))
    found = np.full(starts.shape[:-1], np.inf)
    if len(outlines.circles):
        x, y, radius = outlines.circles.T
        found = np.minimum(found, _to_circles(o, d, (x, y), radius).min(axis=-1))
    if len(outlines.segments):
        ax, ay, bx, by, thick = outlines.segments.T
        a, b = (ax, ay), (bx, by)
        within = (point_to_segment(o, a, b) <= thick) & (thick > 0.0)
        inside = within.any(axis=-1) | outlines.solid_around(lies_left(a, b, o)).any(axis=-1)
        nearest = _to_edges(o, d, a, b, thick).min(axis=-1)
        found = np.where(inside, 0.0, np.minimum(found, nearest))
    return found


def _to_circles(o: Point, d: Point, center: Point, radius: np.ndarray) -> np.ndarray:
    """Distances along rays to circles [m]; zero inside."""
    x, y = o[0] - center[0], o[1] - center[1]
    ahead, apart = x * d[0] + y * d[1], x * x + y * y - radius * radius
    root = ahead * ahead - apart
    first = -ahead - np.sqrt(np.maximum(root, 0.0))
    return np.where(apart <= 0.0, 0.0, np.where((root >= 0.0) & (first >= 0.0), first, np.inf))


def _to_edges(o: Point, d: Point, a: Point, b: Point, thick: np.ndarray) -> np.ndarray:
    """Distances along rays to segments grown by a thickness [m]: their two sides and round ends."""
    ux, uy = b[0] - a[0], b[1] - a[1]
    length = np.sqrt(ux * ux + uy * uy)
    nx, ny = thick * uy / length, -thick * ux / length
    found = _to_segments(o, d, (a[0] + nx, a[1] + ny), (ux, uy))
    if thick.any():
        found = np.minimum(found, _to_segments(o, d, (a[0] - nx, a[1] - ny), (ux, uy)))
        for end in (a, b):
            found = np.minimum(found, np.where(thick > 0.0, _to_circles(o, d, end, thick), np.inf))
    return found


def _to_segments(o: Point, d: Point, a: Point, u: Point) -> np.ndarray:
    """Distances along rays to segments that go the way u from a [m]."""
    x, y = a[0] - o[0], a[1] - o[1]
    across = d[0] * u[1] - d[1] * u[0]
    safe = np.where(across != 0.0, across, 1.0)
    way, share = (x * u[1] - y * u[0]) / safe, (x * d[1] - y * d[0]) / safe
    met = (across != 0.0) & (way >= 0.0) & (share >= -ROUND_OFF) & (share <= 1.0 + ROUND_OFF)
    return np.where(met, way, np.inf)
