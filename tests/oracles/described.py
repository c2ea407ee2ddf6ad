"""Runs that say which world they were made from, as a simulation would write it; cut short, gone wrong, changed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import xarray

import pushpoint as pp
from pushpoint.description.runs import run_text
from pushpoint.scenery.reading import read_recording
from pushpoint.simulation.provenance import DESCRIPTION, TERRAIN, experiment_of
from pushpoint.worlds.world import Experiment


def described(run: xarray.Dataset, world: pp.World, name: str | None = None) -> xarray.Dataset:
    """The run with another world, and another name, in what it says of itself."""
    origin = experiment_of(run) if DESCRIPTION in run.attrs else Experiment(worlds=(world,), duration=1.0)
    origin = origin._replace(worlds=(world,), name=origin.name if name is None else name)
    field, names = world.environment.ground.heights, {}
    if field is not None:
        run = run.assign({TERRAIN: (("terrain_x", "terrain_y"), field.heights)})
        names[id(field)] = TERRAIN
    return run.assign_attrs({DESCRIPTION: run_text(origin, names)})


def world_of(run: xarray.Dataset) -> pp.World:
    """What a run was made from."""
    return read_recording(run).world


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
