"""The two ends of a line in time: deadlines by a clock that never jumps, or in lockstep, one answer per line."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import Annotated

from pushpoint.interchange.streaming.commander import Commander, Unable
from pushpoint.interchange.streaming.connections import Connection, Gone
from pushpoint.interchange.streaming.figures import StreamReport
from pushpoint.interchange.streaming.simulated_robot import SimulatedRobot
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import at_least, instance
from pushpoint.model.quantities import Count, Duration

PATIENCE = 10
"""Periods without a new state after which a robot counts as silent [-]."""
FIRST_WAIT = 30.0
"""How long the first state is waited for [s]: a robot may have to start."""
LOOK = 0.25
"""How long it waits at most before it looks whether it is to stop [s]."""
GREETED_EVERY = 0.25
"""Interval at which the first line is repeated until the robot answers [s]: a datagram may be lost."""
HOLD_REPEATS = 3
"""How often the last line is sent [-]."""
Stop = Callable[[], bool]


class _Silence(Exception):
    """The robot says nothing."""


@checked_arguments
def command_robot(
    commander: Commander,
    line: Connection,
    *,
    duration: Annotated[float, at_least(0, "s", infinite=True)] = math.inf,
    patience: Count = PATIENCE,
    lockstep: bool = False,
    stop: Stop = lambda: False,
) -> StreamReport:
    """Commands a robot line by line until the duration is over, it falls silent, or `stop` says so.

    In real time a line is sent when its period begins, by a clock that never jumps. Periods that are over before their
    line could be sent are skipped. The last line says hold.

        scenario = pp.scenario("transeth2008a/flat")
        line = pp.interchange.Datagrams("127.0.0.1:47001", listen=False)
        report = pp.interchange.command_robot(pp.interchange.Commander(scenario.world), line, duration=0.1)
        line.close()
        print(report.sentences())

    Args:
        commander: The controller.
        line: The way to the robot: Pipes, Datagrams, or a Connection of your own to its bus.
        duration: How long [s]; default: until it is stopped.
        patience: Periods without a new state after which a controller with feedback holds the robot [-].
        lockstep: Whether each line waits for the state after the one before, so that no time is lost or gained.
        stop: A function that says whether to stop; it is asked once per period.
    """
    instance("line", line, Connection, "a Connection: Pipes, Datagrams or one of your own")
    period, done = 1.0 / commander.rate, 0
    total = math.inf if math.isinf(duration) else round(duration * commander.rate)
    turns = _lockstep if lockstep else _in_time
    try:
        line.send(commander.greeting())
        if commander.feedback or lockstep:
            _await_first(commander, line, stop)
        for over in turns(commander, line, total, patience, stop):
            done = over
        ended = f"{'finished' if done >= total else 'stopped'} after {done * period:g} s"
    except _Silence:
        ended = f"the robot was silent for {patience} periods of {period:g} s: its motors hold"
    except Unable as error:
        ended = f"{error}: the motors hold"
    except Gone as error:
        return commander.report(str(error), finished=False)
    except BaseException as error:  # whatever ends it, the robot must not go on alone
        _say_hold(commander, line, done, f"{type(error).__name__}: the motors hold")
        raise
    finished = done >= total
    _say_hold(commander, line, done, "finished" if finished else ended)
    return commander.report(ended, finished=finished)


def _lockstep(commander: Commander, line: Connection, total: float, _patience: int, stop: Stop) -> Iterator[int]:
    """Sends each line after the answer to the one before; yields how many periods are over."""
    k = 0
    while k < total and not stop():
        line.send(commander.turn(k, at=line.now()))
        _await_answer(commander, line, k, line.now() + FIRST_WAIT, stop)
        k += 1
        yield k


def _in_time(commander: Commander, line: Connection, total: float, patience: int, stop: Stop) -> Iterator[int]:
    """Sends each line when its period begins; yields how many periods have begun."""
    period, begun, k = 1.0 / commander.rate, line.now(), 0
    while k < total and not stop():
        due = begun + k * period
        _listen_until(commander, line, due, stop)
        now = line.now()
        if now < due:  # it is to stop
            return
        behind = min(max(0, math.floor((now - due) / period)), total - k)
        if behind:  # references of the past would only be caught up with in a jump
            commander.tally.add("skipped", int(behind))
            k += int(behind)
            due += behind * period
            yield k
        if commander.feedback and now - max(commander.heard_at, begun) > patience * period:
            raise _Silence
        if k < total:
            line.send(commander.turn(k, at=now))
            commander.tally.keep(late=now - due, thought=line.now() - now)
            k += 1
            yield k
    if k >= total:
        _listen_until(commander, line, begun + k * period, stop)


def _say_hold(commander: Commander, line: Connection, k: int, reason: str) -> None:
    """Says hold, more than once since one line may be lost."""
    with contextlib.suppress(Gone):
        for _ in range(HOLD_REPEATS):
            line.send(commander.hold(k, reason))


def _listen_until(commander: Commander, line: Connection, due: float, stop: Stop) -> None:
    """Hears all that comes until a time [s], and what has come before; ends early if it is to stop."""
    while True:
        for text in line.receive(min(due, line.now() + LOOK)):
            commander.hear(text, at=line.now())
        if line.now() >= due or stop():
            return


def _await_first(commander: Commander, line: Connection, stop: Stop) -> None:
    """Waits for the first state; says the first line again and again, as it may be lost."""
    end = line.now() + FIRST_WAIT
    while commander.state is None and not stop():
        until = min(end, line.now() + GREETED_EVERY)
        while commander.state is None and line.now() < until:
            for text in line.receive(until):
                commander.hear(text, at=line.now())
        if commander.state is None:
            if line.now() >= end:
                raise _Silence
            line.send(commander.greeting())


def _await_answer(commander: Commander, line: Connection, k: int, end: float, stop: Stop) -> None:
    """Waits for the state after line k."""
    while (commander.state is None or commander.state.after < k) and not stop():
        for text in line.receive(min(end, line.now() + LOOK)):
            commander.hear(text, at=line.now())
        if line.now() >= end and (commander.state is None or commander.state.after < k):
            raise _Silence


@checked_arguments
def play_robot(
    robot: SimulatedRobot,
    line: Connection,
    *,
    lockstep: bool = False,
    patience: Duration = 5.0,
    first_wait: Duration = FIRST_WAIT,
    stop: Stop = lambda: False,
) -> str:
    """Plays a robot until it is told to hold, nobody speaks to it for `patience`, or `stop` says so.

    In real time it says what it measures once per period, beginning when it is first spoken to; in lockstep, after each
    line.

    Args:
        robot: The simulated robot.
        line: The way to its controller.
        lockstep: Whether it moves one period per line.
        patience: How long nobody may speak to it before it holds its joints and ends [s].
        first_wait: The same before the first line [s].
        stop: A function that says whether to stop.

    Returns:
        Why it ended.
    """
    instance("line", line, Connection, "a Connection: Pipes, Datagrams or one of your own")
    try:
        ended = _played(robot, line, lockstep, patience, first_wait, stop)
    except Gone as error:
        ended = f"{error}: the motors hold"
    robot.hold()
    return ended


def _played(
    robot: SimulatedRobot, line: Connection, lockstep: bool, patience: float, first_wait: float, stop: Stop
) -> str:
    """Lives until something ends it; returns what."""
    period, begun, done, heard = 1.0 / robot.rate, math.nan, 0, line.now() + first_wait - patience
    while not stop() and not robot.held:
        due = heard + patience if lockstep or math.isnan(begun) else begun + (done + 1) * period
        for text in line.receive(min(due, line.now() + LOOK)):
            do = robot.hear(text)
            heard = line.now() if do else heard
            if do == "begin" and robot.after < 0 and lockstep:
                line.send(robot.says())
            elif do and not lockstep and math.isnan(begun):  # also a line of references: the first line may be lost
                begun = line.now()
                line.send(robot.says())
            elif do == "follow" and lockstep:
                robot.advance()
                line.send(robot.says())
        now = line.now()
        if now >= heard + patience:
            return f"nobody spoke for {patience:g} s: the motors hold"
        if not (lockstep or math.isnan(begun)) and now >= due:
            robot.advance()
            done += 1
            line.send(robot.says())
    return f"told to hold: {robot.held}" if robot.held else "stopped: the motors hold"
