"""Joins runs along `world`, with the description of every world."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from pushpoint.description.runs import run_text, statuses_text
from pushpoint.engine.settings import Status
from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.simulation.estimate import estimate_of
from pushpoint.simulation.health import health_attributes, health_of
from pushpoint.simulation.provenance import DESCRIPTION, KEY, experiment_of, statuses_of
from pushpoint.simulation.results import add_terrain, with_key
from pushpoint.simulation.rollout import failure_sentence, rounded
from pushpoint.worlds.variables import entry_of
from pushpoint.worlds.world import Experiment

OF_ALL = ("duration", "settings", "record", "until")
"""What all worlds of a run share, and runs to be joined must."""
FLAGS = ("flag_values", "flag_meanings")
"""Names of a controller's modes, which a joined variable has only if all runs have the same."""


@checked_arguments
def concat(runs: Sequence[xr.Dataset]) -> xr.Dataset:
    """Joins runs along `world`, single ones and batches alike, and numbers their worlds anew.

        runs = [pp.simulate(world, 1.0), pp.simulate(world, 1.0)]
        print(pp.measures.cost_of_transport(pp.concat(runs)))

    Every world keeps its own description, status and health, so measures and figures are those of each world.
    `xarray.concat` keeps the description of the first run alone, and measures refuse what it makes.

    Args:
        runs: Runs of equal duration, settings, record and number of links.

    Returns:
        A run with a `world` dimension, as if all worlds had been simulated in one batch.
    """
    runs = list(runs)
    if not runs:
        raise InvalidModel("runs", [], "one run or more")
    experiments = [experiment_of(run) for run in runs]
    for number, each in enumerate(experiments):
        if each.edits:
            allowed = "none: edits belong to a single world, so such a run is not joined with others"
            raise InvalidModel(f"runs[{number}].edits", len(each.edits), allowed)
    for number in range(1, len(runs)):
        _check_alike(number, experiments[0], experiments[number], runs[0], runs[number])
    worlds = tuple(world for each in experiments for world in each.worlds)
    return joined_as(experiments[0]._replace(worlds=worlds), runs)


def joined_as(whole: Experiment, runs: Sequence[xr.Dataset]) -> xr.Dataset:
    """Runs of the worlds of an experiment, in its order, as the run of all of it."""
    joined = _joined([_bare(run) for run in runs])
    names = add_terrain(joined, whole.worlds)
    joined.attrs = _attributes(runs, whole, names)
    return with_key(joined)


def _check_alike(number: int, first: Experiment, other: Experiment, a: xr.Dataset, b: xr.Dataset) -> None:
    """Raises InvalidModel for a run that cannot be joined with the first."""
    place = f"runs[{number}]"
    for name in OF_ALL:
        wanted, given = getattr(first, name), getattr(other, name)
        if wanted != given:
            raise InvalidModel(f"{place}.{name}", given, f"that of runs[0], {wanted}")
    if first.worlds[0].spatial != other.worlds[0].spatial:
        raise InvalidModel(f"{place}: robot", "another kind", "in the plane or in space, as in runs[0]")
    for dim, words in (("link", "links"), ("joint", "joints"), ("time", "samples")):
        if a.sizes.get(dim) != b.sizes.get(dim):
            raise InvalidModel(f"{place}: {words}", b.sizes.get(dim), f"as many as in runs[0], {a.sizes.get(dim)}")


def _bare(run: xr.Dataset) -> xr.Dataset:
    """A run with a `world` dimension, without attributes, terrain and numbers of worlds, which are made anew."""
    if "world" not in run.dims:
        run = run.drop_vars([name for name in ("world", KEY) if name in run.coords]).expand_dims("world")
    strange = [name for name in run.variables if str(name).startswith("terrain_") or name in ("world", KEY)]
    fixed = [name for name in run.data_vars if name not in strange and "world" not in run[name].dims]
    run = run.drop_vars(strange)
    return run.assign({name: run[name].expand_dims(world=run.sizes["world"]) for name in fixed}).drop_attrs(deep=False)


def _joined(parts: list[xr.Dataset]) -> xr.Dataset:
    """Bare runs one after another; obstacles that a world does not have are NaN, as in a batch."""
    most = max(part.sizes.get("obstacle", 0) for part in parts)
    for k, part in enumerate(parts):
        if most and "obstacle_count" not in part:
            none = np.zeros(part.sizes["world"], dtype=int)
            part = part.assign(obstacle_count=("world", none, entry_of("obstacle_count").attrs))
        if "obstacle" in part.dims and part.sizes["obstacle"] < most:
            part = part.pad(obstacle=(0, most - part.sizes["obstacle"]), constant_values=np.nan)
            part = part.assign_coords(obstacle=("obstacle", np.arange(most), entry_of("obstacle").attrs))
        parts[k] = part
    shared = [name for name in parts[0].data_vars if all(name in part for part in parts)]
    joined = xr.concat(
        [part.drop_vars([name for name in part.data_vars if name not in shared]) for part in parts],
        "world",
        data_vars="all",
        coords="minimal",
        compat="override",
        join="override",
        combine_attrs="override",
    )
    if "controller_mode" in joined and len({str(_flags(part)) for part in parts}) > 1:
        for name in FLAGS:
            joined["controller_mode"].attrs.pop(name, None)
    along = [name for name, each in joined.coords.items() if "world" in each.dims]  # parameters of sweeps
    joined = joined.drop_vars(along)
    world = ("world", np.arange(joined.sizes["world"]), entry_of("world").attrs)
    return joined.assign_coords(world=world).transpose("world", ...)


def _flags(part: xr.Dataset) -> list[Any]:
    return [part["controller_mode"].attrs.get(name) for name in FLAGS]


def _attributes(runs: Sequence[xr.Dataset], whole: Experiment, names: dict[int, str]) -> dict[str, Any]:
    """Attributes of the joined run, like those that a simulation of all worlds writes."""
    codes = [code for run in runs for code in _codes(run)]
    healths = [each for run in runs for each in health_of(run)]
    known = len(healths) == len(whole.worlds)
    worst = next((k for k, code in enumerate(codes) if Status[code.upper()].failed), 0)
    status = Status[codes[worst].upper()]
    steps = healths[worst].steps if known else 0
    found, dt = estimate_of(whole._replace(worlds=whole.worlds[:1])), whole.settings.dt
    remarks = rounded(whole.duration, whole.record.rate, found.steps, found.every, dt)
    kept = {name: _merged([run.attrs.get(name, "{}") for run in runs]) for name in ("kernels", "versions")}
    return {
        DESCRIPTION: run_text(whole, names),
        "status": failure_sentence(worst, status, steps, dt) if status.failed and known else status.value,
        "status_code": codes[worst],
        "world_status": statuses_text(codes),
        **(health_attributes(healths, whole.worlds, whole.settings, remarks) if known else {}),
        **kept,
    }


def _codes(run: xr.Dataset) -> list[str]:
    """How each world of a run, or the one taken out of a batch, ended."""
    codes = statuses_of(run)
    numbers = np.atleast_1d(run["world"].values).tolist() if "world" in run.coords else range(run.sizes.get("world", 1))
    return [codes[number] if number < len(codes) else "finished" for number in numbers]


def _merged(texts: Sequence[str]) -> str:
    """The text that all have in common, or the list of the different ones."""
    different = list(dict.fromkeys(texts))
    return different[0] if len(different) == 1 else json.dumps([json.loads(text) for text in different])
