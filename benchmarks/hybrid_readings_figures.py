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
from pushpoint.plots.looks import looks_of
from pushpoint.plots.page import SMALL, PanelRow, dress, page
from pushpoint.scenery.palette import GREY, INK, VERMILION

Rows = Sequence[Mapping[str, Any]]
MOST = 5
"""Starts per place [-]."""
SHADES = ListedColormap(["#e4e4e4", "#c6dbef", "#9ecae1", "#6baed6", "#3182bd", "#08519c"])
MAP_HEIGHT = 1.16
"""On paper [in]."""
BORDER = (-0.06, 0.06)
"""Around the places [m]."""


def bands_figure(rows: Rows) -> Figure:
    """Passes of environment 3 over the width of the band, to either point of the head."""
    lines = ["Environment 3 over the width of the head's band", f"{MOST} starts each, 100 s, four obstacles as printed"]
    figure, panels = page(lines, [PanelRow(panels=("centre", "front"), height=1.9, gap=0.55)])
    for head, axes in panels.items():
        if head not in ("centre", "front"):
            continue
        for body, (color, dash) in looks_of(list(BODIES)).items():
            chosen = [row for row in rows if row["head"] == head and row["body"] == body]
            bands = [100.0 * row["band"] for row in chosen]
            axes.plot(
                bands, [row["passed"] for row in chosen], dash, color=color, marker="o", markersize=3.5, label=body
            )
        for place, word in ((14.0, "±14 cm"), (7.0, "±7 cm")):
            axes.axvline(place, color=GREY, linewidth=0.8, zorder=0)
            axes.text(place + 0.15, 2.6, word, rotation=90, va="center", size=SMALL, color=INK)
        axes.set_ylim(-0.3, MOST + 0.3)
        dress(axes, title=f"counted to the head link's {head}", x="head turns back beyond [cm]", y="starts that pass")
    panels["centre"].legend(loc="upper right", fontsize=SMALL, frameon=False)
    return figure


def fifth_figure(rows: Rows) -> Figure:
    """A map of environment 3 for every reading and body: how many starts pass with a fifth obstacle at a place."""
    readings = list(dict.fromkeys(map(_words, rows)))
    lines = [
        "Environment 3 with a fifth obstacle somewhere",
        f"Squares: places of its centre; their shade: how many of {MOST} starts pass, none (grey) to all (dark).",
        "Circles: the four obstacles as printed. Line: the robot at its start.",
    ]
    panels = [PanelRow(panels=[f"{k} {body}" for body in BODIES], height=MAP_HEIGHT, above=0.22, below=0.14, gap=0.12)
              for k in range(len(readings))]  # fmt: skip
    figure, axes_of = page(lines, panels)
    for row in rows:
        k = readings.index(_words(row))
        axes = axes_of[f"{k} {row['body']}"]
        _draw_map(axes, row)
        axes.set_title(f"{row['body']}: {row['without']} of {MOST} without it", size=SMALL, color=INK, pad=2.0)
        if row["body"] == "tube":
            axes.text(0.0, 1.16, readings[k], transform=axes.transAxes, size=SMALL, weight="bold", color=INK)
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
    axes.set(xlim=np.add(AREA.x, BORDER), ylim=np.add(AREA.y, BORDER), aspect="equal", xticks=[], yticks=[])


def readings_table(rows: Rows) -> str:
    """Passes of every reading as a Markdown table: with each body, in environments 1, 2 and 3."""
    lines = [
        f"| head at the start | Δy to its | turns back at | time of (5) | {' | '.join(BODIES)} |",
        "|---|---|---|---|---|---|---|",
    ]
    by_reading: dict[tuple[Any, ...], dict[str, list[str]]] = {}
    for row in rows:
        key = (row["start"], row["head"], f"±{100 * row['band']:.0f} cm", row["clock"])
        by_reading.setdefault(key, {}).setdefault(row["body"], []).append(str(row["passed"]))
    for key, passed in by_reading.items():
        lines.append(f"| {' | '.join((*key, *('/'.join(passed[body]) for body in BODIES)))} |")
    return "\n".join(lines)


def notches_table(rows: Rows) -> str:
    """Passes of tube and balls over the friction of the pegs, as a Markdown table."""
    frictions = list(dict.fromkeys(row["peg_friction"] for row in rows))
    lines = [f"| friction of the pegs | {' | '.join(map(str, frictions))} |", f"|---|{'---|' * len(frictions)}"]
    for body, place in dict.fromkeys((row["body"], row["environment"]) for row in rows):
        found = [str(row["passed"]) for row in rows if (row["body"], row["environment"]) == (body, place)]
        lines.append(f"| {body}, environment {place} | {' | '.join(found)} |")
    return "\n".join(lines)


def fifth_table(rows: Rows) -> str:
    """At how many places of a fifth obstacle environment 3 is passed, as a Markdown table."""
    lines = [f"| reading | {' | '.join(BODIES)} |", "|---|---|---|---|"]
    for words in dict.fromkeys(map(_words, rows)):
        cells = []
        for row in (each for each in rows if _words(each) == words):
            passed = np.array(row["passed"])
            cells.append(f"{(passed > MOST / 2).sum()}, {(passed > 0).sum()} of {row['places']} ({row['without']})")
        lines.append(f"| {words} | {' | '.join(cells)} |")
    return "\n".join(lines)
