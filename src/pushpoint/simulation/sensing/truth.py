"""What is true of a state: the quantities that perfect sensors show. NumPy or torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pushpoint.engine.on_device.namespaces import Constant, namespace_of
from pushpoint.engine.spatial.kinematics import link_frames, rotation_of
from pushpoint.worlds.world import World

Seen = tuple[dict[str, np.ndarray], np.ndarray, dict[str, np.ndarray]]
"""Quantities of a state, velocity and orientation of the IMU's link, and the pose for those who may see it."""
TOTALS = {"joint_torque": "motor", "contact_normal_force": "side"}
"""Quantities that are means, and the totals whose changes give them."""


class PlanarTruth:
    """Reads a State."""

    fields: tuple[str, ...] = ("step", "center", "theta", "v", "omega")
    """What it reads of it."""
    imu_sizes = (1, 2, 0)
    """Number of values of the IMU's angular rate, acceleration and tilt."""

    def __init__(self, worlds: Sequence[World]) -> None:
        self._links = np.zeros(len(worlds), dtype=int)
        self.replace(np.arange(len(worlds)), worlds)

    def replace(self, rows: np.ndarray, worlds: Sequence[World]) -> None:
        """Takes other worlds in these rows; `worlds` are all of the batch."""
        for row in rows.tolist():
            self._links[row] = worlds[row].sensors.imu_on(worlds[row].robot)
        alike = bool((self._links == self._links[0]).all())
        self._imu = (slice(None), int(self._links[0])) if alike else (np.arange(len(self._links)), self._links)

    @property
    def is_common(self) -> bool:
        """Whether all worlds are read in the same way."""
        return isinstance(self._imu[0], slice)

    def read(self, state: Any) -> Seen:
        """The true quantities of a state."""
        rate, angle = state.omega[self._imu], state.theta[self._imu]
        now = {
            "joint_angle": state.theta[:, 1:] - state.theta[:, :-1],
            "joint_rate": state.omega[:, 1:] - state.omega[:, :-1],
            "imu_angular_rate": rate[:, None],
            "imu_heading": angle[:, None],
        }
        motion = namespace_of(angle).concatenate((state.v[self._imu], angle[:, None]), axis=1)
        return now, motion, {"center_of_mass": state.center, "link_angle": state.theta}

    def imu_acceleration(self, motion: np.ndarray, change: np.ndarray, per_time: np.ndarray) -> np.ndarray:
        """Mean acceleration along the link and to its left, in the frame halfway through the interval."""
        space: Any = namespace_of(motion)
        angle = motion[:, 2] - change[:, 2] / 2
        along = space.cos(angle) * change[:, 0] + space.sin(angle) * change[:, 1]
        left = space.cos(angle) * change[:, 1] - space.sin(angle) * change[:, 0]
        found: np.ndarray = space.stack((along, left), axis=1) * per_time
        return found


class SpatialTruth(PlanarTruth):
    """Reads a SpatialState."""

    fields = ("step", "center", "tail", "angle", "rate", "v", "omega")
    imu_sizes = (3, 3, 2)

    def replace(self, rows: np.ndarray, worlds: Sequence[World]) -> None:
        """Takes other worlds in these rows; `worlds` are all of the batch."""
        super().replace(rows, worlds)
        self._robot: Any = worlds[0].robot  # all have joints of the same kinds
        pull = np.array([world.environment.ground.gravity for world in worlds])
        self._pulls_alike = bool((pull == pull[0]).all())
        self._pull = Constant(pull[:1] if self._pulls_alike else pull)

    @property
    def is_common(self) -> bool:
        """Whether all worlds are read in the same way."""
        return super().is_common and self._pulls_alike

    def read(self, state: Any) -> Seen:
        """The true quantities of a state."""
        space: Any = namespace_of(state.angle)
        frames = link_frames(self._robot, state.tail, state.angle)
        frame = rotation_of(frames[self._imu])
        forward, left, up = frame[:, :, 0], frame[:, 2, 1], frame[:, 2, 2]
        pitch = -space.arcsin(space.clip(forward[:, 2], -1.0, 1.0))
        now = {
            "joint_angle": state.angle,
            "joint_rate": state.rate,
            "imu_angular_rate": state.omega[self._imu],
            "imu_heading": space.arctan2(forward[:, 1], forward[:, 0])[:, None],
            "imu_tilt": space.stack((pitch, space.arctan2(left, up)), axis=1),
        }
        motion = space.concatenate((state.v[self._imu], frames[self._imu]), axis=1)
        return now, motion, {"center_of_mass": state.center, "link_orientation": frames}

    def imu_acceleration(self, motion: np.ndarray, change: np.ndarray, per_time: np.ndarray) -> np.ndarray:
        """Mean specific force in the link's frame halfway through the interval, as an IMU measures it."""
        space: Any = namespace_of(motion)
        before = motion[:, 3:] - change[:, 3:]
        nearer = 1.0 - 2.0 * ((before * motion[:, 3:]).sum(axis=1) < 0)[:, None]
        halfway = before + nearer * motion[:, 3:]
        frame = rotation_of(halfway / space.sqrt((halfway * halfway).sum(axis=1))[:, None])
        push = change[:, :3] * per_time
        force = space.concatenate((push[:, :2], push[:, 2:] + self._pull.like(motion)[:, None]), axis=1)
        found: np.ndarray = space.einsum("wij,wi->wj", frame, force)
        return found
