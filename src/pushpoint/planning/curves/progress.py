"""Motion along a shape curve that grows: the ways of section III-E of Liljeback2014, for many worlds at once.

Way 1: the head advances by arc length and the curve is extended ahead of it, `ShapeProgress`. Way 2: the head stays
and the control points move, `MovingPoints`. Way 3: both, `MovingPoints` with `advance_head`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import finite, instance, one_of, positive, store
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.planning.curves import hermite
from pushpoint.planning.curves.alignment import default_look_ahead
from pushpoint.planning.curves.hermite import KINDS, slopes_of
from pushpoint.planning.curves.segments import GaitSegment

AHEAD = 3
"""Control points kept ahead of the head: the piece it is on and the next one then stay where they are [-]."""
BEHIND = 2
"""Control points kept behind the last one needed, so that the slopes there do not feel the window's edge [-]."""
SPARE = 2.0
"""Arc length kept behind the head, in lengths of the robot and its look-ahead: links cut corners of the curve [-]."""


class Progress(NamedTuple):
    """What changes, per world: a window of control points and where the head is in it."""

    points: np.ndarray
    """The last control points of the curve [m], shape (n_worlds, n_points, 3)."""
    head: np.ndarray
    """Parameter of the head in the window [-], shape (n_worlds,)."""
    upcoming: np.ndarray
    """Which of the segment's points comes next, 1 to k - 1, shape (n_worlds,)."""


@dataclass(frozen=True, kw_only=True)
class ShapeProgress:
    """Extends a shape curve by a gait segment, one control point at a time, as the head advances.

    The window has a fixed size: with each point that is appended, the oldest one is dropped.
    """

    segment: GaitSegment
    """The building block."""
    reach: float
    """Arc length of the curve that is kept behind the head [m]; see `for_robot`."""
    kind: str = "pchip"
    """Kind of curve: "pchip" or "smooth"."""
    lead: GaitSegment | None = None
    """What lies behind the head at first, repeated backwards; default: the segment itself."""

    def __post_init__(self) -> None:
        instance("progress.segment", self.segment, GaitSegment, "a GaitSegment")
        lead = instance("progress.lead", self.lead or self.segment, GaitSegment, "a GaitSegment")
        one_of("progress.kind", self.kind, KINDS)
        store(self, reach=positive("progress.reach", self.reach, "m"), lead=lead)

    @staticmethod
    def for_robot(
        robot: SpatialRobot,
        segment: GaitSegment,
        *,
        look_ahead: float | None = None,
        kind: str = "pchip",
        lead: GaitSegment | None = None,
    ) -> ShapeProgress:
        """Keeps twice as much curve as the stretched robot and its look-ahead need."""
        instance("robot", robot, SpatialRobot, "a SpatialRobot")
        distance = default_look_ahead(robot) if look_ahead is None else positive("look_ahead", look_ahead, "m")
        return ShapeProgress(segment=segment, reach=SPARE * (robot.length + distance), kind=kind, lead=lead)

    @property
    def n_points(self) -> int:
        """Control points of the window [-], enough wherever within a cycle the head is.

        Chords stand for the pieces of the curve, which are no shorter.
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
        """The head at `origin` [m], where a cycle of the segment begins; the lead behind it and the segment ahead.

        frame is the orientation of the shape frame, for all worlds or each, shape ([n_worlds,] 3, 3); default: that of
        the world. To begin within a cycle, advance by a part of it.
        """
        turn = _orientation(frame)
        behind = self.n_points - 1 - AHEAD
        back = -(self.lead or self.segment).steps[::-1]
        backwards = np.cumsum(np.tile(back, (behind // len(back) + 1, 1))[:behind], axis=0)[::-1]
        shape = np.concatenate([backwards, np.zeros((1, 3))])
        points = np.asarray(origin, dtype=float)[..., None, :] + shape @ np.swapaxes(turn, -1, -2)
        window = np.zeros((n_worlds, self.n_points, 3))
        window[:, AHEAD:] = points  # what stands before them is pushed out by what comes ahead
        upcoming = np.ones(n_worlds, dtype=int)
        for _ in range(AHEAD):
            window, upcoming = self._appended(window, upcoming, turn)
        return Progress(window, np.full(n_worlds, float(behind)), upcoming)

    def advance(self, progress: Progress, distance: Any, frame: Any = None) -> Progress:
        """The heads moved on by a distance along their curves [m], >= 0: speed times the time that has passed.

        Control points that become necessary are appended in the shape frame given now, shape ([n_worlds,] 3, 3).
        """
        points, head, upcoming = progress
        turn = _orientation(frame)
        left = np.broadcast_to(np.asarray(distance, dtype=float), head.shape).copy()
        if not np.all(np.isfinite(left) & (left >= 0.0)):
            raise InvalidModel("distance", distance, "finite and >= 0 [m]")
        while True:
            head, left = _within_piece(points, slopes_of(points, self.kind), head, left)
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
        """The windows with one more point each, (18), and which point of the segment comes then: after the last, 1."""
        steps = self.segment.steps
        new = points[:, -1] + np.einsum("...ij,...j->...i", turn, steps[upcoming - 1])
        return np.concatenate([points[:, 1:], new[:, None]], axis=1), upcoming % len(steps) + 1


@dataclass(frozen=True, kw_only=True)
class MovingPoints:
    """A shape curve whose control points are a function of time; the head stays at a parameter, or is advanced."""

    points: Callable[[np.ndarray], np.ndarray]
    """Control points [m], shape (n_worlds, n, 3), from times [s], shape (n_worlds,); always as many."""
    head: float
    """Parameter of the head [-]."""
    kind: str = "pchip"
    """Kind of curve: "pchip" or "smooth"."""

    def __post_init__(self) -> None:
        one_of("moving_points.kind", self.kind, KINDS)
        n = self.at(np.zeros(1))[0].shape[-2]
        head = finite("moving_points.head", self.head, "-")
        if not 0.0 <= head <= n - 1:
            raise InvalidModel("moving_points.head", head, f"in [0, {n - 1}]")

    def at(self, time: Any) -> tuple[np.ndarray, np.ndarray]:
        """Control points and dS/ds there [m], shape (n_worlds, n, 3)."""
        t = np.atleast_1d(np.asarray(time, dtype=float))
        points = np.asarray(self.points(t), dtype=float)
        if points.ndim != 3 or points.shape[-1] != 3 or len(points) != len(t) or points.shape[1] < 2:
            allowed = f"an array of shape ({len(t)}, n, 3) with n >= 2"
            raise InvalidModel("moving_points.points", f"an array of shape {points.shape}", allowed)
        return points, slopes_of(points, self.kind)


def _orientation(frame: Any) -> np.ndarray:
    """The shape frame's orientation as matrices; None is that of the world."""
    if frame is None:
        return np.eye(3)
    turn = np.asarray(frame, dtype=float)
    if turn.shape[-2:] != (3, 3) or not np.isfinite(turn).all():
        raise InvalidModel("frame", frame, "finite rotation matrices, shape ([n_worlds,] 3, 3)")
    return turn


def advance_head(points: np.ndarray, slopes: np.ndarray, head: Any, distance: Any) -> np.ndarray:
    """Parameters of heads moved on by a distance along curves that stay as they are [-]; at the end they stop.

    points and slopes have shape (n_worlds, n, 3), head and distance [m] (n_worlds,).
    """
    head = np.array(head, dtype=float)
    left = np.broadcast_to(np.asarray(distance, dtype=float), head.shape).copy()
    end = points.shape[-2] - 1.0
    while np.any((left > 0.0) & (head < end)):
        head, left = _within_piece(points, slopes, head, left)
    return head


def _within_piece(
    points: np.ndarray, slopes: np.ndarray, head: np.ndarray, distance: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Heads moved on, at most to the end of the piece they are on; and the distance that is left [m]."""
    head, left = head.copy(), np.zeros_like(distance)
    moves = np.flatnonzero(distance > 0.0)
    if not moves.size:
        return head, left
    piece = np.minimum(np.floor(head[moves]).astype(int), points.shape[-2] - 2)
    c = hermite.coefficients(points[moves], slopes[moves], piece)
    done, whole = hermite.arc(c, head[moves] - piece), hermite.arc(c, np.ones(len(moves)))
    wanted = done + distance[moves]
    stays = wanted < whole
    t = hermite.parameter(c, np.where(stays, wanted, 0.0), whole)
    head[moves] = piece + np.where(stays, t, 1.0)
    left[moves] = np.where(stays, 0.0, wanted - whole)
    return head, left
