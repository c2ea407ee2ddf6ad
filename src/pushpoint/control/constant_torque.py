"""The simplest controller: the same torques all the time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pushpoint.engine.controller import Controller
from pushpoint.engine.signals import Command, Measurement
from pushpoint.model.checks import finite, positive, store


@dataclass(frozen=True, kw_only=True)
class ConstantTorque(Controller[None]):
    """Commands the same joint torques at every turn."""

    torque: Sequence[float]
    """Torques, tail to head [N m]; > 0 pushes the front link to its left."""
    rate: float = 100.0
    """Commands per second [Hz]."""

    def __post_init__(self) -> None:
        torque = tuple(finite(f"controller.torque[{j}]", value, "N m") for j, value in enumerate(self.torque))
        store(self, torque=torque, rate=positive("controller.rate", self.rate, "Hz"))

    def command(self, measurement: Measurement, memory: None) -> tuple[Command, None]:
        """The torques, for every world."""
        return Command(joint_torque=np.tile(self.torque, (len(measurement.time), 1))), None
