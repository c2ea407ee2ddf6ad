"""The engine as Python sees it: packed worlds, commands in, steps forward, states and totals out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from operator import attrgetter
from typing import Any

import numpy as np
import warp as wp

from pushpoint.engine import packing as pack
from pushpoint.engine.compiled import launch
from pushpoint.engine.devices import check_device, guarded, usable_cores
from pushpoint.engine.engines import engine_of, refuse_others
from pushpoint.engine.memory import allowed_on
from pushpoint.engine.records import Records, per
from pushpoint.engine.samples import (
    PER_OBSTACLE,
    USUAL,
    arrays_of,
    drop_samples,
    is_taken,
    make_samples,
    put_first,
    tallies_of,
)
from pushpoint.engine.settings import Settings, Status
from pushpoint.engine.sharing import Shared, runs
from pushpoint.engine.signals import Command, Wave, two_frequencies
from pushpoint.engine.sizes import optional_counts, sizes_of
from pushpoint.engine.state import MOST_STEPS, SpatialState, State, checked_state
from pushpoint.engine.tables import Tables, are_equal
from pushpoint.engine.variants import Needs, form_of
from pushpoint.errors import InvalidModel, in_bytes
from pushpoint.kernels import structs
from pushpoint.kernels.forms import kernel
from pushpoint.kernels.rollouts import BLOCK
from pushpoint.model.environment import Environment
from pushpoint.model.spatial_robot import AnyRobot

WORLDS_PER_THREAD = 4
"""With fewer worlds than this, a second thread does not pay off."""


class Stepper:
    """Advances a batch of worlds, planar or spatial, and holds everything that the kernels read and write."""

    def __init__(
        self,
        robots: Sequence[AnyRobot],
        environments: Sequence[Environment],
        settings: Settings,
        *,
        variant: str | None = None,
        planes: bool | None = None,
    ) -> None:
        """`variant` and `planes` choose a form of the kernels; by default the leanest that fits batch and device."""
        check_device(settings.device)
        self._variant = variant
        self._planes = settings.device.startswith("cuda") if planes is None else planes
        self._engine = engine_of(robots)
        self.settings = settings
        self.n_worlds, self.n_links, self.n_joints = len(robots), robots[0].n_links, robots[0].n_joints
        self._sizes = sizes_of(robots, environments, settings)
        with guarded(settings.device, self._advice):
            self._pack(robots, environments)
        self._pool: ThreadPoolExecutor | None = None
        self._latest = 0  # no world is beyond this step
        self._loads: dict[str, np.ndarray] = {}  # on links, by who causes them
        self.passive = np.zeros(self.n_worlds, dtype=bool)
        """Worlds whose motors are off, whatever is commanded: no torque, as under a command of zero torque."""

    def _pack(self, robots: Sequence[AnyRobot], environments: Sequence[Environment]) -> None:
        """Makes all arrays."""
        engine, settings = self._engine, self.settings
        self._load_rows = self._loads_of(environments)
        records = self._records = Records(
            self.n_worlds, self.n_links, robots[0].axes, engine, settings,
            planes=self._planes, shared=are_equal(robots, environments),
        )  # fmt: skip
        self._numerics = pack.pack_numerics(records, settings, robots, engine.CONTACT_STIFFNESS)
        self._tables = Tables(engine, records, robots, environments, settings.dt)
        self._model, self._obstacles, self._drive = self._tables.model, self._tables.obstacles, self._tables.drive
        self._several = engine.several(robots)
        self._motion, self._work, self._tally = (
            records.room(kind, self._several) for kind in ("Motion", "Work", "Tally")
        )
        records.fill(self._tally, obstacles=np.zeros(self._n_loads))
        self._samples, self._wanted = make_samples(records, 0, 0, (), 0, 0), frozenset[str]()
        self._needs = Needs(robots, environments, settings, engine.NAME)
        self._groups: dict[str, Any] = {}  # which worlds each variant of the kernels advances, as arrays

    def _advice(self) -> str:
        """How many worlds would fit on the device."""
        fit = allowed_on(self.settings.device) // self._sizes.per_world
        return f"{self.n_worlds} worlds take {in_bytes(self._sizes.kernels)}, {fit} fit"

    def new_samples(self, count: int, every: int, *, wanted: Collection[str] = USUAL) -> None:
        """Makes space for samples 0 ... count - 1, one per `every` steps; the current state is the first.

        `wanted` names the samples to take (see samples.USUAL and samples.ON_REQUEST). The tallies of those on request
        begin at zero.
        """
        engine, records, tallies = self._engine, self._records, tallies_of(wanted)
        n_rows, n_spheres = self._n_loads, self._several.get("spheres", 0)
        with guarded(self.settings.device, self._advice):
            self._samples = make_samples(records, count, every, wanted, n_rows, n_spheres)
            for name, per_link in optional_counts(wanted, self._several, engine.MOST_AXES).items():
                if name in records.family.Tally.vars:
                    variable = records.family.Tally.vars[name]
                    setattr(self._tally, name, records.zeros(variable, self.n_worlds * self.n_links * per_link))
            if "reactions" in tallies:
                self._tally.reactions = records.make("Reaction", n_rows)
        self._wanted = frozenset(wanted)
        self._needs.details = bool(tallies)
        self._groups.clear()
        state = self.state()
        put_first(self._records, self._samples, {name: getattr(state, name) for name in self._engine.STARTS_WITH})

    def drop_samples(self, count: int) -> None:
        """Drops the first `count` samples and leaves as much space at the end."""
        drop_samples(self._records, self._samples, count)

    @property
    def load_size(self) -> int:
        """Number of components of a load on a link [-]: 3 in the plane, 6 in space."""
        return 3 * len(self._engine.LOADS)

    def samples(self) -> dict[str, np.ndarray]:
        """The samples so far, of those that are wanted; on a CPU, views that are being filled."""
        held = arrays_of(self._samples).items()
        found = {name: array.numpy() for name, array in held if is_taken(name, self._wanted)}
        rows = np.array([row for each in self._load_rows for row in each], dtype=int)
        for name in found.keys() & set(PER_OBSTACLE):
            if self._tables.blocks:
                counts = self._load_counts()
                found[name] = found[name][:, runs(self._tables.firsts(self._load_table, counts), counts)]
            if max(rows, default=1) > 1:  # an obstacle's load is that of its parts
                found[name] = np.add.reduceat(found[name], np.cumsum(rows) - rows, axis=1)
        return found

    @property
    def first_obstacle(self) -> np.ndarray:
        """Where the obstacles of each world begin among those of the batch, and their end, shape (n_worlds + 1,)."""
        return np.cumsum([0, *map(len, self._load_rows)])

    def _loads_of(self, environments: Sequence[Environment]) -> list[list[int]]:
        """Rows of loads of the obstacles of each world."""
        return Shared(environments).each(lambda place: [self._engine.load_rows(o) for o in place.obstacles])

    def _load_counts(self) -> np.ndarray:
        """Rows of loads of each world, shape (n_worlds,)."""
        return np.array([sum(each) for each in self._load_rows])

    @property
    def _load_table(self) -> str:
        """The table with blocks that has a row for each load."""
        return "owners" if "owners" in self._tables.blocks else "obstacles"

    @property
    def _n_loads(self) -> int:
        """Rows of loads of all worlds, with the gaps between them [-]."""
        blocks = self._tables.blocks
        return self.n_worlds * blocks[self._load_table] if blocks else int(self._load_counts().sum())

    def replace(self, rows: np.ndarray, robots: Sequence[AnyRobot], environments: Sequence[Environment]) -> None:
        """Puts other robots and environments into some worlds, in place; the state stays as it is.

        The state's contacts keep their impulses: those with an obstacle go on with the obstacle that has its number
        now. Samples are no longer taken until `new_samples` is called. Nothing is compiled, and arrays are made anew
        only when a world needs more room than any before.

        Args:
            rows: The worlds, by index, each once.
            robots: One for each of them, with links and joints as in the other worlds.
            environments: One for each of them.
        """
        tables, records = self._tables, self._records
        refuse_others(tables.robots[0], robots, self._several)
        before = tables.first_obstacles()
        with guarded(self.settings.device, self._advice):
            tables.put(rows, robots, environments)
            for row, loads in zip(rows.tolist(), self._loads_of(environments), strict=True):
                self._load_rows[row] = loads
            if self._samples.every or len(self._tally.obstacles) != self._n_loads:
                records.fill(self._tally, obstacles=np.zeros(self._n_loads))
                self._samples, self._wanted = make_samples(records, 0, 0, (), 0, 0), frozenset[str]()
        moved = tables.first_obstacles() - before
        margin = pack.near_margin(tables.robots)
        if moved.any():
            self._renumber(moved)
        stale = rows
        if moved.any() or margin != self._numerics.near_margin:
            self._numerics.near_margin, stale = margin, np.arange(self.n_worlds)
        records.write(self._motion, "links", "near_slack", np.full((len(stale), self.n_links), -1.0), rows=stale)
        none = np.zeros((len(rows), self.n_links), dtype=int)  # steps of a world without obstacles leave them alone
        records.write(self._motion, "links", "n_near", none, rows=rows)
        records.write(self._work, "n_contacts", None, none, rows=rows)
        if self._needs.replace(rows, robots, environments):
            self._groups.clear()

    def _renumber(self, moved: np.ndarray) -> None:
        """Lets contacts go on with their obstacles, whose rows have moved so far in each world."""
        records, engine = self._records, self._engine
        keys = records.read(self._motion, "contacts", "contact_key", several=True)
        on_obstacle = keys >= engine.FIRST_KEY
        keys += on_obstacle * (engine.FEATURES * moved)[:, None, None].astype(keys.dtype)
        records.write(self._motion, "contacts", "contact_key", keys)

    def load(self, state: State | SpatialState) -> None:
        """Sets the state of all worlds; raises InvalidModel if it belongs to another batch."""
        records, motion, engine = self._records, self._motion, self._engine
        state = checked_state(state, self.state(), engine.most(self._obstacles, self._several, self.n_links))
        self._latest = int(state.step.max())
        for array, names in engine.HELD.items():
            for name in names:
                records.write(motion, array, name, getattr(state, name), per=per(array))
        records.write(motion, "links", "near_slack", np.full((self.n_worlds, self.n_links), -1.0))

    def state(self) -> State | SpatialState:
        """A copy of the current state of all worlds."""
        read, motion, several = self._records.read, self._motion, self._several
        made: State | SpatialState = self._engine.STATE(
            **{
                name: read(motion, array, name, per=per(array), several=array in several)
                for array, names in self._engine.HELD.items()
                for name in names
            }
        )
        return made

    def initial(self, poses: Sequence[dict[str, Any]]) -> State | SpatialState:
        """The state of worlds that start in these poses (see Start.pose), with no contacts yet."""
        now = self.state()
        zero = {name: np.zeros_like(getattr(now, name)) for name in type(now).names()}
        stacked = {name: np.stack([pose[name] for pose in poses]) for name in self._engine.STARTS_WITH}
        return type(now)(**(zero | stacked))

    def use_waves(self, waves: Sequence[Wave], prescribed: Sequence[bool]) -> None:
        """Takes references from gaits that the kernels evaluate."""
        shared = Shared(waves)
        for name in ("offset", "sine", "cosine", "from_time"):
            self._write_joints(name, shared.stack(attrgetter(name)))
        pairs = shared.each(lambda wave: two_frequencies(wave.angular_frequency))
        self._write_joints("wave", np.stack([which for _, which in pairs]))
        self._records.write(self._drive, "worlds", "angular_frequency", [pair for pair, _ in pairs], per="world")
        self._records.write(self._drive, "worlds", "soft_start", [wave.soft_start for wave in waves], per="world")
        self._drive.source = int(structs.GAIT)
        self._write_modes(np.array(prescribed)[:, None], torque=False)

    def use_table(
        self,
        angle: np.ndarray,
        rate: np.ndarray,
        spacing: int,
        prescribed: Sequence[bool],
        *,
        held: bool = False,
        past: int = 0,
    ) -> None:
        """Takes references from nodes `spacing` steps apart, [world, node, joint], with cubics in between, or held.

        The first `past` steps of the table are done.
        """
        times = {"steps_per_node": spacing, "steps_past": past}
        self._records.fill(self._drive, table_angle=angle, table_rate=rate, **times)
        self._drive.source = int(structs.TABLE_HELD if held else structs.TABLE_CUBIC)
        self._write_modes(np.array(prescribed)[:, None], torque=False)

    def use_command(self, command: Command, steps: int) -> None:
        """Applies a controller's command for the next `steps` steps."""
        joints, links = (self.n_worlds, self.n_joints), (self.n_worlds, self.n_links, self.load_size)
        angle, rate, torque = (
            np.zeros(joints) if value is None else np.asarray(value, dtype=float)
            for value in (command.joint_angle, command.joint_rate, command.joint_torque)
        )
        load = np.zeros(links) if command.link_load is None else np.asarray(command.link_load, dtype=float)
        table = {"table_angle": angle[:, None], "table_rate": rate[:, None], "steps_per_node": steps}
        self._records.fill(self._drive, **table, steps_past=0)
        self._write_joints("torque", torque)
        self._loads["command"] = load
        self._write_loads(given=command.link_load is not None)
        self._drive.source = int(structs.TABLE_HELD)
        self._write_modes(np.array(command.prescribed), torque=command.joint_torque is not None)

    def _write_loads(self, *, given: bool) -> None:
        """Writes the loads on links, by whoever causes them; `given` says whether any are commanded."""
        load = np.sum(list(self._loads.values()), axis=0)
        for k, part in enumerate(self._engine.LOADS):
            self._records.write(self._drive, "loads", part, load[..., 3 * k : 3 * k + 3])
        self._drive.loaded = int(given or "push" in self._loads)
        self._note_commands(loaded=np.asarray(load.reshape(self.n_worlds, -1).any(axis=1)))

    def _write_joints(self, field: str, values: np.ndarray) -> None:
        self._records.write(self._drive, "joints", field, values, per="axis")

    def _write_modes(self, prescribed: np.ndarray, *, torque: bool) -> None:
        otherwise = structs.DRIVE_TORQUE if torque else structs.DRIVE_SERVO
        modes = np.where(prescribed, int(structs.DRIVE_PRESCRIBED), int(otherwise))
        modes = np.where(self.passive[:, None], int(structs.DRIVE_TORQUE), modes)  # nothing commands a torque there
        modes = np.broadcast_to(modes, (self.n_worlds, self.n_joints))
        self._note_commands(unplain=(modes != int(structs.DRIVE_SERVO)).any(axis=1))
        self._write_joints("mode", modes)

    def _note_commands(self, **commands: np.ndarray) -> None:
        """Takes up what commands need of the kernels, where it has changed."""
        for name, worlds in commands.items():
            if not np.array_equal(getattr(self._needs, name), worlds):
                setattr(self._needs, name, worlds)
                self._groups.clear()

    def advance(self, steps: int) -> None:
        """Runs `steps` time steps in every running world, spread over the machine's cores."""
        self._latest += steps
        if self._latest > MOST_STEPS:
            raise InvalidModel("steps in all", self._latest, f"at most {MOST_STEPS}")
        every, rows = self._samples.every, self._samples.center.shape[1]
        if every > 0 and self._latest // every - self._samples.first >= rows:
            raise InvalidModel("samples", self._latest // every, f"less than {rows + self._samples.first}")
        if not self._groups:
            self._group()
        for variant, chosen in self._groups.items():
            threads = min(usable_cores(), len(chosen) // WORLDS_PER_THREAD)
            if threads < 2 or self._records.on_gpu:
                self._launch(variant, 0, len(chosen), steps)
            else:
                self._launch_in_parts(variant, len(chosen), threads, steps)

    def _group(self) -> None:
        """Says which variant advances which worlds, and compiles and loads it before several threads need it."""
        groups = self._needs.groups() if self._variant is None else {self._variant: np.arange(self.n_worlds)}
        self._groups = {variant: self._records.array(worlds, wp.int32) for variant, worlds in groups.items()}
        for variant, chosen in self._groups.items():
            self._launch(variant, 0, len(chosen), 0)

    def _launch_in_parts(self, variant: str, count: int, threads: int, steps: int) -> None:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(usable_cores())
        edges = np.linspace(0, count, threads + 1).astype(int).tolist()
        list(self._pool.map(lambda a, b: self._launch(variant, a, b, steps), edges[:-1], edges[1:]))

    def _launch(self, variant: str, first: int, last: int, steps: int) -> None:
        inputs = [
            self._groups[variant], first, steps, self._numerics, self._model, self._obstacles, self._drive,
            self._motion, self._work, self._tally, self._samples,
        ]  # fmt: skip
        with guarded(self.settings.device):
            made = kernel(form_of(self._engine.NAME, variant, self._planes), self._records.real)
            launch(made, dim=last - first, inputs=inputs, device=self._records.device, block_dim=BLOCK)

    @property
    def variants(self) -> dict[str, int]:
        """Number of worlds that each variant of the kernels advances, by its name [-]."""
        if not self._groups:
            self._group()
        return {variant: len(chosen) for variant, chosen in self._groups.items()}

    def totals(self, name: str) -> np.ndarray:
        """A tally by name (see kernels.structs.Tally), shape (n_worlds,) or (n_worlds, n_links or n_joints, ...)."""
        if name in self._records.family.WorldTally.vars:
            return self._records.read(self._tally, "worlds", name, per="world")
        if name in self._records.family.JointTally.vars:
            return self._records.read(self._tally, "joints", name, per="axis")
        return self._records.read(self._tally, "links", name)

    def since_start(self, name: str) -> np.ndarray:
        """A total over all steps from WorldMotion, shape (n_worlds,); zeros if the engine does not have it."""
        if name not in self._records.family.WorldMotion.vars:
            return np.zeros(self.n_worlds)
        return self._records.read(self._motion, "worlds", name, per="world")

    def forget(self, chosen: np.ndarray) -> None:
        """Resets the tallies of some worlds."""
        family, kept = self._records.family, ~chosen
        for name in family.WorldTally.vars:
            self._records.write(self._tally, "worlds", name, kept * self.totals(name), per="world")
        for name in {"refused", "overlap", "turn"} & set(family.WorldMotion.vars):
            self._records.write(self._motion, "worlds", name, kept * self.since_start(name), per="world")

    def moves_by_numbers(self) -> np.ndarray:
        """Which worlds have no velocity that is not finite, shape (n_worlds,)."""
        velocities = (self._records.read(self._motion, "links", name) for name in ("v", "omega"))
        sound = [np.isfinite(each).reshape(self.n_worlds, -1).all(axis=1) for each in velocities]
        return np.asarray(np.logical_and(*sound))

    def running(self) -> np.ndarray:
        """Which worlds are still running, shape (n_worlds,)."""
        return self.since_start("status") == Status.RUNNING.code

    def end(self, chosen: np.ndarray, status: Status = Status.ENDED) -> None:
        """Ends those of the chosen worlds that are running."""
        codes = self.since_start("status")
        codes[chosen & self.running()] = status.code
        self._records.write(self._motion, "worlds", "status", codes, per="world")

    def statuses(self) -> list[Status]:
        """The status of each world."""
        return [Status.of_code(int(code)) for code in self.since_start("status")]
