"""Topics of a log as sources: each message a sample, with its stamp and the time when it was written down."""

from __future__ import annotations

from array import array
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pushpoint.errors import BadFile, PushpointError, names_in_short, shown
from pushpoint.interchange.received.decoding import (
    MOST_IN_A_LIST,
    OF_JOINTS,
    Unreadable,
    content_of,
    default_field,
    read_field,
)
from pushpoint.interchange.received.logged import CutOff, Logged
from pushpoint.interchange.received.mapping import Mapping, Source, channel_target
from pushpoint.interchange.received.mcap_files import MAGIC as MCAP, mcap_messages
from pushpoint.interchange.received.ros1_bags import MAGIC as ROS1, ros1_messages
from pushpoint.interchange.received.ros2_bags import ros2_messages
from pushpoint.interchange.received.series import Series, series_of
from pushpoint.user_files import open_regular

JOINT_STATES = "/joint_states"
MOST_VALUES = 20_000_000
"""Most numbers of one source [-]."""
LATEST = 9_000_000_000 * 1_000_000_000
"""Stamps must be within this [ns]."""
SQLITE = b"SQLite format 3\x00"


def usual_topics() -> Mapping:
    """The mapping of a log without one: the joint states that ROS robots publish."""
    return Mapping(channels={variable: Source(topic=JOINT_STATES) for variable in OF_JOINTS})


def is_log(path: Path) -> bool:
    """Whether a file is an MCAP file or a bag, by its first bytes, or a folder."""
    if path.is_dir():
        return True
    with open_regular(path) as file:
        return file.read(len(SQLITE)).startswith((MCAP, ROS1, SQLITE))


def _messages(path: Path, topics: Container[str]) -> Iterator[Logged]:
    if path.is_dir():
        return ros2_messages(path, topics)
    with open_regular(path) as file:
        first = file.read(len(ROS1))
    if first.startswith(MCAP):
        return mcap_messages(path, topics)
    return ros1_messages(path, topics) if first == ROS1 else ros2_messages(path, topics)


class _Gathered:
    """What a channel's source has said so far."""

    def __init__(self, name: str, source: Source) -> None:
        self.variable, self.source = channel_target(name).variable, source
        self.stamps, self.arrived, self.numbers = array("q"), array("q"), array("d")
        self.width, self.names, self.unreadable, self.stamped = 0, list(source.names), 0, True
        self._met: dict[str, None] = {}  # all names in the messages, in their order

    def take(self, path: Path, each: Logged, content: Any, clock: str) -> None:
        """Adds the numbers of a message."""
        usual = default_field(each.kind, self.variable)
        field = self.source.field or usual
        if field is None:
            raise PushpointError(f"messages of type {each.kind} do not say which field shows {self.variable}: give one")
        read = read_field(content, field, frame=self.source.frame)
        numbers = read.numbers
        if not len(numbers):  # none of this frame, or a field that was left empty
            return
        if len(self._met) < MOST_IN_A_LIST:
            self._met |= dict.fromkeys(read.names)
        if self.names and read.names:
            at = {name: k for k, name in enumerate(read.names) if k < len(numbers)}
            numbers = np.array([numbers[at[name]] if name in at else np.nan for name in self.names])
        self.width = self.width or len(numbers)
        self.stamped = self.stamped and read.stamp is not None
        stamp = each.time if read.stamp is None or clock == "log" else read.stamp
        if len(numbers) != self.width or max(abs(stamp), abs(each.time)) > LATEST:
            self.unreadable += 1
            return
        self.names = self.names or read.names
        self.stamps.append(stamp)
        self.arrived.append(each.time)
        self.numbers.extend(numbers.tolist())
        if len(self.numbers) > MOST_VALUES:
            raise BadFile(path, f"has more than {MOST_VALUES:,} numbers on {self.source.topic}")

    def check_names(self, path: Path) -> list[str]:
        """Raises BadFile for a joint that no message has; returns a remark about joints that are not read."""
        met, topic = [*self._met], self.source.topic
        absent = [name for name in self.source.names if name not in self._met]
        if met and absent:
            raise BadFile(path, f"has no joint {shown(absent[0])} on {topic}, must be one of {names_in_short(met)}")
        known = set(self.names)
        left = [name for name in met if name not in known]
        if not left or self.source.names:
            return []
        why = f"the first message there has {names_in_short(self.names)} alone, so give names in a mapping"
        return [f"{topic}: {names_in_short(left)} not read: {why}"]

    def series(self, clock: str) -> Series:
        """All of it, in order."""
        stamps = np.frombuffer(self.stamps, dtype=np.int64).copy()
        values = np.frombuffer(self.numbers, dtype=float).reshape(len(stamps), max(self.width, 1)).copy()
        tells = clock == "header" and self.stamped
        arrived = np.frombuffer(self.arrived, dtype=np.int64).copy() if tells else None
        return series_of(self.source.topic, stamps, values, arrived=arrived, unreadable=self.unreadable)


def read_topics(path: Path, mapping: Mapping | None) -> tuple[Mapping, dict[str, Series], list[str]]:
    """The mapping, the series of each of its channels, and remarks."""
    usual, mapping = mapping is None, mapping or usual_topics()
    for name, source in mapping.channels.items():
        if not source.topic:
            raise BadFile(path, f"is a log, but the mapping takes {name} from the column {source.column}")
    gathered = {name: _Gathered(name, source) for name, source in mapping.channels.items()}
    by_topic: dict[str, list[_Gathered]] = {}
    for each in gathered.values():
        by_topic.setdefault(each.source.topic, []).append(each)
    remarks = []
    try:
        for message in _messages(path, by_topic):
            _hand_out(path, message, by_topic[message.topic], mapping.clock)
    except CutOff:
        remarks.append("the log ends in the middle: what was written before is read")
    found = {name: each.series(mapping.clock) for name, each in gathered.items()}
    lacking = [name for name, series in found.items() if not len(series.stamps)]
    if lacking and not (usual and len(lacking) < len(found)):
        topics = ", ".join(sorted({gathered[name].source.topic for name in lacking}))
        bad = sum(gathered[name].unreadable for name in lacking)
        damaged = f"; {bad} of its messages are damaged" if bad else ""
        raise BadFile(path, f"has no samples of {', '.join(lacking)} on {topics}{damaged}")
    kept = {name: series for name, series in found.items() if len(series.stamps)}
    remarks += dict.fromkeys(remark for name in kept for remark in gathered[name].check_names(path))
    return Mapping(**{**vars(mapping), "channels": {name: mapping.channels[name] for name in kept}}), kept, remarks


def _hand_out(path: Path, message: Logged, takers: list[_Gathered], clock: str) -> None:
    """Gives a message to all channels that are made from its topic."""
    try:
        content = content_of(message)
        for each in takers:
            each.take(path, message, content, clock)
    except Unreadable:
        for each in takers:
            each.unreadable += 1
    except BadFile:
        raise
    except PushpointError as error:
        raise BadFile(path, f"topic {message.topic}: {error}") from None
