"""What the virtual robot does over time: the three ways of section III-E of Liljeback2014 as motions of one kind.

A motion begins with a state and moves it on by a time step in the shape frame given then; from the state and the time
follow the curve, the head's place on it and the roll angle about it. All arrays carry a leading world axis.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import finite, instance, non_negative, one_of, store
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.planning.curves.alignment import check_room
from pushpoint.planning.curves.curve import ShapeCurve
from pushpoint.planning.curves.hermite import KINDS
from pushpoint.planning.curves.progress import SPARE, MovingPoints, Progress, ShapeProgress, advance_head
from pushpoint.planning.curves.segments import GaitSegment

Moving = tuple[np.ndarray, ...]
"""What a motion carries along from command to command."""


class Laid(NamedTuple):
    """Where the virtual robot is to be laid, per world."""

    points: np.ndarray
    """Control points of the curve [m], shape (n_worlds, n_points, 3)."""
    slopes: np.ndarray
    """dS/ds there [m], same shape."""
    head: np.ndarray
    """Parameter of the head's tip [-], shape (n_worlds,)."""


class Motion(Protocol):
    """How the virtual robot and its curve move."""

    roll: float
    """Roll angle about the curve at time zero [rad]."""
    roll_rate: float
    """How fast it grows [rad/s]."""

    def begin(self, robot: SpatialRobot, look_ahead: float) -> Moving:
        """The state of one world at time zero."""

    def advance(self, state: Moving, dt: float, frame: np.ndarray, t: np.ndarray) -> Moving:
        """The state dt [s] later, at time t; frame is the orientation of the shape frame, shape (n_worlds, 3, 3)."""

    def laid(self, state: Moving, t: np.ndarray) -> Laid:
        """Curve and head at time t [s], shape (n_worlds,)."""


@dataclass(frozen=True, kw_only=True)
class AlongCurve:
    """Way 1: the head advances along a curve that a gait segment extends, cycle after cycle."""

    segment: GaitSegment
    """One cycle of the curve."""
    speed: float
    """Of the head along the curve [m/s]."""
    phase: float = 0.0
    """Part of a cycle by which the head is ahead at time zero [-], 0 to 1."""
    lead: GaitSegment | None = None
    """What lies behind the head at time zero, repeated backwards; default: the segment itself."""
    kind: str = "pchip"
    """Kind of curve: "pchip" or "smooth"."""
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Where the cycle begins that the head is on at time zero [m]."""
    roll: float = 0.0
    """Roll angle about the curve at time zero [rad]."""
    roll_rate: float = 0.0
    """How fast it grows [rad/s]."""

    def __post_init__(self) -> None:
        instance("motion.segment", self.segment, GaitSegment, "a GaitSegment")
        one_of("motion.kind", self.kind, KINDS)
        phase = finite("motion.phase", self.phase, "-")
        if not 0.0 <= phase < 1.0:
            raise InvalidModel("motion.phase", phase, "in [0, 1)")
        if self.lead is not None:
            instance("motion.lead", self.lead, GaitSegment, "a GaitSegment, or left out")
        origin = tuple(finite(f"motion.origin[{k}]", part, "m") for k, part in enumerate(self.origin))
        if len(origin) != 3:
            raise InvalidModel("motion.origin", self.origin, "three numbers x, y, z [m]")
        speed = non_negative("motion.speed", self.speed, "m/s")
        store(self, speed=speed, phase=phase, origin=origin, **_rolls(self))

    @property
    def period(self) -> float | None:
        """Duration of one cycle at zero turn [s]; None for a head that stands still."""
        return self.cycle_length / self.speed if self.speed > 0.0 else None

    @property
    def cycle_length(self) -> float:
        """Arc length of one cycle within a curve of many [m]."""
        return _cycle_length(self)

    def begin(self, robot: SpatialRobot, look_ahead: float) -> Moving:
        """A curve that reaches far enough back for the robot, its head `phase` into a cycle."""
        extension = _extension(self, SPARE * (robot.length + look_ahead))
        return extension.advance(extension.begin(1, origin=self.origin), self.phase * self.cycle_length).of_world()

    def advance(self, state: Moving, dt: float, frame: np.ndarray, t: np.ndarray) -> Moving:
        """The heads moved on by speed times dt; points that become necessary are appended in the frame given."""
        return _extension(self, 1.0).advance(Progress(*state), self.speed * dt, frame)

    def laid(self, state: Moving, t: np.ndarray) -> Laid:
        """The window of the curve that the robot is on."""
        progress = Progress(*state)
        return Laid(progress.points, _extension(self, 1.0).slopes(progress), progress.head)


@lru_cache(maxsize=64)
def _extension(motion: AlongCurve, reach: float) -> ShapeProgress:
    return ShapeProgress(segment=motion.segment, reach=reach, kind=motion.kind, lead=motion.lead)


@lru_cache(maxsize=64)
def _cycle_length(motion: AlongCurve) -> float:
    steps = motion.segment.steps
    middle = np.cumsum(np.concatenate([np.zeros((1, 3)), steps, steps, steps]), axis=0)
    curve = ShapeCurve(middle, motion.kind)
    return float(curve.arc_length(2.0 * len(steps)) - curve.arc_length(1.0 * len(steps)))


@dataclass(frozen=True, kw_only=True)
class OnCurve:
    """The head stays at a place of a curve that stays; what moves is the roll angle, as in lateral rolling, IV-D."""

    curve: ShapeCurve
    """The curve."""
    head: float
    """Parameter of the head's tip [-]."""
    roll: float = 0.0
    """Roll angle about the curve at time zero [rad]."""
    roll_rate: float = 0.0
    """How fast it grows [rad/s]."""

    def __post_init__(self) -> None:
        instance("motion.curve", self.curve, ShapeCurve, "a ShapeCurve")
        head = finite("motion.head", self.head, "-")
        if not 0.0 < head <= self.curve.end:
            raise InvalidModel("motion.head", head, f"in (0, {self.curve.end}], on the curve")
        store(self, head=head, **_rolls(self))

    @property
    def period(self) -> float | None:
        """Duration of one turn [s]; None without one."""
        return 2.0 * np.pi / abs(self.roll_rate) if self.roll_rate else None

    def begin(self, robot: SpatialRobot, look_ahead: float) -> Moving:
        """Nothing changes but the time; refuses a curve on which the robot does not find room."""
        check_room(robot, self.curve, self.head)
        return ()

    def advance(self, state: Moving, dt: float, frame: np.ndarray, t: np.ndarray) -> Moving:
        """Nothing changes but the time."""
        return ()

    def laid(self, state: Moving, t: np.ndarray) -> Laid:
        """The curve, once per world."""
        shape = (len(t), *self.curve.points.shape)
        points, slopes = np.broadcast_to(self.curve.points, shape), np.broadcast_to(self.curve.slopes, shape)
        return Laid(points, slopes, np.full(len(t), self.head))


@dataclass(frozen=True, kw_only=True)
class OnMovingPoints:
    """Ways 2 and 3: control points that are a function of time; the head stays at its parameter, or advances too."""

    moving: MovingPoints
    """Control points over time, and where the head is at time zero."""
    speed: float = 0.0
    """Of the head along the curve [m/s]; it stops at the curve's end."""
    period: float | None = None
    """After which the motion repeats itself [s], if it does: for measures."""
    roll: float = 0.0
    """Roll angle about the curve at time zero [rad]."""
    roll_rate: float = 0.0
    """How fast it grows [rad/s]."""

    def __post_init__(self) -> None:
        instance("motion.moving", self.moving, MovingPoints, "MovingPoints")
        store(self, speed=non_negative("motion.speed", self.speed, "m/s"), **_rolls(self))

    def begin(self, robot: SpatialRobot, look_ahead: float) -> Moving:
        """The head's parameter; refuses a curve on which the robot does not find room at first."""
        check_room(robot, ShapeCurve(self.moving.at(0.0)[0][0], self.moving.kind), self.moving.head)
        return (np.array(float(self.moving.head)),)

    def advance(self, state: Moving, dt: float, frame: np.ndarray, t: np.ndarray) -> Moving:
        """The heads moved on by speed times dt along the curve as it is then."""
        if self.speed == 0.0:
            return state
        return (advance_head(*self.moving.at(t), state[0], self.speed * dt),)

    def laid(self, state: Moving, t: np.ndarray) -> Laid:
        """The curve of the time."""
        return Laid(*self.moving.at(t), state[0])


def _rolls(motion: Any) -> dict[str, float]:
    roll, rate = finite("motion.roll", motion.roll, "rad"), finite("motion.roll_rate", motion.roll_rate, "rad/s")
    return {"roll": roll, "roll_rate": rate}
