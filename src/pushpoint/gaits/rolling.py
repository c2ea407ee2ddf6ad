"""Lateral rolling: an arc that turns about its own axis."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Annotated

from pushpoint.gaits.waves import Swing, Swings, WaveGait
from pushpoint.model.checks import between
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Angle, AngularRate, Duration


@register("rolling")
@dataclass(frozen=True, kw_only=True)
class Rolling(WaveGait):
    """yaw = ramp(t) A cos(w t + phase), pitch = -ramp(t) A sin(w t + phase), A = amplitude (1 + taper (2 s - 1)).

    s runs from 0 at the tail's joint to 1 at the head's. Seen from the links, the bend turns about the body's axis from
    the left upward; the ground keeps the arc flat, and so the body rolls about its axis the other way round: to the
    left for w > 0, by w times its radius where nothing slips. Lateral rolling after Mori and Hirose 2002.
    """

    amplitude: Angle
    """Amplitude of yaw and pitch angles in the middle of the body [rad]."""
    angular_frequency: AngularRate
    """w [rad/s]."""
    taper: Annotated[float, between(-1, 1, "-")] = 0.0
    """How the amplitude grows along the body [-], -1 to 1: the tail has 1 - taper, the head 1 + taper times the
    amplitude. The arc is then tighter at one end; links of one radius roll straight ahead all the same."""
    phase: Angle = 0.0
    """Angle of the bend about the body's axis at time zero, from the left upward [rad]."""
    soft_start: Duration = 0.0
    """Time in which the amplitude grows from zero [s]."""
    prescribed: bool = False
    """Whether the motion is imposed instead of being a servo target."""

    @property
    def swings(self) -> Swings:
        """The formula above."""
        envelope = (1.0 - self.taper, 1.0 + self.taper)
        yaw, pitch = (
            Swing(angular_frequency=self.angular_frequency, amplitude=amplitude, phase=phase, envelope=envelope)
            for amplitude, phase in ((self.amplitude, self.phase + pi / 2), (-self.amplitude, self.phase))
        )
        return Swings(yaw=yaw, pitch=pitch)
