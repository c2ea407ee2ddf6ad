"""Leader-following, and the hybrid controller of Liljeback2011, III, which resolves jams.

In our numbering link 0 is the tail, and joint_angle = front link minus rear link, the opposite of the paper's phi.
Directions are measured from the world's x axis, which the robot is meant to follow. docs/theory/touch.md explains the
controller; its modes and guarded transitions are the tables MODES and TRANSITIONS.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from math import ceil, radians
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.batching import form
from pushpoint.engine.controller import Bindable, Controller
from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.engine.signals import Command, Measurement
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import above, between, check_fields
from pushpoint.model.environment import Environment
from pushpoint.model.kinds import register
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.quantities import Frequency, Length, Width
from pushpoint.model.spatial_robot import AnyRobot

FEWEST_LINKS = 3
"""A head, a link as the reference of the head's direction, and one that follows."""
MOST_KEPT = 1_000_000
"""Most angles of the head joint that are kept, one per command until the tail has repeated it [-]."""
JAMMED_JOINTS = 2
"""Number of jammed joints that make a jammed robot (III-C) [-]."""


class Body(NamedTuple):
    """What a controller with touch must know about its robot; with a leading world axis where robots differ."""

    reach: np.ndarray
    """Factors of the links' directions that sum to the vector from the centre of mass to the head [m], (n_links,)."""
    lower: np.ndarray
    """Smallest joint angles [rad], (n_joints,)."""
    upper: np.ndarray
    """Largest joint angles [rad], (n_joints,)."""


HeadPoint = Literal["centre", "front"]
"""The point that counts as the head's position: the head link's centre of mass or its front end."""


def body_of(robot: AnyRobot, head_point: HeadPoint = "centre") -> Body:
    """What the controllers know about a planar robot."""
    if not isinstance(robot, PlanarRobot):
        raise InvalidModel("controller: robot", type(robot).__name__, "a PlanarRobot")
    if robot.n_links < FEWEST_LINKS:
        raise InvalidModel("controller: robot", robot.n_links, f"a robot of at least {FEWEST_LINKS} links")
    # The vector to the head is linear in the links' unit vectors: turning one link by a right angle gives its factor.
    turned = np.diag(np.full(robot.n_links, np.pi / 2))
    reach = link_positions(robot, np.zeros((robot.n_links, 2)), turned)[:, -1, 1]
    if head_point == "front":
        reach[-1] += robot.links[-1].length / 2 - robot.links[-1].mass_offset
    return Body(reach, robot.motor_column("lower"), robot.motor_column("upper"))


def measured_link_angles(measurement: Measurement) -> np.ndarray:
    """Link angles [rad], shape (n_worlds, n_links), from the joint angles and the head's IMU."""
    ahead = np.cumsum(measurement.joint_angle[:, ::-1], axis=1)[:, ::-1]
    head = measurement.imu_heading[:, None]
    return np.concatenate((head - ahead, head), axis=1)


def head_offset(body: Body, theta: np.ndarray) -> np.ndarray:
    """Offset of the head from the centre of mass to the left, along the world's y axis [m]: the paper's Delta y."""
    return np.asarray((body.reach * np.sin(theta)).sum(axis=-1))


def next_side(side: np.ndarray, offset: np.ndarray, swing: float | np.ndarray) -> np.ndarray:
    """The head rule (3): -1 (right) once the offset exceeds the swing, +1 (left) once it is below minus the swing."""
    return np.where(offset > swing, -1.0, np.where(offset < -swing, 1.0, side))


def per_joint(value: float | np.ndarray) -> np.ndarray:
    """A parameter (one number, or shape (n_worlds,)) shaped to combine with arrays of (n_worlds, n_joints)."""
    return np.asarray(value)[..., None]


class FollowerMemory(NamedTuple):
    """What leader-following remembers of a world between commands."""

    line: np.ndarray
    """Past angles of the head joint [rad], one per command, the newest first, (n_kept,)."""
    side: np.ndarray
    """Side to which the head is steered: +1 left, -1 right."""
    begun: np.ndarray
    """Whether a command has been given."""


@register("leader-follower")
@dataclass(frozen=True, kw_only=True)
class LeaderFollower(Bindable[FollowerMemory]):
    """Leader-following alone (Liljeback2011, III-B). It has no sense of touch and can jam between pegs.

    The head swings from side to side, and every joint repeats the head joint's angle with a delay.
    """

    __repr__ = brief

    head_angle: Annotated[float, between(0, np.pi / 2, "rad")] = radians(50)
    """Direction of the head link when steered to the left; to the right, minus this [rad]."""
    swing: Length = 0.14
    """Sideways offset of the head from the centre of mass at which it changes sides, Delta y_max [m]."""
    head_point: HeadPoint = "centre"
    """Which point of the head link counts: its "centre" of mass or its "front" end."""
    speed: Annotated[float, above(0, "m/s")] = 0.05
    """Speed at which the head joint's angle travels back along the body, v_ref [m/s]."""
    rate: Frequency = 20.0
    """Commands per second [Hz]."""

    def __post_init__(self) -> None:
        check_fields(self, "controller")

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> BoundFollower:
        """Returns leader-following bound to one robot."""
        body = body_of(robot, self.head_point)
        behind = np.concatenate((np.cumsum(robot.column("length")[-2:0:-1])[::-1], [0.0]))
        age = behind / self.speed * self.rate
        if not age[0] < MOST_KEPT:
            least = float(behind[0]) * self.rate / MOST_KEPT
            allowed = f"more than {least:.3g}, so that {self.rate:g} commands per second make fewer than {MOST_KEPT:,}"
            raise InvalidModel("controller.speed", self.speed, f"{allowed} along the body", unit="m/s")
        return BoundFollower(**vars(self) | {"body": body, "age": age, "n_kept": ceil(age[0]) + 2})


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundFollower(LeaderFollower):
    """Leader-following of one robot, or of several together."""

    batches = True

    body: Body
    """The robot."""
    age: np.ndarray
    """Delay after which each joint repeats an angle of the head joint, in commands [-], (n_joints,); 0 at the head."""
    n_kept: int
    """Number of angles of the head joint that are kept [-]."""

    def memory(self) -> FollowerMemory:
        """The initial memory. The head is first steered to the right (IV-C)."""
        return FollowerMemory(np.zeros(self.n_kept), np.array(-1.0), np.array(False))

    def adopt(self, memory: Any, of: Controller[Any]) -> FollowerMemory:
        """Continues from another leader-following that keeps as many angles."""
        fresh = self.memory()
        return memory if isinstance(of, BoundFollower) and form(memory) == form(fresh) else fresh

    def command(self, measurement: Measurement, memory: FollowerMemory) -> tuple[Command, FollowerMemory]:
        """Joint angles of (5), within the joints' limits."""
        everywhere = np.ones(len(measurement.time), dtype=bool)
        reference, kept = self.follow(measurement, measured_link_angles(measurement), memory, everywhere)
        return Command(joint_angle=reference), kept

    def follow(
        self, measurement: Measurement, theta: np.ndarray, memory: FollowerMemory, active: np.ndarray
    ) -> tuple[np.ndarray, FollowerMemory]:
        """References [rad] and the next memory; in worlds that are not active, the memory stays as it is."""
        line, side, begun = memory
        if not begun.all():
            line = np.where(begun[:, None], line, self._past(measurement.joint_angle))
        moved = np.concatenate((measurement.joint_angle[:, -1:], line[:, :-1]), axis=1)
        line = np.where((active & begun)[:, None], moved, line)
        side = np.where(active, next_side(side, head_offset(self.body, theta), self.swing), side)
        whole = np.floor(self.age).astype(int)
        at, share = np.broadcast_to(whole, measurement.joint_angle.shape), self.age - whole
        newer, older = np.take_along_axis(line, at, 1), np.take_along_axis(line, at + 1, 1)
        reference = (1.0 - share) * newer + share * older  # (5), interpolated between two commands
        reference[:, -1] = side * self.head_angle - theta[:, -2]
        kept = FollowerMemory(line, side, np.ones_like(begun))
        return np.clip(reference, self.body.lower, self.body.upper), kept

    def _past(self, joint_angle: np.ndarray) -> np.ndarray:
        """A past of the head joint from which every joint would read its current angle."""
        kept = np.arange(self.n_kept)
        # The head joint first: delays increase toward the tail.
        age, angle = np.broadcast_to(self.age, joint_angle.shape)[:, ::-1], joint_angle[:, ::-1]
        older = np.clip((age[:, None, :] <= kept[:, None]).sum(axis=2), 1, age.shape[1] - 1)
        young, old = np.take_along_axis(age, older - 1, 1), np.take_along_axis(age, older, 1)
        share = np.clip((kept - young) / (old - young), 0.0, 1.0)
        newer, last = np.take_along_axis(angle, older - 1, 1), np.take_along_axis(angle, older, 1)
        return (1.0 - share) * newer + share * last


class Mode(IntEnum):
    """What the controller is doing."""

    FOLLOWING = 0
    JAMMED = 1
    RESOLVING = 2


MODES = {Mode.FOLLOWING: "leader-following", Mode.JAMMED: "jammed", Mode.RESOLVING: "jam-resolution"}
"""The modes as results name them. A jammed robot keeps following until the jam has lasted long enough."""


class Situation(NamedTuple):
    """What the guards look at, per world."""

    jammed: np.ndarray
    """Whether enough joints are off their references."""
    time_in_mode: np.ndarray
    """Time since the last transition [s]."""


class Transition(NamedTuple):
    """A change from one mode to another in the worlds where a guard holds."""

    source: Mode
    target: Mode
    guard: Callable[[HybridController, Situation], np.ndarray]


TRANSITIONS = (
    Transition(Mode.FOLLOWING, Mode.JAMMED, lambda c, now: now.jammed),
    Transition(Mode.JAMMED, Mode.FOLLOWING, lambda c, now: ~now.jammed),
    Transition(Mode.JAMMED, Mode.RESOLVING, lambda c, now: now.jammed & (now.time_in_mode > c.jam_time)),
    Transition(Mode.RESOLVING, Mode.FOLLOWING, lambda c, now: now.time_in_mode >= c.resolution_time),
)
"""The supervisor (III-C). No two guards of one mode hold at once."""


def resolution(gain: float | np.ndarray, force: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """What jam resolution adds to every joint angle [rad], shape (n_worlds, n_joints): (8) and (9) in our signs.

    A link that feels `force` [N] toward its left turns by -gain * force * cos(theta).
    """
    return np.diff(-per_joint(gain) * force * np.cos(theta), axis=1)


Clock = Literal["pauses", "runs"]
"""What the time of leader-following does while a jam is resolved."""


class HybridMemory(NamedTuple):
    """What the hybrid controller remembers of a world."""

    follower: FollowerMemory
    """The memory of leader-following."""
    mode: np.ndarray
    """The current mode."""
    commands_in_mode: np.ndarray
    """Commands since the mode was entered [-]."""
    reference: np.ndarray
    """The last command [rad], (n_joints,)."""
    jam_force: np.ndarray
    """Forces felt when the last resolution began [N], (n_links,)."""


@register("hybrid")
@dataclass(frozen=True, kw_only=True)
class HybridController(Bindable[HybridMemory]):
    """Leader-following with jam detection and jam resolution: the controller of Liljeback2011, III.

    For example:

        robot = pp.catalogue.liljeback2011()
        world = pp.World(robot, pp.Environment(), pp.control.HybridController())
    """

    __repr__ = brief

    follower: LeaderFollower = field(default_factory=LeaderFollower)
    """Leader-following; its rate is that of the whole controller."""
    jam_angle: Width = radians(20)
    """Reference error above which a joint counts as jammed, Delta phi_max [rad]."""
    jam_time: Annotated[float, above(0, "s")] = 1.0
    """How long a jam lasts before it is resolved, t_jam,max [s]."""
    resolution_time: Annotated[float, above(0, "s")] = 1.0
    """Duration of a resolution, t_resolution,max [s]."""
    gain: Annotated[float, above(0, "rad/N")] = 0.05
    """Turn of a link per force along the direction of travel, k_theta [rad/N]."""
    clock: Clock = "pauses"
    """Leader-following's time during a resolution: "pauses" or "runs".

    If it pauses, the wave continues afterwards where it was. If it runs, (5) repeats the head joint's motion by the
    clock.
    """

    def __post_init__(self) -> None:
        check_fields(self, "controller")

    modes = tuple(MODES[mode] for mode in Mode)

    @property
    def rate(self) -> float:
        """Commands per second [Hz]."""
        return self.follower.rate

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> BoundHybrid:
        """Returns the controller bound to one robot."""
        return BoundHybrid(**vars(self) | {"follower": self.follower.bind(robot)})


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundHybrid(HybridController):
    """The hybrid controller of one robot, or of several together."""

    batches = True

    follower: BoundFollower
    """Leader-following of the robot."""

    def memory(self) -> HybridMemory:
        """The initial memory, in the mode leader-following."""
        follower, n_joints = self.follower.memory(), self.follower.body.lower.shape[-1]
        nothing = np.full(n_joints, np.nan)
        return HybridMemory(follower, np.array(int(Mode.FOLLOWING)), np.array(0), nothing, np.zeros(n_joints + 1))

    def adopt(self, memory: Any, of: Controller[Any]) -> HybridMemory:
        """Continues from another hybrid controller, or takes over the past of a leader-following."""
        fresh = self.memory()
        if isinstance(of, BoundHybrid) and form(memory) == form(fresh):
            return memory
        return fresh._replace(follower=self.follower.adopt(memory, of))

    def mode_of(self, memory: HybridMemory) -> np.ndarray:
        """The current modes, shape (n_worlds,), for the record."""
        return memory.mode

    def command(self, measurement: Measurement, memory: HybridMemory) -> tuple[Command, HybridMemory]:
        """Joint angles for the mode that each world is in after this measurement."""
        follower, mode, count, reference, jam_force = memory
        theta = measured_link_angles(measurement)
        # Before the first command there is no error.
        off = np.abs(measurement.joint_angle - reference) > per_joint(self.jam_angle)
        now = Situation(jammed=off.sum(axis=1) >= JAMMED_JOINTS, time_in_mode=count / self.rate)
        after = mode.copy()
        for transition in TRANSITIONS:
            after[(mode == transition.source) & transition.guard(self, now)] = transition.target
        entered, resolving = after != mode, after == Mode.RESOLVING
        count = np.where(entered, 0, count) + 1
        jam_force = np.where((entered & resolving)[:, None], measurement.contact_normal_force, jam_force)
        active = ~resolving if self.clock == "pauses" else np.ones_like(resolving)
        following, kept = self.follower.follow(measurement, theta, follower, active)
        # (10); the head joint is left alone, so that the resolution does not travel down the body.
        resolved = measurement.joint_angle + resolution(self.gain, jam_force, theta)
        resolved[:, -1] = measurement.joint_angle[:, -1]
        resolved = np.clip(resolved, self.follower.body.lower, self.follower.body.upper)
        reference = np.where(resolving[:, None], resolved, following)
        return Command(joint_angle=reference), HybridMemory(kept, after, count, reference, jam_force)
