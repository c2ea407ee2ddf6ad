"""A spatial run in pixels: the body on its terrain, picture by picture, with a shadow below every link.

The terrain is drawn once, and anew where something is moved, with how near everything is, so that links can hide
behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pushpoint.scenery.camera import FILM_WIDTH, film_view
from pushpoint.scenery.casting import Canvas, Cutouts, Hits, cast_boxes, cast_tubes
from pushpoint.scenery.drawn_run import DrawnRun
from pushpoint.scenery.palette import INK, link_colors, rgb
from pushpoint.scenery.shadows import shadow_reach, softness, sun_of, tube_shade
from pushpoint.scenery.surroundings import Scenery
from pushpoint.scenery.terrain import GHOST, SHADOW, draw_terrain, plan_terrain
from pushpoint.scenery.wheels import HALF_WIDTH

# Brightness of a link in the shade, and what full light adds to it.
LINK_SHADE, LINK_LIT = 0.62, 0.48
# Share of white in the rings that tell links apart.
RING = 0.55
# Where a shadow lands is looked for in so many steps, at the place itself and on all sides of it.
DEEPER = 3
SIDES = np.array([(0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)])


class SpatialScene:
    """Draws terrain and body of a run in space."""

    def __init__(self, course: DrawnRun, width: int = FILM_WIDTH) -> None:
        assert course.space is not None
        self._whole, self._course, self._space = course, course, course.space
        self._view = film_view(course)
        self._sun = sun_of(self._view)
        self.plan = plan_terrain(course, self._view, width)
        self.picture, self._near = draw_terrain(course, self._view, self.plan)
        self._shapes = [np.flatnonzero(~self._space.square), np.flatnonzero(self._space.square)]

    def flat(self, points: np.ndarray) -> np.ndarray:
        """Places in the picture, shape (n, 3) to (n, 2)."""
        return self._view.flat(points)

    def show(self, picture: np.ndarray, sample: int, center: np.ndarray) -> np.ndarray:
        """Fills a picture with terrain, shadows and body; returns the corners of the picture [m], shape (2, 2)."""
        self._stand(self._whole.scenery_at(sample))
        rows, columns, box = self.plan.region(center)
        picture[:] = self.picture[rows, columns]
        self._draw(picture, self._near[rows, columns], box, [sample])
        return box

    def _stand(self, scenery: Scenery) -> None:
        """Draws the terrain anew where something was moved."""
        if scenery is not self._course.scenery:
            self._course = replace(self._whole, scenery=scenery)
            self.picture, self._near = draw_terrain(self._course, self._view, self.plan)

    def shot(self, box: np.ndarray, samples: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """A picture of a box, shape (2, 2) [m], with the body in some samples, and the corners of what it shows."""
        self._stand(self._whole.scenery_at(samples[-1]))
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

    def _floor(self, ends: np.ndarray) -> np.ndarray:
        """How deep the shadows of links fall [m], shape (2, n_links): beyond an edge, as deep as what lies below it."""
        around = SIDES[:, None, None] * (2.0 * self._course.radius[:, None])
        level = ends[..., 2]
        for _ in range(DEEPER):
            landed = shadow_reach(ends, level, self._sun)[..., :2]
            level = np.minimum(level, self._course.scenery.top(landed + around).min(axis=0))
        return np.asarray(level)

    def _add_shadows(self, canvas: Canvas, sample: int) -> None:
        ends, radius = self._ends(sample), self._course.radius
        pixel = 1.0 / canvas.scale
        lowest = self._floor(ends) - radius
        corners = self.flat(np.concatenate([ends, shadow_reach(ends, lowest, self._sun)]))
        room = (radius + pixel + softness((ends[..., 2] - lowest).max(axis=0), radius, pixel) / 2.0)[:, None]
        windows = canvas.windows(corners.min(axis=0) - room, corners.max(axis=0) + room)
        view, near = self._view, np.stack([canvas.still[part] for part in windows.parts])
        right, up, toward = (tuple(map(float, part)) for part in (view.right, view.up, view.toward))
        places = [windows.u * right[k] + windows.v * up[k] + near * toward[k] for k in range(3)]
        canvas.darken(windows, tube_shade(places, ends, radius, self._sun, pixel), SHADOW)

    def _wheels(self, canvas: Canvas, sample: int) -> list[tuple[float, Cutouts, int, Hits, int]]:
        """Wheels as short tubes along their axles; their colour is the last one."""
        wheels, basis = self._course.wheels, self._view.basis
        if not len(wheels):
            return []
        turn = self._space.turn[sample]
        middle, axle = wheels.middles(self._course.middle[sample], turn) @ basis.T, wheels.axles(turn) @ basis.T
        room = wheels.radius[:, None] * (1.0 + HALF_WIDTH)
        windows = canvas.windows(middle[:, :2] - room, middle[:, :2] + room)
        inner = HALF_WIDTH * wheels.radius[:, None] * axle
        hits = cast_tubes(np.stack([middle - inner, middle + inner]), wheels.radius, windows.u, windows.v, canvas.scale)
        return [(float(middle[k, 2]), windows, k, hits, -1) for k in range(len(wheels))]

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
        colors = np.vstack([link_colors(self._course.carrying(sample)), rgb(INK)]).astype(np.float32)
        drawn += self._wheels(canvas, sample)
        for _, windows, k, hits, link in sorted(drawn, key=lambda one: one[0]):
            bright = (LINK_SHADE + LINK_LIT * np.clip(hits.light[k], 0.0, 1.0))[..., None] * colors[link]
            color = 255.0 * np.minimum(bright + RING * hits.line[k][..., None] * (1.0 - bright), 1.0)
            canvas.blend(windows.parts[k], hits.near[k], hits.cover[k], color, GHOST)
