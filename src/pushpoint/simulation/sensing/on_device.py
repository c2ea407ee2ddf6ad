"""Measurements that never leave the device: the same quantities as in `senses`, as arrays of a library there.

Worlds come from a pool. What their sensors are like is a table of the pool, from which a world that begins takes its
row. Noise is a function of a number that the world began with, of the quantity and of the sample: equal numbers give
equal noise, whatever the slot.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import warp as wp

from pushpoint.engine.compiled import launch
from pushpoint.engine.on_device.beside_warp import view_of
from pushpoint.engine.on_device.namespaces import Constant, namespace_of
from pushpoint.engine.on_device.pool import PooledStepper
from pushpoint.engine.signals import Measurement
from pushpoint.errors import InvalidModel
from pushpoint.kernels.pools import normal_numbers
from pushpoint.model.sensors import PERFECT, QUANTITIES
from pushpoint.simulation.sensing.line import channels_of, periods_of
from pushpoint.simulation.sensing.truth import TOTALS, PlanarTruth, SpatialTruth
from pushpoint.worlds.world import World

NUMBERS = ("every", "delay", "gain", "noise", "bias", "quantum")
"""What a channel is given by."""


class DeviceLine:
    """One quantity of all worlds on its way from the truth to the readings; see `line.Line`."""

    def __init__(self, quantity: str, worlds: Sequence[World], period: float, like: Any, device: str) -> None:
        """`worlds` are those of the pool, `like` holds as many values as the quantity has, on the device."""
        space = self._space = namespace_of(like)
        channels = channels_of(worlds, quantity)
        fields = [f"worlds[{w}].sensors.{quantity}" for w in range(len(worlds))]
        counts = [periods_of(field, each, period) for field, each in zip(fields, channels, strict=True)]
        numbers = [(each.gain, each.noise, each.bias, each.quantum) for each in channels]
        self._table = Constant(np.hstack((counts, numbers))).like(like)
        """NUMBERS of the worlds of the pool."""
        self._noisy, self._rounded = (any(getattr(each, name) for each in channels) for name in ("noise", "quantum"))
        self._all = space.arange(like.shape[0], device=like.device)
        self._own, self._turn = self._table[space.zeros_like(self._all)], space.zeros_like(self._all) - 1
        self._past = space.stack([space.zeros_like(like)] * (1 + max(delay for _, delay in counts)))
        """The latest samples, the last one first."""
        shape = tuple(like.shape)
        seed, sample = (wp.zeros(shape[0], dtype=wp.int32, device=device) for _ in range(2))
        drawn = wp.zeros(shape, dtype=wp.float32, device=device)
        self._seed, self._sample, self._drawn = (view_of(each, space) for each in (seed, sample, drawn))
        inputs = [seed, QUANTITIES.index(quantity), sample, drawn]
        self._drawing = launch(normal_numbers, dim=shape, inputs=inputs, device=device, record_cmd=True)

    def _number(self, name: str) -> Any:
        """One of the numbers of the channels of all worlds, shape (n_worlds, 1)."""
        k = NUMBERS.index(name)
        return self._own[:, k : k + 1]

    def restart(self, chosen: Any, which: Any, noise: Any) -> None:
        """Begins in the chosen worlds, which are those of the pool."""
        where = self._space.where
        self._own = where(chosen[:, None], self._table[which], self._own)
        self._turn = where(chosen, -1, self._turn)
        self._seed[...] = where(chosen, noise, self._seed)

    def begin(self, active: Any) -> Any:
        """Starts the next turn of the active worlds; returns which of them take a sample."""
        self._turn = self._turn + active
        return active & (self._turn % self._number("every")[:, 0] == 0)

    def pass_on(self, values: Any, due: Any, active: Any) -> Any:
        """The readings of this turn, shape (n_worlds, size)."""
        space, gain = self._space, self._number("gain")
        samples = space.where(gain != 0.0, gain * values, 0.0) + self._number("bias")
        if self._noisy:
            self._sample[...] = self._turn
            self._drawing.launch()
            samples = samples + self._number("noise") * self._drawn
        if self._rounded:
            quantum = self._number("quantum")
            step = space.where(quantum > 0.0, quantum, 1.0)
            samples = space.where(quantum > 0.0, space.round(samples / step) * step, samples)
        now = space.where(due[:, None], samples, self._past[0])
        moved = space.concatenate((now[None], self._past[:-1]), axis=0)
        self._past = space.where(active[None, :, None], moved, self._past)
        delay = space.asarray(self._number("delay")[:, 0], dtype=self._turn.dtype)
        return self._past[space.minimum(delay, self._turn), self._all]


class DeviceSenses:
    """Measures all worlds of a batch that comes from a pool; see `senses.Senses`."""

    def __init__(self, stepper: PooledStepper, worlds: Sequence[World], space: Any, *, period: int) -> None:
        """`worlds` are those of the pool; readings are `period` time steps apart."""
        for k, world in enumerate(worlds):
            if world.senses_range or world.sensors.rays:
                raise InvalidModel(f"worlds[{k}].sensors", "with ranges", "without them: use a Simulator for ranges")
        self._stepper, self._space, self._dt = stepper, space, stepper.settings.dt
        self._truth = SpatialTruth(worlds) if worlds[0].spatial else PlanarTruth(worlds)
        if not self._truth.is_common:
            raise InvalidModel("worlds", "with several IMU links or gravities", "alike in both on a device")
        one = self._truth.imu_sizes[0] == 1
        self._single = ("imu_heading", "imu_angular_rate") if one else ("imu_heading",)
        state = self._state()
        shown, motion, _ = self._truth.read(state)
        self._before = self._totals(motion)
        """Running totals at each world's last sample."""
        sizes = {**shown, **self._before, "center_of_mass": state.center, "imu_acceleration": state.center}
        self._lines = {
            name: DeviceLine(name, worlds, period * self._dt, sizes[name], stepper.settings.device)
            for name in QUANTITIES
            if name in sizes and any(channel != PERFECT for channel in channels_of(worlds, name))
        }
        self._all = space.ones_like(state.step, dtype=space.bool)
        self._since = dict.fromkeys(self._before, state.step)
        self._latest: dict[str, Any] | None = None

    def _state(self) -> SimpleNamespace:
        return SimpleNamespace(**self._stepper.now(*self._truth.fields))

    def _totals(self, motion: Any) -> dict[str, Any]:
        """The totals whose changes give the means: angular and linear impulses, motion of the IMU's link."""
        totals = self._stepper.now(*TOTALS.values())
        return {name: totals[total] for name, total in TOTALS.items()} | {"imu_acceleration": motion}

    def restart(self, chosen: Any, which: Any, noise: Any) -> Measurement:
        """The first measurement of the chosen worlds, which are those of the pool; the last one again for others."""
        looked = self._look()
        for name, total in looked.totals.items():
            self._begin_interval(name, total, looked.step, chosen)
        for line in self._lines.values():
            line.restart(chosen, which, noise)
        return self._read(chosen, looked)

    def read(self, active: Any = None) -> Measurement:
        """The next measurement of the active worlds, by default of all; the others repeat their last one."""
        return self._read(active, self._look())

    def _read(self, active: Any, looked: SimpleNamespace) -> Measurement:
        now = self._take(self._all if active is None else active, looked)
        if active is not None and self._latest is not None:
            now = {name: self._chosen(active, value, self._latest[name]) for name, value in now.items()}
        self._latest = now
        return Measurement(**now)

    def _look(self) -> SimpleNamespace:
        """What is true now."""
        state = self._state()
        shown, motion, pose = self._truth.read(state)
        return SimpleNamespace(step=state.step, shown=shown, pose=pose, totals=self._totals(motion))

    def _take(self, active: Any, looked: SimpleNamespace) -> dict[str, Any]:
        """A measurement in which the active worlds advance by one turn; the values of the others are meaningless."""
        step, shown, pose, space = looked.step, looked.shown, looked.pose, self._space
        due = {name: line.begin(active) for name, line in self._lines.items()}
        shown["center_of_mass"] = pose["center_of_mass"]
        for name, total in looked.totals.items():
            elapsed = space.asarray(step - self._since[name], dtype=total.dtype)[:, None] * self._dt
            per_time = space.where(elapsed > 0.0, 1.0 / space.where(elapsed > 0.0, elapsed, 1.0), 0.0)
            change = total - self._before[name]
            is_imu = name == "imu_acceleration"
            shown[name] = self._truth.imu_acceleration(total, change, per_time) if is_imu else change * per_time
            self._begin_interval(name, total, step, due.get(name, active))
        for name, line in self._lines.items():
            shown[name] = line.pass_on(shown[name], due[name], active)
        for name in self._single:
            shown[name] = shown[name][:, 0]
        return {**pose, **shown, "time": space.asarray(step, dtype=pose["center_of_mass"].dtype) * self._dt}

    def _begin_interval(self, name: str, total: Any, step: Any, chosen: Any) -> None:
        if chosen is self._all:
            self._before[name], self._since[name] = total, step
        else:
            self._before[name] = self._chosen(chosen, total, self._before[name])
            self._since[name] = self._chosen(chosen, step, self._since[name])

    def _chosen(self, chosen: Any, new: Any, old: Any) -> Any:
        return self._space.where(chosen.reshape(-1, *[1] * (new.ndim - 1)), new, old)
