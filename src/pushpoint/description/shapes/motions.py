"""Shape curves: gait segments drawn or ready-made, motions along curves, who steers them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from pushpoint.description.complaints import Keys, missing, placed, unknown
from pushpoint.description.reading import Reader, shaped_by
from pushpoint.description.writing import writes
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


@shaped_by(GaitSegment)
def read_segment(reader: Reader, keys: Keys) -> GaitSegment:
    """A segment: points, or a ready-made one."""
    given = reader.section(keys)
    kind = given.get("kind", DRAWN if "points" in given else None)
    place = (*keys, "kind")
    if kind is None:
        raise placed(missing(place), place, reader.where)
    if kind == DRAWN:
        return _drawn(reader, keys)
    if not isinstance(kind, str):
        raise reader.refuse(place, kind, f"one of {', '.join((DRAWN, *READY_MADE))}")
    if kind not in READY_MADE:
        raise placed(unknown(place, "kind", kind, [DRAWN, *READY_MADE]), place, reader.where)
    return _ready_made(reader, keys, READY_MADE[kind])


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
            raise placed(missing((*keys, name)), (*keys, name), reader.where)
    whose = (robot,) if "robot" in inspect.signature(maker).parameters else ()
    with reader.speaking_of(keys, owned=False):
        return maker(*whose, **values)


def _drawn(reader: Reader, keys: Keys) -> GaitSegment:
    reader.check_keys(keys, ("kind", "points", "name"))
    points = _points(reader, (*keys, "points"))
    name = reader.at((*keys, "name"))
    more = {} if name is None else {"name": reader.read(str, (*keys, "name"))}
    with reader.speaking_of(keys):
        return GaitSegment(np.array(points), **more)


def _points(reader: Reader, keys: Keys) -> list[list[float]]:
    if reader.at(keys) is None:
        raise placed(missing(keys), keys, reader.where)
    rows = []
    for row in reader.each(keys):
        value = reader.at(row)
        if not isinstance(value, list) or len(value) != 3:
            raise reader.refuse(row, value, "three numbers x, y, z [m]")
        rows.append([reader.read(float, each) for each in reader.each(row)])
    if len(rows) < 2:
        raise reader.refuse(keys, reader.at(keys), "two or more points x, y, z [m]")
    return rows


@writes(GaitSegment)
def write_segment(segment: GaitSegment) -> dict[str, Any]:
    """A segment as points, whatever made it: a file then says the same on every version of the library."""
    return {"points": segment.points.tolist(), **({} if segment.name == "segment" else {"name": segment.name})}
