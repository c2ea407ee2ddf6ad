"""A comparison of controllers as a study: trials are rows, so that they are kept, resumed and shared among workers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from pushpoint.description.experiments import world_sections
from pushpoint.description.writing import plain, section
from pushpoint.errors import PushpointError
from pushpoint.scenarios.scenario import Scenario
from pushpoint.studies.comparison import (
    CAUSES,
    MOST_WORLDS,
    RECORD,
    Compared,
    ControllerComparison,
    Measures,
    measures_of,
    open_trials,
)
from pushpoint.studies.measuring import OF_TRIALS, register_measure
from pushpoint.studies.places import Place, published_place
from pushpoint.studies.running.driving import Standing, run_study
from pushpoint.studies.storing.table import load_table
from pushpoint.studies.study import Study
from pushpoint.studies.varied import Values, Variants
from pushpoint.worlds.world import World

NAMES = {each.name: f"{OF_TRIALS}{each.name.replace('_', '-')}" for each in fields(Measures)}
"""The measures of a trial, by their fields."""
INVALID = "invalid"
_last: list[tuple[xr.Dataset, Measures]] = []


def _column(name: str, run: xr.Dataset) -> np.ndarray:
    """One measure of all trials as numbers; a cause is its place in CAUSES. All measures are found together."""
    if not _last or _last[0][0] is not run:
        _last[:] = [(run, measures_of(run))]
    found = getattr(_last[0][1], name)
    return np.array([CAUSES.index(cause) for cause in found]) if name == "cause" else found


for _field, _name in NAMES.items():
    register_measure(_name, needs=RECORD.variables or ())(partial(_column, _field))


def compare_in(
    store: str | Path,
    comparison: ControllerComparison,
    *,
    workers: int | None = None,
    watch: Callable[[Standing], None] | None = None,
) -> Compared:
    """Runs the trials of a comparison that a store does not hold yet.

    Different comparisons may share a store: a trial is identified by its robot, course, controller, start, sensors,
    duration and settings.

    Args:
        store: A folder.
        comparison: What is compared. All controllers must be registered kinds.
        workers: Number of processes; default: this one.
        watch: Told how far it is after each batch.
    """
    blocked, trials = open_trials(comparison)
    if not trials:
        none: Mapping[str, Sequence[Mapping[str, Any]]] = {label: [] for label in comparison.controllers}
        return Compared(comparison=comparison, blocked=blocked, trials=none)
    found = run_study(study_of(comparison, trials), store, workers=workers, watch=watch)
    rows = _rows(load_table(store), trials)
    by_label = {label: rows[k * len(trials) : (k + 1) * len(trials)] for k, label in enumerate(comparison.controllers)}
    return Compared(comparison=comparison, blocked=blocked, trials=by_label, done_before=found.standing.reused)


def study_of(comparison: ControllerComparison, trials: Sequence[tuple[Place, int]]) -> Study:
    """The study of a comparison. Its base is the same for all, so that they may share a store."""
    usual = published_place(1, 1)
    base = Scenario(
        name="comparison",
        worlds=World(usual.robot, usual.environment, start=usual.starts[0]),
        duration=1.0,
        record=RECORD,
    )
    run = {"duration": comparison.duration, "settings": section(comparison.settings)}
    run |= {"sensors": plain(comparison.sensors)}
    controllers = list(comparison.controllers.values())
    return Study(
        name="comparison",
        base=base,
        varies=[
            Values(field="controller", values=controllers, labels=list(comparison.controllers)),
            Variants(
                field="trial",
                variants=[run | _place_sections(place, k) for place, k in trials],
                labels=[f"{number} {place.name} {k}" for number, (place, k) in enumerate(trials)],
            ),
        ],
        measures=list(NAMES.values()),
        batch=MOST_WORLDS,
    )


def _place_sections(place: Place, start: int) -> dict[str, Any]:
    """The sections of a trial. The start is written out: without one, a controller would choose it."""
    world = World(place.robot, place.environment, start=place.starts[start])
    found = world_sections(world)
    lying: Any = place.starts[start]
    own = section(lying) or {"position": list(lying.position)}
    return {name: found[name] for name in ("robot", "ground", "obstacles")} | {"start": own}


def _rows(table: xr.Dataset, trials: Sequence[tuple[Place, int]]) -> list[dict[str, Any]]:
    """The rows of all controllers, one after another, in the types of Measures."""
    statuses = table.status.values
    if INVALID in statuses:
        raise PushpointError(str(table.message.values[statuses == INVALID][0]))
    columns = {name: table[column].values.tolist() for name, column in NAMES.items()}
    columns["passed"] = [bool(each) for each in columns["passed"]]
    columns["stops"] = [int(each) for each in columns["stops"]]
    columns["cause"] = [CAUSES[int(each)] for each in columns["cause"]]
    found = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    whose = [{"place": place.name, "start": k} for place, k in trials] * (len(found) // len(trials))
    return [who | row for who, row in zip(whose, found, strict=True)]
