"""Where the robot went: paths of head, middle, tail and centre of mass among the obstacles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pushpoint.plots.drawing import (
    BLUE,
    GREEN,
    INK,
    LEFT,
    ORANGE,
    RIGHT,
    SKY,
    SMALL,
    WIDTH,
    X_LABEL_HEIGHT,
    axes_at,
    draw_header,
    draw_lines,
    header_height,
    header_lines,
    panel_title,
    show_time,
)
from pushpoint.plots.terrain_drawing import draw_contours
from pushpoint.plots.world_drawing import body_outlines, draw_body, draw_scenery
from pushpoint.scenery.course_frames import Course, body_box, frame_box, read_course

if TYPE_CHECKING:
    import xarray

TALLEST = 7.5
# Height of the panel of a spatial run that shows heights over time [in], and of the gap above it.
HEIGHT_PANEL, HEIGHT_GAP = 1.5, 0.2
LOOKS: dict[str, dict[str, Any]] = {
    "tail": {"color": SKY, "linewidth": 2.4},
    "middle": {"color": BLUE, "linewidth": 1.3, "linestyle": "--"},
    "head": {"color": ORANGE, "linewidth": 1.3},
    "centre of mass": {"color": INK, "linewidth": 1.0, "linestyle": "-."},
}


def build_paths_figure(run: xarray.Dataset) -> Figure:
    """Builds the figure: the body at start and end, and the paths between, with a dot at every whole second.

    Of a spatial run it shows the paths from above, and below them their heights over time.
    """
    course = read_course(run)
    box = frame_box(course, body_box(course), [], 1.0)
    size = box[1] - box[0]
    inches_per_meter = float(min((WIDTH - LEFT - RIGHT) / size[0], TALLEST / size[1]))
    tall = float(size[1] * inches_per_meter)
    # A course that is too tall for the page leaves room at its sides.
    wide = WIDTH - LEFT - RIGHT
    half = wide / (2.0 * inches_per_meter)
    box[:, 0] = box[:, 0].mean() + np.array([-half, half])
    step = _tick_step(float(course.time[-1] - course.time[0]))
    lines = header_lines(course.name, "paths", _facts(course, step), course.status)
    top = header_height(lines)
    below = top + tall + X_LABEL_HEIGHT + HEIGHT_GAP
    height = below - HEIGHT_GAP if course.space is None else below + HEIGHT_PANEL + X_LABEL_HEIGHT
    figure = Figure(figsize=(WIDTH, height), facecolor="white")
    draw_header(figure, lines)
    axes = axes_at(figure, "paths", (LEFT, top, wide, tall))
    axes.set(xlim=box[:, 0], ylim=box[:, 1], aspect="equal", ylabel="y [m]")
    axes.set_xlabel("x [m]", labelpad=1.5)
    draw_scenery(axes, course.scenery, box, inches_per_meter)
    if course.space is not None:
        draw_contours(axes, course.space.terrain.ground, box)
    draw_body(axes, body_outlines(course, 0), GREEN, 0.12)
    draw_body(axes, body_outlines(course, -1), GREEN, 0.35)
    _draw_paths(axes, course, step)
    if course.space is not None:
        _draw_heights(axes_at(figure, "heights", (LEFT, below, wide, HEIGHT_PANEL)), course)
    axes.legend(
        loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=4, fontsize=SMALL, frameon=False, handlelength=2.6,
        borderaxespad=0.2, borderpad=0.0,
    )  # fmt: skip
    return figure


def _points(course: Course) -> dict[str, np.ndarray]:
    """What leaves a path [m], shape (n_times, n_axes) each."""
    tip = course.half_side[:, None] * course.along
    return {
        "tail": (course.middle - tip)[:, 0],
        "middle": course.middle[:, len(course.radius) // 2],
        "head": (course.middle + tip)[:, -1],
        "centre of mass": course.center,
    }


def _draw_paths(axes: Axes, course: Course, step: float) -> None:
    """From the widest and palest line to the thinnest, as a snake robot lays its paths over each other."""
    marks = np.arange(course.time[0], course.time[-1] + 1e-9, step)
    samples = np.unique(np.abs(course.time[None, :] - marks[:, None]).argmin(axis=1))
    for k, (label, path) in enumerate(_points(course).items()):
        axes.plot(*path.T[:2], label=label, zorder=3.0 + 0.1 * k, solid_capstyle="butt", **LOOKS[label])
        color = LOOKS[label]["color"]
        x, y = path[samples].T[:2]
        axes.scatter(x, y, s=9, color=color, edgecolors="white", linewidths=0.4, zorder=3.5 + 0.1 * k)


def _draw_heights(axes: Axes, course: Course) -> None:
    """The same points' heights over time."""
    panel_title(axes, "heights: axis of tail, middle and head link, and centre of mass")
    draw_lines(axes, course.time, {}, "z [m]")
    for label, path in _points(course).items():
        axes.plot(course.time, path[:, 2], solid_capstyle="butt", **LOOKS[label])
    axes.set_xlabel("time [s]", labelpad=1.5)
    show_time(axes, course.time)


def _tick_step(duration: float) -> float:
    """Time between dots [s]: whole seconds, about a dozen dots."""
    return max(1.0, float(math.ceil(duration / 12.0)))


def _facts(course: Course, step: float) -> str:
    moved = math.hypot(*(course.center[-1] - course.center[0]))
    travelled = float(np.linalg.norm(np.diff(course.center, axis=0), axis=-1).sum())
    seconds = "second" if step == 1.0 else f"{step:g} s"
    return f"centre of mass {moved:.3g} m from start to end, {travelled:.3g} m along its path; a dot every {seconds}"
