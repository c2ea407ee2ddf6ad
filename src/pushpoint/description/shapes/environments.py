"""Ground and obstacles: laws that vary, regions given by their sides, heights, pegs that need not say so."""

from __future__ import annotations

import math
from typing import Any

from pushpoint.description.complaints import Keys
from pushpoint.description.entries import entries_of
from pushpoint.description.reading import Reader, shaped_by
from pushpoint.description.writing import plain, section, writes
from pushpoint.model.environment import Ground, Peg, Region
from pushpoint.model.friction import FrictionLaw, Varying
from pushpoint.model.kinds import kinds_of, name_of
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.terrain import HeightField

LAW, PEG = "law", "peg"
VARYING = tuple(name for name in entries_of(Varying) if name != "law")
"""Keys that make a law vary; they stand beside those of the law itself."""
ROWS = "rows of numbers; the name of a file can stand in a scenario file and in --set"


@shaped_by(FrictionLaw)
def read_law(reader: Reader, keys: Keys) -> FrictionLaw:
    """A friction law; one with keys of Varying beside its own varies."""
    given = reader.section(keys)
    varying = {key: given[key] for key in VARYING if given.get(key) is not None}
    constant = Reader(
        _replaced(reader.document, keys, {key: held for key, held in given.items() if key not in VARYING}),
        reader.where,
    )
    law: FrictionLaw = constant.kind(FrictionLaw, keys, LAW)
    if not varying:
        return law
    hints = entries_of(Varying)
    fields = {key: reader.read(hints[key].hint, (*keys, key)) for key in varying}
    with reader.speaking_of(keys):
        return Varying(law=law, **fields)


def write_law(law: FrictionLaw) -> dict[str, Any]:
    """The section of a law."""
    if isinstance(law, Varying):
        # One of these keys is what says that a law varies.
        return write_law(law.law) | (section(law, without=("law",)) or {"stick_ratio": law.stick_ratio})
    return {LAW: name_of(type(law)) or type(law).__qualname__, **section(law)}


@shaped_by(Region)
def read_region(reader: Reader, keys: Keys) -> Region:
    """A patch of the ground, by its corners or by its sides."""
    given = reader.section(keys)
    if "vertices" in given or {"x", "y"}.isdisjoint(given):
        made: Region = reader.make(Region, keys)
        return made
    reader.check_keys(keys, ("x", "y", "friction"))
    x, y = _side(reader, (*keys, "x")), _side(reader, (*keys, "y"))
    friction = reader.read(FrictionLaw, (*keys, "friction"))
    with reader.speaking_of(keys):
        return Region.rectangle(x=x, y=y, friction=friction)


def _side(reader: Reader, keys: Keys) -> tuple[float, float]:
    """From where to where a rectangle goes [m]."""
    from pushpoint.description.complaints import missing, placed

    value = reader.at(keys)
    if value is None:
        raise placed(missing(keys), keys, reader.where)
    numbers = [reader.read(float, each) for each in reader.each(keys)]
    if len(numbers) == 2 and -math.inf < numbers[0] < numbers[1] < math.inf:
        return numbers[0], numbers[1]
    raise reader.refuse(keys, value, "two finite numbers, the smaller one first [m]")


@shaped_by(HeightField)
def read_heights(reader: Reader, keys: Keys) -> HeightField:
    """Heights as rows of numbers; files that hold them have been read before."""
    rows = (*keys, "heights")
    given = reader.section(keys)
    if isinstance(given.get("heights"), str):
        raise reader.refuse(rows, given["heights"], ROWS)
    reader.check_keys(keys, tuple(entries_of(HeightField)))
    for row in reader.each(rows) if given.get("heights") is not None else ():
        for place in reader.each(row):
            reader.read(float, place)
    made: HeightField = reader.make(HeightField, keys, tags=("heights",), heights=given.get("heights"))
    return made


@writes(Ground)
def write_ground(ground: Ground) -> dict[str, Any]:
    """The ground; friction, spin and gravity are always said, so that they can be changed by name."""
    laws = (
        [write_law(law) for law in ground.friction]
        if isinstance(ground.friction, tuple)
        else write_law(ground.friction)
    )
    regions = [
        {"vertices": plain(region.vertices), "friction": write_law(region.friction)} for region in ground.regions
    ]
    heights = {} if ground.heights is None else {"heights": write_heights(ground.heights)}
    rest = section(ground, without=("friction", "spin", "gravity", "regions", "heights"))
    always = {"friction": laws, "spin": ground.spin, "gravity": ground.gravity}
    return {**always, **({"regions": regions} if regions else {}), **rest, **heights}


def write_heights(field: HeightField) -> dict[str, Any]:
    """All of a height field, its numbers as rows."""
    return {"heights": field.heights.tolist(), "spacing": field.spacing, "origin": list(field.origin)}


@shaped_by(Obstacle)
def read_obstacle(reader: Reader, keys: Keys) -> Obstacle:
    """An obstacle; one that does not say what it is, and has nothing that only others have, is a peg."""
    given = reader.section(keys)
    pegs = entries_of(Peg)
    others = {name for kind in kinds_of(Obstacle).values() for name in entries_of(kind)} - set(pegs)
    foreign = {"x", "y", "radius"}.isdisjoint(given) and not others.isdisjoint(given)
    made: Obstacle = reader.kind(Obstacle, keys, default=None if foreign else PEG)
    return made


def write_obstacle(obstacle: Obstacle) -> dict[str, Any]:
    """All fields, so that all can be changed by name; only what is no peg says what it is."""
    name = name_of(type(obstacle)) or type(obstacle).__qualname__
    return ({} if name == PEG else {"kind": name}) | section(obstacle, full=True)


def _replaced(document: Any, keys: Keys, value: Any) -> Any:
    """The same document with another value at a place."""
    if not keys:
        return value
    if isinstance(document, dict):
        return document | {keys[0]: _replaced(document[keys[0]], keys[1:], value)}
    return [_replaced(part, keys[1:], value) if k == keys[0] else part for k, part in enumerate(document)]
