"""From a shape-curve follower to the gait section of a document.

Segments are written as points, whatever made them: a document then says the same on every version of the library.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.control.steering import STRAIGHT, HeadingController, TurnSchedule
from pushpoint.description.document_writing import IN_DEGREES, section_of, written
from pushpoint.planning.curves.motion import AlongCurve, OnCurve
from pushpoint.planning.curves.segments import GaitSegment
from pushpoint.scenarios.scenario import Scenario


def is_writable(controller: Any) -> bool:
    """Whether a document can hold a controller: a follower whose motion and steering are data, not programs."""
    return (
        type(controller) is ShapeCurveFollower
        and type(controller.motion) in (AlongCurve, OnCurve)
        and type(controller.steering) in (TurnSchedule, HeadingController)
    )


def follower_document(follower: Any) -> dict[str, Any]:
    """The fields of a follower that is writable, without defaults."""
    steering = {} if follower.steering == STRAIGHT else {"steering": _steering(follower.steering)}
    motion = _along(follower.motion) if isinstance(follower.motion, AlongCurve) else _on_curve(follower.motion)
    return {"motion": motion, **steering, **_given(follower, "look_ahead", "rate", "prescribed")}


def _along(motion: AlongCurve) -> dict[str, Any]:
    lead = {} if motion.lead is None else {"lead": _segment(motion.lead)}
    curve = {} if motion.kind == "pchip" else {"curve": motion.kind}
    origin = [float(value) for value in motion.origin]
    place = {"origin": origin} if any(origin) else {}
    rest = _given(motion, "phase", "roll", "roll_rate")
    return {
        "kind": "along",
        "segment": _segment(motion.segment),
        "speed": motion.speed,
        **lead,
        **curve,
        **place,
        **rest,
    }


def _on_curve(motion: OnCurve) -> dict[str, Any]:
    curve = {} if motion.curve.kind == "pchip" else {"curve": motion.curve.kind}
    head = {} if motion.head == motion.curve.end else {"head": motion.head}
    points = motion.curve.points.tolist()
    return {"kind": "on-curve", "points": points, **curve, **head, **_given(motion, "roll", "roll_rate")}


def _segment(segment: GaitSegment) -> dict[str, Any]:
    return {"points": segment.points.tolist(), **_given(segment, "name")}


def _steering(steering: TurnSchedule | HeadingController) -> dict[str, Any]:
    if isinstance(steering, HeadingController):
        return {"kind": "heading", **section_of(steering)}
    # JSON has no infinity: a last rate that goes on has no end.
    until = {"until": ends} if (ends := [end for end in steering.until if end != math.inf]) else {}
    return {"kind": "schedule", **until, **written({"rates": steering.rates}, IN_DEGREES[TurnSchedule])}


def _given(value: Any, *names: str) -> dict[str, Any]:
    """Some fields of an object, without those that have their default."""
    defaults = {field.name: field.default for field in dataclasses.fields(value)}
    fields = {name: getattr(value, name) for name in names if getattr(value, name) != defaults[name]}
    return written(fields, IN_DEGREES.get(type(value), ()))


def start_document(scenario: Scenario) -> dict[str, Any]:
    """The start of a scenario; of one that begins as its virtual robot does, only where and how fast.

    What a section leaves open is read as the virtual robot's first pose (`first_start`); a start that leaves it open
    itself, so that it lies level, is written with its joint angles.
    """
    start: Any = scenario.start
    if not is_writable(scenario.controller):
        return section_of(start)
    pose = scenario.controller.start(scenario.robot)
    if (start.joint_angles, start.orientation) != (pose.joint_angles, pose.orientation):
        level = start.joint_angles is None and start.orientation is None
        return section_of(dataclasses.replace(start, joint_angles=pose.joint_angles) if level else start)
    section = {key: held for key, held in section_of(start).items() if key not in ("joint_angles_deg", "orientation")}
    if start.link is not None:
        return section
    place = {} if start.position == pose.position else {"position": list(start.position)}
    return {key: held for key, held in section.items() if key != "position"} | place
