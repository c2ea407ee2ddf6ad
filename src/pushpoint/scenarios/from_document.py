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
from pushpoint.gaits.sampled import Sampled
from pushpoint.model.catalogue import ROBOTS
from pushpoint.model.environment import Environment, Ground, Obstacle, Region
from pushpoint.model.robot import Link, Motor, Robot, Support
from pushpoint.model.sensors import QUANTITIES, Channel, Sensors
from pushpoint.scenarios.complaints import Keys, Where, complaint, placed, refused, speaking_of, unknown
from pushpoint.scenarios.document_ground import is_rectangle
from pushpoint.scenarios.document_model import CUSTOM, ScenarioSection
from pushpoint.scenarios.document_obstacles import PEG
from pushpoint.scenarios.scenario import Scenario
from pushpoint.scenarios.to_document import GAITS, LAWS, OBSTACLES
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
            "sensors": self._sensors(("sensors",)),
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
        ground["regions"] = self._each(self._region, ("ground", "regions"))
        obstacles = self._each(self._obstacle, ("obstacles",))
        with speaking_of(("ground",), self._document, self._where):
            return Environment(ground=Ground(**ground), obstacles=obstacles)

    def _obstacle(self, keys: Keys) -> Obstacle:
        return self._make(OBSTACLES[self._at(keys).get("kind", PEG)], keys)

    def _region(self, keys: Keys) -> Region:
        friction = self._friction((*keys, "friction"))
        if not is_rectangle(self._at(keys)):
            return self._make(Region, keys, friction=friction)
        x, y = self._side((*keys, "x")), self._side((*keys, "y"))
        with speaking_of(keys, self._document, self._where):
            return Region.rectangle(x=x, y=y, friction=friction)

    def _side(self, keys: Keys) -> tuple[float, float]:
        """From where to where a rectangle goes [m]."""
        value = self._at(keys)
        if len(value) == 2 and -math.inf < value[0] < value[1] < math.inf:
            return value[0], value[1]
        raise placed(refused(keys, value, "two finite numbers, the smaller one first [m]"), keys, self._where)

    def _link(self, keys: Keys) -> Link:
        if self._at(keys).get("supports") is None:
            return self._make(Link, keys)
        return self._make(Link, keys, supports=self._each(self._support, (*keys, "supports")))

    def _support(self, keys: Keys) -> Support:
        return self._make(Support, keys)

    def _motor(self, keys: Keys) -> Motor:
        return self._make(Motor, keys)

    def _friction(self, keys: Keys) -> Any:
        return self._make(LAWS[self._at(keys)["law"]], keys)

    def _sensors(self, keys: Keys) -> Sensors:
        told = [name for name in QUANTITIES if self._at(keys).get(name) is not None]
        return self._make(Sensors, keys, **{name: self._make(Channel, (*keys, name)) for name in told})

    def _gait(self, keys: Keys, custom: Any) -> Any:
        kind = self._at(keys)["kind"]
        if kind == CUSTOM and custom is not None:
            return custom
        if kind not in GAITS:
            keys = (*keys, "kind")
            allowed = f"{' or '.join(GAITS)}: a controller written in Python cannot be read from a document"
            raise placed(refused(keys, kind, allowed), keys, self._where)
        made = {"gait": self._gait((*keys, "gait"), None)} if GAITS[kind] is Sampled else {}
        return self._make(GAITS[kind], keys, **made)

    def _one_or_many(self, read: Callable[[Keys], Any], keys: Keys) -> Any:
        return self._each(read, keys) if isinstance(self._at(keys), list) else read(keys)

    def _each(self, read: Callable[[Keys], T], keys: Keys) -> tuple[T, ...]:
        return tuple(read((*keys, k)) for k in range(len(self._at(keys))))

    def _at(self, keys: Keys) -> Any:
        """The part of the document at a place; an empty section where there is none."""
        part: Any = self._document
        for key in keys:
            part = part.get(key, {}) if isinstance(part, dict) else part[key]
        return part

    def _make(self, kind: type[T], keys: Keys, **made: Any) -> T:
        """An object from the section at a place; parts that are objects themselves come ready made.

        Null is what is not given: the class fills it in.
        """
        section = {key: value for key, value in self._at(keys).items() if key not in TAGS and value is not None}
        values = {
            key.removesuffix("_deg"): _radians(value) if key.endswith("_deg") else value
            for key, value in (section | made).items()
        }
        with speaking_of(keys, self._document, self._where):
            return kind(**values)


def _radians(value: Any) -> Any:
    return [math.radians(part) for part in value] if isinstance(value, list) else math.radians(value)
