"""However a stream ends, the last thing that the robot hears is hold."""

from __future__ import annotations

import contextlib
import json
import os
import signal
from dataclasses import replace
from typing import Any, BinaryIO

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.interchange import Commander, SimulatedRobot
from pushpoint.interchange.streaming.connections import Gone, Pipes
from pushpoint.interchange.streaming.keeping_time import command_robot

GAIT = pp.scenario("transeth2008a/flat").world


class Line:
    """A line in virtual time, on which nobody answers; at a time something happens to whoever waits."""

    def __init__(self, at: float = float("inf"), happens: type[BaseException] | None = None) -> None:
        self.time, self.at, self.happens = 0.0, at, happens
        self.sent: list[dict[str, Any]] = []

    def now(self) -> float:
        return self.time

    def send(self, line: str) -> None:
        self.sent.append(json.loads(line))

    def receive(self, until: float) -> list[bytes]:
        self.time = max(self.time, until)
        if self.happens is not None and self.time >= self.at:
            happens, self.happens = self.happens, None
            raise happens
        return []


class Failing(pp.Controller):
    """A controller with a mistake in it."""

    rate = 10.0

    def command(self, measurement: pp.Measurement, memory: Any) -> Any:
        if float(measurement.time[0]) > 0.35:
            raise ZeroDivisionError
        return pp.Command(joint_angle=[[0.1] * GAIT.robot.n_joints]), memory


def last(line: Line) -> dict[str, Any]:
    return line.sent[-1]


def test_a_controller_that_fails_leaves_the_motors_held() -> None:
    robot = replace(GAIT, controller=Failing())
    commander, line = Commander(robot), Line()
    commander.hear(json.dumps({"seq": 0, "t": 0.0, "angle": [0.0] * GAIT.robot.n_joints}), at=0.0)
    with pytest.raises(ZeroDivisionError):
        command_robot(commander, line, duration=2.0)
    assert last(line)["do"] == "hold" and last(line)["angle"] == [0.1] * GAIT.robot.n_joints
    assert "ZeroDivisionError" in last(line)["reason"]


def test_an_interrupt_from_outside_leaves_the_motors_held() -> None:
    """A program of one's own that is stopped with Ctrl-C gets KeyboardInterrupt wherever it waits."""
    line = Line(at=0.5, happens=KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        command_robot(Commander(GAIT, rate=10.0), line, duration=2.0)
    assert last(line)["do"] == "hold"


def full_pipe() -> tuple[BinaryIO, BinaryIO]:
    """A pipe that takes nothing more, since nobody reads it."""
    ends = os.pipe()
    os.set_blocking(ends[1], False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(ends[1], b"x" * 4096)
    os.set_blocking(ends[1], True)
    return os.fdopen(ends[0], "rb", 0), os.fdopen(ends[1], "wb", 0)


@pytest.mark.parametrize("read", [0, 4096])
def test_a_line_that_waits_can_be_interrupted_and_the_last_one_does_not_wait(read: int) -> None:
    """Else Ctrl-C would not end a stream whose driver hangs."""
    source, target = full_pipe()
    with source, target, open(os.devnull, "rb") as nothing:
        pipes = Pipes(nothing, target)
        handler = signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        try:
            with pytest.raises(KeyboardInterrupt):
                pipes.send("a line that waits until the signal comes")
        finally:
            signal.signal(signal.SIGALRM, handler)
        if not read:
            with pytest.raises(Gone, match="nobody reads the lines any more"):
                pipes.send('{"do":"hold"}')
        else:  # the driver goes on
            source.read(read)
            pipes.send('{"do":"hold"}')
            left = b""
            while not left.endswith(b'\n{"do":"hold"}\n'):
                left += source.read(65536)
        assert os.get_blocking(target.fileno())


def test_a_slow_stream_is_stopped_at_once() -> None:
    """At a line per minute it still looks several times a second whether it is to stop."""
    line = Line()
    report = command_robot(Commander(GAIT, rate=1 / 60), line, stop=lambda: line.time > 1.0)
    assert not report.finished and line.time < 1.5 and last(line)["do"] == "hold"


def test_no_line_is_sent_for_a_time_beyond_the_end() -> None:
    """The machine was busy with something else until after the end."""

    class Late(Line):
        def receive(self, until: float) -> list[bytes]:
            self.time = max(self.time, until, 100.0 if self.time >= 0.5 else 0.0)
            return []

    line = Late()
    report = command_robot(Commander(GAIT, rate=10.0), line, duration=2.0)
    assert report.finished and max(each["t"] for each in line.sent if each["do"] == "follow") < 2.0
    assert last(line)["t"] == pytest.approx(2.0) and report.sent + report.skipped == 20


def test_a_controller_slower_than_its_period_says_so() -> None:
    """It takes two and a half periods of the line's clock for each command."""
    line = Line()

    class Slow(pp.Controller):
        rate = 10.0

        def command(self, measurement: pp.Measurement, memory: Any) -> Any:
            line.time += 0.25
            return pp.Command(joint_angle=[[0.0] * GAIT.robot.n_joints]), memory

    commander = Commander(replace(GAIT, controller=Slow()))
    commander.feedback = False
    said = command_robot(commander, line, duration=3.0).sentences()
    assert "the controller took 250 ms (median) of a period of 100 ms: it is too slow for 10 lines per second" in said


def test_a_robot_that_was_given_torques_is_held_where_it_is() -> None:
    """No angle was ever commanded; the joints must not jump to zero."""

    class Torques(pp.Controller):
        rate = 10.0

        def command(self, measurement: pp.Measurement, memory: Any) -> Any:
            return pp.Command(joint_torque=[[0.5] * GAIT.robot.n_joints]), memory

    commander, bent = Commander(replace(GAIT, controller=Torques())), [0.3] * GAIT.robot.n_joints
    commander.hear(json.dumps({"seq": 0, "t": 0.0, "angle": bent}), at=0.0)
    commander.turn(0, at=0.0)
    assert json.loads(commander.hold(1, "stopped"))["angle"] == bent


def test_a_robot_that_was_told_nothing_is_held_where_it_is() -> None:
    """A gait that is stopped before its first line does not know where the joints are."""
    line = Line()
    command_robot(Commander(GAIT, rate=10.0), line, stop=lambda: True)
    assert last(line)["do"] == "hold" and "angle" not in last(line)
    robot = SimulatedRobot(replace(GAIT, start=pp.Start(joint_angles=np.full(GAIT.robot.n_joints, 0.2))), rate=10.0)
    before = np.array(robot.state.theta[0])
    assert robot.hear(json.dumps(last(line))) == "hold"
    for _ in range(5):
        robot.advance()
    assert robot.state.theta[0] == pytest.approx(before, abs=1e-6)  # on flat ground, nothing moves it
