"""From scenarios to documents: mappings, lists, numbers and text, as files hold them. Radians become degrees here."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from pushpoint.control.constant_torque import ConstantTorque
from pushpoint.dynamics.start import Start
from pushpoint.errors import InvalidModel
from pushpoint.gaits.lateral_undulation import LateralUndulation
from pushpoint.gaits.sampled import Sampled
from pushpoint.model import friction
from pushpoint.model.catalogue import ROBOTS
from pushpoint.model.environment import Obstacle, Peg, Polygon, Region, Wall
from pushpoint.model.robot import Motor, Robot
from pushpoint.model.sensors import Sensors
from pushpoint.scenarios.document_model import CUSTOM
from pushpoint.scenarios.document_obstacles import PEG
from pushpoint.scenarios.document_sensors import ANGULAR
from pushpoint.scenarios.scenario import Scenario

LAWS: dict[str, type] = {
    "frictionless": friction.Frictionless,
    "isotropic": friction.Isotropic,
    "elliptic": friction.Elliptic,
    "skin": friction.Skin,
    "rectangular": friction.Rectangular,
    "viscous": friction.Viscous,
}
OBSTACLES: dict[str, type[Obstacle]] = {PEG: Peg, "wall": Wall, "polygon": Polygon}
GAITS: dict[str, type] = {
    "lateral-undulation": LateralUndulation,
    "sampled": Sampled,
    "constant-torque": ConstantTorque,
}
IN_DEGREES: dict[type, tuple[str, ...]] = {
    Motor: ("speed_limit", "backlash", "lower", "upper"),
    LateralUndulation: ("amplitude", "angular_frequency", "phase_shift", "offset", "phase"),
    Start: ("link_angles", "joint_angles", "heading", "spin", "joint_rates"),
}


def document_of(scenario: Scenario) -> dict[str, Any]:
    """The document of a scenario; what has its default value is left out of the sections.

    A controller written in Python is only named; a document with one cannot be read back.
    """
    ground = scenario.environment.ground
    laws = [_law(law) for law in ground.friction] if isinstance(ground.friction, tuple) else _law(ground.friction)
    regions = {"regions": [_region(region) for region in ground.regions]} if ground.regions else {}
    return {
        "name": scenario.name,
        "title": scenario.title,
        "source": scenario.source,
        "robot": robot_document(scenario.robot),
        "ground": {"friction": laws, "spin": ground.spin, "gravity": ground.gravity, **regions},
        "obstacles": [_obstacle(obstacle) for obstacle in scenario.environment.obstacles],
        "gait": _gait(scenario.controller),
        "start": _section(scenario.start),
        "sensors": _sensors(scenario.sensors),
        "duration": scenario.duration,
        "settings": _section(scenario.settings),
        "record": _section(scenario.record),
    }


def robot_document(robot: Robot) -> str | dict[str, Any]:
    """The robot's name, if the catalogue holds it; one link and one motor, if all are equal; else all of them."""
    if robot.name in ROBOTS and ROBOTS[robot.name]() == robot:
        return robot.name
    uniform = uniform_document(robot)
    return listed_document(robot) if uniform is None else uniform


def uniform_document(robot: Robot) -> dict[str, Any] | None:
    """A robot of equal links and motors as n_links, link and motor; None if they differ."""
    motors: Any = robot.motors
    if len(set(robot.links)) > 1 or len(set(motors)) > 1:
        return None
    return {"n_links": robot.n_links, "link": _section(robot.links[0]), "motor": _section(motors[0]), **_about(robot)}


def listed_document(robot: Robot) -> dict[str, Any]:
    """A robot with every link and motor of its own."""
    motors: Any = robot.motors
    return {
        "links": [_section(link) for link in robot.links],
        "motors": [_section(motor) for motor in motors],
        **_about(robot),
    }


def _about(robot: Robot) -> dict[str, str]:
    return {"name": robot.name, "source": robot.source}


def _law(law: friction.Friction) -> dict[str, Any]:
    return {"law": next(name for name, kind in LAWS.items() if type(law) is kind), **_section(law)}


def _region(region: Region) -> dict[str, Any]:
    return {"vertices": _plain(region.vertices), "friction": _law(region.friction)}


def _obstacle(obstacle: Obstacle) -> dict[str, Any]:
    """All fields, so that all can be changed by name; only what is no peg says what it is."""
    name = next(name for name, kind in OBSTACLES.items() if type(obstacle) is kind)
    fields = {key: _plain(value) for key, value in dataclasses.asdict(obstacle).items()}
    return fields if name == PEG else {"kind": name, **fields}


def _sensors(sensors: Sensors) -> dict[str, Any]:
    written = _section(sensors)
    for name in ANGULAR:
        if name in written:
            written[name] = _section(getattr(sensors, name), in_degrees=("noise", "bias", "quantum"))
    return written


def _gait(controller: Any) -> dict[str, Any]:
    name = next((name for name, kind in GAITS.items() if type(controller) is kind), None)
    if isinstance(controller, Sampled):
        if isinstance(controller.gait, LateralUndulation):
            return {"kind": name, **_section(controller), "gait": _gait(controller.gait)}
    elif name is not None:
        return {"kind": name, **_section(controller)}
    return {"kind": CUSTOM, "name": getattr(controller, "__qualname__", type(controller).__qualname__)}


def _section(value: Any, in_degrees: tuple[str, ...] | None = None) -> dict[str, Any]:
    """The fields of a model object, without those that its class would fill in by itself."""
    fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    for field in dataclasses.fields(value):
        others = {name: held for name, held in fields.items() if name != field.name}
        if field.default is not dataclasses.MISSING and _makes(value, others):
            fields = others
    in_degrees = IN_DEGREES.get(type(value), ()) if in_degrees is None else in_degrees
    return {
        f"{name}_deg" if name in in_degrees else name: _degrees(held) if name in in_degrees else _plain(held)
        for name, held in fields.items()
    }


def _makes(value: Any, fields: dict[str, Any]) -> bool:
    """Whether these fields are enough to make the same object again; without one of them, others may be refused."""
    try:
        return bool(type(value)(**fields) == value)
    except InvalidModel:
        return False


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return _section(value)
    return [_plain(part) for part in value] if isinstance(value, tuple) else value


def _degrees(value: Any) -> Any:
    """The shortest number of degrees that reads back as exactly these radians."""
    if not isinstance(value, float):
        return [_degrees(part) for part in value]
    degrees = math.degrees(value)
    near = (degrees, math.nextafter(degrees, math.inf), math.nextafter(degrees, -math.inf))
    candidates = [round(degrees, digits) for digits in range(16)] + list(near)
    return next((each for each in candidates if math.radians(each) == value), degrees)
