"""Sidewinding: a yaw wave and a pitch wave of the same length, so that the body is set down and lifted in turn."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Annotated

from pushpoint.errors import InvalidModel
from pushpoint.gaits.waves import Swing, Swings, WaveGait
from pushpoint.model.checks import at_least
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Angle, AngularRate, Duration


@register("sidewinding")
@dataclass(frozen=True, kw_only=True)
class Sidewinding(WaveGait):
    """yaw = yaw_offset - ramp(t) yaw_amplitude sin(w t + k phase_shift + phase),
    pitch = ramp(t) pitch_amplitude sin(w t + k phase_shift + phase + phase_offset).

    k counts joints from the head. After Transeth2008b (70) and (71), whose sideways angles have the other sign:
    yaw_amplitude is A_h, pitch_amplitude A_v, phase_shift both delta_h and delta_v, phase_offset delta_0, and
    yaw_offset is -psi_h. The other sign of phase_offset goes to the other side.
    """

    yaw_amplitude: Angle
    """Amplitude of the yaw angles [rad]."""
    pitch_amplitude: Angle
    """Amplitude of the pitch angles [rad]."""
    angular_frequency: AngularRate
    """w [rad/s]."""
    phase_shift: Angle
    """Phase from joint to joint, counted from the head [rad]; < 0 sends the waves from head to tail."""
    phase_offset: Angle = pi / 2
    """Phase of the pitch wave ahead of the paper's sideways wave [rad]."""
    yaw_offset: Angle = 0.0
    """Mean yaw angle [rad]; > 0 bends the body to the left, so that it turns."""
    phase: Angle = 0.0
    """Phase of the joint next to the head at time zero [rad]."""
    soft_start: Duration = 0.0
    """Time in which the amplitudes grow from zero [s]."""
    release: Annotated[float, at_least(0, "rad")] | None = None
    """Each axis waits at zero until its angle first comes within this [rad], as in Transeth2008b VIII-E (3 deg);
    default: none waits."""
    prescribed: bool = False
    """Whether the motion is imposed instead of being a servo target."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.release is not None and self.soft_start:
            allowed = "left out where {soft_start} is given"
            raise InvalidModel("gait.release", self.release, allowed, others={"soft_start": None})

    @property
    def swings(self) -> Swings:
        """The formula above."""
        yaw = Swing(
            angular_frequency=self.angular_frequency,
            amplitude=-self.yaw_amplitude,
            phase_shift=self.phase_shift,
            phase=self.phase,
            offset=self.yaw_offset,
        )
        pitch = Swing(
            angular_frequency=self.angular_frequency,
            amplitude=self.pitch_amplitude,
            phase_shift=self.phase_shift,
            phase=self.phase + self.phase_offset,
        )
        return Swings(yaw=yaw, pitch=pitch, release=self.release)
