"""Who turns the shape frame: a schedule, or feedback on where the robot really goes (Liljeback2014, III-E.2)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import pi
from typing import Annotated, Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import Many, above, any_number, check_fields, real, store
from pushpoint.model.kinds import family, register
from pushpoint.model.quantities import Angle

Kept = TypeVar("Kept")


@family
class Steering(ABC, Generic[Kept]):
    """Gives the shape frame's angle about the world's z axis."""

    needs: ClassVar[frozenset[str]] = frozenset()
    """What must be measured for it: "pose" or nothing."""

    @abstractmethod
    def begin(self, ticks: int) -> Kept:
        """Memory of one world at time zero; ticks: commands in a cycle of the gait, 0 without cycles."""

    @abstractmethod
    def turn(self, t: np.ndarray, dt: float, measurement: Any, memory: Kept) -> tuple[np.ndarray, Kept]:
        """The angles at time t [rad], shape (n_worlds,), dt [s] after the last ones, and the memory for the next.

        The measurement is a Measurement, or has at least what is needed; None where nothing is.
        """


@register("schedule")
@dataclass(frozen=True, kw_only=True)
class TurnSchedule(Steering[None]):
    """Turns the shape frame at given rates: the paper's open loop."""

    until: Annotated[Sequence[float], any_number("s"), Many(None, "a list of times")] = ()
    """Ends of the stretches of time [s], one per rate, or one less: the last rate then goes on."""
    rates: Annotated[Sequence[float], real("rad/s"), Many(None, "a list of rates")] = (0.0,)
    """Rate of turn in each [rad/s], counter-clockwise positive."""

    def __post_init__(self) -> None:
        check_fields(self, "steering")
        if not self.rates:
            raise InvalidModel("steering.rates", self.rates, "one rate or more", unit="rad/s")
        if len(self.until) not in (len(self.rates), len(self.rates) - 1):
            allowed = f"one end per rate, {len(self.rates)}, or one less: the last rate then goes on"
            raise InvalidModel("steering.until", f"{len(self.until)} ends", allowed)
        if not all(a < b for a, b in pairwise((0.0, *self.until))):
            raise InvalidModel("steering.until", self.until, "rising, above 0", unit="s")
        if self.until[-1:] == (np.inf,):
            store(self, until=self.until[:-1])

    def at(self, t: np.ndarray) -> np.ndarray:
        """The angle at given times [rad]."""
        time = np.asarray(t, dtype=float)[..., None]
        ends = np.array((*self.until, np.inf)[: len(self.rates)])
        starts = np.array((0.0, *ends[:-1]))
        spent = np.clip(time, starts, ends) - starts
        return np.asarray((np.where(spent > 0.0, spent, 0.0) * np.array(self.rates)).sum(axis=-1))

    def begin(self, ticks: int) -> None:
        """It remembers nothing."""

    def turn(self, t: np.ndarray, dt: float, measurement: Any, memory: None) -> tuple[np.ndarray, None]:
        """The angle of the time."""
        return self.at(t), None


STRAIGHT = TurnSchedule()


class HeadingMemory(NamedTuple):
    """What a HeadingController keeps of a world."""

    angle: np.ndarray
    """The shape frame's angle [rad]."""
    integral: np.ndarray
    """Of the error, over the integral time [rad]."""
    known: np.ndarray
    """How many places are known [-]."""
    places: np.ndarray
    """Those of the last cycle, oldest first [m], (ticks + 1, 2)."""


@register("heading")
@dataclass(frozen=True, kw_only=True)
class HeadingController(Steering[HeadingMemory]):
    """Turns the shape frame until the robot travels in a wanted direction, averaged over a cycle of its gait.

    A sidewinding robot swings to and fro within a cycle and, open loop, turns by much less than its shape frame does:
    only the way between the same phase of two cycles says where it goes. With e the error of that direction,
    psi' = gain (e + integral of e / integral_time), limited: a robot that drifts needs a frame that keeps turning.
    """

    direction: Angle
    """Wanted direction of travel [rad], from the x axis counter-clockwise."""
    gain: Annotated[float, above(0, "1/s")] = 0.6
    """Rate of turn per error [1/s]."""
    integral_time: Annotated[float, above(0, "s")] = 10.0
    """Time in which the integral makes up for a lasting error [s]."""
    fastest: Annotated[float, above(0, "rad/s")] = np.deg2rad(22.5)
    """Largest rate of turn [rad/s]."""

    needs = frozenset({"pose"})

    def __post_init__(self) -> None:
        check_fields(self, "steering")

    def begin(self, ticks: int) -> HeadingMemory:
        """No place is known yet."""
        if ticks < 1:
            raise InvalidModel("follower.steering", "a HeadingController", "used with a motion that has cycles")
        return HeadingMemory(np.array(0.0), np.array(0.0), np.array(0), np.zeros((ticks + 1, 2)))

    def turn(
        self, t: np.ndarray, dt: float, measurement: Any, memory: HeadingMemory
    ) -> tuple[np.ndarray, HeadingMemory]:
        """The angle turned on toward the wanted direction; as it was while the first cycle lasts."""
        psi, integral, known, places = memory
        places = np.concatenate([places[:, 1:], measurement.center_of_mass[:, None, :2]], axis=1)
        known = np.minimum(known + 1, places.shape[1])
        way = places[:, -1] - places[:, 0]
        error = self.direction - np.arctan2(way[:, 1], way[:, 0])
        error = np.where(known == places.shape[1], (error + pi) % (2.0 * pi) - pi, 0.0)
        wanted = self.gain * (error + integral)
        rate = np.clip(wanted, -self.fastest, self.fastest)
        # At the limit the integral waits, or it would remember what was never done.
        integral = integral + np.where(rate == wanted, error * dt / self.integral_time, 0.0)
        psi = psi + dt * rate
        return psi, HeadingMemory(psi, integral, known, places)
