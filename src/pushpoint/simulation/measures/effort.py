"""Work, power and torque of the motors."""

from __future__ import annotations

import numpy as np
import xarray as xr

from pushpoint.model.arguments import checked_arguments
from pushpoint.model.quantities import Count
from pushpoint.simulation.measures.motion import between_samples, distance
from pushpoint.simulation.measures.periods import first_samples, starts_of_last
from pushpoint.simulation.measures.whole_batches import found_for, number_of_each, values_of, worlds_of
from pushpoint.simulation.provenance import refuse_batch, require


@checked_arguments
def motor_work(run: xr.Dataset) -> xr.DataArray:
    """Work of all motors [J]. Energy that a motor absorbs while it is driven counts as negative."""
    require(run, "the work of motors", "joint_power")
    return run.joint_power.isel(time=slice(1, None)).sum(("time", "joint")) * _interval(run)


@checked_arguments
def positive_work(run: xr.Dataset) -> xr.DataArray:
    """Work of all motors [J] without what they absorb while they are driven: most motors cannot give it back.

    Of each motor the mean power of every recording interval counts if it is positive. Where its sign changes within an
    interval, the part that is absorbed there is missing, so the interval should be short beside the period of the gait.
    """
    require(run, "the work of motors", "joint_power")
    return run.joint_power.isel(time=slice(1, None)).clip(min=0.0).sum(("time", "joint")) * _interval(run)


def _interval(run: xr.Dataset) -> float:
    """The recording interval [s]; 0 for a single sample."""
    return float(run.time[1] - run.time[0]) if run.time.size > 1 else 0.0


@checked_arguments
def mean_power(run: xr.Dataset, *, positive: bool = False, periods: Count | None = None) -> xr.DataArray:
    """Mean power of all motors together over whole gait periods [W]. Dims () or (world,); NaN for a single sample.

    Args:
        run: A run.
        positive: Whether to leave out what motors absorb, as in `positive_work`.
        periods: How many of the last periods, as for `mean_velocity`; default: all whole periods.
    """
    require(run, "a mean power", "joint_power")
    power, time = values_of(run, "joint_power", "time", "joint"), run.time.values
    if len(time) < 2:
        work = np.full((len(power), len(time)), np.nan)
    else:
        counted = (np.clip(power, 0.0, None) if positive else power).sum(axis=2)
        counted[:, 0] = 0.0  # the first sample repeats the mean of the interval after it
        work = np.cumsum(counted, axis=1) * _interval(run)
    since = time[first_samples(run)] if periods is None else starts_of_last(run, periods)
    begin = between_samples(time, work, since) if len(time) > 1 else work[:, 0]
    span = time[-1] - since
    found = (work[:, -1] - begin) / np.where(span > 0.0, span, np.nan)
    words = "Mean positive power of the motors" if positive else "Mean power of the motors"
    return found_for(run, found, units="W", long_name=words)


@checked_arguments
def cost_of_transport(run: xr.Dataset) -> xr.DataArray:
    """Motor work per weight and distance [-]; NaN without weight or distance.

    Work that motors absorb is taken off, as if they could give it back. `positive_cost_of_transport` leaves it out.
    """
    require(run, "a cost of transport", "center_of_mass", "joint_power")
    return _per_weight_and_distance(run, motor_work(run))


@checked_arguments
def positive_cost_of_transport(run: xr.Dataset) -> xr.DataArray:
    """Positive motor work per weight and distance [-]; NaN without weight or distance. See `positive_work`."""
    require(run, "a cost of transport", "center_of_mass", "joint_power")
    return _per_weight_and_distance(run, positive_work(run))


def _per_weight_and_distance(run: xr.Dataset, work: xr.DataArray) -> xr.DataArray:
    weight = number_of_each(worlds_of(run), lambda world: world.robot.mass * world.environment.ground.gravity)
    way = distance(run)
    share = found_for(run, np.where(weight > 0.0, weight, np.nan), units="N", long_name="Weight")
    return work / (way.where(way > 0.0) * share)


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
