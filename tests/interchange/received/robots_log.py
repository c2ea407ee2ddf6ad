"""Logs of a robot that moves by formulas, written with the library rosbags: bags of ROS 1 and 2, and MCAP files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.rosbag1 import Writer as Writer1
from rosbags.rosbag2 import StoragePlugin, Writer as Writer2
from rosbags.typesys import Stores, get_typestore

JOINTS, PERIOD, EPOCH = 4, 0.02, 1_789_000_000 * 10**9
STATES, HEAD = "/joint_states", "/mocap/head/pose"
STORES = {1: get_typestore(Stores.ROS1_NOETIC), 2: get_typestore(Stores.ROS2_HUMBLE)}
Sent = tuple[int, str, Any]
"""When a message is written down [ns], its topic, and what makes it for a version of ROS."""


def angles(time: np.ndarray | float) -> np.ndarray:
    """Joint angles [rad], shape (..., JOINTS)."""
    return 0.5 * np.sin(3.0 * np.asarray(time)[..., None] - 0.8 * np.arange(JOINTS))


def head(time: np.ndarray | float) -> np.ndarray:
    """Where the head is [m], shape (..., 3)."""
    time = np.asarray(time)
    return np.stack([0.1 * time, 0.05 * np.sin(3.0 * time), np.full_like(time, 0.03)], axis=-1)


def nanoseconds(time: float) -> int:
    return EPOCH + round(time * 1e9)


def header(ros: int, stamp: int) -> Any:
    types = STORES[ros].types
    time = types["builtin_interfaces/msg/Time"](sec=stamp // 10**9, nanosec=stamp % 10**9)
    more = {"seq": 0} if ros == 1 else {}
    return types["std_msgs/msg/Header"](stamp=time, frame_id="", **more)


def joint_state(ros: int, time: float, *, names: Iterable[str] = "abcd", scale: float = 1.0) -> Any:
    kind = STORES[ros].types["sensor_msgs/msg/JointState"]
    position = scale * angles(time)
    order = [sorted("abcd").index(name) for name in names]
    velocity = np.zeros(0)
    return kind(
        header=header(ros, nanoseconds(time)),
        name=list(names),
        position=position[order],
        velocity=velocity,
        effort=10.0 * position[order],
    )


def pose(ros: int, time: float, scale: float = 1.0) -> Any:
    types = STORES[ros].types
    place = types["geometry_msgs/msg/Point"](**dict(zip("xyz", (scale * head(time)).tolist(), strict=True)))
    turn = types["geometry_msgs/msg/Quaternion"](x=0.0, y=0.0, z=0.0, w=1.0)
    whole = types["geometry_msgs/msg/Pose"](position=place, orientation=turn)
    return types["geometry_msgs/msg/PoseStamped"](header=header(ros, nanoseconds(time)), pose=whole)


def write_bag(path: Path, ros: int, sent: Iterable[Sent], *, mcap: bool = False, packed: Any = None) -> Path:
    """Writes messages in the order in which they are given."""
    store = STORES[ros]
    bag = Writer1(path) if ros == 1 else writer_2(path, mcap)
    if packed is not None:
        packed(bag)
    with bag:
        topics: dict[str, Any] = {}
        for logged, topic, make in sent:
            message = make(ros)
            kind = message.__msgtype__
            if topic not in topics:
                topics[topic] = bag.add_connection(topic, kind, typestore=store)
            data = store.serialize_ros1(message, kind) if ros == 1 else store.serialize_cdr(message, kind)
            bag.write(topics[topic], logged, data)
    return path


def writer_2(path: Path, mcap: bool) -> Writer2:
    return Writer2(path, version=9, storage_plugin=StoragePlugin.MCAP if mcap else StoragePlugin.SQLITE3)
