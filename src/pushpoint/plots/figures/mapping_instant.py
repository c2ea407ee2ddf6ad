"""One instant of a force mapping, as Holden2014, Fig. 3: the robot between its pegs, forces and torques."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from matplotlib.ticker import MaxNLocator

from pushpoint.engine.planar.kinematics import directions, rear_joints
from pushpoint.mapping.solution import ForceMappingResult
from pushpoint.model.environment import Environment
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.plots.page import PANEL_GAP, SMALL, X_LABEL_HEIGHT, PanelRow, dress, header_lines, page, place_legend
from pushpoint.plots.world import around, draw_arrows, draw_body, draw_map, fitted
from pushpoint.reduced.contacts import Contacts
from pushpoint.reduced.robot import ReducedState
from pushpoint.scenery.outlines import capsules
from pushpoint.scenery.palette import BLUE, FORCE_COLOR, GREY, INK, SOLID_COLOR, VERMILION
from pushpoint.scenery.surroundings import Scenery

PANEL_HEIGHT, TALLEST = 1.25, 3.2
"""Height of the panel of torques, and the largest one of the scene [in]."""
ARROW_SHARE = 0.22
"""Length of the longest arrow, over that of the body on the picture [-]."""
SMALLEST_PEG = 0.008
"""Radius with which points are drawn as pegs [m]."""


def mapping_instant(
    robot: PlanarRobot,
    state: ReducedState,
    contacts: Contacts,
    result: ForceMappingResult,
    *,
    name: str = "force mapping",
    printed_torque: np.ndarray | None = None,
) -> Figure:
    """The robot between its pegs with the forces on it, and the torques of its joints.

    The panels are labelled "scene" and "torque".

    Args:
        robot: The robot.
        state: Where it is.
        contacts: Where pegs touch it.
        result: The forces and torques found.
        name: The heading.
        printed_torque: Torques to compare with, such as a table's [N m], shape (n_joints,).
    """
    rear, along = rear_joints(robot, state.center, state.link_angle), directions(state.link_angle)
    length = robot.column("length")
    middle = rear + length[:, None] / 2.0 * along
    touch, peg, force = _forces(robot, state, contacts, result.contact_force)
    arrow = ARROW_SHARE * float(np.ptp(middle[:, 0])) / float(np.linalg.norm(force, axis=1).max()) * force
    ends = np.concatenate((rear[:1], rear + length[:, None] * along))
    box, scale, tall = fitted(around(np.concatenate((ends, peg, touch + arrow))), tallest=TALLEST)
    facts = (
        f"{contacts.count} pegs push with {np.abs(result.contact_force).sum():.3g} N in all, "
        f"{force[:, 0].sum():.3g} N along x; sum of squared torques {result.cost:.3g} (N m)²; {result.sentence}"
    )
    rows = [
        PanelRow(panels=("scene",), height=tall, below=X_LABEL_HEIGHT + PANEL_GAP),
        PanelRow(panels=("torque",), height=PANEL_HEIGHT),
    ]
    figure, panels = page(header_lines(name, "one instant", facts), rows)
    scene = panels["scene"]
    draw_map(scene, Scenery(Environment()), box, scale)
    dress(scene, title="forces of the pegs on the links; the head is filled", grid="both")
    for place, radius in zip(peg, np.asarray(contacts.standoff - contacts.surface), strict=True):
        circle = Circle(tuple(place), max(radius, SMALLEST_PEG), facecolor=SOLID_COLOR, edgecolor=INK, linewidth=0.6)
        scene.add_patch(circle).set_zorder(3.0)  # above the body: pegs of the paper are points on its axis
    draw_body(scene, capsules(middle, along, robot.column("side_length") / 2.0, robot.column("radius")), BLUE, 0.3)
    draw_arrows(scene, touch, arrow)
    for (x, y), value, tip in zip(touch + arrow, result.contact_force, arrow, strict=True):
        side: dict[str, Any] = {"ha": "left" if tip[0] >= 0.0 else "right", "va": "bottom" if tip[1] >= 0.0 else "top"}
        scene.text(x, y, f"{abs(value):.1f} N", size=SMALL, color=FORCE_COLOR, **side)
    _draw_torques(panels["torque"], result, printed_torque)
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
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.margins(y=0.12)
    dress(axes, title="joint torques; limits dashed", x="joint", y="torque [N m]")
    place_legend(axes, columns=2)
