"""Runs seen from above or from the side, drawn with matplotlib: scenery, links, contour lines and force arrows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import cycle
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, PathPatch, Polygon
from matplotlib.path import Path as Outline

from pushpoint.plots.looks import HEAD_COLOR
from pushpoint.plots.page import LEFT, RIGHT, SMALL, WIDTH, dress
from pushpoint.scenery.aims import Aim
from pushpoint.scenery.drawn_run import DrawnRun
from pushpoint.scenery.palette import (
    FORCE_COLOR,
    GREY,
    INK,
    NUMBER_COLOR,
    PATCH_LOOKS,
    PLAN_COLOR,
    SOLID_COLOR,
    link_colors,
    paler,
    rgb,
)
from pushpoint.scenery.shapes import View, convex_hull, round_number, side_view
from pushpoint.scenery.surroundings import (
    LARGEST_TYPE,
    GroundShape,
    Scenery,
    box_corners,
    law_place,
    law_words,
    rim_points,
)

# Share of white in the colour of links that carry, and in theirs where links are lifted.
CARRYING, LIFTED = 0.5, 0.8
CONTOURS = 8
GROUND_COLOR = "#efece6"
# A direction of travel this near to an axis is taken for it.
NEAR_AXIS = math.cos(math.radians(10.0))
PROFILE_POINTS = 400
PLANNED: dict[str, Any] = {"color": PLAN_COLOR, "linewidth": 1.2, "linestyle": (0, (4, 1.5))}
START: dict[str, Any] = {"color": PLAN_COLOR, "marker": "o", "markerfacecolor": "white", "markersize": 5.0}
GOAL: dict[str, Any] = {"color": PLAN_COLOR, "marker": "*", "markersize": 9.0, "markeredgecolor": "white"}
FINISH: dict[str, Any] = {"color": PLAN_COLOR, "linewidth": 1.2, "linestyle": (0, (1, 1))}
"""How aims are drawn: the planned path, its start and goal, a finishing line."""
PAGE_WIDTH = WIDTH - LEFT - RIGHT
"""Width of a panel that fills the page [in]."""
ROOM = 0.06
"""Room around points, over the longer side of the box that they fill [-]."""


def fitted(
    box: np.ndarray, *, wide: float = PAGE_WIDTH, tallest: float, flattest: float = 0.0
) -> tuple[np.ndarray, float, float]:
    """A box, shape (2, 2) [m], that fills the width of a panel [in]; its scale [in/m], and the panel's height [in]."""
    size = box[1] - box[0]
    scale = float(min(wide / size[0], tallest / size[1]))
    tall = max(float(size[1]) * scale, flattest)
    half = np.array([wide, tall]) / (2.0 * scale)
    return box.mean(axis=0) + np.stack([-half, half]), scale, tall


def around(points: np.ndarray) -> np.ndarray:
    """Corners of a box with some room around points of shape (n, 2) [m], shape (2, 2)."""
    low, high = points.min(axis=0), points.max(axis=0)
    room = ROOM * max(float((high - low).max()), 1e-3)
    return np.stack([low - room, high + room])


def draw_map(axes: Axes, scenery: Scenery, box: np.ndarray, inches_per_meter: float) -> None:
    """Regions, obstacles and contour lines in a box of shape (2, 2) [m], with x and y along its edges."""
    axes.set(xlim=box[:, 0], ylim=box[:, 1], aspect="equal")
    dress(axes, x="x [m]", y="y [m]")
    words: dict[str, Any] = {"color": NUMBER_COLOR, "ha": "center", "clip_on": True}
    for region, (face, hatch) in zip(scenery.regions, cycle(PATCH_LOOKS), strict=False):
        look: dict[str, Any] = {"facecolor": face, "edgecolor": GREY, "hatch": hatch, "linewidth": 0.4, "alpha": 0.7}
        with matplotlib.rc_context({"hatch.linewidth": 0.3}):
            axes.add_patch(Polygon(np.array(region.vertices), zorder=0.5, **look))
        if (place := law_place(region, box, inches_per_meter)) is not None:
            back = {"facecolor": "white", "alpha": 0.7, "linewidth": 0.0, "pad": 1.0}
            x, y = place
            axes.text(x, y, law_words(region.friction), size=LARGEST_TYPE, va="bottom", bbox=back, zorder=1.2, **words)
    for solid in scenery.inside(box):
        x, y = solid.center.tolist()
        is_round = len(solid.corners) == 1
        look = {"facecolor": solid.color(inches_per_meter), "edgecolor": GREY, "linewidth": 0.6, "zorder": 1.0}
        around = Outline.make_compound_path(*map(closed, solid.outlines()))
        axes.add_patch(Circle((x, y), solid.radius, **look) if is_round else PathPatch(around, gid="outline", **look))
        if size := solid.number_size(inches_per_meter):
            axes.text(x, y, str(solid.number), size=size, va="center", zorder=1.1, gid="number", **words)
    _draw_contours(axes, scenery.ground, box)


def _draw_contours(axes: Axes, ground: GroundShape, box: np.ndarray) -> None:
    """Lines of equal height with their heights [m] in a box of shape (2, 2)."""
    if ground.flat:
        return
    x, y = (np.linspace(box[0, axis], box[1, axis], 200) for axis in range(2))
    level = ground.height(np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1))
    spread = float(np.ptp(level))
    if spread == 0.0:
        return
    step = round_number(spread / CONTOURS * 1.5)
    levels = step * np.arange(math.ceil(level.min() / step), math.floor(level.max() / step) + 1)
    lines = axes.contour(x, y, level.T, levels=levels, colors=GREY, linewidths=0.5, zorder=0.3, negative_linestyles="-")
    axes.clabel(lines, fontsize=SMALL - 2.0, fmt="%g", colors=NUMBER_COLOR, inline_spacing=2)


def closed(points: np.ndarray) -> Outline:
    """An outline through points of shape (n, 2)."""
    return Outline(np.concatenate([points, points[:1]]), closed=True)


def draw_body(axes: Axes, outlines: Sequence[np.ndarray] | np.ndarray, color: Any, opacity: float) -> None:
    """Links from tail to head; the head has a colour of its own."""
    # One path of equally turning outlines is filled as their union, so overlaps at the joints are not darker.
    body = Outline.make_compound_path(*map(closed, outlines))
    axes.add_patch(PathPatch(body, facecolor=(*rgb(color), opacity), edgecolor=color, linewidth=0.7, zorder=2))
    head: dict[str, Any] = {"facecolor": HEAD_COLOR, "edgecolor": color, "linewidth": 0.7, "gid": "head"}
    axes.add_patch(PathPatch(closed(outlines[-1]), zorder=2.1, **head))


def draw_wheels(axes: Axes, outlines: Sequence[np.ndarray], *, below: bool = False) -> None:
    """Wheels: over the body, where they would be hidden, or below the links of a posture in space."""
    for outline in outlines:
        look: dict[str, Any] = {"facecolor": INK, "edgecolor": "none", "zorder": 1.95 if below else 2.2}
        axes.add_patch(PathPatch(closed(outline), gid="wheel", **look))


def shades(color: Any, carries: np.ndarray) -> np.ndarray:
    """Red, green and blue of links drawn in a colour, shape (n_links, 3): lifted ones are paler, but not the head."""
    return link_colors(carries, paler(color, CARRYING), HEAD_COLOR, LIFTED)


def draw_links(axes: Axes, course: DrawnRun, sample: int, view: View, color: Any) -> None:
    """The links of a posture in space, from the farthest to the nearest; those that are lifted are paler."""
    draw_wheels(axes, course.wheel_outlines(sample, view), below=True)
    faces, outlines = shades(color, course.carrying(sample)), course.outlines(sample, view)
    for order, link in enumerate(np.argsort(course.middle[sample] @ view.toward)):
        look: dict[str, Any] = {"facecolor": faces[link], "edgecolor": color, "linewidth": 0.6}
        if link == len(outlines) - 1:
            look["gid"] = "head"
        axes.add_patch(PathPatch(closed(outlines[link]), zorder=2.0 + 0.5 * order / len(outlines), **look))


def draw_aim(axes: Axes, aim: Aim, box: np.ndarray) -> None:
    """What a run was to do, seen from above: the planned path with its start and goal, and a finishing line."""
    if aim.path is not None:
        axes.plot(*aim.path.T, zorder=1.6, gid="planned path", **PLANNED)
        axes.plot(*aim.path[0], zorder=3.3, gid="start", **START)
        axes.plot(*aim.path[-1], zorder=3.3, gid="goal", **GOAL)
    line = aim.finish_line(box)
    if line is not None:
        axes.plot(*line.T, zorder=1.6, gid="finishing line", **FINISH)


def draw_arrows(axes: Axes, foot: np.ndarray, arrow: np.ndarray) -> None:
    """Arrows from foot along arrow, both in the unit of the axes."""
    if len(foot):
        look: dict[str, Any] = {"color": FORCE_COLOR, "edgecolor": "white", "linewidth": 0.4, "zorder": 4}
        true_length: dict[str, Any] = {"angles": "xy", "scale_units": "xy", "scale": 1.0}
        axes.quiver(*foot.T, *arrow.T, units="inches", width=0.022, minlength=0.1, **true_length, **look)


def time_colors(count: int) -> list[Any]:
    """Colours of successive times, red, green, blue."""
    colors = matplotlib.colormaps["viridis_r"]
    return [colors(0.25 + 0.7 * k / max(count - 1, 1))[:3] for k in range(count)]


class Side:
    """A look from the side at a run in space; `along_x` tells whether its horizontal axis is that of x.

    frame: corners of what is shown from above [m], shape (2, 2); tips: where arrows end [m], shape (n, 3) each;
    flattest: least height of the picture over its width [-].
    """

    def __init__(self, course: DrawnRun, frame: np.ndarray, tips: Sequence[np.ndarray], flattest: float) -> None:
        assert course.space is not None
        self._course, self._frame = course, frame
        direction, self.label = _direction(course)
        self.view, self.along_x = side_view(direction), self.label == "x [m]"
        self._ends = frame[:, 0]
        if not self.along_x:
            right = self.view.right
            reach, along = course.space.reach() @ np.abs(right), course.middle @ right
            low, high = float((along - reach).min()), float((along + reach).max())
            width = max(1.06 * (high - low), float(frame[1, 0] - frame[0, 0]))
            self._ends = (low + high) / 2.0 + np.array([-width / 2.0, width / 2.0])
        few = np.unique(np.linspace(0, len(course.time) - 1, 20).astype(int))
        grounds = [course.scenery.ground.height(self._line(sample)) for sample in few]
        tops = [corners[:, 2].max() for scenery in course.sceneries for corners in self._boxes(scenery)]
        levels = np.concatenate([course.body_box[:, 2], *grounds, tops, *(tip[:, 2] for tip in tips)])
        bottom, top, width = float(levels.min()), float(levels.max()), float(np.ptp(self._ends))
        room = max(0.06 * (top - bottom), 0.01 * width)
        tall = max(top - bottom + 2.0 * room, flattest * width)
        self.box = np.stack([self._ends, (bottom - room, bottom - room + tall)], axis=-1)

    def _line(self, sample: int) -> np.ndarray:
        """Places on the ground along the horizontal, through the middle of the body [m], shape (n, 2)."""
        right, across = self.view.right[:2], self.view.toward[:2]
        middle = self._course.middle[sample, :, :2].mean(axis=0)
        along = np.linspace(self._ends[0], self._ends[1], PROFILE_POINTS)
        return np.asarray(along[:, None] * right + float(middle @ across) * across)

    def _boxes(self, scenery: Scenery) -> list[np.ndarray]:
        """Corners of the boxes that reach into the frame [m], shape (8, 3) each."""
        low, high = self._frame
        every = [box_corners(box) for box in scenery.boxes]
        return [one for one in every if np.all((one[:, :2].max(axis=0) > low) & (one[:, :2].min(axis=0) < high))]

    def draw(self, axes: Axes, sample: int) -> None:
        """Draws the terrain: the ground below the middle of the body, and what stands in the frame."""
        scenery, view, (low, high) = self._course.scenery_at(sample), self.view, self._frame
        ground = scenery.ground
        line = self._line(sample)
        along, level = line @ view.right[:2], ground.height(line)
        axes.fill_between(along, level, self.box[0, 1], color=GROUND_COLOR, linewidth=0.0, zorder=0.4)
        axes.plot(along, level, color=GREY, linewidth=0.6, zorder=0.5)
        look: dict[str, Any] = {"facecolor": SOLID_COLOR, "edgecolor": GREY, "linewidth": 0.5, "zorder": 0.6}
        for corners in sorted(self._boxes(scenery), key=lambda corners: float((corners @ view.toward).max())):
            axes.add_patch(Polygon(convex_hull(view.flat(corners)), **look))
        for pipe in scenery.pipes:
            axes.add_patch(
                Polygon(convex_hull(view.flat(rim_points(pipe, pipe.radius).reshape(-1, 3))), alpha=0.5, **look)
            )
        post: dict[str, Any] = {"color": SOLID_COLOR, "alpha": 0.5, "linewidth": 0.0, "zorder": 0.55}
        for peg in scenery.pegs:
            place = np.array(peg.center[:2])
            if np.all((place + peg.radius > low) & (place - peg.radius < high)):
                ends = float(place @ view.right[:2]) + np.array([-peg.radius, peg.radius])
                top = self.box[1, 1] if peg.endless else peg.center[2] + peg.half[2]
                axes.fill_between(ends, float(ground.height(place)), top, **post)


def _direction(course: DrawnRun) -> tuple[np.ndarray, str]:
    """The horizontal axis of a look from the side, and what it is called; x for a robot that climbs."""
    moved, travel = course.center[-1] - course.center[0], course.travel
    if abs(moved[2]) > 2.0 * math.hypot(*moved[:2]):
        return np.eye(2)[0], "x [m]"
    for axis, name in enumerate("xy"):
        if abs(travel[axis]) > NEAR_AXIS:
            return np.eye(2)[axis], f"{name} [m]"
    turned = f"{math.degrees(math.atan2(travel[1], travel[0])):.0f}".replace("-", "−")
    return travel, f"along {turned}° from x [m]"
