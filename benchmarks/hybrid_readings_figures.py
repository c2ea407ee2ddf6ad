"""Pictures of the readings of Liljeback2011: environment 3 over the head's band, and over a fifth obstacle's place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from pushpoint.engine.planar.kinematics import rear_joints
from pushpoint.papers.liljeback2011.readings import AREA, BODIES, FIFTH_RADIUS
from pushpoint.papers.liljeback2011.scenarios import published_course, published_start
from pushpoint.plots.page import SMALL, PanelRow, dress, page, place_legend
from pushpoint.scenery.palette import BLUE, GREEN, GREY, INK, VERMILION

Rows = Sequence[Mapping[str, Any]]
LOOKS = {"tube": (BLUE, "-"), "balls": (VERMILION, "--"), "centre": (GREEN, "-.")}
MOST = 5
"""Starts per place [-]."""
SHADES = ListedColormap(["#e4e4e4", "#c6dbef", "#9ecae1", "#6baed6", "#3182bd", "#08519c"])
MAP_HEIGHT = 1.42
"""On paper [in]."""


def bands_figure(rows: Rows) -> Figure:
    """Passes of environment 3 over the width of the band, to either point of the head."""
    lines = ["Environment 3 over the width of the head's band", f"{MOST} starts each, 100 s, four obstacles as printed"]
    figure, panels = page(lines, [PanelRow(panels=("centre", "front"), height=1.9)])
    for head, axes in panels.items():
        if head not in ("centre", "front"):
            continue
        for body, (color, dash) in LOOKS.items():
            chosen = [row for row in rows if row["head"] == head and row["body"] == body]
            bands = [100.0 * row["band"] for row in chosen]
            axes.plot(
                bands, [row["passed"] for row in chosen], dash, color=color, marker="o", markersize=3.5, label=body
            )
        for place, word in ((14.0, "14 cm to either side"), (7.0, "14 cm in all")):
            axes.axvline(place, color=GREY, linewidth=0.8, zorder=0)
            axes.text(place + 0.15, MOST - 0.1, word, rotation=90, va="top", size=SMALL, color=INK)
        axes.set_ylim(-0.3, MOST + 0.3)
        dress(axes, title=f"counted to the head link's {head}", x="head turns back beyond [cm]", y="starts that pass")
    place_legend(panels["front"], columns=3)
    return figure


def fifth_figure(rows: Rows) -> Figure:
    """A map of environment 3 for every reading and body: how many starts pass with a fifth obstacle at a place."""
    readings = list(dict.fromkeys(map(_words, rows)))
    lines = [
        "Environment 3 with a fifth obstacle somewhere",
        f"Squares: places of its centre; shade: how many of {MOST} starts pass, none (grey) to all (dark). Circles: "
        "the four obstacles as printed; line: the robot at its start",
    ]
    panels = [PanelRow(panels=[f"{k} {body}" for body in BODIES], height=MAP_HEIGHT, above=0.36, below=0.2, gap=0.12)
              for k in range(len(readings))]  # fmt: skip
    figure, axes_of = page(lines, panels)
    for row in rows:
        k = readings.index(_words(row))
        axes = axes_of[f"{k} {row['body']}"]
        _draw_map(axes, row)
        axes.set_title(f"{row['body']}: {row['without']} of {MOST} without it", size=SMALL, color=INK, pad=2.0)
        if row["body"] == "tube":
            axes.text(0.0, 1.22, readings[k], transform=axes.transAxes, size=SMALL, weight="bold", color=INK)
    return figure


def _words(row: Mapping[str, Any]) -> str:
    """A reading in words."""
    parts = [f"head turns back at ±{100 * row['band']:.0f} cm, counted to its {row['head']}"]
    if row["start"] == "front":
        parts.append("its front at the origin at the start")
    if row["clock"] == "runs":
        parts.append("time of (5) runs on during resolution")
    return "; ".join(parts)


def _draw_map(axes: Axes, row: Mapping[str, Any]) -> None:
    x, y = np.array(row["place_m"]).T
    axes.scatter(x, y, c=row["passed"], cmap=SHADES, vmin=-0.5, vmax=MOST + 0.5, marker="s", s=13.0, linewidths=0.0)
    for peg in published_course(3).obstacles:
        axes.add_patch(Circle((peg.x, peg.y), FIFTH_RADIUS, facecolor="none", edgecolor=INK, linewidth=0.7))  # type: ignore[attr-defined]
    robot = BODIES[row["body"]]
    pose = published_start(3, None, robot, row["start"]).start.pose(robot)
    rear = rear_joints(robot, pose["center"], pose["theta"])
    tip = rear[-1] + robot.links[-1].length * np.array([np.cos(pose["theta"][-1]), np.sin(pose["theta"][-1])])
    axes.plot(*np.concatenate((rear, tip[None])).T, color=VERMILION, linewidth=1.4)
    axes.set(xlim=AREA.x, ylim=AREA.y, aspect="equal", xticks=[], yticks=[])
