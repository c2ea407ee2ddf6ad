"""Sections that are not simply the fields of a class: robots, friction laws, regions, heights, pegs, gait segments.

A robot is given by its name in the catalogue, with equal links (`n_links`, `link`), or with every link listed. Gait
segments are always written as points, so that a file means the same in every version of the library.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from pushpoint.description.complaints import Keys
from pushpoint.description.entries import entries_of
from pushpoint.description.reading import SHAPES, Reader
from pushpoint.description.writing import WRITERS, plain, section, tagged
from pushpoint.model.catalogue import ROBOTS
from pushpoint.model.environment import Ground, Peg, Region
from pushpoint.model.friction import FrictionLaw, Varying
from pushpoint.model.joints import Joint
from pushpoint.model.kinds import kinds_of
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.spatial_robot import AnyRobot, SpatialLink, SpatialRobot
from pushpoint.model.terrain import HeightField
from pushpoint.planning.curves import segments
from pushpoint.planning.curves.segments import GaitSegment

A_ROBOT = "a robot's name, or a mapping with n_links, link and motor, or with links and motors; joints make it spatial"
TOUCHING = ("self_contact", "self_friction")
CHAIN = ("links", "motors", "joints")
"""Fields of a robot that hold its links and what is between them."""
FORMS: dict[Any, tuple[Any, str, str]] = {
    PlanarRobot: (PlanarLink, "motor", "motors"),
    SpatialRobot: (SpatialLink, "joints", "joints"),
}
"""The class of a robot's links, and the keys of its motors or joints: for equal links, and listed one by one."""
LAW, PEG = "law", "peg"
VARYING = {name: entry for name, entry in entries_of(Varying).items() if name != "law"}
"""Keys that make a law vary; they are beside those of the law itself."""
HEIGHTS: Keys = ("ground", "heights", "heights")
"""Where a document has the heights of the ground, or the name of their file."""
ROWS = "rows of numbers; the name of a file is allowed in a scenario file and in --set"
DRAWN = "drawn"
READY_MADE: dict[str, Callable[..., GaitSegment]] = {
    "sidewinding": segments.sidewinding,
    "vertical-wave": segments.vertical_wave,
    "stairs-down": segments.stairs_down,
    "stairs-up": segments.stairs_up,
    "helix": segments.helix,
}
"""Functions that make segments. Their arguments are the keys; a robot argument is the robot of the file."""
CHOICES = {"axis": ("z", "x"), "handed": ("right", "left")}
"""The words allowed for some of the keys."""


def is_spatial(robot: Any) -> bool:
    """Whether a robot in a document is spatial: it has joints, or inertia about three axes."""
    if isinstance(robot, str):
        return robot in ROBOTS and isinstance(ROBOTS[robot](), SpatialRobot)
    if not isinstance(robot, dict):
        return False
    listed = robot.get("links", [robot.get("link")])
    links = [link for link in listed if isinstance(link, dict)] if isinstance(listed, list) else []
    return "joints" in robot or any(isinstance(link.get("inertia"), list) for link in links)


def robot_from(reader: Reader, keys: Keys) -> AnyRobot:
    """Reads the robot at a place."""
    value = reader.at(keys)
    if isinstance(value, str):
        if value not in ROBOTS:
            raise reader.unknown(keys, "robot", value, ROBOTS)
        return ROBOTS[value]()
    given = reader.section(keys, A_ROBOT)
    kind: Any = SpatialRobot if is_spatial(given) else PlanarRobot
    if "links" in given:
        made: AnyRobot = reader.make(kind, keys)
        return made
    (link, moved, listed), entries = FORMS[kind], entries_of(kind)
    rest = [name for name in entries if name not in CHAIN]
    reader.check_keys(keys, ("n_links", "link", moved, *rest))
    reader.require(keys, ("n_links", "link"))
    fields = {name: reader.read(entries[name].hint, (*keys, name)) for name in rest if given.get(name) is not None}
    motion = () if given.get(moved) is None else (reader.read(entries[listed].hint, (*keys, moved)),)
    count, same = reader.read(int, (*keys, "n_links")), reader.read(link, (*keys, "link"))
    with reader.speaking_of(keys):
        equal: AnyRobot = kind.uniform(count, same, *motion)
        return dataclasses.replace(equal, **fields)


def write_robot(robot: AnyRobot) -> str | dict[str, Any]:
    """The robot's name if it is in the catalogue; one link if all are equal; otherwise all of them."""
    if robot.name in ROBOTS and ROBOTS[robot.name]() == robot:
        return robot.name
    return uniform_section(robot) or listed_section(robot)


def uniform_section(robot: AnyRobot) -> dict[str, Any] | None:
    """A robot with equal links as n_links, link, and motor or joints; None if links or planar motors differ."""
    _, moved, listed = FORMS[type(robot)]
    parts = getattr(robot, listed)
    lengths = range(1, len(parts) + 1)
    period = next((p for p in lengths if all(part == parts[k % p] for k, part in enumerate(parts))), 0)
    if len(set(robot.links)) > 1 or (period > 1 and moved == "motor"):
        return None
    pattern = plain(parts[:period])
    motion = {moved: pattern[0] if period == 1 else pattern} if pattern else {}
    return {"n_links": robot.n_links, "link": section(robot.links[0]), **motion, **_rest(robot)}


def listed_section(robot: AnyRobot) -> dict[str, Any]:
    """A robot with every link, motor and joint listed."""
    listed = FORMS[type(robot)][2]
    return {"links": plain(robot.links), listed: plain(getattr(robot, listed)), **_rest(robot)}


def _rest(robot: AnyRobot) -> dict[str, Any]:
    touching = {name: getattr(robot, name) for name in TOUCHING if getattr(robot, name, None)}
    return {**touching, "name": robot.name, "source": robot.source}


def read_law(reader: Reader, keys: Keys) -> FrictionLaw:
    """Reads a friction law; one with keys of Varying beside its own varies."""
    law: FrictionLaw = reader.kind(FrictionLaw, keys, LAW, also=tuple(VARYING))
    given = [name for name in VARYING if reader.at((*keys, name)) is not None]
    if not given:
        return law
    fields = {name: reader.read(VARYING[name].hint, (*keys, name)) for name in given}
    with reader.speaking_of(keys):
        return Varying(law=law, **fields)


def write_law(law: FrictionLaw) -> dict[str, Any]:
    """The section of a law."""
    if isinstance(law, Varying):
        # One of these keys shows that a law varies.
        return write_law(law.law) | (section(law, without=("law",)) or {"stick_ratio": law.stick_ratio})
    return tagged(law, LAW)


def read_region(reader: Reader, keys: Keys) -> Region:
    """Reads a patch of the ground, given by its corners or by its sides."""
    given = reader.section(keys)
    if "vertices" in given or {"x", "y"}.isdisjoint(given):
        made: Region = reader.make(Region, keys)
        return made
    reader.check_keys(keys, ("x", "y", "friction"))
    reader.require(keys, ("x", "y"))
    x, y = _side(reader, (*keys, "x")), _side(reader, (*keys, "y"))
    friction = reader.read(FrictionLaw, (*keys, "friction"))
    with reader.speaking_of(keys):
        return Region.rectangle(x=x, y=y, friction=friction)


def _side(reader: Reader, keys: Keys) -> tuple[float, float]:
    """The range of a rectangle along an axis [m]."""
    numbers = [reader.read(float, each) for each in reader.each(keys)]
    if len(numbers) == 2 and -math.inf < numbers[0] < numbers[1] < math.inf:
        return numbers[0], numbers[1]
    raise reader.refuse(keys, reader.at(keys), "two finite numbers, the smaller one first [m]")


def read_heights(reader: Reader, keys: Keys) -> HeightField:
    """Reads heights as rows of numbers. Files with heights have been read before."""
    rows, heights = (*keys, "heights"), reader.section(keys).get("heights")
    if isinstance(heights, str):
        raise reader.refuse(rows, heights, ROWS)
    reader.check_keys(keys, tuple(entries_of(HeightField)))
    listed = heights is not None and not isinstance(heights, np.ndarray)  # an array holds numbers only
    for row in reader.each(rows) if listed else ():
        for place in reader.each(row):
            reader.read(float, place)
    made: HeightField = reader.make(HeightField, keys, tags=("heights",), heights=heights)
    return made


def rows_of(document: Any) -> Any:
    """The heights of the ground in a document, or the name of their file; None if there are none."""
    for key in HEIGHTS:
        document = document.get(key) if isinstance(document, dict) else None
    return document


def with_rows(document: dict[str, Any], rows: Any) -> dict[str, Any]:
    """The same document with other heights of the ground, or another file name."""
    ground = document["ground"]
    return document | {"ground": ground | {"heights": ground["heights"] | {"heights": rows}}}


def read_obstacle(reader: Reader, keys: Keys) -> Obstacle:
    """Reads an obstacle. One without a kind, and without keys of other kinds, is a peg."""
    given = reader.section(keys)
    others = {name for kind in kinds_of(Obstacle).values() for name in entries_of(kind)} - set(entries_of(Peg))
    foreign = {"x", "y", "radius"}.isdisjoint(given) and not others.isdisjoint(given)
    made: Obstacle = reader.kind(Obstacle, keys, default=None if foreign else PEG)
    return made


def write_obstacle(obstacle: Obstacle) -> dict[str, Any]:
    """All fields, so that each can be changed by name. Only pegs are written without a kind."""
    kind: Any = type(obstacle)
    written = tagged(obstacle, always=entries_of(kind))
    return {key: value for key, value in written.items() if (key, value) != ("kind", PEG)}


def write_obstacles(obstacles: Sequence[Obstacle]) -> list[Any]:
    """The sections of obstacles. Pegs, of which there may be very many, are written without looking at their class."""
    return [_write_peg(each) if type(each) is Peg else plain(each) for each in obstacles]


def _write_peg(peg: Peg) -> dict[str, Any]:
    """The same as write_obstacle, ten times as fast."""
    if peg.height is not None:
        return write_obstacle(peg)
    return {
        "x": peg.x,
        "y": peg.y,
        "radius": peg.radius,
        "friction": peg.friction,
        "restitution": peg.restitution,
    }


def keys_of(maker: Callable[..., GaitSegment]) -> dict[str, inspect.Parameter]:
    """The keys of a ready-made segment in a file."""
    given = inspect.signature(maker, eval_str=True).parameters
    return {name: parameter for name, parameter in given.items() if name != "robot"}


def read_segment(reader: Reader, keys: Keys) -> GaitSegment:
    """Reads a segment: points, or a ready-made one."""
    default = DRAWN if "points" in reader.section(keys) else None
    kind = reader.name(keys, (DRAWN, *READY_MADE), default=default)
    return _drawn(reader, keys) if kind == DRAWN else _ready_made(reader, keys, READY_MADE[kind])


def _ready_made(reader: Reader, keys: Keys, maker: Callable[..., GaitSegment]) -> GaitSegment:
    given, takes, robot = reader.section(keys), keys_of(maker), reader.known["robot"]
    reader.check_keys(keys, ("kind", *takes))
    values: dict[str, Any] = {}
    for name, parameter in takes.items():
        if given.get(name) is not None:
            allowed = CHOICES.get(name)
            values[name] = reader.read(parameter.annotation, (*keys, name))
            if allowed and values[name] not in allowed:
                raise reader.refuse((*keys, name), values[name], " or ".join(repr(word) for word in allowed))
        elif name == "half_height":
            values[name] = float(np.max(robot.column("radius")))
        elif parameter.default is inspect.Parameter.empty:
            raise reader.missing((*keys, name))
    whose = (robot,) if "robot" in inspect.signature(maker).parameters else ()
    with reader.speaking_of(keys, owned=False):
        return maker(*whose, **values)


def _drawn(reader: Reader, keys: Keys) -> GaitSegment:
    reader.check_keys(keys, ("kind", "points", "name"))
    reader.require(keys, ("points",))
    place, rows = (*keys, "points"), []
    for row in reader.each(place):
        value = reader.at(row)
        if not isinstance(value, list) or len(value) != 3:
            raise reader.refuse(row, value, "three numbers x, y, z [m]")
        rows.append([reader.read(float, each) for each in reader.each(row)])
    if len(rows) < 2:
        raise reader.refuse(place, reader.at(place), "two or more points x, y, z [m]")
    more = {} if reader.at((*keys, "name")) is None else {"name": reader.read(str, (*keys, "name"))}
    with reader.speaking_of(keys):
        return GaitSegment(np.array(rows), **more)


SHAPES |= {
    AnyRobot: robot_from,
    FrictionLaw: read_law,
    Region: read_region,
    HeightField: read_heights,
    Obstacle: read_obstacle,
    GaitSegment: read_segment,
}
WRITERS |= {
    PlanarRobot: write_robot,
    SpatialRobot: write_robot,
    Joint: tagged,
    FrictionLaw: write_law,
    Obstacle: write_obstacle,
    HeightField: partial(section, always=("origin",)),
    Ground: partial(section, always=("friction", "spin", "gravity")),  # so that they can be changed by name
}
