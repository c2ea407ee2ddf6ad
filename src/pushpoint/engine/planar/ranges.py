"""Distances between links and obstacles: capsules against circles, thick segments and polygons.

NumPy, any leading dimensions. Written out in x and y, so that results are bitwise equal in every batch.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pushpoint.engine.planar.kinematics import directions, link_positions
from pushpoint.engine.sharing import portions
from pushpoint.model.obstacle import Hull, Obstacle
from pushpoint.model.planar_robot import PlanarRobot


class Outlines:
    """The hulls of one environment's obstacles as arrays: circles, and the segments that bound the others."""

    def __init__(self, obstacles: Sequence[Obstacle]) -> None:
        parts = [obstacle.hulls for obstacle in obstacles]
        hulls = [hull for part in parts for hull in part]
        self._round = np.array([k for k, hull in enumerate(hulls) if len(hull.points) == 1], dtype=int)
        self._others = np.array([k for k, hull in enumerate(hulls) if len(hull.points) > 1], dtype=int)
        edges = [_segments(hulls[k]) for k in self._others]
        self.n_hulls = len(hulls)
        self._first_hull = np.cumsum([0, *map(len, parts)], dtype=int)[:-1]  # of each obstacle
        self.circles = np.array([(*hulls[k].points[0], hulls[k].radius) for k in self._round]).reshape(-1, 3)
        """Centres x, y and radii [m], shape (n_circles, 3)."""
        self.segments = np.concatenate([np.empty((0, 5)), *edges])
        """Start x, y and end x, y of the segments and the thickness around them [m], shape (n_segments, 5)."""
        self._first = np.cumsum([0, *map(len, edges)], dtype=int)[:-1]  # segment of each outline
        # Whether an outline encloses its hull: a polygon.
        self._solid = np.array([len(hulls[k].points) > 2 for k in self._others], dtype=bool)

    def distances(self, robot: PlanarRobot, center: np.ndarray, theta: np.ndarray) -> np.ndarray:
        """Like link_obstacle_distance."""
        theta = np.asarray(theta, dtype=float)
        rear, front = ((x[..., None], y[..., None]) for x, y in link_axes(robot, center, theta))
        gaps = np.empty((*theta.shape, self.n_hulls))
        if self._round.size:
            x, y, radius = self.circles.T
            gaps[..., self._round] = point_to_segment((x, y), rear, front) - radius
        if self._others.size:
            gaps[..., self._others] = self._to_outlines(rear, front)
        if len(self._first_hull) != self.n_hulls:
            gaps = np.minimum.reduceat(gaps, self._first_hull, axis=-1)
        return gaps - robot.column("radius")[:, None]

    def _to_outlines(self, rear: Point, front: Point) -> np.ndarray:
        """Distances between link axes and outlines [m]; inside a polygon, the overlap is its rounding."""
        ax, ay, bx, by, thickness = self.segments.T
        a, b = (ax, ay), (bx, by)
        gaps = _segment_to_segment(rear, front, a, b) - thickness
        nearest = np.minimum.reduceat(gaps, self._first, axis=-1)
        # An axis that does not cross the outline is entirely inside or entirely outside, so one end decides.
        return np.where(self.solid_around(lies_left(a, b, rear)), -thickness[self._first], nearest)

    def solid_around(self, left_of: np.ndarray) -> np.ndarray:
        """Whether points lie in each polygon, from whether they have each segment to their right (`lies_left`)."""
        return np.asarray(np.logical_xor.reduceat(left_of, self._first, axis=-1) & self._solid)


Point = tuple[np.ndarray, np.ndarray]
"""x and y of many points, shapes that broadcast."""


def link_obstacle_distance(
    robot: PlanarRobot, obstacles: Sequence[Obstacle], center: np.ndarray, theta: np.ndarray
) -> np.ndarray:
    """Distances between the surfaces of links and obstacles [m], shape (..., n_links, n_obstacles).

    They are negative where surfaces overlap. Once a link's axis enters a polygon or reaches the centre line of a wall,
    the overlap is the link's radius (and half the wall's thickness), however deep.
    """
    return Outlines(obstacles).distances(robot, center, theta)


def link_axes(robot: PlanarRobot, center: np.ndarray, theta: np.ndarray) -> tuple[Point, Point]:
    """Rear and front ends of the straight axes of links, x and y [m], shape (..., n_links) each."""
    e = directions(theta)
    masses = link_positions(robot, np.asarray(center, dtype=float), theta)
    half, offset = robot.column("side_length") / 2, robot.column("mass_offset")
    rear, front = (masses + to_end[:, None] * e for to_end in (-half - offset, half - offset))
    return (rear[..., 0], rear[..., 1]), (front[..., 0], front[..., 1])


def link_link_distance(
    robot: PlanarRobot, center: np.ndarray, theta: np.ndarray, of: slice = slice(None)
) -> np.ndarray:
    """Distances between the surfaces of links [m], shape (..., n_links, n_links); infinite between neighbours.

    `of` chooses rows: the links that are compared with all others.
    """
    ends = link_axes(robot, center, theta)
    one = [(x[..., of, None], y[..., of, None]) for x, y in ends]
    other = [(x[..., None, :], y[..., None, :]) for x, y in ends]
    radius, number = robot.column("radius"), np.arange(robot.n_links)
    gaps = _segment_to_segment(one[0], one[1], other[0], other[1]) - radius[of, None] - radius
    return np.where(np.abs(np.subtract.outer(number[of], number)) < 2, np.inf, gaps)


def nearest_pair(robot: PlanarRobot, center: np.ndarray, theta: np.ndarray) -> tuple[float, int, int]:
    """The smallest distance between the surfaces of two links that can touch [m], and the two."""
    found = []
    for rows in portions(np.full(robot.n_links, robot.n_links)):  # all pairs of a long robot would not fit at once
        apart = link_link_distance(robot, center, theta, slice(int(rows[0]), int(rows[-1]) + 1))
        one, other = np.unravel_index(np.argmin(apart), apart.shape)
        found.append((float(apart[one, other]), int(rows[0] + one), int(other)))
    return min(found)


def _segments(hull: Hull) -> np.ndarray:
    """A segment, or the edges of a polygon and of its holes."""
    outlines = hull.outlines
    corners, ends = np.concatenate(outlines), np.concatenate([np.roll(each, -1, axis=0) for each in outlines])
    edges = np.column_stack((corners, ends, np.full(len(corners), hull.radius)))
    return edges if len(corners) > 2 else edges[:1]


def lies_left(a: Point, b: Point, p: Point) -> np.ndarray:
    """Whether points have an edge to their right, at their own y; inside a polygon, an odd number of its edges."""
    spans = (a[1] > p[1]) != (b[1] > p[1])
    rise = np.where(a[1] != b[1], b[1] - a[1], 1.0)
    return spans & (p[0] < a[0] + (b[0] - a[0]) * (p[1] - a[1]) / rise)


def _side(a: Point, b: Point, p: Point) -> np.ndarray:
    """Twice the area of the triangle a, b, p [m^2]; positive if p lies to the left of the line from a to b."""
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])


def point_to_segment(p: Point, a: Point, b: Point) -> np.ndarray:
    """Distances from points to segments [m]; a segment may have zero length."""
    ux, uy = b[0] - a[0], b[1] - a[1]
    px, py = p[0] - a[0], p[1] - a[1]
    length2 = ux * ux + uy * uy
    share = np.clip((px * ux + py * uy) / np.where(length2 > 0.0, length2, 1.0), 0.0, 1.0)
    dx, dy = px - share * ux, py - share * uy
    return np.sqrt(dx * dx + dy * dy)


def _segment_to_segment(a: Point, b: Point, c: Point, d: Point) -> np.ndarray:
    """Distances between segments a-b and c-d [m]: 0 where they cross, else reached at one of the four ends."""
    ends = (
        point_to_segment(a, c, d),
        point_to_segment(b, c, d),
        point_to_segment(c, a, b),
        point_to_segment(d, a, b),
    )
    nearest = np.minimum(np.minimum(ends[0], ends[1]), np.minimum(ends[2], ends[3]))
    crossing = (_side(a, b, c) * _side(a, b, d) < 0.0) & (_side(c, d, a) * _side(c, d, b) < 0.0)
    return np.where(crossing, 0.0, nearest)
