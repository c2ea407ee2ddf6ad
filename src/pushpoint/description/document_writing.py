"""Model objects as sections of a document: their fields, without defaults. Radians become degrees here."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from pushpoint.control.continuous_resolution import ContinuousResolution
from pushpoint.control.hybrid import HybridController
from pushpoint.control.leader_follower import LeaderFollower
from pushpoint.control.steering import HeadingController, TurnSchedule
from pushpoint.engine.planar.start import Start
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import InvalidModel
from pushpoint.gaits.lateral_undulation import LateralUndulation
from pushpoint.gaits.rolling import Rolling
from pushpoint.gaits.sidewinding import Sidewinding
from pushpoint.gaits.sinus_lifting import SinusLifting
from pushpoint.gaits.vertical_wave import VerticalWave
from pushpoint.model.environment import Ground
from pushpoint.model.motor import Motor
from pushpoint.model.terrain import Box, Stairs
from pushpoint.planning.curves.motion import AlongCurve, OnCurve

WAVE = ("angular_frequency", "phase_shift", "phase")
IN_DEGREES: dict[type, tuple[str, ...]] = {
    Motor: ("speed_limit", "backlash", "lower", "upper"),
    Ground: ("slope", "slope_direction"),
    Box: ("yaw", "pitch", "roll"),
    Stairs: ("heading",),
    LateralUndulation: (*WAVE, "amplitude", "offset"),
    Sidewinding: (*WAVE, "yaw_amplitude", "pitch_amplitude", "phase_offset", "yaw_offset", "release"),
    VerticalWave: (*WAVE, "amplitude", "yaw_offset"),
    Rolling: ("amplitude", "angular_frequency", "phase"),
    SinusLifting: (*WAVE, "yaw_amplitude", "pitch_amplitude", "yaw_offset"),
    AlongCurve: ("roll", "roll_rate"),
    OnCurve: ("roll", "roll_rate"),
    TurnSchedule: ("rates",),
    HeadingController: ("direction", "fastest"),
    LeaderFollower: ("head_angle",),
    HybridController: ("jam_angle",),
    ContinuousResolution: ("amplitude", "phase_shift", "reflex_limit", "head_angle"),
    Start: ("link_angles", "joint_angles", "heading", "spin", "joint_rates"),
    SpatialStart: ("joint_angles", "heading", "angular_velocity", "joint_rates"),
}


def section_of(value: Any, in_degrees: tuple[str, ...] | None = None) -> dict[str, Any]:
    """The fields of a model object, without those that its class would fill in by itself."""
    fields = _fields(value)
    for field in dataclasses.fields(value):
        others = {name: held for name, held in fields.items() if name != field.name}
        given = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if not given and _makes(value, others):
            fields = others
    return written(fields, IN_DEGREES.get(type(value), ()) if in_degrees is None else in_degrees)


def full_section_of(value: Any) -> dict[str, Any]:
    """All fields of a model object, so that all can be changed by name."""
    return written(_fields(value), IN_DEGREES.get(type(value), ()))


def written(fields: dict[str, Any], in_degrees: tuple[str, ...]) -> dict[str, Any]:
    """Fields under the keys and as the plain values of a document."""
    return {
        f"{name}_deg" if name in in_degrees else name: _degrees(held) if name in in_degrees else plain(held)
        for name, held in fields.items()
    }


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def _makes(value: Any, fields: dict[str, Any]) -> bool:
    """Whether these fields are enough to make the same object again; without one of them, others may be refused."""
    try:
        return bool(type(value)(**fields) == value)
    except InvalidModel:
        return False


def plain(value: Any) -> Any:
    """Numbers, text and lists of them."""
    if dataclasses.is_dataclass(value):
        return section_of(value)
    return [plain(part) for part in value] if isinstance(value, tuple) else value


def _degrees(value: Any) -> Any:
    """The shortest number of degrees that reads back as exactly these radians."""
    if not isinstance(value, float):
        return [_degrees(part) for part in value]
    degrees = math.degrees(value)
    near = (degrees, math.nextafter(degrees, math.inf), math.nextafter(degrees, -math.inf))
    candidates = [round(degrees, digits) for digits in range(16)] + list(near)
    return next((each for each in candidates if math.radians(each) == value), degrees)
