"""What turns the joints: constant torques or PD servos, without limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from pushpoint.engine.controller import Gait
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import finite, instance, store
from pushpoint.model.planar_robot import PlanarRobot


class Drive(Protocol):
    """Joint torques as a smooth function of time and of the joints."""

    def torque_at(self, time: float, joint_angle: np.ndarray, joint_rate: np.ndarray) -> np.ndarray:
        """Torques [N m], shape (n_joints,); > 0 pushes the front link to its left."""


@dataclass(frozen=True, kw_only=True)
class SteadyTorque:
    """The same torques all the time."""

    torque: Sequence[float]
    """Torques, tail to head [N m]."""
    values: np.ndarray = field(init=False, repr=False, compare=False)
    """The same as an array [N m], shape (n_joints,)."""

    def __post_init__(self) -> None:
        torque = tuple(finite(f"drive.torque[{j}]", value, "N m") for j, value in enumerate(self.torque))
        store(self, torque=torque, values=np.array(torque))

    def torque_at(self, time: float, joint_angle: np.ndarray, joint_rate: np.ndarray) -> np.ndarray:
        """The torques, whatever the joints do."""
        if self.values.shape != joint_angle.shape:
            raise InvalidModel("drive.torque", len(self.values), f"{len(joint_angle)} torques, one per joint")
        return self.values


@dataclass(frozen=True, kw_only=True, eq=False)
class Servo:
    """PD servos that follow a gait, Transeth2008a (42)-(43) with the joint rate."""

    robot: PlanarRobot
    """Whose motors they are."""
    gait: Gait
    """Where the references come from; it must not be prescribed."""
    stiffness: np.ndarray = field(init=False, repr=False)
    """K_P [N m/rad], shape (n_joints,)."""
    damping: np.ndarray = field(init=False, repr=False)
    """K_D [N m s/rad], shape (n_joints,)."""

    def __post_init__(self) -> None:
        instance("drive.robot", self.robot, PlanarRobot, "a PlanarRobot")
        if not isinstance(self.gait, Gait) or self.gait.prescribed:
            raise InvalidModel("drive.gait", self.gait, "a gait whose references are servo targets")
        store(self, stiffness=self.robot.motor_column("stiffness"), damping=self.robot.motor_column("damping"))

    def torque_at(self, time: float, joint_angle: np.ndarray, joint_rate: np.ndarray) -> np.ndarray:
        """Torques of the servos at a time."""
        angle, rate = self.gait.references(np.array([time]), self.robot)
        return self.stiffness * (angle[0] - joint_angle) + self.damping * (rate[0] - joint_rate)
