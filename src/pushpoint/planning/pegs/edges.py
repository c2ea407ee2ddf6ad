"""Pieces of a path between two pegs: cubic Hermite curves, gentle enough for the links and clear of all pegs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pushpoint.planning.pegs.clearance import ClearanceMap

SAMPLES = 17
"""Points of an edge that are checked and kept [-]."""
_T = np.linspace(0.0, 1.0, SAMPLES)[:, None]
_VALUE = np.hstack((1 - 3 * _T**2 + 2 * _T**3, _T - 2 * _T**2 + _T**3, 3 * _T**2 - 2 * _T**3, _T**3 - _T**2))
_SLOPE = np.hstack((6 * _T**2 - 6 * _T, 1 - 4 * _T + 3 * _T**2, 6 * _T - 6 * _T**2, 3 * _T**2 - 2 * _T))
_BEND = np.hstack((12 * _T - 6, 6 * _T - 4, 6 - 12 * _T, 6 * _T - 2))


@dataclass(frozen=True, kw_only=True, eq=False)
class Edges:
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
        return Edges(
            points=self.points[which],
            arc=self.arc[which],
            curvature=self.curvature[which],
            inner=self.inner[which],
        )


def directions(angle: np.ndarray) -> np.ndarray:
    """Unit vectors [-], shape (..., 2)."""
    return np.stack((np.cos(angle), np.sin(angle)), axis=-1)


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
