"""Messages of a bag of ROS 2: a folder with metadata.yaml, or one of its files, SQLite or MCAP."""

from __future__ import annotations

import sqlite3
from collections.abc import Container, Iterator
from contextlib import closing
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from pushpoint.description.yaml_values import MOST_BYTES, read_yaml
from pushpoint.errors import BadFile
from pushpoint.interchange.received.logged import MOST_RECORD_BYTES, CutOff, LogFile, Logged
from pushpoint.interchange.received.mcap_files import full_kind, mcap_messages
from pushpoint.interchange.received.unpacking import unpacked
from pushpoint.user_files import read_text

METADATA = "metadata.yaml"
ABOUT = "rosbag2_bagfile_information"
MOST_WORK = 100_000
"""How many thousands of instructions a query of a database may take before its next row [-]."""


def ros2_messages(path: Path, topics: Container[str]) -> Iterator[Logged]:
    """The messages of some topics, file by file."""
    if not path.is_dir():
        yield from _of_file(path, topics)
        return
    about = _metadata(path / METADATA)
    mode, form = (str(about.get(key) or "").lower() for key in ("compression_mode", "compression_format"))
    packed = mode == "message"
    if mode not in ("", "none", "message"):
        allowed = "must be packed message by message or not at all: `ros2 bag convert` unpacks it"
        raise BadFile(path, f"has files that are packed as a whole, {allowed}")
    names = about.get("relative_file_paths")
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise BadFile(path / METADATA, "relative_file_paths must be a list of the files of the bag")
    for name in names:
        for each in _of_file(path / PurePath(name).name, topics):
            yield each._replace(data=unpacked(path, each.data, form)) if packed else each


def _metadata(path: Path) -> dict[str, Any]:
    _, document = read_yaml(read_text(path, MOST_BYTES), str(path))
    about = document.get(ABOUT) if isinstance(document, dict) else None
    if not isinstance(about, dict):
        raise BadFile(path, f"must have the key {ABOUT}, as the metadata of a bag of ROS 2")
    return about


def _of_file(path: Path, topics: Container[str]) -> Iterator[Logged]:
    return mcap_messages(path, topics) if path.suffix == ".mcap" else _of_database(path, topics)


def _of_database(path: Path, topics: Container[str]) -> Iterator[Logged]:
    LogFile(path).file.close()  # a regular file that is not too large
    work = 0

    def tire() -> int:
        nonlocal work
        work += 1
        return int(work > MOST_WORK)

    try:
        place = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
        with closing(sqlite3.connect(place, uri=True)) as database:
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_RECORD_BYTES)
            database.set_progress_handler(tire, 1000)
            database.execute("PRAGMA trusted_schema = OFF")  # nothing that the file defines is run
            tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if not {"topics", "messages"} <= tables:
                raise BadFile(path, "is not a bag of ROS 2: it has no tables of topics and messages")
            known = _topics(path, database, topics)
            rows = database.execute("SELECT topic_id, timestamp, data FROM messages ORDER BY rowid")
            for number, time, data in rows:
                work = 0
                if number in known and isinstance(data, bytes) and isinstance(time, int):
                    topic, kind = known[number]
                    yield Logged(topic, kind, "cdr", time, data)
        # A recorder that was killed leaves its last messages there; to read them, the bag would have to be changed.
        beside = path.with_name(f"{path.name}-wal")
        if beside.is_file() and beside.stat().st_size:
            raise CutOff
    except (sqlite3.Error, OverflowError, ValueError) as error:
        raise BadFile(path, f"cannot be read as a bag of ROS 2 ({' '.join(str(error).split())[:80]})") from None


def _topics(path: Path, database: sqlite3.Connection, topics: Container[str]) -> dict[int, tuple[str, str]]:
    """Topics that are wanted, with their types, by their number."""
    found = {}
    for number, name, kind, form in database.execute("SELECT id, name, type, serialization_format FROM topics"):
        if name in topics:
            if form != "cdr":
                raise BadFile(path, f"topic {name} is encoded as {form!r}, must be cdr")
            found[number] = str(name), full_kind(str(kind))
    return found
