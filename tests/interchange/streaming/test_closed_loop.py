"""A feedback controller on the other end of a line moves the robot as it does in a simulation.

In lockstep the two are the same to rounding. In time, a state that comes a whole number of periods late is what a
sensor with that delay would have shown: again the same to rounding. All of it is in virtual time.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from interchange.streaming.virtual_line import VirtualLine
from pushpoint.errors import InvalidModel
from pushpoint.interchange import Commander, SimulatedRobot
from pushpoint.interchange.streaming.keeping_time import command_robot, play_robot

RATE, PERIOD = 20.0, 0.05
DURATION = 4.0
NAME = "liljeback2011/environment-1-continuous"
FIRST = 0.4 * PERIOD
"""How long the first state travels: the controller's periods begin when it comes, 0.5 periods after the robot's."""


@pytest.fixture(scope="module")
def scenario() -> pp.Scenario:
    return pp.scenario(NAME).with_changes(duration=DURATION)


def delayed(world: pp.World, delay: float) -> pp.World:
    channel = pp.Channel(delay=delay)
    names = ("joint_angle", "joint_rate", "joint_torque", "contact_normal_force")
    imu = ("imu_angular_rate", "imu_acceleration", "imu_heading")
    return replace(world, sensors=pp.Sensors(**dict.fromkeys((*names, *imu), channel)))


def in_process(scenario: pp.Scenario, world: pp.World) -> np.ndarray:
    """Paths of all links, in one simulation."""
    record = pp.Record(rate=RATE)
    run = pp.simulate(world, scenario.duration, settings=scenario.settings, record=record)
    return np.concatenate([run.center_of_mass.values, run.link_angle.values], axis=1)


def path(states: list[Any]) -> np.ndarray:
    return np.array([np.concatenate([state.center[0], state.theta[0]]) for state in states])


def streamed(scenario: pp.Scenario, **line: Any) -> tuple[VirtualLine, Any]:
    robot = SimulatedRobot(scenario.world, rate=RATE, settings=scenario.settings)
    virtual = VirtualLine(robot, **line)
    return virtual, command_robot(Commander(scenario.world, rate=RATE), virtual, duration=DURATION)


def late(periods: float) -> dict[str, Any]:
    """States that come in the given share of a period, but for the first."""
    return {
        "out": lambda number, line: 0.1 * PERIOD,
        "back": lambda number, line: FIRST if number == 0 else periods * PERIOD,
    }


def test_the_controller_is_pushed_by_what_it_feels(scenario: pp.Scenario) -> None:
    """Otherwise equal paths would say nothing about measurements."""
    blind = replace(scenario.world, sensors=pp.Sensors(contact_normal_force=pp.Channel(delay=100.0)))
    seen, unseen = in_process(scenario, scenario.world), in_process(scenario, blind)
    assert np.abs(seen - unseen).max() > 1e-3


@pytest.mark.parametrize("delay", [0, 1, 3])
def test_a_delay_on_the_line_is_a_delay_of_the_sensors(scenario: pp.Scenario, delay: int) -> None:
    line, report = streamed(scenario, **late(delay + 0.1))
    expected = in_process(scenario, delayed(scenario.world, delay * PERIOD) if delay else scenario.world)
    count = round(DURATION * RATE) + 1
    np.testing.assert_allclose(path(line.states)[:count], expected, atol=1e-12)  # the same numbers: rounding
    assert report.finished and report.sent == count - 1
    assert (report.malformed, report.dropped, report.out_of_order, report.skipped) == (0, 0, 0, 0)
    assert report.without_news == delay
    assert report.jitter[1] == pytest.approx(0.0, abs=1e-9)


def test_lockstep_is_the_simulation_itself(scenario: pp.Scenario) -> None:
    robot = SimulatedRobot(scenario.world, rate=RATE, settings=scenario.settings)
    states = [robot.state]

    class Lockstep:
        """Answers at once."""

        def __init__(self) -> None:
            self.said: list[bytes] = []

        def now(self) -> float:
            return 0.0

        def send(self, line: str) -> None:
            do = robot.hear(line)
            if do == "follow":
                robot.advance()
                states.append(robot.state)
            if do != "hold":
                self.said.append(robot.says().encode())

        def receive(self, until: float) -> list[bytes]:
            said, self.said = self.said, []
            return said

    report = command_robot(Commander(scenario.world, rate=RATE), Lockstep(), duration=DURATION, lockstep=True)
    assert report.finished and robot.held == "finished"
    np.testing.assert_allclose(path(states), in_process(scenario, scenario.world), atol=1e-12)  # rounding


def test_jitter_drops_and_late_lines_are_survived(scenario: pp.Scenario) -> None:
    random = np.random.default_rng(4)
    fates = random.choice([0.1, 0.3, 1.3, 2.6, np.nan], p=[0.5, 0.25, 0.1, 0.05, 0.1], size=(2, 500))

    def fate(side: int) -> Any:
        def of(number: int, line: str) -> float | None:
            share = float(fates[side, number])
            return FIRST if number == 0 else None if np.isnan(share) else share * PERIOD

        return of

    line, report = streamed(scenario, out=fate(0), back=fate(1))
    assert report.finished and report.sent == round(DURATION * RATE)
    lost = int(np.isnan(fates[1, 1 : report.received + 20]).sum())
    assert 0 < report.dropped <= lost and report.out_of_order > 0 and report.without_news > 0
    assert report.received + report.out_of_order + report.dropped == pytest.approx(DURATION * RATE, abs=4)
    straight = in_process(scenario, scenario.world)
    moved = path(line.states)[: len(straight)]
    # Two or three periods of delay move the reference by as many; the robot still goes where it should.
    assert np.abs(moved - straight)[:, :2].max() < 0.5 * np.abs(straight[-1] - straight[0])[:2].max() + 0.05


@pytest.mark.parametrize("patience", [4, 10])
def test_silence_ends_with_the_motors_held(scenario: pp.Scenario, patience: int) -> None:
    robot = SimulatedRobot(scenario.world, rate=RATE, settings=scenario.settings)
    line = VirtualLine(robot, **late(0.1), silent_after=1.0)
    report = command_robot(Commander(scenario.world, rate=RATE), line, duration=DURATION, patience=patience)
    assert not report.finished
    assert report.ended == f"the robot was silent for {patience} periods of 0.05 s: its motors hold"
    *follow, last = [json.loads(each) for each in line.lines if '"do":"hold"' not in each or each == line.lines[-1]]
    assert last["do"] == "hold" and last["reason"] == report.ended
    assert last["angle"] == follow[-1]["angle"] and "rate" not in last
    assert len(follow) - 1 == pytest.approx((1.0 / PERIOD) + patience, abs=2)  # the first one is the greeting
    line.receive(line.now() + 1.0)
    assert robot.held == report.ended


def test_a_robot_that_never_answers_is_not_moved(scenario: pp.Scenario) -> None:
    robot = SimulatedRobot(scenario.world, rate=RATE, settings=scenario.settings)
    line = VirtualLine(robot, out=lambda number, text: None, back=lambda number, text: None)
    report = command_robot(Commander(scenario.world, rate=RATE), line, duration=1.0)
    assert not report.finished and report.sent == 0 and "silent" in report.ended
    assert not any('"do":"follow"' in each for each in line.lines)


def test_periods_that_are_over_are_skipped_and_not_caught_up_with(scenario: pp.Scenario) -> None:
    robot = SimulatedRobot(scenario.world, rate=RATE, settings=scenario.settings)

    class Slow(VirtualLine):
        """The machine is busy with something else, once."""

        busy = 4.2 * PERIOD

        def receive(self, until: float) -> list[bytes]:
            if until < 1001.0 or not self.busy:
                return super().receive(until)
            end, found, self.busy = until + self.busy, [], 0.0
            while self.now() < end:
                found += super().receive(end)
            return found

    line = Slow(robot, **late(0.1))
    report = command_robot(Commander(scenario.world, rate=RATE), line, duration=DURATION)
    assert report.finished and report.skipped == 4
    times = [json.loads(each)["t"] for each in line.lines if '"do":"follow"' in each]
    assert np.diff(times).max() == pytest.approx(5 * PERIOD) and np.median(np.diff(times)) == pytest.approx(PERIOD)
    assert report.jitter[1] < PERIOD


def test_a_gait_needs_no_answer() -> None:
    scenario = pp.scenario("transeth2008a/flat")
    sent: list[str] = []

    class Mute:
        time = 0.0

        def now(self) -> float:
            return self.time

        def send(self, line: str) -> None:
            sent.append(line)

        def receive(self, until: float) -> list[bytes]:
            self.time = max(self.time, until)
            return []

    report = command_robot(Commander(scenario.world, rate=50.0), Mute(), duration=2.0)
    assert report.finished and report.sent == 100
    expected = pp.interchange.joint_references(scenario.world.controller, scenario.world.robot, duration=2.0, rate=50.0)
    found = [json.loads(each) for each in sent if '"do":"follow"' in each]
    np.testing.assert_allclose([each["angle"] for each in found], expected.angles[:100], atol=1e-12)
    np.testing.assert_allclose([each["t"] for each in found], expected.times[:100], atol=1e-12)
    assert json.loads(sent[0])["joints"][0] == "joint_0_yaw" and json.loads(sent[0])["rate"] == 50.0


def test_what_a_robot_cannot_do_is_refused() -> None:
    with pytest.raises(InvalidModel, match="must be one that does not need pose of the robot"):
        Commander(pp.scenario("paths/straight-line").world)
    passive = replace(pp.scenario("transeth2008a/flat").world, controller=None)
    with pytest.raises(InvalidModel, match="must be a controller"):
        Commander(passive)


def test_a_controller_that_feels_what_the_robot_does_not_send_stops(scenario: pp.Scenario) -> None:
    class Pushing(pp.Controller):
        rate = RATE

        def command(self, measurement: pp.Measurement, memory: Any) -> Any:
            return pp.Command(joint_angle=measurement.joint_angle + measurement.joint_torque), memory

    world = replace(scenario.world, controller=Pushing())
    commander = Commander(world)
    angle = [0.0] * world.robot.n_joints
    commander.hear(json.dumps({"seq": 0, "t": 0.0, "angle": angle, "torque": angle}), at=0.0)
    assert json.loads(commander.turn(0, at=0.0))["angle"] == angle
    commander.hear(json.dumps({"seq": 1, "t": 0.1, "angle": angle}), at=0.1)
    with pytest.raises(
        pp.errors.PushpointError, match=r"is not a number at t = 0.05 s; the robot does not send torque"
    ):
        commander.turn(1, at=0.1)


@pytest.mark.parametrize(
    "text",
    [
        "", "x", "[]", "{}", '{"seq":1}', '{"seq":1,"t":0,"angle":[0]}', '{"seq":-2,"t":0,"angle":ANGLES}',
        '{"seq":1.5,"t":0,"angle":ANGLES}', '{"seq":true,"t":0,"angle":ANGLES}', '{"seq":1,"t":NaN,"angle":ANGLES}',
        '{"seq":1,"t":1e999,"angle":ANGLES}', '{"seq":1,"t":0,"angle":ANGLES,"torque":[1]}', "[" * 100_000,
        '{"seq":1,"t":0,"angle":ANGLES,"imu":[]}', '{"seq":1,"t":0,"angle":ANGLES,"imu":{"heading":"x"}}',
        '{"seq":' + "9" * 5000 + "}", "\ud800", "x" * 100_000,
    ],
)  # fmt: skip
def test_lines_that_are_none_are_counted_and_left_out(scenario: pp.Scenario, text: str) -> None:
    commander = Commander(scenario.world, rate=RATE)
    zeros = json.dumps([0.0] * scenario.world.robot.n_joints)
    commander.hear(text.replace("ANGLES", zeros).encode(errors="surrogatepass"), at=0.0)
    assert commander.tally.counts["malformed"] == 1 and commander.state is None
    robot = SimulatedRobot(scenario.world, rate=RATE, settings=scenario.settings)
    assert robot.hear(text.encode(errors="surrogatepass")) == "" and robot.malformed == 1


def test_a_robot_holds_when_nobody_speaks_to_it(scenario: pp.Scenario) -> None:
    robot = SimulatedRobot(scenario.world, rate=RATE, settings=scenario.settings)

    class Lonely:
        time, said = 0.0, 0

        def now(self) -> float:
            return self.time

        def send(self, line: str) -> None:
            self.said += 1

        def receive(self, until: float) -> list[bytes]:
            first, self.time = self.time == 0.0, max(self.time, until)
            return [b'{"do":"begin"}'] if first else []

    line = Lonely()
    assert play_robot(robot, line, patience=1.0) == "nobody spoke for 1 s: the motors hold"
    assert line.said == pytest.approx(1.0 * RATE, abs=2)


def test_a_robot_begins_when_references_are_the_first_that_it_hears(scenario: pp.Scenario) -> None:
    """A gait says the first line once: a robot that was started later has missed it."""
    robot = SimulatedRobot(scenario.world, rate=RATE, settings=scenario.settings)
    angles = json.dumps([0.0] * scenario.world.robot.n_joints)
    heard = [f'{{"do":"follow","seq":7,"t":0.0,"angle":{angles}}}', f'{{"do":"hold","seq":9,"t":0.0,"angle":{angles}}}']

    class Joined:
        def __init__(self) -> None:
            self.time = 0.0
            self.said: list[str] = []

        def now(self) -> float:
            return self.time

        def send(self, line: str) -> None:
            self.said.append(line)

        def receive(self, until: float) -> list[bytes]:
            self.time = max(self.time, until)
            return [heard.pop(0).encode()] if heard and len(self.said) in (0, 5) else []

    line = Joined()
    assert play_robot(robot, line, patience=1.0) == "told to hold: held"
    assert robot.periods >= 4 and [json.loads(said)["after"] for said in line.said[:5]] == [7] * 5
