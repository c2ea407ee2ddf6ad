"""Measurements from the stepper's state and running totals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pushpoint.dynamics.signals import Measurement
from pushpoint.dynamics.stepper import Stepper
from pushpoint.simulation.worlds import World


class Senses:
    """Reads what the robots can sense; forces are means since the last reading."""

    def __init__(self, worlds: Sequence[World], stepper: Stepper, *, with_pose: bool) -> None:
        self._stepper = stepper
        self._with_pose = with_pose
        self.forget()

    def forget(self) -> None:
        """Starts the next interval now, as after a reset."""
        self._last = self._totals()
        self._last_step = self._stepper.state().step

    def _totals(self) -> dict[str, np.ndarray]:
        return {name: self._stepper.totals(name) for name in ("motor", "side")}

    def read(self) -> Measurement:
        """The present measurement of all worlds."""
        state = self._stepper.state()
        totals = self._totals()
        elapsed = (state.step - self._last_step)[:, None] * self._stepper.settings.dt
        per_time = np.divide(1.0, elapsed, out=np.zeros_like(elapsed, dtype=float), where=elapsed > 0)
        measurement = Measurement(
            time=state.step * self._stepper.settings.dt,
            joint_angle=np.diff(state.theta, axis=1),
            joint_rate=np.diff(state.omega, axis=1),
            joint_torque=(totals["motor"] - self._last["motor"]) * per_time,
            contact_normal_force=(totals["side"] - self._last["side"]) * per_time,
            center_of_mass=state.center if self._with_pose else None,
            link_angle=state.theta if self._with_pose else None,
        )
        self._last, self._last_step = totals, state.step
        return measurement
