"""The kernels' records in NumPy: fields by name, worlds first, whatever the memory order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import warp as wp

from pushpoint.engine.devices import guarded
from pushpoint.engine.settings import Settings
from pushpoint.model.joints import Axis


def size_of(dtype: Any) -> int:
    """Memory of one number, vector or record of the kernels [bytes]."""
    return int(wp.types.type_size_in_bytes(dtype))


PER_WORLD = ("worlds", "selves", "n_self", "tails", "coupling")
"""Arrays of the kernels' structs with one record per world; those named "joints" hold axes, others links."""
OPTIONAL = ("starts", "rates", "works", "touches", "supported", "moments", "reactions")
"""Tallies that are made only on request."""


class Records:
    """Makes, fills and reads the kernels' arrays for one batch on one device."""

    def __init__(
        self,
        n_worlds: int,
        n_links: int,
        axes: Sequence[Axis],
        most_axes: int,
        family: Callable[[Any], Any],
        settings: Settings,
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
        self._most_axes = most_axes
        self.device = settings.device
        self.on_gpu = settings.device.startswith("cuda")
        self.real = wp.float64 if settings.precision == "float64" else wp.float32
        self.family = family(self.real)
        self._views: dict[int, tuple[wp.array, np.ndarray]] = {}

    @property
    def strides(self) -> dict[str, int]:
        """Memory order: neighbouring worlds adjacent on a GPU, so that threads read adjacent memory; links on a CPU."""
        if self.on_gpu:
            return {"world_stride": 1, "link_stride": self.n_worlds}
        return {"world_stride": self.n_links, "link_stride": 1}

    def array(self, values: Any, dtype: Any) -> wp.array:
        """Plain values as an array, with the same axes."""
        scalar = getattr(dtype, "_wp_scalar_type_", dtype)
        return wp.array(np.ascontiguousarray(values, dtype=wp.dtype_to_numpy(scalar)), dtype=dtype, device=self.device)

    def make(self, kind: str, count: int | None = None, most: int = 1, /, **fields: Any) -> wp.array:
        """An array of records: one per world or obstacle (count), or `most` per link; fields not named are zero.

        Values of links have the shape [world, link, ...], with an axis of `most` after the links if that is not one.
        """
        struct = getattr(self.family, kind)
        host = np.zeros(self.n_worlds * self.n_links * most if count is None else count, dtype=struct.numpy_dtype())
        for name, values in fields.items():
            host[name] = self._rows(values).reshape(host[name].shape) if count is None else values
        return wp.array(host, dtype=struct, device=self.device)

    def make_joints(self, kind: str, **fields: Any) -> wp.array:
        """An array of records, one per axis, from values of shape [world, joint]; zeros where there is no axis."""
        spread = {name: self._spread(values) for name, values in fields.items()}
        return self.make(kind, None, self._most_axes, **spread)

    def joint_numbers(self, values: Any) -> np.ndarray:
        """Plain numbers per axis, from [world, joint] to the memory order."""
        return self._rows(self._spread(values)).ravel()

    def room(self, kind: str, several: Mapping[str, int]) -> Any:
        """A struct with all arrays zero; `several` gives the number of records per link or world if not one."""
        struct = getattr(self.family, kind)()
        for name, count in self.counts(kind, several).items():
            setattr(struct, name, self.zeros(struct._cls.vars[name], count))
        return struct

    def counts(self, kind: str, several: Mapping[str, int]) -> dict[str, int]:
        """Number of records in the arrays of a struct that belong to worlds, links or axes [-]."""
        several = {"joints": self._most_axes, **several}
        arrays = [name for name, held in getattr(self.family, kind).vars.items() if isinstance(held.type, wp.array)]
        return {
            name: self.n_worlds
            * (1 if name in PER_WORLD else self.n_links)
            * several.get(name, int(name not in OPTIONAL))
            for name in arrays
        }

    def zeros(self, variable: Any, count: int) -> wp.array:
        """An array of zeros for a variable of a struct."""
        return wp.zeros(count, dtype=variable.type.dtype, device=self.device)

    def _spread(self, values: Any) -> np.ndarray:
        """From [world, joint] to [world, link, slot]."""
        spread = np.zeros((self.n_worlds, self.n_links, self._most_axes))
        spread[:, self._slots[0], self._slots[1]] = values
        return spread

    def _rows(self, values: Any) -> np.ndarray:
        """From [world, link, ...] to the memory order, a row per link."""
        by_world = np.asarray(values)
        ordered = np.ascontiguousarray(by_world.swapaxes(0, 1) if self.on_gpu else by_world)
        return ordered.reshape(self.n_worlds * self.n_links, *ordered.shape[2:])

    def _host(self, array: wp.array) -> np.ndarray:
        """An array as NumPy sees it. On a CPU it shares the memory; the view is cached, since making it is slow."""
        if self.on_gpu:
            with guarded(self.device):
                return np.asarray(array.numpy())
        if id(array) not in self._views:
            self._views[id(array)] = (array, array.numpy())
        return self._views[id(array)][1]

    def write(self, array: wp.array, values: Any, field: str | None = None, *, per: str = "link") -> None:
        """Writes values, worlds first, to an array or to one field of its records, one per world, link or axis."""
        host = self._host(array)
        spread = self._spread(values) if per == "axis" else values
        target = host if host.dtype.names is None else host[field]
        target[...] = (np.asarray(spread) if per == "world" else self._rows(spread)).reshape(target.shape)
        if self.on_gpu:
            with guarded(self.device):
                array.assign(host)

    def read(
        self, array: wp.array, field: str | None = None, *, per: str = "link", several: bool = False
    ) -> np.ndarray:
        """A copy of an array or of one field of its records; axes: worlds, then links or axes, then `several`."""
        host = self._host(array)
        values = host if host.dtype.names is None else host[field]
        if several or per == "axis":
            values = values.reshape(self.n_worlds * (1 if per == "world" else self.n_links), -1, *values.shape[1:])
        if per == "world":
            return np.array(values)
        shape = (self.n_links, self.n_worlds) if self.on_gpu else (self.n_worlds, self.n_links)
        values = values.reshape(*shape, *values.shape[1:])
        values = values.swapaxes(0, 1) if self.on_gpu else values
        return np.array(values[:, self._slots[0], self._slots[1]] if per == "axis" else values)

    def fill(self, struct: Any, **values: Any) -> Any:
        """Sets the fields of a struct; values become arrays where the field needs one."""
        for name, value in values.items():
            kind = struct._cls.vars[name].type
            plain = isinstance(kind, wp.array) and not isinstance(value, wp.array)
            setattr(struct, name, self.array(value, kind.dtype) if plain else value)
        return struct
