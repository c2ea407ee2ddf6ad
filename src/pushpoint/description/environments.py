"""Ground and obstacles: laws that vary, regions given by their sides, heights, pegs that need not say so."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from pushpoint.description.complaints import Keys
from pushpoint.description.entries import entries_of
from pushpoint.description.reading import SHAPES, Reader
from pushpoint.description.writing import WRITERS, section, tagged
from pushpoint.model.environment import Ground, Peg, Region
from pushpoint.model.friction import FrictionLaw, Varying
from pushpoint.model.kinds import kinds_of
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.terrain import HeightField

LAW, PEG = "law", "peg"
VARYING = {name: entry for name, entry in entries_of(Varying).items() if name != "law"}
"""Keys that make a law vary; they stand beside those of the law itself."""
HEIGHTS: Keys = ("ground", "heights", "heights")
"""Where a document has the heights of the ground, or the name of what holds them."""
ROWS = "rows of numbers; the name of a file can stand in a scenario file and in --set"


def read_law(reader: Reader, keys: Keys) -> FrictionLaw:
    """A friction law; one with keys of Varying beside its own varies."""
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
        # One of these keys is what says that a law varies.
        return write_law(law.law) | (section(law, without=("law",)) or {"stick_ratio": law.stick_ratio})
    return tagged(law, LAW)


def read_region(reader: Reader, keys: Keys) -> Region:
    """A patch of the ground, by its corners or by its sides."""
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
    """From where to where a rectangle goes [m]."""
    numbers = [reader.read(float, each) for each in reader.each(keys)]
    if len(numbers) == 2 and -math.inf < numbers[0] < numbers[1] < math.inf:
        return numbers[0], numbers[1]
    raise reader.refuse(keys, reader.at(keys), "two finite numbers, the smaller one first [m]")


def read_heights(reader: Reader, keys: Keys) -> HeightField:
    """Heights as rows of numbers; files that hold them have been read before."""
    rows, heights = (*keys, "heights"), reader.section(keys).get("heights")
    if isinstance(heights, str):
        raise reader.refuse(rows, heights, ROWS)
    reader.check_keys(keys, tuple(entries_of(HeightField)))
    for row in reader.each(rows) if heights is not None else ():
        for place in reader.each(row):
            reader.read(float, place)
    made: HeightField = reader.make(HeightField, keys, tags=("heights",), heights=heights)
    return made


def rows_of(document: Any) -> Any:
    """The heights of the ground in a document, or the name of what holds them; None if there are none."""
    for key in HEIGHTS:
        document = document.get(key) if isinstance(document, dict) else None
    return document


def with_rows(document: dict[str, Any], rows: Any) -> dict[str, Any]:
    """The same document with other heights of the ground, or the name of what holds them."""
    ground = document["ground"]
    return document | {"ground": ground | {"heights": ground["heights"] | {"heights": rows}}}


def read_obstacle(reader: Reader, keys: Keys) -> Obstacle:
    """An obstacle; one that does not say what it is, and has nothing that only others have, is a peg."""
    given = reader.section(keys)
    others = {name for kind in kinds_of(Obstacle).values() for name in entries_of(kind)} - set(entries_of(Peg))
    foreign = {"x", "y", "radius"}.isdisjoint(given) and not others.isdisjoint(given)
    made: Obstacle = reader.kind(Obstacle, keys, default=None if foreign else PEG)
    return made


def write_obstacle(obstacle: Obstacle) -> dict[str, Any]:
    """All fields, so that all can be changed by name; only what is no peg says what it is."""
    kind: Any = type(obstacle)
    written = tagged(obstacle, always=entries_of(kind))
    return {key: value for key, value in written.items() if (key, value) != ("kind", PEG)}


SHAPES |= {FrictionLaw: read_law, Region: read_region, HeightField: read_heights, Obstacle: read_obstacle}
WRITERS |= {
    FrictionLaw: write_law,
    Obstacle: write_obstacle,
    HeightField: partial(section, always=("origin",)),
    Ground: partial(section, always=("friction", "spin", "gravity")),  # so that they can be changed by name
}
