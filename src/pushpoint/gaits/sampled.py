"""What arrives at the motors of a real robot: references at a finite rate, and late."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.gaits.waves import AnyRobot, resting_links
from pushpoint.model.checks import non_negative, positive, store


@dataclass(frozen=True, kw_only=True)
class Sampled:
    """Another gait, sent at a fixed rate and after a start delay."""

    gait: Any
    """The gait that is sent."""
    rate: float
    """References per second [Hz]."""
    hold: bool = False
    """Whether the motors hold each reference until the next; otherwise they follow a cubic between them."""
    delay: float = 0.0
    """Time for which the first reference is held before the gait begins [s]."""

    def __post_init__(self) -> None:
        if not hasattr(self.gait, "references"):
            raise InvalidModel("sampled.gait", self.gait, "a gait")
        if not isinstance(self.hold, bool):
            raise InvalidModel("sampled.hold", self.hold, "true or false")
        store(
            self,
            rate=positive("sampled.rate", self.rate, "Hz"),
            delay=non_negative("sampled.delay", self.delay, "s"),
        )

    @property
    def prescribed(self) -> bool:
        """Whether the motion is imposed instead of being a servo target."""
        return bool(self.gait.prescribed)

    @property
    def angular_frequency(self) -> float | None:
        """That of the gait [rad/s], if it has one."""
        return getattr(self.gait, "angular_frequency", None)

    def references(self, time: np.ndarray, robot: AnyRobot) -> tuple[np.ndarray, np.ndarray]:
        """Joint angles [rad] and rates [rad/s] as sent at given times, shape (n_times, n_joints)."""
        late = np.asarray(time, dtype=float) - self.delay
        angles, rates = self.gait.references(np.maximum(late, 0.0), robot)
        # A held reference is a place to be, not a speed to have; nor has the gait one before it begins.
        moving = np.zeros_like(late) if self.hold else (late > 0.0).astype(float)
        return angles, rates * moving[:, None]

    def link_angles(self, robot: AnyRobot) -> np.ndarray:
        """Link angles at time zero, as of the gait that is sent [rad]."""
        if hasattr(self.gait, "link_angles"):
            return np.asarray(self.gait.link_angles(robot))
        return resting_links(robot, self.gait.references(np.zeros(1), robot)[0][0])
