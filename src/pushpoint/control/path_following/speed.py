"""The average speed of a gait, controlled by its frequency."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Annotated, NamedTuple

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import above, check_fields
from pushpoint.model.quantities import Factor

MARKS = 32
"""Marks per cycle at which a robot's position is kept [-]."""
LAG = 0.125
"""Time constant with which the frequency follows, in periods of the gait [-]: no joint rate jumps."""


class SpeedMemory(NamedTuple):
    """What a SpeedController remembers of a world."""

    mark: np.ndarray
    """Number of the last mark, counted from the first command [-]; -1 before it."""
    last: np.ndarray
    """Position [m], time [s] and phase [rad] at the last command, (4,)."""
    past: np.ndarray
    """Position [m] and time [s] at the marks of the last cycle, (MARKS, 3)."""
    speed: np.ndarray
    """Average speed in the wanted direction over the last cycle [m/s]; NaN before the first is complete."""
    integral: np.ndarray
    """Integral of the relative error, divided by the integral time [-]."""
    pace: np.ndarray
    """The last frequency, as a multiple of the gait's own [-]."""


@dataclass(frozen=True, kw_only=True)
class SpeedController:
    """Keeps the average speed of an undulating robot by the frequency of its wave.

        frequency = gait frequency (1 + gain (e + integral of e / integral_time)),  e = (speed - measured) / speed

    The measured speed is that of the centre of mass in the wanted direction, averaged over the last cycle, whatever its
    frequency was. The frequency stays between two multiples of the gait's own, and follows with a short lag. The phase
    of the wave is integrated: neither joint angles nor rates jump. It is part of a LineOfSight or a HeadingHold.

        pp.control.SpeedController(speed=0.1)
    """

    speed: Annotated[float, above(0, "m/s")]
    """Wanted average speed [m/s]."""
    gain: Factor = 0.3
    """Relative change of the frequency per relative error of the speed [-]."""
    integral_time: Annotated[float, above(0, "s")] | None = None
    """Time constant of the integral term [s]; default: one period of the gait."""
    slowest: Factor = 0.1
    """Lowest frequency, as a multiple of the gait's own [-]."""
    fastest: Factor = 3.0
    """Highest frequency, as a multiple of the gait's own [-]."""

    def __post_init__(self) -> None:
        check_fields(self, "speed")
        if not self.slowest <= 1.0:
            raise InvalidModel("speed.slowest", self.slowest, "at most 1: the gait's own frequency must be allowed")
        if not self.fastest >= 1.0:
            raise InvalidModel("speed.fastest", self.fastest, "at least 1: the gait's own frequency must be allowed")

    def bound(self, period: float) -> SpeedLaw:
        """The law for a gait of this period [s]."""
        own = period if self.integral_time is None else self.integral_time
        return SpeedLaw(*map(np.array, (self.speed, self.gain, own, self.slowest, self.fastest, LAG * period)))


class SpeedLaw(NamedTuple):
    """The numbers of a SpeedController, with a leading world axis where worlds differ."""

    speed: np.ndarray
    """Wanted speed [m/s]."""
    gain: np.ndarray
    """Gain [-]."""
    integral_time: np.ndarray
    """Integral time [s]."""
    slowest: np.ndarray
    """Smallest multiple of the gait's frequency [-]."""
    fastest: np.ndarray
    """Largest multiple of the gait's frequency [-]."""
    lag: np.ndarray
    """Time constant with which the frequency follows [s]."""

    def memory(self) -> SpeedMemory:
        """The memory of one world before the first command."""
        return SpeedMemory(
            np.array(-1), np.zeros(4), np.zeros((MARKS, 3)), np.array(np.nan), np.array(0.0), np.array(1.0)
        )

    def pace(
        self, phase: np.ndarray, seen: np.ndarray, direction: np.ndarray, dt: float, memory: SpeedMemory
    ) -> tuple[np.ndarray, SpeedMemory]:
        """The frequency as a multiple of the gait's own, shape (n_worlds,), and the new memory.

        phase: Of the wave, since the first command [rad]. seen: Position [m] and time [s], shape (n_worlds, 3).
        direction: Wanted direction of travel [rad].
        """
        mark = np.floor(phase / (2.0 * pi) * MARKS).astype(int)
        rows, here = np.arange(len(mark)), mark % MARKS
        at_mark = self._at(mark, phase, seen, memory)
        change = at_mark - memory.past[rows, here]
        ahead = change[:, 0] * np.cos(direction) + change[:, 1] * np.sin(direction)
        due = (mark > memory.mark) & (mark >= MARKS)
        speed = np.where(due, ahead / np.where(due, change[:, 2], 1.0), memory.speed)
        # Marks that were jumped over since the last command get the position at the newest one.
        passed = (here[:, None] - np.arange(MARKS)) % MARKS < (mark - memory.mark)[:, None]
        past = np.where(passed[..., None], at_mark[:, None], memory.past)
        error = np.where(np.isfinite(speed), (self.speed - speed) / self.speed, 0.0)
        wanted = 1.0 + self.gain * (error + memory.integral)
        allowed = np.clip(wanted, self.slowest, self.fastest)
        # At a limit the integral does not grow further toward it (anti-windup).
        held = ((wanted > allowed) & (error > 0.0)) | ((wanted < allowed) & (error < 0.0))
        integral = memory.integral + np.where(held, 0.0, error * dt / self.integral_time)
        pace = memory.pace + (1.0 - np.exp(-dt / self.lag)) * (allowed - memory.pace)
        return pace, SpeedMemory(mark, np.column_stack((seen, phase)), past, speed, integral, pace)

    def _at(self, mark: np.ndarray, phase: np.ndarray, seen: np.ndarray, memory: SpeedMemory) -> np.ndarray:
        """Position [m] and time [s] where the wave was at a mark, between the last command and this one."""
        before, then = memory.last[:, :3], memory.last[:, 3]
        since = np.where(phase > then, phase - then, 1.0)
        share = np.where(memory.mark < 0, 1.0, np.clip((mark * (2.0 * pi / MARKS) - then) / since, 0.0, 1.0))
        return np.asarray(before + share[:, None] * (seen - before))
