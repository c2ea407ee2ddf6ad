"""The kernels' arrays in NumPy: fields by name, worlds first, whatever the order in memory.

On a CPU an array holds records, and those of a link lie together. On a GPU every field of a record is an array of its
own, a plane, in which neighbouring worlds are neighbours. Tables of robots are there once where all worlds share them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import warp as wp

from pushpoint.engine.devices import guarded
from pushpoint.engine.on_device.beside_warp import view_of
from pushpoint.engine.settings import Settings
from pushpoint.kernels.forms import structs_of
from pushpoint.model.joints import Axis

PER_WORLD = ("worlds", "selves", "n_self", "tails", "coupling")
"""Arrays of the kernels' structs with one record per world; those named "joints" hold axes, others links."""
OPTIONAL = ("starts", "rates", "works", "touches", "supported", "moments", "reactions")
"""Tallies that are made only on request."""
OF_ROBOTS = ("LinkModel", "PointModel", "SphereModel", "WheelModel", "BarModel", "MotorModel")
"""Records that worlds with equal robots on equal ground share."""


def per(array: str) -> str:
    """What each record of an array belongs to: a world, an axis or a link."""
    return "world" if array in PER_WORLD else "axis" if array == "joints" else "link"


def size_of(dtype: Any) -> int:
    """Memory of one number, vector or record of the kernels [bytes]."""
    return int(wp.types.type_size_in_bytes(dtype))


@cache
def _dtype_of(struct: Any) -> np.dtype:
    """A record as NumPy holds it; Warp works it out again each time."""
    return np.dtype(struct.numpy_dtype())


class Records:
    """Makes, fills and reads the kernels' arrays for one batch on one device."""

    def __init__(
        self,
        n_worlds: int,
        n_links: int,
        axes: Sequence[Axis],
        engine: Any,
        settings: Settings,
        *,
        planes: bool,
        shared: bool = False,
    ) -> None:
        self.n_worlds, self.n_links, self.n_joints = n_worlds, n_links, len(axes)
        behind = [axis.link_behind for axis in axes]
        # The axes of the joint in front of a link share its row, the one nearer to the tail first.
        met: Counter[int] = Counter()
        slots = []
        for link in behind:
            slots.append(met[link])
            met[link] += 1
        self._slots = (behind, slots)
        self._most_axes = engine.MOST_AXES
        self.device = settings.device
        self.on_gpu = settings.device.startswith("cuda")
        self.planes, self.shared = planes, shared and planes
        self._engine = engine.NAME
        self.real = wp.float64 if settings.precision == "float64" else wp.float32
        self.family = structs_of(engine.NAME, self.real, planes)
        self._views: dict[int, tuple[wp.array, dict[tuple[str | None, str], np.ndarray]]] = {}

    @property
    def strides(self) -> dict[str, int]:
        """Order in memory: neighbouring worlds adjacent in planes, links in records."""
        if self.planes:
            return {"world_stride": 1, "link_stride": self.n_worlds, "plane": self.n_worlds * self.n_links}
        return {"world_stride": self.n_links, "link_stride": 1, "plane": 0}

    @property
    def sharing(self) -> dict[str, int]:
        """Division of a place by the number of worlds as a multiplication and a shift, exact for 31 bits; or by one."""
        if not self.shared:
            return {"row_factor": 1, "row_shift": 0}
        shift = 31 + (self.n_worlds - 1).bit_length()
        return {"row_factor": -(-(1 << shift) // self.n_worlds), "row_shift": shift}

    def array(self, values: Any, dtype: Any) -> wp.array:
        """Plain values as an array, with the same axes."""
        scalar = getattr(dtype, "_wp_scalar_type_", dtype)
        return wp.array(np.ascontiguousarray(values, dtype=wp.dtype_to_numpy(scalar)), dtype=dtype, device=self.device)

    def make(self, kind: str, count: int | None = None, most: int = 1, /, **fields: Any) -> Any:
        """Records: one per world or obstacle (count), or `most` per link; fields not named are zero.

        Values of links have the shape [world, link, ...], with an axis of `most` after the links if that is not one.
        """
        struct = getattr(self.family, kind)
        one = self.shared and kind in OF_ROBOTS
        n_rows = (1 if one else self.n_worlds) * self.n_links * most if count is None else count
        host = np.zeros(n_rows, dtype=_dtype_of(struct))
        for name, values in fields.items():
            host[name] = self._ordered(values, most, host[name].shape[1:], one) if count is None else values
        if kind in self.family.kinds_in_planes:
            return {name: self.array(host[name], held.type) for name, held in struct.vars.items()}
        return self.stored(host, struct)

    def stored(self, host: np.ndarray, dtype: Any) -> Any:
        """Records or numbers as an array on the device; on a CPU it shares their memory."""
        return wp.array(host, dtype=dtype, device=self.device, copy=self.on_gpu)

    def make_joints(self, kind: str, **fields: Any) -> Any:
        """Records, one per axis, from values of shape [world, joint]; zeros where there is no axis."""
        spread = {name: self._spread(values) for name, values in fields.items()}
        return self.make(kind, None, self._most_axes, **spread)

    def joint_numbers(self, values: Any) -> np.ndarray:
        """Plain numbers of a robot's axes, from [world, joint] to the order in memory."""
        return self._ordered(self._spread(values), self._most_axes, (), self.shared)

    def room(self, kind: str, several: Mapping[str, int]) -> Any:
        """A struct with all arrays zero; `several` gives the number of records per link or world if not one."""
        struct = getattr(self.family, kind)()
        for name, count in self.counts(kind, several).items():
            setattr(struct, name, self.zeros(struct._cls.vars[name], count))
        return struct

    def counts(self, kind: str, several: Mapping[str, int]) -> dict[str, int]:
        """Number of records in the arrays of a struct that belong to worlds, links or axes [-]."""
        several = {"joints": self._most_axes, "motors": self._most_axes, **several}
        variables = getattr(self.family, kind).vars
        found = {}
        for name, held in variables.items():
            if isinstance(held.type, wp.array):
                array = self.family.arrays[kind][name]
                per = 1 if array in PER_WORLD else self.n_links
                found[name] = self.n_worlds * per * several.get(array, int(array not in OPTIONAL))
        return found

    def zeros(self, variable: Any, count: int) -> wp.array:
        """An array of zeros for a variable of a struct."""
        return wp.zeros(count, dtype=variable.type.dtype, device=self.device)

    def _spread(self, values: Any) -> np.ndarray:
        """From [world, joint] to [world, link, slot]."""
        spread = np.zeros((self.n_worlds, self.n_links, self._most_axes))
        spread[:, self._slots[0], self._slots[1]] = values
        return spread

    def _ordered(self, values: Any, most: int, rest: tuple[int, ...], shared: bool = False) -> np.ndarray:
        """From [world, link, slot, ...] to the order in memory, a row per record; of the first world if shared."""
        found = np.asarray(values).reshape(self.n_worlds, self.n_links, most, *rest)
        found = found[:1] if shared else found
        return np.ascontiguousarray(found.swapaxes(0, 2) if self.planes else found).reshape(-1, *rest)

    def _host(self, array: wp.array) -> np.ndarray:
        """An array as NumPy sees it. On a CPU it shares the memory; the view is cached, since making it is slow."""
        if self.on_gpu:
            with guarded(self.device):
                return np.asarray(array.numpy())
        return self._views_of(array)[None, ""]

    def _views_of(self, array: wp.array) -> dict[tuple[str | None, str], np.ndarray]:
        """Views of an array on a CPU, by field and by what its records belong to; "" for all as they lie in memory."""
        found = self._views.get(id(array))
        if found is None:
            found = self._views[id(array)] = (array, {(None, ""): array.numpy()})
        return found[1]

    @contextmanager
    def edited(self, array: wp.array) -> Iterator[np.ndarray]:
        """An array in NumPy, to be written to."""
        host = self._host(array)
        yield host
        if self.on_gpu:
            with guarded(self.device):
                array.assign(host)

    def forget(self, array: wp.array) -> None:
        """Lets go of an array that is no longer used."""
        self._views.pop(id(array), None)

    def by_world(self, values: np.ndarray) -> np.ndarray:
        """Records of a robot's table, in the order in memory, as [world, link, slot, ...], sharing their memory."""
        return self._worlds_first(values, "link", 1 if self.shared else self.n_worlds)

    def _worlds_first(self, values: np.ndarray, per: str, n_worlds: int | None = None) -> np.ndarray:
        """Values in the order in memory as [world, slot, ...] or [world, link, slot, ...], sharing their memory."""
        worlds, rest = self.n_worlds if n_worlds is None else n_worlds, values.shape[1:]
        if per == "world":
            return values.reshape(worlds, len(values) // worlds, *rest)
        slots = len(values) // (self.n_links * worlds)
        if self.planes:
            return values.reshape(slots, self.n_links, worlds, *rest).swapaxes(0, 2)
        return values.reshape(worlds, self.n_links, slots, *rest)

    def _held(
        self, struct: Any, array: str, field: str | None, per: str, *, afresh: bool = False
    ) -> tuple[wp.array, np.ndarray | None, np.ndarray]:
        """The array that holds a field of records, on a GPU its copy here, and the field in it, worlds first.

        `afresh`: the caller writes all of the field, so that a GPU need not send what it has.
        """
        planes = self.planes and field is not None and f"{array}_{field}" in struct._cls.vars
        held = getattr(struct, f"{array}_{field}" if planes else array)
        views = {} if self.on_gpu else self._views_of(held)
        view = views.get((field, per))
        host = None
        if view is None:
            host = _empty_like(held) if afresh and planes and self.on_gpu else self._host(held)
            view = self._worlds_first(host if field is None or host.dtype.names is None else host[field], per)
            views[field, per] = view
        return held, host, view

    def write(
        self, struct: Any, array: str, field: str | None, values: Any, *, per: str = "link", rows: Any = slice(None)
    ) -> None:
        """Writes values, worlds first, to an array of a struct or to one field of it, one per world, link or axis.

        `rows` are the worlds that values are given for.
        """
        whole = per != "axis" and isinstance(rows, slice) and rows == slice(None)
        held, host, target = self._held(struct, array, field, "world" if per == "world" else "link", afresh=whole)
        if per == "axis":
            links, slots = self._slots
            worlds = rows if isinstance(rows, slice) else np.asarray(rows)[:, None]
            target[worlds, links, slots] = values
        else:
            values = np.asarray(values)
            target[rows] = values.reshape(-1, *target.shape[1:]) if values.ndim else values
        if self.on_gpu:
            with guarded(self.device):
                held.assign(host)

    def read(
        self, struct: Any, array: str, field: str | None = None, *, per: str = "link", several: bool = False
    ) -> np.ndarray:
        """A copy of an array of a struct or of one field of it; axes: worlds, then links or axes, then `several`."""
        _, _, values = self._held(struct, array, field, "world" if per == "world" else "link")
        if per == "axis":
            links, slots = self._slots
            return values[:, links, slots]
        if per == "world":
            return np.array(values if several else values[:, 0])
        return np.array(values if several else values[:, :, 0])

    def live(self, struct: Any, array: str, field: str | None, space: Any, *, per: str = "link") -> Any:
        """An array of a struct or one field of it, worlds first, as an array of a library that shares its memory.

        Axes: worlds, then links, then records of a link, or records of a world.
        """
        of = "world" if per == "world" else "link"
        if not self.on_gpu:
            return view_of(self._held(struct, array, field, of)[2], space)
        held = getattr(struct, f"{array}_{field}" if f"{array}_{field}" in struct._cls.vars else array)
        return self._worlds_first(view_of(held, space), of)

    @property
    def of_axes(self) -> tuple[Any, ...]:
        """The index of what belongs to the robot's axes in such an array of links and their records."""
        links, slots = self._slots
        simple = links == list(range(len(links))) and not any(slots)
        return (slice(None), slice(0, len(links)), 0) if simple else (slice(None), links, slots)

    def clear(self, struct: Any, array: str, rows: np.ndarray, *, per: str = "link") -> None:
        """Sets all fields of an array of records to zero in some worlds."""
        names = struct._cls.vars
        fields: list[str | None] = [None]
        if array not in names:
            fields = [name.removeprefix(f"{array}_") for name in names if name.startswith(f"{array}_")]
        for field in fields:
            held, host, target = self._held(struct, array, field, per)
            target[rows] = np.zeros((), dtype=target.dtype)
            if self.on_gpu:
                with guarded(self.device):
                    held.assign(host)

    def copies(self, struct: Any) -> dict[str, np.ndarray]:
        """Copies of all arrays of a struct, as they are in memory."""
        arrays = {name: getattr(struct, name) for name in struct._cls.vars}
        return {name: np.array(each.numpy()) for name, each in arrays.items() if isinstance(each, wp.array)}

    def put_back(self, struct: Any, copies: Mapping[str, np.ndarray]) -> None:
        """Writes such copies into the arrays of the struct; some may have become longer since."""
        for name, values in copies.items():
            array = getattr(struct, name)
            if array.size:
                host = array.numpy()
                host[...] = np.zeros_like(host)
                host[: len(values)] = values
                if self.on_gpu:
                    array.assign(host)

    def fill(self, struct: Any, **values: Any) -> Any:
        """Sets the fields of a struct; values become arrays where the field needs one."""
        for name, value in values.items():
            if isinstance(value, dict):
                for field, plane in value.items():
                    setattr(struct, f"{name}_{field}", plane)
                continue
            kind = struct._cls.vars[name].type
            plain = isinstance(kind, wp.array) and not isinstance(value, wp.array)
            setattr(struct, name, self.array(value, kind.dtype) if plain else value)
        return struct


def _empty_like(array: wp.array) -> np.ndarray:
    """Space for the numbers or vectors of an array."""
    scalar = getattr(array.dtype, "_wp_scalar_type_", array.dtype)
    return np.empty((*array.shape, *getattr(array.dtype, "_shape_", ())), dtype=wp.dtype_to_numpy(scalar))


class Draft(Records):
    """The constant arrays of a few worlds, as plain NumPy arrays in the order of a CPU."""

    def __init__(self, like: Records, n_worlds: int) -> None:
        """`like` belongs to the batch that these worlds are for."""
        vars(self).update(vars(like))
        self.n_worlds, self.planes, self.shared, self.on_gpu = n_worlds, False, False, False

    def array(self, values: Any, dtype: Any) -> Any:
        """Plain values as an array."""
        return np.asarray(values)

    def stored(self, host: np.ndarray, dtype: Any) -> Any:
        """Records or numbers as they are."""
        return host

    def fill(self, struct: Any, **values: Any) -> Any:
        """The values by name."""
        return SimpleNamespace(**values)
