"""A planar run from above: the ground drawn once, and the body on it, frame by frame, with matplotlib."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Polygon
from matplotlib.path import Path as Outline

from pushpoint.scenery.camera import PicturePlan, plan_picture
from pushpoint.scenery.drawn_run import DrawnRun, body_box, near_obstacles
from pushpoint.scenery.palette import BLUE, GREY, NUMBER_COLOR, ORANGE, PALE, PATCH_LOOKS
from pushpoint.scenery.surroundings import LARGEST_TYPE, law_place, law_words

PIXELS_PER_INCH = 100


class PlanarScene:
    """Draws ground and body of a run in the plane."""

    def __init__(self, course: DrawnRun) -> None:
        self._course = course
        self.plan = plan_picture(np.concatenate([body_box(course), near_obstacles(course)]), course.length)
        self.picture = _draw_ground(course, self.plan)
        edge = min(1.0, self.plan.scale * float(course.radius.mean()) / 12.0)
        self._body, self._head = (
            PathPatch(Outline(np.zeros((0, 2))), facecolor=color, edgecolor="white", linewidth=edge)
            for color in (BLUE, ORANGE)
        )

    def attach(self, axes: Axes) -> list[PathPatch]:
        """Puts what moves into the axes of a film, and hands it out to be drawn in this order."""
        axes.add_patch(self._body)
        axes.add_patch(self._head)
        return [self._body, self._head]

    def flat(self, points: np.ndarray) -> np.ndarray:
        """Places in the picture, shape (n, 2)."""
        return points

    def show(self, picture: np.ndarray, sample: int, center: np.ndarray) -> np.ndarray:
        """Fills a picture with the ground and poses the body; returns the corners of the picture [m], shape (2, 2)."""
        rows, columns, box = self.plan.region(center)
        picture[:] = self.picture[rows, columns]
        # The outlines turn the same way, so that their union is filled once.
        outlines = [Outline(np.concatenate([each, each[:1]]), closed=True) for each in self._course.outlines(sample)]
        self._body.set_path(Outline.make_compound_path(*outlines))
        self._head.set_path(outlines[-1])
        return box


def _draw_ground(course: DrawnRun, plan: PicturePlan) -> np.ndarray:
    """The whole ground with a grid, regions and obstacles, shape (height, width, 4)."""
    box, grid = plan.box, plan.grid
    figure = Figure(figsize=tuple(plan.pixels / PIXELS_PER_INCH), dpi=PIXELS_PER_INCH, facecolor="white")
    canvas: Any = FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.axis("off")
    axes.set(xlim=box[:, 0], ylim=box[:, 1])
    for axis, draw in enumerate((axes.axvline, axes.axhline)):
        for place in grid * np.arange(np.ceil(box[0, axis] / grid), box[1, axis] / grid):
            draw(place, color=PALE, linewidth=0.8, zorder=0.1)
    scale, words = plan.scale / PIXELS_PER_INCH, dict[str, Any](color=NUMBER_COLOR, ha="center", zorder=2.0)
    for region, (face, hatch) in zip(course.scenery.regions, cycle(PATCH_LOOKS), strict=False):
        look: dict[str, Any] = {"facecolor": face, "edgecolor": GREY, "hatch": hatch, "linewidth": 0.4, "alpha": 0.7}
        with matplotlib.rc_context({"hatch.linewidth": 0.3}):
            axes.add_patch(Polygon(np.array(region.vertices), **look))
        if (place := law_place(region, box, scale)) is not None:
            back = {"facecolor": "white", "alpha": 0.7, "linewidth": 0.0, "pad": 1.0}
            axes.text(*place, law_words(region.friction), size=LARGEST_TYPE, va="bottom", bbox=back, **words)
    for solid in course.scenery.inside(box):
        axes.add_patch(Polygon(solid.outline(), facecolor=solid.color(scale), edgecolor=GREY, linewidth=0.6))
        if size := solid.number_size(scale):
            x, y = solid.center.tolist()
            axes.text(x, y, str(solid.number), size=size, va="center", **words)
    canvas.draw()
    return np.array(canvas.buffer_rgba())
