"""The period of a gait: as the controller says, or as the joints show; and the time over which means are taken."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import xarray as xr

from pushpoint.engine.controller import Gait
from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.simulation.measures.whole_batches import found_for, number_of_each, values_of
from pushpoint.simulation.provenance import experiment_of, only_world, require
from pushpoint.simulation.summary import Window
from pushpoint.worlds.edits import ChangeController
from pushpoint.worlds.world import World

CLEAR = 0.7
"""Likeness to itself from which motion counts as periodic [-]; that of noise is near 0."""
NEARLY = 0.9
"""Share of the highest likeness that the first period must have [-]: whole multiples of it are as high."""
ROUNDING = 1e-9
"""Times closer than this are the same [s]."""


def _period(world: World) -> float:
    """Period that the controller of a world states [s]; NaN without one."""
    period = world.controller.period if isinstance(world.controller, Gait) else None
    return math.nan if period is None or math.isinf(period) else period


@checked_arguments
def gait_period(run: xr.Dataset) -> float | None:
    """Period of the gait [s] of a single-world run; None if it is not periodic, or if another took over on the way."""
    only_world(run)
    found = float(gait_periods(run)[0])
    return None if math.isnan(found) else found


def gait_periods(run: xr.Dataset) -> np.ndarray:
    """Periods of the gaits of all worlds [s], shape (n_worlds,); NaN without one, or where another took over."""
    experiment = experiment_of(run)
    changed = any(isinstance(edit, ChangeController) for edit in experiment.edits)
    return number_of_each(experiment.worlds, lambda world: math.nan if changed else _period(world))


def first_samples(run: xr.Dataset) -> np.ndarray:
    """Number of the first sample of each world's last whole gait periods, shape (n_worlds,); 0 without a period."""
    time, period = run.time.values, gait_periods(run)
    end = float(time[-1])
    start = np.where(end >= period, end - np.floor(end / period + ROUNDING) * period, -np.inf)
    return np.searchsorted(time, start - ROUNDING)


def starts_of_last(run: xr.Dataset, periods: int) -> np.ndarray:
    """When the last so many gait periods of each world begin [s], shape (n_worlds,); refused if there are fewer."""
    time, period = run.time.values, gait_periods(run)
    if np.isnan(period).any():
        raise InvalidModel("periods", periods, f"None: world {int(np.argmax(np.isnan(period)))} has no period")
    start = time[-1] - periods * period
    if start.min() < time[0] - ROUNDING:
        most = int((time[-1] - time[0] + ROUNDING) / period.max())
        raise InvalidModel("periods", periods, f"at most {most}: the run has no more of the longest period")
    return np.asarray(start)


@checked_arguments
def whole_periods(run: xr.Dataset) -> xr.Dataset:
    """The last part of a single-world run that spans a whole number of gait periods; all of it without a period."""
    require(run, "whole periods")
    only_world(run)
    return run.isel(time=slice(int(first_samples(run)[0]), None))


@checked_arguments
def averaging_window(run: xr.Dataset) -> Window:
    """The time over which means of a single-world run are taken: the last whole gait periods, or the whole run."""
    part = whole_periods(run)
    start, end = float(part.time[0]), float(part.time[-1])
    period = gait_period(run)
    fits = period is not None and end - start > 0.5 * period
    return Window(start, end, period if fits else None, part.time.size == run.time.size)


@checked_arguments
def detected_period(run: xr.Dataset) -> xr.DataArray:
    """Period of the joints' motion [s], whatever drives them; NaN if it does not repeat itself. Dims () or (world,).

    It is the shortest time after which all joint angles together repeat, found by the normalised autocorrelation of
    McLeod and Wyvill ("A smarter way to find pitch", ICMC 2005): n(T) = 2 sum x(t) x(t + T) / sum (x(t)^2 +
    x(t + T)^2), with the mean angle of each joint taken off. The first lobe of n that comes near the highest one
    holds the period, and a parabola through its top gives parts of a sample. A run must show two periods, and n must
    reach 0.7: noise of half the amplitude is not too much.
    """
    require(run, "a period", "joint_angle")
    every = range(run.sizes.get("world", 1))
    return found_for(run, _shown_periods(run, every), units="s", long_name="Period of the joints")


def _shown_periods(run: xr.Dataset, worlds: Iterable[int]) -> np.ndarray:
    """The periods that the joints of some worlds show [s]; NaN without one."""
    angles = values_of(run, "joint_angle", "time", "joint")
    step = float(run.time[1] - run.time[0]) if run.time.size > 1 else math.nan
    found = []
    for angle in (angles[w] for w in worlds):
        known = np.isfinite(angle).all(axis=1)
        angle = angle[: len(known) if known.all() else int(np.argmin(known))]
        found.append(step * _lag_of_repetition(angle - angle.mean(axis=0) if len(angle) else angle))
    return np.array(found, dtype=float)


def periods_of(run: xr.Dataset) -> np.ndarray:
    """Periods of all worlds [s], shape (n_worlds,): those of gaits, else those that joints show; NaN without."""
    found = gait_periods(run)
    unknown = np.flatnonzero(np.isnan(found))
    if unknown.size and "joint_angle" in run:
        found[unknown] = _shown_periods(run, unknown.tolist())
    return found


def _lag_of_repetition(x: np.ndarray) -> float:
    """Number of samples after which columns repeat, with parts; NaN if they do not."""
    likeness = _likeness(x)
    lobes = _lobes(likeness)
    tops = [first + int(np.argmax(likeness[first:last])) for first, last in lobes]
    tops = [top for top in tops if top + 1 < len(likeness)]
    highest = max((float(likeness[top]) for top in tops), default=0.0)
    if highest < CLEAR:
        return math.nan
    top = next(top for top in tops if likeness[top] >= NEARLY * highest)
    before, here, after = likeness[top - 1 : top + 2]
    bend = before - 2 * here + after
    return float(top + (0.5 * (before - after) / bend if bend < 0.0 else 0.0))


def _likeness(x: np.ndarray) -> np.ndarray:
    """n of McLeod and Wyvill for lags up to half the number of rows, summed over columns."""
    count = len(x)
    if count < 4 or not np.ptp(x, axis=0).any():
        return np.zeros(0)
    spectrum = np.fft.rfft(x, 2 * count, axis=0)
    product = np.fft.irfft((np.abs(spectrum) ** 2).sum(axis=1))[: count // 2 + 1]
    squares = np.concatenate(([0.0], np.cumsum((x**2).sum(axis=1))))
    lags = np.arange(count // 2 + 1)
    size = squares[count - lags] + squares[count] - squares[lags]
    return np.asarray(2 * product / np.maximum(size, np.finfo(float).tiny))


def _lobes(likeness: np.ndarray) -> list[tuple[int, int]]:
    """Stretches in which it is positive, after the first, which is that of no lag."""
    edges = np.flatnonzero(np.diff((likeness > 0.0).astype(int)))
    starts = [int(k) + 1 for k in edges if likeness[k + 1] > 0.0]
    return [(start, int(min(edges[edges >= start], default=len(likeness) - 1)) + 1) for start in starts]
