"""What the robot did to the obstacles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.quantities import Natural
from pushpoint.plots.looks import LOOKS
from pushpoint.plots.page import (
    TALLEST_SHEET,
    PanelRow,
    draw_lines,
    header_height,
    header_lines,
    page,
    place_legend,
    show_time,
)
from pushpoint.plots.scales import limit_spikes
from pushpoint.plots.world import draw_body, draw_map, fitted
from pushpoint.scenery.drawn_run import DrawnRun, read_run
from pushpoint.scenery.palette import BLUE, FORCE_COLOR, GREEN
from pushpoint.scenery.reading import read_recording

NEEDED = ("obstacle_reaction", "obstacle_friction")
MOST_CURVES = 5
"""Obstacles whose force is drawn over time: the most loaded [-]."""
LONGEST, LEAST = 0.25, 0.03
"""Length of the longest arrow over that of the robot, and of arrows left out over the longest [-]."""
TIME_HEIGHT, GAP, KEY_HEIGHT = 1.5, 0.3, 0.2


@checked_arguments
def obstacle_forces(run: xarray.Dataset, *, world: Natural = 0) -> Figure:
    """The mean force of the robot on every obstacle as an arrow, with the friction in it, and forces over time.

    Seen from above, with the robot at the start and at the end. An arrow begins at the obstacle and points where it is
    pushed; its length is the mean over the run. The run must have recorded obstacle_reaction and obstacle_friction. Its
    axes are labelled "header", "map" and "time".
    """
    recording, course = read_recording(run, world), read_run(run, world)
    recording.require(NEEDED, "the figure of the forces on obstacles")
    if not recording.world.environment.obstacles:
        raise InvalidModel("run: obstacles", 0, "at least 1")
    reaction, friction = (recording.values(name) for name in NEEDED)
    of_world = len(recording.world.environment.obstacles)
    reaction, friction = reaction[:, :of_world], friction[:, :of_world]
    mean, rubbed = (_mean(each) for each in (reaction, friction))
    facts = _facts(reaction, mean, rubbed)
    lines = header_lines(course.name, "forces on obstacles", facts, course.remarks, title=course.title)
    others = header_height(lines) + KEY_HEIGHT + PanelRow.below + GAP + TIME_HEIGHT + PanelRow.below
    scale, middles = _scale(course, mean), _middles(course)
    tips = [middles[k] + scale * force[:2] for k, force in enumerate(mean) if k in middles]
    box, inches_per_meter, tall = fitted(_with(course.frame_box(), tips), tallest=TALLEST_SHEET - others)
    rows = [
        PanelRow(panels=("map",), height=tall, above=KEY_HEIGHT),
        PanelRow(panels=("time",), height=TIME_HEIGHT, above=GAP),
    ]
    figure, panels = page(lines, rows)
    draw_map(panels["map"], course.scenery, box, inches_per_meter)
    for sample, shade in ((0, 0.12), (-1, 0.35)):
        draw_body(panels["map"], course.outlines(sample), GREEN, shade)
    _draw_arrows(panels["map"], course, mean, rubbed)
    _draw_curves(panels["time"], course.time, reaction)
    return figure


def _mean(force: np.ndarray) -> np.ndarray:
    """Mean over the samples that are numbers, without the first one, which repeats the second; zero without any."""
    rest = force[1:] if len(force) > 1 else force
    known = np.isfinite(rest)
    return np.asarray(np.where(known, rest, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1))


def _with(box: np.ndarray, points: Sequence[np.ndarray]) -> np.ndarray:
    """A box with some points in it, and a little more."""
    room = 0.02 * np.ptp(box, axis=0).max()
    low, high = np.min([box[0], *points], axis=0), np.max([box[1], *points], axis=0)
    return np.array([np.minimum(low - room, box[0]), np.maximum(high + room, box[1])])


def _scale(course: DrawnRun, mean: np.ndarray) -> float:
    """Length of arrows per force [m/N]."""
    largest = float(np.linalg.norm(mean[:, :2], axis=1).max(initial=0.0))
    return LONGEST * course.length / largest if largest > 0.0 else 0.0


def _middles(course: DrawnRun) -> dict[int, np.ndarray]:
    """Where arrows begin: the middle of every obstacle, seen from above [m]."""
    return {solid.number: np.asarray(solid.center)[:2] for solid in course.scenery.solids}


def _draw_arrows(axes: Axes, course: DrawnRun, mean: np.ndarray, rubbed: np.ndarray) -> None:
    """Arrows at the middles of obstacles, on one scale; friction beside the whole force."""
    largest = float(np.linalg.norm(mean[:, :2], axis=1).max(initial=0.0))
    scale, middles = _scale(course, mean), _middles(course)
    true_length: dict[str, Any] = {"angles": "xy", "scale_units": "xy", "scale": 1.0, "units": "inches"}
    whole = f"mean force on the obstacle, up to {largest:.3g} N"
    for values, color, label, width in ((mean, FORCE_COLOR, whole, 0.022), (rubbed, BLUE, "friction in it", 0.014)):
        seen = [k for k in range(len(values)) if k in middles and np.linalg.norm(values[k, :2]) > LEAST * largest]
        if seen and largest > 0.0:
            look: dict[str, Any] = {"color": color, "edgecolor": "white", "linewidth": 0.4, "zorder": 4.5}
            foot, arrow = np.array([middles[k] for k in seen]), scale * values[seen][:, :2]
            axes.quiver(*foot.T, *arrow.T, width=width, minlength=0.1, label=label, **true_length, **look)
    if axes.get_legend_handles_labels()[0]:
        place_legend(axes, 2, side="left", borderaxespad=0.2)


def _draw_curves(axes: Axes, time: np.ndarray, reaction: np.ndarray) -> None:
    """Size of the force on the most loaded obstacles over time."""
    size = np.linalg.norm(reaction, axis=-1)
    order = np.argsort(-np.nan_to_num(size).mean(axis=0))[:MOST_CURVES]
    loaded = sorted(int(k) for k in order if np.nanmax(size[:, k], initial=0.0) > 0.0)
    curves = {f"obstacle {k}": size[:, k] for k in loaded}
    draw_lines(axes, time, curves, "force [N]", title="size of the force", looks=LOOKS)
    limit_spikes(axes, curves.values(), "N")
    show_time(axes, time)


def _facts(reaction: np.ndarray, mean: np.ndarray, rubbed: np.ndarray) -> str:
    size = np.nan_to_num(np.linalg.norm(reaction, axis=-1))
    peak, touched = float(size.max(initial=0.0)), int((size.max(axis=0, initial=0.0) > 0.0).sum())
    x, y = (f"{value:.3g}".replace("-", "−") for value in mean.sum(axis=0)[:2])
    share = float(np.linalg.norm(rubbed, axis=-1).sum() / max(np.linalg.norm(mean, axis=-1).sum(), 1e-30))
    return (
        f"{touched} of {mean.shape[0]} obstacles pushed, with up to {peak:.3g} N; all together with ({x}, {y}) N on "
        f"average; friction is {share:.2f} of them"
    )
