"""Commands the joint angles of a virtual robot that moves along a shape curve (Liljeback2014, section IV-A).

A Steering turns the shape frame (`steering.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from pushpoint.brief import brief
from pushpoint.control.steering import MOST_COMMANDS, STRAIGHT, CombinedSteering, Steering
from pushpoint.engine.batching import form, merge, over_leaves, pick, stack
from pushpoint.engine.controller import Bindable, Controller
from pushpoint.engine.signals import Command, Measurement
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import check_fields, instance
from pushpoint.model.environment import Environment
from pushpoint.model.joints import UP
from pushpoint.model.kinds import register
from pushpoint.model.quantities import Frequency
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot
from pushpoint.planning.curves.alignment import ANY_TURN, POSE, Aligner, Alignment, checked_look_ahead
from pushpoint.planning.curves.motion import Laid, Motion

SIDE_RATE = np.pi
"""How fast the head's y axis turns back to level at most, after it passed the vertical [rad/s]."""


class VirtualRobot(NamedTuple):
    """What the follower remembers of a world."""

    begun: np.ndarray
    """Whether a command has been given."""
    motion: Any
    """The state of the motion."""
    steering: Any
    """The memory of the steering."""
    rolling: Any
    """The memory of what commands the roll angle."""
    roll: np.ndarray
    """The commanded roll angle [rad]."""
    side: np.ndarray
    """The head's y axis before its roll, at the command before, shape (3,)."""


@register("shape-curve")
@dataclass(frozen=True, kw_only=True)
class ShapeCurveFollower(Bindable[VirtualRobot]):
    """Follows a virtual robot: at every command it is moved on, and its joint angles are the references.

    For example:

        snake = pp.catalogue.liljeback2014()
        motion = pp.planning.AlongCurve(segment=pp.planning.sidewinding(snake), speed=0.3)
        world = pp.World(snake, pp.Environment(), pp.control.ShapeCurveFollower(motion=motion))
    """

    __repr__ = brief

    motion: Motion[Any]
    """How the virtual robot moves: AlongCurve, OnCurve, OnMovingPoints, AlongMovingCurve, or another Motion."""
    steering: Steering[Any] = STRAIGHT
    """What turns the shape frame: a TurnSchedule, a HeadingController, or another Steering."""
    rolling: Steering[Any] = STRAIGHT
    """What rolls the body about its curve, beside the motion's own `roll` and `roll_rate`; only its angle counts."""
    look_ahead: float | None = None
    """Distance of the point that a link is aimed at [m]; default: two mean link lengths."""
    rate: Frequency = 30.0
    """Commands per second [Hz]."""
    prescribed: bool = False
    """Whether the joints follow the references exactly instead of using them as servo targets."""

    def __post_init__(self) -> None:
        instance("follower.motion", self.motion, Motion, "a Motion")
        instance("follower.steering", self.steering, Steering, "a Steering")
        instance("follower.rolling", self.rolling, Steering, "a Steering")
        if isinstance(self.rolling, CombinedSteering):
            raise InvalidModel("follower.rolling", "CombinedSteering", "a Steering with one angle")
        if self.steering.turns and not self.motion.steered:
            allowed = f"left out: {type(self.motion).__name__} has a fixed curve, which no frame can turn"
            raise InvalidModel("follower.steering", type(self.steering).__name__, allowed)
        check_fields(self, "follower")

    @property
    def needs(self) -> frozenset[str]:
        """What the steering and the rolling need."""
        return self.steering.needs | self.rolling.needs

    @property
    def period(self) -> float | None:
        """Duration of one cycle [s]; None without cycles."""
        return self.motion.period

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> BoundShapeCurveFollower:
        """Returns the follower bound to one robot."""
        found: SpatialRobot = instance("robot", robot, SpatialRobot, "a SpatialRobot: a shape curve lies in space")
        distance = float(checked_look_ahead(found, self.look_ahead, allow_overshoot=False))
        return BoundShapeCurveFollower(**vars(self) | {"robot": found, "look_ahead": distance})

    def start(self, robot: AnyRobot, environment: Environment | None = None) -> SpatialStart:
        """A start in the first pose, placed on the ground where the virtual robot is seen from above."""
        pose = self.first_pose(robot).start()
        return replace(pose, position=pose.position[:2])

    def first_reference(self, robot: AnyRobot) -> np.ndarray:
        """Joint angles of the virtual robot at time zero [rad], shape (n_joints,)."""
        return self.first_pose(robot).joint_angles

    def first_pose(self, robot: AnyRobot) -> Alignment:
        """The virtual robot at time zero."""
        bound = self.bind(robot)
        return bound.pose(np.zeros(1), stack([bound.memory()]))[0]

    def virtual(self, robot: SpatialRobot, duration: float) -> tuple[np.ndarray, Alignment]:
        """Times of the commands up to a duration [s] and the virtual robot's poses; without feedback only."""
        times, _laid, found = zip(*self.moves(robot, duration), strict=True)
        poses = {name: np.stack([getattr(pose, name) for pose in found]) for name in POSE}
        return np.array(times), Alignment(robot=robot, **poses)

    def moves(
        self, robot: SpatialRobot, duration: float, center: Callable[[float], np.ndarray] | None = None
    ) -> Iterator[tuple[float, Laid, Alignment]]:
        """Time, curve with head, and pose of the virtual robot of one world, command by command up to a duration [s].

        `center` gives the position of a robot's centre of mass at a time [m], for steerings that need it.
        """
        if self.needs and center is None:
            raise InvalidModel("follower.steering", self.steering, "one that does not need the robot's pose")
        if not 0.0 <= duration * self.rate < MOST_COMMANDS:
            raise InvalidModel("duration", duration, f"fewer than {MOST_COMMANDS} commands at {self.rate:g} Hz")
        bound = self.bind(robot)
        memory = stack([bound.memory()])
        for t in (np.array([tick / self.rate]) for tick in range(int(duration * self.rate + 1e-6) + 1)):
            seen = None if center is None else SimpleNamespace(center_of_mass=np.asarray(center(float(t[0])))[None])
            memory = bound.moved_on(t, seen, memory)
            laid = over_leaves(lambda part: part[0].copy(), self.motion.laid(memory.motion, t))
            pose, memory = bound.pose(t, memory)
            yield float(t[0]), laid, pose

    def references(self, time: np.ndarray, robot: SpatialRobot) -> tuple[np.ndarray, np.ndarray]:
        """Returns the joint angles [rad] held at given times [s], and zero rates; shape (n_times, n_joints)."""
        t = np.asarray(time, dtype=float)
        _times, poses = self.virtual(robot, float(t.max(initial=0.0)))
        angles = poses.joint_angles[np.floor(t * self.rate + 1e-6).astype(int)]
        return angles, np.zeros_like(angles)


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundShapeCurveFollower(ShapeCurveFollower):
    """A follower bound to its robot."""

    robot: SpatialRobot
    look_ahead: float

    def memory(self) -> VirtualRobot:
        """The virtual robot at time zero; raises InvalidModel if the curve is too short for the robot."""
        ticks = 0 if self.period is None else round(self.period * self.rate)
        return VirtualRobot(
            begun=np.array(False),
            motion=self.motion.begin(self.robot, self.look_ahead),
            steering=self.steering.begin(ticks),
            rolling=self.rolling.begin(ticks),
            roll=np.array(0.0),
            side=np.zeros(3),
        )

    def adopt(self, memory: Any, of: Controller[Any]) -> VirtualRobot:
        """Continues with the virtual robot of another follower, if it moves in the same way."""
        fresh = self.memory()
        if not isinstance(of, BoundShapeCurveFollower) or form(memory) != form(fresh):
            return fresh
        return memory._replace(steering=self.steering.continued(memory.steering, of.steering))

    def command(self, measurement: Measurement, memory: VirtualRobot) -> tuple[Command, VirtualRobot]:
        """Moves the virtual robots on by one period, except the first time, and commands their joint angles."""
        memory = self.moved_on(measurement.time, measurement, memory)
        pose, memory = self._aligned(measurement.time, memory)
        return Command(joint_angle=np.array(pose.joint_angles), prescribed=self.prescribed), memory

    def moved_on(self, t: np.ndarray, measurement: Any, memory: VirtualRobot) -> VirtualRobot:
        """The virtual robots at time t [s], one period later."""
        dt = 1.0 / self.rate
        psi, kept = self.steering.turn(t, dt, measurement, memory.steering)
        if self.rolling.turns:
            roll, rolled = self.rolling.turn(t, dt, measurement, memory.rolling)
            if np.shape(roll) != t.shape:
                allowed = "a Steering with one angle per world"
                raise InvalidModel("follower.rolling", type(self.rolling).__name__, allowed)
            memory = memory._replace(rolling=rolled, roll=roll)
        state = self.motion.advance(memory.motion, dt, self.steering.frame(psi), t)
        if not memory.begun.all():  # a new world does not move at its first command
            state = merge(memory.motion, memory.begun, pick(state, memory.begun))
        return memory._replace(motion=state, steering=kept)

    def pose(self, t: np.ndarray, memory: VirtualRobot) -> tuple[Alignment, VirtualRobot]:
        """The virtual robot of the first world at time t [s], and the memory for the next command."""
        pose, memory = self._aligned(t, memory)
        return pose.each(lambda found: found[0].copy()), memory

    def _aligned(self, t: np.ndarray, memory: VirtualRobot) -> tuple[Alignment, VirtualRobot]:
        """The virtual robots at time t [s], in arrays that are reused, and the memory with the sides they have now.

        A side is handed on from command to command. At first it is level.
        """
        laid = self.motion.laid(memory.motion, t)
        aligner = _aligner(self.robot, laid.points.shape[1], len(t), self.look_ahead)
        aligner.load(laid.points, laid.slopes)
        roll = self.motion.roll + self.motion.roll_rate * t + memory.roll
        side = np.where(memory.begun[:, None], memory.side, (0.0, 1.0, 0.0))
        most = np.where(memory.begun, SIDE_RATE / self.rate, ANY_TURN)
        aligner.solve(laid.head, roll, side, up=UP if laid.up is None else laid.up, side_turn=most)
        return aligner.pose, memory._replace(begun=np.ones_like(memory.begun), side=aligner.pose.side.copy())


@lru_cache(maxsize=8)
def _aligner(robot: SpatialRobot, n_points: int, n_worlds: int, look_ahead: float) -> Aligner:
    """Memory for so many alignments, allocated once: a control period is too short to allocate it each time."""
    return Aligner(robot, n_points, n_curves=n_worlds, look_ahead=look_ahead)
