"""What of the motors' work serves the way, by different definitions."""

from __future__ import annotations

import numpy as np
import xarray as xr

from pushpoint.model.arguments import checked_arguments
from pushpoint.simulation.measures.effort import mean_power
from pushpoint.simulation.measures.motion import mean_velocity
from pushpoint.simulation.measures.periods import first_samples
from pushpoint.simulation.measures.waves import forward_friction
from pushpoint.simulation.measures.whole_batches import found_for, mean_since, number_of_each, values_of, worlds_of
from pushpoint.simulation.provenance import require
from pushpoint.worlds.world import World


@checked_arguments
def drag_efficiency(run: xr.Dataset) -> xr.DataArray:
    """mu m g v / P [-]: the power to drag the straight robot along, over that of the motors. Dims () or (world,).

    The work by which Alben ("Optimizing snake locomotion in the plane", Proc. R. Soc. A 469, 2013) scales that of
    snakes on ground with friction. mu is the coefficient of sliding forward, v the size of the mean velocity and P the
    mean power of all motors, both over whole periods. Above 1 a robot is better off undulating than being dragged, as
    a robot on wheels is. NaN where friction has no such coefficient.
    """
    require(run, "an efficiency", "center_of_mass", "joint_power")
    drag = number_of_each(worlds_of(run), _drag)
    found = _speeds(run)[1] * np.where(drag == 0.0, np.nan, drag) / _spent(run)
    return found_for(run, found, units="1", long_name="Drag efficiency")


def _drag(world: World) -> float:
    """Force to drag the straight robot along [N]; NaN where friction has no coefficient."""
    return forward_friction(world) * world.robot.mass * world.environment.ground.gravity


@checked_arguments
def propulsive_efficiency(run: xr.Dataset) -> xr.DataArray:
    """F v / P [-]: mean thrust times mean speed, over the mean power of the motors. Dims () or (world,).

    The efficiency of swimmers after Lighthill (J. Fluid Mech. 9, 1960), on land: F is the sum of the forces of ground
    and obstacles on those links that they push in the direction of travel, without those that they hold back, whose
    sum is as large. Means are over whole periods.
    """
    require(run, "an efficiency", "center_of_mass", "joint_power", "ground_force", "obstacle_force")
    dims = ("time", "link", "axis")
    force = values_of(run, "ground_force", *dims) + values_of(run, "obstacle_force", *dims)
    velocity, speed = _speeds(run)
    forward = np.einsum("wtla,wa->wtl", force, velocity / np.where(speed > 0.0, speed, np.nan)[:, None])
    thrust = mean_since(np.clip(forward, 0.0, None).sum(axis=2), first_samples(run) + 1)
    return found_for(run, thrust * speed / _spent(run), units="1", long_name="Propulsive efficiency")


def _speeds(run: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Mean velocities of all worlds and their sizes [m/s], shapes (n_worlds, axes) and (n_worlds,)."""
    velocity = np.reshape(mean_velocity(run).values, (-1, run.sizes["axis"]))
    return velocity, np.sqrt((velocity**2).sum(axis=1))


def _spent(run: xr.Dataset) -> np.ndarray:
    """Mean powers of all worlds [W], shape (n_worlds,); NaN where motors spend nothing."""
    power = np.atleast_1d(mean_power(run).values)
    return np.where(power > 0.0, power, np.nan)
