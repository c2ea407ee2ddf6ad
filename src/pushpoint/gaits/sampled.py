"""Gaits known at instants: another gait as it arrives at the motors of a real robot, and any function of time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from pushpoint.engine.controller import Gait
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import What, check_fields
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Duration, Frequency
from pushpoint.model.spatial_robot import AnyRobot

RATE_STEP = 1e-6


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


@dataclass(frozen=True, kw_only=True)
class FunctionOfTime(Gait):
    """Joint references from a user's function, a cubic between its values."""

    function: Callable[[float], np.ndarray]
    """Joint angles [rad], shape (n_joints,), at a time [s]."""
    rate: Frequency = 200.0
    """How often the function is asked [Hz]."""
    prescribed: bool = False
    """Whether the motion is imposed instead of being a servo target."""

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InvalidModel("gait.function", self.function, "a function of time that returns joint angles")
        check_fields(self, "gait")

    def references(self, time: np.ndarray, robot: AnyRobot) -> tuple[np.ndarray, np.ndarray]:
        """Joint angles [rad] and rates [rad/s] at given times, shape (n_times, n_joints)."""
        angles = np.array([self._ask(t, robot.n_joints) for t in time])
        return angles, np.array([self._slope(t, robot.n_joints) for t in time])

    def _slope(self, t: float, n_joints: int) -> np.ndarray:
        """Rates by differences of second order; one-sided at the start, because there is no time before it."""
        h = RATE_STEP
        if t < h:
            now, soon, later = (self._ask(t + k * h, n_joints) for k in range(3))
            return (4 * soon - 3 * now - later) / (2 * h)
        return (self._ask(t + h, n_joints) - self._ask(t - h, n_joints)) / (2 * h)

    def _ask(self, t: float, n_joints: int) -> np.ndarray:
        angles = np.asarray(self.function(float(t)), dtype=float)
        if angles.shape != (n_joints,) or not np.isfinite(angles).all():
            raise InvalidModel(f"gait.function({t:.6g})", angles, f"{n_joints} finite joint angles [rad]")
        return angles
