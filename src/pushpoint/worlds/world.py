"""A world: a robot in an environment, driven by a controller, from a start, seen through sensors; and what is run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.controller import Controller
from pushpoint.engine.planar.start import Start, check_clear
from pushpoint.engine.settings import Settings
from pushpoint.engine.spatial.start import SpatialStart, check_clear as check_spatial_clear
from pushpoint.errors import InvalidModel, StartBeyondStop
from pushpoint.model.checks import instance, members, store
from pushpoint.model.environment import Environment, check_fits
from pushpoint.model.sensors import PERFECT, PERFECT_SENSORS, Sensors
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot
from pushpoint.worlds.goals import Until
from pushpoint.worlds.record import Record


@dataclass(frozen=True)
class World:
    """One member of a batch."""

    __repr__ = brief

    robot: AnyRobot
    """What moves."""
    environment: Environment
    """Where it moves."""
    controller: Any = None
    """A Controller, gaits among them; none for a Simulator, which is told its commands."""
    start: Start | SpatialStart | None = None
    """How it begins; default: as the controller says, or with its first reference at the origin, at rest."""
    sensors: Sensors = PERFECT_SENSORS
    """What controllers are shown of it; results are always the truth."""

    def __post_init__(self) -> None:
        instance("robot", self.robot, AnyRobot, "a PlanarRobot or a SpatialRobot")
        instance("environment", self.environment, Environment, "an Environment")
        instance("sensors", self.sensors, Sensors, "Sensors")
        if self.controller is not None:
            instance("controller", self.controller, Controller, "a gait or a Controller")
        kind = SpatialStart if self.spatial else Start
        if self.start is None:
            own = None if self.controller is None else self.controller.start(self.robot, self.environment)
            store(self, start=kind() if own is None else own)
        instance("start", self.start, kind, f"a {kind.__name__} for a {type(self.robot).__name__}")
        check_fits(self.robot, self.environment)
        if self.spatial and self.senses_range:
            raise InvalidModel("sensors.range", "asked for", "left out for a spatial robot")
        if not self.spatial and self.sensors.imu_tilt != PERFECT:
            raise InvalidModel("sensors.imu_tilt", "a Channel", "left out for a planar robot, which does not tilt")
        self.sensors.imu_on(self.robot)

    @property
    def spatial(self) -> bool:
        """Whether the robot moves in space."""
        return isinstance(self.robot, SpatialRobot)

    @property
    def senses_range(self) -> bool:
        """Whether sensors or controller ask for the distances to obstacles."""
        needed = self.controller is not None and "range" in self.controller.needs
        return needed or self.sensors.range is not None

    def pose(self, index: int = 0) -> dict[str, Any]:
        """Where everything is and how fast at time zero, clear of obstacles; the names are those of the state."""
        start: Any = self.start
        flat = None if self.controller is None else self.controller.link_angles(self.robot)
        if isinstance(self.robot, SpatialRobot):
            first = None if self.controller is None else self.controller.first_reference(self.robot)
            tail_yaw = None if flat is None else float(flat[0])
            pose: dict[str, Any] = start.pose(self.robot, self.environment, first, tail_yaw)
            check_spatial_clear(index, self.robot, self.environment, pose)
        else:
            pose = start.pose(self.robot, flat)
            check_clear(index, self.robot, self.environment, pose["center"], pose["theta"])
        if self.controller is None or not self.controller.prescribed:  # imposed motion knows no stops
            check_stops(index, self.robot, pose["angle"] if self.spatial else np.diff(pose["theta"]))
        return pose


AT_STOP = 1e-7
"""How far beyond an end stop a joint counts as at it [rad]; as in the kernels."""


def check_stops(world: int, robot: AnyRobot, angle: np.ndarray) -> None:
    """Refuses joint angles [rad] beyond end stops, from where they would be pushed back; names the farthest."""
    lower, upper = (robot.motor_column(end) for end in ("lower", "upper"))
    beyond = np.maximum(angle - upper, lower - angle)
    if beyond.size and beyond.max() > AT_STOP:
        joint = int(np.argmax(beyond))
        raise StartBeyondStop(world, joint, float(angle[joint]), (float(lower[joint]), float(upper[joint])))


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


class Experiment(NamedTuple):
    """Worlds, and what running them needs besides: what a file describes, and what a run remembers."""

    def __repr__(self) -> str:
        return brief(self)

    worlds: tuple[World, ...]
    """What is simulated, in one batch."""
    duration: float
    """For how long [s]."""
    settings: Settings = Settings()
    """Numerical choices."""
    record: Record = Record()
    """What is kept."""
    until: Until | None = None
    """What ends worlds early."""
    name: str = ""
    """Short name."""
    title: str = ""
    """One line that says what happens."""
    source: str = ""
    """Where it comes from."""
