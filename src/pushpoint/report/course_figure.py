"""One picture of a run: the body among the obstacles at several times, and how far it came.

A snake robot follows its own track, so postures laid over each other hide one another; each time gets its own frame of
the same course instead, as on a film strip.
"""

from __future__ import annotations

import math
import os
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch

from pushpoint.report.course_frames import Course, Frame, body_box, choose_frames, frame_box, read_course
from pushpoint.report.drawing import (
    FORCE_COLOR,
    INK,
    LARGE,
    LEFT,
    LINE_HEIGHT,
    NORMAL,
    PALE,
    RIGHT,
    SMALL,
    WIDTH,
    X_LABEL_HEIGHT,
    axes_at,
    save_figure,
)
from pushpoint.report.world_drawing import body_outlines, capsule, draw_arrows, draw_body, draw_scenery, round_number

if TYPE_CHECKING:
    import xarray

# Sizes on paper [in].
FRAME_GAP, TRAVEL_HEIGHT, TITLE_HEIGHT = 0.24, 1.1, 0.22
LEAST_IN_METERS = 0.1


def draw_course(run: xarray.Dataset, path: str | os.PathLike[str], *, times: Sequence[float] | None = None) -> Path:
    """Writes the figure of a run as a PNG file, whole or not at all.

    Args:
        run: A run as `simulate` returns it, finished or not; of a batched run, world 0 is drawn.
        path: The file to write, ending in .png.
        times: Times of the postures [s], each drawn at the nearest sample; default: 4 or 6, evenly from start to end.

    Returns:
        The path written.
    """
    return save_figure(build_course_figure(run, times=times), path)


def build_course_figure(run: xarray.Dataset, *, times: Sequence[float] | None = None) -> Figure:
    """Builds the figure that `draw_course` writes.

    Its axes are labelled "header", "posture 0", "posture 1", ... and "travel".
    """
    course = read_course(run)
    body = body_box(course)
    width, height = body[1] - body[0]
    columns = 1 if height < 0.2 * width else 2 if height < 0.75 * width else 3
    frames = choose_frames(course, times, 6 if columns == 3 else 4)
    columns = min(columns, len(frames))
    largest = max((float(np.hypot(*one.force.T).max()) for one in frames if len(one.force)), default=0.0)
    longest = max((0.05 + 0.02 * columns) * math.hypot(width, height), 2.0 * float(course.radius.max()))
    meters_per_newton = longest / largest if largest else 1.0
    box = frame_box(course, body, frames, meters_per_newton)

    frame_width = (WIDTH - LEFT - RIGHT - (columns - 1) * FRAME_GAP) / columns
    inches_per_meter = float(frame_width / (box[1, 0] - box[0, 0]))
    frame_height = float(box[1, 1] - box[0, 1]) * inches_per_meter
    header = _header_lines(course)
    header_height = 0.32 + LINE_HEIGHT * len(header)
    row_height = frame_height + TITLE_HEIGHT
    strip_height = math.ceil(len(frames) / columns) * row_height
    figure_height = header_height + strip_height + X_LABEL_HEIGHT + 0.14 + TRAVEL_HEIGHT + X_LABEL_HEIGHT
    figure = Figure(figsize=(WIDTH, figure_height), facecolor="white")

    axes = axes_at(figure, "header", (0.1, 0.0, WIDTH - 0.1, header_height))
    _draw_header(axes, header, largest, meters_per_newton * inches_per_meter)
    for k, frame in enumerate(frames):
        row, column = divmod(k, columns)
        place = (LEFT + column * (frame_width + FRAME_GAP), header_height + (row + 1) * row_height - frame_height)
        axes = axes_at(figure, f"posture {k}", (*place, frame_width, frame_height))
        axes.set(xlim=box[:, 0], ylim=box[:, 1], aspect="equal", ylabel="y [m]" if column == 0 else "")
        draw_scenery(axes, course.scenery, box, inches_per_meter)
        _draw_posture(axes, course, frame)
        draw_arrows(axes, frame.foot, frame.force * meters_per_newton)
        lowest = k + columns >= len(frames)
        axes.set_xlabel("x [m]" if lowest else "", labelpad=1.5)
        axes.tick_params(labelbottom=lowest, labelleft=column == 0)
        axes.locator_params(axis="x", nbins=9 // columns)
    top = figure_height - X_LABEL_HEIGHT - TRAVEL_HEIGHT
    _draw_travel(axes_at(figure, "travel", (LEFT, top, WIDTH - LEFT - RIGHT, TRAVEL_HEIGHT)), course, frames)
    return figure


def _draw_posture(axes: Axes, course: Course, frame: Frame) -> None:
    """The body, its head filled, and the path of the centre of mass: thin as a whole, thick up to now."""
    k = frame.sample
    draw_body(axes, body_outlines(course, k), frame.color, 0.45)
    axes.plot(*course.center.T, color=INK, linewidth=0.5, zorder=3)
    axes.plot(*course.center[: k + 1].T, color=INK, linewidth=1.3, zorder=3)
    x, y = course.center[k]
    axes.scatter(x, y, s=14, color=INK, edgecolors="white", linewidths=0.5, zorder=3.1)
    axes.set_title(f"{course.time[k]:.4g} s", loc="left", fontsize=NORMAL, pad=2.5, color=INK)


def _draw_travel(axes: Axes, course: Course, frames: list[Frame]) -> None:
    """Displacement of the centre of mass from its start, with a dot at each posture's time."""
    moved = course.center - course.center[0]
    unit = "m"
    if np.abs(moved).max() < LEAST_IN_METERS:
        unit, moved = "mm", 1e3 * moved
    samples = [frame.sample for frame in frames]
    for column, (name, style) in enumerate((("x", "-"), ("y", "--"))):
        axes.plot(course.time, moved[:, column], style, color=INK, linewidth=1.0, label=name)
        axes.scatter(
            course.time[samples],
            moved[samples, column],
            s=22,
            c=[frame.color for frame in frames],
            edgecolors="white",
            linewidths=0.5,
            zorder=3,
        )
    axes.set_xlabel("time [s]", labelpad=1.5)
    axes.set_ylabel(f"travel [{unit}]")
    axes.grid(axis="y", color=PALE, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.legend(loc="best", ncols=2, fontsize=SMALL, frameon=False, handlelength=1.8, borderaxespad=0.2)


def _header_lines(course: Course) -> list[str]:
    """Name; duration and mean speed (start to end, not along the path); and what went wrong, if anything did."""
    duration = float(course.time[-1] - course.time[0])
    facts = f"{duration:.4g} s"
    if duration > 0.0:
        distance = math.hypot(*(course.center[-1] - course.center[0]))
        facts += f",  {distance:.3g} m from start to end,  mean speed {distance / duration:.3g} m/s"
    return [course.name, facts, *textwrap.wrap(f"Not finished: {course.status}" if course.status else "", 110)]


def _draw_header(axes: Axes, lines: list[str], largest: float, inches_per_newton: float) -> None:
    """Title lines and, below them, the key; the unit of the axes is the inch."""
    box = axes.get_window_extent()
    height = box.height / axes.figure.dpi
    axes.set(xlim=(0.0, box.width / axes.figure.dpi), ylim=(height, 0.0))
    axes.axis("off")
    for row, line in enumerate(lines):
        size, weight = (LARGE, "bold") if row == 0 else (NORMAL, "normal")
        color = FORCE_COLOR if row > 1 else INK
        axes.text(0.0, 0.2 + row * LINE_HEIGHT, line, size=size, weight=weight, color=color)
    level = height - 0.06
    green = matplotlib.colormaps["viridis_r"](0.6)
    head = capsule(np.array([0.1, level]), np.array([1.0, 0.0]), 0.05, 0.05)
    axes.add_patch(PathPatch(head, facecolor=green, edgecolor=green, linewidth=0.7))
    axes.plot([0.7, 0.95], [level, level], color=INK, linewidth=1.3)
    key = 0.0 if largest == 0.0 else round_number(largest)
    draw_arrows(axes, np.array([[2.5, level]])[: bool(key)], np.array([[key * inches_per_newton, 0.0]]))
    labels = [(0.26, "head"), (1.02, "path of centre of mass")]
    if key:
        labels.append((2.57 + key * inches_per_newton, f"{key:g} N, contact force on the link"))
    for x, label in labels:
        axes.text(x, level, label, size=SMALL, color=INK, va="center_baseline")
