"""An MCAP file that is being written: topics with their message types, and messages in the order of time."""

from __future__ import annotations

from typing import IO, Any

from pushpoint.errors import MissingExtra
from pushpoint.interchange.logs.definitions import full_name, typestore

ENDLESS = "    sec: 2147483647\n    nsec: 4294967295\n"
LATCHED = (
    "- history: 3\n  depth: 1\n  reliability: 1\n  durability: 1\n"
    f"  deadline:\n{ENDLESS}  lifespan:\n{ENDLESS}  liveliness: 1\n  liveliness_lease_duration:\n{ENDLESS}"
    "  avoid_ros_namespace_conventions: false"
)
"""Quality of service of a topic whose last message is given to those who come later, as rosbag2 writes it down."""


class LogWriter:
    """Writes messages into an open file; `close` completes it."""

    def __init__(self, file: IO[bytes], library: str) -> None:
        """`library`: who writes it."""
        try:
            from mcap.writer import CompressionType, Writer
        except ModuleNotFoundError:
            raise MissingExtra("an MCAP file", "interchange") from None
        self._writer = Writer(file, compression=CompressionType.ZSTD)
        self._writer.start(profile="ros2", library=library)
        self._schemas: dict[str, int] = {}
        self._topics: dict[str, tuple[int, str]] = {}
        self._counts: dict[str, int] = {}

    def about(self, name: str, data: dict[str, str]) -> None:
        """Adds texts about the whole file."""
        self._writer.add_metadata(name, data)

    def write(self, topic: str, kind: str, time: int, content: Any, *, latched: bool = False) -> None:
        """Adds a message of a type such as sensor_msgs/JointState at a time [ns]."""
        if topic not in self._topics:
            self._open(topic, kind, latched)
        channel, name = self._topics[topic]
        number = self._counts[topic] = self._counts.get(topic, -1) + 1
        data = bytes(typestore().serialize_cdr(content, name))
        self._writer.add_message(channel, log_time=time, publish_time=time, data=data, sequence=number)

    def _open(self, topic: str, kind: str, latched: bool) -> None:
        name = full_name(kind)
        if name not in self._schemas:
            text, _ = typestore().generate_msgdef(name, ros_version=2)
            self._schemas[name] = self._writer.register_schema(name, "ros2msg", text.encode())
        more = {"offered_qos_profiles": LATCHED if latched else ""}
        channel = self._writer.register_channel(topic, "cdr", self._schemas[name], metadata=more)
        self._topics[topic] = channel, name

    def close(self) -> None:
        """Writes the index at the end; the file itself stays open."""
        self._writer.finish()
