"""Numbers in messages: which field of a message is meant, and how it is found.

Types are those that ROS itself brings. The definitions in a file are not used: the library that reads messages would
make code of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from pushpoint.errors import MissingExtra, PushpointError, UnknownName
from pushpoint.interchange.received.logged import Logged

MOST_IN_A_LIST = 100_000
"""Most entries of a list in a message [-]."""
OF_JOINTS = {"joint_angle": "position", "joint_rate": "velocity", "joint_torque": "effort"}
"""Fields of a JointState, by what they show."""
FIELDS = {
    "geometry_msgs/msg/Point": "",
    "geometry_msgs/msg/PointStamped": "point",
    "geometry_msgs/msg/Pose": "position",
    "geometry_msgs/msg/PoseArray": "poses.position",
    "geometry_msgs/msg/PoseStamped": "pose.position",
    "geometry_msgs/msg/PoseWithCovarianceStamped": "pose.pose.position",
    "geometry_msgs/msg/TransformStamped": "transform.translation",
    "geometry_msgs/msg/Vector3Stamped": "vector",
    "nav_msgs/msg/Odometry": "pose.pose.position",
    "tf2_msgs/msg/TFMessage": "transforms.transform.translation",
    "std_msgs/msg/Float32": "data",
    "std_msgs/msg/Float64": "data",
    "std_msgs/msg/Float32MultiArray": "data",
    "std_msgs/msg/Float64MultiArray": "data",
}
"""Where the numbers of other messages are, unless a mapping says otherwise."""
JOINT_STATE = "sensor_msgs/msg/JointState"
NANOSECONDS = 1_000_000_000


class Unreadable(Exception):
    """A message that is damaged."""


class Read(NamedTuple):
    """What a message says."""

    stamp: int | None
    """The time in its header [ns]; None if it has none."""
    numbers: np.ndarray
    """Numbers: of joints, or three for each place."""
    names: list[str]
    """What the numbers are of, where the message says so."""


@cache
def _store(encoding: str) -> Any:
    try:
        from rosbags.typesys import Stores, get_typestore
    except ModuleNotFoundError:
        raise MissingExtra("a log of ROS messages", "interchange") from None
    store = get_typestore(Stores.ROS1_NOETIC if encoding == "ros1" else Stores.ROS2_HUMBLE)
    store.max_sequence_length = MOST_IN_A_LIST
    return store


@cache
def check_message_kind(kind: str, encoding: str, digest: str) -> None:
    """Raises PushpointError unless messages of this type can be read."""
    store = _store(encoding)
    if kind not in store.fielddefs:
        usual = [JOINT_STATE, *FIELDS]
        raise UnknownName("type of message", kind, [each for each in usual if each in store.fielddefs])
    if digest and digest != store.generate_msgdef(kind)[1]:
        raise PushpointError(f"messages of type {kind} have other fields here than in ROS itself")


def content_of(each: Logged) -> Any:
    """The message that the bytes stand for; raises Unreadable if they do not."""
    check_message_kind(each.kind, each.encoding, each.digest)
    store = _store(each.encoding)
    try:
        read = store.deserialize_ros1 if each.encoding == "ros1" else store.deserialize_cdr
        return read(each.data, each.kind)
    except Exception:  # whatever the reader's generated code meets in damaged bytes
        raise Unreadable from None


def read_field(content: Any, field: str, *, frame: str = "") -> Read:
    """The numbers of a field such as pose.position; of a list of frames only the one called `frame`."""
    names = [str(name) for name in getattr(content, "name", ()) or ()]
    if frame:
        content, names = _of_frame(content, frame), []
    found = np.array(_found(content, field.split(".") if field else []), dtype=float)
    return Read(_stamp(content), found, names)


def default_field(kind: str, variable: str) -> str | None:
    """Where a type of message has what a variable shows; None if that is not known."""
    return OF_JOINTS.get(variable) if kind == JOINT_STATE else FIELDS.get(kind)


def _of_frame(content: Any, frame: str) -> Any:
    """The same message with those transforms alone whose child is this frame."""
    kept = [each for each in getattr(content, "transforms", ()) if each.child_frame_id == frame]
    return type(content)(transforms=kept)


def _stamp(content: Any) -> int | None:
    several = getattr(content, "transforms", None)
    header = getattr(several[0] if several else content, "header", None)
    return None if header is None else header.stamp.sec * NANOSECONDS + header.stamp.nanosec


def _found(value: Any, parts: Sequence[str]) -> list[float]:
    if isinstance(value, list) and all(is_dataclass(each) for each in value):
        return [number for each in value for number in _found(each, parts)]
    if parts:
        known = [each.name for each in fields(value) if not each.name.startswith("__")] if is_dataclass(value) else []
        if parts[0] not in known:
            raise UnknownName("field of the message", parts[0], known)
        return _found(getattr(value, parts[0]), parts[1:])
    if is_dataclass(value):
        if not all(hasattr(value, letter) for letter in "xyz"):
            known = [each.name for each in fields(value) if not each.name.startswith("__")]
            raise PushpointError(f"field stands for a group, must name one of its parts: {', '.join(known)}")
        return [float(getattr(value, letter)) for letter in "xyz"]
    if isinstance(value, int | float):
        return [float(value)]
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiu":
        return [float(each) for each in value.tolist()]
    raise PushpointError(f"field holds a {type(value).__name__}, must hold numbers")
