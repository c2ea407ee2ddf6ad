"""What tests drive robots with, commands that never change, and measurements made up to ask controllers with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.engine.controller import Controller
from pushpoint.engine.signals import Command, Measurement


@dataclass(frozen=True)
class Always(Controller[None]):
    """Gives the same command at every turn."""

    order: Command
    """The command, arrays without or with a leading world axis."""
    rate: float = 10.0
    """Commands per second [Hz]."""

    def command(self, measurement: Measurement, memory: None) -> tuple[Command, None]:
        """The command."""
        return self.order, memory


def straight(link_load: np.ndarray | None = None) -> Always:
    """Motors that keep the robot straight whatever happens, and loads (x, y [N], moment [N m]) on its links."""
    return Always(Command(prescribed=True, link_load=link_load))


def measured(n_joints: int, time: Sequence[float] = (0.0,), **known: Any) -> Measurement:
    """What worlds measure at these times [s] that lie straight and feel nothing, but for what is known of them."""
    worlds = len(time)
    joints = np.zeros((worlds, n_joints))
    nothing: dict[str, Any] = {
        "joint_angle": joints,
        "joint_rate": joints,
        "joint_torque": joints,
        "contact_normal_force": np.zeros((worlds, n_joints + 1)),
        "imu_angular_rate": np.zeros(worlds),
        "imu_acceleration": np.zeros((worlds, 2)),
        "imu_heading": np.zeros(worlds),
    }
    return Measurement(time=np.array(time, dtype=float), **nothing | known)
