"""How far, how fast and which way."""

from __future__ import annotations

import numpy as np
import xarray as xr

from pushpoint.model.arguments import checked_arguments
from pushpoint.model.quantities import Count
from pushpoint.simulation.measures.periods import first_samples, starts_of_last
from pushpoint.simulation.measures.whole_batches import found_for, mean_since, values_of, worlds_of
from pushpoint.simulation.provenance import require

RING = 1e-6
"""A body whose ends are closer than this share of its length has no direction [-]."""


@checked_arguments
def mean_velocity(run: xr.Dataset, *, periods: Count | None = None) -> xr.DataArray:
    """Mean velocity of the centre of mass over whole gait periods [m/s], dims (axis,) or (world, axis).

    Args:
        run: A run.
        periods: How many of the last periods; they begin between two samples as a rule, where a straight line joins
            them. Default: all whole periods, from the first sample within them.
    """
    require(run, "a mean velocity", "center_of_mass")
    center, time = values_of(run, "center_of_mass", "time", "axis"), run.time.values
    if periods is None:
        first = first_samples(run)
        begin, since = center[np.arange(len(center)), first], time[first]
    else:
        since = starts_of_last(run, periods)
        begin = between_samples(time, center, since)
    span = time[-1] - since
    velocity = (center[:, -1] - begin) / np.where(span > 0.0, span, np.nan)[:, None]
    return found_for(run, velocity, "axis", units="m s-1", long_name="Mean velocity over whole periods")


def between_samples(time: np.ndarray, values: np.ndarray, when: np.ndarray) -> np.ndarray:
    """Values of each world at a time of its own, by straight lines between samples.

    Args:
        time: Sample times [s], shape (n_samples,).
        values: Shape (n_worlds, n_samples, ...).
        when: Within the samples [s], shape (n_worlds,).
    """
    right = np.clip(np.searchsorted(time, when), 1, len(time) - 1)
    share = (when - time[right - 1]) / (time[right] - time[right - 1])
    share = share.reshape(-1, *(1,) * (values.ndim - 2))
    rows = np.arange(len(values))
    return np.asarray(values[rows, right - 1] * (1.0 - share) + values[rows, right] * share)


def mean_speed(run: xr.Dataset) -> xr.DataArray:
    """Size of the mean velocity over whole gait periods [m/s]."""
    squared: xr.DataArray = (mean_velocity(run) ** 2).sum("axis", skipna=False)
    return squared**0.5


def travel_direction(run: xr.Dataset) -> xr.DataArray:
    """Direction of the mean velocity, from the x axis toward y [rad]."""
    velocity = mean_velocity(run)
    return xr.apply_ufunc(np.arctan2, velocity.sel(axis="y", drop=True), velocity.sel(axis="x", drop=True))


@checked_arguments
def distance(run: xr.Dataset) -> xr.DataArray:
    """Straight distance of the centre of mass from its start [m]."""
    require(run, "a distance", "center_of_mass")
    return _straight(run.center_of_mass)


@checked_arguments
def path_length(run: xr.Dataset) -> xr.DataArray:
    """Length of the path of the centre of mass, through all samples [m]. Swings of the gait count."""
    require(run, "the length of a path", "center_of_mass")
    return np.sqrt((run.center_of_mass.diff("time") ** 2).sum("axis")).sum("time")


@checked_arguments
def head_distance(run: xr.Dataset) -> xr.DataArray:
    """Straight distance of the head (the last link's centre of mass) from its start [m]."""
    require(run, "a distance of the head", "link_position")
    return _straight(run.link_position.isel(link=-1, drop=True))


def _straight(places: xr.DataArray) -> xr.DataArray:
    """Distance between the first sample of each world and its last [m]: one that ended early has none after its end."""
    end = places.isel(time=-1, drop=True)
    if not end.notnull().all():
        known = places.notnull().all("axis")
        end = places.isel(time=known.cumsum("time").argmax("time")).drop_vars("time", errors="ignore")
    squared: xr.DataArray = ((end - places.isel(time=0, drop=True)) ** 2).sum("axis", skipna=False)
    return squared**0.5


@checked_arguments
def heading(run: xr.Dataset) -> xr.DataArray:
    """Direction of the body, from the x axis toward y [rad], in (-pi, pi].

    It is the direction from the tail's end to the head's end, seen from above, over the time of `averaging_window`; not
    the direction of travel, nor that of the head link. NaN for a body that closes to a ring.
    """
    require(run, "a heading", "link_orientation" if run.sizes.get("quaternion") == 4 else "link_angle")
    along, aside = body_directions(run)
    known = np.hypot(along, aside) > RING
    angle = np.where(known, np.arctan2(aside, along), np.nan)
    return found_for(run, angle, units="rad", long_name="Heading of the body")


def body_directions(run: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """From the tail's end to the head's end, x and y over the body's length, over whole periods; shapes (n_worlds,)."""
    if run.sizes.get("quaternion") == 4:
        w, x, y, z = np.moveaxis(values_of(run, "link_orientation", "time", "link", "quaternion"), -1, 0)
        along, aside = 1 - 2 * (y**2 + z**2), 2 * (x * y + w * z)  # the link's x axis in the world's frame
    else:
        angle = values_of(run, "link_angle", "time", "link")
        along, aside = np.cos(angle), np.sin(angle)
    lengths = np.array([world.robot.column("length") for world in worlds_of(run)])
    share, first = lengths / lengths.sum(axis=1, keepdims=True), first_samples(run)
    x_share, y_share = (mean_since(np.einsum("wl,wtl->wt", share, each), first) for each in (along, aside))
    return x_share, y_share
