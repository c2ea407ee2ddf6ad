"""A world: a robot in an environment, driven by a controller, from a start, seen through sensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.dynamics.kinematics import about_heading_zero
from pushpoint.dynamics.start import Start, check_clear
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import members
from pushpoint.model.environment import Environment
from pushpoint.model.robot import Robot
from pushpoint.model.sensors import PERFECT_SENSORS, Sensors


@dataclass(frozen=True)
class World:
    """One member of a batch."""

    robot: Robot
    """What moves."""
    environment: Environment
    """Where it moves."""
    controller: Any = None
    """A gait or a Controller; none for a Simulator, which is told its commands."""
    start: Start = Start()
    """How it begins."""
    sensors: Sensors = PERFECT_SENSORS
    """What controllers are shown of it; results are always the truth."""

    def __post_init__(self) -> None:
        for field, kind in (("robot", Robot), ("environment", Environment), ("start", Start), ("sensors", Sensors)):
            if not isinstance(getattr(self, field), kind):
                raise InvalidModel(field, getattr(self, field), f"a {kind.__name__}")
        self.sensors.imu_on(self.robot)

    def pose(self, index: int = 0) -> dict[str, Any]:
        """Centre, link angles and velocities at time zero, clear of obstacles."""
        pose = self.start.pose(self.robot, self._posture())
        check_clear(index, self.robot, self.environment, pose["center"], pose["theta"])
        return pose

    def _posture(self) -> np.ndarray | None:
        """Link angles about heading zero that the controller begins with; None for a straight body."""
        if hasattr(self.controller, "link_angles"):
            return np.asarray(self.controller.link_angles(self.robot.n_links))
        if hasattr(self.controller, "references"):
            return about_heading_zero(self.controller.references(np.zeros(1), self.robot.n_joints)[0][0])
        return None


def checked(worlds: Sequence[World]) -> tuple[World, ...]:
    """The worlds of a batch; refuses an empty one and strangers."""
    batch = members("worlds", worlds, World, "a World")
    if not batch:
        raise InvalidModel("worlds", batch, "at least one World")
    return batch
