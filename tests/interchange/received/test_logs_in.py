"""Bags of ROS 1 and 2 with dropped, late and disordered samples: what is read is true, and the loss is said."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rosbags")

from rosbags.rosbag1 import Writer as Writer1
from rosbags.rosbag2 import CompressionFormat, CompressionMode, Writer as Writer2

import pushpoint as pp
from interchange.received.robots_log import (
    EPOCH,
    HEAD,
    JOINTS,
    PERIOD,
    STATES,
    Sent,
    angles,
    head,
    joint_state,
    nanoseconds,
    pose,
    write_bag,
)
from pushpoint.errors import BadFile
from pushpoint.interchange import Mapping, Source, import_recording

COUNT, DELAY = 200, 3_000_000
DROPPED = {20, 21, 22, 70, 150}
LATE = {40: 0.031, 90: 0.055, 91: 0.055}
"""Samples that are written down later than usual, and by how much [s]."""
KINDS = ("ros1", "ros2", "ros2-mcap")


def sent(count: int = COUNT) -> list[Sent]:
    """Joint states at 50 Hz as a network delivers them, and a camera at 40 Hz, in the order of their arrival."""
    states = [
        (nanoseconds(k * PERIOD + LATE.get(k, 0.0)) + DELAY, STATES, partial(_state, time=k * PERIOD))
        for k in range(count)
        if k not in DROPPED
    ]
    seen = [(nanoseconds(k * 0.025) + 10_000_000, HEAD, partial(_pose, time=k * 0.025)) for k in range(count)]
    return sorted([*states, *seen], key=lambda each: each[0])


def _state(ros: int, *, time: float) -> object:
    return joint_state(ros, time)


def _pose(ros: int, *, time: float) -> object:
    return pose(ros, time)


def bag(folder: Path, kind: str, messages: list[Sent] | None = None) -> Path:
    path = folder / ("log.bag" if kind == "ros1" else "log")
    return write_bag(path, 1 if kind == "ros1" else 2, messages or sent(), mcap=kind.endswith("mcap"))


MAPPING = Mapping(
    channels={
        "joint_angle": Source(topic=STATES),
        "joint_torque": Source(topic=STATES, unit="mN m"),
        "link_position[4]": Source(topic=HEAD),
    }
)


@pytest.mark.parametrize("kind", KINDS)
def test_a_bag_with_dropped_and_late_samples_is_read_and_the_loss_is_said(tmp_path: Path, kind: str) -> None:
    reading = import_recording(bag(tmp_path, kind), MAPPING)
    recorded = reading.recorded
    there = np.array([k for k in range(COUNT) if k not in DROPPED]) * PERIOD
    for j in range(JOINTS):
        row = recorded.channels[f"joint_angle[{j}]"]
        known = np.isfinite(row)
        np.testing.assert_allclose(recorded.time[known], there, atol=1e-9)  # whole nanoseconds
        np.testing.assert_array_equal(row[known], angles(there)[:, j])
        torque = recorded.channels[f"joint_torque[{j}]"]
        np.testing.assert_allclose(torque[known], 0.01 * angles(there)[:, j], rtol=1e-14)
    for k, letter in enumerate("xyz"):
        row = recorded.channels[f"link_position[4].{letter}"]
        known = np.isfinite(row)
        np.testing.assert_array_equal(row[known], head(0.025 * np.arange(COUNT))[:, k])
    states, camera = reading.losses[0], reading.losses[-1]
    assert (states.source, states.received, states.kept) == (STATES, COUNT - len(DROPPED), COUNT - len(DROPPED))
    assert states.dropped == len(DROPPED)
    assert states.longest_gap == pytest.approx(4 * PERIOD)
    assert states.late == len(LATE)
    # 40 comes after 41; 90 after 91 and 92; 91, as late as 90, after 92 and 93.
    assert states.out_of_order == 3
    assert (camera.dropped, camera.late, camera.out_of_order) == (0, 0, 0)
    said = "/joint_states: 195 of 195 samples, one every 0.02 s; 5 missing in gaps of up to 0.08 s, 3 out of order"
    assert reading.sentences()[0].startswith(said) and "3 late" in reading.sentences()[0]


def test_the_log_clock_and_a_clock_of_its_own(tmp_path: Path) -> None:
    path = bag(tmp_path, "ros2")
    mapping = Mapping(channels={"joint_angle": Source(topic=STATES)}, clock="log", start=EPOCH / 1e9)
    recorded = import_recording(path, mapping).recorded
    assert recorded.time[0] == pytest.approx(DELAY / 1e9, abs=1e-9)
    late = Mapping(channels={"joint_angle": Source(topic=STATES, late=0.5)}, start=EPOCH / 1e9)
    assert import_recording(path, late).recorded.time[0] == pytest.approx(-0.5, abs=1e-9)


@pytest.mark.parametrize("kind", ["ros1", "ros2"])
def test_names_units_signs_and_numbers_from_the_head(tmp_path: Path, kind: str) -> None:
    messages: list[Sent] = [
        (
            nanoseconds(k * PERIOD),
            STATES,
            lambda ros, k=k: joint_state(ros, k * PERIOD, names="cadb", scale=180 / np.pi),
        )
        for k in range(50)
    ]
    names = ["d", "c", "b", "a"]  # from the head: joint 3 of the tail's count is "d"
    source = Source(topic=STATES, names=names, unit="deg", sign="-", zero=2.0)
    mapping = Mapping(channels={"joint_angle": source}, numbering="head", links=5)
    recorded = import_recording(bag(tmp_path, kind, messages), mapping).recorded
    expected = -(angles(PERIOD * np.arange(50)) - np.radians(2.0))
    for j in range(JOINTS):
        np.testing.assert_allclose(recorded.channels[f"joint_angle[{j}]"], expected[:, j], atol=1e-14)


def test_axes_of_a_camera_that_looks_along_others(tmp_path: Path) -> None:
    source = Source(topic=HEAD, unit="mm", axes=["x", "-z"])
    mapping = Mapping(channels={"link_position[0]": source}, numbering="head", links=5)
    messages: list[Sent] = [
        (nanoseconds(0.025 * k), HEAD, lambda ros, k=k: pose(ros, 0.025 * k, scale=1000.0)) for k in range(20)
    ]
    channels = import_recording(bag(tmp_path, "ros2", messages), mapping).recorded.channels
    place = head(0.025 * np.arange(20))
    assert set(channels) == {"link_position[4].x", "link_position[4].y"}
    np.testing.assert_allclose(channels["link_position[4].x"], place[:, 0], rtol=1e-14)
    np.testing.assert_allclose(channels["link_position[4].y"], -place[:, 2], rtol=1e-14)


def test_joint_states_need_no_mapping(tmp_path: Path) -> None:
    recorded = import_recording(bag(tmp_path, "ros1")).recorded
    assert set(recorded.channels) == {f"joint_{what}[{j}]" for what in ("angle", "torque") for j in range(JOINTS)}


@pytest.mark.parametrize("kind", ["bz2", "lz4", "ros2-message", "ros2-mcap-file"])
def test_packed_bags_are_read(tmp_path: Path, kind: str) -> None:
    if kind in ("bz2", "lz4"):
        packing = getattr(Writer1.CompressionFormat, kind.upper())
        path = write_bag(tmp_path / "log.bag", 1, sent(60), packed=lambda bag: bag.set_compression(packing))
    else:
        mode = CompressionMode.MESSAGE if kind == "ros2-message" else CompressionMode.STORAGE
        pack = partial(Writer2.set_compression, mode=mode, fmt=CompressionFormat.ZSTD)
        path = write_bag(tmp_path / "log", 2, sent(60), packed=pack, mcap=kind.startswith("ros2-mcap"))
    (tmp_path / "plain").mkdir()
    plain = import_recording(bag(tmp_path / "plain", "ros2", sent(60)), MAPPING)
    packed = import_recording(path, MAPPING)
    assert list(packed.recorded.channels) == list(plain.recorded.channels)
    np.testing.assert_array_equal(packed.recorded.table, plain.recorded.table)


def test_a_bag_that_was_cut_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    whole = write_bag(tmp_path / "log.bag", 1, sent())
    data = whole.read_bytes()
    (tmp_path / "cut.bag").write_bytes(data[: data.rindex(b"op=\x04") - 20])
    reading = import_recording(tmp_path / "cut.bag", MAPPING)
    assert "the log ends in the middle: what was written before is read" in reading.sentences()
    np.testing.assert_array_equal(reading.recorded.table, import_recording(whole, MAPPING).recorded.table)


def test_messages_that_a_killed_recorder_left_beside_a_bag_are_missed(tmp_path: Path) -> None:
    path = bag(tmp_path, "ros2", sent(30))
    (database,) = path.glob("*.db3")
    (path / f"{database.name}-wal").write_bytes(b"pages that were not yet moved into the database")
    assert "the log ends in the middle: what was written before is read" in import_recording(path, MAPPING).sentences()


def test_a_run_that_went_out_comes_in_again(tmp_path: Path) -> None:
    run = pp.scenario("transeth2008a/flat").with_changes(duration=0.3).run()
    channels = {
        "joint_angle": Source(topic="/joint_states"),
        "link_position": Source(topic="/link_poses", axes=["x", "y"]),
        "center_of_mass": Source(topic="/center_of_mass", axes=["x", "y"]),
        "joint_rate[2]": Source(topic="/joint_states", field="velocity", names=["joint_2_yaw"]),
    }
    pp.export(run, tmp_path / "run.mcap")
    recorded = import_recording(tmp_path / "run.mcap", Mapping(channels=channels)).recorded
    np.testing.assert_allclose(recorded.time, run.time, atol=1e-9)
    for j in run.joint.values:
        np.testing.assert_array_equal(recorded.channels[f"joint_angle[{j}]"], run.joint_angle[:, j])
    np.testing.assert_array_equal(recorded.channels["joint_rate[2]"], run.joint_rate[:, 2])
    for i in run.link.values:
        np.testing.assert_array_equal(recorded.channels[f"link_position[{i}].y"], run.link_position[:, i, 1])
    np.testing.assert_array_equal(recorded.channels["center_of_mass.x"], run.center_of_mass[:, 0])
    one = Mapping(channels={"link_position[3]": Source(topic="/tf", frame="link_3", axes=["x", "y"])})
    np.testing.assert_array_equal(
        import_recording(tmp_path / "run.mcap", one).recorded.channels["link_position[3].x"], run.link_position[:, 3, 0]
    )


@pytest.mark.parametrize(
    ("channels", "said"),
    [
        ({"joint_angle": Source(topic="/nothing")}, "has no samples of joint_angle on /nothing"),
        ({"joint_angle": Source(topic=HEAD, field="pose.placement")}, "unknown field of the message 'placement'"),
        ({"joint_angle": Source(topic=HEAD, field="pose")}, "must name one of its parts: position, orientation"),
        ({"joint_angle": Source(topic=HEAD, field="header.frame_id")}, "field holds a str, must hold numbers"),
        ({"joint_angle[1]": Source(column="q1")}, "is a log, but the mapping takes joint_angle[1] from the column q1"),
        ({"joint_angle[1]": Source(topic=STATES)}, "4 numbers per sample', must be 1 for one number"),
    ],
)
def test_what_a_log_lacks_is_a_sentence(tmp_path: Path, channels: dict[str, Source], said: str) -> None:
    with pytest.raises(BadFile) as caught:
        import_recording(bag(tmp_path, "ros2", sent(30)), Mapping(channels=channels))
    assert said in str(caught.value)


def _with_gaps(ros: int, *, time: float) -> object:
    found = joint_state(ros, time)
    found.position[1] = np.nan  # type: ignore[attr-defined]
    return found


def test_what_one_channel_of_a_topic_lost_is_said(tmp_path: Path) -> None:
    messages = [(nanoseconds(k * PERIOD), STATES, partial(_with_gaps, time=k * PERIOD)) for k in range(30)]
    said = import_recording(bag(tmp_path, "ros2", messages)).sentences()
    assert len(said) == 2
    assert said[0].startswith("/joint_states (joint_angle): ")
    assert said[0].endswith("; 30 numbers missing")
    assert said[1].startswith("/joint_states (joint_torque): ")
    assert said[1].endswith("; nothing is lost")


def _of_two(ros: int, *, number: int) -> object:
    return joint_state(ros, number * PERIOD, names="ab" if number % 2 else "cd")


def test_joints_that_are_not_read_are_named(tmp_path: Path) -> None:
    path = bag(tmp_path, "ros2", [(nanoseconds(k * PERIOD), STATES, partial(_of_two, number=k)) for k in range(30)])
    remark = "/joint_states: a, b not read: the first message there has c, d alone, so give names in a mapping"
    assert import_recording(path).remarks == (remark,)
    mapping = Mapping(channels={"joint_angle": Source(topic=STATES, names=list("abcd"))})
    assert import_recording(path, mapping).remarks == ()
    mapping = Mapping(channels={"joint_angle": Source(topic=STATES, names=["a", "elbow"])})
    with pytest.raises(BadFile, match="has no joint 'elbow' on /joint_states, must be one of c, d, a, b"):
        import_recording(path, mapping)


def test_a_type_that_only_shares_its_name_with_one_of_ros_is_refused(tmp_path: Path) -> None:
    path = bag(tmp_path, "ros1", sent(30))
    data = path.read_bytes()
    path.write_bytes(data.replace(b"md5sum=3066dcd7", b"md5sum=3066dcd8"))
    assert path.read_bytes() != data
    with pytest.raises(BadFile, match="sensor_msgs/msg/JointState have other fields here than in ROS itself"):
        import_recording(path)
