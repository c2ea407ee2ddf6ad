"""Messages of a log as bytes, in the order in which they were written, whatever kind of file they come from."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pushpoint.errors import BadFile
from pushpoint.user_files import open_regular

MOST_LOG_BYTES = 20_000_000_000
"""Largest log [bytes]; it is read a part at a time."""
MOST_RECORD_BYTES = 64_000_000
"""Largest record of a log [bytes]."""


class Logged(NamedTuple):
    """One message."""

    topic: str
    """The topic that it was sent on."""
    kind: str
    """Its type, such as sensor_msgs/msg/JointState."""
    encoding: str
    """How its bytes are to be read: "cdr" or "ros1"."""
    time: int
    """When it was written down [ns]."""
    data: bytes
    """Its content."""
    digest: str = ""
    """Fingerprint of its type's definition, in a bag of ROS 1."""


class CutOff(Exception):
    """A log ends in the middle; what was read before is sound."""


class LogFile:
    """An open log whose records are taken one after the other, each within bounds."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file: BinaryIO = open_regular(path)
        self.size = os.fstat(self.file.fileno()).st_size
        if self.size > MOST_LOG_BYTES:
            self.file.close()
            raise BadFile(path, f"has {self.size:,} bytes, must have at most {MOST_LOG_BYTES:,}")

    def take(self, count: int) -> bytes:
        """So many bytes; raises CutOff if the file ends before."""
        left = self.size - self.file.tell()
        if count > left:
            raise CutOff
        if count > MOST_RECORD_BYTES:
            raise BadFile(self.path, f"has a record of {count:,} bytes, must have at most {MOST_RECORD_BYTES:,}")
        data = self.file.read(count)
        if len(data) < count:  # it shrinks meanwhile
            raise CutOff
        return data

    def skip(self, count: int) -> None:
        """Goes on behind so many bytes."""
        if count > self.size - self.file.tell():
            raise CutOff
        self.file.seek(count, os.SEEK_CUR)

    def __iter__(self) -> Iterator[int]:
        """Positions of records, until the end."""
        while (at := self.file.tell()) < self.size:
            yield at
