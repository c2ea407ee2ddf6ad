"""A planar run in a film: the ground with obstacles and paths, drawn anew where one is moved, and the body on it."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Polygon
from matplotlib.path import Path as Outline

from pushpoint.scenery.camera import FILM_WIDTH, PicturePlan, plan_picture
from pushpoint.scenery.drawn_run import DrawnRun
from pushpoint.scenery.palette import GREY, INK, NUMBER_COLOR, PALE, PATCH_LOOKS, PLAN_COLOR, link_colors
from pushpoint.scenery.surroundings import LARGEST_TYPE, Scenery, law_place, law_words

PIXELS_PER_INCH, LEAST_SCALE = 100, 0.75
"""Of a film of the usual width; type and lines grow and shrink with it, but not below this share."""
PATH_LINE: dict[str, Any] = {"color": INK, "linewidth": 0.9}
PLAN_LINE: dict[str, Any] = {"color": PLAN_COLOR, "linewidth": 1.8, "dashes": (4.0, 2.0)}
START: dict[str, Any] = {"marker": "o", "markersize": 9, "markerfacecolor": "white", "markeredgecolor": PLAN_COLOR}
GOAL: dict[str, Any] = {"marker": "*", "markersize": 17, "markerfacecolor": PLAN_COLOR, "markeredgecolor": "white"}


def type_scale(width: int) -> float:
    """Size of type and lines in a film of a width [px], over that in a film of the usual one [-]."""
    return max(width / FILM_WIDTH, LEAST_SCALE)


class PlanarScene:
    """Draws ground and body of a run in the plane."""

    def __init__(self, course: DrawnRun, width: int = FILM_WIDTH) -> None:
        self._whole = self._course = course
        points = np.concatenate([course.body_box, course.near_obstacles])
        self.plan = plan_picture(points, course.length, width)
        self.picture = _draw_ground(course, self.plan)
        edge = min(1.0, self.plan.scale * float(course.radius.mean()) / 12.0)
        colors = link_colors(np.ones(len(course.radius), dtype=bool))
        self.body, self.head = moving_patch(colors[0], edge), moving_patch(colors[-1], edge)
        self.wheels = moving_patch(INK, 0.0)

    def flat(self, points: np.ndarray) -> np.ndarray:
        """Places in the picture, shape (n, 2)."""
        return points

    def show(self, picture: np.ndarray, sample: int, center: np.ndarray) -> np.ndarray:
        """Fills a picture with the ground and poses the body; returns the corners of the picture [m], shape (2, 2)."""
        self._stand(self._whole.scenery_at(sample))
        rows, columns, box = self.plan.region(center)
        picture[:] = self.picture[rows, columns]
        # The outlines turn the same way, so that their union is filled once.
        outlines = [Outline(np.concatenate([each, each[:1]]), closed=True) for each in self._course.outlines(sample)]
        self.body.set_path(Outline.make_compound_path(*outlines))
        self.head.set_path(outlines[-1])
        rolling = self._course.wheel_outlines(sample)
        if rolling:
            wheels = [Outline(np.concatenate([each, each[:1]]), closed=True) for each in rolling]
            self.wheels.set_path(Outline.make_compound_path(*wheels))
        return box

    def _stand(self, scenery: Scenery) -> None:
        """Draws the ground anew where something was moved."""
        if scenery is not self._course.scenery:
            self._course = replace(self._whole, scenery=scenery)
            self.picture = _draw_ground(self._course, self.plan)


def sheet(width: int, height: int, scale: float = 1.0) -> Figure:
    """A white figure of so many pixels, with type and lines in a scale."""
    dots = PIXELS_PER_INCH * scale
    # Matplotlib cuts off what is behind the point: 406 pixels as 4.06 inches were 405.
    size = ((width + 0.01) / dots, (height + 0.01) / dots)
    return Figure(figsize=size, dpi=dots, facecolor="white")


def moving_patch(color: Any, edge: float) -> PathPatch:
    """Something that moves, not yet anywhere."""
    return PathPatch(Outline(np.zeros((0, 2))), facecolor=color, edgecolor="white", linewidth=edge)


def _draw_ground(course: DrawnRun, plan: PicturePlan) -> np.ndarray:
    """The whole ground with a grid, regions, obstacles and paths, shape (height, width, 4)."""
    box, grid, unit = plan.box, plan.grid, type_scale(plan.window[0])
    wide, tall = plan.pixels.tolist()
    figure = sheet(wide, tall, unit)
    canvas: Any = FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.axis("off")
    axes.set(xlim=box[:, 0], ylim=box[:, 1])
    for axis, draw in enumerate((axes.axvline, axes.axhline)):
        for place in grid * np.arange(np.ceil(box[0, axis] / grid), box[1, axis] / grid):
            draw(place, color=PALE, linewidth=0.8, zorder=0.1)
    scale = plan.scale / (PIXELS_PER_INCH * unit)
    _draw_regions(axes, course, box, scale)
    for solid in course.scenery.inside(box):
        around = Outline.make_compound_path(*(Outline([*each, each[0]], closed=True) for each in solid.outlines()))
        axes.add_patch(PathPatch(around, facecolor=solid.color(scale), edgecolor=GREY, linewidth=0.6))
        if size := solid.number_size(scale):
            x, y = solid.center.tolist()
            axes.text(x, y, str(solid.number), size=size, color=NUMBER_COLOR, ha="center", va="center", zorder=2.0)
    _draw_paths(axes, course, box)
    canvas.draw()
    return np.array(canvas.buffer_rgba())


def _draw_regions(axes: Axes, course: DrawnRun, box: np.ndarray, inches_per_meter: float) -> None:
    """Parts of the ground with another friction, which is written into them."""
    words: dict[str, Any] = {"color": NUMBER_COLOR, "ha": "center", "va": "bottom", "zorder": 2.0}
    for region, (face, hatch) in zip(course.scenery.regions, cycle(PATCH_LOOKS), strict=False):
        look: dict[str, Any] = {"facecolor": face, "edgecolor": GREY, "hatch": hatch, "linewidth": 0.4, "alpha": 0.7}
        with matplotlib.rc_context({"hatch.linewidth": 0.3}):
            axes.add_patch(Polygon(np.array(region.vertices), **look))
        if (place := law_place(region, box, inches_per_meter)) is not None:
            back = {"facecolor": "white", "alpha": 0.7, "linewidth": 0.0, "pad": 1.0}
            axes.text(*place, law_words(region.friction), size=LARGEST_TYPE, bbox=back, **words)


def _draw_paths(axes: Axes, course: DrawnRun, box: np.ndarray) -> None:
    """The path of the centre of mass; the planned one with its start and goal; a finishing line."""
    axes.plot(*course.center.T, zorder=2.1, **PATH_LINE)
    if course.aim.path is not None:
        axes.plot(*course.aim.path.T, zorder=2.2, **PLAN_LINE)
        for place, look in ((course.aim.path[0], START), (course.aim.path[-1], GOAL)):
            axes.plot(*place, zorder=2.3, markeredgewidth=1.4, linestyle="none", **look)
    if (line := course.aim.finish_line(box)) is not None:
        axes.plot(*line.T, zorder=2.2, color=PLAN_COLOR, linewidth=2.4)
