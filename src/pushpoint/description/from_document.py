"""From documents to scenarios.

A document is checked twice: its shape and types by `document_model`, its values by the classes that it becomes.
"""

from __future__ import annotations

import math
from typing import Any

from pydantic import ValidationError

from pushpoint.control.hybrid import HybridController
from pushpoint.control.leader_follower import LeaderFollower
from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.description.complaints import Keys, Where, complaint, placed
from pushpoint.description.document_friction import VARYING
from pushpoint.description.document_ground import is_rectangle
from pushpoint.description.document_model import CUSTOM, shape_of
from pushpoint.description.document_obstacles import PEG
from pushpoint.description.document_reading import Reading
from pushpoint.description.document_robot import RobotDocument
from pushpoint.description.document_robot_reading import robot_at
from pushpoint.description.document_section import Section
from pushpoint.description.document_shape_reading import first_start, fitting_step, follower_at
from pushpoint.description.to_document import GAITS, LAWS, OBSTACLES, WAVES
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.gaits.sampled import Sampled
from pushpoint.model.environment import Environment, Ground, Region
from pushpoint.model.friction import Friction, Varying
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.sensors import QUANTITIES, Channel, Sensors
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.model.terrain import HeightField
from pushpoint.scenarios.scenario import Scenario
from pushpoint.worlds.record import Record

ROWS = "rows of numbers; the name of a file can stand in a scenario file and in --set"


def scenario_of(document: Any, *, where: Where | None = None, custom: Any = None) -> Scenario:
    """The scenario that a document describes.

    Args:
        document: Mappings, lists, numbers and text, as in a scenario file.
        where: Gives the place in a file that is put in front of every complaint.
        custom: The controller that a gait of the kind "custom" stands for; default: such a gait is refused.
    """
    _check_shape(shape_of(document), document, where)
    return _Builder(Reading(document, where)).scenario(custom)


def robot_of(value: Any) -> PlanarRobot | SpatialRobot:
    """The robot that the `robot` section of a document describes."""
    _check_shape(RobotDocument, {"robot": value}, None)
    return robot_at(Reading({"robot": value}, None))


def _check_shape(shape: type[Section], document: Any, where: Where | None) -> None:
    try:
        shape.model_validate(document)
    except ValidationError as error:
        keys, sentence = complaint(error.errors()[0], document)
        raise placed(sentence, keys, where) from None


class _Builder:
    """Turns a document of valid shape into a scenario."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._make, self._at, self._each = reading.make, reading.at, reading.each

    def scenario(self, custom: Any) -> Scenario:
        """The whole document."""
        document = self._reading.document
        robot = robot_at(self._reading)
        gait = self._gait(("gait",), custom, robot)
        if gait is not custom:
            self._try_gait(("gait",), gait, robot)
        record = self._make(Record, ("record",))
        parts: dict[str, Any] = {
            "robot": robot,
            "environment": self._environment(),
            "controller": gait,
            "start": self._start(("start",), gait, robot),
            "sensors": self._sensors(("sensors",)),
            "settings": self._settings(("settings",), gait, record),
            "record": record,
        }
        plain = {key: document[key] for key in ("name", "title", "source", "duration") if key in document}
        with self._reading.speaking_of(()):
            return Scenario(**plain, **parts)

    def _start(self, keys: Keys, gait: Any, robot: PlanarRobot | SpatialRobot) -> Start | SpatialStart:
        if not isinstance(robot, SpatialRobot):
            return self._make(Start, keys)
        return first_start(self._make(SpatialStart, keys), self._at(keys), gait, robot)

    def _settings(self, keys: Keys, gait: Any, record: Record) -> Settings:
        step = fitting_step(gait, record) if self._at(keys).get("dt") is None else {}
        return self._make(Settings, keys, **step)

    def _environment(self) -> Environment:
        keys: Keys = ("ground",)
        made: dict[str, Any] = {"regions": self._each(self._region, (*keys, "regions"))}
        if "friction" in self._at(keys):
            made["friction"] = self._reading.one_or_many(self._friction, (*keys, "friction"))
        if self._at(keys).get("heights") is not None:
            made["heights"] = self._heights((*keys, "heights"))
        ground = self._make(Ground, keys, **made)
        return Environment(ground=ground, obstacles=self._each(self._obstacle, ("obstacles",)))

    def _heights(self, keys: Keys) -> HeightField:
        rows = (*keys, "heights")
        if isinstance(self._at(rows), str):
            raise self._reading.refuse(rows, self._at(rows), ROWS)
        return self._make(HeightField, keys)

    def _obstacle(self, keys: Keys) -> Obstacle:
        return self._make(OBSTACLES[self._at(keys).get("kind", PEG)], keys)

    def _region(self, keys: Keys) -> Region:
        friction = self._friction((*keys, "friction"))
        if not is_rectangle(self._at(keys)):
            return self._make(Region, keys, friction=friction)
        x, y = self._side((*keys, "x")), self._side((*keys, "y"))
        with self._reading.speaking_of(keys):
            return Region.rectangle(x=x, y=y, friction=friction)

    def _side(self, keys: Keys) -> tuple[float, float]:
        """From where to where a rectangle goes [m]."""
        value = self._at(keys)
        if len(value) == 2 and -math.inf < value[0] < value[1] < math.inf:
            return value[0], value[1]
        raise self._reading.refuse(keys, value, "two finite numbers, the smaller one first [m]")

    def _friction(self, keys: Keys) -> Friction:
        section = self._at(keys)
        varying = {key: section[key] for key in VARYING if section.get(key) is not None}
        constant = dict.fromkeys(VARYING)
        law: Any = self._make(LAWS[section["law"]], keys, **constant)
        if not varying:
            return law
        with self._reading.speaking_of(keys):
            return Varying(law=law, **varying)

    def _sensors(self, keys: Keys) -> Sensors:
        told = [name for name in QUANTITIES if self._at(keys).get(name) is not None]
        return self._make(Sensors, keys, **{name: self._make(Channel, (*keys, name)) for name in told})

    def _gait(self, keys: Keys, custom: Any, robot: PlanarRobot | SpatialRobot) -> Any:
        kind = self._at(keys)["kind"]
        if kind == CUSTOM and custom is not None:
            return custom
        if kind not in GAITS:
            allowed = f"{' or '.join(GAITS)}: a controller written in Python cannot be read from a document"
            raise self._reading.refuse((*keys, "kind"), kind, allowed)
        if GAITS[kind] is ShapeCurveFollower:
            return follower_at(self._reading, keys, robot)
        made: dict[str, Any] = {}
        if GAITS[kind] is Sampled:
            made["gait"] = self._gait((*keys, "gait"), None, robot)
        if GAITS[kind] is HybridController and self._at(keys).get("follower") is not None:
            made["follower"] = self._make(LeaderFollower, (*keys, "follower"))
        return self._make(GAITS[kind], keys, **made)

    def _try_gait(self, keys: Keys, gait: Any, robot: PlanarRobot | SpatialRobot) -> None:
        """Refuses a wave that this robot cannot swing to."""
        if isinstance(gait, Sampled):
            self._try_gait((*keys, "gait"), gait.gait, robot)
        elif type(gait) in WAVES.values():
            with self._reading.speaking_of(keys):
                gait.wave(robot)
