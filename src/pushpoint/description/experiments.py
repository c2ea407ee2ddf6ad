"""The whole of a document: worlds, and what running them needs besides; both ways."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

# Imported for the kinds that they register.
from pushpoint import control as control, gaits as gaits
from pushpoint.description import shapes as shapes
from pushpoint.description.complaints import Keys, Where, missing, placed
from pushpoint.description.entries import DEGREES, RADIANS, entries_of
from pushpoint.description.reading import CUSTOM, Reader
from pushpoint.description.shapes.environments import write_obstacle
from pushpoint.description.writing import Unread, named, plain, section
from pushpoint.engine.controller import Controller, Gait
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command, Measurement
from pushpoint.engine.spatial.kinematics import about, product
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import InvalidModel
from pushpoint.gaits import Sampled
from pushpoint.model.checks import positive
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.joints import UP
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.sensors import Sensors
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot
from pushpoint.worlds.goals import Goal, Until
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import Experiment, World, check_world

FORMAT = 1
"""What the present files and results say they are."""
OF_A_WORLD = ("robot", "ground", "obstacles", "controller", "start", "sensors")
KEYS = ("format", "name", "title", "source", *OF_A_WORLD, "duration", "until", "settings", "record", "varies", "worlds")
REQUIRED = ("robot", "controller", "duration")
WORDS = ("name", "title", "source")
POSTURE = ("joint_angles", "link_angles", "orientation")
"""What of a start says how the body lies."""


def read_experiment(document: Any, where: Where | None = None, custom: Any = None) -> Experiment:
    """The experiment that a document describes.

    Args:
        document: Mappings, lists, numbers and text, as in a scenario file.
        where: Gives the place in a file that is put in front of every complaint.
        custom: The controller that the kind "custom" stands for; default: such a controller is refused.
    """
    reader = Reader(document, where)
    reader.check_keys((), KEYS)
    check_format(document, reader)
    for key in REQUIRED:
        if key not in document:
            raise placed(missing((key,)), (key,), where)
    worlds = [_world(reader, custom)]
    record = _section(reader, Record, "record")
    words = {key: reader.read(str, (key,)) for key in WORDS if key in document}
    duration = reader.read(float, ("duration",))
    with reader.speaking_of(()):
        duration = positive("duration", duration, "s")
    return Experiment(
        worlds=tuple(worlds),
        duration=duration,
        until=_until(reader),
        settings=_settings(reader, worlds[0].controller, record),
        record=record,
        **words,
    )


def check_format(document: Mapping[str, Any], reader: Reader) -> None:
    """Refuses what another version wrote in another format."""
    found = document.get("format", FORMAT)
    if found != FORMAT:
        allowed = f"{FORMAT}: another version of pushpoint wrote this, and only that one reads it"
        raise reader.refuse(("format",), found, allowed)


@dataclass(frozen=True)
class UnreadController(Unread, Controller[None]):
    """A controller that a run only names."""

    name: str
    """What it is called in Python."""

    def first_reference(self, robot: AnyRobot) -> np.ndarray | None:
        """Refused: where the robot starts may hang on it."""
        raise self.refusal()

    def command(self, measurement: Measurement, memory: None) -> tuple[Command, None]:
        """Refused."""
        raise self.refusal()


@dataclass(frozen=True)
class UnreadGoal(Unread):
    """A goal that a run only names."""

    name: str
    """What it is called in Python."""

    def __call__(self, measurement: Measurement) -> np.ndarray:
        """Refused."""
        raise self.refusal()


def unread_controller(section: Mapping[str, Any]) -> UnreadController | None:
    """What stands for the controller of a section that only names it."""
    return UnreadController(str(section.get("name", ""))) if section.get("kind") == CUSTOM else None


def _until(reader: Reader) -> Until | None:
    given = reader.at(("until",))
    if isinstance(given, dict) and given.get("kind") == CUSTOM:
        return UnreadGoal(str(given.get("name", "")))
    goal: Goal | None = reader.read(Goal | None, ("until",))
    return goal


def _section(reader: Reader, kind: Any, key: str) -> Any:
    return kind() if reader.at((key,)) is None else reader.make(kind, (key,))


def _world(reader: Reader, custom: Any) -> World:
    robot = reader.read(AnyRobot, ("robot",))
    reader.known["robot"] = robot
    controller = _controller(reader, ("controller",), custom)
    ground = Ground() if reader.at(("ground",)) is None else reader.make(Ground, ("ground",))
    obstacles = () if reader.at(("obstacles",)) is None else reader.read(tuple[Obstacle, ...], ("obstacles",))
    sensors = _section(reader, Sensors, "sensors")
    with reader.speaking_of(()):
        world = World(robot, Environment(ground=ground, obstacles=obstacles), controller, None, sensors)
        world = replace(world, start=_start(reader, world))
        check_world(world)
        return world


def _controller(reader: Reader, keys: Keys, custom: Any) -> Any:
    if custom is not None and reader.section(keys).get("kind") == CUSTOM:
        return custom
    if reader.section(keys).get("kind") == CUSTOM:
        allowed = "a kind with a name: a controller written in Python cannot be read from a document"
        raise reader.refuse((*keys, "kind"), CUSTOM, allowed)
    made: Controller[Any] = reader.read(Controller, keys)
    _try(reader, keys, made)
    return made


def _try(reader: Reader, keys: Keys, controller: Controller[Any]) -> None:
    """Refuses a controller that this robot cannot follow."""
    robot: Any = reader.known["robot"]
    try:
        if "environment" not in controller.needs:
            controller.bind(robot).memory()
        controller.first_reference(robot)
    except InvalidModel as error:
        if "robot" in (error.place[0], error.remark):
            world = "spatial" if isinstance(robot, SpatialRobot) else "planar"
            allowed = f"a gait for a {world} robot, or another controller: it needs {error.allowed}"
            raise reader.refuse((*keys, "kind"), reader.at(keys)["kind"], allowed) from None
        owned = error.place[0] not in entries_of(type(controller))
        with reader.speaking_of(_within(reader, keys, controller), owned=owned):
            raise


def _within(reader: Reader, keys: Keys, controller: Controller[Any]) -> Keys:
    """The section of a gait that another one sends."""
    return _within(reader, (*keys, "gait"), controller.gait) if isinstance(controller, Sampled) else keys


def _start(reader: Reader, world: World) -> Start | SpatialStart | None:
    """The start that a section gives; what it leaves open is the controller's, if that knows where the body lies.

    A posture or an orientation of its own makes a start independent of the controller; posture null: its first joint
    angles, lying level. A heading turns the first pose.
    """
    kind = SpatialStart if world.spatial else Start
    given = reader.at(("start",)) or {}
    if not given:
        return None
    made = reader.make(kind, ("start",))
    usual: Any = world.start
    own = any(key in given for name in POSTURE for key in (name, name + DEGREES, name + RADIANS))
    if own or usual.joint_angles is None or not isinstance(made, SpatialStart):
        return made
    place = made.position if made.link is not None or given.get("position") is not None else usual.position
    orientation = usual.orientation
    if made.heading:
        orientation = tuple(product(about(UP, np.array(made.heading)), np.array(usual.orientation)).tolist())
    return replace(made, joint_angles=usual.joint_angles, orientation=orientation, position=place, heading=0.0)


def _settings(reader: Reader, controller: Any, record: Record) -> Settings:
    """Numerical choices; a file that gives no time step gets one of which whole numbers make the periods of all.

    It is the longest that is not above the usual one and of which the controller's period, and if possible the
    record's, are whole numbers.
    """
    made: Settings = _section(reader, Settings, "settings")
    if (reader.at(("settings",)) or {}).get("dt") is not None or isinstance(controller, Gait):
        return made
    fewest = math.ceil(1.0 / (controller.rate * made.dt) - 1e-9)
    steps = [1.0 / (controller.rate * count) for count in range(fewest, 2 * fewest)]
    whole = (dt for dt in steps if abs(record.rate * dt * round(1.0 / (record.rate * dt)) - 1.0) < 1e-9)
    dt = next(whole, steps[0])
    return made if math.isclose(dt, made.dt, rel_tol=1e-12) else replace(made, dt=dt)


def write_experiment(experiment: Experiment) -> dict[str, Any]:
    """The document of an experiment of one world; what has its default value is left out of the sections."""
    words = {key: getattr(experiment, key) for key in WORDS}
    world = {key: write(part(experiment.worlds[0])) for key, (part, write) in SECTIONS.items()}
    document = {"format": FORMAT, **words, **world, "duration": experiment.duration}
    if experiment.until is not None:
        document["until"] = named(experiment.until)
    return document | {"settings": section(experiment.settings), "record": section(experiment.record)}


def _write_start(world: World) -> dict[str, Any]:
    """The start of a world; nothing if it is the usual one of its robot and of a controller that comes back."""
    start: Any = world.start
    comes_back = named(world.controller)["kind"] != CUSTOM
    controller = world.controller if comes_back else None
    usual: Any = World(world.robot, world.environment, controller, None, world.sensors).start
    if start == usual:
        return {}
    if usual.joint_angles is None or not isinstance(start, SpatialStart):
        return section(start)
    if (start.joint_angles, start.orientation) != (usual.joint_angles, usual.orientation):
        # A start that leaves its posture open lies level; in a file it would be read as the controller's first pose.
        level = {"joint_angles" + DEGREES: None} if start.joint_angles is None and start.orientation is None else {}
        return section(start) | level
    there = start.link is None and start.position == usual.position
    place = {} if there or start.link is not None else {"position": list(start.position)}
    return (
        section(start, without=("joint_angles", "orientation", *(() if start.link is not None else ("position",))))
        | place
    )


SECTIONS: dict[str, tuple[Callable[[World], Any], Callable[[Any], Any]]] = {
    "robot": (lambda world: world.robot, plain),
    "ground": (lambda world: world.environment.ground, plain),
    "obstacles": (lambda world: world.environment.obstacles, lambda all_: [write_obstacle(each) for each in all_]),
    "controller": (lambda world: world.controller, named),
    "start": (lambda world: world, _write_start),
    "sensors": (lambda world: world.sensors, plain),
}
"""The sections of a world: what is described, and how it is written."""
