"""Triangles of bodies: capsules that lie along x, upright prisms, boxes and heights."""

from __future__ import annotations

import numpy as np

Mesh = tuple[np.ndarray, np.ndarray]
"""Vertices [m], shape (n, 3), and triangles, shape (m, 3)."""

AROUND, ROUND_STEPS = 20, 6
SQUARE = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))


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


def prism_mesh(outline: np.ndarray, bottom: float, top: float) -> Mesh:
    """A convex outline of shape (n, 2), drawn up from bottom to top [m]; without its underside."""
    n = len(outline)
    low = np.arange(n)
    after, high = np.roll(low, -1), low + n
    vertices = [np.column_stack([outline, np.full(n, level)]) for level in (bottom, top)]
    faces = [
        np.stack([low, after, high], axis=-1),
        np.stack([after, after + n, high], axis=-1),
        np.stack([np.full(n - 2, n), high[1:-1], high[2:]], axis=-1),
    ]
    return np.concatenate(vertices).astype(np.float32), np.concatenate(faces).astype(np.uint32)


def box_mesh(center: np.ndarray, half: np.ndarray, turn: np.ndarray) -> Mesh:
    """A box with its middle, half edges and axes as columns; faces share no vertices."""
    vertices: list[np.ndarray] = []
    faces: list[np.ndarray] = []
    for axis in range(3):
        ahead, aside = np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3]
        for side in (-1.0, 1.0):
            corners = [ahead * a + side * aside * b + side * np.eye(3)[axis] for a, b in SQUARE]
            faces.append(np.array([(0, 1, 2), (0, 2, 3)]) + 4 * len(vertices))
            vertices.append(center + (np.array(corners) * half) @ turn.T)
    return np.concatenate(vertices).astype(np.float32), np.concatenate(faces).astype(np.uint32)


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
