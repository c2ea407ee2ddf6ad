"""The JSON schema of a scenario file, for editors: derived from the classes, as the reading is."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pushpoint.description import shapes as shapes
from pushpoint.description.entries import REQUIRED, Entry, entries_of, summary_of
from pushpoint.description.experiments import REQUIRED as REQUIRED_KEYS
from pushpoint.description.shapes.environments import LAW, PEG, VARYING
from pushpoint.description.shapes.motions import DRAWN, READY_MADE, keys_of
from pushpoint.engine.controller import Controller
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import Bounds
from pushpoint.model.catalogue import ROBOTS
from pushpoint.model.checks import Many, Of, Whole, parts_of
from pushpoint.model.environment import Ground, Region
from pushpoint.model.friction import FrictionLaw, Varying
from pushpoint.model.joints import Joint
from pushpoint.model.kinds import family_of, kinds_of
from pushpoint.model.motor import Motor
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.planar_robot import PlanarLink
from pushpoint.model.sensors import Sensors
from pushpoint.model.spatial_robot import AnyRobot, SpatialLink
from pushpoint.model.terrain import HeightField
from pushpoint.planning.curves.segments import GaitSegment
from pushpoint.worlds.goals import Goal
from pushpoint.worlds.record import Record

NUMBERS = {"type": "array", "items": {"type": "number"}}


def document_schema() -> dict[str, Any]:
    """The JSON schema of a scenario document."""
    made = _Schema()
    text = {"type": "string"}
    sections: dict[str, tuple[dict[str, Any], str]] = {
        "format": ({"const": 1}, "Format of the file; default: the present one."),
        "name": (text, "Short name: letters, digits and . _ - /; default: the file's."),
        "title": (text, "One line that says what happens."),
        "source": (text, "Where the experiment comes from."),
        "robot": (made.of(AnyRobot), "The robot: a name from the catalogue, or one's own."),
        "ground": (made.of(Ground), "What carries the robot."),
        "obstacles": ({"type": "array", "items": made.of(Obstacle)}, "What it pushes against."),
        "controller": (made.of(Controller), "What the joints are told to do: a gait or a controller."),
        "start": ({"anyOf": [made.of(Start), made.of(SpatialStart)]}, "Where and how the robot starts."),
        "sensors": (made.of(Sensors), "What the controller is told."),
        "duration": ({"type": "number"}, "Simulated time [s]."),
        "until": (made.of(Goal), "What ends the run early."),
        "settings": (made.of(Settings), "Numerical choices."),
        "record": (made.of(Record), "What is kept of the run."),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "pushpoint scenario",
        "description": "A pushpoint scenario: a robot, a course, a controller and a start.",
        **_object({key: part | {"description": doc} for key, (part, doc) in sections.items()}, REQUIRED_KEYS),
        "$defs": made.parts,
    }


def _object(properties: dict[str, Any], required: Sequence[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


class _Schema:
    """Schemas of types; those of classes are collected as parts with names."""

    def __init__(self) -> None:
        self.parts: dict[str, Any] = {}

    def of(self, hint: Any, quantity: str = "") -> dict[str, Any]:
        """The schema of a type."""
        kind, notes, optional = parts_of(hint)
        quantity = next((note.unit for note in notes if isinstance(note, Of)), quantity)
        made = self._of(kind, notes, quantity)
        return {"anyOf": [made, {"type": "null"}]} if optional else made

    def _of(self, kind: Any, notes: tuple[Any, ...], quantity: str) -> dict[str, Any]:
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
            many = next((note for note in notes if isinstance(note, Many)), None)
            size = {} if many is None or not many.least else {"minItems": many.least}
            size |= {} if many is None or many.count is None else {"minItems": many.count, "maxItems": many.count}
            return {"type": "array", "items": self.of(inner[0]), **size}
        if inner:
            return {"anyOf": [self.of(each) for each in inner if typing.get_origin(each) is not Callable]}
        if family_of(kind) is kind:
            return self.family(kind)
        return self.part(kind, quantity) if dataclasses.is_dataclass(kind) else {}

    def family(self, base: Any, tag: str = "kind", default: str | None = None) -> dict[str, Any]:
        """One of the kinds of a family."""
        refs = {}
        for name, kind in kinds_of(base).items():
            more = {VARYING[k]: entry for k, entry in enumerate(_varying())} if base is FrictionLaw else {}
            refs[name] = self.part(kind, tag=(tag, name), optional=name == default, more=more)
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
        title = tag[1] if tag else name
        if name not in self.parts:
            self.parts[name] = {}  # classes may hold each other
            entries = entries_of(kind, quantity if angular else "") | (more or {})
            properties = {} if tag is None else {tag[0]: {"const": tag[1], "description": "What it is."}}
            properties |= {entry.key: self.entry(entry) for entry in entries.values()}
            required = [entry.key for entry in entries.values() if entry.default is REQUIRED]
            required = [tag[0], *required] if tag is not None and not optional else required
            about = {"title": title.replace("-", " "), "description": summary_of(kind)}
            self.parts[name] = about | _object(properties, required)
        return {"$ref": f"#/$defs/{name}"}

    def entry(self, entry: Entry) -> dict[str, Any]:
        """The schema of one key."""
        made = self.of(entry.hint) | {"description": entry.doc}
        if isinstance(entry.default, bool | int | str) or (isinstance(entry.default, float) and not entry.angular):
            made["default"] = entry.default if abs(_number(entry.default)) != float("inf") else None
        return made


def _number(value: Any) -> float:
    return float(value) if isinstance(value, float | int) else 0.0


def _varying() -> list[Entry]:
    return [entries_of(Varying)[name] for name in VARYING]


def _limits(notes: tuple[Any, ...]) -> dict[str, Any]:
    limits: dict[str, Any] = {}
    for note in notes:
        if isinstance(note, Bounds) and not note.unit.startswith("rad"):
            limits |= {} if note.low == float("-inf") else {"exclusiveMinimum" if note.above else "minimum": note.low}
            limits |= {} if note.high == float("inf") else {"maximum": note.high}
        elif isinstance(note, Whole):
            limits |= {"minimum": note.low} | ({} if note.high is None else {"maximum": note.high})
    return limits


_PLAIN: dict[Any, dict[str, Any]] = {
    float: {"type": "number"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    str: {"type": "string"},
}


def _robot(schema: _Schema) -> dict[str, Any]:
    about = {
        "name": {"type": "string", "description": "What results call it."},
        "source": {"type": "string", "description": "Where the figures come from."},
    }
    touching = {
        "self_contact": {"type": "boolean", "description": "Whether links two or more apart touch each other."},
        "self_friction": {"type": "number", "description": "Coulomb coefficient between links that touch [-]."},
    }
    motor, joint = schema.of(Motor), schema.of(Joint)
    several = {"anyOf": [motor, {"type": "array", "items": motor}], "description": "One for all, or one per joint."}
    joints = {"anyOf": [joint, {"type": "array", "items": joint}], "description": "One for all, or a list of them."}
    forms = {
        "planar robot": ({"motor": motor}, {"motors": several}, PlanarLink, {}),
        "spatial robot": ({"joints": joints}, {"joints": joints}, SpatialLink, touching),
    }
    made: list[dict[str, Any]] = [{"enum": sorted(ROBOTS)}]
    for title, (uniform, listed, link, more) in forms.items():
        one, count = schema.of(link), {"type": "integer", "description": "Number of links."}
        equal = {"n_links": count, "link": one | {"description": "Every link."}, **uniform, **more, **about}
        links = {"type": "array", "items": one, "description": "The links, from tail to head."}
        made.append({"title": f"{title} of equal links"} | _object(equal, ["n_links", "link"]))
        made.append({"title": title} | _object({"links": links, **listed, **more, **about}, ["links"]))
    return {"anyOf": made}


def _region(schema: _Schema) -> dict[str, Any]:
    corners = {"type": "array", "minItems": 3, "items": NUMBERS | {"minItems": 2, "maxItems": 2}}
    friction = schema.of(FrictionLaw) | {"description": "Law of every support point inside."}
    side = NUMBERS | {"minItems": 2, "maxItems": 2}
    docs = entries_of(Region)
    outline = corners | {"description": docs["vertices"].doc}
    sides = {axis: side | {"description": f"From and to, along {axis} [m]."} for axis in ("x", "y")}
    schema.parts["Region"] = {"title": "region"} | _object(
        {"vertices": outline, "friction": friction}, ["vertices", "friction"]
    )
    schema.parts["Rectangle"] = {"title": "rectangle"} | _object(sides | {"friction": friction}, ["x", "y", "friction"])
    return {"oneOf": [{"$ref": "#/$defs/Region"}, {"$ref": "#/$defs/Rectangle"}]}


def _heights(schema: _Schema) -> dict[str, Any]:
    rows = {"anyOf": [{"type": "array", "items": NUMBERS}, {"type": "string"}]}
    rows["description"] = "Heights [m], one row per x, each along y; or a .npy or .csv file beside the scenario file."  # type: ignore[assignment]
    entries = entries_of(HeightField)
    rest = {name: schema.entry(entries[name]) for name in ("spacing", "origin")}
    return {"title": "height field"} | _object({"heights": rows, **rest}, ["heights", "spacing"])


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
