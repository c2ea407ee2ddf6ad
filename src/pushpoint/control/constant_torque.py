"""The simplest controller: constant torques."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.controller import Controller
from pushpoint.engine.signals import Command, Measurement
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import Many, check_fields, real
from pushpoint.model.environment import Environment
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Frequency
from pushpoint.model.spatial_robot import AnyRobot


@register("constant-torque")
@dataclass(frozen=True, kw_only=True)
class ConstantTorque(Controller[None]):
    """Commands the same joint torques all the time.

    For example:

        pp.control.ConstantTorque(torque=[0.5] * 10)
    """

    __repr__ = brief

    torque: Annotated[Sequence[float], real("N m"), Many(None, "a list of numbers")]
    """Torques from tail to head [N m]; > 0 pushes the front link to its left."""
    rate: Frequency = 100.0
    """Commands per second [Hz]."""

    def __post_init__(self) -> None:
        check_fields(self, "controller")

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> ConstantTorque:
        """Checks that the robot has as many joints as there are torques."""
        if len(self.torque) != robot.n_joints:
            raise InvalidModel("controller.torque: count", len(self.torque), f"{robot.n_joints}, one per joint")
        return self

    def command(self, measurement: Measurement, memory: None) -> tuple[Command, None]:
        """The torques, for every world."""
        return Command(joint_torque=np.tile(self.torque, (len(measurement.time), 1))), None
