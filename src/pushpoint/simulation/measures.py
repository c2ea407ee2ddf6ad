"""Numbers that sum up a run. Each function takes a Dataset, with or without a `world` dimension."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from pushpoint.engine.controller import Gait
from pushpoint.model.arguments import checked_arguments
from pushpoint.simulation.provenance import only_world, refuse_batch, require


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
    return found.assign_attrs(units="m s-1", long_name="mean velocity over whole periods")


@checked_arguments
def distance(run: xr.Dataset) -> xr.DataArray:
    """Straight distance of the centre of mass from its start [m]."""
    require(run, "a distance", "center_of_mass")
    change = run.center_of_mass.isel(time=-1, drop=True) - run.center_of_mass.isel(time=0, drop=True)
    return np.sqrt((change**2).sum("axis"))


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


def _heading(run: xr.Dataset) -> float:
    velocity = mean_velocity(run)
    return math.atan2(float(velocity.sel(axis="y")), float(velocity.sel(axis="x")))


def _cost_if_any(run: xr.Dataset) -> xr.DataArray | float:
    return cost_of_transport(run) if "center_of_mass" in run and float(distance(run)) > 0.0 else math.nan


def _push(run: xr.Dataset) -> xr.DataArray:
    return run.obstacle_force.sel(axis="x").sum("link", skipna=False).mean()


MEASURES: dict[str, tuple[str, str, Callable[[xr.Dataset], Any]]] = {
    "distance": ("m", "center_of_mass", distance),
    "mean_velocity_x": ("m/s", "center_of_mass", lambda run: mean_velocity(run).sel(axis="x")),
    "mean_velocity_y": ("m/s", "center_of_mass", lambda run: mean_velocity(run).sel(axis="y")),
    "heading": ("rad", "center_of_mass", _heading),
    "cost_of_transport": ("-", "joint_power", _cost_if_any),
    "motor_work": ("J", "joint_power", motor_work),
    "peak_torque": ("N m", "joint_torque", lambda run: np.abs(run.joint_torque).max()),
    "rms_torque": ("N m", "joint_torque", lambda run: np.sqrt((run.joint_torque**2).mean())),
    "peak_power": ("W", "joint_power", lambda run: np.abs(run.joint_power).max()),
    "peak_joint_speed": ("rad/s", "joint_rate", lambda run: np.abs(run.joint_rate).max()),
    "mean_propulsive_force": ("N", "obstacle_force", _push),
    "peak_contact_force": ("N", "obstacle_force", lambda run: np.sqrt((run.obstacle_force**2).sum("axis")).max()),
    "largest_penetration": ("m", "penetration", lambda run: run.penetration.max()),
    "largest_residual": ("m/s", "solver_residual", lambda run: run.solver_residual.max()),
    "unconverged_steps": ("1", "unconverged", lambda run: run.unconverged.sum()),
}
"""Unit, required variable and function of each measure of a single-world run."""
UNITS = {name: unit for name, (unit, _, _) in MEASURES.items()}


@checked_arguments
def summary(run: xr.Dataset) -> dict[str, float]:
    """All measures of a single-world run, in the units of UNITS, except those whose variable was not recorded."""
    refuse_batch(run)
    require(run, "a summary")
    values = {name: float(measure(run)) for name, (_, needed, measure) in MEASURES.items() if needed in run}
    if not math.isfinite(values.get("cost_of_transport", 0.0)):  # without way or weight there is none
        del values["cost_of_transport"]
    return values
