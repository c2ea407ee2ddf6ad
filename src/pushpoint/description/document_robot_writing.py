"""From robots to the `robot` section of a document."""

from __future__ import annotations

from typing import Any

from pushpoint.description.document_robot_reading import JOINTS
from pushpoint.description.document_writing import section_of
from pushpoint.model.catalogue import ROBOTS
from pushpoint.model.joints import Joint
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.spatial_robot import SpatialRobot


def robot_document(robot: PlanarRobot | SpatialRobot) -> str | dict[str, Any]:
    """The robot's name, if the catalogue holds it; one link, if all are equal; else all of them."""
    if robot.name in ROBOTS and ROBOTS[robot.name]() == robot:
        return robot.name
    uniform = uniform_document(robot)
    return listed_document(robot) if uniform is None else uniform


def uniform_document(robot: PlanarRobot | SpatialRobot) -> dict[str, Any] | None:
    """A robot of equal links as n_links, link, and motor or joints; None if links or a planar robot's motors differ."""
    if len(set(robot.links)) > 1:
        return None
    same = {"n_links": robot.n_links, "link": section_of(robot.links[0])}
    if isinstance(robot, SpatialRobot):
        joints: Any = robot.joints
        pattern = joints[: _period(joints)]
        written = _joint(pattern[0]) if len(pattern) == 1 else [_joint(joint) for joint in pattern]
        return {**same, **({"joints": written} if pattern else {}), **_touching(robot), **_about(robot)}
    motors: Any = robot.motors
    return {**same, "motor": section_of(motors[0]), **_about(robot)} if len(set(motors)) == 1 else None


def listed_document(robot: PlanarRobot | SpatialRobot) -> dict[str, Any]:
    """A robot with every link, and every motor or joint, of its own."""
    links = {"links": [section_of(link) for link in robot.links]}
    if isinstance(robot, SpatialRobot):
        joints: Any = robot.joints
        return {**links, "joints": [_joint(joint) for joint in joints], **_touching(robot), **_about(robot)}
    motors: Any = robot.motors
    return {**links, "motors": [section_of(motor) for motor in motors], **_about(robot)}


def _period(joints: tuple[Joint, ...]) -> int:
    """After how many joints they repeat themselves."""
    whole = range(1, len(joints) + 1)
    return next((p for p in whole if all(joint == joints[k % p] for k, joint in enumerate(joints))), 0)


def _joint(joint: Joint) -> dict[str, Any]:
    return {"kind": next(name for name, kind in JOINTS.items() if type(joint) is kind), **section_of(joint)}


def _touching(robot: SpatialRobot) -> dict[str, Any]:
    fields = {"self_contact": robot.self_contact, "self_friction": robot.self_friction}
    return {name: value for name, value in fields.items() if value}


def _about(robot: PlanarRobot | SpatialRobot) -> dict[str, str]:
    return {"name": robot.name, "source": robot.source}
