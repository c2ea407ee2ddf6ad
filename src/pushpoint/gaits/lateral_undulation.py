"""Lateral undulation: a serpenoid wave that runs along the body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pushpoint.errors import InvalidModel
from pushpoint.gaits.waves import Swing, Swings, WaveGait
from pushpoint.model.checks import Many, real
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Angle, AngularRate, Duration

MULTIPLIERS = "two or more multipliers from tail to head"


@register("lateral-undulation")
@dataclass(frozen=True, kw_only=True)
class LateralUndulation(WaveGait):
    """yaw = offset + envelope ramp(t) amplitude sin(w t + k phase_shift + phase), pitch = 0.

    k counts joints from the head: k = n_links - 2 - j for joint j, whether it yaws or not. Transeth2008a (71) and
    Transeth2008b (70) in our numbering have phase = pi. phase_shift < 0 sends the wave from head to tail.
    """

    amplitude: Angle
    """Amplitude of the joint angles [rad]."""
    angular_frequency: AngularRate
    """w [rad/s]."""
    phase_shift: Angle
    """Phase from joint to joint, counted from the head [rad]."""
    offset: Angle = 0.0
    """Mean joint angle [rad]; > 0 turns left."""
    phase: Angle = 0.0
    """Phase of the joint next to the head at time zero [rad]."""
    envelope: Annotated[Sequence[float], real("-"), Many(None, MULTIPLIERS)] | None = None
    """Multipliers of the amplitude, two or more, spread evenly from tail to head [-]; default: 1."""
    soft_start: Duration = 0.0
    """Time in which the amplitude grows from zero [s]."""
    prescribed: bool = False
    """Whether the motion is imposed instead of being a servo target."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.envelope is not None and len(self.envelope) < 2:
            raise InvalidModel("gait.envelope", self.envelope, MULTIPLIERS)

    @property
    def swings(self) -> Swings:
        """The formula above."""
        yaw = Swing(
            angular_frequency=self.angular_frequency,
            amplitude=self.amplitude,
            phase_shift=self.phase_shift,
            phase=self.phase,
            offset=self.offset,
            envelope=None if self.envelope is None else tuple(self.envelope),
        )
        return Swings(yaw=yaw, pitch=Swing(angular_frequency=self.angular_frequency))
