"""How well a run followed its path: cross-track error, direction, and the distance until it was there.

An undulating robot swings about its path. `averaged` values are means over the last cycle of the gait, which show where
it goes; the others hold the swing as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.quantities import Length
from pushpoint.simulation.measures.each_world import each_world
from pushpoint.simulation.provenance import only_world, require

if TYPE_CHECKING:
    from pushpoint.control.path_following.followed import PathTrace

WITHIN = 0.02
"""Cross-track error that counts as on the path, unless told otherwise [m]."""


def traced(run: xr.Dataset) -> PathTrace:
    """The centre of mass of a single-world run beside the path of its controller."""
    from pushpoint.control.path_following.followed import PathTrace, followed_track, trace_along  # takes time to load

    require(run, "an error along a path", "center_of_mass")
    world = only_world(run)
    track = followed_track(world.controller, world.robot)
    if track is None:
        named = type(world.controller).__name__
        raise InvalidModel("run: controller", named, "one that follows a path: LineOfSight, or a PathSteering")
    center = run.center_of_mass.transpose("time", "axis").values[:, :2]
    found = np.full((3, len(center)), np.nan)
    known = np.isfinite(center).all(axis=1)
    if known.any():
        found[:, known] = trace_along(track, center[known])
    return PathTrace(*found)


def cycle_samples(run: xr.Dataset) -> int:
    """Samples in one cycle of the gait, at least one."""
    period, time = only_world(run).controller.period, run.time.values
    return max(1, round(period * (len(time) - 1) / float(time[-1] - time[0]))) if period and len(time) > 1 else 1


def over_cycle(values: np.ndarray, samples: int) -> np.ndarray:
    """Means over the last so many samples; over those there are at the beginning."""
    total = np.concatenate(([0.0], np.cumsum(values)))
    ends = np.arange(1, len(values) + 1)
    begins = np.maximum(ends - samples, 0)
    return np.asarray((total[ends] - total[begins]) / (ends - begins))


def _error(run: xr.Dataset, averaged: bool) -> tuple[PathTrace, np.ndarray]:
    trace = traced(run)
    return trace, over_cycle(trace.aside, cycle_samples(run)) if averaged else trace.aside


@checked_arguments
def cross_track_error(run: xr.Dataset, *, averaged: bool = False) -> xr.DataArray:
    """Distance of the centre of mass from the path that its controller follows [m], positive on the left.

    Args:
        run: A run with a LineOfSight controller, or with a PathSteering; the result has dims (time,) or (world, time).
        averaged: Whether to take the mean over the last cycle of the gait.
    """

    def of_one(one: xr.Dataset) -> xr.DataArray:
        return xr.DataArray(_error(one, averaged)[1], {"time": one.time}, ("time",))

    name = "Mean cross-track error" if averaged else "Cross-track error"
    return each_world(run, of_one).assign_attrs(units="m", long_name=name)


@checked_arguments
def course_error(run: xr.Dataset) -> xr.DataArray:
    """Direction of travel over the last cycle of the gait minus the direction of the path [rad], within half a turn.

    NaN during the first cycle, and while the robot does not move.
    """

    def of_one(one: xr.Dataset) -> xr.DataArray:
        trace, n = traced(one), cycle_samples(one)
        center = one.center_of_mass.transpose("time", "axis").values[:, :2]
        way = np.full_like(center, np.nan)
        way[n:] = center[n:] - center[:-n]
        error = np.arctan2(way[:, 1], way[:, 0]) - trace.angle
        error = np.where(np.hypot(*way.T) > 0.0, (error + np.pi) % (2 * np.pi) - np.pi, np.nan)
        return xr.DataArray(error, {"time": one.time}, ("time",))

    return each_world(run, of_one).assign_attrs(units="rad", long_name="Course error")


@checked_arguments
def settling_distance(run: xr.Dataset, *, within: Length = WITHIN, averaged: bool = True) -> xr.DataArray:
    """Arc length along the path, from the start, after which the cross-track error stays within a limit [m].

    NaN if it does not stay there until the end of the run, for one cycle of the gait at least.

    Args:
        run: A run with a LineOfSight controller, or with a PathSteering.
        within: The limit [m].
        averaged: Whether the mean over the last cycle of the gait counts, or every sample.
    """

    def of_one(one: xr.Dataset) -> xr.DataArray:
        trace, error = _error(one, averaged)
        outside = np.flatnonzero(~(np.abs(error) <= within))
        first = int(outside[-1]) + 1 if outside.size else 0
        stays = first + cycle_samples(one) < len(error)
        return xr.DataArray(trace.arc[first] - trace.arc[0] if stays else np.nan)

    return each_world(run, of_one).assign_attrs(units="m", long_name=f"Distance to stay within {within:g} m")
