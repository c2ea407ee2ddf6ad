"""A controller that commands a robot line by line: what it hears becomes measurements, what it commands lines."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from pushpoint.control.shape_curve_follower import ShapeCurveFollower
from pushpoint.engine.batching import stack
from pushpoint.engine.controller import Controller, Gait
from pushpoint.engine.signals import Command, Measurement
from pushpoint.errors import InvalidModel, PushpointError
from pushpoint.gaits import PatternGenerator
from pushpoint.interchange.streaming.figures import StreamReport, Tally
from pushpoint.interchange.streaming.lines import FORMAT, BadLine, MeasuredState, line_of, state_from
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.arrays import Axes, array_of_numbers
from pushpoint.model.quantities import Frequency
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot
from pushpoint.worlds.world import World

SENT_BY_A_ROBOT = frozenset({"range", "environment"})
"""Needs of controllers that a robot and its operator can meet; the pose needs a camera."""
MOST_WAITING = 10_000
"""Lines of references whose answer is waited for [-]."""


class Unable(PushpointError):
    """The controller commands what cannot be sent to a robot."""


class Commander:
    """A controller on one end of a line, without time and without a connection: those come from outside.

        commander = pp.interchange.Commander(pp.scenario("transeth2008a/flat").world, rate=50.0)
        print(commander.greeting())
        print(commander.turn(0, at=0.0))

    Args:
        world: Its robot and its controller. A controller that needs the environment gets that of the world.
        rate: Lines per second [Hz]; default: the controller's own rate.
    """

    @checked_arguments
    def __init__(self, world: World, *, rate: Frequency | None = None) -> None:
        if world.controller is None:
            raise InvalidModel("world.controller", None, "a controller: there is nothing to send without one")
        lacking = sorted(set(world.controller.needs) - SENT_BY_A_ROBOT)
        if lacking:
            name = type(world.controller).__name__
            raise InvalidModel("world.controller", name, f"one that does not need {' and '.join(lacking)} of the robot")
        controller = _at_rate(world.controller, rate)
        self.feedback = not (isinstance(controller, Gait | PatternGenerator) or _follows_blindly(controller))
        """Whether it needs measured states; gaits do not."""
        self.robot: AnyRobot = world.robot
        self.rate = float(controller.rate if rate is None else rate)
        """Lines per second [Hz]."""
        self._needs_range = "range" in controller.needs
        place = world.environment if "environment" in controller.needs else None
        self._bound = controller.bind(world.robot, place)
        self._memory = _stacked(self._bound.memory())
        self._told: np.ndarray | None = None
        self._next = 0
        self.state: MeasuredState | None = None
        """The last state that was heard."""
        self.heard_at = -np.inf
        """When it was heard [s]."""
        self._previous: MeasuredState | None = None
        self._used = -1
        self._waiting: OrderedDict[int, float] = OrderedDict()
        self.tally = Tally()
        """What was sent and heard."""

    def greeting(self) -> str:
        """The first line."""
        joints = [f"joint_{j}_{axis.name}" for j, axis in enumerate(self.robot.axes)]
        return line_of(
            do="begin", format=FORMAT, robot=self.robot.name, rate=self.rate, links=self.robot.n_links, joints=joints
        )

    def hear(self, text: str | bytes, *, at: float) -> None:
        """Takes a line of the robot that came at a time [s]; one that is wrong or old is counted and left out."""
        try:
            state = state_from(text, self.robot.n_joints, self.robot.n_links)
        except BadLine:
            self.tally.add("malformed")
            return
        before = self.state
        if before is not None and state.seq <= before.seq:
            self.tally.add("out_of_order")
            if state.seq < before.seq and self.tally.counts["dropped"]:  # it was thought to be lost
                self.tally.add("dropped", -1)
            return
        self.tally.add("received")
        if before is not None:
            self.tally.add("dropped", state.seq - before.seq - 1)
        self._previous, self.state, self.heard_at = before, state, at
        if state.after in self._waiting:
            self.tally.keep(answer=at - self._waiting[state.after])
            for number in [each for each in self._waiting if each <= state.after]:
                del self._waiting[number]

    def turn(self, period: int, *, at: float) -> str:
        """The line of references of a period, counted from 0, at a time [s]."""
        if self.state is not None:
            self.tally.add("without_news", int(self.state.seq == self._used))
            self._used = self.state.seq
        time = period / self.rate
        command, self._memory = self._bound.command(self._measurement(time), self._memory)
        parts = self._checked(command, time)
        self._told = parts.get("angle")
        number, self._next = self._next, self._next + 1
        self.tally.add("sent")
        self._waiting[number] = at
        if len(self._waiting) > MOST_WAITING:
            self._waiting.popitem(last=False)
        return line_of(do="follow", seq=number, t=time, **parts)

    def hold(self, period: int, reason: str) -> str:
        """The last line: the motors are to hold the joints where they were told to be last, or else where they are."""
        measured = None if self.state is None else self.state.angle
        angle = measured if self._told is None else self._told
        return line_of(do="hold", seq=self._next, t=period / self.rate, angle=angle, reason=reason)

    def report(self, ended: str, *, finished: bool) -> StreamReport:
        """What the stream came to."""
        return self.tally.report(ended, finished=finished, rate=self.rate)

    def _measurement(self, time: float) -> Measurement:
        """What the controller is shown: the last state, with numbers that are not measured as NaN."""
        n_joints, n_links = self.robot.n_joints, self.robot.n_links
        state, space = self.state, isinstance(self.robot, SpatialRobot)

        def one(values: np.ndarray | None, count: int) -> np.ndarray:
            known = values is not None and len(values) == count
            return np.array([values]) if known else np.full((1, count), np.nan)

        imu = {} if state is None else state.imu
        angular_rate = one(imu.get("angular_rate"), 3 if space else 1)
        return Measurement(
            time=np.array([time]),
            joint_angle=one(None if state is None else state.angle, n_joints),
            joint_rate=one(self._rates(), n_joints),
            joint_torque=one(None if state is None else state.torque, n_joints),
            contact_normal_force=one(None if state is None else state.touch, n_links),
            imu_angular_rate=angular_rate if space else angular_rate[:, 0],
            imu_acceleration=one(imu.get("acceleration"), 3 if space else 2),
            imu_heading=one(imu.get("heading"), 1)[:, 0],
            imu_tilt=one(imu.get("tilt"), 2) if space else None,
            range=one(None if state is None else state.range, n_links) if self._needs_range else None,
            ray_range=None if state is None or state.rays is None else state.rays[None],
        )

    def _rates(self) -> np.ndarray | None:
        """Joint rates as measured, or else from the last two states."""
        if self.state is None or self.state.rate is not None:
            return None if self.state is None else self.state.rate
        before = self._previous
        if before is None or self.state.time <= before.time:
            return np.zeros(self.robot.n_joints)
        return (self.state.angle - before.angle) / (self.state.time - before.time)

    def _checked(self, command: Command, time: float) -> dict[str, np.ndarray]:
        """The numbers that are sent; raises Unable for those that cannot be."""
        name = type(self._bound).__name__
        if command.link_load is not None and np.any(command.link_load):
            raise Unable(f"{name} pushes links from outside, which a robot cannot do")
        given = {"angle": command.joint_angle, "rate": command.joint_rate, "torque": command.joint_torque}
        parts = {}
        for key, values in given.items():
            if values is None or (key != "torque" and command.joint_torque is not None):
                continue
            found = np.asarray(array_of_numbers(f"command.{key}", values, Axes(1, self.robot.n_joints), unit=""))[0]
            if not np.isfinite(found).all():
                lacking = self._not_measured()
                why = f"; the robot does not send {', '.join(lacking)}" if lacking else ""
                raise Unable(f"{name} commands a {key} that is not a number at t = {time:g} s{why}")
            parts[key] = found
        if not parts:
            raise Unable(f"{name} commands nothing at t = {time:g} s")
        return parts

    def _not_measured(self) -> list[str]:
        """What the robot leaves out of its states."""
        if self.state is None:
            return ["anything"]
        lacking = [name for name in ("torque", "touch", "range") if getattr(self.state, name) is None]
        return lacking + ["imu"] * (not self.state.imu)


def _at_rate(controller: Controller[Any], rate: float | None) -> Controller[Any]:
    """The controller at another rate, if it can be asked at any."""
    if rate is None or isinstance(controller, Gait) or float(controller.rate) == rate:
        return controller
    if is_dataclass(controller) and any(each.name == "rate" for each in fields(controller)):
        return replace(controller, rate=rate)
    raise InvalidModel(
        "rate", rate, f"{controller.rate:g}: {type(controller).__name__} has a rate of its own", unit="Hz"
    )


def _follows_blindly(controller: Controller[Any]) -> bool:
    return isinstance(controller, ShapeCurveFollower) and not controller.needs


def _stacked(memory: Any) -> Any:
    """The memory of one world, as a batch of one."""
    return stack([memory])
