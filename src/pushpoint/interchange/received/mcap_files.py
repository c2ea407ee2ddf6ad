"""Messages of an MCAP file, chunk by chunk, also of one that was never finished."""

from __future__ import annotations

import io
import struct
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

from pushpoint.errors import BadFile, MissingExtra
from pushpoint.interchange.received.logged import LogFile, Logged
from pushpoint.interchange.received.unpacking import unpacked

MAGIC = b"\x89MCAP0\r\n"
ENCODINGS = ("cdr", "ros1")


def mcap_messages(path: Path, topics: Container[str]) -> Iterator[Logged]:
    """The messages of some topics; raises CutOff where the file ends too early, and BadFile where it is damaged."""
    try:
        from mcap.exceptions import McapError
        from mcap.opcode import Opcode
    except ModuleNotFoundError:
        raise MissingExtra("an MCAP file", "interchange") from None
    log, reading = LogFile(path), _Reading(path, topics)
    wanted = {Opcode.SCHEMA, Opcode.CHANNEL, Opcode.MESSAGE}
    with log.file:
        if log.file.read(len(MAGIC)) != MAGIC:
            raise BadFile(path, "is not an MCAP file")
        try:
            for _ in log:
                code, length = struct.unpack("<BQ", log.take(9))
                if code in wanted:
                    yield from reading.record(code, log.take(length))
                elif code == Opcode.CHUNK:
                    yield from reading.chunk(log.take(length))
                elif code in (Opcode.DATA_END, Opcode.FOOTER):
                    return
                else:
                    log.skip(length)
        except (McapError, struct.error, ValueError, OverflowError) as error:
            raise BadFile(path, f"is damaged ({type(error).__name__} in an MCAP record)") from None


class _Reading:
    """Schemas and channels met so far."""

    def __init__(self, path: Path, topics: Container[str]) -> None:
        self._path, self._topics = path, topics
        self._schemas: dict[int, str] = {}
        self._channels: dict[int, Any] = {}

    def chunk(self, data: bytes) -> Iterator[Logged]:
        from mcap.records import Chunk

        packed = Chunk.read(_stream(data))
        content = unpacked(self._path, packed.data, packed.compression)
        at = 0
        while at < len(content):
            code, length = struct.unpack_from("<BQ", content, at)
            at += 9
            if length > len(content) - at:
                raise ValueError("a record that is longer than its chunk")
            yield from self.record(code, content[at : at + length])
            at += length

    def record(self, code: int, data: bytes) -> Iterator[Logged]:
        from mcap.opcode import Opcode
        from mcap.records import Channel, Message, Schema

        if code == Opcode.SCHEMA:
            schema = Schema.read(_stream(data))
            self._schemas[schema.id] = schema.name
        elif code == Opcode.CHANNEL:
            channel = Channel.read(_stream(data))
            self._channels[channel.id] = channel
        elif code == Opcode.MESSAGE:
            found = Message.read(_stream(data), len(data))
            channel = self._channels.get(found.channel_id)
            if channel is None or channel.topic not in self._topics:
                return
            if channel.message_encoding not in ENCODINGS:
                allowed = f"is encoded as {channel.message_encoding!r}, must be cdr (of ROS 2) or ros1"
                raise BadFile(self._path, f"topic {channel.topic} {allowed}")
            kind = self._schemas.get(channel.schema_id, "")
            yield Logged(channel.topic, full_kind(kind), channel.message_encoding, found.log_time, found.data)


def _stream(data: bytes) -> Any:
    from mcap.data_stream import ReadDataStream

    return ReadDataStream(io.BytesIO(data))


def full_kind(kind: str) -> str:
    """The name of a type as ROS 2 writes it; ROS 1 leaves out /msg/."""
    package, slash, name = kind.partition("/")
    return f"{package}/msg/{name}" if slash and "/" not in name else kind
