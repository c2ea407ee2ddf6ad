"""Outlines in a plane: hulls of points, grown by a radius, and what lies inside."""

from __future__ import annotations

import math

import numpy as np


def convex_hull(points: np.ndarray) -> np.ndarray:
    """Corners of the hull of points, counter-clockwise, shape (n_corners, 2); one or two if they lie together."""
    spread = max(float(np.ptp(points, axis=0).max()), 1e-12)
    grains = np.unique(np.round(points / (1e-9 * spread)), axis=0, return_index=True)[1]
    ordered = sorted(tuple(point) for point in points[grains].tolist())
    chains: list[list[tuple[float, ...]]] = []
    for path in (ordered, ordered[::-1]):
        chain: list[tuple[float, ...]] = []
        for x, y in path:
            while len(chain) > 1 and not _turns_left(chain[-2], chain[-1], (x, y)):
                chain.pop()
            chain.append((x, y))
        chains.append(chain[:-1])
    corners = chains[0] + chains[1]
    return np.array(corners or ordered)


def _turns_left(a: tuple[float, ...], b: tuple[float, ...], c: tuple[float, ...]) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0.0


def rounded_hull(corners: np.ndarray, radius: float, segments: int = 64) -> np.ndarray:
    """Points around a hull grown by a radius, counter-clockwise, shape (n, 2).

    Args:
        corners: Corners of the hull, convex and counter-clockwise, shape (n_corners, 2).
        radius: By how much it is grown, in the unit of the corners.
        segments: In how many pieces a whole turn is cut.
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
        turn = before + np.linspace(0.0, turned, max(2, round(segments * turned / (2.0 * np.pi)) + 1))
        parts.append(corner + radius * np.stack([np.cos(turn), np.sin(turn)], axis=-1))
    return np.concatenate(parts)


def capsules(middle: np.ndarray, along: np.ndarray, half: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """Points around capsules, counter-clockwise, shape (n, 34, 2).

    Args:
        middle: Their middles [m], shape (n, 2).
        along: Unit vectors along them, shape (n, 2).
        half: Half of their straight sides [m], shape (n,).
        radius: Radii [m], shape (n,).
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
