"""Shapes as arrays: looks at space, outlines in a plane, and triangles of bodies.

A look is from far away, so that parallels stay parallel and all scales are equal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from pushpoint.scenery.triangles import triangles_of

Mesh = tuple[np.ndarray, np.ndarray]
"""Vertices [m], shape (n, 3), and triangles, shape (m, 3)."""

AROUND, ROUND_STEPS = 20, 6
SQUARE = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))


@dataclass(frozen=True, kw_only=True)
class View:
    """A look at space from far away."""

    right: np.ndarray
    """What points to the right in the picture, shape (3,)."""
    up: np.ndarray
    """What points upward in the picture, shape (3,)."""

    @cached_property
    def toward(self) -> np.ndarray:
        """What points to the viewer, shape (3,)."""
        return np.cross(self.right, self.up)

    @cached_property
    def basis(self) -> np.ndarray:
        """Its right, up and toward as rows, shape (3, 3)."""
        return np.stack([self.right, self.up, self.toward])

    def flat(self, points: np.ndarray) -> np.ndarray:
        """Places in the picture, shape (..., 3) to (..., 2)."""
        return np.asarray(points @ np.stack([self.right, self.up], axis=-1))


TOP = View(right=np.array([1.0, 0.0, 0.0]), up=np.array([0.0, 1.0, 0.0]))


def side_view(direction: np.ndarray) -> View:
    """A look from the right at what moves along a horizontal unit vector of shape (2,)."""
    return View(right=np.array([*direction, 0.0]), up=np.array([0.0, 0.0, 1.0]))


def look_from(heading: float, elevation: float) -> View:
    """A look from above whose horizontal points along a heading; both angles [rad]."""
    right = np.array([math.cos(heading), math.sin(heading), 0.0])
    away = np.array([-right[1], right[0], 0.0])
    return View(right=right, up=math.sin(elevation) * away + math.cos(elevation) * np.array([0.0, 0.0, 1.0]))


def convex_hull(points: np.ndarray) -> np.ndarray:
    """Corners of the hull of points, counter-clockwise, shape (n_corners, 2); one or two if they lie together."""
    spread = max(float(np.ptp(points, axis=0).max()), 1e-12)
    grains = np.unique(np.round(points / (1e-9 * spread)), axis=0, return_index=True)[1]
    ordered = sorted(tuple(point) for point in points[grains].tolist())
    corners: list[tuple[float, ...]] = []
    for path in (ordered, ordered[::-1]):
        chain: list[tuple[float, ...]] = []
        for x, y in path:
            while len(chain) > 1:
                (x0, y0), (x1, y1) = chain[-2:]
                if (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0) > 0.0:
                    break  # a turn to the left
                chain.pop()
            chain.append((x, y))
        corners += chain[:-1]
    return np.array(corners or ordered)


def rounded_hull(corners: np.ndarray, radius: float, segments: int = 64) -> np.ndarray:
    """Points around a hull grown by a radius, in so many segments per whole turn, shape (n, 2).

    Its corners, shape (n_corners, 2), are counter-clockwise; so is the outline. It is cut short where they are bent
    inward.
    """
    if radius <= 0.0:
        return corners
    if len(corners) == 1:
        turn = 2.0 * np.pi * np.arange(segments) / segments
        return np.asarray(corners + radius * np.stack([np.cos(turn), np.sin(turn)], axis=-1))
    edge = np.roll(corners, -1, axis=0) - corners
    facing = np.arctan2(edge[:, 1], edge[:, 0]) - np.pi / 2.0
    parts = []
    for corner, before, after in zip(corners, np.roll(facing, 1), facing, strict=True):
        turned = (after - before) % (2.0 * np.pi)
        if turned > np.pi:
            turned -= 2.0 * np.pi
        turn = before + np.linspace(0.0, turned, max(2, round(segments * abs(turned) / (2.0 * np.pi)) + 1))
        parts.append(corner + radius * np.stack([np.cos(turn), np.sin(turn)], axis=-1))
    return np.concatenate(parts)


def capsules(middle: np.ndarray, along: np.ndarray, half: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """Points around capsules, counter-clockwise, shape (n, 34, 2).

    Middles [m] and unit vectors along them have shape (n, 2), half of the straight sides and radii [m] shape (n,).
    """
    turn = np.linspace(-np.pi / 2.0, np.pi / 2.0, 17)
    ahead = half[:, None] + radius[:, None] * np.cos(turn)
    aside = radius[:, None] * np.sin(turn)
    across = np.stack([-along[:, 1], along[:, 0]], axis=-1)
    front = ahead[..., None] * along[:, None] + aside[..., None] * across[:, None]
    return middle[:, None] + np.concatenate([front, -front], axis=1)


def in_polygon(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Whether points lie in a simple polygon, shape (..., 2) to (...)."""
    x, y = points[..., 0], points[..., 1]
    found = np.zeros(x.shape, dtype=bool)
    for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        if y0 != y1:
            found ^= ((y0 > y) != (y1 > y)) & (x < x0 + (y - y0) * (x1 - x0) / (y1 - y0))
    return found


def round_number(largest: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above largest."""
    power = 10.0 ** math.floor(math.log10(largest))
    return max(step * power for step in (1.0, 2.0, 5.0) if step * power <= largest)


def capsule_mesh(half_side: float, radius: float) -> Mesh:
    """A capsule about the origin, its axis along x."""
    quarter = np.linspace(0.0, np.pi / 2.0, ROUND_STEPS + 1)
    x = np.concatenate([-half_side - radius * np.cos(quarter), half_side + radius * np.sin(quarter)])
    off = radius * np.concatenate([np.sin(quarter), np.cos(quarter)])
    turn = 2.0 * np.pi * np.arange(AROUND) / AROUND
    rings = np.stack(
        [np.repeat(x, AROUND), np.outer(off, np.cos(turn)).ravel(), np.outer(off, np.sin(turn)).ravel()], axis=-1
    )
    first = (np.arange(len(x) - 1)[:, None] * AROUND + np.arange(AROUND)).ravel()
    beside = (np.arange(len(x) - 1)[:, None] * AROUND + (np.arange(AROUND) + 1) % AROUND).ravel()
    rear = np.stack([beside, first + AROUND, first], axis=-1)
    front = np.stack([beside + AROUND, first + AROUND, beside], axis=-1)
    return rings.astype(np.float32), np.concatenate([rear, front]).astype(np.uint32)


def prism_mesh(outline: np.ndarray, bottom: float, top: float, holes: Sequence[np.ndarray] = ()) -> Mesh:
    """An outline of shape (n, 2), with holes in it, drawn up from bottom to top [m]; without its underside."""
    outlines = [outline, *holes]
    n, corners = sum(map(len, outlines)), np.concatenate(outlines)
    starts = np.cumsum([0, *map(len, outlines)])
    low = np.arange(n)
    after, high = np.concatenate([np.roll(low[a:b], -1) for a, b in pairwise(starts)]), low + n
    vertices = [np.column_stack([corners, np.full(n, level)]) for level in (bottom, top)]
    faces = [
        np.stack([low, after, high], axis=-1),
        np.stack([after, after + n, high], axis=-1),
        triangles_of(outlines) + n,
    ]
    return np.concatenate(vertices).astype(np.float32), np.concatenate(faces).astype(np.uint32)


def box_mesh(center: np.ndarray, half: np.ndarray, turn: np.ndarray, *, wedge: bool = False) -> Mesh:
    """A box with its middle, half edges and axes as columns; faces share no vertices.

    A wedge is its lower half, below the plane that rises along its first axis.
    """
    vertices: list[np.ndarray] = []
    faces: list[np.ndarray] = []
    for axis in range(3):
        ahead, aside = np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3]
        for side in (-1.0, 1.0):
            corners = np.array([ahead * a + side * aside * b + side * np.eye(3)[axis] for a, b in SQUARE])
            if wedge:
                corners[:, 2] = np.minimum(corners[:, 2], corners[:, 0])
            faces.append(np.array([(0, 1, 2), (0, 2, 3)]) + 4 * len(vertices))
            vertices.append(center + (corners * half) @ turn.T)
    return np.concatenate(vertices).astype(np.float32), np.concatenate(faces).astype(np.uint32)


def bore_mesh(rims: np.ndarray) -> Mesh:
    """The wall between two closed rims, seen only from inside; shape (2, n, 3) [m]."""
    n = rims.shape[1]
    low = np.arange(n - 1)
    after, high = low + 1, low + n
    faces = np.concatenate([np.stack([low, high, after], axis=-1), np.stack([after, high, high + 1], axis=-1)])
    return rims.reshape(-1, 3).astype(np.float32), faces.astype(np.uint32)


def surface_mesh(x: np.ndarray, y: np.ndarray, level: np.ndarray) -> Mesh:
    """Heights of shape (len(x), len(y)) above a grid."""
    places = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    vertices = np.column_stack([places, level.ravel()])
    first = (np.arange(len(x) - 1)[:, None] * len(y) + np.arange(len(y) - 1)).ravel()
    right, above = first + len(y), first + 1
    faces = np.concatenate([np.stack([first, right, right + 1], axis=-1), np.stack([first, right + 1, above], axis=-1)])
    return vertices.astype(np.float32), faces.astype(np.uint32)


def joined_meshes(meshes: list[Mesh]) -> Mesh:
    """Several meshes as one."""
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in meshes)])
    faces = [faces + start for (_, faces), start in zip(meshes, starts[:-1], strict=True)]
    return np.concatenate([vertices for vertices, _ in meshes]), np.concatenate(faces).astype(np.uint32)
