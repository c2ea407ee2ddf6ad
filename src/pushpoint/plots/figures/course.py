"""One picture of a run: the body among the obstacles at several times, and how far it came.

A snake robot follows its own track, so postures laid over each other hide one another; each time gets its own frame of
the same course instead, as on a film strip.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import xarray
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from pushpoint.model.arguments import checked_arguments
from pushpoint.model.quantities import Natural
from pushpoint.plots.page import SMALL, X_LABEL_HEIGHT, PanelRow, dress, header_lines, page
from pushpoint.plots.world import CARRYING, LIFTED, Side, draw_arrows, draw_body, draw_links, draw_map, time_colors
from pushpoint.scenery.drawn_run import DrawnRun, ForceScale, read_run
from pushpoint.scenery.palette import INK, paler
from pushpoint.scenery.shapes import TOP, View, capsules

# Sizes on paper [in].
FRAME_GAP, TRAVEL_HEIGHT, TITLE_HEIGHT, SHORTEST_ARROW = 0.24, 1.1, 0.22, 0.05
LEAST_IN_METERS = 0.1


@checked_arguments
def course(run: xarray.Dataset, *, times: Sequence[float] | None = None, world: Natural = 0) -> Figure:
    """The body among the obstacles at several times, with the contact forces, and how far it came.

    Its axes are labelled "header", "posture 0", "posture 1", ... and "travel"; a spatial run has "side 0", ... as well.
    The postures are at the samples nearest to the times [s]; default: 4 or 6, evenly from start to end.
    """
    shown = read_run(run, world)
    seen = shown.body_box if shown.space is None else shown.frame_box()
    width, height = (seen[1] - seen[0])[:2]
    columns = 1 if height < 0.2 * width else 2 if height < 0.75 * width else 3
    samples = shown.choose_samples(times, 6 if columns == 3 else 4).tolist()
    columns = min(columns, len(samples))
    longest = max((0.05 + 0.02 * columns) * math.hypot(width, height), 2.0 * float(shown.radius.max()))
    scale = ForceScale.of(float(np.linalg.norm(shown.force[samples], axis=-1).max()), longest)
    strip = _Strip(shown, samples, columns, scale)
    below = PanelRow(panels=("travel",), height=TRAVEL_HEIGHT, above=X_LABEL_HEIGHT + 0.12)
    figure, panels = page(_lines(shown), [*strip.rows(), below])
    _draw_key(panels["header"], shown, scale, strip.inches_per_meter)
    colors = time_colors(len(samples))
    for number, color in enumerate(colors):
        strip.draw(panels, number, color)
    _draw_travel(panels["travel"], shown, samples, colors)
    return figure


class _Strip:
    """The frames of a figure, row by row; a spatial run has a side view below each."""

    def __init__(self, course: DrawnRun, samples: list[int], columns: int, scale: ForceScale) -> None:
        self.course, self.samples, self.columns, self.scale = course, samples, columns, scale
        tips = [np.add(*course.arrows(sample, scale)) for sample in samples]
        self.box = course.frame_box(tips)
        self.side = None if course.space is None else Side(course, self.box, tips)
        self.row = PanelRow(panels=(), height=0.0, below=0.0, gap=FRAME_GAP, columns=columns)
        self.inches_per_meter = float(self.row.width / (self.box[1, 0] - self.box[0, 0]))

    def rows(self) -> Iterator[PanelRow]:
        looks = {"posture": (self.box, TITLE_HEIGHT)}
        if self.side is not None:
            looks["side"] = self.side.box, 0.1 if self.side.along_x else X_LABEL_HEIGHT
        for first in range(0, len(self.samples), self.columns):
            numbers = range(first, min(first + self.columns, len(self.samples)))
            for name, (box, above) in looks.items():
                tall = self.row.width * float((box[1, 1] - box[0, 1]) / (box[1, 0] - box[0, 0]))
                yield replace(self.row, panels=[f"{name} {k}" for k in numbers], height=tall, above=above)

    def draw(self, panels: dict[str, Axes], number: int, color: Any) -> None:
        axes, side, sample = panels[f"posture {number}"], self.side, self.samples[number]
        lowest, first = number + self.columns >= len(self.samples), number % self.columns == 0
        draw_map(axes, self.course.scenery, self.box, self.inches_per_meter)
        self._pose(axes, sample, color, TOP, self.box)
        dress(axes, title=f"{self.course.time[sample]:.4g} s")
        self._label(axes, "x [m]", "y [m]", seen=lowest if side is None else not side.along_x, first=first)
        if side is not None:
            beside = panels[f"side {number}"]
            beside.locator_params(axis="y", nbins=3)
            side.draw(beside, sample)
            self._pose(beside, sample, color, side.view, side.box)
            self._label(beside, side.label, "z [m]", seen=lowest, first=first)

    def _pose(self, axes: Axes, sample: int, color: Any, view: View, box: np.ndarray) -> None:
        """The body and the path of the centre of mass: thin as a whole, thick up to now; and the forces."""
        course, center = self.course, self.course.center
        feet, steps = course.arrows(sample, self.scale)
        if course.space is None:
            draw_body(axes, course.outlines(sample), color, 0.45)
        else:
            draw_links(axes, course, sample, view, color)
            feet, steps, center = view.flat(feet), view.flat(steps), view.flat(center)
            # Seen from its tip, an arrow is a dot.
            long = np.linalg.norm(steps, axis=-1) * self.inches_per_meter > SHORTEST_ARROW
            feet, steps = feet[long], steps[long]
        axes.plot(*center.T, color=INK, linewidth=0.5, zorder=3)
        axes.plot(*center[: sample + 1].T, color=INK, linewidth=1.3, zorder=3)
        x, y = center[sample]
        axes.scatter(x, y, s=14, color=INK, edgecolors="white", linewidths=0.5, zorder=3.1)
        draw_arrows(axes, feet, steps)
        axes.set(xlim=box[:, 0], ylim=box[:, 1], aspect="equal")

    def _label(self, axes: Axes, x: str, y: str, *, seen: bool, first: bool) -> None:
        axes.set_xlabel(x if seen else "", labelpad=1.5)
        axes.set_ylabel(y if first else "")
        axes.tick_params(labelbottom=seen, labelleft=first)
        axes.locator_params(axis="x", nbins=9 // self.columns)


def _draw_travel(axes: Axes, course: DrawnRun, samples: list[int], colors: Sequence[Any]) -> None:
    """Displacement of the centre of mass from its start, with a dot at each posture's time."""
    moved = course.center - course.center[0]
    unit, scale = ("m", 1.0) if np.abs(moved).max() >= LEAST_IN_METERS else ("mm", 1e3)
    moved = scale * moved
    look: dict[str, Any] = {"s": 22, "c": colors, "edgecolors": "white", "linewidths": 0.5, "zorder": 3}
    for column, (name, style) in enumerate((("x", "-"), ("y", "--"), ("z", ":"))[: moved.shape[1]]):
        axes.plot(course.time, moved[:, column], style, color=INK, linewidth=1.0, label=name)
        axes.scatter(course.time[samples], moved[samples, column], **look)
    dress(axes, x="time [s]", y=f"travel [{unit}]", grid="y")
    axes.legend(loc="best", ncols=moved.shape[1], fontsize=SMALL, frameon=False, handlelength=1.8, borderaxespad=0.2)


def _lines(course: DrawnRun) -> list[str]:
    """Name; duration and mean speed (start to end, not along the path); and what went wrong, if anything did."""
    duration = float(course.time[-1] - course.time[0])
    facts = f"{duration:.4g} s"
    if duration > 0.0:
        distance = math.hypot(*(course.center[-1] - course.center[0]))
        facts += f",  {distance:.3g} m from start to end,  mean speed {distance / duration:.3g} m/s"
    if not course.scenery.ground.flat:
        facts += ",  contour lines in m"
    return header_lines(course.name, "", facts, course.remarks)


def _draw_key(axes: Axes, course: DrawnRun, scale: ForceScale, inches_per_meter: float) -> None:
    """The key at the lower edge of the header, whose unit is the inch."""
    level, green = axes.get_ylim()[0] - 0.06, time_colors(3)[1]

    def link(x: float, share: float, label: str) -> None:
        outline = capsules(np.array([[x, level]]), np.array([[1.0, 0.0]]), np.array([0.05]), np.array([0.05]))[0]
        axes.add_patch(Polygon(outline, facecolor=paler(green, share), edgecolor=green, linewidth=0.6))
        write(x + 0.16, label)

    def write(x: float, label: str) -> None:
        axes.text(x, level, label, size=SMALL, color=INK, va="center_baseline")

    link(0.1, 0.0, "head")
    axes.plot([0.7, 0.95], [level, level], color=INK, linewidth=1.3)
    write(1.02, "path of centre of mass")
    if scale.key:
        long = scale.key * (scale.meters_per_newton * inches_per_meter)
        draw_arrows(axes, np.array([[2.5, level]]), np.array([[long, 0.0]]))
        write(2.57 + long, f"{scale.key:g} N, contact force on the link")
    if course.lifts:
        link(5.2, CARRYING, "carries weight")
        link(6.33, LIFTED, "lifted")
