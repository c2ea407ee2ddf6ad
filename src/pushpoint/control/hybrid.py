"""The hybrid controller of Liljeback2011, III: leader-following until the robot is jammed, then jam resolution.

Modes and guarded transitions are tables, MODES and TRANSITIONS. A joint is jammed if it is off its reference by more
than a limit, the robot if two joints are (III-C). A jam that lasts is resolved for a fixed time by turning every
touched link so that the obstacle's push gets a larger forward part (III-D); leader-following stands still meanwhile
and then goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from math import radians
from typing import Annotated, Any, NamedTuple

import numpy as np

from pushpoint.control.leader_follower import BoundFollower, FollowerMemory, LeaderFollower, link_angles, per_joint
from pushpoint.engine.batching import form
from pushpoint.engine.controller import Bindable, Controller
from pushpoint.engine.signals import Command, Measurement
from pushpoint.model.checks import above, check_fields
from pushpoint.model.environment import Environment
from pushpoint.model.kinds import register
from pushpoint.model.spatial_robot import AnyRobot

JAMMED_JOINTS = 2
"""So many jammed joints make a jammed robot (III-C) [-]."""


class Mode(IntEnum):
    """What the controller is doing."""

    FOLLOWING = 0
    JAMMED = 1
    RESOLVING = 2


MODES = {
    Mode.FOLLOWING: "leader-following",
    Mode.JAMMED: "jammed",
    Mode.RESOLVING: "jam-resolution",
}
"""The modes as results name them; a jammed robot goes on following until the jam has lasted."""


class Situation(NamedTuple):
    """What the guards look at, per world."""

    jammed: np.ndarray
    """Whether so many joints are off their references."""
    time_in_mode: np.ndarray
    """Time since the last transition [s]."""


@dataclass(frozen=True)
class Transition:
    """From one mode to another, where a guard holds."""

    source: Mode
    """The mode that is left."""
    target: Mode
    """The mode that is entered."""
    guard: Callable[[HybridController, Situation], np.ndarray]
    """Whether it is time, per world."""


TRANSITIONS = (
    Transition(Mode.FOLLOWING, Mode.JAMMED, lambda c, now: now.jammed),
    Transition(Mode.JAMMED, Mode.FOLLOWING, lambda c, now: ~now.jammed),
    Transition(Mode.JAMMED, Mode.RESOLVING, lambda c, now: now.jammed & (now.time_in_mode > c.jam_time)),
    Transition(Mode.RESOLVING, Mode.FOLLOWING, lambda c, now: now.time_in_mode >= c.resolution_time),
)
"""The supervisor (III-C). No two guards of one source hold at once."""


def switched(controller: HybridController, mode: np.ndarray, now: Situation) -> np.ndarray:
    """The modes after at most one transition each."""
    after = mode.copy()
    for transition in TRANSITIONS:
        after[(mode == transition.source) & transition.guard(controller, now)] = transition.target
    return after


def resolution(gain: float | np.ndarray, force: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """What jam resolution adds to every joint angle [rad], shape (n_worlds, n_joints): (8) and (9) in our signs.

    A link that feels `force` [N] toward its left turns by -gain * force * cos(theta); the head joint is left out by the
    caller where it must be.
    """
    turn = -per_joint(gain) * force * np.cos(theta)
    return np.diff(turn, axis=1)


class HybridMemory(NamedTuple):
    """What the hybrid controller keeps of a world."""

    follower: FollowerMemory
    """Leader-following's own."""
    mode: np.ndarray
    """The present mode."""
    commands_in_mode: np.ndarray
    """Commands since it was entered [-]."""
    reference: np.ndarray
    """The last command [rad], (n_joints,)."""
    jam_force: np.ndarray
    """Forces felt when the last resolution began [N], (n_links,)."""


@register("hybrid")
@dataclass(frozen=True, kw_only=True)
class HybridController(Bindable[HybridMemory]):
    """Leader-following, jam detection, jam resolution, and the supervisor that switches between them."""

    follower: LeaderFollower = field(default_factory=LeaderFollower)
    """Leader-following, and the rate of all."""
    jam_angle: Annotated[float, above(0, "rad")] = radians(20)
    """How far a jammed joint is off its reference, Delta phi_max [rad]."""
    jam_time: Annotated[float, above(0, "s")] = 1.0
    """How long a jam lasts before it is resolved, t_jam,max [s]."""
    resolution_time: Annotated[float, above(0, "s")] = 1.0
    """How long a resolution takes, t_resolution,max [s]."""
    gain: Annotated[float, above(0, "rad/N")] = 0.05
    """Turn of a link per force along the direction of travel, k_theta [rad/N]."""

    def __post_init__(self) -> None:
        check_fields(self, "controller")

    modes = tuple(MODES[mode] for mode in Mode)

    @property
    def rate(self) -> float:
        """Commands per second [Hz]."""
        return self.follower.rate

    def bind(self, robot: AnyRobot, environment: Environment | None = None) -> BoundHybrid:
        """The controller of one robot."""
        return BoundHybrid(**vars(self) | {"follower": self.follower.bind(robot)})


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundHybrid(HybridController):
    """The hybrid controller of one robot, or of several side by side."""

    batches = True

    follower: BoundFollower
    """Leader-following of the robot."""

    def memory(self) -> HybridMemory:
        """Following, before the first command."""
        follower, n_joints = self.follower.memory(), self.follower.body.lower.shape[-1]
        nothing = np.full(n_joints, np.nan)
        return HybridMemory(follower, np.array(int(Mode.FOLLOWING)), np.array(0), nothing, np.zeros(n_joints + 1))

    def adopt(self, memory: Any, of: Controller[Any]) -> HybridMemory:
        """Goes on where another hybrid controller was, or begins with the past of a leader-following."""
        fresh = self.memory()
        if isinstance(of, BoundHybrid) and form(memory) == form(fresh):
            return memory
        return fresh._replace(follower=self.follower.adopt(memory, of))

    def mode_of(self, memory: HybridMemory) -> np.ndarray:
        """The present modes, shape (n_worlds,), for the record."""
        return memory.mode

    def command(self, measurement: Measurement, memory: HybridMemory) -> tuple[Command, HybridMemory]:
        """Joint angles of the mode that each world is in after this measurement."""
        follower, mode, count, reference, jam_force = memory
        theta = link_angles(measurement)
        # Nothing is off before the first command.
        off = np.abs(measurement.joint_angle - reference) > per_joint(self.jam_angle)
        situation = Situation(jammed=off.sum(axis=1) >= JAMMED_JOINTS, time_in_mode=count / self.rate)
        after = switched(self, mode, situation)
        entered = after != mode
        count = np.where(entered, 0, count) + 1
        felt = measurement.contact_normal_force
        jam_force = np.where((entered & (after == Mode.RESOLVING))[:, None], felt, jam_force)
        resolving = after == Mode.RESOLVING
        following, kept = self.follower.follow(measurement, theta, follower, ~resolving)
        resolved = self._resolved(measurement.joint_angle, theta, jam_force)
        reference = np.where(resolving[:, None], resolved, following)
        return Command(joint_angle=reference), HybridMemory(kept, after, count, reference, jam_force)

    def _resolved(self, joint_angle: np.ndarray, theta: np.ndarray, force: np.ndarray) -> np.ndarray:
        """References of (10) [rad]: the head joint stays as it is, so that no resolution travels down the body."""
        turned = joint_angle + resolution(self.gain, force, theta)
        turned[:, -1] = joint_angle[:, -1]
        return np.clip(turned, self.follower.body.lower, self.follower.body.upper)
