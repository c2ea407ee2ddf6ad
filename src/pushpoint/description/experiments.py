"""Whole documents: worlds and the settings of their run, read and written."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np

from pushpoint.description import shapes as shapes  # for the readers and writers that it registers
from pushpoint.description.complaints import Keys, Where
from pushpoint.description.custom import Unread, is_custom, named
from pushpoint.description.edits import read_edits, refuse_unfit, write_edits
from pushpoint.description.entries import DEGREES, RADIANS, entries_of
from pushpoint.description.reading import CUSTOM, Reader
from pushpoint.description.shapes import write_obstacles
from pushpoint.description.writing import plain, section
from pushpoint.engine.controller import Controller, Gait
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.spatial.kinematics import about, product
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import InvalidModel
from pushpoint.gaits import Sampled
from pushpoint.model.checks import positive
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.joints import UP
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.sensors import PERFECT_SENSORS, Sensors
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot
from pushpoint.worlds.edits import Edit
from pushpoint.worlds.goals import Goal, Until
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import Experiment, World, check_world, usual_start

FORMAT = 1
"""The format number of current files and results."""
KEYS: dict[str, tuple[Any, str]] = {
    "format": (Literal[1], "Format of the file; default: the current one."),
    "name": (str, "A short name: letters, digits and . _ - /; default: the name of the file."),
    "title": (str, "One line that says what happens."),
    "source": (str, "Where the experiment comes from."),
    "robot": (AnyRobot, "The robot: a name from the catalogue, or your own."),
    "ground": (Ground, "The ground under the robot."),
    "obstacles": (tuple[Obstacle, ...], "The obstacles that the robot pushes against."),
    "controller": (Controller, "What drives the joints: a gait or a controller; default: nothing, the motors are off."),
    "start": (Start | SpatialStart, "Where and how the robot starts."),
    "sensors": (Sensors, "What the controller measures."),
    "duration": (float, "Simulated time [s]."),
    "until": (Goal, "A goal that ends the run early."),
    "settings": (Settings, "Numerical settings."),
    "record": (Record, "What is recorded."),
    "edits": (tuple[Edit, ...], "What changes in the world on its way, in the order of the time steps."),
}
"""The keys of a document: types and descriptions."""
MOST_TRIED = 10_000
"""Time steps that are tried for a controller with a long period."""
ELSEWHERE = ("varies", "worlds")
"""Keys of other documents, which are ignored."""
REQUIRED = ("robot", "duration")
WORDS = ("name", "title", "source")
STANDING = ("robot", "ground", "obstacles", "controller", "start", "sensors")
"""The sections of a world."""
POSTURE = ("joint_angles", "link_angles", "orientation", "link_orientation", "yaw_pitch_roll")
"""The keys of a start that describe the posture."""


def read_experiment(document: Any, where: Where | None = None, custom: Any = None) -> Experiment:
    """The experiment that a document describes.

    Args:
        document: Mappings, lists, numbers and text, as in a scenario file.
        where: Returns the place in a file, which is put in front of every error.
        custom: The controller that the kind "custom" stands for; by default it is an error.
    """
    return experiment_from(Reader(document, where), custom)


def experiment_from(reader: Reader, custom: Any = None) -> Experiment:
    """The experiment that a reader's document describes; see `read_experiment`."""
    document = reader.document
    reader.check_keys((), (*KEYS, *ELSEWHERE))
    if document.get("format", FORMAT) != FORMAT:
        allowed = f"{FORMAT}: another version of pushpoint wrote this, and only that version can read it"
        raise reader.refuse(("format",), document["format"], allowed)
    for key in REQUIRED:
        if key not in document:
            raise reader.missing((key,))
    world = _world(reader, custom)
    record = reader.once(("record",), lambda: _given(reader, "record", Record()))
    words = reader.once(WORDS, lambda: {key: reader.read(str, (key,)) for key in WORDS if key in document})
    duration = reader.once(("duration",), lambda: _duration(reader))
    settings = _settings(reader, world.controller, record)
    until = reader.once(("until",), lambda: _until(reader))
    edits = reader.once(("robot", "edits"), lambda: read_edits(reader))
    if edits:
        refuse_unfit(reader, world, edits)
    return Experiment((world,), duration, settings, record, until, edits=edits, **words)


def _duration(reader: Reader) -> float:
    duration = reader.read(float, ("duration",))
    with reader.speaking_of(()):
        return positive("duration", duration, "s")


def _write_controller(controller: Any) -> dict[str, Any] | None:
    return None if controller is None else named(controller)


def _until(reader: Reader) -> Until | None:
    given = reader.at(("until",))
    if isinstance(given, dict) and given.get("kind") == CUSTOM:
        if reader.where is not None:  # a run keeps the name of a function, a file cannot hold one
            allowed = "a kind with a name: a function written in Python cannot be read from a file"
            raise reader.refuse(("until", "kind"), CUSTOM, allowed)
        return Unread(str(given.get("name", "")))
    goal: Goal | None = _given(reader, "until", None)
    return goal


def _given(reader: Reader, key: str, default: Any) -> Any:
    return default if reader.at((key,)) is None else reader.read(KEYS[key][0], (key,))


def _world(reader: Reader, custom: Any) -> World:
    reader.known["robot"] = robot = reader.once(("robot",), lambda: reader.read(AnyRobot, ("robot",)))
    controller = reader.once(("robot", "controller"), lambda: _controller(reader, ("controller",), custom))
    ground = reader.once(("ground",), lambda: _given(reader, "ground", Ground()))
    obstacles = reader.once(("obstacles",), lambda: _given(reader, "obstacles", ()))
    sensors = reader.once(("sensors",), lambda: _given(reader, "sensors", PERFECT_SENSORS))
    place = ("ground", "obstacles")
    with reader.speaking_of(()):
        environment = reader.once(place, lambda: Environment(ground=ground, obstacles=obstacles))

        def standing() -> World:
            world = World(robot, environment, controller, _start(reader, robot, environment, controller), sensors)
            if reader.thorough:
                check_world(world)
            return world

        return reader.once(STANDING, standing)


def _controller(reader: Reader, keys: Keys, custom: Any) -> Any:
    if reader.at(keys) is None:
        return None
    if reader.section(keys).get("kind") == CUSTOM:
        if custom is not None:
            return custom
        allowed = "a kind with a name: a controller written in Python cannot be read from a document"
        raise reader.refuse((*keys, "kind"), CUSTOM, allowed)
    made: Controller[Any] = reader.read(Controller, keys)
    if reader.thorough:
        _try(reader, keys, made)
    return made


def _try(reader: Reader, keys: Keys, controller: Controller[Any]) -> None:
    """Raises an error for a controller that this robot cannot follow."""
    robot: Any = reader.known["robot"]
    try:
        with reader.computing(keys):
            if "environment" not in controller.needs:
                controller.bind(robot).memory()
            controller.first_reference(robot)
    except InvalidModel as error:
        if "robot" in (error.place[0], error.remark):
            world = "spatial" if isinstance(robot, SpatialRobot) else "planar"
            allowed = f"a gait for a {world} robot, or another controller: it needs {error.allowed}"
            raise reader.refuse((*keys, "kind"), reader.at(keys)["kind"], allowed) from None
        owned = error.place[0] not in entries_of(type(controller))
        while isinstance(controller, Sampled):  # the gait inside it has a section of its own
            keys, controller = (*keys, "gait"), controller.gait
        with reader.speaking_of(keys, owned=owned):
            raise


def _start(reader: Reader, robot: AnyRobot, environment: Environment, controller: Any) -> Start | SpatialStart | None:
    """The start that a section gives. What it leaves open comes from the controller, if that determines the posture.

    A posture or an orientation of its own makes a start independent of the controller. A posture of null means the
    controller's first joint angles, lying level. A heading turns the first pose.
    """
    kind = SpatialStart if isinstance(robot, SpatialRobot) else Start
    given = reader.at(("start",)) or {}
    if not given:
        return None
    made = reader.once(("start", "robot"), lambda: reader.make(kind, ("start",)))
    usual: Any = usual_start(robot, environment, controller)
    own = any(key in given for name in POSTURE for key in (name, name + DEGREES, name + RADIANS))
    if own or usual.joint_angles is None or not isinstance(made, SpatialStart):
        return made
    place = made.position if made.link is not None or given.get("position") is not None else usual.position
    orientation = usual.orientation
    if made.heading:
        orientation = tuple(product(about(UP, np.array(made.heading)), np.array(usual.orientation)).tolist())
    return replace(made, joint_angles=usual.joint_angles, orientation=orientation, position=place, heading=0.0)


def _settings(reader: Reader, controller: Any, record: Record) -> Settings:
    """Numerical settings. A file without a time step gets one that divides all periods.

    It is the longest that is not above the default and divides the controller's period and, if possible, the record's.
    """
    made: Settings = reader.once(("settings",), lambda: _given(reader, "settings", Settings()))
    if (reader.at(("settings",)) or {}).get("dt") is not None:
        return made
    with reader.computing(("controller",)):
        dt = _fitting_step(controller, record)
        return made if made.dt == dt else replace(made, dt=dt)


def _fitting_step(controller: Any, record: Record) -> float:
    """The time step for a file that gives none [s]."""
    usual = Settings().dt
    if controller is None or isinstance(controller, Gait):
        return usual
    fewest = max(1, math.ceil(1.0 / (controller.rate * usual) - 1e-9))
    steps = (1.0 / (controller.rate * count) for count in range(fewest, min(2 * fewest, fewest + MOST_TRIED)))
    whole = (dt for dt in steps if abs(record.rate * dt * round(1.0 / (record.rate * dt)) - 1.0) < 1e-9)
    dt = next(whole, 1.0 / (controller.rate * fewest))
    return usual if math.isclose(dt, usual, rel_tol=1e-12) else dt


def write_experiment(experiment: Experiment, sections: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The document of an experiment with one world. Default values are left out of the sections.

    `sections` are those of the world, if they are known already.
    """
    words = {key: getattr(experiment, key) for key in WORDS}
    world = world_sections(experiment.worlds[0]) if sections is None else dict(sections)
    if world["controller"] is None:
        del world["controller"]
    document = {"format": FORMAT, **words, **world, "duration": experiment.duration}
    if experiment.until is not None:
        document["until"] = named(experiment.until)
    settings = section(experiment.settings)
    if experiment.settings.dt != _fitting_step(experiment.worlds[0].controller, experiment.record):
        settings = {"dt": experiment.settings.dt} | settings  # a file without dt might get a different one
    document |= {"settings": settings, "record": section(experiment.record)}
    return document | ({"edits": write_edits(experiment.edits)} if experiment.edits else {})


def _write_start(world: World, *, custom: bool) -> dict[str, Any]:
    """The start of a world; nothing if it is the default start of its robot with a controller that can be read back.

    `custom`: whether the controller cannot.
    """
    start: Any = world.start
    usual: Any = usual_start(world.robot, world.environment, None if custom else world.controller)
    if start == usual:
        return {}
    if usual.joint_angles is None or not isinstance(start, SpatialStart):
        # An empty section would be read as the controller's start.
        return section(start) or {"position": list(start.position)}
    if (start.joint_angles, start.orientation) != (usual.joint_angles, usual.orientation):
        # A start without a posture lies level; in a file it would be read as the controller's first pose.
        level = {"joint_angles" + DEGREES: None} if start.joint_angles is None and start.orientation is None else {}
        return section(start) | level
    rest = section(start, without=("joint_angles", "orientation"))
    if start.link is not None:
        return rest
    place = {} if start.position == usual.position else {"position": list(start.position)}
    return {key: value for key, value in rest.items() if key != "position"} | place


SECTIONS: dict[str, tuple[Callable[[World], Any], Callable[[Any], Any]]] = {
    "robot": (lambda world: world.robot, plain),
    "ground": (lambda world: world.environment.ground, plain),
    "obstacles": (lambda world: world.environment.obstacles, write_obstacles),
    "controller": (lambda world: world.controller, _write_controller),
    "sensors": (lambda world: world.sensors, plain),
}
"""The sections of a world except for its start: what is described, and how it is written."""
Write = Callable[[Any, Callable[[Any], Any]], Any]
"""Writes a part with a function."""


def world_sections(world: World, written: Write = lambda part, write: write(part)) -> dict[str, Any]:
    """The sections of a world; `written` may know what was written before."""
    *others, last = ((key, written(part(world), write)) for key, (part, write) in SECTIONS.items())
    custom = is_custom(dict(others)["controller"])
    return dict([*others, ("start", written(world, partial(_write_start, custom=custom))), last])
