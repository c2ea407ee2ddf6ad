"""The period of a gait: as the controller says, or as the joints show; and the time over which means are taken."""

from __future__ import annotations

import math

import numpy as np
import xarray as xr

from pushpoint.engine.controller import Gait
from pushpoint.model.arguments import checked_arguments
from pushpoint.simulation.measures.each_world import each_world
from pushpoint.simulation.provenance import only_world, require
from pushpoint.simulation.summary import Window

CLEAR = 0.7
"""Likeness to itself from which motion counts as periodic [-]; that of noise is near 0."""
NEARLY = 0.9
"""Share of the highest likeness that the first period must have [-]: whole multiples of it are as high."""


@checked_arguments
def gait_period(run: xr.Dataset) -> float | None:
    """Period of the gait [s] of a single-world run; None if it is not periodic."""
    controller = only_world(run).controller
    period = controller.period if isinstance(controller, Gait) else None
    return None if period is None or math.isinf(period) else period


@checked_arguments
def whole_periods(run: xr.Dataset) -> xr.Dataset:
    """The last part of a single-world run that spans a whole number of gait periods; all of it without a period."""
    require(run, "whole periods")
    period = gait_period(run)
    end = float(run.time[-1])
    if period is None or end < period:
        return run
    start = end - math.floor(end / period + 1e-9) * period
    return run.sel(time=slice(start - 1e-9, None))


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

    def of_one(one: xr.Dataset) -> xr.DataArray:
        angle = one.joint_angle.transpose("time", "joint").values
        known = np.isfinite(angle).all(axis=1)
        angle = angle[: len(known) if known.all() else int(np.argmin(known))]
        step = float(one.time[1] - one.time[0]) if one.time.size > 1 else math.nan
        return xr.DataArray(step * _lag_of_repetition(angle - angle.mean(axis=0) if len(angle) else angle))

    return each_world(run, of_one).assign_attrs(units="s", long_name="Period of the joints")


def period_of(run: xr.Dataset) -> float | None:
    """Period of a single-world run [s]: that of its gait, else the one that the joints show; None without."""
    known = gait_period(run)
    if known is None and "joint_angle" in run:
        found = float(detected_period(run))
        known = found if math.isfinite(found) else None
    return known


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
