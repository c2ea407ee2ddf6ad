"""The look at a run from the side: along what the robot does not travel."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Polygon

from pushpoint.scenery.drawn_run import DrawnRun, body_box
from pushpoint.scenery.outlines import convex_hull
from pushpoint.scenery.palette import GREY, SOLID_COLOR
from pushpoint.scenery.surroundings import box_corners
from pushpoint.scenery.views import View, side_view

GROUND_COLOR = "#efece6"
# A direction of travel this near to an axis is taken for it.
NEAR_AXIS = math.cos(math.radians(10.0))
PROFILE_POINTS = 400


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


def plan_side(course: DrawnRun, frame: np.ndarray, tips: Sequence[np.ndarray]) -> Side:
    """The side view of a run.

    Args:
        course: The run.
        frame: Corners of what is shown from above [m], shape (2, 2).
        tips: Where arrows end [m], shape (n, 3) each.
    """
    assert course.space is not None
    direction, label, along_x = _direction(course.travel)
    view = side_view(direction)
    ends = frame[:, 0]
    if not along_x:
        reach, along = course.space.reach() @ np.abs(view.right), course.middle @ view.right
        low, high = float((along - reach).min()), float((along + reach).max())
        width = max(1.06 * (high - low), float(frame[1, 0] - frame[0, 0]))
        ends = (low + high) / 2.0 + np.array([-width / 2.0, width / 2.0])
    few = np.unique(np.linspace(0, len(course.time) - 1, 20).astype(int))
    grounds = [course.scenery.ground.height(_line(course, sample, view, ends)) for sample in few]
    tops = [corners[:, 2].max() for corners in _near_boxes(course, frame)]
    levels = np.concatenate([body_box(course)[:, 2], *grounds, tops, *(tip[:, 2] for tip in tips)])
    bottom, top, width = float(levels.min()), float(levels.max()), float(np.ptp(ends))
    room = max(0.06 * (top - bottom), 0.01 * width)
    tall = max(top - bottom + 2.0 * room, 0.12 * width)
    box = np.stack([ends, (bottom - room, bottom - room + tall)], axis=-1)
    return Side(view=view, box=box, label=label, along_x=along_x)


def _direction(travel: np.ndarray) -> tuple[np.ndarray, str, bool]:
    for axis, name in enumerate("xy"):
        if abs(travel[axis]) > NEAR_AXIS:
            return np.eye(2)[axis], f"{name} [m]", name == "x"
    turned = f"{math.degrees(math.atan2(travel[1], travel[0])):.0f}".replace("-", "−")
    return travel, f"along travel ({turned}° from x) [m]", False


def _line(course: DrawnRun, sample: int, view: View, ends: np.ndarray) -> np.ndarray:
    """Places on the ground along the view's horizontal, through the middle of the body [m], shape (n, 2)."""
    right, across = view.right[:2], view.toward[:2]
    middle = course.middle[sample, :, :2].mean(axis=0)
    along = np.linspace(ends[0], ends[1], PROFILE_POINTS)
    return np.asarray(along[:, None] * right + float(middle @ across) * across)


def _near_boxes(course: DrawnRun, frame: np.ndarray) -> Iterator[np.ndarray]:
    """Corners of the boxes that reach into a frame [m], shape (8, 3) each."""
    for corners in map(box_corners, course.scenery.boxes):
        if np.all((corners[:, :2].max(axis=0) > frame[0]) & (corners[:, :2].min(axis=0) < frame[1])):
            yield corners


def draw_side(axes: Axes, course: DrawnRun, side: Side, frame: np.ndarray, sample: int) -> None:
    """The terrain from the side: the ground below the middle of the body, and what stands in the frame."""
    ground, view = course.scenery.ground, side.view
    line = _line(course, sample, view, side.box[:, 0])
    along, level = line @ view.right[:2], ground.height(line)
    axes.fill_between(along, level, side.box[0, 1], color=GROUND_COLOR, linewidth=0.0, zorder=0.4)
    axes.plot(along, level, color=GREY, linewidth=0.6, zorder=0.5)
    look: dict[str, Any] = {"facecolor": SOLID_COLOR, "edgecolor": GREY, "linewidth": 0.5}
    for corners in sorted(_near_boxes(course, frame), key=lambda corners: float((corners @ view.toward).max())):
        axes.add_patch(Polygon(convex_hull(view.flat(corners)), zorder=0.6, **look))
    for peg in course.scenery.pegs:
        place = np.array([peg.x, peg.y])
        if np.all((place + peg.radius > frame[0]) & (place - peg.radius < frame[1])):
            middle, bottom = float(place @ view.right[:2]), float(ground.height(place))
            ends = np.array([middle - peg.radius, middle + peg.radius])
            axes.fill_between(ends, bottom, side.box[1, 1], color=SOLID_COLOR, alpha=0.5, linewidth=0.0, zorder=0.55)
