"""Control points that are a function of time: ways 2 and 3 of section III-E of Liljeback2014."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel
from pushpoint.model.arrays import Axes, array_of_numbers
from pushpoint.model.checks import above, at_least, check_fields
from pushpoint.model.kinds import family_base, register
from pushpoint.model.quantities import Count, Duration, Extent, Factor, Length, Number, Offset
from pushpoint.planning.curves.hermite import slopes_of
from pushpoint.planning.curves.segments import GaitSegment

CurveKind = Literal["pchip", "smooth"]
LONGEST_HELIX = 10_000
"""Most control points of a helix [-]."""


@family_base
class PointsOverTime(ABC):
    """Base class of control points that are a function of time. Register your own kinds with `pp.register`."""

    @property
    def pace(self) -> float:
        """Control points per second by which the shape runs back through them [1/s]; 0 if it stays."""
        return 0.0

    @abstractmethod
    def __call__(self, t: np.ndarray) -> np.ndarray:
        """Control points [m], shape (n_worlds, n, 3), at times [s], shape (n_worlds,); n must not change."""


@dataclass(frozen=True, kw_only=True)
class MovingPoints:
    """A shape curve whose control points are a function of time, with the position of the head on it."""

    __repr__ = brief

    points: PointsOverTime | Callable[[np.ndarray], np.ndarray]
    """Control points over time: a registered kind, such as a travelling wave, or a function.

    Scenario files can hold a registered kind only.
    """
    head: Number
    """Parameter of the head [-]."""
    curve: CurveKind = "pchip"
    """How the points are joined: "pchip" never overshoots them, "smooth" has no corners and follows any turn."""
    pace: Annotated[float, at_least(0, "1/s")] | None = None
    """Control points per second by which a turn of the shape frame runs back through them [1/s].

    Default: that of the points, for a travelling wave as fast as the wave; 0 for a function.
    """

    def __post_init__(self) -> None:
        check_fields(self, "moving_points")
        if not callable(self.points) or isinstance(self.points, type):
            raise InvalidModel("moving_points.points", self.points, "control points as a function of time")
        n = self.at(np.zeros(1))[0].shape[-2]
        if not 0.0 <= self.head <= n - 1:
            raise InvalidModel("moving_points.head", self.head, f"in [0, {n - 1}]")

    @property
    def turn_pace(self) -> float:
        """Control points per second by which a turn of the shape frame runs back [1/s]."""
        own = self.points.pace if isinstance(self.points, PointsOverTime) else 0.0
        return own if self.pace is None else self.pace

    def at(self, time: Any) -> tuple[np.ndarray, np.ndarray]:
        """Control points and dS/ds there [m], shape (n_worlds, n, 3)."""
        t = np.atleast_1d(array_of_numbers("time", time, unit="s"))
        points = array_of_numbers("moving_points.points", self.points(t), Axes(len(t), "n", 3), unit="m")
        if points.shape[1] < 2:
            raise InvalidModel("moving_points.points", points.shape, f"of shape ({len(t)}, n, 3) with n >= 2")
        return points, slopes_of(points, self.curve)


@register("travelling-wave")
@dataclass(frozen=True, kw_only=True)
class TravellingWave(PointsOverTime):
    """A wave in y and z, a quarter cycle apart as in (19) and (20), that runs backward through points fixed in x.

    The point at x = 0, where the head may be, has the index `behind` * `per_cycle`.
    """

    __repr__ = brief

    length: Length
    """Length of a cycle along x [m]."""
    width: Extent
    """Amplitude in y [m]."""
    height: Offset = 0.0
    """Amplitude in z [m]; < 0 goes to the other side."""
    period: Annotated[float, above(0, "s")]
    """Time in which a cycle passes a point [s]."""
    behind: Count = 2
    """Cycles behind x = 0 [-]."""
    per_cycle: Count = 8
    """Points per cycle [-]."""
    ahead: Count = 3
    """Points ahead of x = 0 [-]."""

    def __post_init__(self) -> None:
        check_fields(self, "travelling_wave")

    @property
    def pace(self) -> float:
        """Control points per second by which the wave runs back [1/s]."""
        return self.per_cycle / self.period

    def __call__(self, t: np.ndarray) -> np.ndarray:
        """The points at times t."""
        x = np.arange(-self.behind * self.per_cycle, self.ahead + 1) / self.per_cycle
        angle = 2.0 * np.pi * (x + (np.asarray(t) / self.period)[:, None])
        along = np.broadcast_to(self.length * x, angle.shape)
        return np.stack([along, self.width * np.sin(angle), self.height * np.cos(angle)], axis=-1)


@register("closing-helix")
@dataclass(frozen=True, kw_only=True)
class ClosingHelix(PointsOverTime):
    """A helix about the vertical axis that closes around a pole, from an outer radius to an inner one.

    On a circle of radius R, joints settle at rho^2 = R^2 - L (L - a), with look-ahead L and link length a. R is chosen
    to compensate for this.
    """

    __repr__ = brief

    outer: Length
    """Radius rho at which joints settle at first [m]."""
    inner: Length
    """Radius at which they settle in the end [m]."""
    closing: Annotated[float, above(0, "s")]
    """Time in which it closes [s]."""
    rise: Offset
    """Rise per turn [m]."""
    turns: Factor
    """Turns of the whole helix [-]."""
    bottom: Offset = 0.0
    """Height of its first point [m]."""
    per_turn: Count = 12
    """Points per turn [-]."""
    look_ahead: Extent = 0.0
    """Look-ahead distance L of the follower [m]."""
    link: Extent = 0.0
    """Length a of a link [m]."""

    def __post_init__(self) -> None:
        check_fields(self, "closing_helix")
        if self.look_ahead < self.link:
            raise InvalidModel("closing_helix.look_ahead", self.look_ahead, f"at least a link, {self.link} m")
        if not self.per_turn * self.turns < LONGEST_HELIX:
            allowed = f"less than {LONGEST_HELIX / self.per_turn:.6g}, as it has {self.per_turn} points per turn"
            raise InvalidModel("closing_helix.turns", self.turns, allowed)

    def __call__(self, t: np.ndarray) -> np.ndarray:
        """The points at times t."""
        angle = np.linspace(0.0, 2.0 * np.pi * self.turns, int(self.per_turn * self.turns) + 1)
        part = np.clip(np.asarray(t) / self.closing, 0.0, 1.0)[:, None]
        rho = self.outer - (self.outer - self.inner) * part * part * (3.0 - 2.0 * part)
        radius = np.sqrt(rho**2 + self.look_ahead * (self.look_ahead - self.link))
        x, y = radius * np.cos(angle), radius * np.sin(angle)
        level = self.bottom + self.rise * angle / (2.0 * np.pi)
        return np.stack([x, y, np.broadcast_to(level, x.shape)], axis=-1)


@register("segment-blend")
@dataclass(frozen=True, kw_only=True)
class SegmentBlend(PointsOverTime):
    """One gait segment that becomes another: each control point moves straight from the first one's to the second's.

    It moves slowly at first and at last: the share of the second segment is 3 x^2 - 2 x^3, x from 0 to 1.
    """

    __repr__ = brief

    first: GaitSegment
    """The segment until `begin`."""
    second: GaitSegment
    """The segment from `begin` + `duration` on, with as many points."""
    begin: Duration = 0.0
    """When the points begin to move [s]."""
    duration: Annotated[float, above(0, "s")]
    """How long they move [s]."""

    def __post_init__(self) -> None:
        check_fields(self, "segment_blend")
        if len(self.first.points) != len(self.second.points):
            allowed = f"a segment of {len(self.first.points)} points, like the first"
            raise InvalidModel("segment_blend.second", f"{len(self.second.points)} points", allowed)

    def __call__(self, t: np.ndarray) -> np.ndarray:
        """The points at times t."""
        part = np.clip((np.asarray(t) - self.begin) / self.duration, 0.0, 1.0)[:, None, None]
        share = part * part * (3.0 - 2.0 * part)
        return np.asarray(self.first.points + share * (self.second.points - self.first.points))
