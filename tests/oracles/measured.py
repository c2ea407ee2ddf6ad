"""Measurements made up for controllers that are asked without a simulation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pushpoint.engine.signals import Measurement


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
