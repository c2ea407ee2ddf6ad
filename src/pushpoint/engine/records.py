"""Kernel records as NumPy sees them: fields by name, worlds in front, whatever the order in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import warp as wp

from pushpoint.engine.settings import Settings
from pushpoint.model.joints import Axis


class Held(NamedTuple):
    """Where some fields of a state lie in the kernels' motion."""

    array: str
    """The array of records."""
    per: str
    """What a record is of: "world", "link" or "axis"."""
    names: tuple[str, ...]
    """The fields; the only one of an array of plain numbers."""
    several: bool = False
    """Whether there are several records of each."""


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
        # The axes of the joint in front of a link stand in a row with it, the one nearer to the tail first.
        self._slots = (behind, [behind[:j].count(link) for j, link in enumerate(behind)])
        self._most_axes = most_axes
        self.device = settings.device
        self.on_gpu = settings.device.startswith("cuda")
        self.real = wp.float64 if settings.precision == "float64" else wp.float32
        self.family = family(self.real)

    @property
    def strides(self) -> dict[str, int]:
        """Worlds side by side on a GPU, so that threads read side by side; links side by side on a CPU."""
        if self.on_gpu:
            return {"world_stride": 1, "link_stride": self.n_worlds}
        return {"world_stride": self.n_links, "link_stride": 1}

    def _in_order(self, values: np.ndarray) -> np.ndarray:
        """From [world, link, ...] to the order in memory."""
        return np.ascontiguousarray(values.swapaxes(0, 1) if self.on_gpu else values)

    def _by_world(self, values: np.ndarray) -> np.ndarray:
        """From the order in memory to [world, link, ...]."""
        shape = (self.n_links, self.n_worlds) if self.on_gpu else (self.n_worlds, self.n_links)
        shaped = values.reshape(*shape, *values.shape[1:])
        return shaped.swapaxes(0, 1) if self.on_gpu else shaped

    def array(self, values: Any, dtype: Any) -> wp.array:
        """Plain values as an array, axes as they are."""
        scalar = getattr(dtype, "_wp_scalar_type_", dtype)
        return wp.array(np.ascontiguousarray(values, dtype=wp.dtype_to_numpy(scalar)), dtype=dtype, device=self.device)

    def make(self, kind: str, count: int | None = None, **fields: Any) -> wp.array:
        """An array of records: one per world or obstacle (count), or one per link; fields not named are zero."""
        struct = getattr(self.family, kind)
        rows = self.n_worlds * self.n_links if count is None else count
        host = np.zeros(rows, dtype=struct.numpy_dtype())
        for name, values in fields.items():
            host[name] = self._rows(values) if count is None else values
        return wp.array(host, dtype=struct, device=self.device)

    def make_per_link(self, kind: str, most: int, **fields: Any) -> wp.array:
        """An array of records with `most` of them per link, from values of shape [world, link, most, ...]."""
        struct = getattr(self.family, kind)
        host = np.zeros((self.n_worlds * self.n_links, most), dtype=struct.numpy_dtype())
        for name, values in fields.items():
            host[name] = self._rows(values)
        return wp.array(host.ravel(), dtype=struct, device=self.device)

    def make_joints(self, kind: str, **fields: Any) -> wp.array:
        """An array of records, one per axis, from values of shape [world, joint]; where there is no axis, zeros."""
        spread = {name: self._spread(values) for name, values in fields.items()}
        return self.make_per_link(kind, self._most_axes, **spread)

    def joint_numbers(self, values: Any) -> np.ndarray:
        """Plain numbers per axis, from [world, joint] to the order in memory."""
        return self._rows(self._spread(values)).ravel()

    def write_joints(self, array: wp.array, values: Any, field: str) -> None:
        """Puts values [world, joint] into a field of the axes' records."""
        self.write(array, self._spread(values), field)

    def read_joints(self, array: wp.array, field: str) -> np.ndarray:
        """A field of the axes' records as [world, joint]."""
        return self.read(array, field, most=self._most_axes)[:, self._slots[0], self._slots[1]]

    def _spread(self, values: Any) -> np.ndarray:
        """From [world, joint] to [world, link, slot]."""
        spread = np.zeros((self.n_worlds, self.n_links, self._most_axes))
        spread[:, self._slots[0], self._slots[1]] = values
        return spread

    def _rows(self, values: Any) -> np.ndarray:
        ordered = self._in_order(np.asarray(values))
        return ordered.reshape(self.n_worlds * self.n_links, *ordered.shape[2:])

    def write(self, array: wp.array, values: Any, field: str | None = None, *, per_link: bool = True) -> None:
        """Puts values [world, link, ...] (or [world, ...]) into an array, or into one field of its records."""
        host = array.numpy()
        rows = self._rows(values) if per_link else np.asarray(values)
        target = host if host.dtype.names is None else host[field]
        target[...] = rows.reshape(target.shape)
        if self.on_gpu:
            array.assign(host)

    def read(self, array: wp.array, field: str | None = None, *, most: int | None = None) -> np.ndarray:
        """A copy of per-link values as [world, link, ...], or [world, link, most, ...] with `most` records per link."""
        host = array.numpy() if field is None else array.numpy()[field]
        if most is not None:
            host = host.reshape(-1, most, *host.shape[1:])
        return np.array(self._by_world(host))

    def read_held(self, array: wp.array, held: Held) -> dict[str, np.ndarray]:
        """Copies of fields of a state by name, worlds in front."""
        found, host = {}, array.numpy()
        for name in held.names:
            values = host if host.dtype.names is None else host[name]
            if held.several or held.per == "axis":
                rows = self.n_worlds * (1 if held.per == "world" else self.n_links)
                values = values.reshape(rows, -1, *values.shape[1:])
            if held.per != "world":
                values = self._by_world(values)
            found[name] = values[:, self._slots[0], self._slots[1]] if held.per == "axis" else np.array(values)
        return found

    def write_held(self, array: wp.array, held: Held, state: Any) -> None:
        """The same fields, back from a state."""
        for name in held.names:
            values = getattr(state, name)
            spread = self._spread(values) if held.per == "axis" else values
            self.write(array, spread, name, per_link=held.per != "world")

    def fill(self, struct: Any, **values: Any) -> Any:
        """Sets the fields of a struct; what is not yet an array is made one where the field asks for it."""
        for name, value in values.items():
            kind = struct._cls.vars[name].type
            plain = isinstance(kind, wp.array) and not isinstance(value, wp.array)
            setattr(struct, name, self.array(value, kind.dtype) if plain else value)
        return struct
