"""Pieces of a path between two pegs: cubic Hermite curves, gentle enough for the links and clear of all pegs.

How far points are from the pegs is read from a map, since it is asked many thousand times while planning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pushpoint.engine.planar.kinematics import directions
from pushpoint.model.environment import Peg

CELL = 0.005
"""Distance between the map's points [m]; between them it errs by CELL^2 / (8 distance), below 0.1 mm at 4 cm."""
MOST_CELLS = 20_000_000
SAMPLES = 17
"""Points of an edge that are checked and kept [-]."""
_T = np.linspace(0.0, 1.0, SAMPLES)[:, None]
_VALUE = np.hstack((1 - 3 * _T**2 + 2 * _T**3, _T - 2 * _T**2 + _T**3, 3 * _T**2 - 2 * _T**3, _T**3 - _T**2))
_SLOPE = np.hstack((6 * _T**2 - 6 * _T, 1 - 4 * _T + 3 * _T**2, 6 * _T - 6 * _T**2, 3 * _T**2 - 2 * _T))
_BEND = np.hstack((12 * _T - 6, 6 * _T - 4, 6 - 12 * _T, 6 * _T - 2))


@dataclass(frozen=True, kw_only=True, eq=False)
class ClearanceMap:
    """Distances to the nearest peg's surface on a grid, and which peg that is."""

    center: np.ndarray
    """Of the pegs [m], shape (n_pegs, 2)."""
    radius: np.ndarray
    """Of the pegs [m], shape (n_pegs,)."""
    corner: np.ndarray
    """Place of the first grid point [m], shape (2,)."""
    cell: float
    """Distance between grid points [m]."""
    distance: np.ndarray
    """Distance to the nearest surface, cut off at `far` [m], shape (n_x, n_y)."""
    owner: np.ndarray
    """Which peg that is, -1 beyond `far`, same shape."""
    far: float
    """Distance beyond which pegs do not matter [m]."""

    @staticmethod
    def of(pegs: Sequence[Peg], far: float) -> ClearanceMap:
        """The map around these pegs."""
        center, radius = np.array([(peg.x, peg.y) for peg in pegs]), np.array([peg.radius for peg in pegs])
        reach = radius.max() + far
        corner = center.min(axis=0) - reach
        size = center.max(axis=0) + reach - corner
        cell = max(CELL, float(np.sqrt(size.prod() / MOST_CELLS)))
        shape = tuple(np.ceil(size / cell).astype(int) + 2)
        distance, owner = np.full(shape, far), np.full(shape, -1)
        for k in range(len(pegs)):
            low = np.floor((center[k] - radius[k] - far - corner) / cell).astype(int).clip(0)
            high = np.ceil((center[k] + radius[k] + far - corner) / cell).astype(int) + 1
            part = (slice(low[0], high[0]), slice(low[1], high[1]))
            x, y = (
                corner[i] + cell * np.arange(low[i], low[i] + distance[part].shape[i]) - center[k, i] for i in (0, 1)
            )
            gap = np.hypot(x[:, None], y) - radius[k]
            nearer = gap < distance[part]
            distance[part][nearer] = gap[nearer]
            owner[part][nearer] = k
        return ClearanceMap(
            center=center, radius=radius, corner=corner, cell=cell, distance=distance, owner=owner, far=far
        )

    def at(self, points: np.ndarray) -> np.ndarray:
        """Distance of points to the nearest surface [m], negative inside, shape of the leading dimensions."""
        place = (points - self.corner) / self.cell
        low = np.floor(place).astype(int)
        inside = ((low >= 0) & (low < np.array(self.distance.shape) - 1)).all(axis=-1)
        low = np.where(inside[..., None], low, 0)
        x, y = np.moveaxis(place - low, -1, 0)
        i, j = low[..., 0], low[..., 1]
        d = self.distance
        value = (1 - x) * ((1 - y) * d[i, j] + y * d[i, j + 1]) + x * ((1 - y) * d[i + 1, j] + y * d[i + 1, j + 1])
        return np.where(inside, value, self.far)

    def nearest(self, points: np.ndarray) -> np.ndarray:
        """The nearest peg of points [-], -1 where none is near, shape of the leading dimensions."""
        near = np.rint((points - self.corner) / self.cell).astype(int)
        inside = ((near >= 0) & (near < np.array(self.owner.shape))).all(axis=-1)
        near = np.where(inside[..., None], near, 0)
        return np.where(inside, self.owner[near[..., 0], near[..., 1]], -1)

    def beside(self, peg: np.ndarray, side: np.ndarray, angle: np.ndarray, away: float) -> np.ndarray:
        """Where paths of these directions [rad] pass pegs at a distance from their surfaces [m], shape (n, 2)."""
        left = np.stack((-np.sin(angle), np.cos(angle)), axis=1)
        return self.center[peg] + (side * (self.radius[peg] + away))[:, None] * left


class Edges(NamedTuple):
    """Curves from state to state, one per entry of the leading dimension."""

    points: np.ndarray
    """Points along them [m], shape (n, SAMPLES, 2)."""
    arc: np.ndarray
    """Arc length at the points [m], shape (n, SAMPLES)."""
    curvature: np.ndarray
    """Curvature there, positive to the left [1/m], shape (n, SAMPLES)."""
    inner: np.ndarray
    """Where the middle of a link is whose ends lie on the curve beside the point [m], shape (n, SAMPLES, 2)."""

    def those(self, which: np.ndarray) -> Edges:
        """A selection of them."""
        return Edges(*(each[which] for each in self))


def hermite_edges(
    start: np.ndarray, start_angle: np.ndarray, end: np.ndarray, end_angle: np.ndarray, link: float
) -> Edges:
    """Curves from points to points [m] with given tangent angles [rad]; link is the length of a link [m].

    The slopes at the ends are as long as makes symmetric edges nearly circular arcs: 2 chord / (1 + cos of the angle
    between tangent and chord).
    """
    way = end - start
    chord = np.maximum(np.linalg.norm(way, axis=-1), 1e-9)
    tangents = directions(start_angle), directions(end_angle)
    off = [np.arccos(np.clip(np.vecdot(way, tangent) / chord, -1.0, 1.0)) for tangent in tangents]
    size = (2.0 * chord / (1.0 + np.cos((off[0] + off[1]) / 2)))[:, None]
    control = np.stack((start, size * tangents[0], end, size * tangents[1]), axis=1)
    points, slope, bend = _VALUE @ control, _SLOPE @ control, _BEND @ control
    speed = np.maximum(np.linalg.norm(slope, axis=-1), 1e-9)
    curvature = (slope[..., 0] * bend[..., 1] - slope[..., 1] * bend[..., 0]) / speed**3
    left = np.stack((-slope[..., 1], slope[..., 0]), axis=-1) / speed[..., None]
    step = np.linalg.norm(np.diff(points, axis=1), axis=-1)
    arc = np.concatenate((np.zeros((len(points), 1)), np.cumsum(step, axis=1)), axis=1)
    sagitta = (curvature * link**2 / 8)[..., None]
    return Edges(points=points, arc=arc, curvature=curvature, inner=points + sagitta * left)


def passable(edges: Edges, clearance: ClearanceMap, half_width: float, sharpest: float) -> np.ndarray:
    """Whether a robot of this half width [m] passes along each edge, nowhere bent more than sharpest [1/m]."""
    fine = np.abs(edges.curvature).max(axis=1) <= sharpest
    at = np.flatnonzero(fine)
    free = np.minimum(clearance.at(edges.points[at]), clearance.at(edges.inner[at])).min(axis=1) >= half_width
    fine[at] = free
    return fine
