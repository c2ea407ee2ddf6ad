"""From scenarios to documents: mappings, lists, numbers and text, as files hold them."""

from __future__ import annotations

from typing import Any

from pushpoint.control.constant_torque import ConstantTorque
from pushpoint.control.continuous_resolution import ContinuousResolution
from pushpoint.control.hybrid import HybridController
from pushpoint.control.leader_follower import LeaderFollower
from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.description.document_model import CUSTOM
from pushpoint.description.document_obstacles import PEG
from pushpoint.description.document_robot_writing import robot_document
from pushpoint.description.document_sensors import ANGULAR
from pushpoint.description.document_shape_writing import follower_document, is_writable, start_document
from pushpoint.description.document_writing import IN_DEGREES, full_section_of, plain, section_of, written
from pushpoint.gaits.lateral_undulation import LateralUndulation
from pushpoint.gaits.rolling import Rolling
from pushpoint.gaits.sampled import Sampled
from pushpoint.gaits.sidewinding import Sidewinding
from pushpoint.gaits.sinus_lifting import SinusLifting
from pushpoint.gaits.vertical_wave import VerticalWave
from pushpoint.model import friction
from pushpoint.model.environment import Ground, Peg, Polygon, Region, Wall
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.sensors import Sensors
from pushpoint.model.terrain import Box, HeightField, Stairs
from pushpoint.scenarios.scenario import Scenario

LAWS: dict[str, type[friction.Friction]] = {
    "frictionless": friction.Frictionless,
    "isotropic": friction.Isotropic,
    "elliptic": friction.Elliptic,
    "skin": friction.Skin,
    "rectangular": friction.Rectangular,
    "viscous": friction.Viscous,
}
OBSTACLES: dict[str, type[Obstacle]] = {PEG: Peg, "wall": Wall, "polygon": Polygon, "box": Box, "stairs": Stairs}
WAVES: dict[str, type] = {
    "lateral-undulation": LateralUndulation,
    "sidewinding": Sidewinding,
    "vertical-wave": VerticalWave,
    "rolling": Rolling,
    "sinus-lifting": SinusLifting,
}
GAITS: dict[str, type] = {
    **WAVES,
    "sampled": Sampled,
    "shape-curve": ShapeCurveFollower,
    "constant-torque": ConstantTorque,
    "leader-follower": LeaderFollower,
    "hybrid": HybridController,
    "continuous-resolution": ContinuousResolution,
}


def document_of(scenario: Scenario) -> dict[str, Any]:
    """The document of a scenario; what has its default value is left out of the sections.

    A controller written in Python is only named; a document with one cannot be read back.
    """
    return {
        "name": scenario.name,
        "title": scenario.title,
        "source": scenario.source,
        "robot": robot_document(scenario.robot),
        "ground": _ground(scenario.environment.ground),
        "obstacles": [_obstacle(obstacle) for obstacle in scenario.environment.obstacles],
        "gait": _gait(scenario.controller),
        "start": start_document(scenario),
        "sensors": _sensors(scenario.sensors),
        "duration": scenario.duration,
        "settings": section_of(scenario.settings),
        "record": section_of(scenario.record),
    }


def _ground(ground: Ground) -> dict[str, Any]:
    laws = [_law(law) for law in ground.friction] if isinstance(ground.friction, tuple) else _law(ground.friction)
    regions = {"regions": [_region(region) for region in ground.regions]} if ground.regions else {}
    spatial = {name: getattr(ground, name) for name in ("rolling", "restitution", "slope", "slope_direction")}
    given = written({name: value for name, value in spatial.items() if value}, IN_DEGREES[Ground])
    heights = {} if ground.heights is None else {"heights": _heights(ground.heights)}
    return {"friction": laws, "spin": ground.spin, "gravity": ground.gravity, **regions, **given, **heights}


def _heights(field: HeightField) -> dict[str, Any]:
    return {"heights": field.heights.tolist(), "spacing": field.spacing, "origin": plain(field.origin)}


def _law(law: friction.Friction) -> dict[str, Any]:
    if isinstance(law, friction.Varying):
        varying = {key: value for key, value in section_of(law).items() if key != "law"}
        # One of these keys is what says that a law varies.
        return {**_law(law.law), **(varying or {"stick_ratio": law.stick_ratio})}
    return {"law": next(name for name, kind in LAWS.items() if type(law) is kind), **section_of(law)}


def _region(region: Region) -> dict[str, Any]:
    return {"vertices": plain(region.vertices), "friction": _law(region.friction)}


def _obstacle(obstacle: Obstacle) -> dict[str, Any]:
    """All fields, so that all can be changed by name; only what is no peg says what it is."""
    name = next(name for name, kind in OBSTACLES.items() if type(obstacle) is kind)
    fields = full_section_of(obstacle)
    return fields if name == PEG else {"kind": name, **fields}


def _sensors(sensors: Sensors) -> dict[str, Any]:
    section = section_of(sensors)
    for name in ANGULAR:
        if name in section:
            section[name] = section_of(getattr(sensors, name), in_degrees=("noise", "bias", "quantum"))
    return section


def _gait(controller: Any) -> dict[str, Any]:
    name = next((name for name, kind in GAITS.items() if type(controller) is kind), None)
    if isinstance(controller, Sampled):
        if type(controller.gait) in WAVES.values():
            return {"kind": name, **section_of(controller), "gait": _gait(controller.gait)}
    elif isinstance(controller, ShapeCurveFollower):
        if is_writable(controller):
            return {"kind": name, **follower_document(controller)}
    elif name is not None:
        return {"kind": name, **section_of(controller)}
    return {"kind": CUSTOM, "name": getattr(controller, "__qualname__", type(controller).__qualname__)}
