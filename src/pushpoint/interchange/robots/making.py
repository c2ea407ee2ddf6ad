"""Makes the robot from a chain: link frames, lengths, masses, shapes, joints and motors, with what each step costs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from pushpoint.errors import TURN, BadFile, InvalidModel
from pushpoint.interchange.robots.chains import Bond, DraftChain, DraftLink
from pushpoint.interchange.robots.drafts import DraftRobot
from pushpoint.interchange.robots.fitting import fit_link, span
from pushpoint.interchange.robots.lines import ChainLine, axis_angle, frame_of, line_of
from pushpoint.interchange.robots.trees import Element
from pushpoint.model.joints import Cardan, Joint, Pitch, Yaw
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.spatial_robot import AnyRobot, SpatialLink, SpatialRobot

EXACT = 1e-9
"""Errors below this are rounding [m, or relative]."""
MOST_TILTED = 0.1
"""Products of inertia, relative to the moments beside them, above which a body does not fit a link [-]."""


class JointOfFile(NamedTuple):
    """An axis of a robot that was read, and the joint of the file that it is."""

    name: str
    """What the file calls the joint."""
    sign: int
    """1 if the angle counts as in the file, -1 if it counts the other way."""
    drawn_at: float
    """Value of the file's joint where the robot is straight [rad]."""


def made_robot(draft: DraftRobot, chain: DraftChain, *, planar: bool) -> tuple[AnyRobot, tuple[JointOfFile, ...]]:
    """The robot that a chain is, and which joint of the file each axis is."""
    axes = frame_of(draft, chain)
    line = line_of(draft, chain, axes)
    if planar:
        for bond in chain.bonds:
            for turn in bond.turns:
                if axis_angle(turn.joint.axis, axes)[0] != "yaw":
                    raise turn.joint.node.wrong("is not vertical, must be for a planar robot")
            if len(bond.turns) > 1:
                raise bond.turns[1].joint.node.wrong("is a second axis between two links, must be one in the plane")
    makers = _Costs(draft)
    links = [makers.link(group, k, chain, line, planar=planar) for k, group in enumerate(chain.groups)]
    named: list[JointOfFile] = []
    joints = [_joint(draft, bond, line, named) for bond in chain.bonds]
    makers.remark()
    _remark_joints(draft, named)
    shared: dict[str, Any] = {"name": draft.name or "robot", "source": f"{draft.kind} file {draft.root.file.name}"}
    shared["self_contact"] = draft.self_contact
    if planar:
        motors = tuple(joint.hinges[0].motor for joint in joints)
        robot: AnyRobot = _at(
            draft.root,
            lambda: PlanarRobot(links=tuple(links), motors=motors, **shared),
        )
    else:
        robot = _at(
            draft.root,
            lambda: SpatialRobot(links=tuple(links), joints=tuple(joints), **shared),
        )
    return robot, tuple(named)


def _at(node: Element, make: Callable[[], Any]) -> Any:
    """Makes something, or says at which line the file asks for what is not allowed."""
    try:
        return make()
    except InvalidModel as error:
        raise BadFile(node.place, f"{node.tag} '{node.name}': {error}") from None


class _Costs:
    """Makes links and remembers the largest error of each kind."""

    def __init__(self, draft: DraftRobot) -> None:
        self.draft = draft
        self.worst: dict[str, tuple[float, Element]] = {}

    def note(self, kind: str, size: float, node: Element) -> None:
        """Keeps an error if it is the largest of its kind so far."""
        if size > self.worst.get(kind, (-1.0, node))[0]:
            self.worst[kind] = (size, node)

    def remark(self) -> None:
        """Writes the errors into the report."""
        for kind, law, how, unit, factor in (
            ("inertia", "inertias", "products of inertia are left out; size relative to the moments", "-", 1.0),
            ("aside", "centres of mass", "moved onto the axis of their links", "mm", 1e3),
            ("misfit", "shapes", "round or square links; largest distance of the surfaces", "mm", 1e3),
        ):
            size, node = self.worst.get(kind, (0.0, self.draft.root))
            if size <= EXACT:
                self.draft.remark("exact", law)
            else:
                self.draft.remark("approximated", law, how, error=size * factor, unit=unit, place=node.place)
        self.draft.remark("exact", "masses and lengths")

    def link(self, group: DraftLink, k: int, chain: DraftChain, line: ChainLine, *, planar: bool) -> Any:
        """The link that a group of bodies is."""
        node, axes = group.node, line.axes
        if group.mass.mass <= 0.0:
            raise node.wrong("has no mass, must have one")
        rear, front = _ends(group, k, chain, line)
        if front - rear <= EXACT:
            raise node.wrong(f"has {1e3 * (front - rear):.3g} mm between its joints, must be > 0")
        middle = line.point((rear + front) / 2)
        center = axes.T @ (group.mass.center - middle)
        self.note("aside", float(np.hypot(center[1], center[2])), node)
        moments = self._moments(group, axes)
        body: dict[str, Any] = {"length": front - rear, "mass": group.mass.mass, "mass_offset": _tidy(float(center[0]))}
        if group.shapes:
            fit = fit_link(group.shapes, axes, middle)
            self.note("misfit", fit.misfit, node)
            body |= {"radius": fit.radius, "side_length": fit.side_length}
            body |= {} if planar else {"shape": fit.shape}
        else:
            radius = math.sqrt(max(2 * moments[0] / group.mass.mass, 0.0))
            body |= {"radius": radius, "side_length": max(front - rear - 2 * radius, 0.0)}
            self.draft.remark("approximated", "shape", "none given: as thick as its inertia says", place=node.place)
        if planar:
            return _at(node, lambda: PlanarLink(inertia=moments[2], **body))
        return _at(node, lambda: SpatialLink(inertia=moments, **body))

    def _moments(self, group: DraftLink, axes: np.ndarray) -> tuple[float, float, float]:
        """Moments about the link's axes; raises BadFile with the angle if its principal axes are others."""
        turned = axes.T @ group.mass.inertia @ axes
        for i, j in ((0, 1), (0, 2), (1, 2)):
            beside = math.sqrt(max(turned[i, i] * turned[j, j], 0.0))
            share = abs(turned[i, j]) / beside if beside > 0.0 else 0.0
            if share > MOST_TILTED:
                angle = math.degrees(0.5 * math.atan2(2 * abs(turned[i, j]), abs(turned[i, i] - turned[j, j])))
                raise group.node.wrong(
                    f"has principal axes of inertia {angle:.3g} deg off the link's {'xyz'[i]} and {'xyz'[j]}, must be "
                    f"nearly along them: products at most {MOST_TILTED:g} of the moments"
                )
            self.note("inertia", share, group.node)
        x, y, z = (float(turned[i, i]) for i in range(3))
        return x, y, z


def _tidy(number: float) -> float:
    """Zero instead of rounding."""
    return 0.0 if abs(number) < EXACT else number


def _ends(group: DraftLink, k: int, chain: DraftChain, line: ChainLine) -> tuple[float, float]:
    """Where a link begins and ends along the line [m]: at its joints; a free end puts its shape in the middle."""
    rear = line.along(chain.bonds[k - 1].turns[-1]) if k > 0 else None
    front = line.along(chain.bonds[k].turns[0]) if k < len(chain.bonds) else None
    if rear is not None and front is not None:
        return rear, front
    mass = float(line.axes[:, 0] @ group.mass.center)
    low, high = (span(group.shapes, line.axes)[:, 0].tolist()) if group.shapes else (mass, mass)
    middle = (low + high) / 2
    if rear is None and front is None:
        radius = fit_link(group.shapes, line.axes, line.point(middle)).radius if group.shapes else 0.0
        half = max((high - low) / 2 - radius, (high - low) / 4)
        return middle - half, middle + half
    if rear is None and front is not None:
        reach = next((front - at for at in (middle, mass, low) if front - at > EXACT), 0.0)
        return front - 2 * reach, front
    assert rear is not None
    reach = next((at - rear for at in (middle, mass, high) if at - rear > EXACT), 0.0)
    return rear, rear + 2 * reach


def _joint(draft: DraftRobot, bond: Bond, line: ChainLine, named: list[JointOfFile]) -> Joint:
    """The joint of one or two axes."""
    motors: dict[str, Motor] = {}
    for turn in bond.turns:
        kind, side = axis_angle(turn.joint.axis, line.axes)
        sign = turn.sign * side
        if kind in motors:
            raise turn.joint.node.wrong("is a second axis in the same direction between two links")
        motors[kind] = _motor(draft, turn.joint.node, turn.joint, sign)
        named.append(JointOfFile(turn.joint.node.name, sign, turn.joint.drawn_at))
    if len(motors) == 1:
        ((kind, motor),) = motors.items()
        return Yaw(motor) if kind == "yaw" else Pitch(motor)
    distance = line.along(bond.turns[1]) - line.along(bond.turns[0])
    if distance < -EXACT:
        raise bond.turns[1].joint.node.wrong(f"is {-1e3 * distance:.3g} mm behind the first axis, must be in front")
    first: Any = next(iter(motors))
    return _at(
        bond.turns[1].joint.node,
        lambda: Cardan(yaw=motors["yaw"], pitch=motors["pitch"], axis_distance=_tidy(max(distance, 0.0)), first=first),
    )


def _motor(draft: DraftRobot, node: Element, joint: Any, sign: int) -> Motor:
    stops = (joint.lower, joint.upper) if sign > 0 else (-joint.upper, -joint.lower)
    lower, upper = (stop if abs(stop) <= TURN else math.copysign(math.inf, stop) for stop in stops)
    if stops != (lower, upper):
        draft.remark("lost", "end stops beyond a turn", "there are none here", place=node.place)
    drive = joint.drive
    speed = drive.speed_limit
    if math.isfinite(speed) and not math.isfinite(drive.torque_limit):
        draft.remark("lost", "speed limit", "a speed limit needs a torque limit", place=node.place)
        speed = math.inf
    return _at(
        node,
        lambda: Motor(
            stiffness=drive.stiffness,
            damping=drive.damping,
            torque_limit=drive.torque_limit,
            speed_limit=speed,
            lower=lower,
            upper=upper,
        ),
    )


def _remark_joints(draft: DraftRobot, named: list[JointOfFile]) -> None:
    draft.remark("exact", "end stops")
    turned = [each.name for each in named if each.sign < 0]
    if turned:
        names = ", ".join(turned[:3]) + (f" and {len(turned) - 3} more" if turned[3:] else "")
        draft.remark("exact", "signs of joint angles", f"{names} count the other way here")
