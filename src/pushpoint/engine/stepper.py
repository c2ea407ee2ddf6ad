"""The engine as Python sees it: packed worlds, commands in, steps forward, states and totals out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

import numpy as np

from pushpoint.engine import packing as pack
from pushpoint.engine.devices import check_device, guarded
from pushpoint.engine.engines import engine_of, refuse_others
from pushpoint.engine.launches import Launches
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
from pushpoint.engine.state import MOST_STEPS, SpatialState, State, check_numbers, checked_state
from pushpoint.engine.tables.constant import Tables, are_equal
from pushpoint.engine.tables.renumbering import renumber_contacts
from pushpoint.engine.variants import Needs
from pushpoint.errors import InvalidModel, in_bytes
from pushpoint.kernels import structs
from pushpoint.model.environment import Environment
from pushpoint.model.spatial_robot import AnyRobot


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
        shared: bool | None = None,
    ) -> None:
        """`variant`, `planes` and `shared` choose a form of kernels and tables; by default the leanest."""
        check_device(settings.device)
        self._engine = engine_of(robots)
        self.settings = settings
        self.n_worlds, self.n_links, self.n_joints = len(robots), robots[0].n_links, robots[0].n_joints
        self._sizes = sizes_of(robots, environments, settings)
        with guarded(settings.device, self._advice):
            planes = settings.device.startswith("cuda") if planes is None else planes
            self._pack(robots, environments, planes, are_equal(robots, environments) if shared is None else shared)
        self._launches = Launches(self._records, self._engine.NAME, self._needs, variant)
        self._latest = 0  # no world is beyond this step
        self._places = {name: array for array, names in self._engine.HELD.items() for name in names}
        self._empty: State | SpatialState | None = None  # of one world
        self._torques = False  # whether any are commanded
        self._modes: tuple[Any, ...] = ()  # what the modes of the motors were made from
        self._loads: dict[str, Any] = {}  # on links, by who causes them
        self.passive = np.zeros(self.n_worlds, dtype=bool)
        """Worlds whose motors are off, whatever is commanded: no torque, as under a command of zero torque."""

    def _pack(
        self, robots: Sequence[AnyRobot], environments: Sequence[Environment], planes: bool, shared: bool
    ) -> None:
        """Makes all arrays."""
        engine, settings = self._engine, self.settings
        self._load_rows = self._loads_of(environments)
        records = self._records = Records(
            self.n_worlds, self.n_links, robots[0].axes, engine, settings,
            planes=planes, shared=shared,
        )  # fmt: skip
        self._numerics = pack.pack_numerics(records, settings, robots, engine.CONTACT_STIFFNESS)
        self._tables = Tables(engine, records, robots, environments, settings.dt)
        self._model, self._obstacles, self._drive = self._tables.model, self._tables.obstacles, self._tables.drive
        self._several = engine.several(robots)
        self._motion, self._work, self._tally = (records.room(k, self._several) for k in ("Motion", "Work", "Tally"))
        records.fill(self._tally, obstacles=np.zeros(self._n_loads))
        self._samples, self._wanted = make_samples(records, 0, 0, (), 0, 0), frozenset[str]()
        self._needs = Needs(robots, environments, settings, engine.NAME)

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
        self._launches.regroup()
        put_first(self._records, self._samples, vars(self.read(*self._engine.STARTS_WITH)))

    def drop_samples(self, count: int) -> None:
        """Drops the first `count` samples and leaves as much space at the end."""
        drop_samples(self._records, self._samples, count)

    @property
    def load_size(self) -> int:
        """Number of components of a load on a link [-]: 3 in the plane, 6 in space."""
        return 3 * len(self._engine.LOADS)

    def samples(self, only: Collection[str] | None = None) -> dict[str, np.ndarray]:
        """The samples so far, of those that are wanted, or `only` some; on a CPU, views that are being filled."""
        held = arrays_of(self._samples)
        chosen = [name for name in (held if only is None else only) if is_taken(name, self._wanted)]
        found = {name: held[name].numpy() for name in chosen}
        per_obstacle = found.keys() & set(PER_OBSTACLE)
        rows = np.array([row for each in self._load_rows for row in each] if per_obstacle else [], dtype=int)
        for name in per_obstacle:
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

    def refuse(self, robots: Sequence[AnyRobot]) -> None:
        """Raises InvalidModel for robots that cannot take the place of others; see `replace`."""
        refuse_others(self._tables.robots[0], robots, self._several)

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
        alike, before = tables.alike(rows, robots, environments), tables.first_obstacles()
        if not alike:
            self.refuse(robots)
        with guarded(self.settings.device, self._advice):
            tables.put(rows, robots, environments, alike=alike)
            for row, loads in zip(rows.tolist(), self._loads_of(environments), strict=True):
                self._load_rows[row] = loads
            if self._samples.every or len(self._tally.obstacles) != self._n_loads:
                records.fill(self._tally, obstacles=np.zeros(self._n_loads))
                self._samples, self._wanted = make_samples(records, 0, 0, (), 0, 0), frozenset[str]()
        moved = tables.first_obstacles() - before
        margin = self._numerics.near_margin if alike else pack.near_margin(tables.robots)
        if moved.any():
            renumber_contacts(records, self._motion, self._engine, moved)
        stale: Any = rows
        if moved.any() or margin != self._numerics.near_margin:
            self._numerics.near_margin, stale = margin, slice(None)
        records.write(self._motion, "links", "near_slack", -1.0, rows=stale)
        records.write(self._motion, "links", "n_near", 0, rows=rows)  # steps of a world without obstacles leave this
        records.write(self._work, "n_contacts", None, 0, rows=rows)  # and this alone
        if self._needs.replace(rows, None if alike else robots, environments):
            self._launches.regroup()

    def load(self, state: State | SpatialState) -> None:
        """Sets the state of all worlds; raises InvalidModel if it belongs to another batch."""
        most = self._engine.most(self._obstacles, self._several, self.n_links)
        state = checked_state(state, self.state(), most)
        self._latest = int(state.step.max())
        self._set({name: getattr(state, name) for name in self._places})

    def _set(self, values: Mapping[str, Any], rows: Any = slice(None)) -> None:
        """Writes fields of the state of some worlds by name."""
        for name, value in values.items():
            array = self._places[name]
            self._records.write(self._motion, array, name, value, per=per(array), rows=rows)
        self._records.write(self._motion, "links", "near_slack", -1.0, rows=rows)

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

    def read(self, *names: str) -> SimpleNamespace:
        """Copies of some fields of the state, by name."""
        read, motion, place = self._records.read, self._motion, self._places
        return SimpleNamespace(
            **{name: read(motion, place[name], name, per=per(place[name])) for name in names}  # of one record each
        )

    def put(self, rows: np.ndarray, state: State | SpatialState) -> None:
        """Sets the state of some worlds, by index, to that of the same worlds in a sound state of this batch."""
        self._set({name: getattr(state, name)[rows] for name in self._places}, rows)

    def start(self, poses: Mapping[str, np.ndarray]) -> None:
        """Puts worlds that have not moved yet into their poses (see Start.pose), which are arrays, worlds first."""
        given = {name: poses[name] for name in self._engine.STARTS_WITH}
        check_numbers(self._engine.STATE, given, single=self.settings.precision == "float32")
        self._set(given)

    def initial(self, poses: Sequence[dict[str, Any]]) -> State | SpatialState:
        """The state of worlds that start in these poses (see Start.pose), with no contacts yet."""
        if self._empty is None:
            now = self.state()
            self._empty = type(now)(**{name: np.zeros_like(getattr(now, name)[:1]) for name in type(now).names()})
        zero = {name: np.repeat(getattr(self._empty, name), len(poses), axis=0) for name in type(self._empty).names()}
        stacked = {name: np.stack([pose[name] for pose in poses]) for name in self._engine.STARTS_WITH}
        return type(self._empty)(**(zero | stacked))

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
        """Takes nodes `spacing` steps apart, [world, node, joint], joined by cubics or held; `past` steps are done."""
        times = {"steps_per_node": spacing, "steps_past": past}
        self._records.fill(self._drive, table_angle=angle, table_rate=rate, **times)
        self._drive.source = int(structs.TABLE_HELD if held else structs.TABLE_CUBIC)
        self._write_modes(np.array(prescribed)[:, None], torque=False)

    def use_command(self, command: Command, steps: int) -> None:
        """Applies a controller's command for the next `steps` steps."""
        records, drive = self._records, self._drive
        if drive.table_angle.shape != (self.n_worlds, 1, self.n_joints):
            zeros = np.zeros((self.n_worlds, 1, self.n_joints))
            records.fill(drive, table_angle=zeros, table_rate=zeros)
        for table, given in ((drive.table_angle, command.joint_angle), (drive.table_rate, command.joint_rate)):
            with records.edited(table) as host:
                host[:, 0] = 0.0 if given is None else given
        drive.steps_per_node, drive.steps_past, drive.source = steps, 0, int(structs.TABLE_HELD)
        torque, load = command.joint_torque, command.link_load
        if torque is not None or self._torques:
            self._write_joints("torque", np.zeros((self.n_worlds, self.n_joints)) if torque is None else torque)
            self._torques = torque is not None
        if load is not None or drive.loaded:
            self._loads["command"] = 0.0 if load is None else np.asarray(load, dtype=float)
            self._write_loads(given=load is not None)
        self._write_modes(command.prescribed, torque=torque is not None)

    def _write_loads(self, *, given: bool) -> None:
        """Writes the loads on links, those commanded and pushes; `given` says whether any are commanded."""
        load = np.zeros((self.n_worlds, self.n_links, self.load_size)) + sum(self._loads.values())
        for k, part in enumerate(self._engine.LOADS):
            self._records.write(self._drive, "loads", part, load[..., 3 * k : 3 * k + 3])
        self._drive.loaded = int(given or "push" in self._loads)
        self._note_commands(loaded=np.asarray(load.reshape(self.n_worlds, -1).any(axis=1)))

    def _write_joints(self, field: str, values: np.ndarray) -> None:
        self._records.write(self._drive, "joints", field, values, per="axis")

    def _write_modes(self, prescribed: np.ndarray | bool, *, torque: bool) -> None:
        asked = (np.array(prescribed).tobytes(), torque, self.passive.tobytes())
        if asked == self._modes:
            return
        self._modes = asked
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
                self._launches.regroup()

    def advance(self, steps: int, active: np.ndarray | None = None) -> None:
        """Runs `steps` time steps in every running world, or the active ones, spread over the machine's cores.

        `active`: which worlds are not left standing, shape (n_worlds,).
        """
        self._latest += steps
        if self._latest > MOST_STEPS:
            self._latest = int(self.since_start("step").max()) + steps
        if self._latest > MOST_STEPS:
            raise InvalidModel("steps in all", self._latest, f"at most {MOST_STEPS}")
        every, rows = self._samples.every, self._samples.center.shape[1]
        if every > 0 and self._latest // every - self._samples.first >= rows:
            raise InvalidModel("samples", self._latest // every, f"less than {rows + self._samples.first}")
        structs_of_all = (
            self._numerics, self._model, self._obstacles, self._drive,
            self._motion, self._work, self._tally, self._samples,
        )  # fmt: skip
        self._launches.run(structs_of_all, steps, active)

    @property
    def variants(self) -> dict[str, int]:
        """Number of worlds that each variant of the kernels advances, by its name [-]."""
        return self._launches.variants()

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
        records, rows = self._records, np.flatnonzero(chosen)
        for array in ("worlds", "links", "joints"):
            records.clear(self._tally, array, rows, per="world" if array == "worlds" else "link")
        for name in {"refused", "overlap", "turn"} & set(records.family.WorldMotion.vars):
            records.write(self._motion, "worlds", name, 0, per="world", rows=rows)

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
