"""Any function of time as a gait."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pushpoint.engine.controller import Gait
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import check_fields
from pushpoint.model.quantities import Frequency
from pushpoint.model.spatial_robot import AnyRobot

RATE_STEP = 1e-6


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
