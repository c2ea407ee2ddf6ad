"""A shape curve that grows ahead of its head, one control point at a time: way 1 of section III-E of Liljeback2014."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import check_fields, instance, positive, store
from pushpoint.model.quantities import Length
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.planning.curves.alignment import default_look_ahead
from pushpoint.planning.curves.hermite import slopes_of, within_piece
from pushpoint.planning.curves.moving_points import CurveKind
from pushpoint.planning.curves.segments import GaitSegment

AHEAD = 3
"""Control points kept ahead of the head, so that its piece and the next one do not change any more [-]."""
BEHIND = 2
"""Control points kept behind the last one needed, so that the window's edge does not affect the slopes [-]."""
MOST_CYCLES = 1000
"""The most cycles that a head moves at a time [-]: each of their points is laid out."""
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
    up: np.ndarray
    """The shape frame's z axis when each point was appended [-], shape (n_worlds, n_points, 3)."""


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
        turn = orientation_of(frame)
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
        up = np.broadcast_to(turn[..., None, :, 2], window.shape)
        return Progress(window, np.full(n_worlds, float(behind)), upcoming, up)

    def advance(self, progress: Progress, distance: Any, frame: Any = None) -> Progress:
        """Moves the heads by a distance along their curves [m], >= 0: speed times elapsed time.

        New control points are appended in the shape frame given now, shape ([n_worlds,] 3, 3).
        """
        points, head, upcoming, up = progress
        turn = orientation_of(frame)
        left = np.broadcast_to(np.asarray(distance, dtype=float), head.shape).copy()
        if not np.all(np.isfinite(left) & (left >= 0.0)):
            raise InvalidModel("distance", distance, "finite and >= 0 [m]")
        if left.max(initial=0.0) > (most := MOST_CYCLES * np.linalg.norm(self.segment.steps, axis=1).sum()):
            allowed = f"at most {most:.4g} [m] at a time, {MOST_CYCLES:,} cycles of the segment: the head is too fast"
            raise InvalidModel("distance", float(left.max()), allowed)
        while True:
            head, left = within_piece(points, slopes_of(points, self.kind), head, left)
            short = np.floor(head) + AHEAD > points.shape[-2] - 1
            if not (short | (left > 0.0)).any():
                return Progress(points, head, upcoming, up)
            longer, following = self._appended(points, upcoming, turn)
            points = np.where(short[:, None, None], longer, points)
            newest = np.broadcast_to(turn[..., 2], up[:, -1].shape)
            up = np.where(short[:, None, None], np.concatenate([up[:, 1:], newest[:, None]], axis=1), up)
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


def orientation_of(frame: Any) -> np.ndarray:
    """The shape frame's orientation as matrices; None stands for the world's axes."""
    if frame is None:
        return np.eye(3)
    turn = np.asarray(frame, dtype=float)
    if turn.shape[-2:] != (3, 3) or not np.isfinite(turn).all():
        raise InvalidModel("frame", frame, "finite rotation matrices, shape ([n_worlds,] 3, 3)")
    return turn
