"""A batch whose worlds are taken from a pool of worlds on the same device, again and again.

The pool is packed once. A world of the batch is put back, or exchanged for another one, by copying records within the
device's memory. Courses are not even copied: a world points to the rows of its course in the pool's tables.

Commands, states and totals are arrays of a library (see `namespaces`) that share memory with the kernels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import warp as wp

from pushpoint.engine.compiled import launch
from pushpoint.engine.on_device.beside_warp import view_of
from pushpoint.engine.records import Records, per, size_of
from pushpoint.engine.stepper import Stepper
from pushpoint.engine.tables.constant import OF_MODEL, PER_LINK
from pushpoint.errors import InvalidModel
from pushpoint.kernels import pools, structs
from pushpoint.model.environment import Environment

OF_ALL = (*OF_MODEL, "laws", "around", "fields", "heights", "n_regions")
"""What of the model belongs to no world."""
NOT_COPIED = ("near", "obstacles")
"""Arrays of the motion and of the tallies that need not be as they were: lists that begin empty, and loads."""


class PooledStepper(Stepper):
    """Advances worlds that come from a pool: a stepper that holds them at their start and is never advanced."""

    def __init__(self, pool: Stepper, n_worlds: int, space: Any) -> None:
        """`n_worlds` worlds, those of the pool in turn, which `begin` puts at their start; `space` is the library."""
        robots, places = pool._tables.robots, pool._tables.environments
        turns = [k % pool.n_worlds for k in range(n_worlds)]
        bare = {id(place.ground): Environment(ground=place.ground) for place in places}
        super().__init__(
            [robots[k] for k in turns],
            [bare[id(places[k].ground)] for k in turns],
            pool.settings,
            planes=pool._records.planes,
            shared=pool._records.shared,
        )
        if self._several != pool._several:
            raise InvalidModel("worlds: robots", "of several shapes", "alike in their parts")
        self._pool, self._space = pool, space
        self._needs.take_all(pool._needs)
        self._numerics = pool._numerics
        self._point_to_tables()
        self._chosen, self._which = (self._room(kind) for kind in (wp.bool, wp.int32))
        self._copies = [self._copying(*arrays) for arrays in self._owned()]
        self._shown: dict[str, Any] = {}
        zeros = np.zeros((n_worlds, 1, self.n_joints))
        self._records.fill(self._drive, table_angle=zeros, table_rate=zeros)

    def _point_to_tables(self) -> None:
        """Takes over the pool's tables: obstacles, laws and all that worlds share."""
        records, pool = self._records, self._pool
        obstacles = _fields(pool._obstacles) | {"grids": self._obstacles.grids}
        self._obstacles = records.fill(records.family.Obstacles(), **obstacles)
        tables = (*OF_ALL, *PER_LINK, "worlds") if records.shared else OF_ALL
        held = _fields(pool._model)
        records.fill(self._model, **{name: held[name] for name in tables if name in held})
        if records.shared:
            self._drive.motors = pool._drive.motors
        self._tally.obstacles = wp.zeros_like(pool._tally.obstacles)

    def _room(self, dtype: Any) -> tuple[wp.array, Any]:
        """Room for one number per world on the device, and the library's view of it."""
        made = wp.zeros(self.n_worlds, dtype=dtype, device=self._records.device)
        return made, view_of(made, self._space)

    def _owned(self) -> Iterator[tuple[wp.array, wp.array, bool]]:
        """Arrays of the pool and of the batch with what each world has of its own, and whether worlds come first."""
        records, pool = self._records, self._pool
        for kind, source, target in (("Motion", pool._motion, self._motion), ("Tally", pool._tally, self._tally)):
            for name, array in records.family.arrays[kind].items():
                if array not in NOT_COPIED and getattr(source, name).size:
                    yield getattr(source, name), getattr(target, name), _worlds_first(records, array)
        yield pool._work.n_contacts, self._work.n_contacts, _worlds_first(records, "n_contacts")
        yield pool._obstacles.grids, self._obstacles.grids, True
        if not records.shared:
            source, target = pool._model, self._model
            for name in (name for name in PER_LINK if hasattr(source, name) and getattr(source, name).size):
                yield getattr(source, name), getattr(target, name), _worlds_first(records, name)
            yield source.worlds, target.worlds, True
            yield pool._drive.motors, self._drive.motors, _worlds_first(records, "motors")

    def _copying(self, source: wp.array, target: wp.array, worlds_first: bool) -> Any:
        """The launch that copies an array."""
        inputs = [self._chosen[0], self._which[0], worlds_first, _words(source), _words(target)]
        dim, device = (len(target) // self.n_worlds, self.n_worlds), self._records.device
        return launch(pools.copy_records, dim=dim, inputs=inputs, device=device, record_cmd=True)

    def begin(self, chosen: Any, which: Any) -> None:
        """Lets the chosen worlds begin, each as the world of the pool that `which` names."""
        self._chosen[1][...], self._which[1][...] = chosen, which
        for copying in self._copies:
            copying.launch()

    def now(self, *names: str) -> dict[str, Any]:
        """Copies of fields of the state and of totals by name, as in `state` and `totals`."""
        found = {}
        for name in names:
            if name not in self._shown:
                self._shown[name] = self._view(name)
            values, index = self._shown[name]
            found[name] = self._space.asarray(values[index], copy=True)
        return found

    def _view(self, name: str) -> tuple[Any, Any]:
        """Where a field is: the kernels' array and the index in it."""
        records, family = self._records, self._records.family
        of_tally = name in {**family.JointTally.vars, **family.LinkTally.vars}
        if of_tally:
            array = "joints" if name in family.JointTally.vars else "links"
        else:
            array = "worlds" if name in family.WorldMotion.vars else self._places[name]
        values = records.live(self._tally if of_tally else self._motion, array, name, self._space, per=per(array))
        of = {"world": (slice(None), 0), "axis": records.of_axes, "link": (slice(None), slice(None), 0)}
        return values, of[per(array)]

    def use_arrays(self, steps: int, *, angle: Any = None, rate: Any = None, torque: Any = None) -> None:
        """Applies references [rad, rad/s] or torques [N m] for the next `steps` steps; those left out are zero."""
        drive, space = self._drive, self._space
        for name, values in (("table_angle", angle), ("table_rate", rate)):
            if values is not None or name in self._shown:
                if name not in self._shown:
                    self._shown[name] = view_of(getattr(drive, name), space)[:, 0]
                self._shown[name][...] = 0.0 if values is None else values
        if torque is not None:
            if "torque" not in self._shown:
                self._shown["torque"] = self._records.live(drive, "joints", "torque", space)
            self._shown["torque"][self._records.of_axes] = torque
        drive.steps_per_node, drive.steps_past, drive.source = steps, 0, int(structs.TABLE_HELD)
        self._write_modes(False, torque=torque is not None)


def _fields(struct: Any) -> dict[str, Any]:
    """The fields of a struct of the kernels by name."""
    return {name: getattr(struct, name) for name in struct._cls.vars}


def _worlds_first(records: Records, array: str) -> bool:
    """Whether the records of a world lie together."""
    return per(array) == "world" or not records.planes


def _words(array: wp.array) -> wp.array:
    """An array of records as rows of words of 32 bits, in the same memory."""
    shape = (len(array), size_of(array.dtype) // 4)
    return wp.array(ptr=array.ptr, shape=shape, dtype=wp.uint32, device=array.device, copy=False)
