"""How the axes of a robot lie along its body, as gaits in metres need it."""

from __future__ import annotations

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.spatial_robot import AnyRobot


def stride_of(robot: AnyRobot, name: str) -> int:
    """Joints from one axis of a name to the next [-]; raises InvalidModel if they are unevenly spaced or missing."""
    behind = [axis.link_behind for axis in robot.axes if axis.name == name]
    strides = set(np.diff(behind).tolist())
    if len(strides) != 1:
        raise InvalidModel("robot", robot.name or "robot", f"one with two or more {name} axes, evenly spaced")
    return int(strides.pop())


def joint_spacing(robot: AnyRobot) -> float:
    """Mean distance between neighbouring joints [m]."""
    ends = (robot.links[0].length + robot.links[-1].length) if robot.n_links > 2 else 0.0
    return float((robot.length - ends) / max(robot.n_links - 2, 1))
