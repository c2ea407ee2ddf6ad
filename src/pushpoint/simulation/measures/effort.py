"""Work, power and torque of the motors."""

from __future__ import annotations

import numpy as np
import xarray as xr

from pushpoint.model.arguments import checked_arguments
from pushpoint.simulation.measures.each_world import each_world
from pushpoint.simulation.measures.motion import distance
from pushpoint.simulation.provenance import only_world, refuse_batch, require


@checked_arguments
def motor_work(run: xr.Dataset) -> xr.DataArray:
    """Work of all motors [J]. Energy that a motor absorbs while it is driven counts as negative."""
    require(run, "the work of motors", "joint_power")
    interval = float(run.time[1] - run.time[0]) if run.time.size > 1 else 0.0
    return run.joint_power.isel(time=slice(1, None)).sum(("time", "joint")) * interval


@checked_arguments
def cost_of_transport(run: xr.Dataset) -> xr.DataArray:
    """Motor work per weight and distance [-]; NaN without weight or distance."""
    require(run, "a cost of transport", "center_of_mass", "joint_power")

    def of_one(one: xr.Dataset) -> xr.DataArray:
        world = only_world(one)
        weight = world.robot.mass * world.environment.ground.gravity
        way = distance(one)
        return motor_work(one) / (way.where(way > 0.0) * (weight or np.nan))

    return each_world(run, of_one)


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
        figures["rms_torque"] = np.sqrt((run.joint_torque[1:] ** 2).mean("time"))
    if "joint_power" in run:
        figures["peak_power"] = np.abs(run.joint_power).max("time")
        figures["mean_power"] = run.joint_power[1:].mean("time")
    if "joint_rate" in run:
        figures["peak_speed"] = np.abs(run.joint_rate).max("time")
    return {name: [float(value) for value in values] for name, values in figures.items()}
