"""`pushpoint stream`: a controller that commands a robot line by line, or a simulated robot that is commanded."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from pushpoint.cli import outputs
from pushpoint.cli.outputs import FAILED, Changes, Target
from pushpoint.cli.stopping import noting_stop

if TYPE_CHECKING:
    from pushpoint.interchange.streaming.connections import Connection
    from pushpoint.scenarios.scenario import Scenario


def stream(
    target: Target,
    changes: Changes = None,
    rate: Annotated[
        str | None, typer.Option(metavar="HZ", help="Lines per second; default: the controller's own.")
    ] = None,
    udp: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="Datagrams to the robot, instead of standard output and input."),
    ] = None,
    beyond_loopback: Annotated[
        bool, typer.Option("--beyond-loopback", help="Let --udp leave this machine; nothing protects the lines.")
    ] = False,
    patience: Annotated[
        int, typer.Option(min=1, metavar="PERIODS", help="Without a measured state for so long, the motors are held.")
    ] = 10,
    lockstep: Annotated[
        bool, typer.Option("--lockstep", help="Each line waits for the answer to the one before; no time is kept.")
    ] = False,
    robot: Annotated[
        bool, typer.Option("--robot", help="Play the robot instead: simulate it, and answer the lines of a controller.")
    ] = False,
) -> None:
    """Command a robot in real time, line by line.

    Sends joint references once per period, as long as the scenario lasts (--set duration=60). Lines of JSON go to
    standard output, and what the robot measures is read from standard input; with --udp, both are datagrams. The last
    line says hold. What happened is said on standard error.
    """
    scenario = outputs.single_scenario(target, changes)
    outputs.tell_of_edits(scenario)
    per_second = outputs.number_of(rate, "rate")
    if robot:
        _play(scenario, per_second, udp, lockstep=lockstep, beyond_loopback=beyond_loopback)
        return
    from pushpoint.interchange.streaming.commander import Commander
    from pushpoint.interchange.streaming.keeping_time import command_robot

    commander = Commander(scenario.world, rate=per_second)
    with noting_stop() as noted, _line(udp, listen=False, beyond_loopback=beyond_loopback) as line:
        found = command_robot(
            commander,
            line,
            duration=scenario.duration,
            patience=patience,
            lockstep=lockstep,
            stop=lambda: bool(noted),
        )
    for sentence in found.sentences():
        typer.echo(sentence, err=True)
    if not found.finished:
        raise typer.Exit(128 + noted[0] if noted else FAILED)


def _play(scenario: Scenario, rate: float | None, udp: str | None, *, lockstep: bool, beyond_loopback: bool) -> None:
    """Simulates the robot until it is told to hold, or nobody speaks to it any more."""
    from pushpoint.interchange.streaming.keeping_time import play_robot
    from pushpoint.interchange.streaming.simulated_robot import SimulatedRobot

    own = 100.0 if scenario.world.controller is None else float(scenario.world.controller.rate)
    per_second = own if rate is None else rate
    robot = SimulatedRobot(scenario.world, rate=per_second, settings=scenario.settings)
    with noting_stop() as noted, _line(udp, listen=True, beyond_loopback=beyond_loopback) as line:
        typer.echo(f"{scenario.world.robot.name} is ready, {per_second:g} periods per second", err=True)
        ended = play_robot(robot, line, lockstep=lockstep, stop=lambda: bool(noted))
    typer.echo(f"{ended}; {robot.periods} periods", err=True)
    if noted:
        raise typer.Exit(128 + noted[0])


@contextlib.contextmanager
def _line(udp: str | None, *, listen: bool, beyond_loopback: bool) -> Iterator[Connection]:
    """Standard output and input, or datagrams."""
    from pushpoint.interchange.streaming.connections import Pipes, datagrams

    if udp is None:
        yield Pipes(sys.stdin.buffer, sys.stdout.buffer)
        return
    with datagrams(udp, listen=listen, beyond_loopback=beyond_loopback) as line:
        yield line
