"""All worlds of a run as arrays, worlds first, and results of a measure as DataArrays again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import xarray as xr

from pushpoint.simulation.provenance import experiment_of
from pushpoint.worlds.world import World


def worlds_of(run: xr.Dataset) -> tuple[World, ...]:
    """The worlds of a run, one or several."""
    return experiment_of(run).worlds


def values_of(run: xr.Dataset, name: str, *dims: str) -> np.ndarray:
    """A variable of all worlds, shape (n_worlds, ...) with the other dimensions in the order given."""
    values = run[name].transpose(..., *dims).values
    return values if "world" in run[name].dims else np.broadcast_to(values, (run.sizes.get("world", 1), *values.shape))


def number_of_each(worlds: Sequence[World], number: Callable[[World], float]) -> np.ndarray:
    """A number of each world, shape (n_worlds,)."""
    return np.array([number(world) for world in worlds], dtype=float)


def found_for(run: xr.Dataset, values: np.ndarray, *dims: str, units: str, long_name: str) -> xr.DataArray:
    """What a measure found for each world, shape (n_worlds, ...); without the first dimension if the run has none."""
    batched = "world" in run.dims
    all_dims = ("world", *dims) if batched else dims
    coords = {name: each for name, each in run.coords.items() if set(each.dims) <= set(all_dims)}
    attrs = {"units": units, "long_name": long_name}
    return xr.DataArray(values if batched else values[0], coords, all_dims, attrs=attrs)


def mean_since(values: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Means over samples from number `first` of each world on, without those that are not known.

    Args:
        values: Shape (n_worlds, n_samples).
        first: Shape (n_worlds,).
    """
    known = (np.arange(values.shape[1]) >= first[:, None]) & ~np.isnan(values)
    count = known.sum(axis=1)
    total = np.where(known, values, 0.0).sum(axis=1)
    return np.asarray(total / np.where(count > 0, count, np.nan))
