"""The command in processes of their own, over pipes and over datagrams. Nothing here is judged by the clock."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import InvalidModel
from pushpoint.interchange import Commander, SimulatedRobot
from pushpoint.interchange.streaming.connections import datagrams
from pushpoint.interchange.streaming.keeping_time import command_robot, play_robot

NAME, RATE = "liljeback2011/environment-1-continuous", 20.0


@contextmanager
def process(*words: str) -> Iterator[subprocess.Popen[str]]:
    """`pushpoint stream` with its standard streams as pipes."""
    line = [sys.executable, "-m", "pushpoint", "stream", *words]
    pipe = subprocess.PIPE
    with subprocess.Popen(line, stdin=pipe, stdout=pipe, stderr=pipe, text=True, bufsize=1) as running:
        try:
            yield running
        finally:
            running.kill()


def robot_of(scenario: pp.Scenario) -> SimulatedRobot:
    return SimulatedRobot(scenario.world, rate=RATE, settings=scenario.settings)


def test_a_robot_at_the_end_of_a_pipe_goes_the_way_of_the_simulation() -> None:
    """The test is the robot: it reads the standard output of the command and writes to its standard input."""
    scenario = pp.scenario(NAME).with_changes(duration=1.0)
    robot, states, said = robot_of(scenario), [], []
    with process(NAME, "--lockstep", "--set", "duration=1.0") as running:
        assert running.stdin is not None and running.stdout is not None and running.stderr is not None
        for line in running.stdout:
            said.append(line)
            do = robot.hear(line)
            if do == "follow":
                robot.advance()
            if do in ("begin", "follow"):
                states.append(robot.state.center[0])
                running.stdin.write(robot.says() + "\n")
                running.stdin.flush()
        assert running.wait() == 0
        assert running.stderr.read().startswith("finished after 1 s\n20 lines sent")
    run = pp.simulate(scenario.world, 1.0, settings=scenario.settings, record=pp.Record(rate=RATE))
    np.testing.assert_allclose(states[-21:], run.center_of_mass, atol=1e-12)  # the same numbers in text: rounding
    assert robot.held == "finished" and json.loads(said[-1])["do"] == "hold"


@pytest.mark.slow
def test_a_signal_ends_the_stream_with_the_motors_held() -> None:
    with process("transeth2008a/flat", "--rate", "50") as running:
        assert running.stdin is not None and running.stdout is not None and running.stderr is not None
        for _ in range(4):
            line = running.stdout.readline()
        running.send_signal(signal.SIGINT)
        *_, line = running.stdout
        assert running.wait() == 128 + signal.SIGINT
        last = json.loads(line)
        assert last["do"] == "hold" and last["reason"].startswith("stopped after")


@pytest.mark.slow
def test_silence_ends_the_command_with_a_sentence() -> None:
    with process(NAME, "--patience", "3") as running:
        assert running.stdin is not None and running.stdout is not None and running.stderr is not None
        running.stdout.readline()
        running.stdin.write(robot_of(pp.scenario(NAME)).says() + "\n")
        running.stdin.flush()
        *_, line = running.stdout
        assert running.wait() == 1
        assert json.loads(line)["reason"] == "the robot was silent for 3 periods of 0.05 s: its motors hold"
        assert running.stderr.readline() == "the robot was silent for 3 periods of 0.05 s: its motors hold\n"


@pytest.mark.slow
def test_datagrams_on_loopback_carry_the_same() -> None:
    """The robot is the command in a process of its own."""
    scenario = pp.scenario(NAME)
    with process(NAME, "--robot", "--udp", f"127.0.0.1:{_free_port()}") as running:
        assert running.stderr is not None
        assert "ready" in running.stderr.readline()
        address = next(word for word in running.args if str(word).startswith("127."))  # type: ignore[union-attr]
        with datagrams(str(address), listen=False) as line:
            found = command_robot(Commander(scenario.world, rate=RATE), line, duration=0.5)
        assert found.finished and found.received > 0 and found.malformed == 0
        assert running.wait() == 0
        assert "told to hold: finished" in running.stderr.read()


def test_a_stopped_robot_and_a_stopped_controller_say_so() -> None:
    scenario = pp.scenario(NAME)
    with datagrams("127.0.0.1:0", listen=True) as there:
        assert play_robot(robot_of(scenario), there, stop=lambda: True) == "stopped: the motors hold"
        with datagrams(f"127.0.0.1:{there.port}", listen=False) as here:
            found = command_robot(Commander(scenario.world, rate=RATE), here, stop=lambda: True)
            assert not found.finished and found.sent == 0 and found.ended == "stopped after 0 s"
            assert json.loads(there.receive(there.now() + 5.0)[0])["do"] == "begin"


def _free_port() -> int:
    with datagrams("127.0.0.1:0", listen=True) as found:
        return found.port


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("47000", "must be HOST:PORT, such as 127.0.0.1:47000"),
        ("127.0.0.1:port", "must be HOST:PORT"),
        ("127.0.0.1:70000", "must be HOST:PORT"),
        ("192.0.2.1:47000", "must be on this machine"),
    ],
)
def test_addresses_that_cannot_be_used_are_a_sentence(address: str, said: str) -> None:
    with pytest.raises(InvalidModel) as caught, datagrams(address, listen=False):
        pass
    assert said in str(caught.value)


def test_a_taken_port_is_a_sentence() -> None:
    with datagrams("127.0.0.1:0", listen=True) as first:
        taken: Any = f"127.0.0.1:{first.port}"
        with pytest.raises(InvalidModel, match="an address that can be used"), datagrams(taken, listen=True):
            pass
