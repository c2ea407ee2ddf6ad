"""A run's origin, read back as objects: the one place that knows where a Dataset keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pushpoint.description.runs import read_run_text, read_statuses
from pushpoint.errors import InvalidModel
from pushpoint.worlds.world import World

if TYPE_CHECKING:
    import xarray

    from pushpoint.worlds.experiment import Experiment

DESCRIPTION = "description"
"""The attribute that holds the description of world and run."""
TERRAIN = "terrain_height"
"""The variable that holds the heights of the ground."""


def experiment_of(run: xarray.Dataset) -> Experiment:
    """What a run came from: its worlds, duration, settings, record; of one world of a batch, that world alone."""
    if DESCRIPTION not in run.attrs:
        raise InvalidModel("run", "a Dataset without a description", "a result of pushpoint")
    arrays = {str(name): variable.values for name, variable in run.data_vars.items() if str(name).startswith(TERRAIN)}
    try:
        experiment = read_run_text(run.attrs[DESCRIPTION], arrays)
    except (ValueError, TypeError, KeyError):
        raise InvalidModel("run", "a Dataset whose description cannot be read", "a result of pushpoint") from None
    if "world" not in run.coords:
        return experiment
    chosen = run["world"].values
    numbers: Any = chosen.tolist() if chosen.ndim else [int(chosen)]
    return experiment._replace(worlds=tuple(experiment.worlds[number] for number in numbers))


def statuses_of(run: xarray.Dataset) -> list[str]:
    """How every world of a run ended: names of Status in small letters."""
    found: list[str] = read_statuses(run.attrs.get("world_status", "[]"))
    return found


def world_of(run: xarray.Dataset) -> World | tuple[World, ...]:
    """The world of a run, controller included; of a batch all of them."""
    worlds = experiment_of(run).worlds
    return worlds if "world" in run.dims else worlds[0]


def only_world(run: xarray.Dataset) -> World:
    """The world of a run of one world."""
    if "world" in run.dims:
        raise InvalidModel("run", f"a batch of {run.sizes['world']} worlds", "one world: run.isel(world=0)")
    return experiment_of(run).worlds[0]
