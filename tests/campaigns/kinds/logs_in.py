"""Recordings of other tools broken at random: CSV, MCAP, bags of ROS 1 and 2, and the mapping files beside them.

What is read is in order and finite, or a sentence says what is wrong; no file takes much memory.
"""

from __future__ import annotations

import shutil
import tempfile
import tracemalloc
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import rosbags.rosbag1

import pushpoint as pp
from campaigns.broken_texts import BYTES, Random, any_of, broken_document, broken_text
from campaigns.campaign import kind
from interchange.received.robots_log import (
    HEAD,
    PERIOD,
    STATES,
    Sent,
    angles,
    joint_state,
    nanoseconds,
    pose,
    write_bag,
)
from pushpoint.interchange import import_recording, read_mapping

MOST_MEMORY = 400_000_000
"""What reading one of these files, which have some kilobytes, may take [bytes]."""
OF_A_LOG = f"""\
numbering: head
links: 5
start: first
channels:
  joint_angle: {{topic: {STATES}, names: [d, c, b, a], unit: deg, sign: "-", zero: 2.0}}
  joint_torque[1]: {{topic: {STATES}, field: effort, names: [b], late: 0.01}}
  link_position[0]: {{topic: {HEAD}, axes: [x, -z], unit: mm}}
"""
OF_COLUMNS = """\
time: stamp
time_unit: ms
delimiter: ";"
channels:
  joint_angle[0]: {column: q0, unit: deg}
  joint_rate[1]: {column: q1}
  link_position[3].x: {column: q2, unit: mm, late: -0.1}
"""
COUNT = 60
NAMES = ("csv", "own csv", "mcap", "packed mcap", "bag", "packed bag", "db3", "folder")


@cache
def folder() -> Path:
    """Sound files, made once."""
    place = Path(tempfile.mkdtemp(prefix="logs"))
    times = PERIOD * np.arange(COUNT)
    rows = np.column_stack([1e3 * times, angles(times)[:, :3]])
    np.savetxt(place / "csv", rows, delimiter=";", header="stamp;q0;q1;q2", comments="", fmt="%.6g")
    run = pp.scenario("transeth2008a/flat").with_changes(duration=0.12).run()
    (place / "own").mkdir()
    for ending, name in ((".csv", "own csv"), (".mcap", "packed mcap")):
        pp.export(run, place / "own" / f"run{ending}")
        (place / "own" / f"run{ending}").rename(place / name)
    sent: list[Sent] = [
        each
        for k in range(COUNT)
        for each in (
            (nanoseconds(k * PERIOD), STATES, partial(_state, k)),
            (nanoseconds(k * PERIOD), HEAD, partial(_pose, k)),
        )
    ]
    write_bag(place / "bag", 1, sent)
    packing = rosbags.rosbag1.Writer.CompressionFormat.BZ2
    write_bag(place / "packed bag", 1, sent, packed=lambda bag: bag.set_compression(packing))
    write_bag(place / "folder", 2, sent)
    write_bag(place / "log", 2, sent, mcap=True)
    shutil.copy(place / "folder" / "folder.db3", place / "db3")
    shutil.copy(place / "log" / "log.mcap", place / "mcap")
    return place


def _state(k: int, ros: int) -> Any:
    return joint_state(ros, k * PERIOD)


def _pose(k: int, ros: int) -> Any:
    return pose(ros, k * PERIOD)


def _broken(random: Random, name: str, target: Path) -> Path:
    """A copy of a sound file with something wrong."""
    sound = folder() / name
    if name == "folder":
        shutil.copytree(sound, target)
        about = target / "metadata.yaml"
        about.write_bytes(broken_text(random, about.read_text()))
        return target
    data = sound.read_bytes()
    if name.endswith("csv"):
        data = broken_text(random, data.decode())
    for _ in range(int(random.integers(0, 4)) if name.endswith("csv") else int(random.integers(1, 3))):
        data = any_of(random, BYTES)(random, data)
    target.write_bytes(data)
    return target


def _mapping(random: Random, name: str, target: Path) -> Path | None:
    """The mapping that a file needs, one time in three with something wrong."""
    if name in ("own csv", "packed mcap"):
        return None
    text = OF_COLUMNS if name == "csv" else OF_A_LOG
    way = random.random()
    if way < 0.2:
        target.write_bytes(broken_text(random, text, OF_A_LOG))
    elif way < 0.35:
        from pushpoint.description.files import text_of
        from pushpoint.description.yaml_values import read_yaml

        document = broken_document(random, read_yaml(text, "mapping")[1])
        try:
            target.write_text(text_of(document))
        except Exception:  # what no YAML can hold
            target.write_text(text)
    else:
        target.write_text(text)
    return target


@kind("logs and mappings", full=2_000, short=60, limit=60.0)
def trial(seed: int) -> str:
    """One file and its mapping, read."""
    random = np.random.default_rng((seed, 23))
    name = NAMES[int(random.integers(len(NAMES)))]
    folder()
    with tempfile.TemporaryDirectory() as made:
        path = _broken(random, name, Path(made) / "log") if random.random() < 0.8 else folder() / name
        mapping = _mapping(random, name, Path(made) / "map.yaml")
        tracemalloc.start()
        try:
            chosen = None if mapping is None else read_mapping(mapping)
            reading = import_recording(path, chosen)
        finally:
            _, most = tracemalloc.get_traced_memory()
            tracemalloc.stop()
        assert most < MOST_MEMORY, f"{most:,} bytes of memory"
    recorded = reading.recorded
    assert np.isfinite(recorded.time).all() and (np.diff(recorded.time) > 0.0).all()
    assert not np.isinf(recorded.table).any() and reading.sentences()
    for losses in reading.losses:
        assert 0 <= losses.kept <= losses.received and losses.dropped >= 0
    return f"read {name}"
