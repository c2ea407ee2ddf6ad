"""A world: a robot in an environment, driven by a controller, from a start, seen through sensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pushpoint.engine.planar.kinematics import about_heading_zero
from pushpoint.engine.planar.start import Start, check_clear
from pushpoint.engine.spatial.start import SpatialStart, check_clear as check_spatial_clear
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import instance, members, store
from pushpoint.model.environment import Environment
from pushpoint.model.fits import check_fits
from pushpoint.model.sensors import PERFECT, PERFECT_SENSORS, Sensors
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot


@dataclass(frozen=True)
class World:
    """One member of a batch."""

    robot: AnyRobot
    """What moves."""
    environment: Environment
    """Where it moves."""
    controller: Any = None
    """A gait or a Controller; none for a Simulator, which is told its commands."""
    start: Start | SpatialStart | None = None
    """How it begins; default: with the controller's first reference, at the origin, at rest."""
    sensors: Sensors = PERFECT_SENSORS
    """What controllers are shown of it; results are always the truth."""

    def __post_init__(self) -> None:
        instance("robot", self.robot, AnyRobot, "a PlanarRobot or a SpatialRobot")
        instance("environment", self.environment, Environment, "an Environment")
        instance("sensors", self.sensors, Sensors, "Sensors")
        kind = SpatialStart if self.spatial else Start
        store(self, start=self._usual_start() if self.start is None else self.start)
        instance("start", self.start, kind, f"a {kind.__name__} for a {type(self.robot).__name__}")
        check_fits(self.robot, self.environment)
        if self.spatial and (self.sensors.range is not None or getattr(self.controller, "needs_range", False)):
            raise InvalidModel("sensors.range", "asked for", "left out for a spatial robot")
        if not self.spatial and self.sensors.imu_tilt != PERFECT:
            raise InvalidModel("sensors.imu_tilt", "a Channel", "left out for a planar robot, which does not tilt")
        self.sensors.imu_on(self.robot)

    def _usual_start(self) -> Start | SpatialStart:
        if isinstance(self.robot, SpatialRobot):
            # A controller that knows where the whole body lies says more than its first joint angles do.
            return self.controller.start(self.robot) if hasattr(self.controller, "start") else SpatialStart()
        return Start()

    @property
    def spatial(self) -> bool:
        """Whether the robot moves in space."""
        return isinstance(self.robot, SpatialRobot)

    def pose(self, index: int = 0) -> dict[str, Any]:
        """Where everything is and how fast at time zero, clear of obstacles; the names are those of the state."""
        if isinstance(self.robot, SpatialRobot):
            return self._spatial_pose(self.robot, index)
        pose = self.start.pose(self.robot, self._posture())  # type: ignore[union-attr, arg-type]
        check_clear(index, self.robot, self.environment, pose["center"], pose["theta"])
        return pose

    def _spatial_pose(self, robot: SpatialRobot, index: int) -> dict[str, Any]:
        first = None
        if hasattr(self.controller, "references"):
            first = self.controller.references(np.zeros(1), robot)[0][0]
        turned = hasattr(self.controller, "link_angles")
        tail_yaw = float(self.controller.link_angles(robot)[0]) if turned else None
        start: SpatialStart = self.start  # type: ignore[assignment]
        pose = start.pose(robot, self.environment, first, tail_yaw)
        check_spatial_clear(index, robot, self.environment, pose)
        return pose

    def _posture(self) -> np.ndarray | None:
        """Link angles about heading zero that the controller begins with; None for a straight body."""
        if hasattr(self.controller, "link_angles"):
            return np.asarray(self.controller.link_angles(self.robot))
        if hasattr(self.controller, "references"):
            return about_heading_zero(self.controller.references(np.zeros(1), self.robot)[0][0])
        return None


def check_world(world: World) -> None:
    """Refuses what is not for this robot before anything is built: postures and laws for another number of links."""
    start: Any = world.start
    world.environment.ground.laws(world.robot.n_links)
    if isinstance(world.robot, SpatialRobot):
        # At any height: it is not put down.
        replace(start, position=(0.0, 0.0, 0.0)).pose(world.robot, world.environment)
    else:
        start.pose(world.robot)


def checked(worlds: Sequence[World]) -> tuple[World, ...]:
    """The worlds of a batch; refuses an empty one and strangers."""
    batch = members("worlds", worlds, World, "a World")
    if not batch:
        raise InvalidModel("worlds", batch, "at least one World")
    return batch
