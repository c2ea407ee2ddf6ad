"""Where the robot went: paths of head, middle, tail and centre of mass among the obstacles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import xarray
from matplotlib.figure import Figure

from pushpoint.plots.page import PanelRow, draw_lines, header_lines, page, place_legend, show_time
from pushpoint.plots.world import draw_body, draw_map, fitted
from pushpoint.scenery.drawn_run import DrawnRun, nearest_samples, read_run
from pushpoint.scenery.palette import BLUE, GREEN, INK, ORANGE, SKY

TALLEST = 7.5
# Height of the panel of a spatial run that shows heights over time [in], and of the gap above it.
HEIGHT_PANEL, HEIGHT_GAP = 1.5, 0.2
LOOKS: dict[str, dict[str, Any]] = {
    "tail": {"color": SKY, "linewidth": 2.4},
    "middle": {"color": BLUE, "linewidth": 1.3, "linestyle": "--"},
    "head": {"color": ORANGE, "linewidth": 1.3},
    "centre of mass": {"color": INK, "linewidth": 1.0, "linestyle": "-."},
}


def paths(run: xarray.Dataset, *, world: int = 0) -> Figure:
    """The body at start and end, and the paths between, with a dot at every whole second.

    Of a spatial run it shows the paths from above, and below them their heights over time. Its axes are labelled
    "header", "paths" and "heights".
    """
    course = read_run(run, world)
    box, inches_per_meter, tall = fitted(course.frame_box(), tallest=TALLEST)
    # Whole seconds between dots, about a dozen of them.
    step = max(1.0, float(math.ceil((course.time[-1] - course.time[0]) / 12.0)))
    rows = [PanelRow(panels=("paths",), height=tall)]
    if course.space is not None:
        rows.append(PanelRow(panels=("heights",), height=HEIGHT_PANEL, above=HEIGHT_GAP))
    figure, panels = page(header_lines(course.name, "paths", _facts(course, step), course.status), rows)
    axes = panels["paths"]
    draw_map(axes, course.scenery, box, inches_per_meter)
    draw_body(axes, course.outlines(0), GREEN, 0.12)
    draw_body(axes, course.outlines(-1), GREEN, 0.35)
    tip = course.half_side[:, None] * course.along
    points = {
        "tail": (course.middle - tip)[:, 0],
        "middle": course.middle[:, len(course.radius) // 2],
        "head": (course.middle + tip)[:, -1],
        "centre of mass": course.center,
    }
    samples = np.unique(nearest_samples(course.time, np.arange(course.time[0], course.time[-1] + 1e-9, step)))
    # From the widest and palest line to the thinnest, as a snake robot lays its paths over each other.
    for k, (label, path) in enumerate(points.items()):
        axes.plot(*path.T[:2], label=label, zorder=3.0 + 0.1 * k, solid_capstyle="butt", **LOOKS[label])
        dots: dict[str, Any] = {"s": 9, "color": LOOKS[label]["color"], "edgecolors": "white", "linewidths": 0.4}
        axes.scatter(*path[samples].T[:2], zorder=3.5 + 0.1 * k, **dots)
    place_legend(axes, 4, handle=2.6, side="left", borderaxespad=0.2)
    if course.space is not None:
        title = "heights: axis of tail, middle and head link, and centre of mass"
        draw_lines(panels["heights"], course.time, {}, "z [m]", title=title)
        for label, path in points.items():
            panels["heights"].plot(course.time, path[:, 2], solid_capstyle="butt", **LOOKS[label])
        show_time(panels["heights"], course.time)
    return figure


def _facts(course: DrawnRun, step: float) -> str:
    moved = math.hypot(*(course.center[-1] - course.center[0]))
    travelled = float(np.linalg.norm(np.diff(course.center, axis=0), axis=-1).sum())
    seconds = "second" if step == 1.0 else f"{step:g} s"
    return f"centre of mass {moved:.3g} m from start to end, {travelled:.3g} m along its path; a dot every {seconds}"
