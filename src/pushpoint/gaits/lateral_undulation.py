"""Lateral undulation: a serpenoid wave that runs along the body."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pushpoint.errors import InvalidModel
from pushpoint.gaits.waves import Swing, Swings, WaveGait
from pushpoint.model.checks import finite, store


@dataclass(frozen=True, kw_only=True)
class LateralUndulation(WaveGait):
    """yaw = offset + envelope ramp(t) amplitude sin(w t + k phase_shift + phase), pitch = 0.

    k counts joints from the head: k = n_links - 2 - j for joint j, whether it yaws or not. Transeth2008a (71) and
    Transeth2008b (70) in our numbering have phase = pi. phase_shift < 0 sends the wave from head to tail.
    """

    amplitude: float
    """Amplitude of the joint angles [rad]."""
    angular_frequency: float
    """w [rad/s]."""
    phase_shift: float
    """Phase from joint to joint, counted from the head [rad]."""
    offset: float = 0.0
    """Mean joint angle [rad]; > 0 turns left."""
    phase: float = 0.0
    """Phase of the joint next to the head at time zero [rad]."""
    envelope: Sequence[float] | None = None
    """Multipliers of the amplitude, two or more, spread evenly from tail to head [-]; default: 1."""
    soft_start: float = 0.0
    """Time in which the amplitude grows from zero [s]."""
    prescribed: bool = False
    """Whether the motion is imposed instead of being a servo target."""

    def __post_init__(self) -> None:
        self._check("amplitude", "phase_shift", "offset", "phase")
        if self.envelope is not None:
            listed = self.envelope if isinstance(self.envelope, Iterable) else ()
            values = tuple(finite(f"gait.envelope[{k}]", value, "-") for k, value in enumerate(listed))
            if len(values) < 2:
                raise InvalidModel("gait.envelope", self.envelope, "two or more multipliers from tail to head")
            store(self, envelope=values)

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
