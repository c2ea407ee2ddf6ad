"""Force mapping: one instant of it (as Holden2014, Fig. 3), the quality of a path, and runs along a path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from matplotlib.ticker import MaxNLocator

from pushpoint.control.rails import ForceMappingController
from pushpoint.engine.planar.kinematics import directions, rear_joints
from pushpoint.errors import InvalidModel
from pushpoint.mapping.path_quality import BALANCE, PathQuality
from pushpoint.mapping.path_stability import PathStability
from pushpoint.mapping.rails import Path
from pushpoint.mapping.solution import ForceMappingResult
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.quantities import Natural
from pushpoint.plots.looks import looks_of
from pushpoint.plots.page import (
    NORMAL,
    PANEL_GAP,
    SMALL,
    PanelRow,
    draw_lines,
    dress,
    header_lines,
    page,
    place_legend,
    time_page,
)
from pushpoint.plots.scales import limit_spikes
from pushpoint.plots.world import GOAL, START, around, draw_arrows, draw_body, draw_map, fitted
from pushpoint.reduced.contacts import Contacts
from pushpoint.reduced.robot import ReducedState
from pushpoint.scenery.palette import BLUE, FORCE_COLOR, GREY, INK, SOLID_COLOR, VERMILION
from pushpoint.scenery.reading import read_recording
from pushpoint.scenery.shapes import capsules
from pushpoint.scenery.surroundings import Scenery
from pushpoint.simulation.tracking import Tracking, tracking

NEEDED = ("link_angle", "center_of_mass", "joint_torque", "obstacle_load")
PANEL_HEIGHT, TALLEST, GAP, KEY_HEIGHT = 1.25, 3.2, 0.3, 0.17
"""Height of a panel, the largest one of a view from above, the room between panels, and a line for a legend [in]."""
COMPARED = {
    "distance of the centre of mass from its place on the path": "distance [mm]",
    "sum of the squared torques, means of 1 s": "sum [(N m)²]",
    "hardest push on a peg, means over a sample": "force [N]",
}
"""Panels of a comparison: title and label."""
ARROW_SHARE = 0.22
"""Length of the longest arrow, over that of the body on the picture [-]."""
SMALLEST_PEG = 0.008
"""Radius with which points are drawn as pegs [m]."""
LEAST_RESIDUAL = 1e-12
"""Residual below which a logarithmic axis does not go [-]."""
TITLES = {
    "residual": ("share of the ground's friction that no pushing balances; largest allowed dashed", "unbalanced [-]"),
    "torque": ("largest torque of a joint; limit dashed", "torque [N m]"),
    "push": ("largest force on a peg", "push [N]"),
}
MOST_COMPARED = 4
"""Runs or laws in one figure [-]."""


@checked_arguments
def force_mapping(run: xarray.Dataset, *, world: Natural = 0) -> Figure:
    """Distance from the path, squared torques and hardest push over time of a run with a ForceMappingController.

    Its axes are labelled as those of `tracking_comparison`.
    """
    read = read_recording(run, world, needs=NEEDED, reader="the figure of a force mapping")
    robot, controller = read.world.robot, read.world.controller
    if not isinstance(controller, ForceMappingController) or not isinstance(robot, PlanarRobot):
        raise InvalidModel("run: controller", controller and type(controller).__name__, ForceMappingController.__name__)
    found = {"force mapping": tracking(read.samples, robot, controller)}
    lines = header_lines(read.name, "force mapping along its path", _words(found), read.remarks, title=read.title)
    return _comparison(found, lines)


@checked_arguments
def tracking_comparison(runs: Mapping[str, Tracking], *, name: str = "force mapping") -> Figure:
    """Runs on one course beside each other, up to four, by their names: distance from the path, torques, peg forces.

    The panels are labelled "error", "torque" and "force".
    """
    if not 1 <= len(runs) <= MOST_COMPARED:
        raise InvalidModel("runs", len(runs), f"from 1 to {MOST_COMPARED}")
    return _comparison(runs, [f"{name}: {' and '.join(runs)}", *(_words({label: run}) for label, run in runs.items())])


def _words(runs: Mapping[str, Tracking]) -> str:
    """How far the head came along the path, and at what cost."""
    return "; ".join(
        f"{label}: head {run.advance:.2f} m along the path in {run.time[-1]:.3g} s, {_cost(run)}"
        for label, run in runs.items()
    )


def _cost(run: Tracking) -> str:
    """Torques and the hardest push; the first sample has no interval before it."""
    if len(run.time) < 2:
        return "which ended at once"
    push = float(run.peg_force[1:].max(initial=0.0))
    return f"mean sum of squared torques {run.squared_torque:.3g} (N m)², hardest push {push:.3g} N"


def _comparison(runs: Mapping[str, Tracking], lines: list[str]) -> Figure:
    """Runs beside each other below the lines of a header."""
    longest = max((run.time for run in runs.values()), key=len)
    figure, panels = time_page(lines, longest, dict.fromkeys(("error", "torque", "force"), PANEL_HEIGHT))
    for axes, (title, unit) in zip(panels, COMPARED.items(), strict=True):
        draw_lines(axes, longest, {}, unit, title=title)
    looks = looks_of(list(runs))
    for label, run in runs.items():
        squared = np.square(run.joint_torque).sum(axis=1)
        shown = (1e3 * run.center_error, _second_means(squared, run.time), run.peg_force.max(axis=1))
        for axes, values in zip(panels, shown, strict=True):
            axes.plot(run.time, values, looks[label].dash, color=looks[label].color, linewidth=1.0, label=label)
    limit_spikes(panels[-1], [run.peg_force[1:].max(axis=1) for run in runs.values()], "N")
    for axes in panels:
        axes.set_ylim(bottom=0.0)
        if len(runs) > 1:
            place_legend(axes, columns=len(runs))
    return figure


def _second_means(values: np.ndarray, time: np.ndarray) -> np.ndarray:
    """Means over the last second, less at the start, without the first sample, which has no interval before it."""
    step = float(time[1] - time[0]) if len(time) > 1 else 1.0
    width = max(1, round(1.0 / step))
    total = np.concatenate(([0.0], np.cumsum(values[1:])))
    last = np.arange(1, len(total))
    first = np.maximum(last - width, 0)
    return np.concatenate(([np.nan], (total[last] - total[first]) / (last - first)))


def _check_instant(robot: PlanarRobot, state: ReducedState, contacts: Contacts, result: ForceMappingResult) -> None:
    """Refuses what does not belong together."""
    state.check_fits(robot.n_links)
    if state.link_angle.ndim != 1 or contacts.link.ndim != 1 or contacts.link.max(initial=0) >= robot.n_links:
        raise InvalidModel("contacts.link", contacts.link, f"those of one state, below {robot.n_links}")
    if result.contact_force.shape != contacts.link.shape or len(result.joint_torque) != robot.n_joints:
        raise InvalidModel("result", result.contact_force.shape, "that of this robot and its contacts")


@checked_arguments
def mapping_instant(
    robot: PlanarRobot,
    state: ReducedState,
    contacts: Contacts,
    result: ForceMappingResult,
    *,
    name: str = "force mapping",
) -> Figure:
    """The robot between its pegs with the forces on it, the torques of its joints and the forces once more as numbers.

    The panels are labelled "scene", "torque" and "push".

    Args:
        robot: The robot.
        state: Where it is.
        contacts: Where pegs touch it.
        result: The forces and torques found.
        name: The heading.
    """
    _check_instant(robot, state, contacts, result)
    rear, along = rear_joints(robot, state.center, state.link_angle), directions(state.link_angle)
    length = robot.column("length")
    middle = rear + length[:, None] / 2.0 * along
    # Where the pegs touch, with their centres, and the forces on the links, which are normal to them.
    e = along[contacts.link]
    left = np.stack((-e[:, 1], e[:, 0]), axis=1)
    mass = (length / 2.0 + robot.column("mass_offset"))[contacts.link]
    axis, out = rear[contacts.link] + (mass + contacts.along)[:, None] * e, -contacts.side[:, None] * left
    surface, standoff = np.asarray(contacts.surface), np.asarray(contacts.standoff)
    touch, peg = axis + surface[:, None] * out, axis + standoff[:, None] * out
    force = result.contact_force[:, None] * left
    arrow = ARROW_SHARE * float(np.ptp(middle[:, 0])) / float(np.linalg.norm(force, axis=1).max()) * force
    ends = np.concatenate((rear[:1], rear + length[:, None] * along))
    box, scale, tall = fitted(around(np.concatenate((ends, peg, touch + arrow))), tallest=TALLEST)
    facts = (
        f"{contacts.count} pegs push with {np.abs(result.contact_force).sum():.3g} N in all, "
        f"{force[:, 0].sum():.3g} N along x; sum of squared torques {result.cost:.3g} (N m)²; {result.sentence}"
    )
    above = PanelRow(panels=("scene",), height=tall, below=PanelRow.below + GAP)
    rows = [above, PanelRow(panels=("torque",), height=PANEL_HEIGHT)]
    rows.append(PanelRow(panels=("push",), height=PANEL_HEIGHT, above=GAP / 2.0, below=GAP))
    figure, panels = page(header_lines(name, "one instant", facts), rows)
    scene = panels["scene"]
    draw_map(scene, Scenery(Environment()), box, scale)
    dress(scene, title="forces of the pegs on the links; head orange, pegs grey", grid="both")
    for place, radius in zip(peg, standoff - surface, strict=True):
        circle = Circle(tuple(place), max(radius, SMALLEST_PEG), facecolor=SOLID_COLOR, edgecolor=INK, linewidth=0.6)
        scene.add_patch(circle).set_zorder(3.0)  # above the body: pegs of the paper are points on its axis
    draw_body(scene, capsules(middle, along, robot.column("side_length") / 2.0, robot.column("radius")), BLUE, 0.3)
    draw_arrows(scene, touch, arrow)
    for (x, y), value, tip in zip(touch + arrow, result.contact_force, arrow, strict=True):
        side: dict[str, Any] = {"ha": "left" if tip[0] >= 0.0 else "right", "va": "bottom" if tip[1] >= 0.0 else "top"}
        scene.text(x, y, f"{abs(value):.1f} N", size=SMALL, color=FORCE_COLOR, **side)
    _draw_torques(panels["torque"], result)
    _draw_pushes(panels["push"], result, contacts)
    return figure


def _draw_torques(axes: Axes, result: ForceMappingResult) -> None:
    limit, joints = result.problem.torque_limit, np.arange(len(result.joint_torque))
    axes.bar(joints, result.joint_torque, width=0.7, color=BLUE, label="optimum", zorder=2.0)
    for sign in (-1.0, 1.0):
        axes.step(joints, sign * limit, "--", where="mid", color=INK, linewidth=0.8)
    axes.axhline(0.0, color=GREY, linewidth=0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.margins(y=0.12)
    dress(axes, title="joint torques; limits dashed", x="joint", y="torque [N m]")


def _draw_pushes(axes: Axes, result: ForceMappingResult, contacts: Contacts) -> None:
    places = np.arange(contacts.count)
    axes.bar(places, result.contact_force, width=0.4, color=BLUE, label="optimum", zorder=2.0)
    axes.axhline(0.0, color=GREY, linewidth=0.5)
    axes.set_xticks(places, [f"peg at link {link}" for link in contacts.link])
    axes.margins(y=0.12)
    dress(axes, title="forces of the pegs toward the links' left", y="force [N]")


@checked_arguments
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
    rows = [PanelRow(panels=("way",), height=tall, below=PanelRow.below + GAP)]
    rows += [PanelRow(panels=(label,), height=PANEL_HEIGHT, below=GAP) for label in ("residual", "torque")]
    rows.append(PanelRow(panels=("push",), height=PANEL_HEIGHT))
    figure, panels = page(header_lines(name, "can it be travelled by pushing?", facts), rows)
    draw_map(panels["way"], Scenery(Environment(obstacles=pegs)), box, scale)
    _draw_way(panels["way"], quality, path, points)
    panels["residual"].set_yscale("log")
    residual = np.maximum(quality.residual, LEAST_RESIDUAL)
    shown = {"residual": (residual, BALANCE), "torque": (torque, torque_limit), "push": (push, np.nan)}
    # Stretches of bad positions are shaded, half a step to either side.
    edges = np.flatnonzero(np.diff(np.concatenate(([False], ~quality.feasible, [False])).astype(int)))
    half = float(np.median(np.diff(quality.head))) / 2.0
    for label, (values, limit) in shown.items():
        axes, (title, unit) = panels[label], TITLES[label]
        for first, end in edges.reshape(-1, 2):
            ends = quality.head[first] - half, quality.head[end - 1] + half
            axes.axvspan(*ends, color=VERMILION, alpha=0.25, linewidth=0)
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


@checked_arguments
def growth_along_path(laws: Mapping[str, PathStability], *, name: str = "path stability") -> Figure:
    """Whether links that a force mapping leaves free stay on the path, law by law, up to four.

    The panels are labelled "growth" and "offset"; where a law grows it settles nowhere, and there is no offset.
    """
    if not 1 <= len(laws) <= MOST_COMPARED:
        raise InvalidModel("laws", len(laws), f"from 1 to {MOST_COMPARED}")
    facts = "fastest growth [1/s]: " + ", ".join(f"{label} {one.worst:.3g}" for label, one in laws.items())
    facts = facts.replace(" -", " −")
    rows = [PanelRow(panels=("growth",), height=2.0 * PANEL_HEIGHT, above=KEY_HEIGHT, below=PANEL_GAP)]
    rows.append(PanelRow(panels=("offset",), height=PANEL_HEIGHT))
    figure, panels = page(header_lines(name, "do free links stay on the path?", facts), rows)
    above, below = panels["growth"], panels["offset"]
    looks = looks_of(list(laws))
    for label, one in laws.items():
        settled, (color, dash) = np.where(np.isfinite(one.offset), one.offset, np.nan), looks[label]
        above.plot(one.head, one.growth, dash, color=color, linewidth=1.0, label=label)
        below.plot(one.head, settled, dash, color=color, linewidth=1.0)
    for axes in (above, below):
        axes.set_xlim(*(float(end(next(iter(laws.values())).head)) for end in (np.min, np.max)))
    above.axhline(0.0, linestyle="--", color=INK, linewidth=0.8)
    above.tick_params(labelbottom=False)
    if any(np.isfinite(one.offset).any() for one in laws.values()):
        below.set_yscale("log")
    dress(above, title="growth rate of a departure from the path; above the dashed line links leave it", y="rate [1/s]")
    place_legend(above, columns=len(laws))
    above.set_title(above.get_title(loc="left"), loc="left", fontsize=NORMAL, pad=2.5 + 72.0 * KEY_HEIGHT, color=INK)
    title = "largest angle off the path where links settle; a gap where they do not"
    dress(below, title=title, y="angle [rad]", x="way of the head along the path [m]")
    return figure


def _draw_way(axes: Axes, quality: PathQuality, path: Path, points: np.ndarray) -> None:
    dress(axes, title="the path; where the head is:", grid="both")
    axes.plot(*points.T, color=GREY, linewidth=1.0, zorder=2.0, label="below the body at the start")
    heads, good = path.at(quality.head)[0], quality.feasible[:, None]
    axes.plot(*np.where(good, heads, np.nan).T, color=BLUE, linewidth=2.2, label="good", zorder=3.0)
    axes.plot(*np.where(good, np.nan, heads).T, "o", color=VERMILION, markersize=3.0, label="bad", zorder=3.1)
    axes.plot(*points[0], zorder=3.3, label="start", **(START | {"linestyle": ""}))
    axes.plot(*points[-1], zorder=3.3, label="goal", **(GOAL | {"linestyle": ""}))
    place_legend(axes, columns=5, handle=1.6)
