"""One picture of a run: the body among the obstacles at several times, and how far it came.

A snake robot follows its own track, so postures laid over each other hide one another; each time gets its own frame of
the same course instead, as on a film strip.
"""

from __future__ import annotations

import math
import os
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch

from pushpoint.plots.drawing import (
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
from pushpoint.plots.terrain_drawing import (
    CARRYING,
    LIFTED,
    Side,
    draw_contours,
    draw_links,
    draw_side,
    paler,
    plan_side,
)
from pushpoint.plots.world_drawing import body_outlines, capsule, draw_arrows, draw_body, draw_scenery, round_number
from pushpoint.scenery.course_frames import Course, Frame, body_box, choose_frames, frame_box, read_course
from pushpoint.scenery.space import TOP, View

if TYPE_CHECKING:
    import xarray

# Sizes on paper [in].
FRAME_GAP, TRAVEL_HEIGHT, TITLE_HEIGHT, SHORTEST_ARROW = 0.24, 1.1, 0.22, 0.05
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

    Its axes are labelled "header", "posture 0", "posture 1", ... and "travel"; a spatial run has "side 0", ... as well.
    """
    course = read_course(run)
    body = body_box(course)
    seen = body if course.space is None else frame_box(course, body, [], 1.0)
    width, height = (seen[1] - seen[0])[:2]
    columns = 1 if height < 0.2 * width else 2 if height < 0.75 * width else 3
    frames = choose_frames(course, times, 6 if columns == 3 else 4)
    columns = min(columns, len(frames))
    largest = max((float(np.linalg.norm(one.force, axis=-1).max()) for one in frames if len(one.force)), default=0.0)
    longest = max((0.05 + 0.02 * columns) * math.hypot(width, height), 2.0 * float(course.radius.max()))
    meters_per_newton = longest / largest if largest else 1.0
    box = frame_box(course, body, frames, meters_per_newton)
    side = None
    if course.space is not None:
        tips = [frame.foot + meters_per_newton * frame.force for frame in frames]
        side = plan_side(course, box, tips)
    strip = Strip(
        course=course,
        box=box,
        side=side,
        columns=columns,
        meters_per_newton=meters_per_newton,
    )
    header = _header_lines(course)
    header_height = 0.32 + LINE_HEIGHT * len(header)
    strip_height = math.ceil(len(frames) / columns) * strip.row_height
    figure_height = header_height + strip_height + X_LABEL_HEIGHT + 0.14 + TRAVEL_HEIGHT + X_LABEL_HEIGHT
    figure = Figure(figsize=(WIDTH, figure_height), facecolor="white")
    axes = axes_at(figure, "header", (0.1, 0.0, WIDTH - 0.1, header_height))
    _draw_header(axes, header, largest, meters_per_newton * strip.inches_per_meter)
    if course.space is not None and course.space.carries is not None:
        _draw_carrying_key(axes)
    for k, frame in enumerate(frames):
        strip.draw(figure, header_height, k, frame, lowest=k + columns >= len(frames))
    top = figure_height - X_LABEL_HEIGHT - TRAVEL_HEIGHT
    _draw_travel(axes_at(figure, "travel", (LEFT, top, WIDTH - LEFT - RIGHT, TRAVEL_HEIGHT)), course, frames)
    return figure


@dataclass(frozen=True, kw_only=True)
class Strip:
    """The frames of a figure, row by row; a spatial run has a side view below each."""

    course: Course
    """The run."""
    box: np.ndarray
    """Corners of every frame [m], shape (2, 2)."""
    side: Side | None
    """The side view, if there is one."""
    columns: int
    """Frames in a row."""
    meters_per_newton: float
    """Length of arrows [m/N]."""

    @property
    def frame_width(self) -> float:
        """Width of a frame [in]."""
        return (WIDTH - LEFT - RIGHT - (self.columns - 1) * FRAME_GAP) / self.columns

    @property
    def inches_per_meter(self) -> float:
        """Scale of the frames [in/m]."""
        return float(self.frame_width / (self.box[1, 0] - self.box[0, 0]))

    @property
    def frame_height(self) -> float:
        """Height of a frame [in]."""
        return float(self.box[1, 1] - self.box[0, 1]) * self.inches_per_meter

    @property
    def side_height(self) -> float:
        """Height of a side view with the room above it [in]."""
        if self.side is None:
            return 0.0
        size = self.side.box[1] - self.side.box[0]
        return self._side_gap + self.frame_width * float(size[1] / size[0])

    @property
    def _side_gap(self) -> float:
        return 0.1 if self.side is not None and self.side.along_x else X_LABEL_HEIGHT

    @property
    def row_height(self) -> float:
        """Height of a row with its titles [in]."""
        return self.frame_height + self.side_height + TITLE_HEIGHT

    def draw(self, figure: Figure, top: float, number: int, frame: Frame, *, lowest: bool) -> None:
        """Draws a frame and its side view.

        Args:
            figure: Where to draw.
            top: Distance of the strip from the upper edge [in].
            number: Which frame of the strip it is.
            frame: What it shows.
            lowest: Whether no frame lies below it.
        """
        row, column = divmod(number, self.columns)
        left = LEFT + column * (self.frame_width + FRAME_GAP)
        top += row * self.row_height + TITLE_HEIGHT
        axes = axes_at(figure, f"posture {number}", (left, top, self.frame_width, self.frame_height))
        axes.set_ylabel("y [m]" if column == 0 else "")
        draw_scenery(axes, self.course.scenery, self.box, self.inches_per_meter)
        if self.course.space is not None:
            draw_contours(axes, self.course.space.terrain.ground, self.box)
        self._pose(axes, frame, TOP, self.box)
        axes.set_title(f"{self.course.time[frame.sample]:.4g} s", loc="left", fontsize=NORMAL, pad=2.5, color=INK)
        shared = self.side is not None and self.side.along_x
        self._label(axes, "x [m]", seen=(lowest or self.side is not None) and not shared, first=column == 0)
        if self.side is None:
            return
        place = (left, top + self.frame_height + self._side_gap, self.frame_width, self.side_height - self._side_gap)
        beside = axes_at(figure, f"side {number}", place)
        beside.set_ylabel("z [m]" if column == 0 else "")
        beside.locator_params(axis="y", nbins=3)
        draw_side(beside, self.course, self.side, self.box, frame.sample)
        self._pose(beside, frame, self.side.view, self.side.box)
        self._label(beside, self.side.label, seen=lowest, first=column == 0)

    def _pose(self, axes: Axes, frame: Frame, view: View, box: np.ndarray) -> None:
        """The body and the path of the centre of mass: thin as a whole, thick up to now; and the forces."""
        course, k = self.course, frame.sample
        foot, force, center = frame.foot, frame.force, course.center
        if course.space is None:
            draw_body(axes, body_outlines(course, k), frame.color, 0.45)
        else:
            draw_links(axes, course, k, view, frame.color)
            foot, force, center = view.flat(foot), view.flat(force), view.flat(center)
            # Seen from its tip, an arrow is a dot.
            long = np.linalg.norm(force, axis=-1) * self.meters_per_newton * self.inches_per_meter > SHORTEST_ARROW
            foot, force = foot[long], force[long]
        axes.plot(*center.T, color=INK, linewidth=0.5, zorder=3)
        axes.plot(*center[: k + 1].T, color=INK, linewidth=1.3, zorder=3)
        x, y = center[k]
        axes.scatter(x, y, s=14, color=INK, edgecolors="white", linewidths=0.5, zorder=3.1)
        draw_arrows(axes, foot, force * self.meters_per_newton)
        axes.set(xlim=box[:, 0], ylim=box[:, 1], aspect="equal")

    def _label(self, axes: Axes, label: str, *, seen: bool, first: bool) -> None:
        axes.set_xlabel(label if seen else "", labelpad=1.5)
        axes.tick_params(labelbottom=seen, labelleft=first)
        axes.locator_params(axis="x", nbins=9 // self.columns)


def _draw_travel(axes: Axes, course: Course, frames: list[Frame]) -> None:
    """Displacement of the centre of mass from its start, with a dot at each posture's time."""
    moved = course.center - course.center[0]
    unit = "m"
    if np.abs(moved).max() < LEAST_IN_METERS:
        unit, moved = "mm", 1e3 * moved
    samples = [frame.sample for frame in frames]
    for column, (name, style) in enumerate((("x", "-"), ("y", "--"), ("z", ":"))[: moved.shape[1]]):
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
    axes.legend(loc="best", ncols=moved.shape[1], fontsize=SMALL, frameon=False, handlelength=1.8, borderaxespad=0.2)


def _header_lines(course: Course) -> list[str]:
    """Name; duration and mean speed (start to end, not along the path); and what went wrong, if anything did."""
    duration = float(course.time[-1] - course.time[0])
    facts = f"{duration:.4g} s"
    if duration > 0.0:
        distance = math.hypot(*(course.center[-1] - course.center[0]))
        facts += f",  {distance:.3g} m from start to end,  mean speed {distance / duration:.3g} m/s"
    if course.space is not None and not course.space.terrain.ground.flat:
        facts += ",  contour lines in m"
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


def _draw_carrying_key(axes: Axes) -> None:
    """Explains the two shades of links, at the right end of the key."""
    level, color = axes.get_ylim()[0] - 0.06, matplotlib.colormaps["viridis_r"](0.6)
    for x, share, label in ((5.2, CARRYING, "carries weight"), (6.33, LIFTED, "lifted")):
        link = capsule(np.array([x, level]), np.array([1.0, 0.0]), 0.05, 0.05)
        axes.add_patch(PathPatch(link, facecolor=paler(color, share), edgecolor=color, linewidth=0.6))
        axes.text(x + 0.16, level, label, size=SMALL, color=INK, va="center_baseline")
