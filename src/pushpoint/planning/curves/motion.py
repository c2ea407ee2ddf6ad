"""How the virtual robot moves: the three ways of section III-E of Liljeback2014.

Way 1: the head advances by arc length, and the curve is extended ahead of it: `AlongCurve`. Way 2: the head stays and
the control points move: `OnMovingPoints`. Way 3: both, on a curve that is given whole (`OnMovingPoints` with a speed)
or that grows (`AlongMovingCurve`).

A motion begins with a state and advances it by a time step, in the shape frame given then. The state and the time
determine the curve, the head's position on it and the roll angle. All arrays have a leading world axis.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Generic, NamedTuple, TypeVar

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.batching import pick
from pushpoint.engine.controller import Default
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import at_least, check_fields, store
from pushpoint.model.kinds import family_base, register
from pushpoint.model.quantities import AngularRate, Number, Phase, Place
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.planning.curves.alignment import check_room
from pushpoint.planning.curves.curve import ShapeCurve, control_points
from pushpoint.planning.curves.moving_points import CurveKind
from pushpoint.planning.curves.progress import SPARE, Progress, ShapeProgress
from pushpoint.planning.curves.segments import GaitSegment


class Laid(NamedTuple):
    """Where the virtual robot lies, per world."""

    points: np.ndarray
    """Control points of the curve [m], shape (n_worlds, n_points, 3)."""
    slopes: np.ndarray
    """dS/ds there [m], same shape."""
    head: np.ndarray
    """Parameter of the head's tip [-], shape (n_worlds,)."""
    up: np.ndarray | None = None
    """The shape frame's z axis at the head, shape (n_worlds, 3); default: the world's.

    The head's y axis is level where this points up.
    """


State = TypeVar("State")


@family_base
@dataclass(frozen=True, kw_only=True)
class Motion(ABC, Generic[State]):
    """Base class of motions of the virtual robot and its curve."""

    roll: Phase = 0.0
    """Roll angle about the curve at time zero [rad]."""
    roll_rate: AngularRate = 0.0
    """Rate of the roll angle [rad/s]."""

    if TYPE_CHECKING:  # read-only, so that derived classes may use a field or a property

        @property
        def period(self) -> float | None:
            """Duration of one cycle [s]; None without cycles."""

    else:
        period = Default(None)

    @property
    def steered(self) -> bool:
        """Whether turning the shape frame changes the body. A fixed curve would only turn together with its robot."""
        return True

    @property
    def curve_kind(self) -> CurveKind:
        """How its control points are joined: "pchip" or "smooth"."""
        return getattr(self, "curve", "pchip")

    @abstractmethod
    def begin(self, robot: SpatialRobot, look_ahead: float) -> State:
        """The state of one world at time zero."""

    @abstractmethod
    def advance(self, state: State, dt: float, frame: np.ndarray, t: np.ndarray) -> State:
        """The state dt [s] later, at time t; `frame` is the shape frame's orientation, shape (n_worlds, 3, 3)."""

    @abstractmethod
    def laid(self, state: State, t: np.ndarray) -> Laid:
        """Curve and head at time t [s], shape (n_worlds,)."""


@register("along")
@dataclass(frozen=True, kw_only=True)
class AlongCurve(Motion[Progress]):
    """Way 1: the head advances along a curve that repeats a gait segment, cycle after cycle.

    For example:

        snake = pp.catalogue.liljeback2014()
        motion = pp.planning.AlongCurve(segment=pp.planning.sidewinding(snake), speed=0.3)
    """

    __repr__ = brief

    segment: GaitSegment
    """One cycle of the curve."""
    speed: Annotated[float, at_least(0, "m/s")]
    """Speed of the head along the curve [m/s]."""
    phase: Number = 0.0
    """Part of a cycle by which the head is ahead at time zero [-], from 0 to below 1."""
    lead: GaitSegment | None = None
    """What lies behind the head at time zero, repeated backwards; default: the segment itself."""
    curve: CurveKind = "pchip"
    """How the points are joined: "pchip" never overshoots them, "smooth" has no corners and follows any turn."""
    origin: Place = (0.0, 0.0, 0.0)
    """Where the head's cycle begins at time zero [m]."""

    def __post_init__(self) -> None:
        check_fields(self, "motion")
        if not 0.0 <= self.phase < 1.0:
            raise InvalidModel("motion.phase", self.phase, "in [0, 1)")

    @property
    def period(self) -> float | None:
        """Duration of one cycle without turning [s]; None if the head stands still."""
        return self.cycle_length / self.speed if self.speed > 0.0 else None

    @property
    def cycle_length(self) -> float:
        """Arc length of one cycle within a curve of many [m]."""
        return cycle_length(self.segment, self.curve)

    def begin(self, robot: SpatialRobot, look_ahead: float) -> Progress:
        """A curve that reaches far enough back for the robot, with its head `phase` into a cycle."""
        extension = _extension(self, SPARE * (robot.length + look_ahead))
        progress = extension.begin(1, origin=self.origin)
        return pick(extension.advance(progress, self.phase * self.cycle_length), 0)

    def advance(self, state: Progress, dt: float, frame: np.ndarray, t: np.ndarray) -> Progress:
        """The heads moved on by speed times dt. New points are appended in the given frame."""
        return _extension(self, 1.0).advance(state, self.speed * dt, frame)

    def laid(self, state: Progress, t: np.ndarray) -> Laid:
        """The window of the curve that the robot is on."""
        return Laid(state.points, _extension(self, 1.0).slopes(state), state.head, at_parameter(state.up, state.head))


def at_parameter(values: np.ndarray, parameter: np.ndarray) -> np.ndarray:
    """Vectors given at control points, shape (n_worlds, n, 3), interpolated at a parameter per world."""
    first = np.clip(np.floor(parameter).astype(int), 0, values.shape[1] - 2)
    worlds = np.arange(len(values))
    before, after = values[worlds, first], values[worlds, first + 1]
    return np.asarray(before + (parameter - first)[:, None] * (after - before))


@lru_cache(maxsize=64)
def _extension(motion: AlongCurve, reach: float) -> ShapeProgress:
    return ShapeProgress(segment=motion.segment, reach=reach, kind=motion.curve, lead=motion.lead)


@lru_cache(maxsize=64)
def cycle_length(segment: GaitSegment, kind: str) -> float:
    """Arc length of one cycle of a segment within a curve of many [m]."""
    steps = segment.steps
    middle = np.cumsum(np.concatenate([np.zeros((1, 3)), steps, steps, steps]), axis=0)
    curve = ShapeCurve(middle, kind)
    return float(curve.arc_length(2.0 * len(steps)) - curve.arc_length(1.0 * len(steps)))


@register("on-curve")
@dataclass(frozen=True, kw_only=True)
class OnCurve(Motion[None]):
    """The head stays in place on a fixed curve, and the roll angle changes, as in lateral rolling (IV-D)."""

    __repr__ = brief

    points: Sequence[Place]
    """Points of the curve from tail to head [m]; two or more."""
    curve: CurveKind = "pchip"
    """How the points are joined: "pchip" never overshoots them, "smooth" has no corners and follows any turn."""
    head: Number | None = None
    """Parameter of the head's tip [-], 1.5 for halfway from the second point to the third; default: the last point."""

    def __post_init__(self) -> None:
        check_fields(self, "motion")
        points = control_points("motion.points", self.points)
        store(self, points=tuple(tuple(point) for point in points.tolist()))
        end = self.drawn.end
        store(self, head=end if self.head is None else self.head)
        if not 0.0 < self.at <= end:
            raise InvalidModel("motion.head", self.head, f"in (0, {end}], on the curve")

    @property
    def steered(self) -> bool:
        """Never: its curve is fixed."""
        return False

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
        """Duration of one full roll [s]; None if it does not roll."""
        return 2.0 * np.pi / abs(self.roll_rate) if self.roll_rate else None

    def begin(self, robot: SpatialRobot, look_ahead: float) -> None:
        """No state; raises InvalidModel if the curve is too short for the robot."""
        check_room(robot, self.drawn, self.at)

    def advance(self, state: None, dt: float, frame: np.ndarray, t: np.ndarray) -> None:
        """No state."""

    def laid(self, state: None, t: np.ndarray) -> Laid:
        """The curve, once per world."""
        curve = self.drawn
        shape = (len(t), *curve.points.shape)
        points, slopes = np.broadcast_to(curve.points, shape), np.broadcast_to(curve.slopes, shape)
        return Laid(points, slopes, np.full(len(t), self.at))


@lru_cache(maxsize=64)
def _drawn(points: tuple[tuple[float, float, float], ...], kind: str) -> ShapeCurve:
    return ShapeCurve(np.array(points), kind)
