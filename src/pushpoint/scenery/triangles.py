"""Polygons cut into triangles: ears are cut off one by one, after holes have been joined to the outline by bridges."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def triangles_of(outlines: Sequence[np.ndarray]) -> np.ndarray:
    """Triangles of a polygon, as indices into the corners of all its outlines, one after the other; shape (n, 3).

    The first outline is counter-clockwise, those of holes are clockwise; each has the shape (n_corners, 2).
    """
    points = np.concatenate(outlines)
    starts = np.cumsum([0, *(len(each) for each in outlines)])
    ring = list(range(starts[1]))
    holes = [list(range(starts[k], starts[k + 1])) for k in range(1, len(outlines))]
    for hole in sorted(holes, key=lambda each: -float(points[each, 0].max())):
        ring = _bridged(points, ring, hole)
    found: list[tuple[int, int, int]] = []
    while len(ring) > 3:
        k = next((k for k in range(len(ring)) if _is_ear(points, ring, k)), 0)  # round-off may hide the last ears
        found.append((ring[k - 1], ring[k], ring[(k + 1) % len(ring)]))
        ring.pop(k)
    return np.array([*found, tuple(ring)], dtype=np.uint32)


def _bridged(points: np.ndarray, ring: list[int], hole: list[int]) -> list[int]:
    """A ring with a hole joined to it, from the hole's rightmost corner to the nearest corner that it can see."""
    first = max(range(len(hole)), key=lambda k: float(points[hole[k], 0]))
    tip = points[hole[first]]
    edges = [*zip(ring, [*ring[1:], ring[0]], strict=True), *zip(hole, [*hole[1:], hole[0]], strict=True)]
    order = sorted(range(len(ring)), key=lambda k: float(np.hypot(*(points[ring[k]] - tip))))
    ahead = [k for k in order if points[ring[k], 0] >= tip[0]]
    seen = (k for k in ahead if not any(_crosses(tip, points[ring[k]], *points[list(edge)]) for edge in edges))
    k = next(seen, order[0])
    return [*ring[: k + 1], *hole[first:], *hole[: first + 1], *ring[k:]]


def _crosses(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> bool:
    """Whether the insides of two segments meet."""
    return _turn(a, b, c) * _turn(a, b, d) < 0.0 and _turn(c, d, a) * _turn(c, d, b) < 0.0


def _is_ear(points: np.ndarray, ring: list[int], k: int) -> bool:
    """Whether a corner sticks out and no other corner lies in the triangle that it makes with its neighbours."""
    a, b, c = (points[ring[(k + step) % len(ring)]] for step in (-1, 0, 1))
    if _turn(a, b, c) <= 0.0:
        return False
    others = points[ring]
    inside = np.ones(len(ring), dtype=bool)
    for start, end in ((a, b), (b, c), (c, a)):
        way, to = end - start, others - start
        inside &= way[0] * to[:, 1] - way[1] * to[:, 0] >= 0.0
    corners = (others == a).all(axis=1) | (others == b).all(axis=1) | (others == c).all(axis=1)
    return not (inside & ~corners).any()


def _turn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    return float((b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]))
