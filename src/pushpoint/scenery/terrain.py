"""The terrain of a spatial run in pixels, drawn once: ground, obstacles with their shadows, the robot's path.

With it goes how near everything is, so that links can hide behind it.
"""

from __future__ import annotations

from itertools import cycle

import numpy as np

from pushpoint.model.obstacle import Solid
from pushpoint.scenery.camera import FILM_WIDTH, PicturePlan, peg_top, plan_picture
from pushpoint.scenery.casting import LIGHT, Canvas, Hits, cast_bores, cast_boxes, cast_convex, cast_tubes
from pushpoint.scenery.drawn_run import DrawnRun
from pushpoint.scenery.palette import INK, PATCH_LOOKS, PLAN_COLOR, rgb
from pushpoint.scenery.shadows import convex_shade, shadow_reach, softness, sun_of, tube_shade
from pushpoint.scenery.shapes import View, in_polygon
from pushpoint.scenery.surroundings import GroundShape, Scenery, box_corners, box_faces, rim_points

SEEN_SHARE, MOST_PIXELS = 0.75, 1.2e7
GROUND, HILLS, GRID, SOLID, EDGE = (rgb(color) for color in ("#f6f5f2", "#e6e3dc", "#c4c4c4", "#c4c4c8", "#6f6f74"))
# Brightness of a surface in the shade, and what full light adds to it.
SHADE, LIT = 0.58, 0.55
# Darkness of a shadow; how much is seen of a path behind a solid.
SHADOW, GHOST = 0.38, 0.22
# Colour of the rims of pipes.
PIPE_RIM = "#6f6f74"
# How much slopes of a height field darken and brighten.
RELIEF = 1.0
# Columns that are worked on at a time, which bounds the memory.
BAND = 512
# Half of the width of a drawn path, over the width of a film [-]; pieces of it at most.
PATH_WIDTH, MOST_PIECES = 0.6e-3, 400
# A finishing line is drawn across the body's way and this many body lengths beyond it on either side.
FINISH_ROOM = np.array([[-0.5], [0.5]])


def plan_terrain(course: DrawnRun, view: View, width: int = FILM_WIDTH) -> PicturePlan:
    """Room for the terrain around the body's whole way: the body, its shadow, and what is near."""
    half = course.half_side[:, None] * course.along
    ends, beside = np.concatenate([course.middle - half, course.middle + half]).reshape(-1, 3), course.near_obstacles
    low = np.concatenate([ends[:, :2], beside])
    shadow = np.column_stack([low, course.scenery.ground.height(low)])
    high = np.column_stack([beside, np.full(len(beside), course.body_box[1, 2])])
    points, thick = view.flat(np.concatenate([ends, shadow, high])), float(course.radius.max())
    # Seen aslant, a body is shorter than it is.
    both = np.concatenate([points - thick, points + thick])
    return plan_picture(both, SEEN_SHARE * course.length, width, MOST_PIXELS)


def draw_terrain(course: DrawnRun, view: View, plan: PicturePlan) -> tuple[np.ndarray, np.ndarray]:
    """A picture of the terrain, shape (height, width, 4), and how near it is [m], shape (height, width)."""
    scenery = course.scenery
    picture, near = draw_ground(scenery, view, plan)
    canvas = Canvas(picture, near, near, plan.box, plan.scale)

    def nearness(solid: Solid) -> float:
        x, y, z = solid.center
        upright = solid.radius and not solid.inner
        return float(np.array([x, y, scenery.ground.height(np.array([x, y])) if upright else z]) @ view.toward)

    bare = near.copy()
    for solid in sorted([*scenery.boxes, *scenery.pegs, *scenery.pipes], key=nearness):
        part, hits = _cast_solid(canvas, view, solid, course)
        bright = (SHADE + LIT * np.clip(hits.light[0], 0.0, 1.0))[..., None]
        line = 0.8 * hits.line[0][..., None]
        color = 255.0 * ((1.0 - line) * np.minimum(bright * SOLID, 1.0) + line * EDGE)
        canvas.blend(part, hits.near[0], hits.cover[0], color)
    _shade_ground(canvas, view, course, near == bare)
    thick = PATH_WIDTH * plan.window[0] / plan.scale
    for pipe in scenery.pipes:
        for rim in rim_points(pipe, pipe.radius):
            _draw_path(canvas, view, rim, PIPE_RIM, thick)
    _draw_path(canvas, view, course.center, INK, thick)
    if (finish := course.aim.finish_line(course.body_box[:, :2] + FINISH_ROOM * course.length)) is not None:
        ends = np.linspace(finish[0], finish[1], MOST_PIECES)
        level = scenery.ground.height(ends) + thick
        _draw_path(canvas, view, np.column_stack([ends, level]), PLAN_COLOR, 1.5 * thick)
    return picture, near


def _shade_ground(canvas: Canvas, view: View, course: DrawnRun, bare: np.ndarray) -> None:
    """Lets the obstacles cast their shadows on the ground, where it is bare: shape (height, width)."""
    sun, ground, pixel = sun_of(view), course.scenery.ground, 1.0 / canvas.scale
    shade = np.zeros(bare.shape, dtype=np.float32)
    for solid in (*course.scenery.boxes, *course.scenery.pegs, *course.scenery.pipes):
        corners = _tube_ends(solid, course) if solid.radius else box_corners(solid)
        level = (
            ground.height(corners[:, :2]) if ground.field is None else np.tile(ground.field.heights.min(), len(corners))
        )
        level = np.minimum(level, corners[:, 2])
        flat = view.flat(np.concatenate([corners, shadow_reach(corners, level, sun)]))
        room = solid.radius + softness(np.ptp(corners[:, 2]), solid.radius, 2.0 * pixel)
        window = canvas.windows(flat.min(axis=0)[None] - room, flat.max(axis=0)[None] + room)
        part = window.parts[0]
        rows, columns = np.nonzero(bare[part])
        u, v, near = window.u[0, 0, columns], window.v[0, rows, 0], canvas.near[part][rows, columns]
        axes = ((float(view.right[k]), float(view.up[k]), float(view.toward[k])) for k in range(3))
        places = [(u * right + v * up + near * toward)[None, None] for right, up, toward in axes]
        if solid.radius:
            found = tube_shade(places, corners[:, None], np.array([solid.radius]), sun, pixel)
        else:
            found = convex_shade(places, *box_faces(solid), sun, pixel)
        shade[part][rows, columns] = np.maximum(shade[part][rows, columns], found.ravel())
    canvas.picture[..., :3] = canvas.picture[..., :3] * (1.0 - SHADOW * shade[..., None])


def _draw_path(canvas: Canvas, view: View, points: np.ndarray, color: str, thick: float) -> None:
    """A line in space, half of its width so thick [m], hidden by what stands before it."""
    few = np.unique(np.linspace(0, len(points) - 1, min(len(points), MOST_PIECES)).astype(int))
    seen = points[few] @ view.basis.T
    moved = np.linalg.norm(np.diff(seen[:, :2], axis=0), axis=1) > 0.0
    for ends in np.stack([seen[:-1], seen[1:]], axis=1)[moved]:
        low, high = ends[:, :2].min(axis=0) - thick, ends[:, :2].max(axis=0) + thick
        window = canvas.windows(low[None], high[None])
        hits = cast_tubes(ends[:, None], np.array([thick]), window.u, window.v, canvas.scale)
        canvas.blend(window.parts[0], hits.near[0], hits.cover[0], 255.0 * rgb(color))


def _tube_ends(peg: Solid, course: DrawnRun) -> np.ndarray:
    """Both ends of the axis of a peg or pipe as it is drawn [m], shape (2, 3); a peg ends first below the ground."""
    if peg.inner:
        return np.array(peg.center) + np.outer((-peg.half[2], peg.half[2]), peg.rotation[:, 2])
    ends, thick = np.tile(peg.center, (2, 1)).astype(float), float(course.radius.max())
    around = peg.center[:2] + peg.radius * np.array([(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)])
    ends[:, 2] = float(course.scenery.ground.height(around).min()) - peg.radius - thick, peg_top(course, peg)
    return ends


def _cast_solid(canvas: Canvas, view: View, solid: Solid, course: DrawnRun) -> tuple[tuple[slice, slice], Hits]:
    """The part of the picture where a solid is seen, and what rays meet there."""
    ends = _tube_ends(solid, course) if solid.radius else np.zeros((2, 3))
    corners = ends if solid.radius else box_corners(solid)
    flat = view.flat(corners)
    window = canvas.windows(flat.min(axis=0)[None] - solid.radius, flat.max(axis=0)[None] + solid.radius)
    pixels = window.u, window.v, canvas.scale
    if solid.inner:
        return window.parts[0], cast_bores(ends[:, None] @ view.basis.T, np.array([solid.radius]), *pixels)
    if solid.radius:
        return window.parts[0], cast_tubes(ends[:, None] @ view.basis.T, np.array([solid.radius]), *pixels, lids=True)
    if solid.wedge:
        points, faces = box_faces(solid)
        return window.parts[0], cast_convex(points @ view.basis.T, faces @ view.basis.T, *pixels)
    center, turn = np.array([solid.center]) @ view.basis.T, view.basis @ solid.rotation
    return window.parts[0], cast_boxes(center, np.array([solid.half]), turn[None], *pixels)


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
