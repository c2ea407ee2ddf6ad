"""What there is to sense: the truth behind a Measurement, in the plane and in space. Arrays carry a world axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pushpoint.engine.spatial.kinematics import link_poses, rotation_of
from pushpoint.model.sensors import QUANTITIES
from pushpoint.worlds.world import World


class PlanarTruth:
    """Reads a State."""

    def __init__(self, worlds: Sequence[World]) -> None:
        self._imu = np.array([world.sensors.imu_on(world.robot) for world in worlds])
        links, joints = worlds[0].robot.n_links, worlds[0].robot.n_joints
        self.sizes = dict(zip(QUANTITIES, (joints, joints, joints, links, 1, 2, 1, links, 0), strict=True))

    def now(self, state: Any) -> dict[str, np.ndarray]:
        """Quantities that a state holds."""
        return {
            "joint_angle": np.diff(state.theta, axis=1),
            "joint_rate": np.diff(state.omega, axis=1),
            "imu_angular_rate": self._of_imu(state.omega)[:, None],
            "imu_heading": self._of_imu(state.theta)[:, None],
        }

    def _of_imu(self, per_link: np.ndarray) -> np.ndarray:
        return per_link[np.arange(len(self._imu)), self._imu]

    def imu_motion(self, state: Any) -> np.ndarray:
        """What the IMU's acceleration is told from: velocity and angle of its link."""
        return np.column_stack((self._of_imu(state.v), self._of_imu(state.theta)))

    def imu_acceleration(self, motion: np.ndarray, change: np.ndarray, per_time: np.ndarray) -> np.ndarray:
        """Mean acceleration along the link and to its left; the frame turns on the way, so it is taken halfway."""
        angle = motion[:, 2] - change[:, 2] / 2
        along = np.cos(angle) * change[:, 0] + np.sin(angle) * change[:, 1]
        left = np.cos(angle) * change[:, 1] - np.sin(angle) * change[:, 0]
        return np.column_stack((along, left)) * per_time

    def pose(self, state: Any) -> dict[str, np.ndarray]:
        """The pose, for those who may know it."""
        return {"center_of_mass": state.center, "link_angle": state.theta}


class SpatialTruth:
    """Reads a SpatialState."""

    def __init__(self, worlds: Sequence[World]) -> None:
        robots = [world.robot for world in worlds]
        self._groups = [(robot, np.flatnonzero([other is robot for other in robots])) for robot in _distinct(robots)]
        self._imu = np.array([world.sensors.imu_on(world.robot) for world in worlds])
        self._gravity = np.array([world.environment.ground.gravity for world in worlds])
        links, joints = worlds[0].robot.n_links, worlds[0].robot.n_joints
        self.sizes = dict(zip(QUANTITIES, (joints, joints, joints, links, 3, 3, 1, links, 2), strict=True))

    def now(self, state: Any) -> dict[str, np.ndarray]:
        """Quantities that a state holds."""
        frame = rotation_of(self._imu_frame(state))
        forward, left, up = frame[:, :, 0], frame[:, 2, 1], frame[:, 2, 2]
        return {
            "joint_angle": state.angle,
            "joint_rate": state.rate,
            "imu_angular_rate": self._of_imu(state.omega),
            "imu_heading": np.arctan2(forward[:, 1], forward[:, 0])[:, None],
            "imu_tilt": np.column_stack((-np.arcsin(np.clip(forward[:, 2], -1.0, 1.0)), np.arctan2(left, up))),
        }

    def _of_imu(self, per_link: np.ndarray) -> np.ndarray:
        return per_link[np.arange(len(self._imu)), self._imu]

    def _frames(self, state: Any) -> np.ndarray:
        frames = np.empty((*state.v.shape[:2], 4))
        for robot, rows in self._groups:
            frames[rows] = link_poses(robot, state.center[rows], state.tail[rows], state.angle[rows])[1]
        return frames

    def _imu_frame(self, state: Any) -> np.ndarray:
        return self._of_imu(self._frames(state))

    def imu_motion(self, state: Any) -> np.ndarray:
        """What the IMU's acceleration is told from: velocity and orientation of its link."""
        return np.column_stack((self._of_imu(state.v), self._imu_frame(state)))

    def imu_acceleration(self, motion: np.ndarray, change: np.ndarray, per_time: np.ndarray) -> np.ndarray:
        """Mean specific force in the link's frame halfway: at rest it shows gravity's reaction, as an IMU does."""
        before = motion[:, 3:] - change[:, 3:]
        nearer = np.where((before * motion[:, 3:]).sum(axis=1) < 0, -1.0, 1.0)[:, None]
        halfway = before + nearer * motion[:, 3:]
        frame = rotation_of(halfway / np.linalg.norm(halfway, axis=1)[:, None])
        force = change[:, :3] * per_time + np.outer(self._gravity, [0.0, 0.0, 1.0])
        return np.einsum("wij,wi->wj", frame, force)

    def pose(self, state: Any) -> dict[str, np.ndarray]:
        """The pose, for those who may know it."""
        return {"center_of_mass": state.center, "link_orientation": self._frames(state)}


def _distinct(robots: Sequence[Any]) -> list[Any]:
    """The objects among them, each once: equal ones would do, but to compare robots costs more than it saves."""
    return list({id(robot): robot for robot in robots}.values())
