"""The ground of a film in 3D: for every pixel where it is seen, with a grid on it that follows its shape."""

from __future__ import annotations

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.path import Path as Outline

from pushpoint.films.ray_casting import LIGHT
from pushpoint.films.stage import Plan
from pushpoint.plots.world_drawing import PATCH_LOOKS
from pushpoint.scenery.space import View
from pushpoint.scenery.surroundings import Patch
from pushpoint.scenery.terrain import GroundShape

GROUND, HILLS, GRID = "#f6f5f2", "#e6e3dc", "#c4c4c4"
# How much slopes of a height field darken and brighten.
RELIEF = 1.0
# Columns that are worked on at a time, which bounds the memory.
BAND = 512


def draw_ground(
    ground: GroundShape, patches: tuple[Patch, ...], view: View, plan: Plan
) -> tuple[np.ndarray, np.ndarray]:
    """A picture of shape (height, width, 4) and how near the ground is in it [m], shape (height, width)."""
    wide, tall = (int(side) for side in plan.pixels)
    picture = np.full((tall, wide, 4), 255, dtype=np.uint8)
    near = np.empty((tall, wide), dtype=np.float32)
    for first in range(0, wide, BAND):
        columns = slice(first, min(first + BAND, wide))
        u, v = (side[0] for side in plan.pixels_of(slice(0, tall), columns))
        near[:, columns] = _cast(ground, view, u[0], v[:, 0])
        place = [u * view.right[axis] + v * view.up[axis] + near[:, columns] * view.toward[axis] for axis in range(2)]
        picture[:, columns, :3] = _paint(ground, patches, view, plan, place)
    return picture, near


def _cast(ground: GroundShape, view: View, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """How near the ground is in columns u and rows v [m], shape (height, width)."""
    if ground.heights is None:
        out = ground.normal
        return -(u * (out @ view.right) + v[:, None] * (out @ view.up)) / (out @ view.toward)
    sine, cosine = float(view.toward[2]), float(view.up[2])
    away = -view.toward[:2] / cosine
    low, high = float(ground.heights.min()), float(ground.heights.max())
    far = np.linspace((v.min() - high * cosine) / sine, (v.max() - low * cosine) / sine, 2 * len(v))
    places = u[:, None, None] * view.right[:2] + far[:, None] * away
    # Along a column of pixels, what lies farther is seen only where it rises above all that lies before it.
    risen = np.maximum.accumulate(far * sine + ground.height(places) * cosine, axis=1) + 1e-9 * np.arange(len(far))
    seen = np.stack([np.interp(v, column, far) for column in risen], axis=1)
    return -seen * cosine + (v[:, None] - seen * sine) / cosine * sine


def _paint(
    ground: GroundShape, patches: tuple[Patch, ...], view: View, plan: Plan, place: list[np.ndarray]
) -> np.ndarray:
    """Colours of the ground at places x, y [m], shape (height, width, 3)."""
    colors = np.empty((*place[0].shape, 3), dtype=np.float32)
    colors[:] = to_rgb(GROUND if ground.heights is None else HILLS)
    points = np.stack(place, axis=-1)
    for k, patch in enumerate(patches):
        inside = Outline(patch.corners).contains_points(points.reshape(-1, 2)).reshape(points.shape[:2])
        colors[inside] = to_rgb(PATCH_LOOKS[k % len(PATCH_LOOKS)][0])
    if ground.heights is not None:
        rise = ground.slopes(points).astype(np.float32)
        light = LIGHT[0] * view.right + LIGHT[1] * view.up + LIGHT[2] * view.toward
        lit = (light[2] - rise @ light[:2].astype(np.float32)) / np.sqrt(1.0 + np.sum(rise**2, axis=-1))
        colors *= np.clip(1.0 + RELIEF * (lit - light[2]), 0.0, 1.1)[..., None]
    line = np.zeros(points.shape[:2], dtype=np.float32)
    for values in place:
        off = np.abs(values - plan.grid * np.round(values / plan.grid))
        change = np.hypot(*np.gradient(values)) + 1e-12
        np.maximum(line, np.clip(1.1 - off / change, 0.0, 1.0), out=line)
    colors += line[..., None] * (np.array(to_rgb(GRID), dtype=np.float32) - colors)
    return (255.0 * np.clip(colors, 0.0, 1.0)).astype(np.uint8)
