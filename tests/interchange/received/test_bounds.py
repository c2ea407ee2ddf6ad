"""Files that promise more than a machine can hold: refused in a sentence, with little memory."""

from __future__ import annotations

import bz2
import sqlite3
import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("rosbags")

import lz4.frame
import zstandard
from mcap.data_stream import RecordBuilder
from mcap.records import Chunk, Header

from pushpoint.errors import BadFile
from pushpoint.interchange import import_recording, read_mapping
from pushpoint.interchange.received import unpacking

ZEROS = bytes(60_000_000)
PACK: dict[str, Callable[[bytes], bytes]] = {
    "bz2": bz2.compress,
    "lz4": lz4.frame.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}
LITTLE = 12_000_000
"""What reading may take at most [bytes]: a fraction of what the bombs unpack to."""


def refused_with_little_memory(path: Path) -> str:
    tracemalloc.start()
    try:
        with pytest.raises(BadFile) as caught:
            import_recording(path)
        assert tracemalloc.get_traced_memory()[1] < LITTLE
    finally:
        tracemalloc.stop()
    return str(caught.value)


def ros1_record(header: dict[str, bytes], data: bytes) -> bytes:
    fields = b"".join(struct.pack("<I", len(k) + 1 + len(v)) + k.encode() + b"=" + v for k, v in header.items())
    return struct.pack("<I", len(fields)) + fields + struct.pack("<I", len(data)) + data


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same, a hundred times smaller than for users."""
    monkeypatch.setattr(unpacking, "MOST_UNPACKED", 1_000_000)


@pytest.mark.parametrize("how", ["bz2", "lz4"])
def test_a_bag_of_ros_1_that_unpacks_to_very_much(tmp_path: Path, how: str) -> None:
    path = tmp_path / "bomb.bag"
    chunk = ros1_record({"op": b"\x05", "compression": how.encode(), "size": b"\0\0\0\0"}, PACK[how](ZEROS))
    path.write_bytes(b"#ROSBAG V2.0\n" + ros1_record({"op": b"\x03"}, b" " * 10) + chunk)
    assert "has a part of more than 1,000,000 bytes when it is unpacked" in refused_with_little_memory(path)


@pytest.mark.parametrize("how", ["lz4", "zstd"])
@pytest.mark.parametrize("promised", [0, 1_000, 2**62])
def test_an_mcap_file_that_unpacks_to_very_much(tmp_path: Path, how: str, promised: int) -> None:
    builder = RecordBuilder()
    Header(profile="ros2", library="x").write(builder)
    Chunk(
        compression=how, data=PACK[how](ZEROS), message_start_time=0, message_end_time=0, uncompressed_crc=0,
        uncompressed_size=promised,
    ).write(builder)  # fmt: skip
    path = tmp_path / "bomb.mcap"
    path.write_bytes(b"\x89MCAP0\r\n" + builder.end())
    assert "has a part of more than 1,000,000 bytes when it is unpacked" in refused_with_little_memory(path)


def test_records_that_promise_more_than_the_file_has(tmp_path: Path) -> None:
    path = tmp_path / "long.mcap"
    path.write_bytes(b"\x89MCAP0\r\n" + struct.pack("<BQ", 6, 2**60) + b"x")
    assert "has no samples" in refused_with_little_memory(path)
    path = tmp_path / "long.bag"
    path.write_bytes(b"#ROSBAG V2.0\n" + struct.pack("<I", 2**32 - 1) + b"x")
    assert "has a header of 4,294,967,295 bytes" in refused_with_little_memory(path)


DATABASES = {
    "endless": "CREATE TABLE topics(id, name, type, serialization_format);"
    "CREATE VIEW messages AS WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n) SELECT k FROM n;",
    "huge": "CREATE TABLE topics(id, name, type, serialization_format);"
    "INSERT INTO topics VALUES (1, '/joint_states', 'sensor_msgs/msg/JointState', 'cdr');"
    "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id, timestamp, data AS (zeroblob(900000000)));"
    "INSERT INTO messages(topic_id, timestamp) VALUES (1, 1);",
    "no tables": "CREATE TABLE x(y);",
    "other columns": "CREATE TABLE topics(x); CREATE TABLE messages(y);",
}


@pytest.mark.parametrize("name", DATABASES)
def test_databases_that_work_against_the_reader(tmp_path: Path, name: str) -> None:
    path = tmp_path / "log.db3"
    database = sqlite3.connect(path)
    database.executescript(DATABASES[name])
    database.close()
    said = refused_with_little_memory(path)
    assert "is not a bag of ROS 2" in said or "cannot be read as a bag of ROS 2" in said


def test_a_folder_names_files_in_itself_alone(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / "secret.db3").write_bytes(b"SQLite format 3\x00")
    about = "rosbag2_bagfile_information:\n  relative_file_paths: [../secret.db3]\n"
    (tmp_path / "log" / "metadata.yaml").write_text(about)
    with pytest.raises(BadFile, match=r"log/secret.db3: no such file"):
        import_recording(tmp_path / "log")


def test_a_long_cell_and_a_mapping_of_aliases_of_aliases(tmp_path: Path) -> None:
    (tmp_path / "long.csv").write_bytes(b"t,joint_angle[0]\n0," + b"9" * 1_000_000 + b"\n")
    assert "line 2: is longer than 1,000,000 characters" in refused_with_little_memory(tmp_path / "long.csv")
    chain = "".join(f"b{k}: &b{k} [{', '.join([f'*b{k - 1}'] * 9)}]\n" for k in range(1, 30))
    (tmp_path / "bomb.yaml").write_text(f"b0: &b0 [1]\n{chain}channels: {{}}\n")
    with pytest.raises(BadFile, match="holds more than 100,000 values, with aliases expanded"):
        read_mapping(tmp_path / "bomb.yaml")
