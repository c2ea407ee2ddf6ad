"""The terrain of a picture in 3D: drawn once, with how near everything is, so that links can hide behind it."""

from __future__ import annotations

from itertools import cycle

import numpy as np

from pushpoint.model.obstacle import Solid
from pushpoint.scenery.camera import PicturePlan, peg_top, plan_picture
from pushpoint.scenery.casting import LIGHT, Canvas, Hits, cast_boxes, cast_tubes
from pushpoint.scenery.drawn_run import DrawnRun
from pushpoint.scenery.palette import PATCH_LOOKS, rgb
from pushpoint.scenery.shapes import View, in_polygon
from pushpoint.scenery.surroundings import GroundShape, Scenery, box_corners

SEEN_SHARE, MOST_PIXELS = 0.75, 1.2e7
GROUND, HILLS, GRID, SOLID, EDGE = (rgb(color) for color in ("#f6f5f2", "#e6e3dc", "#c4c4c4", "#c4c4c8", "#6f6f74"))
# Brightness of a surface in the shade, and what full light adds to it.
SHADE, LIT = 0.62, 0.5
# How much slopes of a height field darken and brighten.
RELIEF = 1.0
# Columns that are worked on at a time, which bounds the memory.
BAND = 512


def plan_terrain(course: DrawnRun, view: View) -> PicturePlan:
    """Room for the terrain around the body's whole way: the body, its shadow, and what is near."""
    middle, beside = course.middle.reshape(-1, 3), course.near_obstacles
    low = np.concatenate([middle[:, :2], beside])
    shadow = np.column_stack([low, course.scenery.ground.height(low)])
    high = np.column_stack([beside, np.full(len(beside), course.body_box[1, 2])])
    points, thick = view.flat(np.concatenate([middle, shadow, high])), float(course.radius.max())
    # Seen aslant, a body is shorter than it is.
    return plan_picture(np.concatenate([points - thick, points + thick]), SEEN_SHARE * course.length, MOST_PIXELS)


def draw_terrain(course: DrawnRun, view: View, plan: PicturePlan) -> tuple[np.ndarray, np.ndarray]:
    """A picture of the terrain, shape (height, width, 4), and how near it is [m], shape (height, width)."""
    scenery = course.scenery
    picture, near = draw_ground(scenery, view, plan)
    canvas = Canvas(picture, near, near, plan.box, plan.scale)

    def nearness(solid: Solid) -> float:
        x, y, z = solid.center
        return float(np.array([x, y, scenery.ground.height(np.array([x, y])) if solid.radius else z]) @ view.toward)

    for solid in sorted([*scenery.boxes, *scenery.pegs], key=nearness):
        part, hits = _cast_solid(canvas, view, solid, course)
        bright = (SHADE + LIT * np.clip(hits.light[0], 0.0, 1.0))[..., None]
        line = 0.8 * hits.line[0][..., None]
        color = 255.0 * ((1.0 - line) * np.minimum(bright * SOLID, 1.0) + line * EDGE)
        canvas.blend(part, hits.near[0], hits.cover[0], color)
    return picture, near


def _cast_solid(canvas: Canvas, view: View, solid: Solid, course: DrawnRun) -> tuple[tuple[slice, slice], Hits]:
    """The part of the picture where a box or a peg is seen, and what rays meet there."""
    corners, ends = box_corners(solid), np.tile(solid.center, (2, 1))
    if solid.radius:  # a peg ends well below the ground
        top = peg_top(course, solid)
        ends[:, 2] = top - 4.0 * solid.radius - 10.0 * float(course.radius.max()), top
        corners = ends
    flat = view.flat(corners)
    window = canvas.windows(flat.min(axis=0)[None] - solid.radius, flat.max(axis=0)[None] + solid.radius)
    pixels = window.u, window.v, canvas.scale
    if solid.radius:
        return window.part(0), cast_tubes(ends[:, None] @ view.basis.T, np.array([solid.radius]), *pixels, lids=True)
    center, turn = np.array([solid.center]) @ view.basis.T, view.basis @ solid.rotation
    return window.part(0), cast_boxes(center, np.array([solid.half]), turn[None], *pixels)


def draw_ground(scenery: Scenery, view: View, plan: PicturePlan) -> tuple[np.ndarray, np.ndarray]:
    """A picture of shape (height, width, 4) and how near the ground is in it [m], shape (height, width).

    A grid lies on it and follows its shape.
    """
    wide, tall = (int(side) for side in plan.pixels)
    picture = np.full((tall, wide, 4), 255, dtype=np.uint8)
    near = np.empty((tall, wide), dtype=np.float32)
    for first in range(0, wide, BAND):
        columns = slice(first, min(first + BAND, wide))
        u, v = plan.pixels_of(columns)
        near[:, columns] = _cast(scenery.ground, view, u[0], v[:, 0])
        place = [u * view.right[axis] + v * view.up[axis] + near[:, columns] * view.toward[axis] for axis in range(2)]
        picture[:, columns, :3] = _paint(scenery, view, plan.grid, place)
    return picture, near


def _cast(ground: GroundShape, view: View, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """How near the ground is in columns u and rows v [m], shape (height, width)."""
    if ground.field is None:
        out = ground.normal
        return -(u * (out @ view.right) + v[:, None] * (out @ view.up)) / (out @ view.toward)
    sine, cosine = float(view.toward[2]), float(view.up[2])
    away = -view.toward[:2] / cosine
    low, high = float(ground.field.heights.min()), float(ground.field.heights.max())
    far = np.linspace((v.min() - high * cosine) / sine, (v.max() - low * cosine) / sine, 2 * len(v))
    places = u[:, None, None] * view.right[:2] + far[:, None] * away
    # Along a column of pixels, what lies farther is seen only where it rises above all that lies before it.
    risen = np.maximum.accumulate(far * sine + ground.height(places) * cosine, axis=1) + 1e-9 * np.arange(len(far))
    seen = np.stack([np.interp(v, column, far) for column in risen], axis=1)
    return -seen * cosine + (v[:, None] - seen * sine) / cosine * sine


def _paint(scenery: Scenery, view: View, grid: float, place: list[np.ndarray]) -> np.ndarray:
    """Colours of the ground at places x, y [m], shape (height, width, 3)."""
    ground = scenery.ground
    colors = np.empty((*place[0].shape, 3), dtype=np.float32)
    colors[:] = GROUND if ground.field is None else HILLS
    points = np.stack(place, axis=-1)
    for region, (face, _) in zip(scenery.regions, cycle(PATCH_LOOKS), strict=False):
        colors[in_polygon(points, np.array(region.vertices))] = rgb(face)
    if ground.field is not None:
        rise = ground.slopes(points).astype(np.float32)
        light = LIGHT[0] * view.right + LIGHT[1] * view.up + LIGHT[2] * view.toward
        lit = (light[2] - rise @ light[:2].astype(np.float32)) / np.sqrt(1.0 + np.sum(rise**2, axis=-1))
        colors *= np.clip(1.0 + RELIEF * (lit - light[2]), 0.0, 1.1)[..., None]
    line = np.zeros(points.shape[:2], dtype=np.float32)
    for values in place:
        off = np.abs(values - grid * np.round(values / grid))
        change = np.hypot(*np.gradient(values)) + 1e-12
        np.maximum(line, np.clip(1.1 - off / change, 0.0, 1.0), out=line)
    colors += line[..., None] * (GRID.astype(np.float32) - colors)
    return (255.0 * np.clip(colors, 0.0, 1.0)).astype(np.uint8)
