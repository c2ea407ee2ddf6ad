"""Shape curves: gait segments drawn or ready-made.

Whatever made a segment, it is written as points: a file then says the same on every version of the library.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from pushpoint.description.complaints import Keys
from pushpoint.description.reading import SHAPES, Reader
from pushpoint.planning.curves import segments
from pushpoint.planning.curves.segments import GaitSegment

DRAWN = "drawn"
READY_MADE: dict[str, Callable[..., GaitSegment]] = {
    "sidewinding": segments.sidewinding,
    "vertical-wave": segments.vertical_wave,
    "stairs-down": segments.stairs_down,
    "stairs-up": segments.stairs_up,
    "helix": segments.helix,
}
"""Segments by functions; what a function takes are the keys, and the robot that it may ask for is that of the file."""
WORDS = {"axis": ("z", "x"), "handed": ("right", "left")}
"""What words may stand under some of the keys."""


def keys_of(maker: Callable[..., GaitSegment]) -> dict[str, inspect.Parameter]:
    """What a ready-made segment is given in a file."""
    given = inspect.signature(maker, eval_str=True).parameters
    return {name: parameter for name, parameter in given.items() if name != "robot"}


def read_segment(reader: Reader, keys: Keys) -> GaitSegment:
    """A segment: points, or a ready-made one."""
    default = DRAWN if "points" in reader.section(keys) else None
    kind = reader.name(keys, (DRAWN, *READY_MADE), default=default)
    return _drawn(reader, keys) if kind == DRAWN else _ready_made(reader, keys, READY_MADE[kind])


def _ready_made(reader: Reader, keys: Keys, maker: Callable[..., GaitSegment]) -> GaitSegment:
    given, takes, robot = reader.section(keys), keys_of(maker), reader.known["robot"]
    reader.check_keys(keys, ("kind", *takes))
    values: dict[str, Any] = {}
    for name, parameter in takes.items():
        if given.get(name) is not None:
            allowed = WORDS.get(name)
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


SHAPES |= {GaitSegment: read_segment}
