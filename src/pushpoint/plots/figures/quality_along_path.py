"""How well a path can be travelled by pushing: the way, what stays unbalanced, the hardest torque and push."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pushpoint.errors import InvalidModel
from pushpoint.mapping.path_quality import BALANCE, PathQuality
from pushpoint.mapping.rails import Path
from pushpoint.model.environment import Environment, Peg
from pushpoint.plots.page import PANEL_GAP, X_LABEL_HEIGHT, PanelRow, dress, header_lines, page, place_legend
from pushpoint.plots.world import around, draw_map, fitted
from pushpoint.scenery.palette import BLUE, GREY, INK, VERMILION
from pushpoint.scenery.surroundings import Scenery

PANEL_HEIGHT, TALLEST = 1.25, 3.2
"""Height of a panel, and the largest one of the way [in]."""
LEAST_RESIDUAL = 1e-12
"""Residual below which a logarithmic axis does not go [-]."""
TITLES = {
    "residual": ("share of the ground's friction that no pushing balances; largest allowed dashed", "unbalanced [-]"),
    "torque": ("largest torque of a joint; limit dashed", "torque [N m]"),
    "push": ("largest force on a peg", "push [N]"),
}


def quality_along_path(
    quality: PathQuality, path: Path, pegs: Sequence[Peg], torque_limit: float, *, name: str = "path quality"
) -> Figure:
    """The way, what stays unbalanced, the hardest torque and push; positions without a way on are shaded.

    The panels are labelled "way", "residual", "torque" and "push".

    Args:
        quality: What was found along the path.
        path: The path.
        pegs: What the robot pushes on.
        torque_limit: Largest torque of a joint [N m].
        name: The heading.
    """
    if len(quality.head) < 2:
        raise InvalidModel("quality.head", len(quality.head), "at least two positions along the path")
    torque, push = np.abs(quality.joint_torque).max(axis=1), quality.peg_force.max(axis=1)
    facts = (
        f"{len(quality.head)} positions of the head, bad {100.0 * quality.bad:.3g} %; "
        f"torques within {torque.max():.3g} N m, pushes within {push.max():.3g} N"
    )
    points = path.at(np.linspace(0.0, path.length, 400))[0]
    box, scale, tall = fitted(around(points), tallest=TALLEST)
    rows = [PanelRow(panels=("way",), height=tall, below=X_LABEL_HEIGHT + PANEL_GAP)]
    rows += [PanelRow(panels=(label,), height=PANEL_HEIGHT, below=PANEL_GAP) for label in ("residual", "torque")]
    rows.append(PanelRow(panels=("push",), height=PANEL_HEIGHT))
    figure, panels = page(header_lines(name, "can it be travelled by pushing?", facts), rows)
    draw_map(panels["way"], Scenery(Environment(obstacles=pegs)), box, scale)
    _draw_way(panels["way"], quality, path, points)
    panels["residual"].set_yscale("log")
    residual = np.maximum(quality.residual, LEAST_RESIDUAL)
    shown = {"residual": (residual, BALANCE), "torque": (torque, torque_limit), "push": (push, np.nan)}
    for label, (values, limit) in shown.items():
        axes, (title, unit) = panels[label], TITLES[label]
        _shade(axes, quality)
        axes.plot(quality.head, values, color=BLUE, linewidth=1.0)
        if np.isfinite(limit):
            axes.axhline(limit, linestyle="--", color=INK, linewidth=0.8)
        if label != "residual":
            axes.set_ylim(bottom=0.0)
        axes.set_xlim(float(quality.head[0]), float(quality.head[-1]))
        axes.tick_params(labelbottom=label == "push")
        dress(axes, title=title, y=unit)
    dress(panels["push"], x="way of the head along the path [m]")
    return figure


def _draw_way(axes: Axes, quality: PathQuality, path: Path, points: np.ndarray) -> None:
    dress(axes, title="the path through the pegs, by where the head is", grid="both")
    axes.plot(*points.T, color=GREY, linewidth=1.0, zorder=2.0)
    heads, good = path.at(quality.head)[0], quality.feasible[:, None]
    axes.plot(*np.where(good, heads, np.nan).T, color=BLUE, linewidth=2.2, label="good", zorder=3.0)
    axes.plot(*np.where(good, np.nan, heads).T, "o", color=VERMILION, markersize=3.0, label="bad", zorder=3.1)
    place_legend(axes, columns=2)


def _shade(axes: Axes, quality: PathQuality) -> None:
    """Shades every stretch of bad positions, half a step to either side."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], ~quality.feasible, [False])).astype(int)))
    half = float(np.median(np.diff(quality.head))) / 2.0
    for first, end in edges.reshape(-1, 2):
        axes.axvspan(quality.head[first] - half, quality.head[end - 1] + half, color=VERMILION, alpha=0.25, linewidth=0)
