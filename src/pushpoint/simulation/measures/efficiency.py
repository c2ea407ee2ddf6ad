"""What of the motors' work serves the way, by different definitions."""

from __future__ import annotations

import math

import numpy as np
import xarray as xr

from pushpoint.model.arguments import checked_arguments
from pushpoint.simulation.measures.each_world import each_world
from pushpoint.simulation.measures.motion import mean_speed, mean_velocity
from pushpoint.simulation.measures.periods import whole_periods
from pushpoint.simulation.measures.waves import forward_friction
from pushpoint.simulation.provenance import only_world, require


@checked_arguments
def drag_efficiency(run: xr.Dataset) -> xr.DataArray:
    """mu m g v / P [-]: the power to drag the straight robot along, over that of the motors. Dims () or (world,).

    The work by which Alben ("Optimizing snake locomotion in the plane", Proc. R. Soc. A 469, 2013) scales that of
    snakes on ground with friction. mu is the coefficient of sliding forward, v the size of the mean velocity and P the
    mean power of all motors, both over whole periods. Above 1 a robot is better off undulating than being dragged, as
    a robot on wheels is. NaN where friction has no such coefficient.
    """
    require(run, "an efficiency", "center_of_mass", "joint_power")

    def of_one(one: xr.Dataset) -> xr.DataArray:
        world = only_world(one)
        drag = forward_friction(world) * world.robot.mass * world.environment.ground.gravity
        return mean_speed(one) * (drag or math.nan) / mean_power(one)

    return each_world(run, of_one).assign_attrs(units="1", long_name="Drag efficiency")


@checked_arguments
def propulsive_efficiency(run: xr.Dataset) -> xr.DataArray:
    """F v / P [-]: mean thrust times mean speed, over the mean power of the motors. Dims () or (world,).

    The efficiency of swimmers after Lighthill (J. Fluid Mech. 9, 1960), on land: F is the sum of the forces of ground
    and obstacles on those links that they push in the direction of travel, without those that they hold back, whose
    sum is as large. Means are over whole periods.
    """
    require(run, "an efficiency", "center_of_mass", "joint_power", "ground_force", "obstacle_force")

    def of_one(one: xr.Dataset) -> xr.DataArray:
        velocity = mean_velocity(one)
        speed = float(mean_speed(one))
        part = _intervals(one)
        force = part.ground_force + part.obstacle_force
        forward = (force * velocity).sum("axis", skipna=False) / (speed or math.nan)
        thrust = forward.clip(min=0.0).sum("link", skipna=False).mean("time")
        return thrust * speed / mean_power(one)

    return each_world(run, of_one).assign_attrs(units="1", long_name="Propulsive efficiency")


def mean_power(run: xr.Dataset) -> float:
    """Mean power of all motors of a single-world run over whole periods [W]; NaN if it is not positive."""
    power = _intervals(run).joint_power.sum("joint", skipna=False)
    found = float(power.mean("time")) if power.sizes["time"] else math.nan
    return found if found > 0.0 else math.nan


def _intervals(run: xr.Dataset) -> xr.Dataset:
    """The samples of whole periods whose means lie within them."""
    part = whole_periods(run)
    return part.isel(time=slice(1, None)).where(np.isfinite(part.time[1:]))
