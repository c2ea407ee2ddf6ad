"""Commands the joint angles of a virtual robot that moves along a shape curve (Liljeback2014, section IV-A).

A Steering turns the shape frame: by a schedule, or by feedback on where the robot really goes (III-E.2).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import pi
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.batching import form, merge, pick, stack
from pushpoint.engine.controller import Bindable, Controller
from pushpoint.engine.signals import Command, Measurement
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import Many, above, any_number, check_fields, instance, real, store
from pushpoint.model.environment import Environment
from pushpoint.model.kinds import family_base, register
from pushpoint.model.quantities import Angle, Frequency
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot
from pushpoint.planning.curves.alignment import POSE, Aligner, Alignment, checked_look_ahead
from pushpoint.planning.curves.motion import Laid, Motion

Kept = TypeVar("Kept")
MOST_COMMANDS = 1_000_000
"""Most commands of a virtual robot [-]; more is taken for a typing mistake."""


@family_base
class Steering(ABC, Generic[Kept]):
    """Base class of steerings: gives the shape frame's angle about the world's z axis."""

    needs: ClassVar[frozenset[str]] = frozenset()
    """What it needs to measure: "pose" or nothing."""

    @property
    def turns(self) -> bool:
        """Whether it ever turns the frame."""
        return True

    @abstractmethod
    def begin(self, ticks: int) -> Kept:
        """The memory of one world at time zero; `ticks`: commands per cycle of the gait, 0 without cycles."""

    @abstractmethod
    def turn(self, t: np.ndarray, dt: float, measurement: Any, memory: Kept) -> tuple[np.ndarray, Kept]:
        """The angles at time t [rad], shape (n_worlds,), dt [s] after the last ones, and the new memory.

        The measurement is a Measurement, or has at least what is needed; None if nothing is needed.
        """


@register("schedule")
@dataclass(frozen=True, kw_only=True)
class TurnSchedule(Steering[None]):
    """Turns the shape frame at given rates: the paper's open loop.

    For example:

        pp.control.TurnSchedule(until=(3.0, 6.0), rates=(0.0, 0.4))  # straight for 3 s, then turn left until 6 s
    """

    until: Annotated[Sequence[float], any_number("s"), Many(None, "a list of times")] = ()
    """End times of the intervals [s], increasing: one per rate, or one less if the last rate has no end."""
    rates: Annotated[Sequence[float], real("rad/s"), Many(None, "a list of rates")] = (0.0,)
    """Turning rate in each interval [rad/s], counter-clockwise positive."""

    def __post_init__(self) -> None:
        check_fields(self, "steering")
        if not self.rates:
            raise InvalidModel("steering.rates", self.rates, "one rate or more", unit="rad/s")
        if len(self.until) not in (len(self.rates), len(self.rates) - 1):
            allowed = f"one end per rate, {len(self.rates)}, or one less, if the last rate has no end"
            raise InvalidModel("steering.until", f"{len(self.until)} ends", allowed)
        if not all(a < b for a, b in pairwise((0.0, *self.until))):
            raise InvalidModel("steering.until", self.until, "increasing, above 0", unit="s")
        if self.until[-1:] == (np.inf,):
            store(self, until=self.until[:-1])

    @property
    def turns(self) -> bool:
        """Whether any rate is not zero."""
        return any(self.rates)

    def at(self, t: np.ndarray) -> np.ndarray:
        """The angle at given times [rad]."""
        time = np.asarray(t, dtype=float)[..., None]
        ends = np.array((*self.until, np.inf)[: len(self.rates)])
        starts = np.array((0.0, *ends[:-1]))
        spent = np.clip(time, starts, ends) - starts
        return np.asarray((np.where(spent > 0.0, spent, 0.0) * np.array(self.rates)).sum(axis=-1))

    def begin(self, ticks: int) -> None:
        """No memory."""

    def turn(self, t: np.ndarray, dt: float, measurement: Any, memory: None) -> tuple[np.ndarray, None]:
        """The angle at the current time."""
        return self.at(t), None


STRAIGHT = TurnSchedule()


class HeadingMemory(NamedTuple):
    """What a HeadingController remembers of a world."""

    angle: np.ndarray
    """The shape frame's angle [rad]."""
    integral: np.ndarray
    """Integral of the error, divided by the integral time [rad]."""
    known: np.ndarray
    """How many positions are known [-]."""
    places: np.ndarray
    """Positions during the last cycle, oldest first [m], (ticks + 1, 2)."""


@register("heading")
@dataclass(frozen=True, kw_only=True)
class HeadingController(Steering[HeadingMemory]):
    """Turns the shape frame until the robot travels in a wanted direction, averaged over a cycle of its gait.

    A sidewinding robot swings back and forth within a cycle and, open loop, turns much less than its shape frame. Only
    the displacement between the same phase of two cycles shows where it goes. With e the error of that direction, psi'
    = gain (e + integral of e / integral_time), limited to `fastest`: a robot that drifts needs a frame that keeps
    turning.
    """

    direction: Angle
    """Wanted direction of travel, counter-clockwise from the x axis [rad]."""
    gain: Annotated[float, above(0, "1/s")] = 0.6
    """Turning rate per error [1/s]."""
    integral_time: Annotated[float, above(0, "s")] = 10.0
    """Time constant of the integral term [s]."""
    fastest: Annotated[float, above(0, "rad/s")] = np.deg2rad(22.5)
    """Largest turning rate [rad/s]."""

    needs = frozenset({"pose"})

    def __post_init__(self) -> None:
        check_fields(self, "steering")

    def begin(self, ticks: int) -> HeadingMemory:
        """No position is known yet."""
        if ticks < 1:
            raise InvalidModel("follower.steering", "a HeadingController", "used with a motion that has cycles")
        if ticks > MOST_COMMANDS:
            allowed = f"used with a motion whose cycle takes at most {MOST_COMMANDS:,} commands"
            raise InvalidModel("follower.steering", "a HeadingController", allowed)
        return HeadingMemory(np.array(0.0), np.array(0.0), np.array(0), np.zeros((ticks + 1, 2)))

    def turn(
        self, t: np.ndarray, dt: float, measurement: Any, memory: HeadingMemory
    ) -> tuple[np.ndarray, HeadingMemory]:
        """The angle, turned toward the wanted direction; unchanged during the first cycle."""
        return self.toward(self.direction, dt, measurement.center_of_mass[:, :2], memory)

    def toward(
        self, direction: float | np.ndarray, dt: float, position: np.ndarray, memory: HeadingMemory
    ) -> tuple[np.ndarray, HeadingMemory]:
        """The same toward any direction [rad] of a robot that is at a position [m], shape (n_worlds, 2)."""
        psi, integral, known, places = memory
        places = np.concatenate([places[:, 1:], position[:, None]], axis=1)
        known = np.minimum(known + 1, places.shape[1])
        way = places[:, -1] - places[:, 0]
        error = direction - np.arctan2(way[:, 1], way[:, 0])
        error = np.where(known == places.shape[1], (error + pi) % (2.0 * pi) - pi, 0.0)
        wanted = self.gain * (error + integral)
        rate = np.clip(wanted, -self.fastest, self.fastest)
        # At the limit the integral is frozen (anti-windup).
        integral = integral + np.where(rate == wanted, error * dt / self.integral_time, 0.0)
        psi = psi + dt * rate
        return psi, HeadingMemory(psi, integral, known, places)


class VirtualRobot(NamedTuple):
    """What the follower remembers of a world."""

    begun: np.ndarray
    """Whether a command has been given."""
    motion: Any
    """The state of the motion."""
    steering: Any
    """The memory of the steering."""


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
    """How the virtual robot moves: AlongCurve, OnCurve, OnMovingPoints, or another Motion."""
    steering: Steering[Any] = STRAIGHT
    """What turns the shape frame: a TurnSchedule, a HeadingController, or another Steering."""
    look_ahead: float | None = None
    """Distance of the point that a link is aimed at [m]; default: two mean link lengths."""
    rate: Frequency = 30.0
    """Commands per second [Hz]."""
    prescribed: bool = False
    """Whether the joints follow the references exactly instead of using them as servo targets."""

    def __post_init__(self) -> None:
        instance("follower.motion", self.motion, Motion, "a Motion")
        instance("follower.steering", self.steering, Steering, "a Steering")
        if self.steering.turns and not self.motion.steered:
            allowed = f"left out: {type(self.motion).__name__} has a fixed curve, which no frame can turn"
            raise InvalidModel("follower.steering", type(self.steering).__name__, allowed)
        check_fields(self, "follower")

    @property
    def needs(self) -> frozenset[str]:
        """What the steering needs."""
        return self.steering.needs

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
        return bound.pose(np.zeros(1), stack([bound.memory()]))

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
            laid = Laid(*(part[0].copy() for part in self.motion.laid(memory.motion, t)))
            yield float(t[0]), laid, bound.pose(t, memory)

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
        state = self.motion.begin(self.robot, self.look_ahead)
        return VirtualRobot(np.array(False), state, self.steering.begin(ticks))

    def adopt(self, memory: Any, of: Controller[Any]) -> VirtualRobot:
        """Continues with the virtual robot of another follower, if it moves in the same way."""
        fresh = self.memory()
        return memory if isinstance(of, BoundShapeCurveFollower) and form(memory) == form(fresh) else fresh

    def command(self, measurement: Measurement, memory: VirtualRobot) -> tuple[Command, VirtualRobot]:
        """Moves the virtual robots on by one period, except the first time, and commands their joint angles."""
        memory = self.moved_on(measurement.time, measurement, memory)
        angles = np.array(self._aligned(measurement.time, memory).joint_angles)
        return Command(joint_angle=angles, prescribed=self.prescribed), memory

    def moved_on(self, t: np.ndarray, measurement: Any, memory: VirtualRobot) -> VirtualRobot:
        """The virtual robots at time t [s], one period later."""
        dt = 1.0 / self.rate
        psi, kept = self.steering.turn(t, dt, measurement, memory.steering)
        state = self.motion.advance(memory.motion, dt, _about_z(psi), t)
        begun = memory.begun
        if not begun.all():  # a new world does not move at its first command
            state = merge(memory.motion, begun, pick(state, begun))
        return VirtualRobot(np.ones_like(begun), state, kept)

    def pose(self, t: np.ndarray, memory: VirtualRobot) -> Alignment:
        """The virtual robot of the first world at time t [s]."""
        return self._aligned(t, memory).each(lambda found: found[0].copy())

    def _aligned(self, t: np.ndarray, memory: VirtualRobot) -> Alignment:
        """The virtual robots at time t [s], in arrays that are reused."""
        laid = self.motion.laid(memory.motion, t)
        aligner = _aligner(self.robot, laid.points.shape[1], len(t), self.look_ahead)
        aligner.load(laid.points, laid.slopes)
        aligner.solve(laid.head, self.motion.roll + self.motion.roll_rate * t)
        return aligner.pose


@lru_cache(maxsize=8)
def _aligner(robot: SpatialRobot, n_points: int, n_worlds: int, look_ahead: float) -> Aligner:
    """Memory for so many alignments, allocated once: a control period is too short to allocate it each time."""
    return Aligner(robot, n_points, n_curves=n_worlds, look_ahead=look_ahead)


def _about_z(psi: np.ndarray) -> np.ndarray:
    """Orientations of the shape frame, shape (n_worlds, 3, 3)."""
    c, s, none = np.cos(psi), np.sin(psi), np.zeros_like(psi)
    return np.stack((c, -s, none, s, c, none, none, none, none + 1.0), axis=-1).reshape(*psi.shape, 3, 3)
