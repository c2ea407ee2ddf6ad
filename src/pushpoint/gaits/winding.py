"""Gaits of two waves, one of the yaw axes and one of the pitch axes: sidewinding in its forms, and any two waves."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

from pushpoint.gaits.waves import Swing, WaveGait
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Angle
from pushpoint.model.spatial_robot import AnyRobot

MOST_CYCLES = 32
"""Most cycles of one wave within a common period of two [-]."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Winding(WaveGait):
    """Base class of sidewinding gaits: a yaw wave and a pitch wave of one frequency."""

    yaw_amplitude: Angle
    """Amplitude of the yaw angles [rad]."""
    pitch_amplitude: Angle
    """Amplitude of the pitch angles [rad]."""
    phase_shift: Angle
    """Phase difference between neighbouring joints, from the head [rad]; < 0 sends waves from head to tail."""
    pitch_lead: Angle = -pi / 2
    """Phase lead of the pitch wave over the yaw wave [rad]; the opposite sign moves the robot to the other side."""
    yaw_offset: Angle = 0.0
    """Mean yaw angle [rad]; > 0 bends the body to the left, so that it turns."""

    def _two_waves(self, yaw: tuple[float, ...] | None, pitch: tuple[float, ...] | None) -> tuple[Swing, Swing]:
        """Both waves, with these envelopes."""
        shift, ahead = self.phase_shift, self.phase + self.pitch_lead
        first = Swing(self.yaw_amplitude, shift, self.phase, self.yaw_offset, yaw)
        return first, Swing(self.pitch_amplitude, shift, ahead, envelope=pitch)


@register("sidewinding")
@dataclass(frozen=True, kw_only=True, repr=False)
class Sidewinding(Winding):
    """Sidewinding: a yaw wave and a pitch wave that lift the body and set it down sideways.

        yaw = yaw_offset + ramp(t) yaw_amplitude sin(w t + k phase_shift + phase)
        pitch = ramp(t) pitch_amplitude sin(w t + k phase_shift + phase + pitch_lead)

    k counts joints from the head. With phase_shift < 0 and the default pitch_lead the robot moves to its left. These
    are Transeth2008b (70) and (71), whose sideways angles have the opposite sign: yaw_amplitude is -A_h,
    pitch_amplitude A_v, phase_shift both delta_h and delta_v, pitch_lead delta_0, and yaw_offset is -psi_h.
    """

    def _swings(self, robot: AnyRobot) -> tuple[Swing, Swing]:
        return self._two_waves(None, None)
