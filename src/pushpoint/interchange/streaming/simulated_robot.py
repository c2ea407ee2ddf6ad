"""A simulated robot on the other end of the line: it follows references with its motors and says what it measures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command, Measurement
from pushpoint.interchange.streaming.lines import BadLine, line_of, object_of, row_of_numbers, sequence_number
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.quantities import Frequency
from pushpoint.simulation.stepping.simulator import Simulator
from pushpoint.worlds.world import World


class SimulatedRobot:
    """The robot of a world, simulated period by period, as a robot on a bench would be.

    It does what the last line of references says until the next one comes, and holds its joints where they are told to
    be when none comes any more.

        world = pp.scenario("transeth2008a/flat").world
        robot = pp.interchange.SimulatedRobot(world, rate=50.0)
        print(robot.says())
        robot.advance()

    Args:
        world: The world that it moves in; its controller is not asked.
        rate: Periods per second [Hz].
        settings: Numerical settings.
    """

    @checked_arguments
    def __init__(self, world: World, *, rate: Frequency, settings: Settings = Settings()) -> None:
        self.world, self.rate = world, float(rate)
        """The world, and periods per second [Hz]."""
        # One to load the kernels: a robot that has to compile them first would miss its periods.
        Simulator([world], rate=rate, settings=settings).step(Command())
        self._simulator = Simulator([world], rate=rate, settings=settings)
        # The motors of a robot whose controller has not spoken yet hold the joints where they are.
        self._measured: Measurement = self._simulator.reset()
        self._command = Command(joint_angle=np.array(self._measured.joint_angle))
        self._numbered = self._after = -1
        self.periods = 0
        """Periods that are over [-]."""
        self.held = ""
        """Why it was told to hold; empty while it was not."""
        self.malformed = 0
        """Lines that were none of the controller [-]."""

    @property
    def state(self) -> Any:
        """The true state, with the pose that it does not tell."""
        return self._simulator.state

    @property
    def after(self) -> int:
        """Number of the last line of references that it heard; -1 before the first."""
        return self._after

    def says(self) -> str:
        """The line of what it measures now; each has the next number."""
        self._numbered += 1
        seen = self._measured
        imu = {
            "angular_rate": seen.imu_angular_rate[0].tolist(),
            "acceleration": seen.imu_acceleration[0].tolist(),
            "heading": float(seen.imu_heading[0]),
        }
        if seen.imu_tilt is not None:
            imu["tilt"] = seen.imu_tilt[0].tolist()
        return line_of(
            seq=self._numbered,
            t=float(seen.time[0]),
            after=self._after,
            angle=seen.joint_angle[0],
            rate=seen.joint_rate[0],
            torque=seen.joint_torque[0],
            touch=seen.contact_normal_force[0],
            range=None if seen.range is None else seen.range[0],
            rays=None if seen.ray_range is None else seen.ray_range[0],
            imu=imu,
        )

    def hear(self, text: str | bytes) -> str:
        """Takes a line of the controller; returns what it is to do: begin, follow or hold, or nothing.

        A line that is older than one it has, or that is none, is left out.
        """
        try:
            found = object_of(text)
            do = found.get("do")
            if do == "begin":
                return "begin"
            if do not in ("follow", "hold"):
                raise BadLine("do is not begin, follow or hold")
            number, command = sequence_number("seq", found.get("seq")), self._command_in(found, held=do == "hold")
        except BadLine:
            self.malformed += 1
            return ""
        if number <= self._after:
            return ""
        self._after, self._command = number, command
        if do == "hold":
            self.held = str(found.get("reason", "held"))[:200] or "held"
        return str(do)

    def _command_in(self, found: dict[str, Any], *, held: bool) -> Command:
        count = self.world.robot.n_joints
        angle, rate, torque = (row_of_numbers(name, found.get(name), count) for name in ("angle", "rate", "torque"))
        if held and angle is None and torque is None:  # the controller does not know where the joints are
            return Command(joint_angle=np.array(self._measured.joint_angle))
        if (angle is None) == (torque is None):
            raise BadLine("a line has either angles or torques")
        if torque is not None:
            return Command(joint_torque=torque[None])
        return Command(
            joint_angle=None if angle is None else angle[None], joint_rate=None if rate is None else rate[None]
        )

    def hold(self) -> None:
        """Stops turning the joints: the references stay, their rates become zero; a torque gives way to the angles."""
        if self._command.joint_angle is None:
            self._command = Command(joint_angle=np.array(self._measured.joint_angle))
        else:
            self._command = replace(self._command, joint_rate=None)

    def advance(self) -> None:
        """One period goes by."""
        self._measured = self._simulator.step(self._command)
        self.periods += 1
