"""Messages of a bag of ROS 1 (version 2.0), record by record: it needs no index, so that a cut one can be read."""

from __future__ import annotations

import struct
from collections.abc import Container, Iterator
from pathlib import Path
from typing import NamedTuple

from pushpoint.errors import BadFile
from pushpoint.interchange.received.logged import LogFile, Logged
from pushpoint.interchange.received.mcap_files import full_kind
from pushpoint.interchange.received.unpacking import unpacked

MAGIC = b"#ROSBAG V2.0\n"
MESSAGE, BAG_HEADER, CHUNK, CONNECTION = 2, 3, 5, 7
MOST_HEADER = 1_000_000
"""Largest header of a record [bytes]."""
Header = dict[bytes, bytes]


class Connection(NamedTuple):
    """What is sent on a topic."""

    topic: str
    """The topic."""
    kind: str
    """The type."""
    digest: str
    """Fingerprint of the definition of the type."""


def ros1_messages(path: Path, topics: Container[str]) -> Iterator[Logged]:
    """The messages of some topics ; raises CutOff where the file ends too early."""
    log, known = LogFile(path), dict[int, Connection]()
    with log.file:
        if log.file.read(len(MAGIC)) != MAGIC:
            raise BadFile(path, "is not a bag of ROS 1, version 2.0")
        try:
            for _ in log:
                header = _header(path, log.take(_length(path, log.take(4), MOST_HEADER)))
                (length,) = struct.unpack("<I", log.take(4))
                code = header[b"op"][0]
                if code == BAG_HEADER and header.get(b"encryptor"):
                    raise BadFile(path, "is encrypted")
                if code == CHUNK:
                    data = unpacked(path, log.take(length), header.get(b"compression", b"none").decode())
                    yield from _of_chunk(path, data, known, topics)
                elif code == CONNECTION:
                    _learn(path, header, log.take(length), known)
                else:
                    log.skip(length)
        except (struct.error, ValueError, LookupError, OverflowError) as error:
            raise BadFile(path, f"is damaged ({type(error).__name__} in a record of the bag)") from None


def _length(path: Path, data: bytes, most: int) -> int:
    (length,) = struct.unpack("<I", data)
    if length > most:
        raise BadFile(path, f"has a header of {length:,} bytes, must have at most {most:,}")
    return int(length)


def _of_chunk(path: Path, data: bytes, known: dict[int, Connection], topics: Container[str]) -> Iterator[Logged]:
    at = 0
    while at < len(data):
        header, at = _part(data, at)
        body, at = _part(data, at)
        fields = _header(path, header)
        code = fields[b"op"][0]
        if code == CONNECTION:
            _learn(path, fields, body, known)
        elif code == MESSAGE:
            connection = known.get(struct.unpack("<I", fields[b"conn"])[0])
            if connection is not None and connection.topic in topics:
                seconds, rest = struct.unpack("<II", fields[b"time"])
                time = seconds * 1_000_000_000 + rest
                yield Logged(connection.topic, connection.kind, "ros1", time, body, connection.digest)


def _part(data: bytes, at: int) -> tuple[bytes, int]:
    """Bytes with their length in front, and where they end."""
    (length,) = struct.unpack_from("<I", data, at)
    end = at + 4 + length
    if end > len(data):
        raise ValueError("a record that is longer than its chunk")
    return data[at + 4 : end], end


def _header(path: Path, data: bytes) -> Header:
    found, at = Header(), 0
    while at < len(data):
        field, at = _part(data, at)
        name, _, value = field.partition(b"=")
        found[name] = value
    return found


def _learn(path: Path, header: Header, data: bytes, known: dict[int, Connection]) -> None:
    about = _header(path, data)
    (number,) = struct.unpack("<I", header[b"conn"])
    kind, digest = full_kind(about[b"type"].decode()), about[b"md5sum"].decode()
    known[number] = Connection(header[b"topic"].decode(), kind, digest)
