"""The engine as Python sees it: packed worlds, commands in, steps forward, states and tallies out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import warp as wp

from pushpoint.dynamics.device import check_device
from pushpoint.dynamics.pack import Packer, pack_chain, pack_drive, pack_ground, pack_numerics, pack_pegs
from pushpoint.dynamics.settings import Settings, Status
from pushpoint.dynamics.signals import Command, Wave
from pushpoint.dynamics.state import State
from pushpoint.kernels import rollout, structs
from pushpoint.model.environment import Environment
from pushpoint.model.robot import Robot

WORLDS_PER_THREAD = 4
"""Fewer worlds than this are not worth a second thread."""


class Stepper:
    """Advances a batch of worlds; holds everything the kernels read and write."""

    def __init__(self, robots: Sequence[Robot], environments: Sequence[Environment], settings: Settings) -> None:
        check_device(settings.device)
        self.settings = settings
        self.n_worlds, self.n_links, self.n_joints = len(robots), robots[0].n_links, robots[0].n_joints
        packer = self._packer = Packer(settings)
        self._chain = pack_chain(packer, robots)
        self._ground = pack_ground(packer, robots, environments)
        self._pegs = pack_pegs(packer, environments)
        self._numerics = pack_numerics(packer, settings, robots)
        self._drive = pack_drive(packer, robots)
        self.first_peg = self._pegs.first.numpy()
        n_points = self._ground.to_point.shape[2]
        self._motion = self._make("Motion", n_points)
        self._work = self._make("Work", n_points)
        self._tally = self._make("Tally", n_points)
        self._samples = self.no_samples()
        self._kernel = rollout.kernel(packer.real)
        self._pool: ThreadPoolExecutor | None = None

    def _make(self, name: str, n_points: int) -> Any:
        """A struct of zeros whose arrays have one row per world; the number of axes tells what else they range over."""
        struct = getattr(self._packer.family, name)()
        shapes: dict[str, tuple[int, ...]] = {}
        for field, variable in struct._cls.vars.items():
            last = structs.MOST_NEAR if field == "near" else n_points if "point" in field or field == "P_ground" else None
            axes = (self.n_worlds, self.n_links, last or structs.MOST_CONTACTS)
            shapes[field] = axes[: variable.type.ndim]
        if name == "Tally":
            shapes["peg"] = (max(1, int(self.first_peg[-1])),)
        return self._packer.empty_like_shapes(struct, shapes)

    def no_samples(self) -> Any:
        """Samples that record nothing."""
        struct = self._packer.family.Samples()
        arrays = {name: (0,) * kind.type.ndim for name, kind in struct._cls.vars.items() if isinstance(kind.type, wp.array)}
        return self._packer.fill(self._packer.empty_like_shapes(struct, arrays), every=0, with_pegs=0)

    def new_samples(self, count: int, every: int, *, with_pegs: bool) -> Any:
        """Room for samples 0 ... count - 1, one per `every` steps."""
        struct = self._packer.family.Samples()
        shapes: dict[str, tuple[int, ...]] = {}
        for name, kind in struct._cls.vars.items():
            if isinstance(kind.type, wp.array):
                per_joint = name in ("reference", "motor", "motor_work")
                shapes[name] = (self.n_worlds, count, self.n_joints if per_joint else self.n_links)[: kind.type.ndim]
        shapes["peg"] = (count if with_pegs else 0, max(1, int(self.first_peg[-1])))
        self._samples = self._packer.fill(
            self._packer.empty_like_shapes(struct, shapes), every=every, with_pegs=int(with_pegs)
        )
        return self._samples

    def load(self, state: State) -> None:
        """Makes this the present state of all worlds."""
        for name in State.names():
            self._set(self._motion, name, getattr(state, name))
        self._motion.near_slack.fill_(-1.0)

    def state(self) -> State:
        """A copy of the present state of all worlds."""
        return State(**{name: np.array(getattr(self._motion, name).numpy()) for name in State.names()})

    def initial(self, poses: Sequence[dict[str, Any]]) -> State:
        """The state of worlds that start in these poses (see Start.pose), nothing touched yet."""
        zero = {name: np.zeros_like(getattr(self._motion, name).numpy()) for name in State.names()}
        stacked = {name: np.stack([pose[name] for pose in poses]) for name in ("center", "theta", "v", "omega")}
        return State(**(zero | stacked))

    def use_waves(self, waves: Sequence[Wave], prescribed: Sequence[bool]) -> None:
        """References come from gaits that the kernels evaluate."""
        for name in ("offset", "sine", "cosine", "angular_frequency", "soft_start"):
            self._set(self._drive, name, np.stack([getattr(wave, name) for wave in waves]))
        self._drive.source = int(structs.GAIT)
        self._set_modes(np.array(prescribed)[:, None], torque=False)

    def use_table(self, angle: np.ndarray, rate: np.ndarray, spacing: int, prescribed: Sequence[bool]) -> None:
        """References are a cubic through nodes `spacing` steps apart, shape (n_worlds, n_nodes, n_joints)."""
        self._packer.fill(self._drive, table_angle=angle, table_rate=rate, steps_per_node=spacing)
        self._drive.source = int(structs.TABLE_CUBIC)
        self._set_modes(np.array(prescribed)[:, None], torque=False)

    def use_command(self, command: Command, steps: int) -> None:
        """A controller's command, held for the next `steps` steps."""
        shape = (self.n_worlds, self.n_joints)
        zeros = np.zeros(shape)
        angle = zeros if command.joint_angle is None else np.broadcast_to(command.joint_angle, shape)
        rate = zeros if command.joint_rate is None else np.broadcast_to(command.joint_rate, shape)
        torque = zeros if command.joint_torque is None else np.broadcast_to(command.joint_torque, shape)
        self._packer.fill(self._drive, table_angle=angle[:, None], table_rate=rate[:, None], steps_per_node=steps)
        self._set(self._drive, "torque", torque)
        load = np.zeros((self.n_worlds, self.n_links, 3)) if command.link_load is None else command.link_load
        self._set(self._drive, "load", np.broadcast_to(load, (self.n_worlds, self.n_links, 3)))
        self._drive.source = int(structs.TABLE_HELD)
        self._set_modes(np.array(command.prescribed), torque=command.joint_torque is not None)

    def _set_modes(self, prescribed: np.ndarray, *, torque: bool) -> None:
        otherwise = structs.DRIVE_TORQUE if torque else structs.DRIVE_SERVO
        modes = np.where(prescribed, int(structs.DRIVE_PRESCRIBED), int(otherwise))
        self._set(self._drive, "mode", np.broadcast_to(modes, (self.n_worlds, self.n_joints)))

    def _set(self, struct: Any, name: str, values: np.ndarray) -> None:
        target = getattr(struct, name)
        wp.copy(target, self._packer.array(values, target.dtype))

    def advance(self, steps: int) -> None:
        """Runs `steps` time steps in every world that is still running; worlds are spread over the machine's cores."""
        threads = min(os.cpu_count() or 1, self.n_worlds // WORLDS_PER_THREAD)
        if threads < 2 or self._packer.device != "cpu":
            self._launch(0, self.n_worlds, steps)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(threads)
            self._launch(0, self.n_worlds, 0)  # compiles and loads before two threads ask for the same module
        edges = np.linspace(0, self.n_worlds, threads + 1).astype(int)
        list(self._pool.map(lambda k: self._launch(int(edges[k]), int(edges[k + 1]), steps), range(threads)))

    def _launch(self, first: int, last: int, steps: int) -> None:
        wp.launch(
            self._kernel,
            dim=last - first,
            inputs=[
                first, steps, self._numerics, self._chain, self._ground, self._pegs, self._drive,
                self._motion, self._work, self._tally, self._samples,
            ],
            device=self._packer.device,
        )  # fmt: skip

    def tallies(self, *names: str) -> dict[str, np.ndarray]:
        """Copies of running totals: impulses since the start, see kernels.structs.Tally."""
        return {name: np.array(getattr(self._tally, name).numpy()) for name in names}

    def statuses(self) -> list[Status]:
        """How each world stands."""
        return [Status.of_code(int(code)) for code in self._motion.status.numpy()]
