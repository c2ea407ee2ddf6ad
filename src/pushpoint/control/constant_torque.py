"""The simplest controller: the same torques all the time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from pushpoint.engine.controller import Controller
from pushpoint.engine.signals import Command, Measurement
from pushpoint.model.checks import Many, check_fields, real
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Frequency


@register("constant-torque")
@dataclass(frozen=True, kw_only=True)
class ConstantTorque(Controller[None]):
    """Commands the same joint torques at every turn."""

    torque: Annotated[Sequence[float], real("N m"), Many(None, "a list of numbers")]
    """Torques, tail to head [N m]; > 0 pushes the front link to its left."""
    rate: Frequency = 100.0
    """Commands per second [Hz]."""

    def __post_init__(self) -> None:
        check_fields(self, "controller")

    def command(self, measurement: Measurement, memory: None) -> tuple[Command, None]:
        """The torques, for every world."""
        return Command(joint_torque=np.tile(self.torque, (len(measurement.time), 1))), None
