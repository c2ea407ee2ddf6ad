"""The measures of a summary, in order, and what its reader should know."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable

import numpy as np
import xarray as xr

from pushpoint.model.arguments import checked_arguments
from pushpoint.simulation.measures.efficiency import drag_efficiency
from pushpoint.simulation.measures.effort import (
    cost_of_transport,
    motor_work,
    positive_cost_of_transport,
    positive_work,
)
from pushpoint.simulation.measures.motion import (
    distance,
    head_distance,
    heading,
    mean_speed,
    mean_velocity,
    path_length,
    travel_direction,
)
from pushpoint.simulation.measures.periods import averaging_window
from pushpoint.simulation.measures.stops import stops
from pushpoint.simulation.measures.waves import wave_efficiency
from pushpoint.simulation.provenance import refuse_batch, require
from pushpoint.simulation.summary import Measure


def _within(values: xr.DataArray) -> list[Hashable]:
    """All dimensions within a world."""
    return [name for name in values.dims if name != "world"]


def _largest(name: str) -> Callable[[xr.Dataset], xr.DataArray]:
    """Finds the largest size of a variable."""
    return lambda run: abs(run[name]).max(_within(run[name]))


def _later(values: xr.DataArray) -> xr.DataArray:
    """All samples but the first, which repeats the mean of the interval after it."""
    return values.isel(time=slice(1, None))


def _rms_torque(run: xr.Dataset) -> xr.DataArray:
    torque = _later(run.joint_torque)
    mean_square: xr.DataArray = (torque**2).mean(_within(torque))
    return mean_square**0.5


def _push(run: xr.Dataset) -> xr.DataArray:
    return _later(run.obstacle_force).sel(axis="x").sum("link", skipna=False).mean("time")


def _contact_force(run: xr.Dataset) -> xr.DataArray:
    """Size of the forces of obstacles, and in space of the ground and other links, on a link [N].

    In the plane, ground friction does not count: the weight that causes it is not part of the model.
    """
    parts = [run[name] for name in (_CONTACTS if run.sizes["axis"] == 3 else _CONTACTS[:1])]
    squared: xr.DataArray = (sum(parts[1:], parts[0]) ** 2).sum("axis", skipna=False)
    return squared**0.5


_CONTACTS = ("obstacle_force", "ground_force", "self_force")


def _wave_efficiency_if_along(run: xr.Dataset) -> xr.DataArray:
    """NaN for a robot that travels across its body, such as a sidewinder."""
    return wave_efficiency(run).where(np.cos(travel_direction(run) - heading(run)) > ALONG)


ALONG = math.cos(math.radians(45.0))
"""Cosine of the angle between body and way up to which a robot travels along its body [-]."""
SOMETIMES = ("cost_of_transport", "positive_cost_of_transport", "drag_efficiency", "wave_efficiency")
"""Measures that a run may not have: without way, weight, power or a wave there is none."""
_CENTER, _POWER, _TORQUE = ("center_of_mass",), ("joint_power",), ("joint_torque",)
MEASURES: dict[str, Measure] = {
    "distance": Measure("m", "centre of mass, straight", distance, _CENTER),
    "path_length": Measure("m", "centre of mass, along its path", path_length, _CENTER),
    "head_distance": Measure("m", "head, straight", head_distance, ("link_position",)),
    "mean_speed": Measure("m/s", "size of the mean velocity", mean_speed, _CENTER),
    "mean_velocity_x": Measure("m/s", "centre of mass, along x", lambda run: mean_velocity(run).sel(axis="x"), _CENTER),
    "mean_velocity_y": Measure("m/s", "centre of mass, along y", lambda run: mean_velocity(run).sel(axis="y"), _CENTER),
    "travel_direction": Measure("rad", "of the mean velocity", travel_direction, _CENTER),
    "heading": Measure("rad", "of the body, tail to head", heading, ("link_angle",), ("link_orientation",)),
    "cost_of_transport": Measure("-", "work per weight and distance", cost_of_transport, _CENTER + _POWER),
    "positive_cost_of_transport": Measure(
        "-", "the same by positive work", positive_cost_of_transport, _CENTER + _POWER
    ),
    "drag_efficiency": Measure("-", "power to drag it, over motors'", drag_efficiency, _CENTER + _POWER),
    "wave_efficiency": Measure(
        "-",
        "speed over that of its wave",
        _wave_efficiency_if_along,
        ("joint_angle", "link_angle", *_CENTER),
        needs_in_space=("joint_angle", "link_orientation", *_CENTER),
    ),
    "stops": Measure("1", "times that it stood still", lambda run: stops(run)["count"], _CENTER),
    "motor_work": Measure("J", "of all motors", motor_work, _POWER),
    "positive_work": Measure("J", "without what motors absorb", positive_work, _POWER),
    "peak_torque": Measure("N m", "largest of a motor", _largest("joint_torque"), _TORQUE),
    "rms_torque": Measure("N m", "root mean square of all motors", _rms_torque, _TORQUE),
    "peak_power": Measure("W", "largest of a motor", _largest("joint_power"), _POWER),
    "peak_joint_speed": Measure("rad/s", "largest of a joint", _largest("joint_rate"), ("joint_rate",)),
    "mean_propulsive_force": Measure("N", "obstacles on the robot, along x", _push, ("obstacle_force",)),
    "peak_contact_force": Measure(
        "N",
        "largest sum of them on a link",
        lambda run: _contact_force(run).max(("time", "link")),
        ("obstacle_force",),
        needs_in_space=_CONTACTS,
    ),
    "largest_penetration": Measure(
        "m", "deepest overlap of a link", lambda run: run.penetration.max("time"), ("penetration",)
    ),
    "largest_residual": Measure(
        "m/s", "of a force law in a step", lambda run: run.solver_residual.max("time"), ("solver_residual",)
    ),
    "unconverged_steps": Measure("1", "number of steps", lambda run: run.unconverged.sum("time"), ("unconverged",)),
}
"""The measures of a summary, in order, each for all worlds of a run at once."""
UNITS = {name: measure.unit for name, measure in MEASURES.items()}


@checked_arguments
def summary(run: xr.Dataset) -> dict[str, float]:
    """The measures of a single-world run that are described in MEASURES, except those whose variable was not recorded.

    Mean velocities and the heading are taken over whole gait periods (see `averaging_window`), everything else over the
    whole run.
    """
    refuse_batch(run)
    require(run, "a summary")
    values = {name: float(measure.find(run)) for name, measure in MEASURES.items() if measure.found_in(run)}
    for name in SOMETIMES:
        if not math.isfinite(values.get(name, 0.0)):
            del values[name]
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
        product = f"mean speed x {span:.4g} s = {float(mean_speed(run)) * span:.4g} m is the distance"
        more = f" in that time; in the whole run, {end:.4g} s, it is {float(distance(run)):.4g} m"
        found.append(product + ("" if span == end else more))
    return found
