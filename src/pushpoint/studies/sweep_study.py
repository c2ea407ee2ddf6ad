"""A sweep as a study: the run of each world is kept whole, so that a sweep goes on where it stopped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from pushpoint.description.changes import keys_in
from pushpoint.description.experiments import STANDING
from pushpoint.errors import InvalidModel, PushpointError
from pushpoint.model.catalogue import aiko_planar
from pushpoint.model.environment import Environment
from pushpoint.scenarios.files import document_of
from pushpoint.scenarios.scenario import Scenario, Variation
from pushpoint.simulation.joining import joined_as
from pushpoint.simulation.storage import load
from pushpoint.studies.measuring import measured_by_end, measures_named, worlds_by_end
from pushpoint.studies.running.batches import INVALID
from pushpoint.studies.running.driving import Standing, run_study
from pushpoint.studies.running.rows import ABOUT
from pushpoint.studies.storing.store import RUNS
from pushpoint.studies.storing.table import load_table
from pushpoint.studies.study import Study
from pushpoint.studies.variants import varied_worlds
from pushpoint.studies.varied import Variants
from pushpoint.worlds.world import World

MEASURE = "distance"
"""A study has one; those of a sweep are found from its runs."""
MOST_STEPS = 1_000_000
"""Time steps of all worlds that are simulated together [-]: some seconds of work, which is what a stop loses."""
FEWEST = 2
"""Worlds simulated together if they are long [-]."""


def sweep_in(
    store: str | Path, sweep: Scenario, *, watch: Callable[[Standing], None] | None = None
) -> tuple[xr.Dataset, Standing]:
    """Runs the worlds of a sweep that a store does not hold yet; returns all runs as one, and how many were new.

    Different sweeps may share a store: a run is identified by its world, duration, settings and record.

    Args:
        store: A folder.
        sweep: A scenario of several worlds. All controllers must be registered kinds.
        watch: Told how far it is after each batch.
    """
    found = run_study(study_of_sweep(sweep), store, watch=watch)
    table = load_table(store)
    if INVALID in table.status.values:
        raise PushpointError(str(table.message.values[table.status.values == INVALID][0]))
    runs = [load(Path(store) / RUNS / f"{key}.nc") for key in table.key.values]
    return sweep.stamped(joined_as(sweep.experiment, runs)), found.standing


def study_of_sweep(sweep: Scenario) -> Study:
    """The study of a sweep. Its base is the same for all, so that they may share a store; every part is replaced."""
    singles = [replace(sweep, worlds=world, varies=None, claims=()) for world in sweep.experiment.worlds]
    documents = [document_of(each) for each in singles]
    return Study(
        name="sweep",
        base=Scenario(name="sweep", worlds=World(aiko_planar(), Environment()), duration=1.0),
        varies=[
            Variants(
                field="swept",
                variants=[{key: each for key, each in one.items() if key not in ABOUT} for one in documents],
                labels=[str(number) for number in range(len(singles))],
            )
        ],
        measures=[MEASURE],
        keep="all",
        batch=max(FEWEST, int(MOST_STEPS * sweep.settings.dt / sweep.duration)),
    )


def sweep_over(base: Scenario, field: str, values: Sequence[Any], measures: Sequence[str]) -> Scenario:
    """A new sweep: a scenario with other values at one of its keys, labelled by them.

    Args:
        base: A scenario of one world.
        field: A key of its file, such as controller.amplitude_deg.
        values: Two values or more.
        measures: Names of the measures that are shown.
    """
    if keys_in(field)[0] not in STANDING:
        raise InvalidModel("--vary", field, f"a key of a world: {', '.join(STANDING)}")
    if len(values) < 2 or len({str(each) for each in values}) < len(values):
        raise InvalidModel(f"--vary {field}", list(values), "two different values or more")
    measures_named(measures)
    varies = Variation(
        parameter=field,
        unit="1",
        values=[float(number) for number in range(len(values))],
        labels=[str(each) for each in values],
        measures=partial(_measured, tuple(measures)),
    )
    worlds = tuple(varied_worlds(base, [{field: each} for each in values]))
    return replace(base, worlds=worlds, varies=varies, claims=(), origin=None)


def _measured(names: Sequence[str], runs: xr.Dataset) -> dict[str, np.ndarray]:
    """Measures of all worlds, by name and unit."""
    found, parts = {}, worlds_by_end(runs)
    for each in measures_named(names):
        unit = "" if each.unit in ("1", "-") else f" [{each.unit}]"
        found[f"{each.name.replace('_', ' ')}{unit}"] = measured_by_end(each, runs, parts)[0]
    return found
