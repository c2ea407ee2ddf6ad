"""Gaits whose axes move as sines: their common base, which the kernels evaluate."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, pi
from typing import Annotated, NamedTuple

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.controller import Gait
from pushpoint.engine.signals import Wave
from pushpoint.gaits.release import Sine, waiting_time
from pushpoint.model.arrays import Axes, array
from pushpoint.model.checks import Many, check_fields, instance, real
from pushpoint.model.quantities import AngularRate, Duration, Phase, Spread
from pushpoint.model.spatial_robot import AnyRobot

HELD = "_held_wave"
"""Where a gait keeps the last wave that it made, with its robot."""
MULTIPLIERS = "two or more multipliers from tail to head"
Multipliers = Annotated[Sequence[float], real("-"), Many(None, MULTIPLIERS)]
"""Multipliers of an amplitude, spread evenly from tail to head [-]."""


class Swing(NamedTuple):
    """The motion of all axes of one name: offset + posture + envelope amplitude sin(w t + k phase_shift + phase) [rad].

    k counts all joints from the head, whether they have an axis of this name or not.
    """

    def __repr__(self) -> str:
        return brief(self)

    amplitude: float = 0.0
    """Amplitude [rad]."""
    phase_shift: float = 0.0
    """Phase difference between neighbouring joints [rad]."""
    phase: float = 0.0
    """Phase of the joint next to the head at time zero [rad]."""
    offset: float = 0.0
    """Mean angle [rad]."""
    envelope: tuple[float, ...] | None = None
    """Multipliers of the amplitude, spread evenly from tail to head [-]; None: 1."""
    angular_frequency: float | None = None
    """Angular frequency w [rad/s]; None: that of the gait."""
    posture: tuple[float, ...] | None = None
    """Angles that are added to the offset, one per joint from tail to head [rad]; None: zero."""


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
    release: Spread | None = None
    """Each axis waits at zero until its angle first comes within this of zero [rad]; default: no waiting.
    Transeth2008b, VIII-E, uses 3 deg. With `soft_start` it is the growing angle that must come within it."""
    prescribed: bool = False
    """Whether the joints follow the wave exactly instead of using it as a servo target."""

    @abstractmethod
    def _swings(self, robot: AnyRobot) -> tuple[Swing, Swing]:
        """The gait's formula: the motion of the yaw axes, and that of the pitch axes."""

    def __post_init__(self) -> None:
        check_fields(self, "gait")

    @property
    def period(self) -> float:
        """Duration of one cycle [s]."""
        return 2 * pi / abs(self.angular_frequency) if self.angular_frequency else inf

    def wave(self, robot: AnyRobot) -> Wave:
        """The same gait as sine and cosine parts per axis, as the kernels evaluate it.

        The wave of the robot that was asked for last is kept: a run needs it several times.
        """
        held = vars(self).get(HELD)
        if held is None or held[0] is not robot:
            instance("robot", robot, AnyRobot, "a PlanarRobot or a SpatialRobot")
            held = vars(self)[HELD] = (robot, self._wave(robot))
        wave: Wave = held[1]
        return wave

    def _wave(self, robot: AnyRobot) -> Wave:
        swings, behind, joints = self._swings(robot), robot.axis_behind, robot.n_links - 1
        which = np.where(robot.axis_yaws, 0, 1)  # the yaw axes' swing, or that of the others
        offset, amplitude, shift, first = (
            np.array([getattr(swing, name) for swing in swings], dtype=float)[which]
            for name in ("offset", "amplitude", "phase_shift", "phase")
        )
        own = (swing.angular_frequency for swing in swings)
        omega = np.array([self.angular_frequency if w is None else w for w in own], dtype=float)[which]
        phase = (joints - 1 - behind) * shift + first
        for swing, chosen in zip(swings, (robot.axis_yaws, ~robot.axis_yaws), strict=True):
            if swing.envelope is not None:
                places = np.linspace(0.0, 1.0, joints)[behind[chosen]] if joints > 1 else 0.5
                amplitude[chosen] *= np.interp(places, np.linspace(0.0, 1.0, len(swing.envelope)), swing.envelope)
            if swing.posture is not None:
                offset[chosen] += np.array(swing.posture)[behind[chosen]]
        waits = np.zeros(len(which))
        if self.release is not None:
            sines = zip(offset.tolist(), amplitude.tolist(), omega.tolist(), phase.tolist(), strict=True)
            waits[:] = [waiting_time(a, self.release, Sine(*sine), self.soft_start) for a, sine in enumerate(sines)]
        parts = {"offset": offset, "sine": amplitude * np.cos(phase), "cosine": amplitude * np.sin(phase)}
        parts |= {"angular_frequency": omega, "from_time": waits}
        for each in parts.values():
            each.setflags(write=False)
        return Wave(**parts, soft_start=self.soft_start)

    def references(self, time: np.ndarray, robot: AnyRobot) -> tuple[np.ndarray, np.ndarray]:
        """Returns joint angles [rad] and rates [rad/s] at given times, each of shape (n_times, n_joints).

        Args:
            time: Times [s], shape (n_times,).
            robot: The robot whose joints are moved.
        """
        return self.wave(robot).at(time)

    def first_reference(self, robot: AnyRobot) -> np.ndarray:
        """Joint angles at time zero [rad], shape (n_joints,)."""
        wave = self.wave(robot)
        begun = wave.offset if self.soft_start else wave.offset + wave.cosine
        angle = np.where(wave.from_time > 0.0, 0.0, begun)
        if angle.shape == (robot.n_joints,) and np.isfinite(angle).all():
            return angle
        return array(f"{type(self).__name__}: angles at time zero", angle, real("rad"), Axes(robot.n_joints))

    def link_angles(self, robot: AnyRobot) -> np.ndarray:
        """Link angles at time zero of a body whose wave swings about heading zero [rad], shape (n_links,).

        They are those of a flat body: only the yaw axes count. If the link angles are not a sine along the body
        (because of an envelope, an offset, a start from rest, no phase shift, or unevenly spaced yaw axes), the heading
        is the mean angle.
        """
        # Summing A sin(k d + p) over yaw axes s joints apart gives A / (2 sin(s d / 2)) cos((k - s/2) d + p) plus a
        # constant, which is the heading. It differs from the mean angle, as the body need not hold whole waves.
        yaw, _ = self._swings(robot)
        behind = robot.axis_behind[robot.axis_yaws]
        strides = set(np.diff(behind).tolist()) or {1}
        stride = min(strides)
        half = np.sin(stride * yaw.phase_shift / 2)
        plain = yaw.envelope is None and yaw.posture is None and self.release is None
        plain = plain and not (yaw.offset or self.soft_start)
        if not plain or behind.size == 0 or len(strides) > 1 or abs(half) < 1e-9:
            return super().link_angles(robot)
        k = robot.n_links - 2 - np.concatenate(([behind[0] - stride], behind))
        theta = yaw.amplitude / (2 * half) * np.cos((k - stride / 2) * yaw.phase_shift + yaw.phase)
        return np.asarray(theta[np.searchsorted(behind, np.arange(robot.n_links))])
