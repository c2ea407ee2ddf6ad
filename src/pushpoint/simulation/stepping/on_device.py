"""Worlds that are stepped from outside without leaving their device."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal

import numpy as np

from pushpoint.engine.on_device.beside_warp import in_order_with
from pushpoint.engine.on_device.namespaces import Constant, library
from pushpoint.engine.on_device.pool import PooledStepper
from pushpoint.engine.settings import Settings, Status
from pushpoint.engine.signals import PARTS, Command, Measurement
from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import instance
from pushpoint.model.quantities import Frequency, Natural
from pushpoint.simulation.driving import whole_steps
from pushpoint.simulation.estimate import batch_of, refuse_too_many
from pushpoint.simulation.rollout import prepared
from pushpoint.simulation.sensing.on_device import DeviceSenses
from pushpoint.worlds.world import World, checked

FAILED = Constant([status.failed for status in Status])
"""Which of the codes of a status mean that something went wrong."""
ON_DEVICE = ("joint_angle", "joint_rate", "joint_torque")
"""What a command may hold on a device."""


class DeviceSimulator:
    """Worlds that are stepped from outside without leaving their device: commands and measurements are tensors there.

        worlds = [pp.World(pp.catalogue.aiko_planar(), pp.Environment())]
        simulator = pp.DeviceSimulator(worlds, slots=4, rate=50.0, arrays="numpy")
        measured = simulator.reset()
        for _ in range(10):
            measured = simulator.step(pp.Command(joint_angle=np.full((4, worlds[0].robot.n_joints), 0.1)))

    On a GPU, arrays are those of torch. Others take their memory by DLPack: `jax.dlpack.from_dlpack`,
    `warp.from_dlpack`. Nothing waits for the GPU but the check that commands are finite.

    The worlds are a pool that is packed once. Each slot holds one of them; `reset` puts another one there by its
    number. A slot acts as the same world in a Simulator, to rounding. Noise has other numbers than there: it is a
    function of the sensors' seed and stream, or of what `reset` is given.

    Args:
        worlds: The pool of worlds. Their controllers are not used. They have the same kind of robot.
        slots: How many worlds are stepped together; default: as many as there are in the pool.
        rate: Commands per simulated second [Hz]. The period must be a whole number of time steps.
        settings: Numerical settings, with the device.
        arrays: The library of the arrays: "torch", or on a CPU "numpy".
    """

    @checked_arguments
    def __init__(
        self,
        worlds: Sequence[World],
        *,
        slots: Natural | None = None,
        rate: Frequency = 100.0,
        settings: Settings = Settings(),
        arrays: Literal["torch", "numpy"] = "torch",
    ) -> None:
        """Packs the pool."""
        self.worlds = checked(worlds)
        """The pool."""
        self.settings, self.slots = settings, len(self.worlds) if slots is None else slots
        if not self.slots:
            raise InvalidModel("slots", slots, "at least one")
        self.space = library(arrays, settings.device)
        """The library of the arrays."""
        self._rate, self._period = rate, whole_steps("rate", rate, settings.dt)
        of_pool, links = batch_of(self.worlds, settings), self.worlds[0].robot.n_links
        refuse_too_many(self.slots, links, settings, of_pool.kernels + self.slots * of_pool.per_world)
        pool = prepared(self.worlds, settings)
        with self.on_stream():
            self._stepper = PooledStepper(pool, self.slots, self.space)
            self._senses = DeviceSenses(self._stepper, self.worlds, self.space, period=self._period)
        turns = np.arange(self.slots) % len(self.worlds)
        like = self._stepper.now("step")["step"]
        self.like = self._stepper.now("center")["center"][:, 0]
        """One number of the kernels' precision per slot."""
        self._which = Constant(turns.astype(np.int32)).like(like)
        self._all = self.space.ones_like(like, dtype=self.space.bool)
        self._seeds = Constant(_noise_of(self.worlds)).like(like)
        self._begun = False

    def on_stream(self) -> AbstractContextManager[None]:
        """Warp works in order with the library."""
        return in_order_with(self.space, self.settings.device)

    def __repr__(self) -> str:
        pool = len(self.worlds)
        return f"<DeviceSimulator of {self.slots} worlds from a pool of {pool} on {self.settings.device}>"

    def reset(self, mask: Any = None, which: Any = None, noise: Any = None) -> Measurement:
        """Lets worlds begin and returns a measurement of all of them.

        Args:
            mask: Which slots begin anew, truth values of shape (slots,); default: all. The others repeat their last
                measurement.
            which: The world of the pool that each slot gets, whole numbers of shape (slots,), read where the mask is
                true; default: the one that it had, at first those of the pool in turn.
            noise: Whole numbers of 32 bits, shape (slots,), that noise is a function of; default: of the sensors.
        """
        chosen = self._all if mask is None else self.taken("mask", mask, self.space.bool)
        if not self._begun and mask is not None:
            raise InvalidModel("mask", "given", "left out in the first reset")
        numbers = self._which if which is None else self.taken("which", which, self.space.int32)
        if which is not None and not self._are_worlds(numbers, chosen):
            raise InvalidModel("which", "a number beyond the pool", f"from 0 to {len(self.worlds) - 1}")
        return self.begin(chosen, numbers, None if noise is None else self.taken("noise", noise, self.space.int32))

    def begin(self, chosen: Any, which: Any, noise: Any = None) -> Measurement:
        """The same for arrays that are known to be right: nothing waits for the device."""
        with self.on_stream():
            self._which = self.space.where(chosen, which, self._which)
            self._stepper.begin(chosen, self._which)
            self._begun = True
            row = self.space.asarray(self._which, dtype=self.space.int64)
            return self._senses.restart(chosen, row, self._seeds[row] if noise is None else noise)

    def step(self, command: Command, active: Any = None) -> Measurement:
        """Applies a command for one period and returns what is measured at its end.

        Args:
            command: The command for all slots: joint angles and rates, or torques.
            active: Which slots move, truth values of shape (slots,); default: all. The others stand still and repeat
                their last measurement. The mask is read here, so this waits for the device.
        """
        instance("command", command, Command, "a Command")
        for name in (*PARTS, "prescribed"):
            value = getattr(command, name)
            if name not in ON_DEVICE and value is not None and value is not False:
                raise InvalidModel(f"command.{name}", "given", "left out on a device")
        given = {name: getattr(command, name) for name in ON_DEVICE if getattr(command, name) is not None}
        parts = {name: self.checked(f"command.{name}", each, self._stepper.n_joints) for name, each in given.items()}
        moving = None if active is None else self.taken("active", active, self.space.bool)
        return self.advance(Command(**parts), moving)

    def advance(self, command: Command, active: Any = None) -> Measurement:
        """The same for a command that is known to be right: nothing waits for the device."""
        if not self._begun:
            self.reset()
        with self.on_stream():
            angle, rate, torque = (getattr(command, name) for name in ON_DEVICE)
            self._stepper.use_arrays(self._period, angle=angle, rate=rate, torque=torque)
            on_host = None if active is None else np.asarray(active if self.space is np else active.cpu())
            self._stepper.advance(self._period, on_host)
            return self._senses.read(active)

    def checked(self, field: str, values: Any, columns: int) -> Any:
        """Finite numbers on the device, one row per slot, without what they were computed from; waits for the device.

        A tensor that keeps its past would hold on to all steps before.
        """
        self._check(field, values, (self.slots, columns), "numbers")
        if not bool(self.space.isfinite(values).all()):
            raise InvalidModel(field, "nan or infinite", "finite")
        return values if self.space is np else values.detach()

    def taken(self, field: str, values: Any, dtype: Any) -> Any:
        """One number per slot of this type."""
        what, kind = ("truth values", "bool") if dtype is self.space.bool else ("whole numbers", "int")
        self._check(field, values, (self.slots,), what)
        if kind not in str(values.dtype):
            raise InvalidModel(field, str(values.dtype), what)
        return self.space.asarray(values, dtype=dtype)

    def _check(self, field: str, values: Any, shape: tuple[int, ...], what: str) -> None:
        """Raises InvalidModel unless these are an array of the library on the device, of this shape."""
        kind = self.space.ndarray if self.space is np else self.space.Tensor
        if not isinstance(values, kind) or values.device != self._all.device:
            where = f"an array of {self.space.__name__} on {self.settings.device} with {what} of shape {shape}"
            raise InvalidModel(field, values if isinstance(values, str | int | float) else type(values).__name__, where)
        if tuple(values.shape) != shape:
            raise InvalidModel(field, tuple(values.shape), f"of shape {shape}")

    def _are_worlds(self, numbers: Any, chosen: Any) -> bool:
        outside = (numbers < 0) | (numbers >= len(self.worlds))
        return not bool((outside & chosen).any())

    @property
    def failed(self) -> Any:
        """Which slots hold a world that failed, truth values of shape (slots,); it stands still until it is reset."""
        with self.on_stream():
            codes = self._stepper.now("status")["status"]
            return FAILED.like(codes)[self.space.asarray(codes, dtype=self.space.int64)]

    @property
    def statuses(self) -> list[Status]:
        """The status of each slot's world."""
        return self._stepper.statuses()


def _noise_of(worlds: Sequence[World]) -> np.ndarray:
    """A number for the noise of each world of a pool, from the seed and the stream of its sensors; 32 bits."""
    found = []
    for k, sensors in enumerate(world.sensors for world in worlds):
        stream = k if sensors.stream is None else sensors.stream
        found.append(np.random.SeedSequence((sensors.seed, stream)).generate_state(1))
    return np.concatenate(found).view(np.int32)
