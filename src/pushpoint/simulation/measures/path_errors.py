"""How well a run followed its path: cross-track error, direction, and the distance until it was there.

An undulating robot swings about its path. `averaged` values are means over the last cycle of the gait, which show where
it goes; the others hold the swing as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import xarray as xr

from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.quantities import Length
from pushpoint.simulation.measures.whole_batches import found_for, values_of, worlds_of
from pushpoint.simulation.provenance import only_world, require
from pushpoint.worlds.world import World

if TYPE_CHECKING:
    from pushpoint.control.path_following.followed import PathTrace

WITHIN = 0.02
"""Cross-track error that counts as on the path, unless told otherwise [m]."""


def traced(run: xr.Dataset) -> PathTrace:
    """The centre of mass of a single-world run beside the path of its controller."""
    require(run, "an error along a path", "center_of_mass")
    return _trace(only_world(run), run.center_of_mass.transpose("time", "axis").values)


def _trace(world: World, center: np.ndarray) -> PathTrace:
    """A centre of mass, shape (n_samples, axes), beside the path of its world's controller."""
    from pushpoint.control.path_following.followed import PathTrace, followed_track, trace_along  # takes time to load

    track = followed_track(world.controller, world.robot)
    if track is None:
        named = type(world.controller).__name__
        raise InvalidModel("run: controller", named, "one that follows a path: LineOfSight, or a PathSteering")
    found = np.full((3, len(center)), np.nan)
    known = np.isfinite(center).all(axis=1)
    if known.any():
        found[:, known] = trace_along(track, center[known, :2])
    return PathTrace(*found)


def cycle_samples(run: xr.Dataset) -> int:
    """Samples in one cycle of the gait of a single-world run, at least one."""
    return _cycle_samples(run.time.values, only_world(run))


def _cycle_samples(time: np.ndarray, world: World) -> int:
    period = None if world.controller is None else world.controller.period
    return max(1, round(period * (len(time) - 1) / float(time[-1] - time[0]))) if period and len(time) > 1 else 1


def over_cycle(values: np.ndarray, samples: int) -> np.ndarray:
    """Means over the last so many samples; over those there are at the beginning."""
    total = np.concatenate(([0.0], np.cumsum(values)))
    ends = np.arange(1, len(values) + 1)
    begins = np.maximum(ends - samples, 0)
    return np.asarray((total[ends] - total[begins]) / (ends - begins))


class _Followed(NamedTuple):
    """One world beside its path."""

    center: np.ndarray
    """Centre of mass, seen from above [m], shape (n_samples, 2)."""
    trace: PathTrace
    """It beside the path."""
    cycle: int
    """Samples in one cycle of the gait."""

    def error(self, averaged: bool) -> np.ndarray:
        """Cross-track error at every sample [m]."""
        return over_cycle(self.trace.aside, self.cycle) if averaged else self.trace.aside


def _followed(run: xr.Dataset) -> list[_Followed]:
    """All worlds of a run beside their paths."""
    require(run, "an error along a path", "center_of_mass")
    centers, time = values_of(run, "center_of_mass", "time", "axis"), run.time.values
    return [
        _Followed(center[:, :2], _trace(world, center), _cycle_samples(time, world))
        for center, world in zip(centers, worlds_of(run), strict=True)
    ]


@checked_arguments
def cross_track_error(run: xr.Dataset, *, averaged: bool = False) -> xr.DataArray:
    """Distance of the centre of mass from the path that its controller follows [m], positive on the left.

    Args:
        run: A run with a LineOfSight controller, or with a PathSteering; the result has dims (time,) or (world, time).
        averaged: Whether to take the mean over the last cycle of the gait.
    """
    errors = np.array([each.error(averaged) for each in _followed(run)])
    name = "Mean cross-track error" if averaged else "Cross-track error"
    return found_for(run, errors, "time", units="m", long_name=name)


@checked_arguments
def course_error(run: xr.Dataset) -> xr.DataArray:
    """Direction of travel over the last cycle of the gait minus the direction of the path [rad], within half a turn.

    NaN during the first cycle, and while the robot does not move.
    """

    def of_one(center: np.ndarray, trace: PathTrace, n: int) -> np.ndarray:
        way = np.full_like(center, np.nan)
        way[n:] = center[n:] - center[:-n]
        error = np.arctan2(way[:, 1], way[:, 0]) - trace.angle
        return np.where(np.hypot(*way.T) > 0.0, (error + np.pi) % (2 * np.pi) - np.pi, np.nan)

    errors = np.array([of_one(*each) for each in _followed(run)])
    return found_for(run, errors, "time", units="rad", long_name="Course error")


@checked_arguments
def settling_distance(run: xr.Dataset, *, within: Length = WITHIN, averaged: bool = True) -> xr.DataArray:
    """Arc length along the path, from the start, after which the cross-track error stays within a limit [m].

    NaN if it does not stay there until the end of the run, for one cycle of the gait at least.

    Args:
        run: A run with a LineOfSight controller, or with a PathSteering.
        within: The limit [m].
        averaged: Whether the mean over the last cycle of the gait counts, or every sample.
    """

    def of_one(each: _Followed) -> float:
        error = each.error(averaged)
        outside = np.flatnonzero(~(np.abs(error) <= within))
        first = int(outside[-1]) + 1 if outside.size else 0
        arc, stays = each.trace.arc, first + each.cycle < len(error)
        return float(arc[first] - arc[0]) if stays else np.nan

    found = np.array([of_one(each) for each in _followed(run)])
    return found_for(run, found, units="m", long_name=f"Distance to stay within {within:g} m")
