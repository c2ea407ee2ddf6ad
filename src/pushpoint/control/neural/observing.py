"""What a learned policy sees: what a robot measures, what it was asked for, and its own last command, as named rows.

What is asked for is a direction and a size, such as a velocity. Seen from the robot's IMU it has a part ahead and a
part to the left, so that a policy does not depend on where north is.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import pi
from typing import Any, NamedTuple

import numpy as np

from pushpoint.control.neural.acting import Acted, Actions
from pushpoint.engine.on_device.namespaces import Constant, namespace_of
from pushpoint.engine.signals import Measurement
from pushpoint.errors import UnknownName
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot


class SensedQuantity(NamedTuple):
    """One measured quantity in an observation."""

    unit: str
    """Its unit."""
    limit: float
    """Readings saturate here, at either sign."""
    words: str
    """What it is."""


SENSED = {
    "joint_angle": SensedQuantity("rad", pi, "joint angle"),
    "joint_rate": SensedQuantity("rad/s", 50.0, "joint rate"),
    "joint_torque": SensedQuantity("N m", 100.0, "motor torque, mean since the last observation"),
    "contact_normal_force": SensedQuantity("N", 1000.0, "touch: obstacle force toward the link's left, mean"),
    "imu_angular_rate": SensedQuantity("rad/s", 50.0, "angular rate of the IMU's link"),
    "imu_acceleration": SensedQuantity("m/s^2", 500.0, "acceleration of the IMU's link, mean"),
    "imu_tilt": SensedQuantity("rad", pi, "pitch and roll of the IMU's link"),
}
"""The measured quantities that an observation may hold, by their names in a Measurement."""


class Row(NamedTuple):
    """One number of an observation."""

    name: str
    """Its name, such as joint_angle[3]."""
    unit: str
    """Its unit."""
    limit: float
    """It lies between minus this and this."""


class Asked(NamedTuple):
    """What a policy is asked for in each world."""

    direction: np.ndarray
    """Direction in the world [rad], shape (n_worlds,)."""
    size: np.ndarray
    """Its size, such as a speed [m/s], or 1 for a direction alone; same shape."""


class Observing:
    """Makes observations for all worlds of a batch at once."""

    def __init__(
        self, sensed: tuple[str, ...], robot: AnyRobot, actions: Actions, largest: float, unit: str = "-"
    ) -> None:
        """`sensed` names measured quantities; what is asked for is at most `largest`, in this unit."""
        for name in sensed:
            if name not in SENSED:
                raise UnknownName("quantity of an observation", name, SENSED)
        self._sensed, self._remembers = sensed, actions.remembers
        asked = (Row("asked_ahead", unit, largest), Row("asked_left", unit, largest))
        self.rows = (*asked, *_rows(sensed, robot, actions))
        """The rows, in order."""
        self._limit = Constant([row.limit for row in self.rows])

    def see(self, measurement: Measurement, acted: Acted, asked: Asked) -> np.ndarray:
        """Observations of all worlds, shape (n_worlds, n_rows), single precision; NaN reads zero."""
        aside = asked.direction - measurement.imu_heading
        space: Any = namespace_of(aside)
        parts = [space.stack((asked.size * space.cos(aside), asked.size * space.sin(aside)), axis=1)]
        parts += [getattr(measurement, name).reshape(len(aside), -1) for name in self._sensed]
        if "reference" in self._remembers:
            parts.append(acted.reference)
        if "wave" in self._remembers:
            parts.append(space.stack((space.sin(acted.phase), space.cos(acted.phase)), axis=1))
        seen = space.nan_to_num(space.concatenate(parts, axis=1), nan=0.0, posinf=np.inf, neginf=-np.inf)
        limit = self._limit.like(seen)
        found: np.ndarray = space.asarray(space.clip(seen, -limit, limit), dtype=space.float32)
        return found


def _rows(sensed: tuple[str, ...], robot: AnyRobot, actions: Actions) -> Iterator[Row]:
    """The rows of an observation after those of what is asked for."""
    counts = _counts(robot)
    for name in sensed:
        quantity = SENSED[name]
        many = [name] if counts[name] == 1 else [f"{name}[{k}]" for k in range(counts[name])]
        yield from (Row(each, quantity.unit, quantity.limit) for each in many)
    if "reference" in actions.remembers:
        yield from (Row(f"reference[{k}]", "rad", pi) for k in range(robot.n_joints))
    if "wave" in actions.remembers:
        yield from (Row("wave_sine", "-", 1.0), Row("wave_cosine", "-", 1.0))


def _counts(robot: AnyRobot) -> dict[str, int]:
    """How many numbers each measured quantity has."""
    spatial, joints = isinstance(robot, SpatialRobot), robot.n_joints
    return {
        **dict.fromkeys(("joint_angle", "joint_rate", "joint_torque"), joints),
        "contact_normal_force": robot.n_links,
        "imu_angular_rate": 3 if spatial else 1,
        "imu_acceleration": 3 if spatial else 2,
        "imu_tilt": 2 if spatial else 0,
    }
