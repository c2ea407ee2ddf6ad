"""Where and how a spatial robot starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.planar.start import TOUCHING, counted, plain_number, whole_link
from pushpoint.engine.spatial.kinematics import about, link_poses, link_velocities, product
from pushpoint.engine.spatial.placing import lie_down, nearest_obstacle, put_down
from pushpoint.errors import InvalidModel, StartOverlap
from pushpoint.model.checks import Many, check_fields, real, store
from pushpoint.model.environment import Environment
from pushpoint.model.joints import FORWARD, LEFT, UP, Direction
from pushpoint.model.quantities import Angles, AngularRates, Phase
from pushpoint.model.spatial_robot import SpatialRobot

PLACES = "two numbers x, y or three numbers x, y, z"
TURNED = ("orientation", "link_orientation", "yaw_pitch_roll")
"""Fields of a start that say how it is turned, of which it has one at most."""
Quaternion = Annotated[Sequence[float], real("-"), Many(4, "4 numbers")]
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
    """Direction of the body along the ground [rad], from the x axis: the angle about which a gait swings, or the links'
    mean."""
    orientation: Quaternion | None = None
    """Rotation of the whole posture, which is level without it, a quaternion (w, x, y, z); default: by the heading
    alone, and along the ground if the robot is placed on it."""
    link: int | None = None
    """Index of the link whose centre of mass is at `position`; default: the whole robot's centre of mass is."""
    link_orientation: Quaternion | None = None
    """Orientation of that link, a quaternion (w, x, y, z). The other links follow from the joint angles."""
    yaw_pitch_roll: Annotated[Sequence[float], real("rad"), Many(3, "3 numbers")] | None = None
    """The same as three angles [rad]: left, downward and to the right positive, Rz(yaw) Ry(pitch) Rx(roll)."""
    position: Annotated[Sequence[float], real("m"), Many(None, PLACES)] = (0.0, 0.0)
    """Position of that centre of mass x, y, z [m]. With x, y alone, the robot is placed on what lies below."""
    velocity: Annotated[Sequence[float], real("m/s"), Many(3, "3 numbers")] = (0.0, 0.0, 0.0)
    """Velocity of the whole robot's centre of mass [m/s], also if `link` is given."""
    angular_velocity: Annotated[Sequence[float], real("rad/s"), Many(3, "3 numbers")] = (0.0, 0.0, 0.0)
    """Angular velocity of the tail, in world axes [rad/s]. Joint rates add to it toward the head.

    Without joint rates the robot turns as one body about its centre of mass, which moves with `velocity`.
    """
    joint_rates: AngularRates | None = None
    """Rates of all axes [rad/s], from tail to head; default: zero."""

    def __post_init__(self) -> None:
        store(self, link=plain_number(self.link))
        check_fields(self, "start")
        if len(self.position) not in (2, 3):
            raise InvalidModel("start.position", self.position, PLACES, unit="m")
        for field in ("orientation", "link_orientation"):
            store(self, **{field: _unit(f"start.{field}", getattr(self, field))})
        turned = [field for field in TURNED if getattr(self, field) is not None]
        if len(turned) > 1:
            raise InvalidModel(f"start.{turned[1]}", getattr(self, turned[1]), f"left out if {turned[0]} is given")
        if turned and self.heading:
            what = "an orientation" if turned[0] == "orientation" else turned[0]
            raise InvalidModel("start.heading", self.heading, f"0 if {what} is given")
        if turned and turned[0] != "orientation" and self.link is None:
            raise InvalidModel("start.link", None, f"given with {turned[0]}: the link that is turned so")

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
        number = whole_link(self.link, robot.n_links)
        tail = self._tail(robot, angle, number, None if self.joint_angles is not None else tail_yaw)

        def place(tail: np.ndarray) -> np.ndarray:
            center = np.zeros(3)
            center[: len(self.position)] = self.position
            return center if number is None else center - link_poses(robot, np.zeros(3), tail, angle)[0][number]

        center = place(tail)
        if len(self.position) == 2:
            if all(getattr(self, field) is None for field in TURNED):
                center, tail = lie_down(robot, environment, place, tail, angle)
            else:
                center = put_down(robot, environment, center, tail, angle)
        v, omega = link_velocities(robot, tail, angle, rate, np.array(self.velocity), np.array(self.angular_velocity))
        return {"center": center, "tail": tail, "angle": angle, "rate": rate, "v": v, "omega": omega}

    def _tail(self, robot: SpatialRobot, angle: np.ndarray, number: int | None, tail_yaw: float | None) -> np.ndarray:
        """Orientation of the tail, a quaternion."""
        wanted: Any = self.link_orientation
        if self.yaw_pitch_roll is not None:
            yaw, pitch, roll = (np.array(each) for each in self.yaw_pitch_roll)
            wanted = product(product(about(UP, yaw), about(LEFT, pitch)), about(FORWARD, roll))
        if wanted is not None:
            seen_from_tail = link_poses(robot, np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), angle)[1][number]
            return product(np.array(wanted), seen_from_tail * (1.0, -1.0, -1.0, -1.0))
        whole = about(UP, np.array(self.heading)) if self.orientation is None else np.array(self.orientation)
        return product(whole, level_tail(robot, angle, tail_yaw))

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


def _unit(field: str, quaternion: Any) -> Any:
    """A quaternion of length 1, or None."""
    size = 1.0 if quaternion is None else float(np.linalg.norm(quaternion))
    if not size > 1e-6:
        raise InvalidModel(field, quaternion, "a quaternion (w, x, y, z) that is not zero")
    return quaternion if abs(size - 1.0) < UNIT else tuple(part / size for part in quaternion)


def check_clear(world: int, robot: SpatialRobot, environment: Environment, pose: dict[str, Any]) -> None:
    """Raises StartOverlap if a link overlaps the ground or an obstacle; names the deepest overlap."""
    gap, link, obstacle = nearest_obstacle(robot, environment, pose["center"], pose["tail"], pose["angle"])
    if gap < -TOUCHING:
        raise StartOverlap(world, link, obstacle, -gap)
