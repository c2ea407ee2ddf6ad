"""Sinus-lifting: lateral undulation that lifts the body at the peaks of its wave."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

from pushpoint.gaits.waves import Swing, Swings, WaveGait
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Angle, AngularRate, Duration


@register("sinus-lifting")
@dataclass(frozen=True, kw_only=True)
class SinusLifting(WaveGait):
    """yaw = yaw_offset + ramp(t) yaw_amplitude sin(p), pitch = -ramp(t) pitch_amplitude cos(2 p),
    p = w t + k phase_shift + phase.

    k counts joints from the head. Pitch is largest, and the body highest, where yaw is farthest from its mean; the body
    is lowest, and carries its weight, where it is straight. After Hirose 1993 and Mori and Hirose 2002.
    """

    yaw_amplitude: Angle
    """Amplitude of the yaw angles [rad]."""
    pitch_amplitude: Angle
    """Amplitude of the pitch angles [rad]; < 0 lifts the straight parts instead."""
    angular_frequency: AngularRate
    """w of the yaw angles [rad/s]; the pitch angles have twice as much."""
    phase_shift: Angle
    """Phase of yaw from joint to joint, counted from the head [rad]; < 0 sends the waves from head to tail."""
    yaw_offset: Angle = 0.0
    """Mean yaw angle [rad]; > 0 turns left."""
    phase: Angle = 0.0
    """Phase of the joint next to the head at time zero [rad]."""
    soft_start: Duration = 0.0
    """Time in which the amplitudes grow from zero [s]."""
    prescribed: bool = False
    """Whether the motion is imposed instead of being a servo target."""

    @property
    def swings(self) -> Swings:
        """The formula above."""
        yaw = Swing(
            angular_frequency=self.angular_frequency,
            amplitude=self.yaw_amplitude,
            phase_shift=self.phase_shift,
            phase=self.phase,
            offset=self.yaw_offset,
        )
        pitch = Swing(
            angular_frequency=2 * self.angular_frequency,
            amplitude=-self.pitch_amplitude,
            phase_shift=2 * self.phase_shift,
            phase=2 * self.phase + pi / 2,
        )
        return Swings(yaw=yaw, pitch=pitch)
