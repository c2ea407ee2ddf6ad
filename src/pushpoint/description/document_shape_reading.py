"""From the gait `shape-curve` of a document to its follower, and what a file may then leave open: start, time step."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.control.steering import HeadingController, TurnSchedule
from pushpoint.description.complaints import Keys
from pushpoint.description.document_reading import Reading
from pushpoint.description.document_shape import DRAWN
from pushpoint.engine.settings import Settings
from pushpoint.engine.spatial.kinematics import about, product
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import finite
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot
from pushpoint.planning.curves import segments
from pushpoint.planning.curves.curve import ShapeCurve
from pushpoint.planning.curves.motion import AlongCurve, OnCurve
from pushpoint.planning.curves.segments import GaitSegment
from pushpoint.worlds.record import Record

FOR_ROBOT: dict[str, Callable[..., GaitSegment]] = {
    "sidewinding": segments.sidewinding,
    "vertical-wave": segments.vertical_wave,
}
"""Ready-made segments whose defaults are the robot's."""
STAIRS: dict[str, Callable[..., GaitSegment]] = {
    "stairs-down": segments.stairs_down,
    "stairs-up": segments.stairs_up,
}
READY_MADE: dict[str, Callable[..., GaitSegment]] = {**FOR_ROBOT, **STAIRS, "helix": segments.helix}


def follower_at(reading: Reading, keys: Keys, robot: AnyRobot) -> ShapeCurveFollower:
    """The follower that a gait section describes; refuses one that this robot cannot follow."""
    if not isinstance(robot, SpatialRobot):
        allowed = "a gait for a planar robot, such as lateral-undulation: a shape curve lies in space"
        raise reading.refuse((*keys, "kind"), reading.at(keys)["kind"], allowed)
    motion = _motion(reading, (*keys, "motion"), robot)
    steering = {} if reading.at(keys).get("steering") is None else {"steering": _steering(reading, (*keys, "steering"))}
    follower = reading.make(ShapeCurveFollower, keys, motion=motion, **steering)
    with reading.speaking_of(keys), _owned_by("gait"):
        follower.bind(robot).memory()
    return follower


def _motion(reading: Reading, keys: Keys, robot: SpatialRobot) -> AlongCurve | OnCurve:
    if reading.at(keys)["kind"] == "on-curve":
        return reading.made_by(_on_curve, keys)
    names = [name for name in ("segment", "lead") if reading.at(keys).get(name) is not None]
    return reading.made_by(_along, keys, **{name: _segment(reading, (*keys, name), robot) for name in names})


def _along(*, curve: str = "pchip", origin: Any = (0.0, 0.0, 0.0), **fields: Any) -> AlongCurve:
    place = tuple(finite(f"motion.origin[{k}]", value, "m") for k, value in enumerate(origin))
    return AlongCurve(kind=curve, origin=place, **fields)  # type: ignore[arg-type]


def _on_curve(*, points: Any, curve: str = "pchip", head: float | None = None, **rolls: float) -> OnCurve:
    drawn = ShapeCurve(points, curve)
    return OnCurve(curve=drawn, head=drawn.end if head is None else head, **rolls)


def _segment(reading: Reading, keys: Keys, robot: SpatialRobot) -> GaitSegment:
    kind = reading.at(keys).get("kind", DRAWN)
    if kind == DRAWN:
        return reading.make(GaitSegment, keys)

    def ready_made(**values: Any) -> GaitSegment:
        if kind in STAIRS:
            values = {"half_height": float(np.max(robot.column("radius")))} | values
        with _owned_by("segment"):
            return READY_MADE[kind](*((robot,) if kind in FOR_ROBOT else ()), **values)

    return reading.made_by(ready_made, keys)


def _steering(reading: Reading, keys: Keys) -> TurnSchedule | HeadingController:
    if reading.at(keys)["kind"] == "heading":
        return reading.make(HeadingController, keys)
    return reading.made_by(_schedule, keys)


def _schedule(*, rates: list[float], until: Any = ()) -> TurnSchedule:
    if not rates:
        raise InvalidModel("steering.rates", rates, "one rate or more [rad/s]")
    if len(until) not in (len(rates), len(rates) - 1):
        allowed = f"one end per rate, {len(rates)}, or one less: the last rate then goes on"
        raise InvalidModel("steering.until", f"{len(until)} ends", allowed)
    return TurnSchedule(until=(*until, math.inf)[: len(rates)], rates=rates)


@contextmanager
def _owned_by(owner: str) -> Iterator[None]:
    """Functions name their arguments alone; the document looks for them in the section of their owner."""
    try:
        yield
    except InvalidModel as error:
        name = error.field
        field = f"{owner}.{name}" if name.isidentifier() else f"{owner}: {name}"
        raise InvalidModel(field, error.value, error.allowed) from None


def first_start(given: SpatialStart, section: dict[str, Any], gait: Any, robot: AnyRobot) -> SpatialStart:
    """A start with what its section leaves open filled in: as the virtual robot is at time zero, put down.

    A posture or an orientation of its own makes a start independent of the follower. A heading turns the first pose.
    """
    own = any(section.get(key) is not None for key in ("joint_angles_deg", "orientation"))
    if own or not isinstance(gait, ShapeCurveFollower) or not isinstance(robot, SpatialRobot):
        return given
    pose = gait.start(robot)
    placed = given.link is not None or section.get("position") is not None
    orientation = product(about("yaw", np.array(given.heading)), np.array(pose.orientation)) if given.heading else None
    return SpatialStart(
        joint_angles=pose.joint_angles,
        orientation=pose.orientation if orientation is None else tuple(orientation.tolist()),
        link=given.link,
        position=given.position if placed else pose.position,
        velocity=given.velocity,
        angular_velocity=given.angular_velocity,
        joint_rates=given.joint_rates,
    )


def fitting_step(gait: Any, record: Record) -> dict[str, float]:
    """The time step of a file that gives none, if it is not the usual one: whole steps make a follower's period.

    It is the longest that is not above the usual one and of which the record's period, too, is a whole number.
    """
    if not isinstance(gait, ShapeCurveFollower):
        return {}
    fewest = math.ceil(1.0 / (gait.rate * Settings().dt) - 1e-9)
    steps = (1.0 / (gait.rate * count) for count in range(fewest, 2 * fewest))
    fitting = (dt for dt in steps if abs(record.rate * dt * round(1.0 / (record.rate * dt)) - 1.0) < 1e-9)
    return {"dt": next(fitting, 1.0 / (gait.rate * fewest))}
