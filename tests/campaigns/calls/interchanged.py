"""Recordings in, and controllers on hardware."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pushpoint as pp
from campaigns.calls import things
from campaigns.calls.table import CALLS, Call, fields_of, made, rebuilt
from pushpoint import interchange
from pushpoint.interchange.streaming.connections import Gone

SOURCE = interchange.Source(column="joint_angle[0]")
MAPPING = interchange.Mapping(channels={"joint_angle[0]": SOURCE})
WORLD = pp.World(things.PLANAR, pp.Environment(), things.GAIT)


@made
def table() -> Path:
    place = Path(things.folder.make()) / "recorded-angles.csv"
    place.write_text("t,joint_angle[0]\n" + "".join(f"{0.1 * k},{0.01 * k * k}\n" for k in range(20)))
    return place


@made
def mapping_file() -> Path:
    place = Path(things.folder.make()) / "mapping.yaml"
    place.write_text("channels:\n  joint_angle[0]: {column: 'joint_angle[0]'}\n")
    return place


@made
def reading() -> interchange.Imported:
    return interchange.import_recording(table.make())


@made
def losses() -> interchange.Losses:
    return reading.make().losses[0]


@made
def report() -> interchange.StreamReport:
    return interchange.Commander(WORLD).report("finished", finished=True)


@made
def commander() -> interchange.Commander:
    return interchange.Commander(WORLD, rate=50.0)


class Deaf:
    """A line on which nothing comes, whose time flies, and which breaks in the end."""

    def __init__(self) -> None:
        self._time, self._turns = 0.0, 0

    def now(self) -> float:
        return self._time

    def send(self, line: str) -> None:
        assert json.loads(line)

    def receive(self, until: float) -> list[bytes]:
        self._time, self._turns = max(self._time, until), self._turns + 1
        if self._turns > 300:
            raise Gone("the line is broken")
        return []


@made
def robot() -> interchange.SimulatedRobot:
    return interchange.SimulatedRobot(WORLD, rate=50.0)


def _commanded(commander: Any, line: Any, **more: Any) -> Any:
    """A fresh line each time, which ends by itself."""
    return interchange.command_robot(commander, Deaf() if isinstance(line, str) and line == "deaf" else line, **more)


def _played(robot: Any, line: Any, **more: Any) -> Any:
    return interchange.play_robot(robot, Deaf() if isinstance(line, str) and line == "deaf" else line, **more)


def _pipes(source: Any, target: Any) -> None:
    """From an empty file into one that nobody reads."""
    with open(os.devnull, "rb") as nothing, open(os.devnull, "wb") as nowhere:
        known: dict[str, Any] = {"nothing": nothing, "nowhere": nowhere}
        interchange.Pipes(*(known.get(each, each) if isinstance(each, str) else each for each in (source, target)))


def _datagrams(address: Any, **more: Any) -> None:
    interchange.Datagrams(address, **more).close()


CALLS |= {
    "interchange.Source": Call(interchange.Source, column="q", topic="", field="", names=(), frame="", unit="deg",
                               sign="-", zero=1.0, late=0.1, axes=("x", "y")),
    "interchange.Mapping": Call(interchange.Mapping, channels={"joint_angle[0]": SOURCE}, numbering="tail", links=3,
                                joints=2, start="first", clock="log", time="t", time_unit="ms", delimiter=";"),
    "interchange.read_mapping": Call(interchange.read_mapping, mapping_file),
    "interchange.import_recording": Call(interchange.import_recording, table, MAPPING),
    "interchange.Imported": Call(rebuilt(reading), **fields_of(reading, "recorded", "losses", "remarks")),
    "interchange.Losses": Call(rebuilt(losses), **fields_of(losses, "source", "received", "kept", "period", "dropped",
                               "longest_gap", "out_of_order", "late", "repeated", "empty", "unreadable")),
    "interchange.StreamReport": Call(rebuilt(report), **fields_of(report, "ended", "finished", "rate", "sent",
                                     "received", "malformed", "out_of_order", "dropped", "without_news", "skipped",
                                     "jitter", "thinking", "latency")),
    "interchange.Commander": Call(interchange.Commander, WORLD, rate=50.0),
    "interchange.SimulatedRobot": Call(interchange.SimulatedRobot, WORLD, rate=50.0, settings=pp.Settings()),
    "interchange.command_robot": Call(_commanded, commander, "deaf", duration=0.1, patience=3, lockstep=False,
                                      stop=lambda: False),
    "interchange.play_robot": Call(_played, robot, "deaf", lockstep=False, patience=0.1, first_wait=0.1,
                                   stop=lambda: False),
    "interchange.Pipes": Call(_pipes, "nothing", "nowhere"),
    "interchange.Datagrams": Call(_datagrams, "127.0.0.1:0", listen=True, beyond_loopback=False),
}  # fmt: skip
