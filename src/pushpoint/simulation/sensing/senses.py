"""Measurements from the stepper's state and running totals, as the worlds' sensors show them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pushpoint.engine.batching import merge, over_leaves, pick
from pushpoint.engine.signals import Measurement
from pushpoint.engine.state import SpatialState, State
from pushpoint.engine.stepper import Stepper
from pushpoint.model.sensors import PERFECT
from pushpoint.simulation.sensing.chain import Line, channels_of
from pushpoint.simulation.sensing.ranging import Ranges
from pushpoint.simulation.sensing.truths import PlanarTruth, SpatialTruth
from pushpoint.worlds.world import World


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
