"""Where and how a spatial robot starts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.planar.start import TOUCHING, counted, plain_number, whole_link
from pushpoint.engine.spatial.kinematics import BodyPosture, about, link_poses, link_velocities, product
from pushpoint.engine.spatial.placing import nearest_obstacle, put_down, rest_on_field, upright_on
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
    """BodyPosture, position and velocity of a spatial robot at time zero.

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
        yaw = np.array([np.nan if tail_yaw is None else tail_yaw])
        found = start_poses(robot, [environment], [self], [posture], yaw)
        return {name: values[0] for name, values in found.items()}

    def per_axis(self, field: str, robot: SpatialRobot, otherwise: np.ndarray | None) -> np.ndarray:
        """The angles or rates of all axes that it gives; or else those of the controller, or zero."""
        values = getattr(self, field)
        if values is not None:
            return counted(field, values, robot.n_joints, f"numbers for {robot.n_joints} axes")
        return np.zeros(robot.n_joints) if otherwise is None else np.array(otherwise, dtype=float)

    @property
    def turned(self) -> bool:
        """Whether it gives an orientation, and not a heading."""
        return any(getattr(self, field) is not None for field in TURNED)

    def tail(self, robot: SpatialRobot, angle: np.ndarray) -> np.ndarray:
        """Orientation of the tail, a quaternion, if that of a link is given."""
        wanted: Any = self.link_orientation
        if self.yaw_pitch_roll is not None:
            yaw, pitch, roll = (np.array(each) for each in self.yaw_pitch_roll)
            wanted = product(product(about(UP, yaw), about(LEFT, pitch)), about(FORWARD, roll))
        level = np.array([1.0, 0.0, 0.0, 0.0])
        seen_from_tail = link_poses(robot, np.zeros(3), level, angle)[1][self.link]
        return product(np.array(wanted), seen_from_tail * (1.0, -1.0, -1.0, -1.0))


def start_poses(
    robot: SpatialRobot,
    environments: Sequence[Environment],
    starts: Sequence[SpatialStart],
    postures: Sequence[np.ndarray | None],
    tail_yaw: np.ndarray,
) -> dict[str, np.ndarray]:
    """SpatialStart.pose of many worlds with one robot, worlds first; NaN where no controller gives the tail a yaw."""
    given = zip(starts, postures, strict=True)
    angle = np.stack([start.per_axis("joint_angles", robot, posture) for start, posture in given])
    rate = np.stack([start.per_axis("joint_rates", robot, None) for start in starts])
    for start in starts:
        whole_link(start.link, robot.n_links)
    tail = _tails(robot, environments, starts, angle, tail_yaw)
    posture, center = BodyPosture.of(robot, tail, angle), np.zeros((len(starts), 3))
    for k, start in enumerate(starts):
        center[k, : len(start.position)] = start.position
    held = _rows(start.link is not None for start in starts)
    if held.size:
        places = BodyPosture(*(part[held] for part in posture)).at(np.zeros((len(held), 3)))
        center[held] -= places[np.arange(len(held)), [starts[k].link for k in held.tolist()]]
    uneven = [environment.ground.heights is not None for environment in environments]
    lying = [len(start.position) == 2 for start in starts]
    onto = [start.turned or not rough for start, rough in zip(starts, uneven, strict=True)]
    rows = _rows(low and plain for low, plain in zip(lying, onto, strict=True))
    if rows.size:
        below = [environments[k] for k in rows.tolist()]
        center[rows] = put_down(robot, below, BodyPosture(*(part[rows] for part in posture)), center[rows])
    for k in _rows(low and not plain for low, plain in zip(lying, onto, strict=True)).tolist():
        center[k], tail[k] = _at_rest(robot, environments[k], starts[k], tail[k], angle[k])
    v, omega = _velocities(robot, starts, tail, angle, rate)
    return {"center": center, "tail": tail, "angle": angle, "rate": rate, "v": v, "omega": omega}


def _rows(chosen: Iterable[bool]) -> np.ndarray:
    return np.flatnonzero(np.fromiter(chosen, dtype=bool))


def _tails(
    robot: SpatialRobot,
    environments: Sequence[Environment],
    starts: Sequence[SpatialStart],
    angle: np.ndarray,
    tail_yaw: np.ndarray,
) -> np.ndarray:
    """Orientations of the tails, quaternions, shape (n_worlds, 4).

    A robot that is placed on a slope is turned about a contour line, so that headings are measured along the ground.
    """
    own = np.array([start.joint_angles is not None for start in starts])
    whole = about(UP, np.array([start.heading for start in starts]))
    for k, start in enumerate(starts):
        if start.orientation is not None:
            whole[k] = start.orientation
    tail = product(whole, level_tail(robot, angle, np.where(own, np.nan, tail_yaw)))
    for k, start in enumerate(starts):
        if start.turned and start.orientation is None:
            tail[k] = start.tail(robot, angle[k])
    ground = [environment.ground for environment in environments]
    sloped = _rows(
        bool(each.slope) and len(start.position) == 2 and not start.turned
        for each, start in zip(ground, starts, strict=True)
    )
    if sloped.size:
        upright = np.array([upright_on(ground[k]) for k in sloped.tolist()])
        tail[sloped] = product(upright, tail[sloped])
    return tail


def _at_rest(
    robot: SpatialRobot, environment: Environment, start: SpatialStart, tail: np.ndarray, angle: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Centre of mass and orientation of the tail of a robot that lies down on a height field."""

    def place(tail: np.ndarray) -> np.ndarray:
        center = np.array([*start.position, 0.0])
        return center if start.link is None else center - link_poses(robot, np.zeros(3), tail, angle)[0][start.link]

    field: Any = environment.ground.heights
    return rest_on_field(robot, environment, field, place, tail, angle)


def _velocities(
    robot: SpatialRobot, starts: Sequence[SpatialStart], tail: np.ndarray, angle: np.ndarray, rate: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Velocities of the links, shape (n_worlds, n_links, 3) each; most robots start at rest."""
    names = ("velocity", "angular_velocity")
    velocity, spin = (np.array([getattr(start, name) for start in starts]) for name in names)
    rows = np.flatnonzero(velocity.any(axis=1) | spin.any(axis=1) | rate.any(axis=1))
    v, omega = np.zeros((2, len(starts), robot.n_links, 3))
    if rows.size:
        v[rows], omega[rows] = link_velocities(robot, tail[rows], angle[rows], rate[rows], velocity[rows], spin[rows])
    return v, omega


def level_tail(robot: SpatialRobot, angle: np.ndarray, tail_yaw: np.ndarray | float | None) -> np.ndarray:
    """Orientation of the tail, a quaternion, such that the body lies level and points along x on average.

    Any leading dimensions. A yaw that is given replaces that of the tail; NaN does not.
    """

    def mean_turn(direction: Direction) -> np.ndarray:
        """Mean over the links of what the axes of one direction have turned them by since the tail [rad]."""
        turns = np.zeros((*angle.shape[:-1], robot.n_links))
        for j, axis in enumerate(robot.axes):
            turns[..., axis.link_behind + 1] += angle[..., j] if axis.direction == direction else 0.0
        return np.asarray(np.cumsum(turns, axis=-1).mean(axis=-1))

    given = np.full(angle.shape[:-1], np.nan) if tail_yaw is None else np.asarray(tail_yaw)
    yaw = np.where(np.isnan(given), -mean_turn(UP), given)
    return product(about(UP, yaw), about(LEFT, -mean_turn(LEFT)))


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
