"""Robots: by the name of the catalogue's, of equal links (`n_links`, `link`), or with every link listed."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from pushpoint.description.complaints import Keys
from pushpoint.description.entries import entries_of
from pushpoint.description.reading import SHAPES, Reader
from pushpoint.description.writing import WRITERS, plain, section, tagged
from pushpoint.model.catalogue import ROBOTS
from pushpoint.model.joints import Joint
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.spatial_robot import AnyRobot, SpatialLink, SpatialRobot

WORDS = "a robot's name, or a mapping with n_links, link and motor, or with links and motors; joints make it spatial"
TOUCHING = ("self_contact", "self_friction")
CHAIN = ("links", "motors", "joints")
"""Fields of a robot that stand for its links and what is between them."""


def is_spatial(robot: Any) -> bool:
    """Whether a robot, as a document has it, can lift itself: it has joints, or inertia about three axes."""
    if isinstance(robot, str):
        return robot in ROBOTS and isinstance(ROBOTS[robot](), SpatialRobot)
    if not isinstance(robot, dict):
        return False
    listed = robot.get("links", [robot.get("link")])
    links = [link for link in listed if isinstance(link, dict)] if isinstance(listed, list) else []
    return not {"joints", *TOUCHING}.isdisjoint(robot) or any(isinstance(link.get("inertia"), list) for link in links)


def read_robot(reader: Reader, keys: Keys) -> AnyRobot:
    """The robot at a place."""
    value = reader.at(keys)
    if isinstance(value, str):
        if value not in ROBOTS:
            raise reader.unknown(keys, "robot", value, ROBOTS)
        return ROBOTS[value]()
    given = reader.section(keys, WORDS)
    kind: Any = SpatialRobot if is_spatial(given) else PlanarRobot
    if "links" in given:
        made: AnyRobot = reader.make(kind, keys)
        return made
    link: Any = SpatialLink if kind is SpatialRobot else PlanarLink
    moved, one = ("joints", Joint) if kind is SpatialRobot else ("motor", Motor)
    rest = {name: entry.hint for name, entry in entries_of(kind).items() if name not in CHAIN}
    reader.check_keys(keys, ("n_links", "link", moved, *rest))
    reader.require(keys, ("n_links", "link"))
    fields = {name: reader.read(hint, (*keys, name)) for name, hint in rest.items() if given.get(name) is not None}
    motion = () if given.get(moved) is None else (reader.read(one | tuple[one, ...], (*keys, moved)),)  # type: ignore[valid-type]
    count, same = reader.read(int, (*keys, "n_links")), reader.read(link, (*keys, "link"))
    with reader.speaking_of(keys):
        equal: AnyRobot = kind.uniform(count, same, *motion)
        return dataclasses.replace(equal, **fields)


def write_robot(robot: AnyRobot) -> str | dict[str, Any]:
    """The robot's name, if the catalogue holds it; one link, if all are equal; else all of them."""
    if robot.name in ROBOTS and ROBOTS[robot.name]() == robot:
        return robot.name
    return uniform_section(robot) or listed_section(robot)


def uniform_section(robot: AnyRobot) -> dict[str, Any] | None:
    """A robot of equal links as n_links, link, and motor or joints; None if links or a planar robot's motors differ."""
    spatial, parts = isinstance(robot, SpatialRobot), _between(robot)
    lengths = range(1, len(parts) + 1)
    period = next((p for p in lengths if all(part == parts[k % p] for k, part in enumerate(parts))), 0)
    if len(set(robot.links)) > 1 or (period > 1 and not spatial):
        return None
    pattern = plain(parts[:period])
    motion = {"joints" if spatial else "motor": pattern[0] if period == 1 else pattern} if pattern else {}
    return {"n_links": robot.n_links, "link": section(robot.links[0]), **motion, **_rest(robot)}


def listed_section(robot: AnyRobot) -> dict[str, Any]:
    """A robot with every link, and every motor or joint, of its own."""
    moved = "joints" if isinstance(robot, SpatialRobot) else "motors"
    return {"links": plain(robot.links), moved: plain(_between(robot)), **_rest(robot)}


def _between(robot: AnyRobot) -> Sequence[Any]:
    """Joints in space and motors in the plane, one between any two links."""
    return robot.chain if isinstance(robot, SpatialRobot) else robot.motors  # type: ignore[return-value]


def _rest(robot: AnyRobot) -> dict[str, Any]:
    kind: Any = type(robot)
    written = section(robot, without=CHAIN, always=entries_of(kind))
    return {key: value for key, value in written.items() if value or key not in TOUCHING}


SHAPES |= {AnyRobot: read_robot}
WRITERS |= {PlanarRobot: write_robot, SpatialRobot: write_robot, Joint: tagged}
