"""Runs that say which world they were made from, as a simulation would write it."""

from __future__ import annotations

import numpy as np
import xarray

import pushpoint as pp
from pushpoint.description.runs import run_text
from pushpoint.scenery.reading import read_recording
from pushpoint.simulation.provenance import DESCRIPTION, TERRAIN, experiment_of
from pushpoint.worlds.world import Experiment


def described(run: xarray.Dataset, world: pp.World, name: str | None = None) -> xarray.Dataset:
    """The run with another world, and another name, in what it says of itself."""
    said = experiment_of(run) if DESCRIPTION in run.attrs else Experiment((world,), duration=float(run.time[-1]))
    field = world.environment.ground.heights
    names = {} if field is None else {id(field): TERRAIN}
    told = said._replace(worlds=(world,), name=said.name if name is None else name)
    run = run.assign_attrs({DESCRIPTION: run_text(told, names)})
    if field is not None:
        run = run.assign({TERRAIN: (("terrain_x", "terrain_y"), field.heights)})
        for axis, dim in enumerate(("terrain_x", "terrain_y")):
            run = run.assign_coords({dim: field.origin[axis] + field.spacing * np.arange(field.heights.shape[axis])})
    return run


def world_of(run: xarray.Dataset) -> pp.World:
    """What a run was made from."""
    return read_recording(run).world
