"""Leader-follower: the head swings between two directions, and every joint behind it repeats later what it did.

After Liljeback2011, III-B, in our numbering and signs: link 0 is the tail, joint_angle = front link minus rear link,
the opposite of the paper's phi. Its rule (3) for the head is missing from the text. Here the head is sent to the right
once it is left of the centre of mass by more than the swing, to the left once it is right of it by as much, and
otherwise keeps its direction. Directions count from the world's x axis, which the robot is meant to follow.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, radians
from typing import Any, NamedTuple

import numpy as np

from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.engine.signals import Command, Measurement
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import positive, store, within
from pushpoint.model.environment import Environment
from pushpoint.model.planar_robot import PlanarRobot

FEWEST_LINKS = 3
"""A head, a link that the head's direction counts from, and one to follow."""


class Body(NamedTuple):
    """What a controller that feels its way must know of its robot; leading world axis in a batch."""

    reach: np.ndarray
    """Factors of the links' directions that sum to the way from the centre of mass to the head's [m], (n_links,)."""
    lower: np.ndarray
    """Smallest joint angles [rad], (n_joints,)."""
    upper: np.ndarray
    """Largest joint angles [rad], (n_joints,)."""


def body_of(robot: PlanarRobot) -> Body:
    """What the controllers know of a planar robot."""
    if not isinstance(robot, PlanarRobot):
        raise InvalidModel("controller: robot", type(robot).__name__, "a PlanarRobot")
    if robot.n_links < FEWEST_LINKS:
        raise InvalidModel("controller: robot", robot.n_links, f"a robot of at least {FEWEST_LINKS} links")
    # The way to the head is linear in the links' unit vectors: turning one link by a right angle shows its factor.
    turned = np.diag(np.full(robot.n_links, np.pi / 2))
    reach = link_positions(robot, np.zeros((robot.n_links, 2)), turned)[:, -1, 1]
    return Body(reach, robot.motor_column("lower"), robot.motor_column("upper"))


def link_angles(measurement: Measurement) -> np.ndarray:
    """Link angles [rad], shape (n_worlds, n_links), from the joint angles and the head's IMU."""
    ahead = np.cumsum(measurement.joint_angle[:, ::-1], axis=1)[:, ::-1]
    head = measurement.imu_heading[:, None]
    return np.concatenate((head - ahead, head), axis=1)


def head_offset(body: Body, theta: np.ndarray) -> np.ndarray:
    """How far the head is to the left of the centre of mass, along the world's y axis [m]: the paper's Delta y."""
    return np.asarray((body.reach * np.sin(theta)).sum(axis=-1))


def next_side(side: np.ndarray, offset: np.ndarray, swing: float) -> np.ndarray:
    """The head rule (3): -1 (right) once the offset is above the swing, +1 (left) once below minus it, else kept."""
    return np.where(offset > swing, -1.0, np.where(offset < -swing, 1.0, side))


class DelayLine(NamedTuple):
    """What the head joint has done; leading world axis in a batch."""

    angle: np.ndarray
    """Head joint angles [rad], one per command, the newest first, (n_kept,)."""
    age: np.ndarray
    """Age at which each joint repeats an angle, in commands [-], (n_joints,); the head joint's is 0."""


def delay_line(robot: PlanarRobot, speed: float, rate: float) -> DelayLine:
    """An empty line for a shape that travels back along the body with a speed [m/s], asked at a rate [Hz]."""
    lengths = robot.column("length")[1:-1]
    behind = np.concatenate((np.cumsum(lengths[::-1])[::-1], [0.0]))
    age = behind / speed * rate
    return DelayLine(np.zeros(ceil(age[0]) + 2), age)


def filled(line: DelayLine, joint_angle: np.ndarray) -> DelayLine:
    """A line from which every joint reads its own angle now: the past that the robot's shape would have come from."""
    kept = np.arange(line.angle.shape[1])
    age, angle = line.age[:, ::-1], joint_angle[:, ::-1]  # the head joint first: ages rise
    older = np.clip((age[:, None, :] <= kept[:, None]).sum(axis=2), 1, age.shape[1] - 1)
    young, old = np.take_along_axis(age, older - 1, 1), np.take_along_axis(age, older, 1)
    share = np.clip((kept - young) / (old - young), 0.0, 1.0)
    newer, last = np.take_along_axis(angle, older - 1, 1), np.take_along_axis(angle, older, 1)
    return line._replace(angle=(1.0 - share) * newer + share * last)


def pushed(line: DelayLine, newest: np.ndarray) -> DelayLine:
    """The line one command later."""
    return line._replace(angle=np.concatenate((newest[:, None], line.angle[:, :-1]), axis=1))


def repeated(line: DelayLine) -> np.ndarray:
    """What each joint repeats [rad], shape (n_worlds, n_joints): (5), between two commands in proportion."""
    whole = np.floor(line.age).astype(int)
    share = line.age - whole
    return (1.0 - share) * np.take_along_axis(line.angle, whole, 1) + share * np.take_along_axis(
        line.angle, whole + 1, 1
    )


class FollowerMemory(NamedTuple):
    """What leader-following keeps of a world from one command to the next."""

    body: Body
    """The robot."""
    line: DelayLine
    """What its head joint has done."""
    side: np.ndarray
    """Where the head is sent: +1 left, -1 right."""
    begun: np.ndarray
    """Whether a command has been given."""


@dataclass(frozen=True, kw_only=True)
class LeaderFollower:
    """Leader-following alone (Liljeback2011, III-B): it feels nothing, and jams where the pegs want it otherwise."""

    head_angle: float = radians(50)
    """Direction of the head link when it is sent to the left; to the right it is minus this [rad]."""
    swing: float = 0.14
    """How far the head may be beside the centre of mass before it is sent back, Delta y_max [m]."""
    speed: float = 0.05
    """Speed at which the head joint's angle travels back along the body, v_ref [m/s]."""
    rate: float = 20.0
    """Commands per second [Hz]."""

    def __post_init__(self) -> None:
        store(
            self,
            head_angle=within("controller.head_angle", self.head_angle, 0.0, np.pi / 2, "rad"),
            swing=positive("controller.swing", self.swing, "m"),
            speed=positive("controller.speed", self.speed, "m/s"),
            rate=positive("controller.rate", self.rate, "Hz"),
        )

    def init(self, robot: PlanarRobot, environment: Environment | None) -> Any:
        """Memory of one world; the head is first sent to the right (IV-C)."""
        line = delay_line(robot, self.speed, self.rate)
        return FollowerMemory(body_of(robot), line, np.array(-1.0), np.array(False))

    def command(self, t: np.ndarray, measurement: Measurement, memory: Any) -> tuple[Command, Any]:
        """Joint angles of (5), within the joints' limits."""
        kept = follower_memory(memory)
        reference, kept = self.follow(measurement, link_angles(measurement), kept, np.ones(len(t), dtype=bool))
        return Command(joint_angle=reference), kept

    def follow(
        self, measurement: Measurement, theta: np.ndarray, memory: FollowerMemory, active: np.ndarray
    ) -> tuple[np.ndarray, FollowerMemory]:
        """References [rad] and the memory one command later; where not active, time stands still in the memory."""
        body, line, side, begun = memory
        if not begun.all():
            fresh = filled(line, measurement.joint_angle)
            line = line._replace(angle=np.where(begun[:, None], line.angle, fresh.angle))
        moved = pushed(line, measurement.joint_angle[:, -1])
        line = line._replace(angle=np.where((active & begun)[:, None], moved.angle, line.angle))
        side = np.where(active, next_side(side, head_offset(body, theta), self.swing), side)
        reference = repeated(line)
        reference[:, -1] = side * self.head_angle - theta[:, -2]
        kept = FollowerMemory(body, line, side, np.ones_like(begun))
        return np.clip(reference, body.lower, body.upper), kept


def follower_memory(memory: Any) -> FollowerMemory:
    """The memory with its names, as the caller keeps it in plain tuples."""
    body, line, side, begun = memory
    return FollowerMemory(Body(*body), DelayLine(*line), side, begun)
