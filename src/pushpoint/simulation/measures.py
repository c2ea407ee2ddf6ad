"""Numbers that sum up a run. Each function takes a Dataset, with or without a `world` dimension."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import xarray as xr

from pushpoint.engine.controller import Gait
from pushpoint.model.arguments import checked_arguments
from pushpoint.simulation.path_errors import (
    course_error as course_error,
    cross_track_error as cross_track_error,
    settling_distance as settling_distance,
)
from pushpoint.simulation.provenance import only_world, refuse_batch, require
from pushpoint.simulation.summary import Measure, Window

RING = 1e-6
"""A body whose ends are closer than this share of its length has no direction [-]."""


def _each_world(run: xr.Dataset, measure: Callable[[xr.Dataset], xr.DataArray]) -> xr.DataArray:
    """Applies a measure to every world with its own robot, ground and gait."""
    if "world" not in run.dims:
        return measure(run)
    parts = [measure(run.isel(world=w)) for w in range(run.sizes["world"])]
    return xr.concat(parts, "world", coords="minimal", compat="override")


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
def mean_velocity(run: xr.Dataset) -> xr.DataArray:
    """Mean velocity of the centre of mass over whole gait periods [m/s], dims (axis,) or (world, axis)."""

    require(run, "a mean velocity", "center_of_mass")

    def of_one(one: xr.Dataset) -> xr.DataArray:
        part = whole_periods(one).center_of_mass
        if part.time.size < 2:
            return part.isel(time=0, drop=True) * np.nan
        span = float(part.time[-1] - part.time[0])
        return (part.isel(time=-1, drop=True) - part.isel(time=0, drop=True)) / span

    found = _each_world(run, of_one)
    return found.assign_attrs(units="m s-1", long_name="Mean velocity over whole periods")


def _mean_speed(run: xr.Dataset) -> xr.DataArray:
    squared: xr.DataArray = (mean_velocity(run) ** 2).sum("axis", skipna=False)
    return squared**0.5


def _travel_direction(run: xr.Dataset) -> float:
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
    spatial = run.sizes.get("quaternion") == 4
    require(run, "a heading", "link_orientation" if spatial else "link_angle")

    def of_one(one: xr.Dataset) -> xr.DataArray:
        part = whole_periods(one)
        if spatial:
            w, x, y, z = (part.link_orientation.isel(quaternion=k, drop=True) for k in range(4))
            along, aside = 1 - 2 * (y**2 + z**2), 2 * (x * y + w * z)  # the link's x axis in the world's frame
        else:
            along, aside = np.cos(part.link_angle), np.sin(part.link_angle)
        lengths = xr.DataArray(only_world(one).robot.column("length"), dims="link")
        share = lengths / lengths.sum()
        along, aside = ((share * each).sum("link", skipna=False).mean("time") for each in (along, aside))
        return np.arctan2(aside, along).where(np.hypot(along, aside) > RING)

    return _each_world(run, of_one).assign_attrs(units="rad", long_name="Heading of the body")


@checked_arguments
def motor_work(run: xr.Dataset) -> xr.DataArray:
    """Work of all motors [J]. Energy that a motor absorbs while it is driven counts as negative."""
    require(run, "the work of motors", "joint_power")
    interval = float(run.time[1] - run.time[0]) if run.time.size > 1 else 0.0
    return run.joint_power.sum(("time", "joint")) * interval


@checked_arguments
def cost_of_transport(run: xr.Dataset) -> xr.DataArray:
    """Motor work per weight and distance [-]; NaN without weight or distance."""
    require(run, "a cost of transport", "center_of_mass", "joint_power")

    def of_one(one: xr.Dataset) -> xr.DataArray:
        world = only_world(one)
        weight = world.robot.mass * world.environment.ground.gravity
        way = distance(one)
        return motor_work(one) / (way.where(way > 0.0) * (weight or np.nan))

    return _each_world(run, of_one)


@checked_arguments
def per_motor(run: xr.Dataset) -> dict[str, list[float]]:
    """Largest and mean loads of each motor in a single-world run, from tail to head.

    Torques [N m] and powers [W] are means over the recording interval; speeds [rad/s] are those of the samples. Values
    whose variable was not recorded are left out.
    """
    refuse_batch(run)
    require(run, "the figures of motors")
    figures: dict[str, xr.DataArray] = {}
    if "joint_torque" in run:
        figures["peak_torque"] = np.abs(run.joint_torque).max("time")
        figures["rms_torque"] = np.sqrt((run.joint_torque**2).mean("time"))
    if "joint_power" in run:
        figures["peak_power"] = np.abs(run.joint_power).max("time")
        figures["mean_power"] = run.joint_power.mean("time")
    if "joint_rate" in run:
        figures["peak_speed"] = np.abs(run.joint_rate).max("time")
    return {name: [float(value) for value in values] for name, values in figures.items()}


def _cost_if_any(run: xr.Dataset) -> xr.DataArray | float:
    return cost_of_transport(run) if "center_of_mass" in run and float(distance(run)) > 0.0 else math.nan


def _push(run: xr.Dataset) -> xr.DataArray:
    return run.obstacle_force.sel(axis="x").sum("link", skipna=False).mean()


def _contact_force(run: xr.Dataset) -> xr.DataArray:
    """Size of the forces of obstacles, and in space of the ground and other links, on a link [N].

    In the plane, ground friction does not count: the weight that causes it is not part of the model.
    """
    parts = [run[name] for name in (_CONTACTS if run.sizes["axis"] == 3 else _CONTACTS[:1])]
    squared: xr.DataArray = (sum(parts[1:], parts[0]) ** 2).sum("axis", skipna=False)
    return squared**0.5


_CONTACTS = ("obstacle_force", "ground_force", "self_force")


_CENTER, _POWER, _TORQUE = ("center_of_mass",), ("joint_power",), ("joint_torque",)
MEASURES: dict[str, Measure] = {
    "distance": Measure("m", "centre of mass, straight", distance, _CENTER),
    "path_length": Measure("m", "centre of mass, along its path", path_length, _CENTER),
    "head_distance": Measure("m", "head, straight", head_distance, ("link_position",)),
    "mean_speed": Measure("m/s", "size of the mean velocity", _mean_speed, _CENTER),
    "mean_velocity_x": Measure("m/s", "centre of mass, along x", lambda run: mean_velocity(run).sel(axis="x"), _CENTER),
    "mean_velocity_y": Measure("m/s", "centre of mass, along y", lambda run: mean_velocity(run).sel(axis="y"), _CENTER),
    "travel_direction": Measure("rad", "of the mean velocity", _travel_direction, _CENTER),
    "heading": Measure("rad", "of the body, tail to head", heading, ("link_angle",), ("link_orientation",)),
    "cost_of_transport": Measure("-", "work per weight and distance", _cost_if_any, _POWER),
    "motor_work": Measure("J", "of all motors", motor_work, _POWER),
    "peak_torque": Measure("N m", "largest of a motor", lambda run: np.abs(run.joint_torque).max(), _TORQUE),
    "rms_torque": Measure(
        "N m", "root mean square of all motors", lambda run: np.sqrt((run.joint_torque**2).mean()), _TORQUE
    ),
    "peak_power": Measure("W", "largest of a motor", lambda run: np.abs(run.joint_power).max(), _POWER),
    "peak_joint_speed": Measure(
        "rad/s", "largest of a joint", lambda run: np.abs(run.joint_rate).max(), ("joint_rate",)
    ),
    "mean_propulsive_force": Measure("N", "obstacles on the robot, along x", _push, ("obstacle_force",)),
    "peak_contact_force": Measure(
        "N",
        "largest sum of them on a link",
        lambda run: _contact_force(run).max(),
        ("obstacle_force",),
        needs_in_space=_CONTACTS,
    ),
    "largest_penetration": Measure(
        "m", "deepest overlap of a link", lambda run: run.penetration.max(), ("penetration",)
    ),
    "largest_residual": Measure(
        "m/s", "of a force law in a step", lambda run: run.solver_residual.max(), ("solver_residual",)
    ),
    "unconverged_steps": Measure("1", "number of steps", lambda run: run.unconverged.sum(), ("unconverged",)),
}
"""The measures of a summary, in order."""
UNITS = {name: measure.unit for name, measure in MEASURES.items()}


@checked_arguments
def summary(run: xr.Dataset) -> dict[str, float]:
    """All measures of a single-world run, as described in MEASURES, except those whose variable was not recorded.

    Mean velocities and the heading are taken over whole gait periods (see `averaging_window`), everything else over the
    whole run.
    """
    refuse_batch(run)
    require(run, "a summary")
    values = {name: float(measure.find(run)) for name, measure in MEASURES.items() if measure.found_in(run)}
    if not math.isfinite(values.get("cost_of_transport", 0.0)):  # without way or weight there is none
        del values["cost_of_transport"]
    return values


@checked_arguments
def notes(run: xr.Dataset) -> list[str]:
    """What a reader of a single-world run's summary should know.

    Over which time means are taken, and how the mean speed and the distance are related.
    """
    window = averaging_window(run)
    found = [f"mean velocity and heading are those of {window}"]
    if "center_of_mass" in run and run.time.size > 1:
        span, end = window.end - window.start, float(run.time[-1] - run.time[0])
        product = f"mean speed x {span:.4g} s = {float(_mean_speed(run)) * span:.4g} m is the distance"
        more = f" in that time; in the whole run, {end:.4g} s, it is {float(distance(run)):.4g} m"
        found.append(product + ("" if span == end else more))
    return found
