"""Where the samples of a run are kept until it is a Dataset: in memory. `simulation.streaming` keeps them in a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import xarray as xr

Variables = dict[str, np.ndarray]
"""Variables of a run by name, worlds in front, then samples."""
Assemble = Callable[[Variables, int, int], xr.Dataset]
"""Makes a Dataset of variables, given the number of their first sample and how many samples there are."""


class Keeper(Protocol):
    """Takes the samples of a run, portion by portion, and gives its Dataset."""

    def put(self, first: int, variables: Variables, assemble: Assemble) -> None:
        """Takes samples from number `first` on, which follow those before without a gap."""

    def dataset(self, length: int, assemble: Assemble) -> xr.Dataset:
        """The Dataset of the first `length` samples; all of them were put."""

    def close(self) -> None:
        """Lets go of what is open, without a Dataset."""


class InMemory:
    """Keeps samples in arrays that have room for all that may come."""

    def __init__(self, most: int) -> None:
        """There will be at most that many samples."""
        self._most, self._arrays = most, {}

    _arrays: Variables

    def put(self, first: int, variables: Variables, assemble: Assemble) -> None:
        """Copies samples to their place; room that is never needed is never touched, so it takes no memory."""
        for name, values in variables.items():
            count = values.shape[1]
            if name not in self._arrays:
                self._arrays[name] = np.empty((len(values), self._most, *values.shape[2:]), dtype=values.dtype)
            self._arrays[name][:, first : first + count] = values

    def dataset(self, length: int, assemble: Assemble) -> xr.Dataset:
        """The Dataset of what was put."""
        return assemble({name: values[:, :length] for name, values in self._arrays.items()}, 0, length)

    def close(self) -> None:
        """Nothing is open."""
