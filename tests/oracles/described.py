"""Runs that say which world they were made from, as a simulation would write it."""

from __future__ import annotations

import json

import numpy as np
import xarray

import pushpoint as pp
from pushpoint.scenery.reading import read_recording
from pushpoint.simulation.provenance import describe


def described(run: xarray.Dataset, world: pp.World, name: str | None = None) -> xarray.Dataset:
    """The run with another world, and another name, in what it says of itself."""
    said = json.loads(run.attrs.get("scenario", "{}")) | describe(world)
    if name is not None:
        said["name"] = name
    run = run.assign_attrs(scenario=json.dumps(said))
    run.attrs.pop("document", None)
    field = world.environment.ground.heights
    if field is not None:
        run = run.assign(terrain_height=(("terrain_x", "terrain_y"), field.heights))
        for axis, dim in enumerate(("terrain_x", "terrain_y")):
            run = run.assign_coords({dim: field.origin[axis] + field.spacing * np.arange(field.heights.shape[axis])})
    return run


def world_of(run: xarray.Dataset) -> pp.World:
    """What a run was made from."""
    return read_recording(run).world
