"""When an axis that waits at zero joins its gait: the first time at which its angle is close to zero."""

from __future__ import annotations

from math import asin, copysign, pi, sin
from typing import NamedTuple

from pushpoint.errors import InvalidModel

ROUND_OFF = 1e-12
CLOSE_ENOUGH = 1e-9
"""How far outside the release a growing angle may be when its axis is released [rad]."""


class Sine(NamedTuple):
    """The motion of one axis: offset + amplitude sin(omega t + phase)."""

    offset: float
    """Mean angle [rad]."""
    amplitude: float
    """Amplitude [rad]."""
    omega: float
    """Angular frequency [rad/s]."""
    phase: float
    """Phase at time zero [rad]."""

    def at(self, t: float, soft_start: float = 0.0) -> float:
        """The angle at time t, its amplitude growing within `soft_start` [s]."""
        s = min(t / soft_start, 1.0) if soft_start else 1.0
        return self.offset + s * s * (3.0 - 2.0 * s) * self.amplitude * sin(self.omega * t + self.phase)


def waiting_time(axis: int, release: float, sine: Sine, soft_start: float) -> float:
    """First time at which the angle of an axis lies within `release` of zero [s]; InvalidModel if it never does."""
    grown = _while_growing(release, sine, soft_start) if soft_start else None
    if grown is not None:
        return grown
    # From here on the sine has its full amplitude: turned on by what has passed, it is as if time began.
    later = sine._replace(phase=sine.phase + sine.omega * soft_start) if soft_start else sine
    return soft_start + _of_a_sine(axis, release, later)


def _while_growing(release: float, sine: Sine, soft_start: float) -> float | None:
    """The same while the amplitude grows; None if the angle stays outside."""
    missing = abs(sine.offset) - release
    if missing <= 0.0:
        return 0.0
    if missing > abs(sine.amplitude):
        return None
    # Before the amplitude has grown to what is missing, the angle cannot come within the release. Afterwards it does so
    # in every cycle. It never changes faster than `fastest`, so that moment cannot be stepped over.
    t = soft_start * (0.5 - sin(asin(1.0 - 2.0 * missing / abs(sine.amplitude)) / 3.0))
    fastest = abs(sine.amplitude) * (abs(sine.omega) + 1.5 / soft_start)
    while t < soft_start:
        outside = abs(sine.at(t, soft_start)) - release
        if outside <= CLOSE_ENOUGH:
            return t
        if outside > fastest * (soft_start - t):
            return None
        t += max(outside / fastest, ROUND_OFF * soft_start)
    return None


def _of_a_sine(axis: int, release: float, sine: Sine) -> float:
    """First time at which a sine lies within `release` of zero [s]."""
    offset, amplitude, omega, phase = sine
    now = offset + amplitude * sin(phase)
    if abs(now) <= release + ROUND_OFF * (abs(offset) + abs(amplitude)):
        return 0.0
    least = abs(offset) - abs(amplitude) if omega else abs(now)
    if release < least or not omega:
        allowed = f"at least {{=least}} {{unit}}, or axis {axis} never comes within it"
        raise InvalidModel("gait.release", release, allowed, unit="rad", others={"least": least})
    meets = asin((copysign(release, now) - offset) / amplitude)
    way = copysign(1.0, omega)
    return min(way * (meets - phase) % (2 * pi), way * (pi - meets - phase) % (2 * pi)) / abs(omega)
