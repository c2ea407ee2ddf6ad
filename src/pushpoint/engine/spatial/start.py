"""Where and how a spatial robot starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.planar.start import TOUCHING, counted, plain_number, whole_link
from pushpoint.engine.spatial.kinematics import about, link_poses, link_velocities, product
from pushpoint.engine.spatial.packing import solids_of
from pushpoint.engine.spatial.ranges import ground_gaps, nearest_solid
from pushpoint.errors import InvalidModel, StartOverlap
from pushpoint.model.checks import Many, check_fields, real, store
from pushpoint.model.environment import Environment
from pushpoint.model.joints import LEFT, UP, Direction
from pushpoint.model.obstacle import Solid
from pushpoint.model.quantities import Angles, AngularRates, Phase
from pushpoint.model.spatial_robot import SpatialRobot

NEAR_ENOUGH = 1e-9
"""Remaining gap of a robot that is placed on the ground [m]."""
ROUND_OFF = 1e-15
"""The same, relative to the largest coordinate [-]: rounding allows nothing finer."""
MOST_ROUNDS = 10000
PLACES = "two numbers x, y or three numbers x, y, z"
UNIT = 1e-12
"""How far the length of a quaternion may differ from 1 and still be kept unchanged [-]."""


@dataclass(frozen=True, kw_only=True)
class SpatialStart:
    """Posture, position and velocity of a spatial robot at time zero.

    For example:

        pp.SpatialStart(heading=0.3, position=(0.0, 0.5))  # placed on the ground at x, y
    """

    __repr__ = brief

    joint_angles: Angles | None = None
    """Angles of all axes [rad], from tail to head; default: the controller's angles at time zero."""
    heading: Phase = 0.0
    """Direction of the body seen from above [rad]: the angle about which a gait swings, or the links' mean."""
    orientation: Annotated[Sequence[float], real("-"), Many(4, "4 numbers")] | None = None
    """Rotation of the whole posture, a quaternion (w, x, y, z); default: by the heading alone."""
    link: int | None = None
    """Index of the link whose centre of mass is at `position`; default: the whole robot's centre of mass is."""
    position: Annotated[Sequence[float], real("m"), Many(None, PLACES)] = (0.0, 0.0)
    """Position of that centre of mass x, y, z [m]. With x, y alone, the robot is placed on what lies below."""
    velocity: Annotated[Sequence[float], real("m/s"), Many(3, "3 numbers")] = (0.0, 0.0, 0.0)
    """Velocity of the robot's centre of mass [m/s]."""
    angular_velocity: Annotated[Sequence[float], real("rad/s"), Many(3, "3 numbers")] = (0.0, 0.0, 0.0)
    """Angular velocity of the tail, in world axes [rad/s]. Joint rates add to it toward the head."""
    joint_rates: AngularRates | None = None
    """Rates of all axes [rad/s], from tail to head; default: zero."""

    def __post_init__(self) -> None:
        store(self, link=plain_number(self.link))
        check_fields(self, "start")
        if len(self.position) not in (2, 3):
            raise InvalidModel("start.position", self.position, PLACES, unit="m")
        if self.orientation is not None:
            size = float(np.linalg.norm(self.orientation))
            if not size > 1e-6:
                raise InvalidModel("start.orientation", self.orientation, "a quaternion (w, x, y, z) that is not zero")
            if abs(size - 1.0) >= UNIT:
                store(self, orientation=tuple(part / size for part in self.orientation))
            if self.heading:
                raise InvalidModel("start.heading", self.heading, "0 if an orientation is given")

    def pose(
        self,
        robot: SpatialRobot,
        environment: Environment,
        posture: np.ndarray | None = None,
        tail_yaw: float | None = None,
    ) -> dict[str, Any]:
        """Centre, orientation of the tail, joint angles and velocities.

        `posture` holds the controller's joint angles, `tail_yaw` the heading that it gives the tail [rad]; by default
        the links' mean heading is zero.
        """
        angle = self._per_axis("joint_angles", robot, posture)
        rate = self._per_axis("joint_rates", robot, None)
        level = level_tail(robot, angle, None if self.joint_angles is not None else tail_yaw)
        whole = about(UP, np.array(self.heading)) if self.orientation is None else np.array(self.orientation)
        tail = product(whole, level)
        center = np.zeros(3)
        center[: len(self.position)] = self.position
        number = whole_link(self.link, robot.n_links)
        if number is not None:
            center = center - link_poses(robot, np.zeros(3), tail, angle)[0][number]
        if len(self.position) == 2:
            center = put_down(robot, environment, center, tail, angle)
        v, omega = link_velocities(robot, tail, angle, rate, np.array(self.velocity), np.array(self.angular_velocity))
        return {"center": center, "tail": tail, "angle": angle, "rate": rate, "v": v, "omega": omega}

    def _per_axis(self, field: str, robot: SpatialRobot, otherwise: np.ndarray | None) -> np.ndarray:
        values = getattr(self, field)
        if values is not None:
            return counted(field, values, robot.n_joints, f"numbers for {robot.n_joints} axes")
        return np.zeros(robot.n_joints) if otherwise is None else np.array(otherwise, dtype=float)


def level_tail(robot: SpatialRobot, angle: np.ndarray, tail_yaw: float | None) -> np.ndarray:
    """Orientation of the tail, a quaternion, such that the body lies level and points along x on average."""

    def mean_turn(direction: Direction) -> float:
        """Mean over the links of what the axes of one direction have turned them by since the tail [rad]."""
        turns = np.zeros(robot.n_links)
        for axis, turn in zip(robot.axes, angle, strict=True):
            turns[axis.link_behind + 1] += turn if axis.direction == direction else 0.0
        return float(np.cumsum(turns).mean())

    yaw = -mean_turn(UP) if tail_yaw is None else tail_yaw
    return product(about(UP, np.array(yaw)), about(LEFT, np.array(-mean_turn(LEFT))))


def put_down(
    robot: SpatialRobot, environment: Environment, center: np.ndarray, tail: np.ndarray, angle: np.ndarray
) -> np.ndarray:
    """The centre of mass at the height at which the robot just touches the ground or an obstacle on it."""
    below = [(solid, owner) for solid, owner in solids_of(environment.obstacles) if not solid.endless]
    lying = np.array(center)

    def gap() -> float:
        return nearest_obstacle(robot, environment, lying, tail, angle, below)[0]

    step = robot.length
    while gap() <= 0.0:
        lying[2] += step
        step *= 2
    # Moving down by the gap cannot hit anything, since nothing is nearer than the gap.
    for _ in range(MOST_ROUNDS):
        way = gap()
        if way < max(NEAR_ENOUGH, ROUND_OFF * float(np.abs(lying).max())):
            break
        lying[2] -= way
    return lying


def nearest_obstacle(
    robot: SpatialRobot,
    environment: Environment,
    center: np.ndarray,
    tail: np.ndarray,
    angle: np.ndarray,
    solids: list[tuple[Solid, int]] | None = None,
) -> tuple[float, int, int | None]:
    """The smallest distance between a link and anything [m], that link, and the obstacle (None for the ground).

    `solids`, each with the index of its obstacle, are the ones to check; default: all.
    """
    poses = link_poses(robot, center, tail, angle)
    found = solids_of(environment.obstacles) if solids is None else solids
    ground = ground_gaps(robot, environment, *poses)
    gap, link, row = nearest_solid(robot, [solid for solid, _ in found], *poses)
    if ground.min() <= gap:
        return float(ground.min()), int(ground.argmin()), None
    return gap, link, found[row][1]


def check_clear(world: int, robot: SpatialRobot, environment: Environment, pose: dict[str, Any]) -> None:
    """Raises StartOverlap if a link overlaps the ground or an obstacle; names the deepest overlap."""
    gap, link, obstacle = nearest_obstacle(robot, environment, pose["center"], pose["tail"], pose["angle"])
    if gap < -TOUCHING:
        raise StartOverlap(world, link, obstacle, -gap)
