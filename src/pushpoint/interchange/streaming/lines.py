"""The lines that pass between a controller and a robot: one JSON object each, in SI units, numbered.

The controller sends, with "do" saying what it is:

    {"do":"begin","format":1,"robot":"aiko","rate":50.0,"links":11,"joints":["joint_0_yaw", ...]}
    {"do":"follow","seq":0,"t":0.0,"angle":[...],"rate":[...]}      or "torque":[...] in place of both
    {"do":"hold","seq":500,"t":10.0,"angle":[...],"reason":"finished"}      no "angle": hold where you are

The robot sends:

    {"seq":0,"t":0.0,"after":-1,"angle":[...],"rate":[...],"torque":[...],"touch":[...],"imu":{...}}
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pushpoint.errors import PushpointError
from pushpoint.user_files import parse_json

FORMAT = 1
"""Number of the format, which the first line gives."""
MOST_BYTES = 60_000
"""Longest line [bytes]: it fits into one datagram."""
LARGEST = 1e6
"""Numbers of a robot must be within this, in SI units."""
MOST_SEQ = 2**53
"""Largest sequence number [-]."""
IMU = ("angular_rate", "acceleration", "heading", "tilt")
"""What an inertial measurement unit may say; see Measurement."""


class BadLine(PushpointError):
    """A line that is not what it should be."""


class MeasuredState(NamedTuple):
    """What a robot measured at one time; None for what it does not measure."""

    seq: int
    """Number of the line, counted by the robot."""
    time: float
    """When it was measured, of the robot's clock [s]."""
    after: int
    """Number of the last line of references that the robot had by then; -1 for none."""
    angle: np.ndarray
    """Joint angles [rad], shape (n_joints,)."""
    rate: np.ndarray | None
    """Joint rates [rad/s], shape (n_joints,)."""
    torque: np.ndarray | None
    """Motor torques [N m], shape (n_joints,)."""
    touch: np.ndarray | None
    """Forces toward the left of each link [N], shape (n_links,)."""
    range: np.ndarray | None
    """Distances of each link to the nearest obstacle [m], shape (n_links,)."""
    rays: np.ndarray | None
    """Distances that single range sensors measure [m], shape (n_rays,)."""
    imu: dict[str, np.ndarray]
    """What the IMU says, by name."""


def line_of(**fields: Any) -> str:
    """One line, without its end; arrays become lists, and what is None is left out."""
    plain = {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in fields.items()
        if value is not None
    }
    return json.dumps(plain, separators=(",", ":"), allow_nan=False)


def object_of(text: str | bytes) -> dict[str, Any]:
    """The object that a line holds; raises BadLine for anything else."""
    if len(text) > MOST_BYTES:
        raise BadLine(f"a line of {len(text)} bytes, must have at most {MOST_BYTES}")
    try:
        found = parse_json(text)
    except ValueError:  # not JSON, or not text
        raise BadLine("a line that is not JSON") from None
    if not isinstance(found, dict):
        raise BadLine("a line that is no JSON object")
    return found


def state_from(text: str | bytes, n_joints: int, n_links: int) -> MeasuredState:
    """The state that a line of a robot says; raises BadLine if it is not one."""
    found = object_of(text)
    imu = found.get("imu", {})
    if not isinstance(imu, dict):
        raise BadLine("imu is not an object")
    angle = row_of_numbers("angle", found.get("angle"), n_joints)
    if angle is None:
        raise BadLine("angle is missing")
    return MeasuredState(
        seq=sequence_number("seq", found.get("seq")),
        time=one_number("t", found.get("t")),
        after=sequence_number("after", found.get("after", -1)),
        angle=angle,
        rate=row_of_numbers("rate", found.get("rate"), n_joints),
        torque=row_of_numbers("torque", found.get("torque"), n_joints),
        touch=row_of_numbers("touch", found.get("touch"), n_links),
        range=row_of_numbers("range", found.get("range"), n_links),
        rays=row_of_numbers("rays", found.get("rays"), None),
        imu={name: part for name in IMU if (part := row_of_numbers(f"imu.{name}", imu.get(name), None)) is not None},
    )


def sequence_number(name: str, value: Any) -> int:
    """A sequence number."""
    if isinstance(value, bool) or not isinstance(value, int) or not -1 <= value <= MOST_SEQ:
        raise BadLine(f"{name} is not a whole number from -1")
    return value


def one_number(name: str, value: Any) -> float:
    """A finite number of reasonable size."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
        raise BadLine(f"{name} is not a number between {-LARGEST:g} and {LARGEST:g}")
    return float(value)


def row_of_numbers(name: str, value: Any, count: int | None) -> np.ndarray | None:
    """So many numbers, or any if that is None; a single one counts as a list. None if there is no value."""
    if value is None:
        return None
    values: Sequence[Any] = value if isinstance(value, list) else [value]
    if count is not None and len(values) != count:
        raise BadLine(f"{name} has {len(values)} numbers, must have {count}")
    return np.array([one_number(name, each) for each in values])
