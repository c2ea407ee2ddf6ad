"""What a result says about its origin, and how to read that back as objects."""

from __future__ import annotations

import hashlib
import json
import math
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.description.runs import read_run_text, read_statuses, run_text, statuses_text
from pushpoint.engine.compiled import target_of
from pushpoint.engine.settings import Status
from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.simulation.health import health_attributes
from pushpoint.worlds.world import Experiment, World

if TYPE_CHECKING:
    import xarray

    from pushpoint.simulation.rollout import Rollout

PACKAGES = ("pushpoint", "warp-lang", "numpy", "xarray")


def json_types(value: Any) -> Any:
    """Converts a value to JSON types. Other objects become the name of their type; NaN and infinity become null."""
    if isinstance(value, dict):
        return {str(key): json_types(part) for key, part in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [json_types(part) for part in value]
    if isinstance(value, (bool, str, int)) or value is None:
        return value
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    return getattr(value, "__qualname__", type(value).__qualname__)


def attributes(rollout: Rollout, statuses: Sequence[Status], names: Mapping[int, str]) -> dict[str, Any]:
    """Attributes of a run's Dataset. They are texts, because NetCDF has neither None nor nesting.

    `names` are the names of the variables that hold height fields, by the id of the field.
    """
    worst = next((status for status in statuses if status.failed), statuses[0])
    sentence = rollout.failure() or worst.value
    return {
        DESCRIPTION: run_text(rollout.experiment, names) if rollout.described else rollout.experiment,
        "status": sentence,
        "status_code": worst.name.lower(),
        "world_status": statuses_text([status.name.lower() for status in statuses]),
        **health_attributes(rollout.health(), rollout.worlds, rollout.settings, rollout.remarks),
        "kernels": json.dumps({"variants": rollout.stepper.variants, **target_of(rollout.settings.device)}),
        "versions": json.dumps({name: version_of(name) for name in PACKAGES} | {"python": platform.python_version()}),
    }


def version_of(package: str) -> str:
    """Version of an installed package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


DESCRIPTION = "description"
"""The attribute that holds the description of worlds and run; in a run that is dropped soon, the experiment itself."""
KEY = "description_key"
"""The coordinate of a batch that says which description each world belongs to."""
TERRAIN = "terrain_height"
"""The variable that holds the heights of the ground."""


@checked_arguments
def experiment_of(run: xarray.Dataset) -> Experiment:
    """Returns the experiment behind a run: worlds, duration, settings and record.

    For one world of a batch, it holds that world alone.
    """
    if DESCRIPTION not in run.attrs:
        raise InvalidModel("run", "a Dataset without a description", "a result of pushpoint")
    experiment = run.attrs[DESCRIPTION]
    if not isinstance(experiment, Experiment):
        fields = [(str(name), each) for name, each in run.data_vars.items() if str(name).startswith(TERRAIN)]
        experiment = read_run_text(experiment, {name: each.values for name, each in fields})
    numbers = _numbers_of_worlds(run, len(experiment.worlds))
    return experiment._replace(worlds=tuple(experiment.worlds[number] for number in numbers))


def description_key(text: str) -> int:
    """A number for a description, by which every world of a batch shows which description it belongs to."""
    return int.from_bytes(hashlib.sha256(text.encode(errors="surrogatepass")).digest()[:6], "big")


def _numbers_of_worlds(run: xarray.Dataset, described: int) -> list[int]:
    """Which of the described worlds a run holds; refused if the description cannot be that of all of them.

    `xarray.concat` keeps the description of the first run alone, and every measure of the others would be wrong.
    """
    count = run.sizes.get("world", 1)
    if "world" not in run.coords:
        if count != described:
            how = "pp.concat joins runs, and run.isel(world=2) keeps the number of a world, unless told drop=True"
            raise InvalidModel("run: worlds", count, f"as many as it describes, {described}: {how}")
        return list(range(described))
    numbers = [int(number) for number in np.atleast_1d(run["world"].values).tolist()]
    joins = "pp.concat joins runs with the description of every world"
    if len(set(numbers)) < len(numbers) or not set(numbers) <= set(range(described)):
        raise InvalidModel("run: world", numbers, f"different numbers from 0 to {described - 1}: {joins}")
    if KEY in run.coords:
        lost = "world" in run.dims and "world" not in run[KEY].dims
        if lost or not (run[KEY] == description_key(run.attrs[DESCRIPTION])).all():
            raise InvalidModel("run", "worlds of several runs under one description", f"described as a whole: {joins}")
    return numbers


def require(run: xarray.Dataset, reader: str, *names: str) -> None:
    """Raises InvalidModel if a run has no samples or lacks a variable that `reader` needs."""
    if not run.sizes.get("time"):
        raise InvalidModel("run: samples", 0, f"at least 1, which {reader} needs")
    for name in names:
        if name not in run:
            raise InvalidModel("run: variables", list(run.data_vars), f"a list with {name}, which {reader} needs")


def statuses_of(run: xarray.Dataset) -> list[str]:
    """How each world of a run ended: names of Status in lower case."""
    found: list[str] = read_statuses(run.attrs.get("world_status", "[]"))
    return found


@checked_arguments
def world_of(run: xarray.Dataset) -> World | tuple[World, ...]:
    """Returns the world that a run came from, including its controller; for a batch, a tuple of all worlds.

    For example:

        world = pp.world_of(pp.load("run.nc"))
    """
    worlds = experiment_of(run).worlds
    return worlds if "world" in run.dims else worlds[0]


@checked_arguments
def only_world(run: xarray.Dataset) -> World:
    """Returns the world of a run that has a single world."""
    refuse_batch(run)
    return experiment_of(run).worlds[0]


def refuse_batch(run: xarray.Dataset) -> None:
    """Raises InvalidModel for a run of several worlds."""
    if "world" in run.dims:
        raise InvalidModel("run", f"a batch of {run.sizes['world']} worlds", "one world: run.isel(world=0)")
