"""Lateral undulation: a serpenoid wave that runs along the body."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from pushpoint.dynamics.kinematics import about_heading_zero
from pushpoint.dynamics.signals import Wave
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import finite, non_negative, store


@dataclass(frozen=True, kw_only=True)
class LateralUndulation:
    """joint_angle[j] = offset + envelope[j] ramp(t) amplitude sin(w t + k phase_shift + phase).

    k counts joints from the head. Transeth2008a (71) in our numbering has phase = pi. phase_shift < 0 sends the wave
    from head to tail.
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
        store(
            self,
            amplitude=finite("gait.amplitude", self.amplitude, "rad"),
            angular_frequency=finite("gait.angular_frequency", self.angular_frequency, "rad/s"),
            phase_shift=finite("gait.phase_shift", self.phase_shift, "rad"),
            offset=finite("gait.offset", self.offset, "rad"),
            phase=finite("gait.phase", self.phase, "rad"),
            soft_start=non_negative("gait.soft_start", self.soft_start, "s"),
        )
        if self.envelope is not None:
            listed = self.envelope if isinstance(self.envelope, Iterable) else ()
            values = tuple(finite(f"gait.envelope[{k}]", value, "-") for k, value in enumerate(listed))
            if len(values) < 2:
                raise InvalidModel("gait.envelope", self.envelope, "two or more multipliers from tail to head")
            store(self, envelope=values)

    @property
    def period(self) -> float:
        """Duration of one cycle [s]."""
        return 2 * np.pi / abs(self.angular_frequency) if self.angular_frequency else np.inf

    def wave(self, n_joints: int) -> Wave:
        """The same gait as sine and cosine parts per joint, as kernels evaluate it."""
        amplitude = np.full(n_joints, self.amplitude)
        if self.envelope is not None:
            places = np.linspace(0.0, 1.0, n_joints) if n_joints > 1 else np.array([0.5])
            amplitude *= np.interp(places, np.linspace(0.0, 1.0, len(self.envelope)), self.envelope)
        phase = np.arange(n_joints)[::-1] * self.phase_shift + self.phase
        return Wave(
            offset=np.full(n_joints, self.offset),
            sine=amplitude * np.cos(phase),
            cosine=amplitude * np.sin(phase),
            angular_frequency=self.angular_frequency,
            soft_start=self.soft_start,
        )

    def references(self, time: np.ndarray, n_joints: int) -> tuple[np.ndarray, np.ndarray]:
        """Joint angles [rad] and rates [rad/s] at given times, shape (n_times, n_joints)."""
        return self.wave(n_joints).at(time)

    def link_angles(self, n_links: int) -> np.ndarray:
        """Link angles at time zero of a body whose wave swings about heading zero [rad], shape (n_links,).

        Summing (71) along the body leaves a sine of the link number and a constant; the constant is the heading. The
        arithmetic mean of the angles differs from it: the body need not hold whole waves. Where the sum has no such
        form (an envelope, an offset, a soft start, no phase shift) the mean angle is the heading.
        """
        half = np.sin(self.phase_shift / 2)
        if self.envelope is not None or self.offset or self.soft_start or abs(half) < 1e-9:
            return about_heading_zero(self.references(np.zeros(1), n_links - 1)[0][0])
        behind_head = n_links - 1 - np.arange(n_links)
        swing = self.amplitude / (2 * half)
        return swing * np.cos((behind_head - 0.5) * self.phase_shift + self.phase)
