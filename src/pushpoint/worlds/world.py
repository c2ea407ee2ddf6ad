"""A world: a robot in an environment with a controller, a start and sensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.controller import Controller
from pushpoint.engine.planar.clearance import least_gaps as planar_gaps
from pushpoint.engine.planar.start import TOUCHING, Start, check_clear, start_poses as planar_poses
from pushpoint.engine.settings import Settings
from pushpoint.engine.sharing import Shared
from pushpoint.engine.spatial.clearance import least_gaps as spatial_gaps
from pushpoint.engine.spatial.kinematics import BodyPosture
from pushpoint.engine.spatial.start import (
    SpatialStart,
    check_clear as check_spatial_clear,
    start_poses as spatial_poses,
)
from pushpoint.errors import InvalidModel, StartBeyondStop
from pushpoint.model.checks import instance, members, store
from pushpoint.model.environment import Environment, check_fits
from pushpoint.model.sensors import PERFECT, PERFECT_SENSORS, Sensors
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot
from pushpoint.worlds.goals import Until
from pushpoint.worlds.record import Record


@dataclass(frozen=True)
class World:
    """A robot in an environment, with a controller, a start and sensors. `simulate` runs one or many of them.

    For example:

        gait = pp.gaits.LateralUndulation(amplitude=0.5, angular_frequency=1.5, phase_shift=-0.7)
        world = pp.World(pp.catalogue.aiko_planar(), pp.Environment(), gait)
        limp = pp.World(pp.catalogue.aiko_planar(), pp.Environment())
    """

    __repr__ = brief

    robot: AnyRobot
    """The robot."""
    environment: Environment
    """The ground and the obstacles."""
    controller: Any = None
    """A controller or a gait; None for a passive robot, or for a Simulator that is given commands from outside.

    The motors of a passive robot are off: servos neither hold nor damp. End stops remain, and so does the braking of a
    joint that turns faster than its motor's `speed_limit`. To hold a posture, use `pp.gaits.Hold`.
    """
    start: Start | SpatialStart | None = None
    """Where and how the robot starts.

    Default: as the controller says, or else at the origin, at rest, with the controller's first reference.
    """
    sensors: Sensors = PERFECT_SENSORS
    """What controllers measure. Results always hold the truth."""

    def __post_init__(self) -> None:
        instance("robot", self.robot, AnyRobot, "a PlanarRobot or a SpatialRobot")
        instance("environment", self.environment, Environment, "an Environment")
        instance("sensors", self.sensors, Sensors, "Sensors")
        if self.controller is not None:
            instance("controller", self.controller, Controller, "a gait or a Controller")
        kind = SpatialStart if self.spatial else Start
        if self.start is None:
            store(self, start=usual_start(self.robot, self.environment, self.controller))
        instance("start", self.start, kind, f"a {kind.__name__} for a {type(self.robot).__name__}")
        check_fits(self.robot, self.environment)
        if self.spatial and self.senses_range:
            raise InvalidModel("sensors.range", "given", "left out for a spatial robot, which may have rays")
        if not self.spatial and self.sensors.imu_tilt != PERFECT:
            raise InvalidModel("sensors.imu_tilt", "a Channel", "left out for a planar robot, which does not tilt")
        self.sensors.check_fits(self.robot)

    @property
    def spatial(self) -> bool:
        """Whether the robot is a spatial one."""
        return isinstance(self.robot, SpatialRobot)

    @property
    def senses_range(self) -> bool:
        """Whether the sensors or the controller need the distances to obstacles."""
        needed = self.controller is not None and "range" in self.controller.needs
        return needed or self.sensors.range is not None

    def pose(self, index: int = 0) -> dict[str, Any]:
        """Positions and velocities at time zero, checked to be clear of obstacles; named as in the state."""
        return {name: values[0] for name, values in _poses([self], [index]).items()}


PLAIN_STARTS: dict[bool, Start | SpatialStart] = {True: SpatialStart(), False: Start()}
"""Starts at the origin, at rest: of spatial and of planar robots."""


def usual_start(robot: AnyRobot, environment: Environment, controller: Any) -> Start | SpatialStart:
    """The start of a world that is given none."""
    own: Start | SpatialStart | None = None if controller is None else controller.start(robot, environment)
    return PLAIN_STARTS[isinstance(robot, SpatialRobot)] if own is None else own


def poses_of(worlds: Sequence[World], numbers: Sequence[int] | None = None) -> list[dict[str, Any]]:
    """World.pose of all worlds of a batch.

    `numbers` are the worlds' indices in the batch, if these are not all of it.
    """
    found = stacked_poses(worlds, numbers)
    return [{name: values[k] for name, values in found.items()} for k in range(len(worlds))]


def stacked_poses(worlds: Sequence[World], numbers: Sequence[int] | None = None) -> dict[str, np.ndarray]:
    """The same as arrays, worlds first; worlds that are the same object are worked out once."""
    shared = Shared(worlds)
    found = _poses(shared.parts, shared.first if numbers is None else [numbers[k] for k in shared.first])
    alike = len(shared.parts) == len(worlds)
    return found if alike else {name: values[shared.which] for name, values in found.items()}


def _poses(worlds: Sequence[World], numbers: Sequence[int]) -> dict[str, np.ndarray]:
    """Poses of different worlds, all those of one robot at once; `numbers` are the worlds' indices for errors."""
    parts: list[dict[str, np.ndarray]] = []
    doubtful: list[int] = []
    robots = Shared([world.robot for world in worlds])
    members = robots.members()
    for robot, rows in zip(robots.parts, members, strict=True):
        poses, clear = _of_one_robot(robot, [worlds[k] for k in rows.tolist()])
        doubtful += rows[~clear].tolist()
        parts.append(poses)
    back = np.argsort(np.concatenate(members))
    found = {name: np.concatenate([part[name] for part in parts])[back] for name in parts[0]}
    for k in sorted(doubtful):
        _check(numbers[k], worlds[k], {name: values[k] for name, values in found.items()})
    return found


def _of_one_robot(robot: Any, worlds: Sequence[World]) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Poses, worlds first, and which of them are surely clear of obstacles and end stops, shape (n_worlds,)."""
    places, starts = [world.environment for world in worlds], [world.start for world in worlds]
    controllers: Shared[Any] = Shared([world.controller for world in worlds])
    flat = controllers.each(lambda each: None if each is None else each.link_angles(robot))
    free = controllers.stack(lambda each: each is None or not each.prescribed)  # prescribed motion ignores end stops
    if isinstance(robot, SpatialRobot):
        first = controllers.each(lambda each: None if each is None else each.first_reference(robot))
        yaw = np.array([np.nan if each is None else float(each[0]) for each in flat])
        poses = spatial_poses(robot, places, starts, first, yaw)  # type: ignore[arg-type]
        posture = BodyPosture.of(robot, poses["tail"], poses["angle"])
        gaps, angle = spatial_gaps(robot, places, posture, poses["center"]), poses["angle"]
    else:
        poses = planar_poses(robot, starts, flat)  # type: ignore[arg-type]
        gaps, angle = planar_gaps(robot, places, poses["center"], poses["theta"]), np.diff(poses["theta"], axis=1)
    lower, upper = (robot.motor_column(end) for end in ("lower", "upper"))
    beyond = np.maximum(angle - upper, lower - angle).max(axis=1, initial=-np.inf)
    return poses, (gaps >= -TOUCHING) & ~(free & (beyond > AT_STOP))


def _check(number: int, world: World, pose: dict[str, Any]) -> None:
    """Raises an error if a start is not clear of obstacles or end stops."""
    if isinstance(world.robot, SpatialRobot):
        check_spatial_clear(number, world.robot, world.environment, pose)
    else:
        check_clear(number, world.robot, world.environment, pose["center"], pose["theta"])
    if world.controller is None or not world.controller.prescribed:
        check_stops(number, world.robot, pose["angle"] if world.spatial else np.diff(pose["theta"]))


AT_STOP = 1e-7
"""Within this angle beyond an end stop a joint counts as touching it [rad]; as in the kernels."""


def check_stops(world: int, robot: AnyRobot, angle: np.ndarray) -> None:
    """Raises StartBeyondStop if a joint angle [rad] is beyond an end stop; names the worst one."""
    lower, upper = (robot.motor_column(end) for end in ("lower", "upper"))
    beyond = np.maximum(angle - upper, lower - angle)
    if beyond.size and beyond.max() > AT_STOP:
        joint = int(np.argmax(beyond))
        raise StartBeyondStop(world, joint, float(angle[joint]), (float(lower[joint]), float(upper[joint])))


def check_world(world: World) -> None:
    """Raises InvalidModel for whatever does not fit this robot, such as laws for another number of links."""
    start: Any = world.start
    world.environment.ground.laws(world.robot.n_links)
    if isinstance(world.robot, SpatialRobot):
        # The height does not matter here: the robot is not placed on the ground.
        replace(start, position=(0.0, 0.0, 0.0)).pose(world.robot, world.environment)
    else:
        start.pose(world.robot)


def checked(worlds: Sequence[World]) -> tuple[World, ...]:
    """Returns the worlds of a batch; raises InvalidModel if it is empty or holds anything else."""
    batch = members("worlds", worlds, World, "a World")
    if not batch:
        raise InvalidModel("worlds", batch, "at least one World")
    return batch


def feels_itself(worlds: Sequence[World]) -> bool:
    """Whether results hold the forces of links on each other: in space, and if a planar robot has self_contact."""
    return any(world.spatial or world.robot.self_contact for world in worlds)


class Experiment(NamedTuple):
    """Worlds and the settings of their run: what a scenario file describes and a result remembers."""

    def __repr__(self) -> str:
        return brief(self)

    worlds: tuple[World, ...]
    """The worlds, simulated in one batch."""
    duration: float
    """Duration [s]."""
    settings: Settings = Settings()
    """Numerical settings."""
    record: Record = Record()
    """What is recorded."""
    until: Until | None = None
    """A goal that ends worlds early."""
    name: str = ""
    """A short name."""
    title: str = ""
    """One line that says what happens."""
    source: str = ""
    """Where the experiment comes from."""
    edits: tuple[Any, ...] = ()
    """What changes in the only world on its way, in the order of the time steps; see worlds.edits."""
