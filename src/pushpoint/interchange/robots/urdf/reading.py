"""Reads the links and joints of a URDF file into a draft."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pushpoint.errors import BadFile, one_line
from pushpoint.interchange.robots.drafts import DraftBody, DraftDrive, DraftJoint, DraftRobot
from pushpoint.interchange.robots.frames import ORIGIN, Frame, about_axes
from pushpoint.interchange.robots.meshes import find_file, read_mesh
from pushpoint.interchange.robots.shapes import NOTHING, Mass, Shape
from pushpoint.interchange.robots.trees import Element, refuse_crowds

TURNING = ("revolute", "continuous")
KINDS = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide", "floating": "free", "fixed": "fixed"}
UNLIMITED = 1e9
"""Effort [N m] or velocity [rad/s] that stands for none."""
UNREAD = {
    "transmission": "transmissions: motors are the limits of the joints",
    "gazebo": "settings for Gazebo",
    "sensor": "sensors",
    "ros2_control": "ros2_control",
}


def read_urdf(root: Element, folder: Path) -> DraftRobot:
    """The draft of a URDF file whose root element is given."""
    draft = DraftRobot(one_line(root.get("name", "robot"), 60), root, "URDF")
    refuse_crowds(root)
    _refuse_xacro(root)
    links, joints = _named(root, "link"), list(root.all("joint"))
    carried = _carried(links, joints)
    tops = [node for name, node in links.items() if name not in carried]
    if not tops:
        raise root.wrong("has no link that none of its joints carries: they close a loop")
    if len(tops) > 1:
        raise tops[1].wrong("is a second root that no joint carries, must be part of one chain")
    _follow(draft, tops[0], links, joints, folder)
    if len(draft.bodies) != len(links):
        seen = {body.node.get("name") for body in draft.bodies}
        lost = next(node for name, node in links.items() if name not in seen)
        raise lost.wrong("is in a loop of joints that the root does not carry")
    for tag, what in UNREAD.items():
        if any(True for _ in root.all(tag)):
            draft.remark("lost", what, "not read")
    _remark_joints(draft, joints)
    if any(body.joints and body.joints[0].kind == "hinge" for body in draft.bodies):
        how = "URDF has none: joints have damping alone; give motors before a run"
        draft.remark("lost", "gains of the servos", how)
    return draft


def _remark_joints(draft: DraftRobot, joints: list[Element]) -> None:
    """Says what else joints have."""
    rubbing = [found.number("friction", 0.0) for joint in joints if (found := joint.first("dynamics")) is not None]
    if any(rubbing):
        draft.remark("lost", "dry friction of the joints", "none here", error=max(map(abs, rubbing)), unit="N m")
    for joint in joints:
        if (found := joint.first("safety_controller")) is not None:
            draft.remark("lost", "soft limits of controllers", "end stops alone are read", place=found.place)
            break


def _refuse_xacro(root: Element) -> None:
    """Raises BadFile for what only xacro understands: its elements, and its expressions in attributes."""
    for node in root.below():
        given = next((f"has {name} = {text[:40]!r}" for name, text in node.attributes.items() if "${" in text), "")
        if given or node.tag.startswith("xacro:"):
            words = "belongs to xacro, which must be expanded first: xacro FILE > snake.urdf"
            raise node.wrong(f"{given}, which {words}" if given else words)


def _named(root: Element, tag: str) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for node in root.all(tag):
        if not node.get("name"):
            raise node.wrong("has no name")
        if node.get("name") in found:
            raise node.wrong("has the name of another one")
        found[node.get("name")] = node
    if not found:
        raise root.wrong(f"has no {tag}")
    return found


def _carried(links: dict[str, Element], joints: list[Element]) -> set[str]:
    """The links that a joint carries; each must be carried once."""
    found: set[str] = set()
    for joint in joints:
        for end in ("parent", "child"):
            if _end(joint, end) not in links:
                raise joint.wrong(f"has the {end} {_end(joint, end)[:60]!r}, must be one of the {len(links)} links")
        if _end(joint, "child") in found:
            raise joint.wrong(f"carries '{_end(joint, 'child')}', which another joint carries: it closes a loop")
        if joint.first("mimic") is not None:
            raise joint.wrong("follows another joint (mimic), must move on its own")
        found.add(_end(joint, "child"))
    return found


def _end(joint: Element, which: str) -> str:
    found = joint.first(which)
    return "" if found is None else found.get("link")


def _follow(draft: DraftRobot, top: Element, links: dict[str, Element], joints: list[Element], folder: Path) -> None:
    """Adds all links that the root carries, each behind the one that carries it."""
    below: dict[str, list[Element]] = {}
    for joint in joints:
        below.setdefault(_end(joint, "parent"), []).append(joint)
    waiting: list[tuple[Element, int | None, Frame, list[DraftJoint]]] = [(top, None, ORIGIN, [])]
    while waiting:
        node, parent, frame, moved = waiting.pop()
        number = len(draft.bodies)
        draft.bodies.append(_body(node, parent, frame, moved, folder))
        for joint in reversed(below.get(node.get("name"), [])):
            inner = frame.then(_origin(joint))
            made = _joint(joint, inner)
            waiting.append((links[_end(joint, "child")], number, inner, [] if made is None else [made]))


def _origin(node: Element) -> Frame:
    """The frame of an <origin>."""
    found = node.first("origin")
    if found is None:
        return ORIGIN
    return Frame(about_axes(found.vector("rpy"), "XYZ"), found.vector("xyz"))


def _joint(node: Element, frame: Frame) -> DraftJoint | None:
    """The axis of a joint; None if it is fixed."""
    kind = node.get("type")
    if kind == "planar":
        return DraftJoint(node, "free", np.array([0.0, 0.0, 1.0]), frame.place)
    if kind not in KINDS:
        raise node.wrong(f"has type = {kind[:40]!r}, must be one of {', '.join((*KINDS, 'planar'))}")
    if kind == "fixed":
        return None
    given = node.first("axis")
    axis = np.array([1.0, 0.0, 0.0]) if given is None else given.unit("xyz", (1.0, 0.0, 0.0))
    made = DraftJoint(node, KINDS[kind], frame.direction(axis), frame.place)
    limit, dynamics = node.first("limit"), node.first("dynamics")
    if limit is not None:
        if kind == "revolute":
            made.lower, made.upper = limit.number("lower", 0.0), limit.number("upper", 0.0)
        effort, velocity = (limit.number(name, 0.0) for name in ("effort", "velocity"))
        made.drive = DraftDrive(torque_limit=_limited(effort), speed_limit=_limited(velocity))
    if dynamics is not None:
        made.drive.damping = dynamics.number("damping", 0.0)
    return made


def _limited(limit: float) -> float:
    """A limit of a joint; zero and very large numbers stand for none, as URDF demands a number."""
    return limit if 0.0 < limit < UNLIMITED else math.inf


def _body(node: Element, parent: int | None, frame: Frame, joints: list[DraftJoint], folder: Path) -> DraftBody:
    body = DraftBody(node, parent, joints, axes=frame.rotation)
    inertial = node.first("inertial")
    if inertial is not None:
        body.mass = _mass(inertial).seen_from(frame)
    for tag in ("collision", "visual"):
        body.shapes = [shape.seen_from(frame) for each in node.all(tag) for shape in _shapes(each, folder)]
        if body.shapes:
            break
    return body


def _mass(inertial: Element) -> Mass:
    mass, moments = inertial.first("mass"), inertial.first("inertia")
    total = 0.0 if mass is None else mass.number("value", 0.0)
    if total < 0.0 and mass is not None:
        raise mass.wrong(f"has value = {total:g}, must be >= 0 [kg]")
    if total == 0.0:
        return NOTHING
    whole = np.zeros((3, 3))
    for i, j, name in ((0, 0, "ixx"), (1, 1, "iyy"), (2, 2, "izz"), (0, 1, "ixy"), (0, 2, "ixz"), (1, 2, "iyz")):
        if moments is not None:
            whole[i, j] = whole[j, i] = moments.number(name, 0.0)
    return Mass(total, np.zeros(3), whole).seen_from(_origin(inertial))


def _shapes(node: Element, folder: Path) -> Iterator[Shape]:
    """The shape of a <collision> or a <visual>."""
    geometry = node.first("geometry")
    frame = _origin(node)
    for each in () if geometry is None else geometry.children:
        if each.tag == "box":
            half = each.vector("size") / 2
            yield Shape("box", frame, tuple(_positive(each, "size", half)))
        elif each.tag in ("cylinder", "capsule"):
            size = np.array([each.number("radius", 0.0), each.number("length", 0.0) / 2])
            yield Shape(each.tag, frame, tuple(_positive(each, "radius and length", size)))
        elif each.tag == "sphere":
            yield Shape("sphere", frame, tuple(_positive(each, "radius", np.array([each.number("radius", 0.0)]))))
        elif each.tag == "mesh":
            corners, faces = read_mesh(find_file(each, each.get("filename"), folder, each.file.parent))
            scale = each.vector("scale", (1.0, 1.0, 1.0))
            yield Shape("mesh", frame, (), corners * scale, faces * scale)
        else:
            raise each.wrong("is no shape that is known: box, cylinder, capsule, sphere or mesh")


def _positive(node: Element, name: str, values: np.ndarray) -> list[float]:
    if not (values > 0.0).all():
        raise BadFile(node.place, f"{node.tag} has {name} = {values.tolist()}, must be > 0 [m]")
    return [float(value) for value in values]
