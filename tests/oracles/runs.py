"""Runs cut short, gone wrong, or put among other obstacles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import xarray

from oracles.described import described, world_of


def first(run: xarray.Dataset, samples: int) -> xarray.Dataset:
    return run.isel(time=slice(0, samples)).copy(deep=True)


def among(run: xarray.Dataset, *obstacles: Any, **others: Any) -> xarray.Dataset:
    """The run with other obstacles, and other parts of its world."""
    world = world_of(run)
    environment = replace(world.environment, obstacles=obstacles)
    return described(run, replace(world, **({"environment": environment} | others)))


def diverged(run: xarray.Dataset) -> xarray.Dataset:
    run = first(run, 30)
    for name in run.data_vars:
        if "time" in run[name].dims:
            run[name][20:25] = 1e200
            run[name][25:] = np.inf
    return run.assign_attrs(status_code="diverged", status="world 0 diverged at step 212")
