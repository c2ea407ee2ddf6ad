"""Motions on curves whose control points move: ways 2 and 3 of section III-E of Liljeback2014."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, NamedTuple

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.batching import pick, stack
from pushpoint.errors import InvalidModel
from pushpoint.model.arrays import Axes, array_of_numbers
from pushpoint.model.checks import above, at_least, check_fields, instance
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Number, Place
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.planning.curves.alignment import check_room
from pushpoint.planning.curves.curve import ShapeCurve, control_points
from pushpoint.planning.curves.hermite import advance_head, slopes_of, within_piece
from pushpoint.planning.curves.motion import Laid, Motion, at_parameter, cycle_length
from pushpoint.planning.curves.moving_points import CurveKind, MovingPoints, PointsOverTime
from pushpoint.planning.curves.progress import AHEAD, SPARE, ShapeProgress
from pushpoint.planning.curves.segments import GaitSegment
from pushpoint.planning.curves.turns import Turns, no_turns, turned_on, turned_points


class OnPoints(NamedTuple):
    """Where the head is on points that are given whole, and how they are turned."""

    head: np.ndarray
    """Parameter of the head [-]."""
    turns: Turns
    """The frames that turn the curve."""


@register("on-moving-points")
@dataclass(frozen=True, kw_only=True)
class OnMovingPoints(Motion[OnPoints]):
    """Ways 2 and 3: the control points are a function of time; the head stays at its parameter or advances too.

    A turn of the shape frame begins at the head, turns all points ahead of it, and runs back along the body: with the
    head's speed, and with the pace at which the shape itself runs back through the points.
    """

    __repr__ = brief

    moving: MovingPoints
    """The curve over time, and the head's position on it at time zero."""
    speed: Annotated[float, at_least(0, "m/s")] = 0.0
    """Speed of the head along the curve [m/s]. It stops at the curve's end."""
    period: Annotated[float, above(0, "s")] | None = None
    """Time after which the motion repeats itself [s], if it does; used by measures."""

    def __post_init__(self) -> None:
        instance("motion.moving", self.moving, MovingPoints, "MovingPoints")
        check_fields(self, "motion")

    @property
    def steered(self) -> bool:
        """Whether a turn reaches the body: the head advances, or the shape runs back."""
        return self.speed > 0.0 or self.moving.turn_pace > 0.0

    @property
    def curve_kind(self) -> CurveKind:
        """How the points are joined."""
        return self.moving.curve

    def begin(self, robot: SpatialRobot, look_ahead: float) -> OnPoints:
        """The head's parameter; raises InvalidModel if the curve is too short for the robot at first."""
        points = self.moving.at(0.0)[0][0]
        check_room(robot, ShapeCurve(points, self.moving.curve), self.moving.head)
        return OnPoints(np.array(float(self.moving.head)), no_turns(len(points)))

    def advance(self, state: OnPoints, dt: float, frame: np.ndarray, t: np.ndarray) -> OnPoints:
        """The heads moved on by speed times dt along the curve at that time, and the turns run back."""
        head = state.head
        if self.speed > 0.0:
            points, slopes = self._curve(state, t)
            head = advance_head(points, slopes, head, self.speed * dt)
        way = head - state.head + self.moving.turn_pace * dt
        return OnPoints(head, turned_on(state.turns, way, frame))

    def laid(self, state: OnPoints, t: np.ndarray) -> Laid:
        """The curve at the current time."""
        return Laid(*self._curve(state, t), state.head, state.turns.now[..., 2])

    def _curve(self, state: OnPoints, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        points, slopes = self.moving.at(t)
        turned = turned_points(points, state.head, state.turns)
        return (points, slopes) if turned is points else (turned, slopes_of(turned, self.moving.curve))


class Growth(NamedTuple):
    """The state of each world: the frames and numbers of a window of control points, and the head's position in it."""

    newest: np.ndarray
    """The last control point [m], shape (n_worlds, 3)."""
    frames: np.ndarray
    """The shape frame when each point was appended, shape (n_worlds, n_points, 3, 3)."""
    number: np.ndarray
    """Which point of the segment each one is, 1 to k - 1, shape (n_worlds, n_points)."""
    head: np.ndarray
    """Parameter of the head in the window [-], shape (n_worlds,)."""


@register("along-moving")
@dataclass(frozen=True, kw_only=True)
class AlongMovingCurve(Motion[Growth]):
    """Way 3 on a curve that grows: the head advances along a gait segment whose points are a function of time.

    Points that were appended go on moving, each in the frame in which it was appended. With a segment that stays this
    is AlongCurve.

    For example, a robot that sidewinds to its left for 5 s, and from 8 s on to its right:

        snake = pp.catalogue.liljeback2014()
        left, right = (pp.planning.sidewinding(snake, height=height) for height in (0.03, -0.03))
        change = pp.planning.SegmentBlend(first=left, second=right, begin=5.0, duration=3.0)
        motion = pp.planning.AlongMovingCurve(segment=change, speed=0.5)
    """

    __repr__ = brief

    segment: PointsOverTime | Callable[[np.ndarray], np.ndarray]
    """The points of one cycle over time: a registered kind, such as a blend of two segments, or a function.

    Scenario files can hold a registered kind only.
    """
    speed: Annotated[float, at_least(0, "m/s")]
    """Speed of the head along the curve [m/s]."""
    phase: Number = 0.0
    """Part of a cycle by which the head is ahead at time zero [-], from 0 to below 1."""
    curve: CurveKind = "pchip"
    """How the points are joined: "pchip" never overshoots them, "smooth" has no corners and follows any turn."""
    origin: Place = (0.0, 0.0, 0.0)
    """Where the head's cycle begins at time zero [m]."""

    def __post_init__(self) -> None:
        check_fields(self, "motion")
        if not callable(self.segment) or isinstance(self.segment, type):
            raise InvalidModel("motion.segment", self.segment, "control points as a function of time")
        control_points("motion.segment", self._points(np.zeros(1))[0])
        if not 0.0 <= self.phase < 1.0:
            raise InvalidModel("motion.phase", self.phase, "in [0, 1)")

    @property
    def first(self) -> GaitSegment:
        """The segment at time zero."""
        return _at_first(self)

    @property
    def period(self) -> float | None:
        """Duration of one cycle of the curve at time zero [s]; None if the head stands still."""
        return cycle_length(self.first, self.curve) / self.speed if self.speed > 0.0 else None

    def begin(self, robot: SpatialRobot, look_ahead: float) -> Growth:
        """A curve that reaches far enough back for the robot at time zero, with its head `phase` into a cycle."""
        first = ShapeProgress(segment=self.first, reach=SPARE * (robot.length + look_ahead), kind=self.curve)
        progress = first.begin(1, origin=self.origin)
        n, cycle = first.n_points, len(self.first.steps)
        number = (np.arange(n) - (n - 1 - AHEAD) - 1) % cycle + 1
        state = Growth(progress.points[0, -1], np.tile(np.eye(3), (n, 1, 1)), number, progress.head[0])
        way = self.phase * cycle_length(self.first, self.curve)
        return pick(self._moved(stack([state]), way, np.eye(3), np.zeros(1)), 0)

    def advance(self, state: Growth, dt: float, frame: np.ndarray, t: np.ndarray) -> Growth:
        """The heads moved on by speed times dt along the curve at that time. New points have the given frame."""
        return self._moved(state, self.speed * dt, frame, t)

    def laid(self, state: Growth, t: np.ndarray) -> Laid:
        """The window of the curve that the robot is on, at time t."""
        points = self._window(state, self._steps(t))
        return Laid(points, slopes_of(points, self.curve), state.head, at_parameter(state.frames[..., 2], state.head))

    def _moved(self, state: Growth, distance: float, frame: np.ndarray, t: np.ndarray) -> Growth:
        steps, left = self._steps(t), np.full(len(t), distance)
        turn = np.broadcast_to(frame, state.frames[:, -1].shape)
        while True:
            points = self._window(state, steps)
            head, left = within_piece(points, slopes_of(points, self.curve), state.head, left)
            short = np.floor(head) + AHEAD > points.shape[1] - 1
            state = state._replace(head=head)
            if not (short | (left > 0.0)).any():
                return state
            longer = self._appended(state, steps, turn)
            parts = (
                (new, old, short.reshape(-1, *[1] * (old.ndim - 1))) for new, old in zip(longer, state, strict=True)
            )
            state = Growth(*(np.where(which, new, old) for new, old, which in parts))

    def _appended(self, state: Growth, steps: np.ndarray, turn: np.ndarray) -> Growth:
        """One more point each, (18)."""
        newest, frames, number, head = state
        coming = number[:, -1] % steps.shape[1] + 1
        step = steps[np.arange(len(head)), coming - 1]
        return Growth(
            newest + np.einsum("wij,wj->wi", turn, step),
            np.concatenate([frames[:, 1:], turn[:, None]], axis=1),
            np.concatenate([number[:, 1:], coming[:, None]], axis=1),
            head - 1.0,
        )

    def _window(self, state: Growth, steps: np.ndarray) -> np.ndarray:
        """The control points [m], from the newest one backwards."""
        taken = np.take_along_axis(steps, state.number[:, 1:, None] - 1, axis=1)
        moved = np.einsum("wkij,wkj->wki", state.frames[:, 1:], taken)
        back = np.cumsum(moved[:, ::-1], axis=1)[:, ::-1]
        newest = state.newest[:, None]
        return np.concatenate([newest - back, newest], axis=1)

    def _points(self, t: np.ndarray) -> np.ndarray:
        """The segment's points [m], shape (n_worlds, k, 3)."""
        return array_of_numbers("motion.segment", self.segment(t), Axes(len(t), "k", 3), unit="m")

    def _steps(self, t: np.ndarray) -> np.ndarray:
        return np.diff(self._points(t), axis=1)


@lru_cache(maxsize=64)
def _at_first(motion: AlongMovingCurve) -> GaitSegment:
    return GaitSegment(motion._points(np.zeros(1))[0])
