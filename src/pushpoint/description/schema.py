"""The JSON schema of a scenario file, for editors; derived from the same classes that files are read into."""

from __future__ import annotations

import dataclasses
import math
import re
import typing
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pushpoint.description.entries import REQUIRED, Entry, carried_by, entries_of, summary_of
from pushpoint.description.experiments import KEYS, REQUIRED as REQUIRED_KEYS
from pushpoint.description.kinds import known_kinds
from pushpoint.description.shapes import CHAIN, DRAWN, FORMS, LAW, PEG, READY_MADE, VARYING, keys_of
from pushpoint.errors import Bounds
from pushpoint.model.catalogue import ROBOTS
from pushpoint.model.checks import Many, Whole, parts_of
from pushpoint.model.environment import Region
from pushpoint.model.friction import FrictionLaw
from pushpoint.model.kinds import family_of, name_of
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.quantities import Point
from pushpoint.model.spatial_robot import AnyRobot
from pushpoint.model.terrain import HeightField
from pushpoint.planning.curves.segments import GaitSegment

NUMBERS = {"type": "array", "items": {"type": "number"}}


def document_schema() -> dict[str, Any]:
    """The JSON schema of a scenario document."""
    made = _Schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "pushpoint scenario",
        "description": "A pushpoint scenario: a robot, a course, a controller and a start.",
        **_object({key: made.of(hint) | {"description": doc} for key, (hint, doc) in KEYS.items()}, REQUIRED_KEYS),
        "$defs": made.parts,
    }


def _object(properties: dict[str, Any], required: Sequence[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def _words(name: str) -> str:
    return re.sub(r"\B(?=[A-Z])", " ", name).lower()


class _Schema:
    """Schemas of types. Those of classes are collected as named parts."""

    def __init__(self) -> None:
        self.parts: dict[str, Any] = {}

    def of(self, hint: Any, quantity: str = "") -> dict[str, Any]:
        """The schema of a type."""
        kind, notes, optional = parts_of(hint)
        made = self._of(kind, notes, carried_by(hint, quantity))
        return {"anyOf": [made, {"type": "null"}]} if optional else made

    def _of(self, kind: Any, notes: dict[type, Any], quantity: str) -> dict[str, Any]:
        if kind in _SHAPES:
            return _SHAPES[kind](self)
        if kind in _PLAIN:
            return _PLAIN[kind] | _limits(notes)
        if kind is np.ndarray:
            return {"type": "array"}
        origin, inner = typing.get_origin(kind), typing.get_args(kind)
        if origin is typing.Literal:
            return {"enum": list(inner)}
        if isinstance(origin, type) and family_of(origin) is not None:
            return self.family(origin)
        if origin in (tuple, Sequence):
            return {"type": "array", "items": self.of(inner[0])} | _limits(notes)
        if inner:
            return {"anyOf": [self.of(each) for each in inner if typing.get_origin(each) is not Callable]}
        if family_of(kind) is not None and name_of(kind) is None:
            return self.family(kind)
        return self.part(kind, quantity) if dataclasses.is_dataclass(kind) else {}

    def family(self, base: Any, tag: str = "kind", default: str | None = None) -> dict[str, Any]:
        """One of the kinds of a family."""
        more = VARYING if base is FrictionLaw else {}
        refs = {
            name: self.part(kind, tag=(tag, name), optional=name == default, more=more)
            for name, kind in known_kinds(base).items()
        }
        mapping = {name: ref["$ref"] for name, ref in refs.items()}
        return {"oneOf": list(refs.values()), "discriminator": {"propertyName": tag, "mapping": mapping}}

    def part(
        self,
        kind: Any,
        quantity: str = "",
        *,
        tag: tuple[str, str] | None = None,
        optional: bool = False,
        more: dict[str, Entry] | None = None,
    ) -> dict[str, Any]:
        """A reference to the schema of a class's section."""
        angular = quantity.startswith("rad")
        name = ("Angular" if angular else "") + kind.__name__ + ("" if tag is None else "Section")
        title = tag[1].replace("-", " ") if tag else _words(name)
        if name not in self.parts:
            self.parts[name] = {}  # classes may contain each other
            entries = entries_of(kind, quantity if angular else "") | (more or {})
            properties = {} if tag is None else {tag[0]: {"const": tag[1], "description": "The kind."}}
            properties |= {entry.key: self.entry(entry) for entry in entries.values()}
            required = [entry.key for entry in entries.values() if entry.default is REQUIRED]
            required = [tag[0], *required] if tag is not None and not optional else required
            about = {"title": title, "description": summary_of(kind)}
            self.parts[name] = about | _object(properties, required)
        return {"$ref": f"#/$defs/{name}"}

    def entry(self, entry: Entry) -> dict[str, Any]:
        """The schema of one key."""
        made = self.of(entry.hint) | {"description": entry.doc}
        default = entry.default
        if isinstance(default, float) and entry.angular:
            default = float(f"{math.degrees(default):.9g}")  # as you would write it
        if isinstance(default, bool | int | str | float):
            made["default"] = None if default in (math.inf, -math.inf) else default
        return made


def _limits(notes: dict[type, Any]) -> dict[str, Any]:
    limits: dict[str, Any] = {}
    if Many in notes:
        many = notes[Many]
        limits = {"minItems": many.count or many.least or None, "maxItems": many.count}
    elif Bounds in notes:
        bounds = notes[Bounds].in_degrees() if notes[Bounds].unit.startswith("rad") else notes[Bounds].narrowed
        low, high = (bound if math.isfinite(bound) else None for bound in (bounds.low, bounds.high))
        limits = {"exclusiveMinimum" if bounds.above else "minimum": low, "maximum": high}
    elif Whole in notes:
        limits = {"minimum": notes[Whole].low, "maximum": notes[Whole].high}
    return {key: limit for key, limit in limits.items() if limit is not None}


_PLAIN: dict[Any, dict[str, Any]] = {
    float: {"type": "number"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    str: {"type": "string"},
}


def _robot(schema: _Schema) -> dict[str, Any]:
    made: list[dict[str, Any]] = [{"enum": sorted(ROBOTS)}]
    for kind, (link, moved, listed) in FORMS.items():
        title, entries = _words(kind.__name__), entries_of(kind)
        count = {"type": "integer", "description": "Number of links."}
        motion = schema.of(entries[listed].hint) | {"description": "One for all, or a list of them."}
        equal = {"n_links": count, "link": schema.of(link) | {"description": "Every link."}, moved: motion}
        equal |= {name: schema.entry(entry) for name, entry in entries.items() if name not in CHAIN}
        made.append({"title": f"{title} of equal links"} | _object(equal, ["n_links", "link"]))
        made.append({"title": title} | schema.part(kind))
    return {"anyOf": made}


def _region(schema: _Schema) -> dict[str, Any]:
    corners = schema.part(Region)
    side = schema.of(Point)
    sides = {axis: side | {"description": f"From and to, along {axis} [m]."} for axis in ("x", "y")}
    friction = {"friction": schema.entry(entries_of(Region)["friction"])}
    schema.parts["Rectangle"] = {"title": "rectangle"} | _object(sides | friction, ["x", "y", "friction"])
    return {"oneOf": [corners, {"$ref": "#/$defs/Rectangle"}]}


def _heights(schema: _Schema) -> dict[str, Any]:
    schema.part(HeightField)
    made: dict[str, Any] = schema.parts.pop(HeightField.__name__)
    doc = "Heights [m], one row per x, each along y; or a .npy or .csv file beside the scenario file."
    rows = {"anyOf": [{"type": "array", "items": NUMBERS}, {"type": "string"}], "description": doc}
    made["properties"]["heights"] = rows
    return made


def _segment(schema: _Schema) -> dict[str, Any]:
    points = {"type": "array", "minItems": 2, "items": NUMBERS | {"minItems": 3, "maxItems": 3}}
    drawn = {"kind": {"const": DRAWN}, "points": points, "name": {"type": "string"}}
    made = [{"title": DRAWN} | _object(drawn, ["points"])]
    for name, maker in READY_MADE.items():
        keys = keys_of(maker)
        properties = {"kind": {"const": name}} | {key: schema.of(each.annotation) for key, each in keys.items()}
        needed = [key for key, each in keys.items() if each.default is each.empty and key != "half_height"]
        made.append({"title": name, "description": summary_of(maker)} | _object(properties, ["kind", *needed]))
    return {"oneOf": made}


_SHAPES: dict[Any, Callable[[_Schema], dict[str, Any]]] = {
    AnyRobot: _robot,
    Region: _region,
    HeightField: _heights,
    GaitSegment: _segment,
    FrictionLaw: lambda schema: schema.family(FrictionLaw, LAW),
    Obstacle: lambda schema: schema.family(Obstacle, default=PEG),
}
