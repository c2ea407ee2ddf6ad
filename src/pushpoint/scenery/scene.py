"""A spatial run in pixels: the terrain, drawn once with how near everything is so that links can hide behind it, and
the body on it, picture by picture, with a shadow straight below every link."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

import numpy as np

from pushpoint.model.obstacle import Solid
from pushpoint.scenery.camera import PicturePlan, film_view, peg_top, plan_picture
from pushpoint.scenery.casting import LIGHT, Canvas, Cutouts, Hits, cast_boxes, cast_tubes
from pushpoint.scenery.drawn_run import DrawnRun
from pushpoint.scenery.palette import BLUE, ORANGE, PATCH_LOOKS, rgb
from pushpoint.scenery.shapes import View, in_polygon
from pushpoint.scenery.surroundings import GroundShape, Scenery, box_corners

SEEN_SHARE, MOST_PIXELS = 0.75, 1.2e7
GROUND, HILLS, GRID, SOLID, EDGE = (rgb(color) for color in ("#f6f5f2", "#e6e3dc", "#c4c4c4", "#c4c4c8", "#6f6f74"))
# Brightness of a surface in the shade, and what full light adds to it; the same of a link.
SHADE, LIT, LINK_SHADE, LINK_LIT = 0.62, 0.5, 0.5, 0.6
# Share of white in the colour of a link that is lifted, and in the rings that tell links apart.
LIFTED, RING = 0.6, 0.55
# Darkness of a shadow; how much is seen of a link behind a solid.
SHADOW, GHOST = 0.38, 0.22
# How much slopes of a height field darken and brighten.
RELIEF = 1.0
# Columns that are worked on at a time, which bounds the memory.
BAND = 512


class SpatialScene:
    """Draws terrain and body of a run in space."""

    def __init__(self, course: DrawnRun) -> None:
        assert course.space is not None
        self._course, self._space = course, course.space
        self._view = film_view(course)
        self.plan = plan_terrain(course, self._view)
        self.picture, self._near = draw_terrain(course, self._view, self.plan)
        strong = np.array([rgb(BLUE)] * (len(course.radius) - 1) + [rgb(ORANGE)])
        self._colors = np.stack([strong + LIFTED * (1.0 - strong), strong]).astype(np.float32)
        self._shapes = [np.flatnonzero(~self._space.square), np.flatnonzero(self._space.square)]

    def flat(self, points: np.ndarray) -> np.ndarray:
        """Places in the picture, shape (n, 3) to (n, 2)."""
        return self._view.flat(points)

    def show(self, picture: np.ndarray, sample: int, center: np.ndarray) -> np.ndarray:
        """Fills a picture with terrain, shadows and body; returns the corners of the picture [m], shape (2, 2)."""
        rows, columns, box = self.plan.region(center)
        picture[:] = self.picture[rows, columns]
        self._draw(picture, self._near[rows, columns], box, [sample])
        return box

    def shot(self, box: np.ndarray, samples: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """A picture of a box, shape (2, 2) [m], with the body in some samples, and the corners of what it shows."""
        rows, columns, shown = self.plan.part(box)
        picture = self.picture[rows, columns].copy()
        self._draw(picture, self._near[rows, columns], shown, samples)
        return picture, shown

    def _draw(self, picture: np.ndarray, still: np.ndarray, box: np.ndarray, samples: Sequence[int]) -> None:
        """Draws shadows and bodies over a part of the terrain."""
        canvas = Canvas(picture, still, still.copy(), box, self.plan.scale)
        for sample in samples:
            self._add_shadows(canvas, sample)
            self._add_links(canvas, sample)

    def _ends(self, sample: int) -> np.ndarray:
        """Ends of the links' axes [m], shape (2, n_links, 3)."""
        middle = self._course.middle[sample]
        # The corners of a square bar would stick out of a capsule of its width and length.
        inner = self._course.half_side - (self._course.radius - self._space.rounding)
        step = np.maximum(inner, 0.0)[:, None] * self._course.along[sample]
        return np.stack([middle - step, middle + step])

    def _add_shadows(self, canvas: Canvas, sample: int) -> None:
        ends, radius, ground = self._ends(sample), self._course.radius, self._course.scenery.ground
        below = ends.copy()
        below[..., 2] = np.minimum(ground.height(ends[..., :2]) - radius, ends[..., 2])
        corners = self.flat(np.concatenate([ends, below]))
        windows = canvas.windows(
            corners.min(axis=0) - radius[:, None] - 2.0 / canvas.scale,
            corners.max(axis=0) + radius[:, None] + 2.0 / canvas.scale,
        )
        view, near = self._view, np.stack([canvas.still[part] for part in windows.parts])
        right, up, toward = (tuple(map(float, part)) for part in (view.right, view.up, view.toward))
        x, y, z = (windows.u * right[k] + windows.v * up[k] + near * toward[k] for k in range(3))
        parts = ends[0], ends[1] - ends[0]
        (x0, y0, z0), (dx, dy, dz) = (part.T[:, :, None, None].astype(np.float32) for part in parts)
        share = np.clip(((x - x0) * dx + (y - y0) * dy) / np.maximum(dx**2 + dy**2, 1e-12), 0.0, 1.0)
        off = np.hypot(x - x0 - share * dx, y - y0 - share * dy)
        above, r = z0 + share * dz - z, radius[:, None, None].astype(np.float32)
        soft = 1.0 / canvas.scale + 0.3 * np.maximum(above - r, 0.0)
        shade = np.clip(0.5 + (r - off) / soft, 0.0, 1.0) * (above > 0.3 * r)
        canvas.darken(windows, shade, SHADOW)

    def _add_links(self, canvas: Canvas, sample: int) -> None:
        drawn: list[tuple[float, Cutouts, int, Hits, int]] = []
        basis = self._view.basis
        middle, turn = self._course.middle[sample] @ basis.T, basis @ self._space.turn[sample]
        reach = ((np.abs(turn) @ self._space.half[:, :, None])[..., 0] + self._space.rounding[:, None])[:, :2]
        for square, links in enumerate(self._shapes):
            if not len(links):
                continue
            windows = canvas.windows(middle[links, :2] - reach[links], middle[links, :2] + reach[links])
            if square:
                half = self._space.half[links] + self._space.rounding[links, None]
                hits = cast_boxes(middle[links], half, turn[links], windows.u, windows.v, canvas.scale)
            else:
                ends = self._ends(sample)[:, links] @ basis.T
                hits = cast_tubes(ends, self._course.radius[links], windows.u, windows.v, canvas.scale)
            drawn += [(float(middle[link, 2]), windows, k, hits, int(link)) for k, link in enumerate(links)]
        carries = self._course.carrying(sample)
        for _, windows, k, hits, link in sorted(drawn, key=lambda one: one[0]):
            base = self._colors[int(carries[link]), link]
            bright = (LINK_SHADE + LINK_LIT * np.clip(hits.light[k], 0.0, 1.0))[..., None] * base
            color = 255.0 * np.minimum(bright + RING * hits.line[k][..., None] * (1.0 - bright), 1.0)
            canvas.blend(windows.parts[k], hits.near[k], hits.cover[k], color, GHOST)


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
        return window.parts[0], cast_tubes(ends[:, None] @ view.basis.T, np.array([solid.radius]), *pixels, lids=True)
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
