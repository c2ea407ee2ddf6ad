"""Robots: by the name of the catalogue's, of equal links (`n_links`, `link`), or with every link listed."""

from __future__ import annotations

import dataclasses
from typing import Any

from pushpoint.description.complaints import Keys, missing, placed, unknown
from pushpoint.description.entries import entries_of
from pushpoint.description.reading import Reader, shaped_by
from pushpoint.description.writing import named_section, section, writes
from pushpoint.model.catalogue import ROBOTS
from pushpoint.model.joints import Joint
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.spatial_robot import AnyRobot, SpatialLink, SpatialRobot

WORDS = "a robot's name, or a mapping with n_links, link and motor, or with links and motors; joints make it spatial"
ABOUT = ("name", "source")
SPATIAL = ("self_contact", "self_friction")
UNIFORM, LISTED = ("n_links", "link"), ("links",)


def is_spatial(robot: Any) -> bool:
    """Whether a robot, as a document has it, can lift itself: it has joints, or inertia about three axes."""
    if isinstance(robot, str):
        return robot in ROBOTS and isinstance(ROBOTS[robot](), SpatialRobot)
    if not isinstance(robot, dict):
        return False
    listed = robot.get("links", [robot.get("link")])
    links = [link for link in listed if isinstance(link, dict)] if isinstance(listed, list) else []
    return not {"joints", *SPATIAL}.isdisjoint(robot) or any(isinstance(link.get("inertia"), list) for link in links)


@shaped_by(AnyRobot)
def read_robot(reader: Reader, keys: Keys) -> AnyRobot:
    """The robot at a place."""
    value = reader.at(keys)
    if isinstance(value, str):
        if value not in ROBOTS:
            raise placed(unknown(keys, "robot", value, sorted(ROBOTS)), keys, reader.where)
        return ROBOTS[value]()
    given = reader.section(keys, WORDS)
    spatial, listed = is_spatial(given), "links" in given
    moved = "joints" if spatial else "motors" if listed else "motor"
    shared = (*ABOUT, moved, *(SPATIAL if spatial else ()))
    reader.check_keys(keys, (*(LISTED if listed else UNIFORM), *shared))
    for key in LISTED if listed else UNIFORM:
        if given.get(key) is None:
            raise placed(missing((*keys, key)), (*keys, key), reader.where)
    kind: Any = SpatialRobot if spatial else PlanarRobot
    link: Any = SpatialLink if spatial else PlanarLink
    hints = entries_of(kind)
    fields = {
        name: reader.read(hints[name].hint, (*keys, name)) for name in (*ABOUT, *SPATIAL) if given.get(name) is not None
    }
    one: Any = Joint if spatial else Motor
    motion = None if given.get(moved) is None else reader.read(one | tuple[one, ...], (*keys, moved))
    if listed:
        links = tuple(reader.read(link, each) for each in reader.each((*keys, "links")))
        with reader.speaking_of(keys):
            return kind(links=links, **({} if motion is None else {moved: motion}), **fields)
    count, same = reader.read(int, (*keys, "n_links")), reader.read(link, (*keys, "link"))
    with reader.speaking_of(keys):
        about = {name: fields.pop(name) for name in ABOUT if name in fields}
        made = kind.uniform(count, same, hints["joints"].default if spatial and motion is None else motion, **about)
        return dataclasses.replace(made, **fields) if fields else made


@writes(PlanarRobot, SpatialRobot)
def write_robot(robot: AnyRobot) -> str | dict[str, Any]:
    """The robot's name, if the catalogue holds it; one link, if all are equal; else all of them."""
    if robot.name in ROBOTS and ROBOTS[robot.name]() == robot:
        return robot.name
    uniform = uniform_section(robot)
    return listed_section(robot) if uniform is None else uniform


def uniform_section(robot: AnyRobot) -> dict[str, Any] | None:
    """A robot of equal links as n_links, link, and motor or joints; None if links or a planar robot's motors differ."""
    if len(set(robot.links)) > 1:
        return None
    same = {"n_links": robot.n_links, "link": section(robot.links[0])}
    if isinstance(robot, SpatialRobot):
        pattern = robot.chain[: _period(robot.chain)]
        written = [named_section(joint) for joint in pattern]
        return {**same, **({"joints": written[0] if len(written) == 1 else written} if pattern else {}), **_rest(robot)}
    motors: Any = robot.motors
    return {**same, "motor": section(motors[0]), **_rest(robot)} if len(set(motors)) == 1 else None


def listed_section(robot: AnyRobot) -> dict[str, Any]:
    """A robot with every link, and every motor or joint, of its own."""
    links = {"links": [section(link) for link in robot.links]}
    if isinstance(robot, SpatialRobot):
        return {**links, "joints": [named_section(joint) for joint in robot.chain], **_rest(robot)}
    return {**links, "motors": [section(motor) for motor in robot.motors], **_rest(robot)}  # type: ignore[union-attr]


def _period(joints: tuple[Joint, ...]) -> int:
    """After how many joints they repeat themselves."""
    whole = range(1, len(joints) + 1)
    return next((p for p in whole if all(joint == joints[k % p] for k, joint in enumerate(joints))), 0)


def _rest(robot: AnyRobot) -> dict[str, Any]:
    touching = {name: getattr(robot, name) for name in SPATIAL if getattr(robot, name, None)}
    return {**touching, "name": robot.name, "source": robot.source}
