"""The straight line that the joints of a chain lie on, and the axes of its links: forward, left and up."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pushpoint.interchange.robots.chains import DraftAxis, DraftChain
from pushpoint.interchange.robots.drafts import DraftJoint, DraftRobot
from pushpoint.interchange.robots.fitting import span

MOST_OFF = math.radians(1.0)
"""Angle by which an axis may miss the link's left or up [rad]."""
MOST_ASIDE = 0.1
"""Distance of an axis from the line, in mean lengths between joints, above which the chain is not straight [-]."""
UPRIGHT = 0.1
"""Size of the part of the world's z across the chain below which the chain stands upright [-]."""


@dataclass(frozen=True, eq=False)
class ChainLine:
    """Where the links are."""

    axes: np.ndarray
    """Forward, left and up as columns, shape (3, 3)."""
    aside: tuple[float, float]
    """Where it is, to the left and up [m]."""

    def point(self, along: float) -> np.ndarray:
        """A point on it in the file's world [m]."""
        return np.asarray(self.axes @ np.array([along, *self.aside]))

    def along(self, turn: DraftAxis) -> float:
        """How far forward an axis meets it [m]."""
        return float(self.axes[:, 0] @ turn.joint.anchor)


def frame_of(draft: DraftRobot, chain: DraftChain) -> np.ndarray:
    """Axes of the links: up is the world's z, unless the joints fit better to another side."""
    forward = chain.forward
    joints = [turn.joint for bond in chain.bonds for turn in bond.turns]
    world = _across(np.array([0.0, 0.0, 1.0]), forward)
    tried = [] if world is None else [_axes(forward, world)]
    first = _across(joints[0].axis, forward) if joints else None
    if first is not None:
        tried.append(_axes(forward, first))
    if not tried:
        if joints:
            raise joints[0].node.wrong("turns about the length of the chain, must be across it")
        tried = [_axes(forward, np.array([0.0, 1.0, 0.0]))]
    for axes in tried:
        if all(_off(joint.axis, axes) <= MOST_OFF for joint in joints):
            if axes is not tried[0]:
                draft.remark("exact", "which side is up", f"that of the axis '{joints[0].node.name}'")
            worst = max(joints, key=lambda joint: _off(joint.axis, axes), default=None)
            _remark_axes(draft, worst, axes)
            return axes
    bad = next(joint for joint in joints if _off(joint.axis, tried[0]) > MOST_OFF)
    angle = math.degrees(_off(bad.axis, tried[0]))
    raise bad.node.wrong(f"has an axis {angle:.3g} deg off the links' left and up, must be at most 1 deg")


def _remark_axes(draft: DraftRobot, worst: DraftJoint | None, axes: np.ndarray) -> None:
    off = 0.0 if worst is None else _off(worst.axis, axes)
    if worst is None or off < 1e-9:
        draft.remark("exact", "directions of the axes")
    else:
        how, where = "turned to the links' left or up", worst.node.place
        draft.remark("approximated", "directions of the axes", how, error=math.degrees(off), unit="deg", place=where)


def _across(vector: np.ndarray, forward: np.ndarray) -> np.ndarray | None:
    part = vector - (vector @ forward) * forward
    size = float(np.linalg.norm(part))
    return part / size if size > UPRIGHT else None


def _axes(forward: np.ndarray, up: np.ndarray) -> np.ndarray:
    return np.stack((forward, np.cross(up, forward), up), axis=1)


def _off(axis: np.ndarray, axes: np.ndarray) -> float:
    """Angle between an axis and the nearer of left and up [rad]."""
    parts = np.abs(axis @ axes)
    near = 1 + int(parts[2] > parts[1])
    rest = np.delete(parts, near)
    return float(np.arctan2(np.hypot(*rest), parts[near]))


def axis_angle(axis: np.ndarray, axes: np.ndarray) -> tuple[str, int]:
    """Whether an axis is yaw or pitch, and whether it counts the same way (1) or the other (-1)."""
    parts = axis @ axes
    near = 1 + int(abs(parts[2]) > abs(parts[1]))
    return ("pitch" if near == 1 else "yaw"), (1 if parts[near] > 0.0 else -1)


def line_of(draft: DraftRobot, chain: DraftChain, axes: np.ndarray) -> ChainLine:
    """The line through the joints; raises BadFile for a joint that is far off it."""
    turns = [turn for bond in chain.bonds for turn in bond.turns]
    places: dict[str, list[tuple[float, DraftJoint]]] = {"yaw": [], "pitch": []}
    for turn in turns:
        kind, _ = axis_angle(turn.joint.axis, axes)
        places[kind].append((float(turn.joint.anchor @ axes[:, 1 if kind == "yaw" else 2]), turn.joint))
    shapes = [_middle_of(chain, axes, k) for k in (1, 2)]
    aside = [
        float(np.median([at for at, _ in places[kind]])) if places[kind] else shapes[k]
        for k, kind in enumerate(("yaw", "pitch"))
    ]
    ends = [float(turn.joint.anchor @ axes[:, 0]) for turn in turns]
    mean = (max(ends) - min(ends)) / (len(ends) - 1) if len(ends) > 1 else math.inf
    worst, joint = 0.0, None
    for k, kind in enumerate(("yaw", "pitch")):
        for at, each in places[kind]:
            if abs(at - aside[k]) > worst:
                worst, joint = abs(at - aside[k]), each
    if joint is not None and worst > MOST_ASIDE * mean:
        raise joint.node.wrong(f"has its axis {1e3 * worst:.3g} mm beside the line of the others: no straight chain")
    if joint is not None and worst > 1e-9:
        how, where = "moved onto one line", joint.node.place
        draft.remark("approximated", "places of the axes", how, error=1e3 * worst, unit="mm", place=where)
    else:
        draft.remark("exact", "places of the axes")
    return ChainLine(axes, (aside[0], aside[1]))


def _middle_of(chain: DraftChain, axes: np.ndarray, k: int) -> float:
    """Where the links are across the chain where no joint says it [m]: at the middles of their shapes or masses."""
    found = []
    for group in chain.groups:
        if group.shapes:
            found.append(float(span(group.shapes, axes)[:, k].mean()))
        else:
            found.append(float(axes[:, k] @ group.mass.center))
    return float(np.median(found))
