"""A gait that holds one posture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.controller import Gait
from pushpoint.engine.signals import soft_step
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import check_fields
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Angles, Duration
from pushpoint.model.spatial_robot import AnyRobot


@register("hold")
@dataclass(frozen=True, kw_only=True)
class Hold(Gait):
    """Holds a posture: the same reference angles all the time. A robot without a controller goes limp instead.

    For example:

        pp.gaits.Hold()  # straight
        pp.gaits.Hold(joint_angles=[0.3] * 10, soft_start=1.0)  # bent within a second
    """

    __repr__ = brief

    joint_angles: Angles | None = None
    """Angles of all axes [rad], from tail to head; default: zero, a straight body."""
    soft_start: Duration = 0.0
    """Time in which the angles grow from zero [s]; a world without a start then begins straight."""
    prescribed: bool = False
    """Whether the joints keep these angles exactly instead of using them as servo targets."""

    def __post_init__(self) -> None:
        check_fields(self, "gait")

    def references(self, time: np.ndarray, robot: AnyRobot) -> tuple[np.ndarray, np.ndarray]:
        """Returns the joint angles [rad] and, while they grow, rates [rad/s], each of shape (n_times, n_joints)."""
        angles = np.zeros(robot.n_joints) if self.joint_angles is None else np.array(self.joint_angles)
        if len(angles) != robot.n_joints:
            raise InvalidModel("gait.joint_angles: count", len(angles), f"{robot.n_joints}, one per axis")
        grown, growth = soft_step(time, self.soft_start)
        return np.outer(grown, angles), np.outer(growth, angles)
