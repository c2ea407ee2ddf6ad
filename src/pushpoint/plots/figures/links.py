"""One link of a robot as papers show it: its path among the obstacles, its position over time, the forces on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np
import xarray
from matplotlib.figure import Figure

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import Many, any_number, check_fields, real
from pushpoint.model.quantities import Count, Natural
from pushpoint.plots.looks import looks_of
from pushpoint.plots.page import PanelRow, draw_lines, dress, header_lines, page, place_legend, time_page
from pushpoint.plots.world import draw_body, draw_map, fitted
from pushpoint.scenery.drawn_run import nearest_samples, read_run
from pushpoint.scenery.palette import GREEN, GREY
from pushpoint.simulation.provenance import refuse_batch, require

# Sizes on paper [in].
TALLEST, TITLE_HEIGHT, COLUMN_GAP = 3.2, 0.24, 0.3
POSITION_HEIGHT, FORCE_HEIGHT = 1.5, 1.3
END_MARKS = "^osD"


def _check_link(run: xarray.Dataset, link: int, variable: str) -> None:
    """Refuses a run in which nothing is known of this link."""
    refuse_batch(run)
    require(run, "the figure of a link", variable)
    if link >= run.sizes.get("link", 0):
        raise InvalidModel("link", link, f"below {run.sizes.get('link', 0)}, the number of links")


@dataclass(frozen=True, kw_only=True)
class Scene:
    """One picture from above: a body at some times, and the way of one of its links."""

    __repr__ = brief

    title: str
    """What is above it."""
    run: xarray.Dataset
    """The run whose course and body are drawn."""
    times: Annotated[Sequence[float], real("s"), Many(None, "a list of times")] = (0.0,)
    """When the body is drawn [s]; the last one darkest."""
    link: Natural | None = None
    """Whose path is drawn, 0 for the tail; None for no path."""
    until: Annotated[float, any_number("s")] = np.inf
    """How much of the runs is looked at [s]."""
    beside: Mapping[str, xarray.Dataset] = field(default_factory=dict)
    """Other runs with the path of that link, by what they are called."""
    label: str = "simulated"
    """What the path of the run itself is called."""

    def __post_init__(self) -> None:
        check_fields(self, "scene")
        for run in () if self.link is None else (self.run, *self.beside.values()):
            _check_link(run, self.link or 0, "link_position")

    def ways(self) -> dict[str, np.ndarray]:
        """Paths of the link by what they are called [m], shape (n, 2) each."""
        runs = {} if self.link is None else {self.label: self.run, **self.beside}
        seen = {"link": self.link, "time": slice(None, self.until)}
        return {name: np.asarray(run.link_position.sel(seen).values[:, :2]) for name, run in runs.items()}


@checked_arguments
def scenes(name: str, subject: str, facts: str, shown: Sequence[Scene], *, columns: Count = 1) -> Figure:
    """Pictures of the same scale, so many columns beside each other; their axes are "scene 0", "scene 1", ...

    name, subject and facts: the heading, what is seen, and a line below them.
    """
    if not shown:
        raise InvalidModel("scenes: shown", shown, "at least one Scene")
    courses = [read_run(scene.run.sel(time=slice(None, scene.until))) for scene in shown]
    seen = [[course.frame_box(), *scene.ways().values()] for scene, course in zip(shown, courses, strict=True)]
    boxes = [np.stack([points.min(axis=0), points.max(axis=0)]) for points in map(np.concatenate, seen)]
    row = PanelRow(
        panels=(), height=0.0, gap=COLUMN_GAP + PanelRow.left, below=TITLE_HEIGHT + PanelRow.below, columns=columns
    )
    size = np.max([box[1] - box[0] for box in boxes], axis=0)
    window, inches_per_meter, tall = fitted(np.stack([-size / 2.0, size / 2.0]), wide=row.width, tallest=TALLEST)
    lines = header_lines(name, subject, facts, [remark for course in courses for remark in course.remarks])
    labels = [f"scene {k}" for k in range(len(shown))]
    rows = [replace(row, panels=labels[k : k + columns], height=tall) for k in range(0, len(shown), columns)]
    figure, panels = page(lines, rows)
    for label, scene, course, box in zip(labels, shown, courses, boxes, strict=True):
        axes = panels[label]
        draw_map(axes, course.scenery, box.mean(axis=0) + window, inches_per_meter)
        for k, sample in enumerate(nearest_samples(course.time, np.asarray(scene.times)).tolist(), 1):
            draw_body(axes, course.outlines(sample), GREEN, 0.3 if k == len(scene.times) else 0.12)
        ways = scene.ways()
        looks = looks_of(list(ways))
        for k, (name, way) in enumerate(ways.items()):
            (color, dash), mark = looks[name], END_MARKS[k % len(END_MARKS)]
            axes.plot(*way.T, dash, color=color, linewidth=1.3, label=name, zorder=3.5 - 0.1 * k)
            axes.plot(*way[-1], mark, color=color, markersize=5.0, markeredgecolor="white", zorder=3.6)
        if len(ways) > 1:
            place_legend(axes, columns=len(ways), handle=3.0)
        dress(axes, title=scene.title)
    return figure


@checked_arguments
def positions(name: str, runs: Mapping[str, xarray.Dataset], link: Natural, facts: str = "") -> Figure:
    """Position of one link over time: x above, y below; one curve per run, by what it is called."""
    if not runs:
        raise InvalidModel("positions: runs", runs, "at least one run")
    for run in runs.values():
        _check_link(run, link, "link_position")
    lines = header_lines(name, f"position of link {link}", facts)
    time = next(iter(runs.values())).time.values
    figure, panels = time_page(lines, time, {"x": POSITION_HEIGHT, "y": POSITION_HEIGHT})
    looks = looks_of(list(runs))
    for axis, axes in zip("xy", panels, strict=True):
        dress(axes, y=f"{axis} [m]", grid="y")
        for label, run in runs.items():
            color, dash = looks[label]
            values = run.link_position.sel(link=link, axis=axis).values
            axes.plot(run.time.values, values, dash, color=color, linewidth=1.2, label=label)
    if len(runs) > 1:
        place_legend(panels[0], columns=len(runs), handle=3.0)
    return figure


@checked_arguments
def lag(name: str, ahead: xarray.Dataset, behind: xarray.Dataset, link: Natural, facts: str = "") -> Figure:
    """How far a link of one run is behind that of another along x, over time; the panel is labelled "lag"."""
    for run in (ahead, behind):
        _check_link(run, link, "link_position")
    x, other = (run.link_position.sel(link=link, axis="x") for run in (ahead, behind))
    found = 100.0 * (x - other)
    time = found.time.values
    figure, (axes,) = time_page(header_lines(name, f"lag of link {link}", facts), time, {"lag": POSITION_HEIGHT})
    draw_lines(axes, time, {"simulated": found.values}, "lag [cm]", title="behind along x")
    return figure


@checked_arguments
def link_forces(
    name: str, run: xarray.Dataset, links: Mapping[Natural, str], window: tuple[float, float], facts: str = ""
) -> Figure:
    """Force of the obstacles on some links of a planar run between two times [s], a panel for each.

    links: what the panels are called, by the number of the link; name and facts: the heading, and a line below it.
    """
    for link in links:
        _check_link(run, link, "obstacle_force")
    part = run.obstacle_force.sel(time=slice(*window)) if links else None
    if part is None or not part.time.size:
        raise InvalidModel(
            "link_forces: window", window, "two times with a sample between them [s], of at least one link"
        )
    lines = header_lines(name, "forces of the obstacles on single links", facts)
    figure, panels = time_page(lines, part.time.values, {f"link {link}": FORCE_HEIGHT for link in links})
    for axes, (link, title) in zip(panels, links.items(), strict=True):
        curves = {f"along {axis}": part.sel(link=link, axis=axis).values for axis in ("x", "y")}
        draw_lines(axes, part.time.values, curves, "force [N]", title=title)
        axes.axhline(0.0, color=GREY, linewidth=0.5)
    return figure
