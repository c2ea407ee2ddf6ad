"""Measurements from the stepper's state and running totals, as the worlds' sensors show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pushpoint.engine.batching import merge, over_leaves, pick
from pushpoint.engine.signals import Measurement
from pushpoint.engine.spatial.kinematics import link_poses, rotation_of
from pushpoint.engine.state import SpatialState, State
from pushpoint.engine.stepper import Stepper
from pushpoint.model.sensors import PERFECT, QUANTITIES
from pushpoint.simulation.channels import Line, Ranges, channels_of
from pushpoint.worlds.world import World


class _Truth:
    """What the plane and space have in common; `imu_sizes` are those of angular rate, acceleration and tilt."""

    def __init__(self, worlds: Sequence[World], imu_sizes: tuple[int, int, int]) -> None:
        self._imu = np.array([world.sensors.imu_on(world.robot) for world in worlds])
        links, joints = worlds[0].robot.n_links, worlds[0].robot.n_joints
        rate, acceleration, tilt = imu_sizes
        sizes = (joints, joints, joints, links, rate, acceleration, 1, links, tilt)
        self.sizes = dict(zip(QUANTITIES, sizes, strict=True))

    def _of_imu(self, per_link: np.ndarray) -> np.ndarray:
        return per_link[np.arange(len(self._imu)), self._imu]


class PlanarTruth(_Truth):
    """Reads a State."""

    def __init__(self, worlds: Sequence[World]) -> None:
        super().__init__(worlds, (1, 2, 0))

    def now(self, state: Any) -> dict[str, np.ndarray]:
        """Quantities that a state holds."""
        return {
            "joint_angle": np.diff(state.theta, axis=1),
            "joint_rate": np.diff(state.omega, axis=1),
            "imu_angular_rate": self._of_imu(state.omega)[:, None],
            "imu_heading": self._of_imu(state.theta)[:, None],
        }

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


class SpatialTruth(_Truth):
    """Reads a SpatialState."""

    def __init__(self, worlds: Sequence[World]) -> None:
        super().__init__(worlds, (3, 3, 2))
        robots: list[Any] = [world.robot for world in worlds]
        # Each object once: equal ones would do, but to compare robots costs more than it saves.
        distinct = {id(robot): robot for robot in robots}.values()
        self._groups = [(robot, np.flatnonzero([other is robot for other in robots])) for robot in distinct]
        self._gravity = np.array([world.environment.ground.gravity for world in worlds])

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


class Since:
    """A running total and the step at each world's last sample of it."""

    def __init__(self, total: np.ndarray, step: np.ndarray, dt: float) -> None:
        self._total, self._step, self._dt = np.array(total), np.array(step), dt

    def restart(self, total: np.ndarray, step: np.ndarray, chosen: np.ndarray) -> None:
        """Starts the interval of these worlds now."""
        self._total[chosen], self._step[chosen] = total[chosen], step[chosen]

    def change(self, total: np.ndarray, step: np.ndarray, due: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Change and one over the time [1/s] (0 after no time) since the last sample; due worlds take one now."""
        change = total - self._total
        elapsed = (step - self._step)[:, None] * self._dt
        per_time = np.divide(1.0, elapsed, out=np.zeros_like(elapsed, dtype=float), where=elapsed > 0)
        self.restart(total, step, due)
        return change, per_time


class Senses:
    """Reads what the robots can sense; forces and accelerations are means since their last sample."""

    def __init__(self, worlds: Sequence[World], stepper: Stepper, *, period: int, with_pose: bool) -> None:
        """Readings are `period` time steps apart."""
        self._stepper = stepper
        self._with_pose = with_pose
        self._all = np.ones(len(worlds), dtype=bool)
        self._truth = SpatialTruth(worlds) if worlds[0].spatial else PlanarTruth(worlds)
        self._ranges = Ranges(worlds) if any(world.senses_range for world in worlds) else None
        self._lines = self._make_lines(worlds, period * stepper.settings.dt)
        state = stepper.state()
        self._since = {
            name: Since(total, state.step, stepper.settings.dt) for name, total in self._totals(state).items()
        }
        self._latest: Measurement | None = None

    def _make_lines(self, worlds: Sequence[World], period: float) -> dict[str, Line]:
        """Lines for what some world does not sense perfectly; ranges always have one."""
        sensors = [world.sensors for world in worlds]
        return {
            name: Line(name, sensors, size, period)
            for name, size in self._truth.sizes.items()
            if any(channel != PERFECT for channel in channels_of(sensors, name))
            or (name == "range" and self._ranges is not None)
        }

    def _totals(self, state: State | SpatialState) -> dict[str, np.ndarray]:
        """What the means are changes of: angular and linear impulses, motion of the IMU's link."""
        return {
            "joint_torque": self._stepper.totals("motor"),
            "contact_normal_force": self._stepper.totals("side"),
            "imu_acceleration": self._truth.imu_motion(state),
        }

    @property
    def begun(self) -> bool:
        """Whether anything has been read yet."""
        return self._latest is not None

    def restart(self, chosen: np.ndarray) -> Measurement:
        """The first measurement of these worlds after a jump of their state; the other worlds' last one again."""
        if self._latest is None:
            chosen = self._all
        state = self._stepper.state()
        for name, total in self._totals(state).items():
            self._since[name].restart(total, state.step, chosen)
        for line in self._lines.values():
            line.restart(chosen)
        before, now = self._latest, self._take(chosen)
        self._latest = now if before is None else merge(before, chosen, pick(now, chosen))
        return self._shown_now()

    def read(self) -> Measurement:
        """The next measurement of all worlds."""
        self._latest = self._take(self._all)
        return self._shown_now()

    def _shown_now(self) -> Measurement:
        """Arrays of its own, so that a controller that writes into them changes nothing that is shown again."""
        assert self._latest is not None
        return over_leaves(np.array, self._latest)

    def _take(self, active: np.ndarray) -> Measurement:
        """A measurement in which the active worlds go one turn on; what it says of the others has no meaning."""
        state = self._stepper.state()
        due = {name: line.begin(active) for name, line in self._lines.items()}
        truth = self._truth.now(state) | self._means(state, {name: due.get(name, active) for name in self._since})
        if self._ranges is not None:
            truth["range"] = self._ranges.read(state, due["range"])
        shown = truth | {name: self._shown(name, truth[name], due[name]) for name in self._lines}
        for name in ("imu_angular_rate", "imu_heading"):
            if self._truth.sizes[name] == 1:
                shown[name] = shown[name][:, 0]
        pose = self._truth.pose(state) if self._with_pose else {}
        return Measurement(time=state.step * self._stepper.settings.dt, **pose, **shown)

    def _shown(self, name: str, values: np.ndarray, due: np.ndarray) -> np.ndarray:
        largest = self._ranges.largest if name == "range" and self._ranges is not None else None
        return self._lines[name].pass_on(values, due, largest)

    def _means(self, state: State | SpatialState, due: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        means = {}
        for name, total in self._totals(state).items():
            change, per_time = self._since[name].change(total, state.step, due[name])
            if name == "imu_acceleration":
                means[name] = self._truth.imu_acceleration(total, change, per_time)
            else:
                means[name] = change * per_time
        return means
