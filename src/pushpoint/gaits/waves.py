"""Gaits whose axes move as sines: their common base, which the kernels evaluate."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from math import asin, copysign, inf, pi, sin
from typing import NamedTuple

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.controller import Gait
from pushpoint.engine.signals import Wave
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import check_fields, instance
from pushpoint.model.quantities import AngularRate, Duration, Phase
from pushpoint.model.spatial_robot import AnyRobot

ROUND_OFF = 1e-12


class Swing(NamedTuple):
    """The motion of all axes of one name: offset + envelope amplitude sin(harmonic w t + k phase_shift + phase) [rad].

    k counts all joints from the head, whether they have an axis of this name or not. The multipliers of an envelope are
    spread evenly from tail to head [-]. Each axis waits at zero until its angle first comes within `release` [rad] of
    zero.
    """

    amplitude: float = 0.0
    """Amplitude [rad]."""
    phase_shift: float = 0.0
    """Phase difference between neighbouring joints [rad]."""
    phase: float = 0.0
    """Phase of the joint next to the head at time zero [rad]."""
    offset: float = 0.0
    """Mean angle [rad]."""
    envelope: tuple[float, ...] | None = None
    """Multipliers of the amplitude from tail to head [-]; None: 1."""
    harmonic: int = 1
    """Multiple of the gait's angular frequency [-]."""
    release: float | None = None
    """Each axis waits at zero until its angle comes within this of zero [rad]; None: no waiting."""


@dataclass(frozen=True, kw_only=True)
class WaveGait(Gait):
    """Base class of gaits whose axes move as sines, which the kernels evaluate.

    The formulas of the gaits call the soft start ramp(t).
    """

    __repr__ = brief

    angular_frequency: AngularRate
    """Angular frequency, w in the formulas [rad/s]."""
    phase: Phase = 0.0
    """Phase of the joint next to the head at time zero [rad]."""
    soft_start: Duration = 0.0
    """Time in which the amplitudes grow from zero [s]."""
    prescribed: bool = False
    """Whether the joints follow the wave exactly instead of using it as a servo target."""

    @abstractmethod
    def _swings(self) -> tuple[Swing, Swing]:
        """The gait's formula: the motion of the yaw axes, and that of the pitch axes."""

    def __post_init__(self) -> None:
        check_fields(self, "gait")

    @property
    def period(self) -> float:
        """Duration of one cycle [s]."""
        return 2 * pi / abs(self.angular_frequency) if self.angular_frequency else inf

    def wave(self, robot: AnyRobot) -> Wave:
        """The same gait as sine and cosine parts per axis, as the kernels evaluate it."""
        instance("robot", robot, AnyRobot, "a PlanarRobot or a SpatialRobot")
        yaw, pitch = self._swings()
        each = [yaw if axis.name == "yaw" else pitch for axis in robot.axes]
        behind = np.array([axis.link_behind for axis in robot.axes], dtype=int)
        offset, amplitude, shift, first, harmonic = (
            np.array([getattr(swing, name) for swing in each], dtype=float)
            for name in ("offset", "amplitude", "phase_shift", "phase", "harmonic")
        )
        places = np.linspace(0.0, 1.0, robot.n_links - 1)[behind] if robot.n_links > 2 else np.full(len(each), 0.5)
        phase = (robot.n_links - 2 - behind) * shift + first
        omega, from_time = harmonic * self.angular_frequency, np.zeros(len(each))
        for a, swing in enumerate(each):
            if swing.envelope is not None:
                amplitude[a] *= np.interp(places[a], np.linspace(0.0, 1.0, len(swing.envelope)), swing.envelope)
            if swing.release is not None:
                from_time[a] = _waiting_time(a, swing.release, offset[a], amplitude[a], omega[a], phase[a])
        return Wave(
            offset=offset,
            sine=amplitude * np.cos(phase),
            cosine=amplitude * np.sin(phase),
            angular_frequency=omega,
            soft_start=self.soft_start,
            from_time=from_time,
        )

    def references(self, time: np.ndarray, robot: AnyRobot) -> tuple[np.ndarray, np.ndarray]:
        """Returns joint angles [rad] and rates [rad/s] at given times, each of shape (n_times, n_joints).

        Args:
            time: Times [s], shape (n_times,).
            robot: The robot whose joints are moved.
        """
        return self.wave(robot).at(time)

    def link_angles(self, robot: AnyRobot) -> np.ndarray:
        """Link angles at time zero of a body whose wave swings about heading zero [rad], shape (n_links,).

        They are those of a flat body: only the yaw axes count. If the link angles are not a sine along the body
        (because of an envelope, an offset, a start from rest, no phase shift, or unevenly spaced yaw axes), the heading
        is the mean angle.
        """
        # Summing A sin(k d + p) over yaw axes s joints apart gives A / (2 sin(s d / 2)) cos((k - s/2) d + p) plus a
        # constant, which is the heading. It differs from the mean angle, as the body need not hold whole waves.
        yaw, _ = self._swings()
        behind = np.array([axis.link_behind for axis in robot.axes if axis.name == "yaw"])
        strides = set(np.diff(behind)) or {1}
        stride = int(min(strides))
        half = np.sin(stride * yaw.phase_shift / 2)
        plain = yaw.envelope is None and yaw.release is None and not (yaw.offset or self.soft_start)
        if not plain or behind.size == 0 or len(strides) > 1 or abs(half) < 1e-9:
            return super().link_angles(robot)
        k = robot.n_links - 2 - np.concatenate(([behind[0] - stride], behind))
        theta = yaw.amplitude / (2 * half) * np.cos((k - stride / 2) * yaw.phase_shift + yaw.phase)
        return np.asarray(theta[np.searchsorted(behind, np.arange(robot.n_links))])


def _waiting_time(axis: int, release: float, offset: float, amplitude: float, omega: float, phase: float) -> float:
    """First time at which offset + amplitude sin(omega t + phase) lies within `release` of zero [s]."""
    now = offset + amplitude * sin(phase)
    if abs(now) <= release + ROUND_OFF * (abs(offset) + abs(amplitude)):
        return 0.0
    least = abs(offset) - abs(amplitude) if omega else abs(now)
    if release < least or not omega:
        allowed = f"at least {{=least}} {{unit}}, or axis {axis} never comes within it"
        raise InvalidModel("gait.release", release, allowed, unit="rad", others={"least": least})
    meets = asin((copysign(release, now) - offset) / amplitude)
    turns = (copysign(1.0, omega) * (angle - phase) % (2 * pi) for angle in (meets, pi - meets))
    return min(turns) / abs(omega)
