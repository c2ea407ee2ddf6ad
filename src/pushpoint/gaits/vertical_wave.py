"""Vertical wave: the body rises and falls as the wave runs along it."""

from __future__ import annotations

from dataclasses import dataclass

from pushpoint.gaits.waves import Swing, Swings, WaveGait
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Angle, AngularRate, Duration


@register("vertical-wave")
@dataclass(frozen=True, kw_only=True)
class VerticalWave(WaveGait):
    """pitch = ramp(t) amplitude sin(w t + k phase_shift + phase), yaw = yaw_offset.

    k counts joints from the head. Transeth2008b (71), with (70) reduced to its offset.
    """

    amplitude: Angle
    """Amplitude of the pitch angles [rad]."""
    angular_frequency: AngularRate
    """w [rad/s]."""
    phase_shift: Angle
    """Phase from joint to joint, counted from the head [rad]; < 0 sends the wave from head to tail."""
    yaw_offset: Angle = 0.0
    """Angle of all yaw axes [rad]; > 0 bends the body to the left, so that it turns."""
    phase: Angle = 0.0
    """Phase of the joint next to the head at time zero [rad]."""
    soft_start: Duration = 0.0
    """Time in which the amplitude grows from zero [s]."""
    prescribed: bool = False
    """Whether the motion is imposed instead of being a servo target."""

    @property
    def swings(self) -> Swings:
        """The formula above."""
        pitch = Swing(
            angular_frequency=self.angular_frequency,
            amplitude=self.amplitude,
            phase_shift=self.phase_shift,
            phase=self.phase,
        )
        return Swings(yaw=Swing(angular_frequency=self.angular_frequency, offset=self.yaw_offset), pitch=pitch)
