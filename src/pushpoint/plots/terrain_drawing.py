"""Spatial runs on paper: contour lines, a look from the side, and links that carry darker than those that do not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch, Polygon

from pushpoint.plots.drawing import GREY, SMALL
from pushpoint.plots.world_drawing import NUMBER_COLOR, SOLID_COLOR, round_number, view_outlines
from pushpoint.scenery.course_frames import Course, body_box
from pushpoint.scenery.outlines import convex_hull
from pushpoint.scenery.space import View, side_view
from pushpoint.scenery.terrain import GroundShape

GROUND_COLOR = "#efece6"
# Share of white in the colour of a link: one that carries, one that does not; and of the head likewise.
CARRYING, LIFTED, HEAD_CARRYING, HEAD_LIFTED = 0.5, 0.9, 0.0, 0.55
# A direction of travel this near to an axis is taken for it.
NEAR_AXIS = math.cos(math.radians(10.0))
CONTOURS, PROFILE_POINTS = 8, 400


@dataclass(frozen=True, kw_only=True)
class Side:
    """A look from the side."""

    view: View
    """Which way it looks."""
    box: np.ndarray
    """What it shows [m], shape (2, 2)."""
    label: str
    """What its horizontal axis is."""
    along_x: bool
    """Whether that is the x axis."""


def plan_side(course: Course, frame: np.ndarray, tips: list[np.ndarray]) -> Side:
    """The side view of a run.

    Args:
        course: The run.
        frame: Corners of what is shown from above [m], shape (2, 2).
        tips: Where arrows end [m], shape (n, 3) each.
    """
    direction, label, along_x = _direction(course.travel)
    assert course.space is not None
    view, terrain, body = side_view(direction), course.space.terrain, body_box(course)
    reach = course.space.reach() @ np.abs(view.right)
    along = course.middle @ view.right
    low, high = float((along - reach).min()), float((along + reach).max())
    if along_x:
        low, high = float(frame[0, 0]), float(frame[1, 0])
    width = max(1.06 * (high - low), float(frame[1, 0] - frame[0, 0])) if not along_x else high - low
    ends = (low + high) / 2.0 + np.array([-width / 2.0, width / 2.0])
    near = [corners for block in terrain.blocks if _inside(corners := block.corners, frame)]
    tops = [corners[:, 2].max() for corners in near]
    grounds = [terrain.ground.height(_line(course, sample, view, ends)) for sample in _few(course)]
    levels = np.concatenate([body[:, 2], *grounds, tops, *(ends[:, 2] for ends in tips)])
    bottom, top = float(levels.min()), float(levels.max())
    room = max(0.06 * (top - bottom), 0.01 * width)
    tall = max(top - bottom + 2.0 * room, 0.12 * width)
    return Side(
        view=view,
        box=np.stack([ends, (bottom - room, bottom - room + tall)], axis=-1),
        label=label,
        along_x=along_x,
    )


def _direction(travel: np.ndarray) -> tuple[np.ndarray, str, bool]:
    for axis, name in enumerate("xy"):
        if abs(travel[axis]) > NEAR_AXIS:
            return np.eye(2)[axis], f"{name} [m]", name == "x"
    turned = f"{math.degrees(math.atan2(travel[1], travel[0])):.0f}".replace("-", "−")
    return travel, f"along travel ({turned}° from x) [m]", False


def _few(course: Course) -> np.ndarray:
    return np.unique(np.linspace(0, len(course.time) - 1, 20).astype(int))


def _line(course: Course, sample: int, view: View, ends: np.ndarray) -> np.ndarray:
    """Places on the ground along the view's horizontal, through the middle of the body [m], shape (n, 2)."""
    right, across = view.right[:2], view.toward[:2]
    middle = course.middle[sample, :, :2].mean(axis=0)
    along = np.linspace(ends[0], ends[1], PROFILE_POINTS)
    return np.asarray(along[:, None] * right + float(middle @ across) * across)


def _inside(corners: np.ndarray, frame: np.ndarray) -> bool:
    return bool(np.all((corners[:, :2].max(axis=0) > frame[0]) & (corners[:, :2].min(axis=0) < frame[1])))


def draw_side(axes: Axes, course: Course, side: Side, frame: np.ndarray, sample: int) -> None:
    """The terrain from the side: the ground below the middle of the body, and what stands in the frame."""
    assert course.space is not None
    terrain, view = course.space.terrain, side.view
    line = _line(course, sample, view, side.box[:, 0])
    along, level = line @ view.right[:2], terrain.ground.height(line)
    axes.fill_between(along, level, side.box[0, 1], color=GROUND_COLOR, linewidth=0.0, zorder=0.4)
    axes.plot(along, level, color=GREY, linewidth=0.6, zorder=0.5)
    look: dict[str, Any] = {"facecolor": SOLID_COLOR, "edgecolor": GREY, "linewidth": 0.5}
    near = [block.corners for block in terrain.blocks if _inside(block.corners, frame)]
    for corners in sorted(near, key=lambda corners: float((corners @ view.toward).max())):
        axes.add_patch(Polygon(convex_hull(view.flat(corners)), zorder=0.6, **look))
    for post in terrain.posts:
        if np.all((post.center + post.radius > frame[0]) & (post.center - post.radius < frame[1])):
            middle = float(post.center @ view.right[:2])
            bottom = float(terrain.ground.height(post.center[None])[0])
            ends = np.array([middle - post.radius, middle + post.radius])
            axes.fill_between(ends, bottom, side.box[1, 1], color=SOLID_COLOR, alpha=0.5, linewidth=0.0, zorder=0.55)


def draw_contours(axes: Axes, ground: GroundShape, box: np.ndarray) -> float:
    """Lines of equal height with their heights [m] in a box of shape (2, 2); returns their distance, 0 if none."""
    if ground.flat:
        return 0.0
    x, y = (np.linspace(box[0, axis], box[1, axis], 200) for axis in range(2))
    level = ground.height(np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1))
    spread = float(np.ptp(level))
    if spread == 0.0:
        return 0.0
    step = round_number(spread / CONTOURS * 1.5)
    levels = step * np.arange(math.ceil(level.min() / step), math.floor(level.max() / step) + 1)
    lines = axes.contour(x, y, level.T, levels=levels, colors=GREY, linewidths=0.5, zorder=0.3, negative_linestyles="-")
    axes.clabel(lines, fontsize=SMALL - 2.0, fmt="%g", colors=NUMBER_COLOR, inline_spacing=2)
    return step


def draw_links(axes: Axes, course: Course, sample: int, view: View, color: Any) -> None:
    """The links of a posture, from the farthest to the nearest; those that are lifted are paler."""
    assert course.space is not None
    carries = np.ones(len(course.radius), dtype=bool) if course.space.carries is None else course.space.carries[sample]
    outlines = view_outlines(course, sample, view)
    for order, link in enumerate(np.argsort(course.middle[sample] @ view.toward)):
        shares = (HEAD_CARRYING, HEAD_LIFTED) if link == len(outlines) - 1 else (CARRYING, LIFTED)
        face = paler(color, shares[0] if carries[link] else shares[1])
        place = 2.0 + 0.5 * order / len(outlines)
        axes.add_patch(PathPatch(outlines[link], facecolor=face, edgecolor=color, linewidth=0.6, zorder=place))


def paler(color: Any, share: float) -> tuple[float, float, float]:
    """A colour mixed with a share of white."""
    red, green, blue = (part + share * (1.0 - part) for part in matplotlib.colors.to_rgb(color))
    return red, green, blue
