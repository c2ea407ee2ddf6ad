"""How far, how fast and which way."""

from __future__ import annotations

import math

import numpy as np
import xarray as xr

from pushpoint.model.arguments import checked_arguments
from pushpoint.simulation.measures.each_world import each_world
from pushpoint.simulation.measures.periods import whole_periods
from pushpoint.simulation.provenance import only_world, require

RING = 1e-6
"""A body whose ends are closer than this share of its length has no direction [-]."""


@checked_arguments
def mean_velocity(run: xr.Dataset) -> xr.DataArray:
    """Mean velocity of the centre of mass over whole gait periods [m/s], dims (axis,) or (world, axis)."""

    require(run, "a mean velocity", "center_of_mass")

    def of_one(one: xr.Dataset) -> xr.DataArray:
        part = whole_periods(one).center_of_mass
        if part.time.size < 2:
            return part.isel(time=0, drop=True) * np.nan
        span = float(part.time[-1] - part.time[0])
        return (part.isel(time=-1, drop=True) - part.isel(time=0, drop=True)) / span

    found = each_world(run, of_one)
    return found.assign_attrs(units="m s-1", long_name="Mean velocity over whole periods")


def mean_speed(run: xr.Dataset) -> xr.DataArray:
    """Size of the mean velocity over whole gait periods [m/s]."""
    squared: xr.DataArray = (mean_velocity(run) ** 2).sum("axis", skipna=False)
    return squared**0.5


def travel_direction(run: xr.Dataset) -> float:
    """Direction of the mean velocity of a single world, from the x axis toward y [rad]."""
    velocity = mean_velocity(run)
    return math.atan2(float(velocity.sel(axis="y")), float(velocity.sel(axis="x")))


@checked_arguments
def distance(run: xr.Dataset) -> xr.DataArray:
    """Straight distance of the centre of mass from its start [m]."""
    require(run, "a distance", "center_of_mass")
    change = run.center_of_mass.isel(time=-1, drop=True) - run.center_of_mass.isel(time=0, drop=True)
    return np.sqrt((change**2).sum("axis"))


@checked_arguments
def path_length(run: xr.Dataset) -> xr.DataArray:
    """Length of the path of the centre of mass, through all samples [m]. Swings of the gait count."""
    require(run, "the length of a path", "center_of_mass")
    return np.sqrt((run.center_of_mass.diff("time") ** 2).sum("axis")).sum("time")


@checked_arguments
def head_distance(run: xr.Dataset) -> xr.DataArray:
    """Straight distance of the head (the last link's centre of mass) from its start [m]."""
    require(run, "a distance of the head", "link_position")
    head = run.link_position.isel(link=-1, drop=True)
    return np.sqrt(((head.isel(time=-1, drop=True) - head.isel(time=0, drop=True)) ** 2).sum("axis"))


@checked_arguments
def heading(run: xr.Dataset) -> xr.DataArray:
    """Direction of the body, from the x axis toward y [rad], in (-pi, pi].

    It is the direction from the tail's end to the head's end, seen from above, over the time of `averaging_window`; not
    the direction of travel, nor that of the head link. NaN for a body that closes to a ring.
    """
    require(run, "a heading", "link_orientation" if run.sizes.get("quaternion") == 4 else "link_angle")

    def of_one(one: xr.Dataset) -> xr.DataArray:
        along, aside = body_direction(one)
        known = math.hypot(along, aside) > RING
        return xr.DataArray(math.atan2(aside, along) if known else math.nan)

    return each_world(run, of_one).assign_attrs(units="rad", long_name="Heading of the body")


def body_direction(run: xr.Dataset) -> tuple[float, float]:
    """From the tail's end to the head's end, x and y over the body's length, of a single world over whole periods."""
    part = whole_periods(run)
    if run.sizes.get("quaternion") == 4:
        w, x, y, z = (part.link_orientation.isel(quaternion=k, drop=True) for k in range(4))
        along, aside = 1 - 2 * (y**2 + z**2), 2 * (x * y + w * z)  # the link's x axis in the world's frame
    else:
        along, aside = np.cos(part.link_angle), np.sin(part.link_angle)
    lengths = xr.DataArray(only_world(run).robot.column("length"), dims="link")
    share = lengths / lengths.sum()
    found = ((share * each).sum("link", skipna=False).mean("time") for each in (along, aside))
    along, aside = (float(each) for each in found)
    return along, aside
