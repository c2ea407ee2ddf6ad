"""Where the samples of a run are kept until it becomes a Dataset: in memory, or in a file (simulation.streaming)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import xarray as xr

Variables = dict[str, np.ndarray]
"""Variables of a run by name; axes: worlds, samples, then the rest."""
Assemble = Callable[[Variables, int, int], xr.Dataset]
"""Makes a Dataset from variables, given the number of their first sample and the number of samples."""


class Keeper(Protocol):
    """Takes the samples of a run, portion by portion, and returns its Dataset."""

    def put(self, first: int, variables: Variables, assemble: Assemble) -> None:
        """Takes samples from number `first` on, which follow the earlier ones without a gap."""

    def dataset(self, length: int, assemble: Assemble) -> xr.Dataset:
        """Returns the Dataset of the first `length` samples."""

    def close(self) -> None:
        """Releases open files without making a Dataset."""


class InMemory:
    """Keeps samples in arrays that have room for the whole run."""

    def __init__(self, most: int) -> None:
        """`most` is the largest number of samples."""
        self._most, self._arrays = most, {}

    _arrays: Variables

    def put(self, first: int, variables: Variables, assemble: Assemble) -> None:
        """Copies samples into place. Room that is never used is never touched, so it takes no memory."""
        for name, values in variables.items():
            count = values.shape[1]
            if name not in self._arrays:
                self._arrays[name] = np.empty((len(values), self._most, *values.shape[2:]), dtype=values.dtype)
            self._arrays[name][:, first : first + count] = values

    def dataset(self, length: int, assemble: Assemble) -> xr.Dataset:
        """Returns the Dataset of the samples so far."""
        return assemble({name: values[:, :length] for name, values in self._arrays.items()}, 0, length)

    def close(self) -> None:
        """Does nothing: no file is open."""
