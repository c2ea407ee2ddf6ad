"""Where the robot went among the obstacles: paths of its parts; and a recorded path laid over that of a run."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import xarray
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from pushpoint.model.arguments import checked_arguments
from pushpoint.model.quantities import Natural
from pushpoint.plots.distances import distances
from pushpoint.plots.looks import HEAD_COLOR, KNOWN, MIDDLE_COLOR, TAIL_COLOR
from pushpoint.plots.page import (
    TALLEST_SHEET,
    PanelRow,
    draw_lines,
    dress,
    header_height,
    header_lines,
    page,
    place_legend,
    show_time,
)
from pushpoint.plots.world import around, draw_aim, draw_body, draw_map, draw_wheels, fitted
from pushpoint.scenery.drawn_run import nearest_samples, read_run
from pushpoint.scenery.palette import GREEN, GREY, INK, rgb
from pushpoint.scenery.reading import Recording, read_recording
from pushpoint.scenery.surroundings import Scenery
from pushpoint.simulation.recordings import Comparison, run_path

# Sizes on paper [in]: the view from above, the panel of heights and the gap above it; and those beside a recording.
HEIGHT_PANEL, HEIGHT_GAP, LEGEND_LINE = 1.5, 0.2, 0.16
KEY_HEIGHT, TALLEST_RECORDED, FLATTEST, ERROR_HEIGHT, GAP = 0.26, 6.0, 1.2, 1.3, 0.3
# Pairs of points of the same time that are joined, so that a lag along the path is seen too.
TIES = 30
START_SHADE, END_SHADE = 0.12, 0.35
"""How much of its colour a body has [-]."""
AIMS = ("start", "goal", "finishing line")
"""What was planned, beside the path, as a legend calls it."""
ONE_LINE = 6
"""Entries of a legend that stand beside each other [-]."""
LEAST_IN_METERS = 0.1
LOOKS: dict[str, dict[str, Any]] = {
    "tail": {"color": TAIL_COLOR, "linewidth": 2.4},
    "middle": {"color": MIDDLE_COLOR, "linewidth": 1.3, "linestyle": "--"},
    "head": {"color": HEAD_COLOR, "linewidth": 1.3},
    "centre of mass": {"color": INK, "linewidth": 1.0, "linestyle": "-."},
}


@checked_arguments
def paths(run: xarray.Dataset, *, world: Natural = 0) -> Figure:
    """The body at start and end, and the paths between, with a dot at every whole second.

    Of a spatial run it shows the paths from above, and below them their heights over time. Its axes are labelled
    "header", "paths" and "heights".
    """
    course = read_run(run, world)
    far = distances(course)
    # Whole seconds between dots, about a dozen of them.
    step = max(1.0, float(math.ceil((course.time[-1] - course.time[0]) / 12.0)))
    facts = f"{far.words}; centre of mass {far.path:.3g} m along its path; dots every "
    facts += "second" if step == 1.0 else f"{step:g} s"
    lines = header_lines(course.name, "paths", facts, course.remarks, title=course.title)
    below = [PanelRow(panels=("heights",), height=HEIGHT_PANEL, above=HEIGHT_GAP)] if course.space is not None else []
    above = LEGEND_LINE
    others = header_height(lines) + above + PanelRow.below + sum(row.above + row.height + row.below for row in below)
    box, inches_per_meter, tall = fitted(course.frame_box(), tallest=TALLEST_SHEET - others)
    figure, panels = page(lines, [PanelRow(panels=("paths",), height=tall, above=above), *below])
    axes = panels["paths"]
    draw_map(axes, course.scenery, box, inches_per_meter)
    draw_aim(axes, course.aim, box)
    draw_body(axes, course.outlines(0), GREEN, START_SHADE)
    draw_body(axes, course.outlines(-1), GREEN, END_SHADE)
    if course.space is None:
        draw_wheels(axes, course.wheel_outlines(-1))
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
    for artist in axes.lines:
        if artist.get_gid() in (*AIMS, "planned path"):
            artist.set_label(str(artist.get_gid()).replace("planned path", course.aim.path_name))
    handles = axes.get_legend_handles_labels()[0]
    for words, shade in (("body at the start", START_SHADE), ("at the end", END_SHADE)):
        handles.append(Patch(facecolor=(*rgb(GREEN), shade), edgecolor=GREEN, linewidth=0.7, label=words))
    columns = len(handles) if len(handles) <= ONE_LINE else (len(handles) + 1) // 2
    place_legend(axes, columns, side="left", borderaxespad=0.2, labelspacing=0.2, handles=handles)
    if course.space is not None:
        title = "heights: axis of tail, middle and head link, and centre of mass"
        draw_lines(panels["heights"], course.time, {}, "z [m]", title=title)
        for label, path in points.items():
            panels["heights"].plot(course.time, path[:, 2], solid_capstyle="butt", **LOOKS[label])
        show_time(panels["heights"], course.time)
    return figure


@checked_arguments
def recording(comparison: Comparison, run: xarray.Dataset, *, world: Natural = 0) -> Figure:
    """A recorded path beside that of a run, as `compare_recording` compared them, and their distance over time.

    Its axes are labelled "header", "paths" and "error".
    """
    read = read_recording(run, world)
    _, simulated = run_path(run, link=comparison.link, world=world)
    seen = around(np.concatenate([simulated, comparison.recorded]))
    box, inches_per_meter, tall = fitted(seen, tallest=TALLEST_RECORDED, flattest=FLATTEST)
    above = PanelRow(panels=("paths",), height=tall, above=KEY_HEIGHT, below=PanelRow.below + GAP)
    below = PanelRow(panels=("error",), height=ERROR_HEIGHT)
    figure, panels = page(_lines(read, comparison), [above, below])
    axes, error = panels["paths"], panels["error"]
    draw_map(axes, Scenery(read.world.environment), box, inches_per_meter)
    ties = np.unique(np.linspace(0, len(comparison.time) - 1, TIES).round().astype(int))
    for k in ties:
        pair = np.stack([comparison.simulated[k], comparison.recorded[k]])
        axes.plot(*pair.T, color=INK, linewidth=0.5, zorder=3.0, label="same time" if k == ties[0] else None)
    axes.plot(*simulated.T, color=KNOWN["simulated"].color, linewidth=1.4, label="simulated", zorder=3.1)
    x, y = comparison.recorded.T
    look: dict[str, Any] = {"s": 7, "color": KNOWN["recorded"].color, "edgecolors": "white", "linewidths": 0.2}
    axes.scatter(x, y, label="recorded, aligned", zorder=3.2, **look)
    axes.scatter(x[:1], y[:1], s=34, facecolors="none", edgecolors=INK, label="first sample", zorder=3.3)
    place_legend(axes, 4, handle=2.0, side="left", borderaxespad=0.2)
    unit, scale = ("m", 1.0) if comparison.max_error >= LEAST_IN_METERS else ("mm", 1e3)
    error.plot(
        comparison.time, scale * comparison.error, color=KNOWN["recorded"].color, linewidth=1.0, label="distance"
    )
    error.axhline(scale * comparison.rms_error, color=GREY, linewidth=0.8, linestyle="--", label="rms")
    error.set_ylim(bottom=0.0)
    show_time(error, comparison.time)
    dress(error, x="time of the run [s]", y=f"error [{unit}]", grid="y")
    place_legend(error, columns=2)
    return figure


def _lines(read: Recording, comparison: Comparison) -> list[str]:
    point = "centre of mass" if isinstance(comparison.link, str) else f"link {comparison.link}"
    error = f"error: rms {_length(comparison.rms_error)}, largest {_length(comparison.max_error)}"
    facts = f"{error}, at the end {_length(comparison.end_error)}"
    lines = header_lines(read.scenario, f"recorded path of {point}", facts, title=read.title)
    x, y = comparison.translation
    turned = f"turned by {math.degrees(comparison.rotation):.2f} deg, moved by ({x:.4g}, {y:.4g}) m"
    lines.append(f"recording: times shifted by {comparison.time_offset:.3f} s, {turned}")
    if not comparison.time_is_sure:
        low, high = comparison.time_offset_range
        lines.append(f"! The path leaves the time offset open: others between {low:.3f} and {high:.3f} s fit as well.")
    return lines


def _length(value: float) -> str:
    return f"{value:.3g} m" if value >= LEAST_IN_METERS else f"{1e3 * value:.3g} mm"
