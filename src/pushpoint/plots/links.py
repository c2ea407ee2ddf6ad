"""One link of a robot as papers show it: its path among the obstacles, its position over time, the forces on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pushpoint.errors import InvalidModel
from pushpoint.plots.drawing import (
    BLUE,
    GREEN,
    GREY,
    INK,
    LEFT,
    PALE,
    RIGHT,
    VERMILION,
    WIDTH,
    X_LABEL_HEIGHT,
    axes_at,
    draw_header,
    draw_lines,
    header_height,
    header_lines,
    panel_title,
    place_legend,
    show_time,
    stacked_axes,
)
from pushpoint.plots.world_drawing import body_outlines, draw_body, draw_scenery
from pushpoint.scenery.course_frames import Course, body_box, frame_box, read_course

if TYPE_CHECKING:
    import xarray

# Sizes on paper [in].
TALLEST, TITLE_HEIGHT, COLUMN_GAP = 3.2, 0.24, 0.3
POSITION_HEIGHT, FORCE_HEIGHT = 1.5, 1.3
LOOKS = ((BLUE, "--"), (VERMILION, "-"), (INK, ":"), (GREEN, "-."))
END_MARKS = "^osD"


@dataclass(frozen=True, kw_only=True)
class Scene:
    """One picture from above: a body at some times, and the way of one of its links."""

    title: str
    """What is above it."""
    run: xarray.Dataset
    """The run whose course and body are drawn."""
    times: Sequence[float] = (0.0,)
    """When the body is drawn [s]; the last one darkest."""
    link: int | None = None
    """Whose path is drawn, 0 for the tail; None for no path."""
    until: float = np.inf
    """How much of the runs is looked at [s]."""
    beside: Mapping[str, xarray.Dataset] = field(default_factory=dict)
    """Other runs with the path of that link, by what they are called."""
    label: str = "simulated"
    """What the path of the run itself is called."""


def build_scenes_figure(name: str, subject: str, facts: str, scenes: Sequence[Scene], *, columns: int = 1) -> Figure:
    """Builds pictures of the same scale beside and below each other; their axes are "scene 0", "scene 1", ..."""
    courses = [read_course(scene.run.sel(time=slice(None, scene.until))) for scene in scenes]
    boxes = [_seen(scene, course) for scene, course in zip(scenes, courses, strict=True)]
    size = np.max([box[1] - box[0] for box in boxes], axis=0)
    wide = (WIDTH - LEFT - RIGHT - (columns - 1) * (COLUMN_GAP + LEFT)) / columns
    inches_per_meter = float(min(wide / size[0], TALLEST / size[1]))
    tall = float(size[1] * inches_per_meter)
    size = np.array([wide, tall]) / inches_per_meter
    lines = header_lines(name, subject, facts, "; ".join(course.status for course in courses if course.status))
    top, rows = header_height(lines), -(-len(scenes) // columns)
    row_height = TITLE_HEIGHT + tall + X_LABEL_HEIGHT
    figure = Figure(figsize=(WIDTH, top + rows * row_height), facecolor="white")
    draw_header(figure, lines)
    for k, (scene, course, box) in enumerate(zip(scenes, courses, boxes, strict=True)):
        row, column = divmod(k, columns)
        left = LEFT + column * (wide + COLUMN_GAP + LEFT)
        axes = axes_at(figure, f"scene {k}", (left, top + row * row_height, wide, tall))
        window = box.mean(axis=0) + np.array([[-0.5], [0.5]]) * size
        axes.set(xlim=window[:, 0], ylim=window[:, 1], aspect="equal", ylabel="y [m]")
        axes.set_xlabel("x [m]", labelpad=1.5)
        axes.locator_params(axis="x", nbins=8 // columns)
        draw_scenery(axes, course.scenery, window, inches_per_meter)
        _draw_bodies(axes, course, scene.times)
        _draw_ways(axes, scene)
        panel_title(axes, scene.title)
    return figure


def _seen(scene: Scene, course: Course) -> np.ndarray:
    """Corners of what a scene must show [m], shape (2, 2)."""
    box = frame_box(course, body_box(course), [], 1.0)
    if scene.link is None:
        return box
    ways = [_way(run, scene.link, scene.until) for run in (scene.run, *scene.beside.values())]
    points = np.concatenate([box, *ways])
    return np.stack([points.min(axis=0), points.max(axis=0)])


def _way(run: xarray.Dataset, link: int, until: float) -> np.ndarray:
    if "world" in run.dims:
        raise InvalidModel("run", "a batch", "of one world for the path of a link")
    return np.asarray(run.link_position.sel(link=link, time=slice(None, until)).values[:, :2])


def _draw_bodies(axes: Axes, course: Course, times: Sequence[float]) -> None:
    for k, time in enumerate(times):
        sample = int(np.abs(course.time - time).argmin())
        draw_body(axes, body_outlines(course, sample), GREEN, 0.3 if k == len(times) - 1 else 0.12)


def _draw_ways(axes: Axes, scene: Scene) -> None:
    if scene.link is None:
        return
    runs = {scene.label: scene.run, **scene.beside}
    for k, (label, run) in enumerate(runs.items()):
        (color, dash), mark = LOOKS[k % len(LOOKS)], END_MARKS[k % len(END_MARKS)]
        way = _way(run, scene.link, scene.until)
        axes.plot(*way.T, dash, color=color, linewidth=1.3, label=label, zorder=3.5 - 0.1 * k)
        look: dict[str, Any] = {"color": color, "markersize": 5.0, "markeredgecolor": "white"}
        axes.plot(*way[-1], mark, **look, zorder=3.6)
    if len(runs) > 1:
        place_legend(axes, columns=len(runs), handle=3.0)


def build_positions_figure(name: str, runs: Mapping[str, xarray.Dataset], link: int, facts: str = "") -> Figure:
    """Builds the position of one link over time: x above, y below; one curve per run."""
    figure, panels = stacked_axes(
        header_lines(name, f"position of link {link}", facts, ""), {"x": POSITION_HEIGHT, "y": POSITION_HEIGHT}
    )
    for axis, axes in zip("xy", panels, strict=True):
        axes.set_ylabel(f"{axis} [m]")
        axes.grid(axis="y", color=PALE, linewidth=0.5)
        axes.set_axisbelow(True)
        for (label, run), (color, dash) in zip(runs.items(), LOOKS, strict=False):
            values = run.link_position.sel(link=link, axis=axis).values
            axes.plot(run.time.values, values, dash, color=color, linewidth=1.2, label=label)
    if len(runs) > 1:
        place_legend(panels[0], columns=len(runs), handle=3.0)
    show_time(panels[-1], next(iter(runs.values())).time.values)
    return figure


def build_link_forces_figure(
    name: str, run: xarray.Dataset, links: Mapping[int, str], window: tuple[float, float], facts: str = ""
) -> Figure:
    """Builds the force of the obstacles on some links over a window of time [s], a panel for each.

    Args:
        name: The heading.
        run: A planar run.
        links: What the panels are called, by the number of the link.
        window: First and last time [s].
        facts: A line below the heading.
    """
    part = run.obstacle_force.sel(time=slice(*window))
    time = part.time.values
    heights = {f"link {link}": FORCE_HEIGHT for link in links}
    figure, panels = stacked_axes(header_lines(name, "forces of the obstacles on single links", facts, ""), heights)
    for axes, (link, title) in zip(panels, links.items(), strict=True):
        panel_title(axes, title)
        curves = {f"along {axis}": part.sel(link=link, axis=axis).values for axis in ("x", "y")}
        draw_lines(axes, time, curves, "force [N]")
        axes.axhline(0.0, color=GREY, linewidth=0.5)
    show_time(panels[-1], time)
    return figure
