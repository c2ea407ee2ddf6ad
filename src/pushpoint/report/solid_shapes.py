"""Triangles of the bodies in the replay: capsules that lie along x, and upright prisms."""

from __future__ import annotations

import numpy as np

Mesh = tuple[np.ndarray, np.ndarray]

AROUND, ROUND_STEPS = 20, 6


def capsule_mesh(half_side: float, radius: float) -> Mesh:
    """Vertices [m] and triangles of a capsule about the origin, its axis along x."""
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


def prism_mesh(outlines: list[np.ndarray], bottom: float, top: float) -> Mesh:
    """Vertices [m] and triangles of convex outlines, drawn up from bottom to top [m]; without their undersides."""
    vertices, faces, start = [], [], 0
    for outline in outlines:
        n = len(outline)
        k = np.arange(n)
        low, high = start + k, start + n + k
        after = np.roll(k, -1)
        vertices += [np.column_stack([outline, np.full(n, level)]) for level in (bottom, top)]
        faces += [
            np.stack([low, low[after], high], axis=-1),
            np.stack([low[after], high[after], high], axis=-1),
            np.stack([np.full(n - 2, high[0]), high[1:-1], high[2:]], axis=-1),
        ]
        start += 2 * n
    return np.concatenate(vertices).astype(np.float32), np.concatenate(faces).astype(np.uint32)
