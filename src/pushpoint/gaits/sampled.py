"""What arrives at the motors of a real robot: references at a finite rate, and late."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pushpoint.engine.controller import Gait
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import instance, non_negative, positive, store
from pushpoint.model.spatial_robot import AnyRobot


@dataclass(frozen=True, kw_only=True)
class Sampled(Gait):
    """Another gait, sent at a fixed rate and after a start delay."""

    gait: Gait
    """The gait that is sent."""
    rate: float
    """References per second [Hz]."""
    hold: bool = False
    """Whether the motors hold each reference until the next; otherwise they follow a cubic between them."""
    delay: float = 0.0
    """Time for which the first reference is held before the gait begins [s]."""

    def __post_init__(self) -> None:
        instance("sampled.gait", self.gait, Gait, "a gait")
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
        return self.gait.prescribed

    @property
    def period(self) -> float | None:
        """Duration of a cycle of the gait [s], if there is one."""
        return self.gait.period

    def references(self, time: np.ndarray, robot: AnyRobot) -> tuple[np.ndarray, np.ndarray]:
        """Joint angles [rad] and rates [rad/s] as sent at given times, shape (n_times, n_joints)."""
        late = np.asarray(time, dtype=float) - self.delay
        angles, rates = self.gait.references(np.maximum(late, 0.0), robot)
        # A held reference is a place to be, not a speed to have; nor has the gait one before it begins.
        moving = np.zeros_like(late) if self.hold else (late > 0.0).astype(float)
        return angles, rates * moving[:, None]

    def link_angles(self, robot: AnyRobot) -> np.ndarray:
        """Link angles at time zero, as of the gait that is sent [rad]."""
        return self.gait.link_angles(robot)
