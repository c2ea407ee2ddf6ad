"""A gait that holds one posture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.controller import Gait
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import check_fields
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Angles
from pushpoint.model.spatial_robot import AnyRobot


@register("hold")
@dataclass(frozen=True, kw_only=True)
class Hold(Gait):
    """Holds a posture: the same reference angles all the time. A robot without a controller goes limp instead.

    For example:

        pp.gaits.Hold()  # straight
        pp.gaits.Hold(joint_angles=[0.3] * 10)
    """

    __repr__ = brief

    joint_angles: Angles | None = None
    """Angles of all axes [rad], from tail to head; default: zero, a straight body."""
    prescribed: bool = False
    """Whether the joints keep these angles exactly instead of using them as servo targets."""

    def __post_init__(self) -> None:
        check_fields(self, "gait")

    def references(self, time: np.ndarray, robot: AnyRobot) -> tuple[np.ndarray, np.ndarray]:
        """Returns the same joint angles [rad] at all times and no rates, each of shape (n_times, n_joints)."""
        angles = np.zeros(robot.n_joints) if self.joint_angles is None else np.array(self.joint_angles)
        if len(angles) != robot.n_joints:
            raise InvalidModel("gait.joint_angles: count", len(angles), f"{robot.n_joints}, one per axis")
        return np.tile(angles, (len(time), 1)), np.zeros((len(time), robot.n_joints))
