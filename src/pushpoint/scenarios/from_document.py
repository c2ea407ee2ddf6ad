"""From documents to scenarios. Degrees become radians here.

A document is checked twice: its shape and types by `document_model`, its values by the classes that it becomes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import ValidationError

from pushpoint.dynamics.settings import Settings
from pushpoint.dynamics.start import Start
from pushpoint.model.catalogue import ROBOTS
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.robot import Link, Motor, Robot, Support
from pushpoint.scenarios.complaints import Keys, Where, complaint, placed, refused, speaking_of, unknown
from pushpoint.scenarios.document_model import CUSTOM, ScenarioSection
from pushpoint.scenarios.scenario import Scenario
from pushpoint.scenarios.to_document import GAITS, LAWS
from pushpoint.simulation.record import Record

TAGS = {"law", "kind"}

T = TypeVar("T")


def scenario_of(document: Any, *, where: Where | None = None, custom: Any = None) -> Scenario:
    """The scenario that a document describes.

    Args:
        document: Mappings, lists, numbers and text, as in a scenario file.
        where: Gives the place in a file that is put in front of every complaint.
        custom: The controller that a gait of the kind "custom" stands for; default: such a gait is refused.
    """
    try:
        ScenarioSection.model_validate(document)
    except ValidationError as error:
        keys, sentence = complaint(error.errors()[0], document)
        raise placed(sentence, keys, where) from None
    return _Builder(document, where).scenario(custom)


def robot_of(value: str | dict[str, Any]) -> Robot:
    """The robot that the `robot` section of a valid document describes."""
    return _Builder({"robot": value}, None).robot()


class _Builder:
    """Turns a document of valid shape into model objects; remembers where it is, for complaints."""

    def __init__(self, document: dict[str, Any], where: Where | None) -> None:
        self._document = document
        self._where = where

    def scenario(self, custom: Any) -> Scenario:
        """The whole document."""
        document = self._document
        parts = {
            "robot": self.robot(),
            "environment": self._environment(),
            "controller": self._gait(("gait",), custom),
            "start": self._make(Start, ("start",)),
            "settings": self._make(Settings, ("settings",)),
            "record": self._make(Record, ("record",)),
        }
        plain = {key: document[key] for key in ("name", "title", "source", "duration") if key in document}
        with speaking_of((), document, self._where):
            return Scenario(**plain, **parts)

    def robot(self) -> Robot:
        """The robot section."""
        value = self._document["robot"]
        if isinstance(value, str):
            if value not in ROBOTS:
                raise placed(unknown(("robot",), "robot", value, sorted(ROBOTS)), ("robot",), self._where)
            return ROBOTS[value]()
        about = {key: value[key] for key in ("name", "source") if key in value}
        if "links" in value:
            links = tuple(self._link(("robot", "links", k)) for k in range(len(value["links"])))
            motors = self._one_or_many(self._motor, ("robot", "motors")) if "motors" in value else Motor()
            with speaking_of(("robot",), self._document, self._where):
                return Robot(links=links, motors=motors, **about)
        link, motor = self._link(("robot", "link")), self._motor(("robot", "motor"))
        with speaking_of(("robot",), self._document, self._where):
            return Robot.uniform(value["n_links"], link, motor, **about)

    def _environment(self) -> Environment:
        ground = dict(self._at(("ground",)))
        if "friction" in ground:
            ground["friction"] = self._one_or_many(self._friction, ("ground", "friction"))
        pegs = [self._make(Peg, ("obstacles", k)) for k in range(len(self._at(("obstacles",))))]
        with speaking_of(("ground",), self._document, self._where):
            return Environment(ground=Ground(**ground), obstacles=pegs)

    def _link(self, keys: Keys) -> Link:
        points = self._at(keys).get("supports")
        if points is None:
            return self._make(Link, keys)
        return self._make(
            Link, keys, supports=[self._make(Support, (*keys, "supports", k)) for k in range(len(points))]
        )

    def _motor(self, keys: Keys) -> Motor:
        unlimited = self._at(keys).get("torque_limit") is None
        return self._make(Motor, keys, **({"torque_limit": math.inf} if unlimited else {}))

    def _friction(self, keys: Keys) -> Any:
        return self._make(LAWS[self._at(keys)["law"]], keys)

    def _gait(self, keys: Keys, custom: Any) -> Any:
        kind = self._at(keys)["kind"]
        if kind == CUSTOM and custom is not None:
            return custom
        if kind not in GAITS:
            keys = (*keys, "kind")
            allowed = f"{' or '.join(GAITS)}: a controller written in Python cannot be read from a document"
            raise placed(refused(keys, kind, allowed), keys, self._where)
        return self._make(GAITS[kind], keys)

    def _one_or_many(self, read: Callable[[Keys], Any], keys: Keys) -> Any:
        value = self._at(keys)
        return tuple(read((*keys, k)) for k in range(len(value))) if isinstance(value, list) else read(keys)

    def _at(self, keys: Keys) -> Any:
        """The part of the document at a place; an empty section where there is none."""
        part: Any = self._document
        for key in keys:
            part = part.get(key, {}) if isinstance(part, dict) else part[key]
        return part

    def _make(self, kind: type[T], keys: Keys, **made: Any) -> T:
        """An object from the section at a place; parts that are objects themselves come ready made."""
        section = {key: value for key, value in self._at(keys).items() if key not in TAGS} | made
        values = {
            key.removesuffix("_deg"): _radians(value) if key.endswith("_deg") else value
            for key, value in section.items()
        }
        with speaking_of(keys, self._document, self._where):
            return kind(**values)


def _radians(value: Any) -> Any:
    if isinstance(value, list):
        return [math.radians(part) for part in value]
    return None if value is None else math.radians(value)
