"""Hulls of obstacles as rows of the planar kernels: one each, or stretches of the rim of a hollow polygon."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint.kernels.planar import structs
from pushpoint.model.obstacle import ENDLESS, Hull

MOST_IN_ROW = int(structs.FEATURES) - 2
"""The most corners of a hull in one row [-]."""


class Rows(NamedTuple):
    """What the kernels hold of one hull."""

    vertices: np.ndarray
    """Corners [m], shape (n, 2). Each outline of a rim begins with its last corner and ends with its first one."""
    along: np.ndarray
    """Directions of the edges that leave them, shape (n, 2); zero for a circle."""
    length: np.ndarray
    """Lengths of these edges [m], shape (n,); zero for corners that are there twice."""
    spans: list[tuple[int, int]]
    """First vertex of each row and the one after its last."""
    deepest: float
    """Overlap at which the scheme has lost the obstacle [m]; a rim pushes outward however deep a link is."""
    rim: bool
    """Whether the rows are stretches of a rim."""


def hull_rows(hull: Hull) -> Rows:
    """The rows of a hull."""
    outlines = hull.outlines
    if not hull.hollow and len(hull.points) <= MOST_IN_ROW:
        along, length = _edges(outlines[0])
        deepest = _inner_radius(outlines[0], along) + hull.radius
        return Rows(outlines[0], along, length, [(0, len(along))], deepest, rim=False)
    spans, first, step = [], 0, int(structs.MOST_EDGES)
    parts: list[tuple[np.ndarray, ...]] = []
    for corners in outlines:
        along, length = _edges(corners)
        # Every edge stands between its neighbours, but counts once.
        parts.append((*(np.concatenate([part[-1:], part, part[:1]]) for part in (corners, along)), np.pad(length, 1)))
        last = first + len(corners) + 1
        spans += [(k, min(k + step, last) + 1) for k in range(first + 1, last, step)]
        first = last + 1
    vertices, along, length = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Rows(vertices, along, length, spans, ENDLESS, rim=True)


def _edges(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Directions, shape (n, 2), and lengths [m] of the edges from corner to corner; a circle has none."""
    edges = np.roll(corners, -1, axis=0) - corners
    length = np.linalg.norm(edges, axis=1)
    return np.divide(edges, length[:, None], out=np.zeros_like(edges), where=length[:, None] > 0.0), length


def _inner_radius(corners: np.ndarray, along: np.ndarray) -> float:
    """Largest depth inside a polygon [m]; 0 for a point or a segment."""
    if len(corners) < 3:
        return 0.0
    inward = np.stack((-along[:, 1], along[:, 0]), axis=-1)
    return float(((corners.mean(axis=0) - corners) * inward).sum(axis=1).min())
