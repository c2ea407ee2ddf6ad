"""What a live simulation keeps of its past, in files without names that vanish with the process."""

from __future__ import annotations

import pickle
import sys
import tempfile
import weakref
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import xarray as xr

from pushpoint.errors import BadFile, TooLarge
from pushpoint.simulation.keeping import Assemble, Variables
from pushpoint.simulation.sampled import ON_OBSTACLES

WHERE = "the temporary file of a live simulation"


class Log:
    """Things in the order of their keys in a file, the latest of which can be dropped; they are our own alone."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="pushpoint-live-")  # it has no name, so nobody else can write to it
        self._release = weakref.finalize(self, self._file.close)  # also when Python ends
        self.keys: list[int] = []
        """Keys of the things, ascending."""
        self._ends: list[int] = []

    @property
    def size(self) -> int:
        """Size of the file [bytes]."""
        return self._ends[-1] if self._ends else 0

    def append(self, key: int, thing: Any) -> int:
        """Writes a thing behind the others; returns the bytes it takes. Raises BadFile if the disk is full."""
        data = pickle.dumps(thing, protocol=pickle.HIGHEST_PROTOCOL)
        begin = self.size
        try:
            self._file.seek(begin)
            self._file.write(data)
            self._file.flush()
        except OSError as error:
            raise BadFile(WHERE, f"cannot be written ({error.strerror or error})") from None
        self.keys.append(key)
        self._ends.append(begin + len(data))
        return len(data)

    def drop_from(self, key: int) -> None:
        """Drops what has this key or a later one."""
        count = bisect_left(self.keys, key)
        del self.keys[count:], self._ends[count:]

    def read(self, number: int) -> Any:
        """The thing in a place."""
        begin = self._ends[number - 1] if number else 0
        self._file.seek(begin)
        return pickle.loads(self._file.read(self._ends[number] - begin))

    def close(self) -> None:
        """Deletes the file."""
        self._release()


class SampleTrack:
    """Keeps the samples of a live simulation: all of them in a file, the latest also in memory; see keeping.Keeper."""

    def __init__(self, samples_in_memory: int, limit: int) -> None:
        """`samples_in_memory` is how many of the latest samples stay in memory, `limit` the largest file [bytes]."""
        self._log, self._in_memory = Log(), samples_in_memory
        self.limit = limit
        """The largest size of the file [bytes]."""
        self.most_obstacles = 0
        """The most obstacles at any time, for the Dataset [-]."""
        self._latest: dict[int, Variables] = {}  # portions by their first sample, in their order
        self.count = 0
        """Samples that are kept [-]."""

    @property
    def size(self) -> int:
        """Size of the file [bytes]."""
        return self._log.size

    def put(self, first: int, variables: Variables, assemble: Assemble) -> None:
        """Takes samples from number `first` on; they replace those that are there. Raises TooLarge beyond the limit."""
        count = next((values.shape[1] for values in variables.values()), 0)
        needed = self._log.size + sum(values.nbytes for values in variables.values())
        if needed > self.limit:
            raise TooLarge(
                f"recording {self.count + count} samples", needed, self.limit,
                "reset, record less often, or give a higher file_limit", where=WHERE,
            )  # fmt: skip
        self.drop_from(first)
        self._log.append(first, variables)
        self._latest[first] = {name: np.array(values) for name, values in variables.items()}
        self.count = first + count
        while len(self._latest) > 1 and self.count - list(self._latest)[1] >= self._in_memory:
            del self._latest[next(iter(self._latest))]

    @contextmanager
    def with_room(self) -> Iterator[None]:
        """Lets the last samples in also if the file is full: what was simulated can still be seen and saved."""
        limit, self.limit = self.limit, sys.maxsize
        try:
            yield
        finally:
            self.limit = limit

    def drop_from(self, first: int) -> None:
        """Drops the samples from a number on. It must be the first of a portion, or later than all."""
        self._log.drop_from(first)
        self._latest = {key: portion for key, portion in self._latest.items() if key < first}
        self.count = min(self.count, first)

    def samples(self, first: int, last: int) -> Variables:
        """The samples from number `first` up to, but without, `last`: by name, [sample, ...]."""
        keys = self._log.keys
        begin, end = max(bisect_right(keys, first) - 1, 0), bisect_left(keys, last)
        parts = [self._portion(number) for number in range(begin, end)]
        if not parts:
            return {}
        from_first = slice(first - keys[begin], last - keys[begin])
        return {name: values[from_first] for name, values in _joined(parts).items()}

    def _portion(self, number: int) -> Variables:
        key = self._log.keys[number]
        return self._latest[key] if key in self._latest else self._log.read(number)

    def dataset(self, length: int, assemble: Assemble) -> xr.Dataset:
        """Returns the Dataset of the samples so far."""
        found = self.samples(0, length)
        for name in found.keys() & ON_OBSTACLES.keys():
            found[name] = _fitted(found[name], self.most_obstacles)
        return assemble({name: values[None] for name, values in found.items()}, 0, length)

    def close(self) -> None:
        """Deletes the file."""
        self._log.close()


def _joined(parts: list[Variables]) -> Variables:
    """Portions one after the other, of the only world; obstacles that are not there yet, or any more, are NaN."""
    found = {}
    for name in parts[0]:
        values = [part[name][0] for part in parts]
        if name in ON_OBSTACLES:
            most = max(each.shape[1] for each in values)
            values = [_fitted(each, most) for each in values]
        found[name] = np.concatenate(values)
    return found


def _fitted(values: np.ndarray, count: int) -> np.ndarray:
    """Values of [sample, obstacle, ...] with so many obstacles: NaN where there is none."""
    made = np.full((len(values), count, *values.shape[2:]), np.nan)
    both = min(count, values.shape[1])
    made[:, :both] = values[:, :both]
    return made
