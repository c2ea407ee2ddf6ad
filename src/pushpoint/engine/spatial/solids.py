"""Distances between straight lines and solids, and corners of solids; NumPy, one solid at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pushpoint.model.obstacle import Solid

NARROWINGS = 45
"""Rounds of the search for the point of a line nearest to a solid; each keeps two thirds of the interval."""
PLACES = 64
"""Parts of a line that are looked at first, where the distance may have several minima along it."""
AROUND = np.linspace(0.0, 2.0 * np.pi, 64, endpoint=False)
"""Directions in which a rim is looked at [rad]."""


def to_solid(starts: np.ndarray, ends: np.ndarray, solid: Solid) -> np.ndarray:
    """Distances between segments, shape (n, 3) each, and a solid [m], shape (n,).

    They are zero inside boxes and wedges, and negative inside columns and the walls of tubes.
    """
    if solid.endless:
        return to_columns(starts, ends, np.array(solid.center[:2]), solid.radius)
    a = (starts - np.array(solid.center)) @ solid.rotation
    along = (ends - starts) @ solid.rotation
    distance = _from_round if solid.radius else _from_wedge if solid.wedge else _from_box
    return _least(lambda share: distance(a + share[:, None] * along, solid), along, parts=PLACES if solid.inner else 1)


def corners_of(solid: Solid) -> np.ndarray:
    """The corners of a box or wedge, or points of the rims of a column or tube [m], shape (n, 3)."""
    half = np.array(solid.half)
    if solid.radius:
        ring = solid.radius * np.stack([np.cos(AROUND), np.sin(AROUND), np.zeros_like(AROUND)], axis=-1)
        levels = (half[2],) if solid.below else (half[2], -half[2])
        own = np.concatenate([ring + np.array([0.0, 0.0, level]) for level in levels])
    else:
        signs = np.stack(np.meshgrid(*[(-1.0, 1.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
        own = half * (signs[signs[:, 2] <= signs[:, 0]] if solid.wedge else signs)
    return np.asarray(np.array(solid.center) + own @ solid.rotation.T)


def to_columns(starts: np.ndarray, ends: np.ndarray, center: np.ndarray, radius: np.ndarray | float) -> np.ndarray:
    """Distances between segments and columns of unlimited height around centres x, y [m]; any leading dimensions."""
    along, away = (ends - starts)[..., :2], center - starts[..., :2]
    square = (along**2).sum(axis=-1)
    share = np.clip((away * along).sum(axis=-1) / np.where(square > 0, square, 1.0), 0.0, 1.0)
    return np.asarray(np.linalg.norm(away - share[..., None] * along, axis=-1) - radius)


def _from_box(q: np.ndarray, box: Solid) -> np.ndarray:
    """Distances of points in the solid's own axes, from its centre, shape (n, 3), to a box [m], shape (n,)."""
    beyond = np.maximum(np.abs(q) - np.array(box.half), 0.0)
    return np.asarray(np.sqrt((beyond**2).sum(axis=1)))


def _from_round(q: np.ndarray, solid: Solid) -> np.ndarray:
    """The same to a column or tube; negative inside its material."""
    rho, z = np.hypot(q[:, 0], q[:, 1]), q[:, 2]
    inside = [rho - solid.radius, z - solid.half[2], -z - solid.half[2] - solid.below]
    if solid.inner:
        inside.append(solid.inner - rho)
    aside = rho - np.clip(rho, solid.inner, solid.radius)
    along = z - np.clip(z, -solid.half[2] - solid.below, solid.half[2])
    return np.asarray(np.hypot(aside, along) + np.minimum(np.max(inside, axis=0), 0.0))


def _from_wedge(q: np.ndarray, wedge: Solid) -> np.ndarray:
    """The same to a wedge."""
    half = np.array(wedge.half)
    foot, top = np.array([-half[0], -half[2]]), np.array([half[0], half[2]])
    x, z = np.clip(q[:, 0], -half[0], half[0]), np.clip(q[:, 2], -half[2], half[2])
    way = top - foot
    flat = q[:, [0, 2]] - foot
    above = way[0] * flat[:, 1] - way[1] * flat[:, 0] > 0.0
    share = np.clip(flat @ way / (way @ way), 0.0, 1.0)
    nearest = np.where(above[:, None], foot + share[:, None] * way, np.stack([x, z], axis=-1))
    aside = np.maximum(np.abs(q[:, 1]) - half[1], 0.0)
    return np.asarray(np.hypot(np.linalg.norm(q[:, [0, 2]] - nearest, axis=1), aside))


def _least(distance: Callable[[np.ndarray], np.ndarray], along: np.ndarray, parts: int) -> np.ndarray:
    """The least of distances over shares of lines from 0 to 1, shape (n,).

    From a convex solid the distance is convex along a line, so one part is enough, and the search narrows down on the
    minimum; the tube needs several.
    """
    zero = np.zeros(len(along))
    found = np.minimum(distance(zero), distance(zero + 1.0))
    if not along.any():
        return found
    low, high = zero, zero + 1.0
    if parts > 1:
        every = np.stack([distance(zero + k / parts) for k in range(parts + 1)])
        best = every.argmin(axis=0) / parts
        low, high = np.maximum(best - 1.0 / parts, 0.0), np.minimum(best + 1.0 / parts, 1.0)
    for _ in range(NARROWINGS):
        third = (high - low) / 3
        falls = distance(low + third) <= distance(high - third)
        low, high = np.where(falls, low, low + third), np.where(falls, high - third, high)
    return np.minimum(found, distance((low + high) / 2))
