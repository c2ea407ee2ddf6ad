"""What arrives at the motors of a real robot: references at a finite rate, and late."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from pushpoint.engine.controller import Gait
from pushpoint.model.checks import What, check_fields
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Duration, Frequency
from pushpoint.model.spatial_robot import AnyRobot


@register("sampled")
@dataclass(frozen=True, kw_only=True)
class Sampled(Gait):
    """Another gait, sent at a fixed rate and after a start delay."""

    gait: Annotated[Gait, What("a gait")]
    """The gait that is sent."""
    rate: Frequency
    """References per second [Hz]."""
    hold: bool = False
    """Whether the motors hold each reference until the next; otherwise they follow a cubic between them."""
    delay: Duration = 0.0
    """Time for which the first reference is held before the gait begins [s]."""

    def __post_init__(self) -> None:
        check_fields(self, "sampled")

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
