"""The body of a spatial run on its terrain, picture by picture, with a shadow straight below every link."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pushpoint.scenery.camera import film_view
from pushpoint.scenery.casting import Canvas, Cutouts, Hits, cast_boxes, cast_tubes
from pushpoint.scenery.drawn_run import DrawnRun
from pushpoint.scenery.palette import BLUE, ORANGE, rgb
from pushpoint.scenery.terrain_picture import draw_terrain, plan_terrain

# Share of white in the colour of a link that is lifted, and in the rings that tell links apart.
LIFTED, RING = 0.6, 0.55
# Brightness of a link in the shade, and what full light adds to it.
SHADE, LIT = 0.5, 0.6
# Darkness of a shadow; how much is seen of a link behind a solid.
SHADOW, GHOST = 0.38, 0.22


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
        view, near = self._view, canvas.terrain(windows)
        right, up, toward = (tuple(map(float, part)) for part in (view.right, view.up, view.toward))
        x, y, z = (windows.u * right[k] + windows.v * up[k] + near * toward[k] for k in range(3))
        (x0, y0, z0), (dx, dy, dz) = (
            part.T[:, :, None, None].astype(np.float32) for part in (ends[0], ends[1] - ends[0])
        )
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
            bright = (SHADE + LIT * np.clip(hits.light[k], 0.0, 1.0))[..., None] * base
            color = 255.0 * np.minimum(bright + RING * hits.line[k][..., None] * (1.0 - bright), 1.0)
            canvas.blend(windows.part(k), hits.near[k], hits.cover[k], color, GHOST)
