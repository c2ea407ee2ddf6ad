"""Feeds a robot with the joint angles of a virtual one that moves along a shape curve (Liljeback2014, section IV-A)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from pushpoint.control.steering import STRAIGHT
from pushpoint.engine.signals import Command, Measurement
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import instance, positive, store
from pushpoint.model.environment import Environment
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.planning.curves.alignment import Aligner, Alignment, checked_look_ahead
from pushpoint.planning.curves.motion import Laid


@dataclass(frozen=True, kw_only=True)
class ShapeCurveFollower:
    """At every command the virtual robot is moved on and aligned; its joint angles are the references, held."""

    motion: Any
    """How the virtual robot moves: AlongCurve, OnCurve, OnMovingPoints, or another Motion."""
    steering: Any = STRAIGHT
    """Who turns the shape frame: a TurnSchedule, a HeadingController, or another Steering."""
    look_ahead: float | None = None
    """How far away the point is toward which a link is turned [m]; default: two mean link lengths."""
    rate: float = 30.0
    """Commands per second [Hz]."""
    prescribed: bool = False
    """Whether the references are imposed as motion instead of being servo targets."""

    def __post_init__(self) -> None:
        for field, part, methods in (
            ("follower.motion", self.motion, ("begin", "advance", "laid")),
            ("follower.steering", self.steering, ("begin", "turn")),
        ):
            if not all(hasattr(part, method) for method in methods):
                raise InvalidModel(field, part, f"something with {', '.join(methods)}")
        store(self, rate=positive("follower.rate", self.rate, "Hz"))

    @property
    def needs_pose(self) -> bool:
        """Whether the steering reads where the robot is."""
        return bool(self.steering.needs_pose)

    @property
    def period(self) -> float | None:
        """Duration of a cycle [s], if there is one."""
        return self.motion.period

    def init(self, robot: SpatialRobot, environment: Environment | None) -> tuple[Any, ...]:
        """Memory of one world: the robot, whether it has begun, the motion's state and the steering's."""
        instance("robot", robot, SpatialRobot, "a SpatialRobot: a shape curve lies in space")
        whose = np.empty((), dtype=object)
        whose[()] = robot
        ticks = 0 if self.period is None else round(self.period * self.rate)
        state = self.motion.begin(robot, self._look_ahead(robot))
        return whose, np.array(False), state, self.steering.begin(ticks)

    def command(self, t: np.ndarray, measurement: Measurement, memory: Any) -> tuple[Command, Any]:
        """Moves the virtual robots on by one period, but for the first time, and sends their joint angles."""
        memory = self._moved_on(t, measurement, memory)
        angles = np.empty((len(t), memory[0][0].n_joints))
        for rows, aligner in self._aligned(t, memory):
            angles[rows] = aligner.joint_angles
        return Command(joint_angle=angles, prescribed=self.prescribed), memory

    def virtual(self, robot: SpatialRobot, duration: float) -> tuple[np.ndarray, Alignment]:
        """Times of the commands up to a duration [s] and the virtual robot's poses then; without feedback only."""
        times, _laid, found = zip(*self.moves(robot, duration), strict=True)
        poses = {name: np.stack([getattr(pose, name) for pose in found]) for name in POSE}
        return np.array(times), Alignment(robot=robot, **poses)

    def moves(
        self, robot: SpatialRobot, duration: float, center: Callable[[float], np.ndarray] | None = None
    ) -> Iterator[tuple[float, Laid, Alignment]]:
        """The virtual robot of one world, command by command up to a duration [s]: time, curve and head, pose.

        center gives where the centre of mass of a robot was at a time [m], for steering that reads it.
        """
        if self.needs_pose and center is None:
            raise InvalidModel("follower.steering", self.steering, "one that does not read where the robot is")
        memory = _batched(self.init(robot, None))
        for t in (np.array([tick / self.rate]) for tick in range(int(duration * self.rate + 1e-6) + 1)):
            seen = None if center is None else SimpleNamespace(center_of_mass=np.asarray(center(float(t[0])))[None])
            memory = self._moved_on(t, seen, memory)
            ((_rows, aligner),) = self._aligned(t, memory)
            yield float(t[0]), _copied(self.motion.laid(memory[2], t)), self._pose(robot, aligner)

    def references(self, time: np.ndarray, robot: SpatialRobot) -> tuple[np.ndarray, np.ndarray]:
        """Joint angles [rad] as held at given times and rates, which are zero; shape (n_times, n_joints)."""
        t = np.asarray(time, dtype=float)
        if t.max(initial=0.0) > 0.0:
            _times, poses = self.virtual(robot, float(t.max()))
            angles = poses.joint_angles[np.floor(t * self.rate + 1e-6).astype(int)]
        else:
            angles = np.tile(self.first_pose(robot).joint_angles, (len(t), 1))
        return angles, np.zeros_like(angles)

    def first_pose(self, robot: SpatialRobot) -> Alignment:
        """The virtual robot at time zero."""
        memory = _batched(self.init(robot, None))
        ((_rows, aligner),) = self._aligned(np.zeros(1), memory)
        return self._pose(robot, aligner)

    def start(self, robot: SpatialRobot, position: tuple[float, ...] | None = None) -> SpatialStart:
        """A start in the first pose: put down where the virtual robot is seen from above, or at a position [m]."""
        pose = self.first_pose(robot).start()
        place = pose.position[:2] if position is None else position
        return SpatialStart(joint_angles=pose.joint_angles, orientation=pose.orientation, position=place)

    def _look_ahead(self, robot: SpatialRobot) -> float:
        return float(checked_look_ahead(robot, self.look_ahead, allow_overshoot=False))

    def _pose(self, robot: SpatialRobot, aligner: Aligner) -> Alignment:
        return Alignment(robot=robot, **{name: getattr(aligner, name)[0].copy() for name in POSE})

    def _moved_on(self, t: np.ndarray, measurement: Any, memory: Any) -> Any:
        whose, begun, state, kept = memory
        dt = 1.0 / self.rate
        psi, kept = self.steering.turn(t, dt, measurement, kept)
        frame = _about_z(psi)
        moved = self.motion.advance(state, dt, frame, t)
        # A world that has just begun stays where it is for its first command.
        state = tuple(np.where(_like(begun, new), new, old) for new, old in zip(moved, state, strict=True))
        return whose, np.ones_like(begun), state, kept

    def _aligned(self, t: np.ndarray, memory: Any) -> Any:
        """Worlds of one robot each, and the aligner that holds their virtual robots."""
        whose, _begun, state, _kept = memory
        laid = self.motion.laid(state, t)
        roll = self.motion.roll + self.motion.roll_rate * t
        # By identity: to compare robots link by link takes longer than to align them.
        for robot in {id(one): one for one in whose}.values():
            rows = np.flatnonzero([other is robot for other in whose])
            aligner = _aligner(robot, laid.points.shape[1], len(rows), self._look_ahead(robot))
            aligner.load(laid.points[rows], laid.slopes[rows])
            aligner.solve(laid.head[rows], roll[rows])
            yield rows, aligner


POSE = ("joint_angles", "joint_points", "link_orientations", "center", "references")


@lru_cache(maxsize=8)
def _aligner(robot: SpatialRobot, n_points: int, n_worlds: int, look_ahead: float) -> Aligner:
    """Room for so many alignments, made once: a control period is too short to make it anew."""
    return Aligner(robot, n_points, n_curves=n_worlds, look_ahead=look_ahead)


def _about_z(psi: np.ndarray) -> np.ndarray:
    """Orientations of the shape frame, shape (n_worlds, 3, 3)."""
    frame = np.zeros((*psi.shape, 3, 3))
    frame[..., 0, 0] = frame[..., 1, 1] = np.cos(psi)
    frame[..., 1, 0] = np.sin(psi)
    frame[..., 0, 1] = -frame[..., 1, 0]
    frame[..., 2, 2] = 1.0
    return frame


def _copied(laid: Laid) -> Laid:
    return Laid(*(part[0].copy() for part in laid))


def _like(flag: np.ndarray, values: np.ndarray) -> np.ndarray:
    return flag.reshape(flag.shape + (1,) * (values.ndim - flag.ndim))


def _batched(memory: Any) -> Any:
    """The memory of one world as that of a batch of one."""
    return tuple(_batched(part) for part in memory) if isinstance(memory, tuple) else memory[None]
