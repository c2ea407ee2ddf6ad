"""What the virtual robot does over time: the three ways of section III-E of Liljeback2014 as motions of one kind.

A motion begins with a state and moves it on by a time step in the shape frame given then; from the state and the time
follow the curve, the head's place on it and the roll angle about it. All arrays carry a leading world axis.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Generic, Literal, NamedTuple, TypeVar

import numpy as np

from pushpoint.engine.batching import pick
from pushpoint.engine.controller import Default
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import at_least, check_fields, instance, store
from pushpoint.model.kinds import family, register
from pushpoint.model.quantities import Angle, AngularRate, Number, Place
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.planning.curves.alignment import check_room
from pushpoint.planning.curves.curve import ShapeCurve, control_points
from pushpoint.planning.curves.progress import SPARE, MovingPoints, Progress, ShapeProgress, advance_head
from pushpoint.planning.curves.segments import GaitSegment


class Laid(NamedTuple):
    """Where the virtual robot is to be laid, per world."""

    points: np.ndarray
    """Control points of the curve [m], shape (n_worlds, n_points, 3)."""
    slopes: np.ndarray
    """dS/ds there [m], same shape."""
    head: np.ndarray
    """Parameter of the head's tip [-], shape (n_worlds,)."""


State = TypeVar("State")
CurveKind = Literal["pchip", "smooth"]


@family
class Motion(ABC, Generic[State]):
    """How the virtual robot and its curve move."""

    if TYPE_CHECKING:  # read-only for those who derive from it, so that a field and a property both fulfil it

        @property
        def period(self) -> float | None:
            """Duration of a cycle [s]; None where there is none."""

        @property
        def roll(self) -> float:
            """Roll angle about the curve at time zero [rad]."""

        @property
        def roll_rate(self) -> float:
            """How fast it grows [rad/s]."""

    else:
        period, roll, roll_rate = Default(None), Default(0.0), Default(0.0)

    @abstractmethod
    def begin(self, robot: SpatialRobot, look_ahead: float) -> State:
        """The state of one world at time zero."""

    @abstractmethod
    def advance(self, state: State, dt: float, frame: np.ndarray, t: np.ndarray) -> State:
        """The state dt [s] later, at time t; frame is the orientation of the shape frame, shape (n_worlds, 3, 3)."""

    @abstractmethod
    def laid(self, state: State, t: np.ndarray) -> Laid:
        """Curve and head at time t [s], shape (n_worlds,)."""


@register("along")
@dataclass(frozen=True, kw_only=True)
class AlongCurve(Motion[Progress]):
    """Way 1: the head advances along a curve that a gait segment extends, cycle after cycle."""

    segment: GaitSegment
    """One cycle of the curve."""
    speed: Annotated[float, at_least(0, "m/s")]
    """Of the head along the curve [m/s]."""
    phase: Number = 0.0
    """Part of a cycle by which the head is ahead at time zero [-], 0 to 1."""
    lead: GaitSegment | None = None
    """What lies behind the head at time zero, repeated backwards; default: the segment itself."""
    curve: CurveKind = "pchip"
    """How the points are joined: pchip never overshoots them, smooth has no corners and turns with them."""
    origin: Place = (0.0, 0.0, 0.0)
    """Where the cycle begins that the head is on at time zero [m]."""
    roll: Angle = 0.0
    """Roll angle about the curve at time zero [rad]."""
    roll_rate: AngularRate = 0.0
    """How fast it grows [rad/s]."""

    def __post_init__(self) -> None:
        check_fields(self, "motion")
        if not 0.0 <= self.phase < 1.0:
            raise InvalidModel("motion.phase", self.phase, "in [0, 1)")

    @property
    def period(self) -> float | None:
        """Duration of one cycle at zero turn [s]; None for a head that stands still."""
        return self.cycle_length / self.speed if self.speed > 0.0 else None

    @property
    def cycle_length(self) -> float:
        """Arc length of one cycle within a curve of many [m]."""
        return _cycle_length(self)

    def begin(self, robot: SpatialRobot, look_ahead: float) -> Progress:
        """A curve that reaches far enough back for the robot, its head `phase` into a cycle."""
        extension = _extension(self, SPARE * (robot.length + look_ahead))
        progress = extension.begin(1, origin=self.origin)
        return pick(extension.advance(progress, self.phase * self.cycle_length), 0)

    def advance(self, state: Progress, dt: float, frame: np.ndarray, t: np.ndarray) -> Progress:
        """The heads moved on by speed times dt; points that become necessary are appended in the frame given."""
        return _extension(self, 1.0).advance(state, self.speed * dt, frame)

    def laid(self, state: Progress, t: np.ndarray) -> Laid:
        """The window of the curve that the robot is on."""
        return Laid(state.points, _extension(self, 1.0).slopes(state), state.head)


@lru_cache(maxsize=64)
def _extension(motion: AlongCurve, reach: float) -> ShapeProgress:
    return ShapeProgress(segment=motion.segment, reach=reach, kind=motion.curve, lead=motion.lead)


@lru_cache(maxsize=64)
def _cycle_length(motion: AlongCurve) -> float:
    steps = motion.segment.steps
    middle = np.cumsum(np.concatenate([np.zeros((1, 3)), steps, steps, steps]), axis=0)
    curve = ShapeCurve(middle, motion.curve)
    return float(curve.arc_length(2.0 * len(steps)) - curve.arc_length(1.0 * len(steps)))


@register("on-curve")
@dataclass(frozen=True, kw_only=True)
class OnCurve(Motion[None]):
    """The head stays at a place of a curve that stays; what moves is the roll angle, as in lateral rolling, IV-D."""

    points: Sequence[Place]
    """Points of the curve, from the tail's side to the head's [m]; two or more."""
    curve: CurveKind = "pchip"
    """How the points are joined: pchip never overshoots them, smooth has no corners and turns with them."""
    head: Number | None = None
    """Where the head's tip is: 1.5 is halfway from the second point to the third [-]; default: at the last point."""
    roll: Angle = 0.0
    """Roll angle about the curve at time zero [rad]."""
    roll_rate: AngularRate = 0.0
    """How fast it grows [rad/s]."""

    def __post_init__(self) -> None:
        check_fields(self, "motion")
        points = control_points("motion.points", self.points)
        store(self, points=tuple(tuple(point) for point in points.tolist()))
        end = self.drawn.end
        store(self, head=end if self.head is None else self.head)
        if not 0.0 < self.at <= end:
            raise InvalidModel("motion.head", self.head, f"in (0, {end}], on the curve")

    @property
    def drawn(self) -> ShapeCurve:
        """The curve."""
        return _drawn(tuple(self.points), self.curve)

    @property
    def at(self) -> float:
        """Parameter of the head's tip [-]."""
        return float(self.head or 0.0)

    @property
    def period(self) -> float | None:
        """Duration of one turn [s]; None without one."""
        return 2.0 * np.pi / abs(self.roll_rate) if self.roll_rate else None

    def begin(self, robot: SpatialRobot, look_ahead: float) -> None:
        """Nothing changes but the time; refuses a curve on which the robot does not find room."""
        check_room(robot, self.drawn, self.at)

    def advance(self, state: None, dt: float, frame: np.ndarray, t: np.ndarray) -> None:
        """Nothing changes but the time."""

    def laid(self, state: None, t: np.ndarray) -> Laid:
        """The curve, once per world."""
        curve = self.drawn
        shape = (len(t), *curve.points.shape)
        points, slopes = np.broadcast_to(curve.points, shape), np.broadcast_to(curve.slopes, shape)
        return Laid(points, slopes, np.full(len(t), self.at))


@lru_cache(maxsize=64)
def _drawn(points: tuple[tuple[float, float, float], ...], kind: str) -> ShapeCurve:
    return ShapeCurve(np.array(points), kind)


@dataclass(frozen=True, kw_only=True)
class OnMovingPoints(Motion[np.ndarray]):
    """Ways 2 and 3: control points that are a function of time; the head stays at its parameter, or advances too."""

    moving: MovingPoints
    """Control points over time, and where the head is at time zero."""
    speed: Annotated[float, at_least(0, "m/s")] = 0.0
    """Of the head along the curve [m/s]; it stops at the curve's end."""
    period: float | None = None
    """After which the motion repeats itself [s], if it does: for measures."""
    roll: Angle = 0.0
    """Roll angle about the curve at time zero [rad]."""
    roll_rate: AngularRate = 0.0
    """How fast it grows [rad/s]."""

    def __post_init__(self) -> None:
        instance("motion.moving", self.moving, MovingPoints, "MovingPoints")
        check_fields(self, "motion")

    def begin(self, robot: SpatialRobot, look_ahead: float) -> np.ndarray:
        """The head's parameter; refuses a curve on which the robot does not find room at first."""
        check_room(robot, ShapeCurve(self.moving.at(0.0)[0][0], self.moving.kind), self.moving.head)
        return np.array(float(self.moving.head))

    def advance(self, state: np.ndarray, dt: float, frame: np.ndarray, t: np.ndarray) -> np.ndarray:
        """The heads moved on by speed times dt along the curve as it is then."""
        return state if self.speed == 0.0 else advance_head(*self.moving.at(t), state, self.speed * dt)

    def laid(self, state: np.ndarray, t: np.ndarray) -> Laid:
        """The curve of the time."""
        return Laid(*self.moving.at(t), state)
