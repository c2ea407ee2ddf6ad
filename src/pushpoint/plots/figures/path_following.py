"""How a run followed its path: from above, and its errors over the distance along the path."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pushpoint.model.arguments import checked_arguments
from pushpoint.model.quantities import Natural
from pushpoint.plots.looks import LOOKS
from pushpoint.plots.page import TALLEST_SHEET, PanelRow, dress, header_height, header_lines, page, place_legend
from pushpoint.plots.world import around, draw_aim, draw_body, draw_map, fitted
from pushpoint.scenery.drawn_run import DrawnRun, read_run
from pushpoint.scenery.palette import GREEN, GREY
from pushpoint.scenery.reading import read_recording
from pushpoint.simulation.measures.path_errors import (
    WITHIN,
    course_error,
    cross_track_error,
    settling_distance,
    traced,
)

MOST_TRACES = 12
"""Worlds of a batch that are drawn [-]."""
PATH_KEY, KEY_HEIGHT, ERROR_HEIGHT, FLATTEST = 0.16, 0.05, 1.35, 0.8
START_SHADE, END_SHADE = 0.12, 0.35
"""How much of its colour a body has [-]."""
IN_CM = 100.0


@checked_arguments
def path_following(run: xarray.Dataset, *, world: Natural | None = None) -> Figure:
    """The path and the centre of mass from above, cross-track error and course error over the distance along the path.

    Of a batch it shows up to twelve worlds, or one if `world` is given. The thick line of one world is the mean over
    the last cycle of the gait, the thin one holds the swing as well; of several worlds only means are drawn. Its axes
    are labelled "header", "path", "error" and "course".
    """
    count = run.sizes.get("world", 1)
    shown = [world] if world is not None else list(range(min(count, MOST_TRACES)))
    parts = [run.isel(world=[w]) if "world" in run.dims else run for w in shown]
    courses = [read_run(run, w) for w in shown]
    name = courses[0].name if len(shown) == 1 else read_recording(run, 0).scenario
    lines = header_lines(name, "path following", _facts(parts), courses[0].remarks, title=courses[0].title)
    center = np.concatenate([course.center[:, :2] for course in courses])
    below = [PanelRow(panels=(label,), height=ERROR_HEIGHT, above=KEY_HEIGHT) for label in ("error", "course")]
    others = header_height(lines) + PATH_KEY + PanelRow.below
    others += sum(row.above + row.height + row.below for row in below)
    seen = np.concatenate(
        [
            around(center),
            *(around(course.middle[[0, -1]].reshape(-1, course.middle.shape[-1])[:, :2]) for course in courses),
        ]
    )
    box, inches_per_meter, tall = fitted(around(seen), tallest=TALLEST_SHEET - others, flattest=FLATTEST)
    figure, panels = page(lines, [PanelRow(panels=("path",), height=tall, above=PATH_KEY), *below])
    draw_map(panels["path"], courses[0].scenery, box, inches_per_meter)
    _draw_above(panels["path"], courses, box)
    for k, part in enumerate(parts):
        _draw_errors(panels, part, k, swings=len(parts) == 1)
    panels["course"].set_xlim(panels["error"].get_xlim())
    dress(panels["error"], y="error [cm]", title="cross-track error, positive on the left", grid="y")
    dress(
        panels["course"],
        x="distance along the path [m]",
        y="error [°]",
        title="direction of travel over a cycle, minus that of the path",
        grid="y",
    )
    for edge in (-WITHIN, WITHIN):
        panels["error"].axhline(IN_CM * edge, color=GREY, linewidth=0.7, linestyle="--", zorder=1.0)
    if len(parts) == 1:
        place_legend(panels["error"], columns=2)
    return figure


def _facts(parts: list[xarray.Dataset]) -> str:
    """How soon the path was reached."""
    found = np.concatenate([np.atleast_1d(settling_distance(part).values) for part in parts])
    reached = found[np.isfinite(found)]
    limit = f"mean over a cycle within {IN_CM * WITHIN:g} cm"
    if len(parts) == 1:
        return f"{limit} after {found[0]:.3g} m" if reached.size else f"{limit} not reached for good"
    worst = f", after {reached.max():.3g} m at most" if reached.size else ""
    return f"{limit} for good in {reached.size} of {len(parts)} worlds{worst}"


def _draw_above(axes: Axes, courses: list[DrawnRun], box: np.ndarray) -> None:
    """The path, the bodies at start and end, and the traces of the centres of mass."""
    draw_aim(axes, courses[0].aim, box)
    for k, course in enumerate(courses):
        if len(courses) == 1:
            draw_body(axes, course.outlines(0), GREEN, START_SHADE)
        if k == 0:
            draw_body(axes, course.outlines(-1), GREEN, END_SHADE)
        color, dashes = LOOKS[k % len(LOOKS)]
        label = "centre of mass" if len(courses) == 1 else f"world {k}"
        axes.plot(*course.center[:, :2].T, color=color, linestyle=dashes, linewidth=1.1, zorder=3.0, label=label)
    for artist in axes.lines:
        if artist.get_gid() == "planned path":
            artist.set_label(courses[0].aim.path_name)
    place_legend(axes, min(len(courses) + 1, 7), side="left", borderaxespad=0.2)


def _draw_errors(panels: dict[str, Axes], part: xarray.Dataset, k: int, *, swings: bool) -> None:
    """The errors of one world over its arc length."""
    one = part.isel(world=0) if "world" in part.dims else part
    arc = traced(one).arc
    color, dashes = LOOKS[k % len(LOOKS)]
    look: dict[str, Any] = {"color": color, "linestyle": dashes}
    if swings:
        error = IN_CM * cross_track_error(one).values
        panels["error"].plot(arc, error, color=GREY, linewidth=0.8, label="of the centre of mass")
    mean = IN_CM * cross_track_error(one, averaged=True).values
    panels["error"].plot(arc, mean, linewidth=1.4, label="mean over a cycle", **look)
    panels["course"].plot(arc, np.degrees(course_error(one).values), linewidth=1.0, **look)
