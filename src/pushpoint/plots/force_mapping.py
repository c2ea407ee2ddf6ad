"""Pictures of force mapping: one instant (as Holden2014, Fig. 3), the quality of a path, runs beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from matplotlib.ticker import MaxNLocator

from pushpoint.engine.planar.kinematics import directions, rear_joints
from pushpoint.errors import InvalidModel
from pushpoint.mapping.path_quality import BALANCE, PathQuality
from pushpoint.mapping.rails.path import Path
from pushpoint.mapping.solution import ForceMappingResult
from pushpoint.model.environment import Peg
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.papers.holden2014.comparison import Tracking
from pushpoint.plots.drawing import (
    BLUE,
    FORCE_COLOR,
    GREEN,
    GREY,
    INK,
    LEFT,
    PALE,
    PANEL_GAP,
    RIGHT,
    SMALL,
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
from pushpoint.plots.world_drawing import SOLID_COLOR, capsule, draw_arrows, draw_body
from pushpoint.reduced.contacts import Contacts
from pushpoint.reduced.state import ReducedState

# Sizes on paper [in].
PANEL_HEIGHT, MOST_SCENE = 1.25, 3.2
ARROW_SHARE = 0.22
"""Length of the longest arrow, over that of the body on the picture [-]."""
SMALLEST_PEG = 0.008
"""Radius with which points are drawn as pegs [m]."""
ROOM = 0.06
"""Room around a scene, over its width [-]."""
COMPARED = {
    "distance of the centre of mass from its place on the path": "distance [mm]",
    "sum of the squared torques, means of 1 s": "[(N m)²]",
    "hardest push on a peg, means over a sample": "force [N]",
}
"""Panels of a comparison: title and label."""
LOOKS = ((BLUE, "-"), (VERMILION, "-"), (INK, ":"), (GREEN, "-."))
LEAST_RESIDUAL = 1e-12
"""Residual below which a logarithmic axis does not go [-]."""


def build_instant_figure(
    robot: PlanarRobot,
    state: ReducedState,
    contacts: Contacts,
    result: ForceMappingResult,
    *,
    name: str = "force mapping",
    printed_torque: np.ndarray | None = None,
) -> Figure:
    """One instant: the robot between its pegs with the forces on it, and the torques of its joints.

    printed_torque: Torques to compare with, such as a table's [N m], shape (n_joints,). The panels are labelled "scene"
    and "torque".
    """
    rear = rear_joints(robot, state.center, state.link_angle)
    along = directions(state.link_angle)
    length = robot.column("length")
    middle = rear + length[:, None] / 2.0 * along
    touch, peg, force = _forces(robot, state, contacts, result.contact_force)
    arrow = ARROW_SHARE * float(np.ptp(middle[:, 0])) / float(np.linalg.norm(force, axis=1).max()) * force
    ends = np.concatenate((rear[:1], rear + length[:, None] * along))
    points = np.concatenate((ends, peg, touch + arrow))
    facts = (
        f"{contacts.count} pegs push with {np.abs(result.contact_force).sum():.3g} N in all, "
        f"{force[:, 0].sum():.3g} N along x; sum of squared torques {result.cost:.3g} (N m)²; {result.sentence}"
    )
    lines = header_lines(name, "one instant", facts, "")
    figure, scene, top = _scene("scene", lines, points, PANEL_HEIGHT)
    for (x, y), radius in zip(peg, np.asarray(contacts.standoff - contacts.surface), strict=True):
        circle = Circle((x, y), max(radius, SMALLEST_PEG), facecolor=SOLID_COLOR, edgecolor=INK, linewidth=0.6)
        scene.add_patch(circle).set_zorder(3.0)  # above the body: pegs of the paper are points on its axis
    half, width = robot.column("side_length") / 2.0, robot.column("radius")
    draw_body(scene, [capsule(*link) for link in zip(middle, along, half, width, strict=True)], BLUE, 0.3)
    draw_arrows(scene, touch, arrow)
    for (x, y), value, tip in zip(touch + arrow, result.contact_force, arrow, strict=True):
        side: dict[str, Any] = {"ha": "left" if tip[0] >= 0.0 else "right", "va": "bottom" if tip[1] >= 0.0 else "top"}
        scene.text(x, y, f"{abs(value):.1f} N", size=SMALL, color=FORCE_COLOR, **side)
    panel_title(scene, "forces of the pegs on the links; the head is filled")
    torque = axes_at(figure, "torque", (LEFT, top, WIDTH - LEFT - RIGHT, PANEL_HEIGHT))
    _draw_torques(torque, result, printed_torque)
    return figure


def _forces(
    robot: PlanarRobot, state: ReducedState, contacts: Contacts, size: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where the surfaces touch and the pegs' centres [m], and the normal forces on the links [N], shape (n, 2) each."""
    e = directions(state.link_angle)[contacts.link]
    left = np.stack((-e[:, 1], e[:, 0]), axis=1)
    mass = robot.column("length") / 2.0 + robot.column("mass_offset")
    axis = rear_joints(robot, state.center, state.link_angle)[contacts.link]
    axis = axis + (mass[contacts.link] + contacts.along)[:, None] * e
    out = -contacts.side[:, None] * left
    surface, standoff = np.asarray(contacts.surface), np.asarray(contacts.standoff)
    return axis + surface[:, None] * out, axis + standoff[:, None] * out, size[:, None] * left


def _draw_torques(axes: Axes, result: ForceMappingResult, printed: np.ndarray | None) -> None:
    limit, joints = result.problem.torque_limit, np.arange(len(result.joint_torque))
    axes.bar(joints, result.joint_torque, width=0.7, color=BLUE, label="optimum", zorder=2.0)
    if printed is not None:
        axes.plot(joints, printed, "D", color=VERMILION, markersize=3.2, label="printed", zorder=3.0)
    for sign in (-1.0, 1.0):
        axes.step(joints, sign * limit, "--", where="mid", color=INK, linewidth=0.8)
    axes.axhline(0.0, color=GREY, linewidth=0.5)
    axes.set(xlabel="joint", ylabel="torque [N m]")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.margins(y=0.12)
    panel_title(axes, "joint torques; limits dashed")
    place_legend(axes, columns=2)


def build_quality_figure(
    quality: PathQuality, path: Path, pegs: Sequence[Peg], torque_limit: float, *, name: str = "path quality"
) -> Figure:
    """How well a path can be travelled by pushing: the way, what stays unbalanced, the hardest torque and push.

    The panels are labelled "way", "residual", "torque" and "push"; positions where the robot cannot push itself on are
    shaded.
    """
    if len(quality.head) < 2:
        raise InvalidModel("quality.head", len(quality.head), "at least two positions along the path")
    torque, push = np.abs(quality.joint_torque).max(axis=1), quality.peg_force.max(axis=1)
    facts = (
        f"{len(quality.head)} positions of the head, bad {100.0 * quality.bad:.3g} %; "
        f"torques within {torque.max():.3g} N m, pushes within {push.max():.3g} N"
    )
    points = path.at(np.linspace(0.0, path.length, 400))[0]
    heads = path.at(quality.head)[0]
    lines = header_lines(name, "can it be travelled by pushing?", facts, "")
    below = 3 * PANEL_HEIGHT + 2 * PANEL_GAP
    figure, way, top = _scene("way", lines, points, below)
    for peg in pegs:
        way.add_patch(Circle((peg.x, peg.y), peg.radius, facecolor=SOLID_COLOR, edgecolor=GREY, linewidth=0.4))
    way.plot(*points.T, color=GREY, linewidth=1.0, zorder=2.0)
    way.plot(*np.where(quality.feasible[:, None], heads, np.nan).T, color=BLUE, linewidth=2.2, label="good", zorder=3.0)
    bad = np.where(quality.feasible[:, None], np.nan, heads)
    way.plot(*bad.T, "o", color=VERMILION, markersize=3.0, label="bad", zorder=3.1)
    panel_title(way, "the path through the pegs, by where the head is")
    place_legend(way, columns=2)
    residual = np.maximum(quality.residual, LEAST_RESIDUAL)
    rows = {"residual": (residual, BALANCE, "unbalanced [-]"), "torque": (torque, torque_limit, "torque [N m]")}
    rows["push"] = (push, np.nan, "push [N]")
    titles = {
        "residual": "share of the ground's friction that no pushing balances; largest allowed dashed",
        "torque": "largest torque of a joint; limit dashed",
        "push": "largest force on a peg",
    }
    for label, (values, limit, unit) in rows.items():
        axes = axes_at(figure, label, (LEFT, top, WIDTH - LEFT - RIGHT, PANEL_HEIGHT))
        top += PANEL_HEIGHT + PANEL_GAP
        _shade(axes, quality)
        if label == "residual":
            axes.set_yscale("log")
        axes.plot(quality.head, values, color=BLUE, linewidth=1.0)
        if np.isfinite(limit):
            axes.axhline(limit, linestyle="--", color=INK, linewidth=0.8)
        if label != "residual":
            axes.set_ylim(bottom=0.0)
        axes.set_ylabel(unit)
        axes.set_xlim(float(quality.head[0]), float(quality.head[-1]))
        axes.tick_params(labelbottom=label == "push")
        panel_title(axes, titles[label])
    axes.set_xlabel("way of the head along the path [m]", labelpad=1.5)
    return figure


def _shade(axes: Axes, quality: PathQuality) -> None:
    """Shades every stretch of bad positions, half a step to either side."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], ~quality.feasible, [False])).astype(int)))
    half = float(np.median(np.diff(quality.head))) / 2.0
    for first, end in edges.reshape(-1, 2):
        axes.axvspan(quality.head[first] - half, quality.head[end - 1] + half, color=VERMILION, alpha=0.25, linewidth=0)


def build_comparison_figure(runs: Mapping[str, Tracking], *, name: str = "force mapping") -> Figure:
    """Runs on one course beside each other, up to four, by their names: distance from the path, torques, peg forces.

    The panels are labelled "error", "torque" and "force".
    """
    if not 1 <= len(runs) <= 4:
        raise InvalidModel("runs", len(runs), "from 1 to 4")
    lines = [
        f"{name}: {' and '.join(runs)}",
        *(
            f"{label}: {run.advance:.2f} m in {run.time[-1]:.3g} s, mean sum of squared torques "
            f"{run.squared_torque:.3g} (N m)², hardest push {run.peg_force[1:].max():.3g} N"
            for label, run in runs.items()
        ),
    ]
    figure, panels = stacked_axes(lines, {"error": PANEL_HEIGHT, "torque": PANEL_HEIGHT, "force": PANEL_HEIGHT})
    for axes, (title, unit) in zip(panels, COMPARED.items(), strict=True):
        draw_lines(axes, np.zeros(0), {}, unit)
        panel_title(axes, title)
    for (label, run), (color, dash) in zip(runs.items(), LOOKS, strict=False):
        squared = np.square(run.joint_torque).sum(axis=1)
        shown = (1e3 * run.center_error, _second_means(squared, run.time), run.peg_force.max(axis=1))
        for axes, values in zip(panels, shown, strict=True):
            axes.plot(run.time, values, dash, color=color, linewidth=1.0, label=label)
    for axes in panels:
        axes.set_ylim(bottom=0.0)
        place_legend(axes, columns=len(runs))
    show_time(panels[-1], max((run.time for run in runs.values()), key=len))
    return figure


def _second_means(values: np.ndarray, time: np.ndarray) -> np.ndarray:
    """Means over the last second, less at the start, without the first sample, which has no interval before it."""
    step = float(time[1] - time[0]) if len(time) > 1 else 1.0
    width = max(1, round(1.0 / step))
    total = np.concatenate(([0.0], np.cumsum(values[1:])))
    last = np.arange(1, len(total))
    first = np.maximum(last - width, 0)
    return np.concatenate(([np.nan], (total[last] - total[first]) / (last - first)))


def _scene(label: str, lines: list[str], points: np.ndarray, below: float) -> tuple[Figure, Axes, float]:
    """A figure with a header and a view from above around points [m], and where what comes below it begins [in]."""
    low, high = points.min(axis=0), points.max(axis=0)
    margin = ROOM * float((high - low).max())
    low, high = low - margin, high + margin
    width = WIDTH - LEFT - RIGHT
    tall = min(width * float((high - low)[1] / (high - low)[0]), MOST_SCENE)
    top = header_height(lines)
    next_top = top + tall + X_LABEL_HEIGHT + PANEL_GAP
    figure = Figure(figsize=(WIDTH, next_top + below + X_LABEL_HEIGHT), facecolor="white")
    draw_header(figure, lines)
    axes = axes_at(figure, label, (LEFT, top, width, tall))
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal", adjustable="datalim")
    axes.set(xlabel="x [m]", ylabel="y [m]")
    axes.grid(color=PALE, linewidth=0.5)
    axes.set_axisbelow(True)
    return figure, axes, next_top
