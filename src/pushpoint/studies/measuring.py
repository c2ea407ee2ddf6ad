"""Measures of all worlds of a batch by name: those of `pp.measures`, and functions that are registered here."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from pushpoint.errors import InvalidModel, PushpointError, UnknownName
from pushpoint.model.kinds import NAME
from pushpoint.simulation import measures as known_measures
from pushpoint.simulation.measures import MEASURES, UNITS
from pushpoint.simulation.provenance import statuses_of


@dataclass(frozen=True)
class StudyMeasure:
    """A measure of a study."""

    name: str
    """Its name in tables."""
    unit: str
    """Its unit; "1" without one."""
    find: Callable[[xr.Dataset], Any]
    """Computes it from a run with a `world` dimension: a number for each world."""
    needs: tuple[str, ...] = ()
    """Variables that it reads; empty if that is not known."""
    cut: bool = False
    """Whether it gets each world only up to its end, so that it is what it would be without the others."""


_REGISTERED: dict[str, StudyMeasure] = {}


def register_measure(
    name: str, *, unit: str = "1", needs: Sequence[str] = ()
) -> Callable[[Callable[[xr.Dataset], Any]], Callable[[xr.Dataset], Any]]:
    """Gives a function of a run the name that studies use for it.

    The function takes a run with a `world` dimension and returns one number per world:

        @pp.studies.register_measure("height", unit="m", needs=["center_of_mass"])
        def height(run):
            return run.center_of_mass.sel(axis="z").max("time")

    Put it into a module of its own, and name the module in the study (`modules`): workers import it.
    A world that ends before the others is NaN after its end.
    `pp.world_of(run)` gives the worlds; the run has no description as text, which only kept runs get.

    Args:
        name: Lower-case letters, digits and single dashes or underscores.
        unit: Unit of the numbers.
        needs: Variables of the run that it reads; default: all that the scenario records.
    """
    if not (isinstance(name, str) and NAME.fullmatch(name.replace("_", "-"))):
        raise InvalidModel("register_measure: name", name, "lower-case letters, digits and single dashes")
    if isinstance(needs, str):
        raise InvalidModel("register_measure: needs", needs, "a list of names of variables")
    if name in _builtin():
        raise InvalidModel("register_measure: name", name, "a new one: pp.measures has it already")

    def registered(function: Callable[[xr.Dataset], Any]) -> Callable[[xr.Dataset], Any]:
        _REGISTERED[name] = StudyMeasure(name, unit, function, tuple(needs))
        return function

    return registered


def _builtin() -> dict[str, StudyMeasure]:
    """The measures of a summary, and further functions of `pp.measures` that give one number per world."""
    found = {}
    for name, each in MEASURES.items():
        needs = tuple(dict.fromkeys((*each.needs, *each.needs_in_space)))
        found[name] = StudyMeasure(name, UNITS[name], each.find, needs, cut=True)
    for name, unit in MORE.items():
        found[name] = StudyMeasure(name, unit, getattr(known_measures, name), cut=True)
    return found


MORE = {
    "detected_period": "s",
    "wave_speed": "m/s",
    "slip_ratio": "-",
    "froude_number": "-",
    "friction_froude_number": "-",
    "propulsive_efficiency": "-",
    "workspace": "m^2 or m^3",
}
"""Further measures of `pp.measures`, and their units."""


OF_TRIALS = "touch-"
"""How the names of the measures of a comparison begin."""


def measures_named(names: Iterable[str]) -> list[StudyMeasure]:
    """The measures of some names; an unknown one raises UnknownName."""
    names = list(names)
    if any(str(name).startswith(OF_TRIALS) for name in names):
        import pushpoint.studies.comparison_study  # noqa: F401  registers them
    known = _builtin() | _REGISTERED
    for name in names:
        if name not in known:
            raise UnknownName("measure", str(name), known)
    return [known[name] for name in names]


def variables_needed(measures: Sequence[StudyMeasure]) -> tuple[str, ...] | None:
    """The variables that some measures read; None if one of them does not say."""
    if not all(each.needs for each in measures):
        return None
    return tuple(dict.fromkeys(name for each in measures for name in each.needs))


Part = tuple[np.ndarray, xr.Dataset]
"""Numbers of some worlds of a run, and their run."""


def worlds_by_end(run: xr.Dataset) -> list[Part]:
    """The worlds that end at the same sample, up to there; after its end a world of a batch is NaN."""
    count, samples = run.sizes["world"], run.sizes["time"]
    if set(statuses_of(run)) == {"finished"}:
        return [(np.arange(count), run)]
    known = np.zeros((count, samples), dtype=bool)
    for each in run.data_vars.values():
        if {"world", "time"} <= set(each.dims) and each.dtype.kind == "f":
            values = each.transpose("world", "time", ...).values
            known |= np.isfinite(values.reshape(count, samples, -1)).any(axis=2)
    ends = np.where(known.any(axis=1), samples - np.argmax(known[:, ::-1], axis=1), samples)
    parts = [np.flatnonzero(ends == end) for end in np.unique(ends)]
    return [(own, run.isel(world=own, time=slice(int(ends[own[0]])))) for own in parts]


def measured_by_end(measure: StudyMeasure, run: xr.Dataset, parts: Sequence[Part]) -> tuple[np.ndarray, dict[int, str]]:
    """The same as `measured_values`, of `worlds_by_end` if the measure wants that."""
    if not measure.cut:
        return measured_values(measure, run)
    values, said = np.full(run.sizes["world"], math.nan), dict[int, str]()
    for own, part in parts:
        values[own], words = measured_values(measure, part)
        said |= {int(own[w]): sentence for w, sentence in words.items()}
    return values, said


def measured_values(measure: StudyMeasure, run: xr.Dataset) -> tuple[np.ndarray, dict[int, str]]:
    """The measure of every world, NaN where it has none, and what it said against worlds, by their numbers.

    All worlds at once. If that is refused, halves of them, down to the ones that are to blame.
    """
    count = run.sizes["world"]
    try:
        found = np.asarray(measure.find(run), dtype=float)
    except Exception as error:
        if count == 1:
            return np.full(1, math.nan), {0: _sentence(measure, error)}
        half = count // 2
        first, said = measured_values(measure, run.isel(world=slice(half)))
        second, said_then = measured_values(measure, run.isel(world=slice(half, None)))
        return np.concatenate([first, second]), said | {half + w: words for w, words in said_then.items()}
    if found.shape != (count,):
        return np.full(count, math.nan), dict.fromkeys(range(count), _misshapen(measure, found.shape, count))
    return found, {}


def _misshapen(measure: StudyMeasure, shape: tuple[int, ...], count: int) -> str:
    return f"measure {measure.name} gave an array of shape {shape}, must be ({count},), a number per world"


def _sentence(measure: StudyMeasure, error: Exception) -> str:
    """What a measure said, on one line."""
    kind = "" if isinstance(error, PushpointError) else f"{type(error).__name__}: "
    return f"measure {measure.name}: {kind}{' '.join(str(error).split())}"[:300]
