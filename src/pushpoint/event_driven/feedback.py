"""Controllers in the event-driven model: what they measure at their rate, and how their commands act in between."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pushpoint.engine.controller import Controller
from pushpoint.engine.signals import Command, Measurement
from pushpoint.errors import InvalidModel
from pushpoint.event_driven.flow_step import FlowStep
from pushpoint.event_driven.model import HybridModel
from pushpoint.event_driven.rows import sideways, snapshot
from pushpoint.model.checks import instance, store
from pushpoint.model.environment import Environment
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.sensors import PERFECT_SENSORS


@dataclass(eq=False)
class Felt:
    """What the robot felt since the last command: summed up over time [N m s, N s], or its mean [N m, N]."""

    torque: np.ndarray
    """Torques of the motors, shape (n_joints,)."""
    side: np.ndarray
    """Contact forces on links toward their left, shape (n_links,)."""

    @staticmethod
    def none(model: HybridModel) -> Felt:
        """Nothing yet."""
        return Felt(np.zeros(model.n_links - 1), np.zeros(model.n_links))

    def mean(self, period: float) -> Felt:
        """The mean over a period [s]."""
        return Felt(self.torque / period, self.side / period)

    def over(self, step: FlowStep, end: float) -> None:
        """Adds a step of flow up to an end in time [s], by Simpson's rule."""
        begin, contacts = step.path.t_old, step.mode.contacts
        length = end - begin
        for time, weight in ((begin, 1.0), (begin + length / 2, 4.0), (end, 1.0)):
            seen = step.at(time)
            share = weight * length / 6.0
            self.torque += share * seen.torque
            if contacts.count:
                self.side += share * sideways(step.model, seen.at, contacts, seen.touch, seen.normal, seen.tangential)


@dataclass(frozen=True, kw_only=True, eq=False)
class Feedback:
    """A feedback controller: called at its rate with perfect sensors, its commands held in between."""

    robot: PlanarRobot
    """The robot whose motors these are."""
    controller: Controller[Any]
    """The controller. It must not prescribe motion, nor need range sensors."""
    environment: Environment | None = None
    """What it is told of the environment, if it asks."""
    bound: Controller[Any] = field(init=False, repr=False)
    """The controller, bound to its robot."""

    def __post_init__(self) -> None:
        instance("drive.robot", self.robot, PlanarRobot, "a PlanarRobot")
        instance("drive.controller", self.controller, Controller, "a gait or a Controller")
        if self.controller.prescribed:
            raise InvalidModel("drive.controller", self.controller, "one that does not prescribe motion")
        if "range" in self.controller.needs:
            raise InvalidModel("drive.controller", self.controller, "one that needs no range sensors")
        told = self.environment if "environment" in self.controller.needs else None
        store(self, bound=self.controller.bind(self.robot, told))

    @property
    def rate(self) -> float:
        """Commands per second [Hz]."""
        return float(self.controller.rate)

    def torque_at(self, time: float, joint_angle: np.ndarray, joint_rate: np.ndarray) -> np.ndarray:
        """There is none before a first command: `integrate` asks for commands and holds them."""
        raise InvalidModel("drive", self, "given to `integrate`, which calls the controller")

    def begin(self, model: HybridModel, state: np.ndarray) -> tuple[HybridModel, Any, list[int]]:
        """The model under the first command, the controller's memory, and its mode, if it has any."""
        from pushpoint.engine.batching import stack

        memory = stack([self.bound.memory()])
        return self.command(model, 0.0, (state, state), Felt.none(model), memory)

    def command(
        self, model: HybridModel, time: float, states: tuple[np.ndarray, np.ndarray], felt: Felt, memory: Any
    ) -> tuple[HybridModel, Any, list[int]]:
        """Measures, asks for a command and holds it.

        `states` are those at the last command and now; `felt` is the mean in between.
        """
        command, kept = self.bound.command(self._measured(model, time, states, felt), memory)
        load = None if command.link_load is None else np.asarray(command.link_load, dtype=float)[0]
        modes = [int(self.bound.mode_of(kept)[0])] if self.controller.modes else []
        return replace(model, drive=_Held.of(self.robot, command), load=load), kept, modes

    def _measured(
        self, model: HybridModel, time: float, states: tuple[np.ndarray, np.ndarray], felt: Felt
    ) -> Measurement:
        n, imu = model.n_links, PERFECT_SENSORS.imu_on(self.robot)
        before, now = (snapshot(model, state) for state in states)
        period = 1.0 / self.rate
        changed = (now.terms.motion[0][imu] - before.terms.motion[0][imu]) / period
        middle = (before.angle[imu] + now.angle[imu]) / 2
        along = np.array([np.cos(middle), np.sin(middle)])
        across = np.array([-along[1], along[0]])
        values = {
            "time": time,
            "joint_angle": np.diff(now.angle),
            "joint_rate": np.diff(now.rate),
            "joint_torque": felt.torque,
            "contact_normal_force": felt.side,
            "imu_angular_rate": now.rate[imu],
            "imu_acceleration": np.array([along @ changed, across @ changed]),
            "imu_heading": now.angle[imu],
            "center_of_mass": states[1][n : n + 2],
            "link_angle": now.angle,
        }
        return Measurement(**{name: np.asarray(value)[None] for name, value in values.items()})


@dataclass(frozen=True, kw_only=True, eq=False)
class _Held:
    """A command, held until the next: references of the servos, or torques."""

    stiffness: np.ndarray
    damping: np.ndarray
    angle: np.ndarray
    rate: np.ndarray
    torque: np.ndarray | None

    @staticmethod
    def of(robot: PlanarRobot, command: Command) -> _Held:
        angle, rate = (
            np.zeros(robot.n_joints) if part is None else np.asarray(part, dtype=float)[0]
            for part in (command.joint_angle, command.joint_rate)
        )
        torque = None if command.joint_torque is None else np.asarray(command.joint_torque, dtype=float)[0]
        gains = {name: robot.motor_column(name) for name in ("stiffness", "damping")}
        return _Held(**gains, angle=angle, rate=rate, torque=torque)

    def torque_at(self, time: float, joint_angle: np.ndarray, joint_rate: np.ndarray) -> np.ndarray:
        """Torques of the servos, or those commanded."""
        if self.torque is not None:
            return self.torque
        return self.stiffness * (self.angle - joint_angle) + self.damping * (self.rate - joint_rate)
