"""Any function of time as a gait."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import positive, store

RATE_STEP = 1e-6


@dataclass(frozen=True, kw_only=True)
class FunctionOfTime:
    """Joint references from a user's function, a cubic between its values."""

    function: Callable[[float], np.ndarray]
    """Joint angles [rad], shape (n_joints,), at a time [s]."""
    rate: float = 200.0
    """How often the function is asked [Hz]."""
    prescribed: bool = False
    """Whether the motion is imposed instead of being a servo target."""

    def __post_init__(self) -> None:
        store(self, rate=positive("gait.rate", self.rate, "Hz"))

    def references(self, time: np.ndarray, n_joints: int) -> tuple[np.ndarray, np.ndarray]:
        """Joint angles [rad] and rates [rad/s] at given times, shape (n_times, n_joints)."""
        h = RATE_STEP
        angles = np.array([self._ask(t, n_joints) for t in time])
        ahead = np.array([self._ask(t + h, n_joints) for t in time])
        behind = np.array([self._ask(t - h, n_joints) for t in time])
        return angles, (ahead - behind) / (2 * h)

    def _ask(self, t: float, n_joints: int) -> np.ndarray:
        angles = np.asarray(self.function(float(t)), dtype=float)
        if angles.shape != (n_joints,) or not np.isfinite(angles).all():
            raise InvalidModel(f"gait.function({t:.6g})", angles, f"{n_joints} finite joint angles [rad]")
        return angles
