"""How the virtual robot moves: the three ways of section III-E of Liljeback2014.

Way 1: the head advances by arc length, and the curve is extended ahead of it, `ShapeProgress`. Way 2: the head stays
and the control points move, `MovingPoints`. Way 3: both, `MovingPoints` with `advance_head`.

A motion begins with a state and advances it by a time step, in the shape frame given then. The state and the time
determine the curve, the head's position on it and the roll angle. All arrays have a leading world axis.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.batching import pick
from pushpoint.engine.controller import Default
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import above, at_least, check_fields, instance, positive, store
from pushpoint.model.kinds import family_base, register
from pushpoint.model.quantities import AngularRate, Length, Number, Phase, Place
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.planning.curves.alignment import check_room, default_look_ahead
from pushpoint.planning.curves.curve import ShapeCurve, control_points
from pushpoint.planning.curves.hermite import advance_head, slopes_of, within_piece
from pushpoint.planning.curves.moving_points import CurveKind, MovingPoints
from pushpoint.planning.curves.segments import GaitSegment

AHEAD = 3
"""Control points kept ahead of the head, so that its piece and the next one do not change any more [-]."""
BEHIND = 2
"""Control points kept behind the last one needed, so that the window's edge does not affect the slopes [-]."""
SPARE = 2.0
"""Arc length kept behind the head, in lengths of the robot and its look-ahead [-]. Links cut corners of the curve."""


class Progress(NamedTuple):
    """The state of each world: a window of control points, and the head's position in it."""

    points: np.ndarray
    """The last control points of the curve [m], shape (n_worlds, n_points, 3)."""
    head: np.ndarray
    """Parameter of the head in the window [-], shape (n_worlds,)."""
    upcoming: np.ndarray
    """Index of the segment's next point, 1 to k - 1, shape (n_worlds,)."""


@dataclass(frozen=True, kw_only=True)
class ShapeProgress:
    """Extends a shape curve by a gait segment, one control point at a time, as the head advances.

    The window has a fixed size: for each appended point, the oldest one is dropped.
    """

    __repr__ = brief

    segment: GaitSegment
    """The segment that is repeated."""
    reach: Length
    """Arc length of the curve that is kept behind the head [m]; see `for_robot`."""
    kind: CurveKind = "pchip"
    """Kind of curve: "pchip" or "smooth"."""
    lead: GaitSegment | None = None
    """What lies behind the head at first, repeated backwards; default: the segment itself."""

    def __post_init__(self) -> None:
        check_fields(self, "progress")
        store(self, lead=self.lead or self.segment)

    @staticmethod
    def for_robot(
        robot: SpatialRobot,
        segment: GaitSegment,
        *,
        look_ahead: float | None = None,
        kind: CurveKind = "pchip",
        lead: GaitSegment | None = None,
    ) -> ShapeProgress:
        """Keeps twice as much curve as the straight robot and its look-ahead need.

        Args:
            robot: The robot.
            segment: The segment that is repeated.
            look_ahead: Look-ahead distance [m]; default: two mean link lengths.
            kind: How the points are joined: "pchip" or "smooth".
            lead: What lies behind the head at first, repeated backwards; default: the segment itself.
        """
        instance("robot", robot, SpatialRobot, "a SpatialRobot")
        distance = default_look_ahead(robot) if look_ahead is None else positive("look_ahead", look_ahead, "m")
        return ShapeProgress(segment=segment, reach=SPARE * (robot.length + distance), kind=kind, lead=lead)

    @property
    def n_points(self) -> int:
        """Number of control points in the window [-], enough wherever within a cycle the head is.

        It is computed with chords, which are never longer than the pieces of the curve.
        """
        needed = 0
        for block in (self.segment, self.lead or self.segment):
            chords = np.linalg.norm(block.steps, axis=1)
            cycles = int(self.reach // chords.sum()) + 2
            walked = np.concatenate([[0.0], np.cumsum(np.tile(chords, cycles))])
            reached = np.searchsorted(walked, walked[: len(chords)] + self.reach)
            needed = max(needed, int((reached - np.arange(len(chords))).max()))
        return needed + BEHIND + 1 + AHEAD

    def begin(self, n_worlds: int = 1, *, origin: Any = (0.0, 0.0, 0.0), frame: Any = None) -> Progress:
        """The head at `origin` [m], where a cycle of the segment begins, with the lead behind it and the segment ahead.

        `frame` is the orientation of the shape frame, for all worlds or for each, shape ([n_worlds,] 3, 3); default:
        the world's axes. To begin within a cycle, advance by a part of it.
        """
        turn = _orientation(frame)
        behind = self.n_points - 1 - AHEAD
        back = -(self.lead or self.segment).steps[::-1]
        backwards = np.cumsum(np.tile(back, (behind // len(back) + 1, 1))[:behind], axis=0)[::-1]
        shape = np.concatenate([backwards, np.zeros((1, 3))])
        points = np.asarray(origin, dtype=float)[..., None, :] + shape @ np.swapaxes(turn, -1, -2)
        window = np.zeros((n_worlds, self.n_points, 3))
        window[:, AHEAD:] = points  # the entries before them are replaced by points ahead
        upcoming = np.ones(n_worlds, dtype=int)
        for _ in range(AHEAD):
            window, upcoming = self._appended(window, upcoming, turn)
        return Progress(window, np.full(n_worlds, float(behind)), upcoming)

    def advance(self, progress: Progress, distance: Any, frame: Any = None) -> Progress:
        """Moves the heads by a distance along their curves [m], >= 0: speed times elapsed time.

        New control points are appended in the shape frame given now, shape ([n_worlds,] 3, 3).
        """
        points, head, upcoming = progress
        turn = _orientation(frame)
        left = np.broadcast_to(np.asarray(distance, dtype=float), head.shape).copy()
        if not np.all(np.isfinite(left) & (left >= 0.0)):
            raise InvalidModel("distance", distance, "finite and >= 0 [m]")
        while True:
            head, left = within_piece(points, slopes_of(points, self.kind), head, left)
            short = np.floor(head) + AHEAD > points.shape[-2] - 1
            if not (short | (left > 0.0)).any():
                return Progress(points, head, upcoming)
            longer, following = self._appended(points, upcoming, turn)
            points = np.where(short[:, None, None], longer, points)
            upcoming = np.where(short, following, upcoming)
            head = np.where(short, head - 1.0, head)

    def slopes(self, progress: Progress) -> np.ndarray:
        """dS/ds at the window's control points [m], for the alignment."""
        return slopes_of(progress.points, self.kind)

    def _appended(self, points: np.ndarray, upcoming: np.ndarray, turn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The windows with one more point each, (18), and the index of the segment's next point."""
        steps = self.segment.steps
        new = points[:, -1] + np.einsum("...ij,...j->...i", turn, steps[upcoming - 1])
        return np.concatenate([points[:, 1:], new[:, None]], axis=1), upcoming % len(steps) + 1


def _orientation(frame: Any) -> np.ndarray:
    """The shape frame's orientation as matrices; None stands for the world's axes."""
    if frame is None:
        return np.eye(3)
    turn = np.asarray(frame, dtype=float)
    if turn.shape[-2:] != (3, 3) or not np.isfinite(turn).all():
        raise InvalidModel("frame", frame, "finite rotation matrices, shape ([n_worlds,] 3, 3)")
    return turn


class Laid(NamedTuple):
    """Where the virtual robot lies, per world."""

    points: np.ndarray
    """Control points of the curve [m], shape (n_worlds, n_points, 3)."""
    slopes: np.ndarray
    """dS/ds there [m], same shape."""
    head: np.ndarray
    """Parameter of the head's tip [-], shape (n_worlds,)."""


State = TypeVar("State")


@family_base
@dataclass(frozen=True, kw_only=True)
class Motion(ABC, Generic[State]):
    """Base class of motions of the virtual robot and its curve."""

    roll: Phase = 0.0
    """Roll angle about the curve at time zero [rad]."""
    roll_rate: AngularRate = 0.0
    """Rate of the roll angle [rad/s]."""

    steered: ClassVar[bool] = True
    """Whether turning the shape frame changes the curve. A fixed curve would only turn together with its robot."""

    if TYPE_CHECKING:  # read-only, so that derived classes may use a field or a property

        @property
        def period(self) -> float | None:
            """Duration of one cycle [s]; None without cycles."""

    else:
        period = Default(None)

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
        return _cycle_length(self)

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
    """The head stays in place on a fixed curve, and the roll angle changes, as in lateral rolling (IV-D)."""

    __repr__ = brief

    steered = False

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


@register("on-moving-points")
@dataclass(frozen=True, kw_only=True)
class OnMovingPoints(Motion[np.ndarray]):
    """Ways 2 and 3: the control points are a function of time; the head stays at its parameter or advances too."""

    __repr__ = brief

    steered = False

    moving: MovingPoints
    """The curve over time, and the head's position on it at time zero."""
    speed: Annotated[float, at_least(0, "m/s")] = 0.0
    """Speed of the head along the curve [m/s]. It stops at the curve's end."""
    period: Annotated[float, above(0, "s")] | None = None
    """Time after which the motion repeats itself [s], if it does; used by measures."""

    def __post_init__(self) -> None:
        instance("motion.moving", self.moving, MovingPoints, "MovingPoints")
        check_fields(self, "motion")

    def begin(self, robot: SpatialRobot, look_ahead: float) -> np.ndarray:
        """The head's parameter; raises InvalidModel if the curve is too short for the robot at first."""
        check_room(robot, ShapeCurve(self.moving.at(0.0)[0][0], self.moving.curve), self.moving.head)
        return np.array(float(self.moving.head))

    def advance(self, state: np.ndarray, dt: float, frame: np.ndarray, t: np.ndarray) -> np.ndarray:
        """The heads moved on by speed times dt along the curve at that time."""
        return state if self.speed == 0.0 else advance_head(*self.moving.at(t), state, self.speed * dt)

    def laid(self, state: np.ndarray, t: np.ndarray) -> Laid:
        """The curve at the current time."""
        return Laid(*self.moving.at(t), state)
