"""The gait `shape-curve` in a scenario document: where the body shall be, drawn as points."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from pushpoint.description.document_section import Section

DRAWN = "drawn"
"""The kind of a segment that says none."""


def _three(value: Any) -> Any:
    if not isinstance(value, list) or len(value) != 3:
        raise PydanticCustomError("not_a_point", "{expected}", {"expected": "three numbers x, y, z [m]"})
    return value


def _two_or_more(value: Any) -> Any:
    if isinstance(value, list) and len(value) < 2:
        raise PydanticCustomError("too_few_points", "{expected}", {"expected": "two or more points x, y, z [m]"})
    return value


Point = Annotated[list[float], BeforeValidator(_three), Field(json_schema_extra={"minItems": 3, "maxItems": 3})]
Points = Annotated[list[Point], BeforeValidator(_two_or_more), Field(json_schema_extra={"minItems": 2})]
Curve = Literal["pchip", "smooth"]


class DrawnSegmentSection(Section):
    """One cycle of a gait, drawn by hand."""

    kind: Literal["drawn"] = "drawn"
    """What it is; may be left out."""
    points: Points
    """Where the body goes [m], x forward, y left, z up; the next cycle begins where this one ends. Two or more."""
    name: str = "segment"
    """What figures call it."""


class SidewindingSegmentSection(Section):
    """One cycle of sidewinding: a wave sideways and one upward, a quarter of a cycle ahead."""

    kind: Literal["sidewinding"]
    """What it is."""
    length: float | None = None
    """Of the cycle along x [m]; default: 0.7 of the robot's length."""
    width: float | None = None
    """Amplitude sideways [m]; default: 3 mean link lengths."""
    height: float | None = None
    """Amplitude upward [m], < 0 travels to the other side; default: a third of a mean link length."""
    n_points: int = 9
    """Number of points, 4 or more."""


class VerticalWaveSegmentSection(Section):
    """One cycle of a wave in the vertical plane."""

    kind: Literal["vertical-wave"]
    """What it is."""
    length: float | None = None
    """Of the cycle along x [m]; default: 0.7 of the robot's length."""
    height: float | None = None
    """Amplitude upward [m]; default: 0.1 of the robot's length."""
    n_points: int = 9
    """Number of points, 4 or more."""


class _StairsSegmentSection(Section):
    """One step of stairs."""

    rise: float
    """Height of a step [m]."""
    run: float
    """Depth of a step [m]."""
    half_height: float | None = None
    """Distance that the body's axis keeps from the stairs [m]; default: the largest radius of the robot's links."""
    chamfer: float | None = None
    """How much the corner above the lower tread is cut [m]; default: 0.4 of the smaller of rise and run."""
    nose_chamfer: float | None = None
    """How much the corner around the nose is cut [m]; default: as chamfer."""


class StairsDownSegmentSection(_StairsSegmentSection):
    """One step down."""

    kind: Literal["stairs-down"]
    """What it is."""


class StairsUpSegmentSection(_StairsSegmentSection):
    """One step up."""

    kind: Literal["stairs-up"]
    """What it is."""


class HelixSegmentSection(Section):
    """One turn around a pole or inside a pipe."""

    kind: Literal["helix"]
    """What it is."""
    radius: float
    """Of the body's axis [m]."""
    pitch: float
    """Advance per turn [m]."""
    axis: Literal["z", "x"] = "z"
    """z: a pole, x: a pipe."""
    handed: Literal["right", "left"] = "right"
    """Which way it winds."""
    n_points: int = 9
    """Number of points, 4 or more."""


def _drawn_unless_said(value: Any) -> Any:
    """Names the kind of a segment that has points."""
    drawn = isinstance(value, dict) and "points" in value and "kind" not in value
    return {"kind": DRAWN, **value} if drawn else value


SegmentValue = Annotated[
    Annotated[
        DrawnSegmentSection
        | SidewindingSegmentSection
        | VerticalWaveSegmentSection
        | StairsDownSegmentSection
        | StairsUpSegmentSection
        | HelixSegmentSection,
        Field(discriminator="kind"),
    ],
    BeforeValidator(_drawn_unless_said),
]


class AlongCurveSection(Section):
    """The head advances along a curve that a segment extends, cycle after cycle; the body follows it."""

    kind: Literal["along"]
    """What it is."""
    segment: SegmentValue
    """One cycle of the curve: points, or a ready-made one."""
    speed: float
    """Of the head along the curve [m/s]."""
    phase: float = 0.0
    """Part of a cycle by which the head is ahead at time zero [-], 0 to 1."""
    lead: SegmentValue | None = None
    """What lies behind the head at time zero, repeated backwards; default: the segment itself."""
    curve: Curve = "pchip"
    """How the points are joined: pchip never overshoots them, smooth has no corners and turns with them."""
    origin: Point = Field(default=[0.0, 0.0, 0.0])
    """Where the cycle begins that the head is on at time zero [m]."""
    roll_deg: float = 0.0
    """Roll angle about the curve at time zero [deg]."""
    roll_rate_deg: float = 0.0
    """How fast it grows [deg/s]."""


class OnCurveSection(Section):
    """The body lies on a curve that stays; it rolls about the curve, as in lateral rolling."""

    kind: Literal["on-curve"]
    """What it is."""
    points: Points
    """Points of the curve, from the tail's side to the head's [m]. Two or more."""
    curve: Curve = "pchip"
    """How the points are joined: pchip never overshoots them, smooth has no corners and turns with them."""
    head: float | None = None
    """Where the head's tip is: 1.5 is halfway from the second point to the third [-]; default: at the last point."""
    roll_deg: float = 0.0
    """Roll angle about the curve at time zero [deg]."""
    roll_rate_deg: float = 0.0
    """How fast it grows [deg/s]."""


class ScheduleSection(Section):
    """The curve ahead is turned at given rates."""

    kind: Literal["schedule"]
    """What it is."""
    until: list[float] = Field(default=[])
    """Ends of the stretches of time [s], one per rate; or one less: the last rate then goes on."""
    rates_deg: list[float]
    """Rate of turn in each [deg/s], counter-clockwise positive."""


class HeadingSection(Section):
    """The curve ahead is turned until the robot travels in a wanted direction, averaged over a cycle."""

    kind: Literal["heading"]
    """What it is."""
    direction_deg: float
    """Wanted direction of travel, from the x axis counter-clockwise [deg]."""
    gain: float = 0.6
    """Rate of turn per error [1/s]."""
    integral_time: float = 10.0
    """Time in which the integral makes up for a lasting error [s]."""
    fastest_deg: float = 22.5
    """Largest rate of turn [deg/s]."""


class ShapeCurveSection(Section):
    """Joint angles of a virtual robot that moves along a curve through points in space; for spatial robots."""

    kind: Literal["shape-curve"]
    motion: Annotated[AlongCurveSection | OnCurveSection, Field(discriminator="kind")]
    """How the virtual robot moves."""
    steering: Annotated[ScheduleSection | HeadingSection, Field(discriminator="kind")] | None = None
    """Who turns the curve; default: it goes straight on."""
    look_ahead: float | None = None
    """How far away the point is toward which a link is turned [m]; default: two mean link lengths."""
    rate: float = 30.0
    """Commands per second [Hz]."""
    prescribed: bool = False
    """Whether the motion is imposed instead of being a servo target."""
