"""The engine as Python sees it: packed worlds, commands in, steps forward, states and totals out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import warp as wp

from pushpoint.dynamics import pack
from pushpoint.dynamics.device import check_device
from pushpoint.dynamics.records import Records
from pushpoint.dynamics.settings import Settings, Status
from pushpoint.dynamics.signals import Command, Wave
from pushpoint.dynamics.state import State
from pushpoint.errors import InvalidModel
from pushpoint.kernels import rollout, structs
from pushpoint.model.environment import Environment
from pushpoint.model.robot import Robot

WORLDS_PER_THREAD = 4
"""Fewer worlds than this are not worth a second thread."""

PER_WORLD = ("step", "status", "center")
PER_LINK = ("theta", "omega", "v", "P_spin", "P_stop", "n_contacts")
PER_CONTACT = ("P_contact", "contact_key")


class Stepper:
    """Advances a batch of worlds; holds everything the kernels read and write."""

    def __init__(self, robots: Sequence[Robot], environments: Sequence[Environment], settings: Settings) -> None:
        check_device(settings.device)
        counts = sorted({robot.n_links for robot in robots})
        if len(counts) != 1:
            raise InvalidModel("worlds: number of links", counts, "the same in every world of a batch")
        self.settings = settings
        self.n_worlds, self.n_links, self.n_joints = len(robots), counts[0], counts[0] - 1
        self.first_obstacle = np.cumsum([0, *(len(environment.obstacles) for environment in environments)])
        records = self._records = Records(self.n_worlds, self.n_links, settings)
        self._numerics = pack.pack_numerics(records, settings, robots)
        self._model = pack.pack_model(records, robots, environments)
        self._obstacles = pack.pack_obstacles(records, environments)
        self._drive = pack.pack_drive(records, robots)
        self._motion = pack.make_motion(records, self._model.most_points)
        self._work = pack.make_work(records, self._model.most_points)
        self._tally = pack.make_tally(records, int(self.first_obstacle[-1]))
        self._samples = pack.make_samples(records, 0, 0, 0)
        self._kernel = rollout.kernel(records.real)
        self._pool: ThreadPoolExecutor | None = None

    def new_samples(self, count: int, every: int, *, with_obstacles: bool) -> None:
        """Makes room for samples 0 ... count - 1, one per `every` steps, and records the present state as the first."""
        n_obstacles = int(self.first_obstacle[-1]) if with_obstacles else 0
        self._samples = pack.make_samples(self._records, count, every, n_obstacles)
        state = self.state()
        for name in ("center", "theta", "v", "omega"):
            array = getattr(self._samples, name)
            host = array.numpy()
            host[:, 0] = getattr(state, name)
            if self._records.on_gpu:
                array.assign(host)

    def samples(self) -> dict[str, np.ndarray]:
        """The samples so far; on a CPU these are views that go on filling."""
        names = (name for name in self._samples._cls.vars if name not in ("every", "with_obstacles"))
        return {name: getattr(self._samples, name).numpy() for name in names}

    def load(self, state: State) -> None:
        """Makes this the present state of all worlds; refuses one of another batch."""
        records, motion = self._records, self._motion
        now = self.state()
        for name in State.names():
            shape, fits = np.shape(getattr(state, name)), np.shape(getattr(now, name))
            if shape != fits:
                raise InvalidModel(f"state.{name}", shape, f"of shape {fits}, as of this batch")
        for name in PER_WORLD:
            records.write(motion.worlds, getattr(state, name), name, per_link=False)
        for name in PER_LINK:
            records.write(motion.links, getattr(state, name), name)
        for name in PER_CONTACT:
            records.write(motion.contacts, getattr(state, name), name)
        records.write(motion.points, state.P_ground)
        records.write(motion.links, np.full((self.n_worlds, self.n_links), -1.0), "near_slack")

    def state(self) -> State:
        """A copy of the present state of all worlds."""
        records, motion = self._records, self._motion
        worlds = motion.worlds.numpy()
        most = int(structs.MOST_CONTACTS)
        return State(
            **{name: np.array(worlds[name]) for name in PER_WORLD},
            **{name: records.read(motion.links, name) for name in PER_LINK},
            **{name: records.read(motion.contacts, name, most=most) for name in PER_CONTACT},
            P_ground=records.read(motion.points, most=self._model.most_points),
        )

    def initial(self, poses: Sequence[dict[str, Any]]) -> State:
        """The state of worlds that start in these poses (see Start.pose), nothing touched yet."""
        now = self.state()
        zero = {name: np.zeros_like(getattr(now, name)) for name in State.names()}
        stacked = {name: np.stack([pose[name] for pose in poses]) for name in ("center", "theta", "v", "omega")}
        return State(**(zero | stacked))

    def use_waves(self, waves: Sequence[Wave], prescribed: Sequence[bool]) -> None:
        """References come from gaits that the kernels evaluate."""
        for name in ("offset", "sine", "cosine"):
            self._write_joints(name, np.stack([getattr(wave, name) for wave in waves]))
        for name in ("angular_frequency", "soft_start"):
            values = [getattr(wave, name) for wave in waves]
            self._records.write(self._drive.worlds, values, name, per_link=False)
        self._drive.source = int(structs.GAIT)
        self._write_modes(np.array(prescribed)[:, None], torque=False)

    def use_table(
        self, angle: np.ndarray, rate: np.ndarray, spacing: int, prescribed: Sequence[bool], *, held: bool = False
    ) -> None:
        """References by nodes `spacing` steps apart, [world, node, joint]: a cubic between them, or held."""
        self._records.fill(self._drive, table_angle=angle, table_rate=rate, steps_per_node=spacing)
        self._drive.source = int(structs.TABLE_HELD if held else structs.TABLE_CUBIC)
        self._write_modes(np.array(prescribed)[:, None], torque=False)

    def use_command(self, command: Command, steps: int) -> None:
        """A controller's command, held for the next `steps` steps."""
        joints, links = (self.n_worlds, self.n_joints), (self.n_worlds, self.n_links, 3)
        angle, rate, torque = (
            np.zeros(joints) if value is None else np.asarray(value, dtype=float)
            for value in (command.joint_angle, command.joint_rate, command.joint_torque)
        )
        load = np.zeros(links) if command.link_load is None else np.asarray(command.link_load, dtype=float)
        self._records.fill(self._drive, table_angle=angle[:, None], table_rate=rate[:, None], steps_per_node=steps)
        self._write_joints("torque", torque)
        self._records.write(self._drive.loads, load)
        self._drive.loaded = int(command.link_load is not None)
        self._drive.source = int(structs.TABLE_HELD)
        self._write_modes(np.array(command.prescribed), torque=command.joint_torque is not None)

    def _write_joints(self, field: str, values: np.ndarray) -> None:
        self._records.write(self._drive.joints, np.pad(values, ((0, 0), (0, 1))), field)

    def _write_modes(self, prescribed: np.ndarray, *, torque: bool) -> None:
        otherwise = structs.DRIVE_TORQUE if torque else structs.DRIVE_SERVO
        modes = np.where(prescribed, int(structs.DRIVE_PRESCRIBED), int(otherwise))
        self._write_joints("mode", np.broadcast_to(modes, (self.n_worlds, self.n_joints)))

    def advance(self, steps: int) -> None:
        """Runs `steps` time steps in every world that is still running; worlds are spread over the machine's cores."""
        threads = min(os.cpu_count() or 1, self.n_worlds // WORLDS_PER_THREAD)
        if threads < 2 or self._records.on_gpu:
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
                first, steps, self._numerics, self._model, self._obstacles, self._drive,
                self._motion, self._work, self._tally, self._samples,
            ],
            device=self._records.device,
        )  # fmt: skip

    def totals(self, name: str) -> np.ndarray:
        """A tally by name (see kernels.structs.Tally), shape (n_worlds,) or (n_worlds, n_links or n_joints, ...)."""
        if name in self._records.family.WorldTally.vars:
            return np.array(self._tally.worlds.numpy()[name])
        if name in self._records.family.JointTally.vars:
            return self._records.read(self._tally.joints, name)[:, : self.n_joints]
        return self._records.read(self._tally.links, name)

    def statuses(self) -> list[Status]:
        """How each world stands."""
        return [Status.of_code(int(code)) for code in self._motion.worlds.numpy()["status"]]
