"""Steerings turn the shape frame: by a schedule, or by feedback on where the robot goes (Liljeback2014, III-E.2).

The paper turns the frame about the vertical. Here it may turn about any axis, and several turns may be combined.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from pushpoint.control.travel import CycleTravel, no_travel, within_half_a_turn
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import Many, above, any_number, at_least, check_fields, members, real, store
from pushpoint.model.kinds import family_base, register
from pushpoint.model.quantities import Angle, Factor
from pushpoint.planning.curves.frames import VERTICAL, Axis, across, check_axis, turned_about

Kept = TypeVar("Kept")
MOST_COMMANDS = 1_000_000
"""Most commands of a virtual robot [-]; more is taken for a typing mistake."""


@family_base
class Steering(ABC, Generic[Kept]):
    """Base class of steerings: gives the orientation of the shape frame.

    `turn` gives an angle, and `frame` makes an orientation of it, by default a turn about the world's z axis. A
    steering that turns about another axis, or about several, defines its own `frame`.
    """

    needs: ClassVar[frozenset[str]] = frozenset()
    """What it needs to measure: "pose" or nothing."""

    @property
    def turns(self) -> bool:
        """Whether it ever turns the frame."""
        return True

    @abstractmethod
    def begin(self, ticks: int) -> Kept:
        """The memory of one world at time zero; `ticks`: commands per cycle of the gait, 0 without cycles."""

    @abstractmethod
    def turn(self, t: np.ndarray, dt: float, measurement: Any, memory: Kept) -> tuple[Any, Kept]:
        """The angles at time t [rad], shape (n_worlds,), dt [s] after the last ones, and the new memory.

        The measurement is a Measurement, or has at least what is needed; None if nothing is needed.
        """

    def continued(self, memory: Kept, of: Steering[Any]) -> Kept:
        """What is remembered of a world that it takes over from another steering whose memory has the same form."""
        return memory

    def frame(self, angle: Any) -> np.ndarray:
        """Orientations of the shape frame, shape (n_worlds, 3, 3), for the angles that `turn` gave."""
        return turned_about(VERTICAL, angle)


@register("schedule")
@dataclass(frozen=True, kw_only=True)
class TurnSchedule(Steering[None]):
    """Turns the shape frame at given rates: the paper's open loop.

    For example:

        pp.control.TurnSchedule(until=(3.0, 6.0), rates=(0.0, 0.4))  # straight for 3 s, then turn left until 6 s
        pp.control.TurnSchedule(until=(1.0,), rates=(0.5,), axis=(0, -1, 0))  # raise the curve's direction for 1 s
    """

    until: Annotated[Sequence[float], any_number("s"), Many(None, "a list of times")] = ()
    """End times of the intervals [s], increasing: one per rate, or one less if the last rate has no end."""
    rates: Annotated[Sequence[float], real("rad/s"), Many(None, "a list of rates")] = (0.0,)
    """Turning rate in each interval [rad/s], counter-clockwise positive about the axis."""
    axis: Axis = VERTICAL
    """Axis of the turn [-]: (0, 0, 1) turns left, (0, -1, 0) raises, (1, 0, 0) rolls the frame to the right."""

    def __post_init__(self) -> None:
        check_fields(self, "steering")
        check_axis("steering.axis", self.axis)
        if not self.rates:
            raise InvalidModel("steering.rates", self.rates, "one rate or more", unit="rad/s")
        if len(self.until) not in (len(self.rates), len(self.rates) - 1):
            allowed = f"one end per rate, {len(self.rates)}, or one less, if the last rate has no end"
            raise InvalidModel("steering.until", f"{len(self.until)} ends", allowed)
        if not all(a < b for a, b in pairwise((0.0, *self.until))):
            raise InvalidModel("steering.until", self.until, "increasing, above 0", unit="s")
        if self.until[-1:] == (np.inf,):
            store(self, until=self.until[:-1])

    @property
    def turns(self) -> bool:
        """Whether any rate is not zero."""
        return any(self.rates)

    def at(self, t: np.ndarray) -> np.ndarray:
        """The angle at given times [rad]."""
        time = np.asarray(t, dtype=float)[..., None]
        ends = np.array((*self.until, np.inf)[: len(self.rates)])
        starts = np.array((0.0, *ends[:-1]))
        spent = np.clip(time, starts, ends) - starts
        return np.asarray((np.where(spent > 0.0, spent, 0.0) * np.array(self.rates)).sum(axis=-1))

    def begin(self, ticks: int) -> None:
        """No memory."""

    def turn(self, t: np.ndarray, dt: float, measurement: Any, memory: None) -> tuple[np.ndarray, None]:
        """The angle at the current time."""
        return self.at(t), None

    def frame(self, angle: Any) -> np.ndarray:
        """The frame turned about the axis."""
        return turned_about(self.axis, angle)


STRAIGHT = TurnSchedule()


class HeadingMemory(NamedTuple):
    """What a HeadingController remembers of a world."""

    angle: np.ndarray
    """The shape frame's angle [rad]."""
    travel: CycleTravel
    """The last cycle: positions across the axis and commanded turns."""


@register("heading")
@dataclass(frozen=True, kw_only=True)
class HeadingController(Steering[HeadingMemory]):
    """Turns the shape frame until the robot travels in a wanted direction, averaged over a cycle of its gait.

    A sidewinding robot swings back and forth within a cycle and, open loop, turns much less than its shape frame. Only
    the displacement between the same phase of two cycles shows where it goes, half a cycle late. What was commanded
    since is taken into account, and so is the robot's own drift: a robot that drifts needs a frame that keeps turning.
    With e the error of the direction, foreseen in this way,

        psi' = gain e - drift / response,    at most `fastest`
    """

    direction: Angle
    """Wanted direction of travel, counter-clockwise about the axis [rad].

    It counts from the x axis if the axis is vertical, otherwise from where the shortest turn from the vertical to the
    axis takes the x axis: with axis (0, -1, 0) it is the angle of climb, from x toward z.
    """
    gain: Annotated[float, above(0, "1/s")] = 0.6
    """Turning rate per error [1/s]."""
    response: Factor = 0.3
    """How far the robot turns per turn of its frame [-]."""
    delay: Annotated[float, at_least(0, "-")] = 0.6
    """How late it does so, in cycles [-]: points are appended two to three ahead of the head."""
    drift_time: Annotated[float, above(0, "s")] = 3.0
    """Time constant with which the drift is found [s]."""
    fastest: Annotated[float, above(0, "rad/s")] = np.deg2rad(22.5)
    """Largest turning rate [rad/s]."""
    axis: Axis = VERTICAL
    """Axis about which the frame turns and across which the direction is measured [-]."""

    needs = frozenset({"pose"})

    def __post_init__(self) -> None:
        check_fields(self, "steering")
        check_axis("steering.axis", self.axis)

    def begin(self, ticks: int) -> HeadingMemory:
        """No position is known yet."""
        if ticks < 1:
            raise InvalidModel("follower.steering", "a HeadingController", "used with a motion that has cycles")
        late = self.delay * ticks
        if ticks + late > MOST_COMMANDS:
            allowed = f"used with a motion whose cycle and delay take at most {MOST_COMMANDS:,} commands"
            raise InvalidModel("follower.steering", "a HeadingController", allowed)
        return HeadingMemory(np.array(0.0), no_travel(ticks, round(late)))

    def turn(
        self, t: np.ndarray, dt: float, measurement: Any, memory: HeadingMemory
    ) -> tuple[np.ndarray, HeadingMemory]:
        """The angle, turned toward the wanted direction; unchanged during the first cycle."""
        return self.toward(self.direction, dt, measurement.center_of_mass @ across(self.axis).T, memory)

    def toward(
        self, direction: float | np.ndarray, dt: float, here: np.ndarray, memory: HeadingMemory
    ) -> tuple[np.ndarray, HeadingMemory]:
        """The same toward any direction [rad] of a robot that is here [m], seen along the axis, (n_worlds, 2)."""
        travel = memory.travel.moved(here, self.response * memory.angle)
        drift = travel.drift(self.drift_time)
        error = within_half_a_turn(direction - travel.direction(drift, dt))
        rate = np.clip(self.gain * error - drift / self.response, -self.fastest, self.fastest)
        psi = memory.angle + np.where(travel.whole, dt * rate, 0.0)
        return psi, HeadingMemory(psi, travel.drifted(dt * drift))

    def frame(self, angle: Any) -> np.ndarray:
        """The frame turned about the axis."""
        return turned_about(self.axis, angle)


@register("combined")
@dataclass(frozen=True, kw_only=True)
class CombinedSteering(Steering[tuple[Any, ...]]):
    """Several steerings at once: each turns in the frame that those before it have turned.

    For example, a frame that turns left about the vertical and is then raised about its own y axis:

        left = pp.control.TurnSchedule(until=(2.0,), rates=(0.3,))
        up = pp.control.TurnSchedule(until=(1.0,), rates=(0.2,), axis=(0, -1, 0))
        pp.control.CombinedSteering(steerings=(left, up))
    """

    steerings: Sequence[Steering[Any]]
    """The steerings, from the outermost to the innermost; one or more."""

    def __post_init__(self) -> None:
        store(self, steerings=members("steering.steerings", self.steerings, Steering, "a Steering"))
        if not self.steerings:
            raise InvalidModel("steering.steerings", self.steerings, "one steering or more")

    @property
    def needs(self) -> frozenset[str]:  # type: ignore[override]
        """What any of them needs to measure."""
        return frozenset().union(*(one.needs for one in self.steerings))

    @property
    def turns(self) -> bool:
        """Whether any of them ever turns the frame."""
        return any(one.turns for one in self.steerings)

    def begin(self, ticks: int) -> tuple[Any, ...]:
        """The memories of all."""
        return tuple(one.begin(ticks) for one in self.steerings)

    def continued(self, memory: tuple[Any, ...], of: Steering[Any]) -> tuple[Any, ...]:
        """What each of them continues with."""
        if not isinstance(of, CombinedSteering):
            return memory
        each = zip(self.steerings, memory, of.steerings, strict=True)
        return tuple(one.continued(kept, before) for one, kept, before in each)

    def turn(
        self, t: np.ndarray, dt: float, measurement: Any, memory: tuple[Any, ...]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The angles of all, and their new memories."""
        found = [one.turn(t, dt, measurement, kept) for one, kept in zip(self.steerings, memory, strict=True)]
        return tuple(angle for angle, _ in found), tuple(kept for _, kept in found)

    def frame(self, angle: tuple[Any, ...]) -> np.ndarray:
        """The product of their frames."""
        frames = [one.frame(each) for one, each in zip(self.steerings, angle, strict=True)]
        return np.asarray(reduce(np.matmul, frames))
