"""A measure of every world of a batch, each with its own robot, ground and gait."""

from __future__ import annotations

from collections.abc import Callable

import xarray as xr


def each_world(run: xr.Dataset, measure: Callable[[xr.Dataset], xr.DataArray]) -> xr.DataArray:
    """Applies a measure of a single world to each."""
    if "world" not in run.dims:
        return measure(run)
    parts = [measure(run.isel(world=w)) for w in range(run.sizes["world"])]
    return xr.concat(parts, "world", coords="minimal", compat="override")
