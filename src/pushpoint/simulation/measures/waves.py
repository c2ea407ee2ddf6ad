"""The wave that runs along the body, and how the robot gets on with it: slip and Froude numbers."""

from __future__ import annotations

import math

import numpy as np
import xarray as xr

from pushpoint.model.arguments import checked_arguments
from pushpoint.model.spatial_robot import AnyRobot
from pushpoint.simulation.measures.motion import body_directions, mean_speed, mean_velocity
from pushpoint.simulation.measures.periods import periods_of
from pushpoint.simulation.measures.whole_batches import found_for, number_of_each, values_of, worlds_of
from pushpoint.simulation.provenance import require
from pushpoint.worlds.world import World


@checked_arguments
def wave_speed(run: xr.Dataset) -> xr.DataArray:
    """Speed of the body's wave toward the tail, along the body's direction [m/s]. Dims () or (world,).

    Wavelength times frequency, as in Maladen et al. (J. R. Soc. Interface 8, 2011). The phases of the yaw joints at
    the period of the gait, or of `detected_period`, give the wavelength along the body; the share of its length by
    which the bent body advances gives that along its direction (see `heading`). It is negative for a wave toward the
    head, and NaN without a wave.
    """
    spatial = run.sizes.get("quaternion") == 4
    require(run, "a wave", "joint_angle", "link_orientation" if spatial else "link_angle")

    found = _wave_speeds(run, *body_directions(run))
    return found_for(run, found, units="m s-1", long_name="Speed of the body wave")


def _wave_speeds(run: xr.Dataset, along: np.ndarray, aside: np.ndarray) -> np.ndarray:
    """Speeds of the waves of all worlds [m/s], shape (n_worlds,), for bodies that point there."""
    periods, angles = periods_of(run), values_of(run, "joint_angle", "time", "joint")
    slopes = np.array(
        [
            _phase_slope(run.time.values, angle, world.robot, period)
            for angle, world, period in zip(angles, worlds_of(run), periods, strict=True)
        ]
    )
    return np.asarray(2 * math.pi / periods / np.where(slopes == 0.0, np.nan, slopes) * np.hypot(along, aside))


def _phase_slope(time: np.ndarray, angle: np.ndarray, robot: AnyRobot, period: float) -> float:
    """How fast the phase of the yaw joints of one world grows toward the head [rad/m], weighted by their amplitudes."""
    axes = robot.axes
    yaw = np.array([axis.name == "yaw" for axis in axes], dtype=bool)
    step = float(time[1] - time[0]) if time.size > 1 else math.nan
    count = round(period / step) if math.isfinite(period / step) else 0
    if yaw.sum() < 2 or count < 4 or time.size <= count:
        return math.nan
    samples = (time.size - 1) // count * count
    turning = np.exp(-2j * math.pi / period * time[-samples:])
    wave = np.einsum("t,tj->j", turning, angle[-samples:, yaw])  # `@` wakes threads that take longer than the sum
    turns = wave[1:] * wave[:-1].conj()
    ends = np.cumsum(robot.column("length"))
    apart = np.diff(ends[[axis.link_behind for axis in axes if axis.name == "yaw"]])
    weight = np.abs(turns).sum()
    if not weight > 0.0 or not np.isfinite(weight):
        return math.nan
    return float((np.abs(turns) * np.angle(turns)).sum() / (np.abs(turns) * apart).sum())


@checked_arguments
def wave_efficiency(run: xr.Dataset) -> xr.DataArray:
    """Mean speed along the body's direction over the speed of its wave [-]. Dims () or (world,).

    1 means that the body moves forward as fast as its wave runs back, as on rails; 0 that it undulates on the spot.
    Maladen et al. (J. R. Soc. Interface 8, 2011) measure sand lizards by it. It has no meaning for robots that travel
    across their body, such as sidewinders.
    """
    require(run, "a wave efficiency", "center_of_mass")

    along, aside = body_directions(run)
    size, velocity = np.hypot(along, aside), mean_velocity(run)
    x, y = (np.atleast_1d(velocity.sel(axis=axis).values) for axis in ("x", "y"))
    forward = (x * along + y * aside) / np.where(size > 0.0, size, np.nan)
    speed = _wave_speeds(run, along, aside)
    found = forward / np.where(speed == 0.0, np.nan, speed)
    return found_for(run, found, units="1", long_name="Wave efficiency")


@checked_arguments
def slip_ratio(run: xr.Dataset) -> xr.DataArray:
    """One minus `wave_efficiency` [-]: 0 without slip, 1 on the spot, above 1 backward. Dims () or (world,).

    The complement of the ratio of speeds that Gray and Lissmann (J. Exp. Biol. 41, 1964) compare for nematodes on
    different ground.
    """
    return (1.0 - wave_efficiency(run)).assign_attrs(units="1", long_name="Slip ratio")


@checked_arguments
def froude_number(run: xr.Dataset) -> xr.DataArray:
    """v^2 / (g L) [-], with the size of the mean velocity v and the length of the body L. Dims () or (world,).

    The number by which Alexander and Jayes (J. Zool. 201, 1983) compare animals that walk, whose L is the height of
    the hip. NaN without gravity.
    """
    require(run, "a Froude number", "center_of_mass")

    scale = number_of_each(worlds_of(run), lambda world: world.environment.ground.gravity * _length(world))
    found = np.atleast_1d(mean_speed(run).values) ** 2 / np.where(scale > 0.0, scale, np.nan)
    return found_for(run, found, units="1", long_name="Froude number")


def _length(world: World) -> float:
    """Length of the body [m]."""
    return float(world.robot.column("length").sum())


@checked_arguments
def friction_froude_number(run: xr.Dataset) -> xr.DataArray:
    """L / (mu g T^2) [-]: inertia of the undulation over friction. Dims () or (world,).

    The Froude number that Hu et al. (PNAS 106, 2009) give for slithering snakes, with the length of the body L, the
    coefficient of sliding forward mu and the period T. Where it is small, the robot creeps: its speed is set by
    friction alone. NaN without a period, or where friction has no such coefficient.
    """
    require(run, "a Froude number", "joint_angle")

    worlds = worlds_of(run)
    grip = number_of_each(worlds, lambda world: forward_friction(world) * world.environment.ground.gravity)
    found = number_of_each(worlds, _length) / (np.where(grip > 0.0, grip, np.nan) * periods_of(run) ** 2)
    return found_for(run, found, units="1", long_name="Friction Froude number")


def forward_friction(world: World) -> float:
    """Coefficient of sliding forward [-], the mean of all links by mass; NaN where friction is viscous.

    Regions of the ground with laws of their own are not looked at.
    """
    laws = world.environment.ground.laws(world.robot.n_links)
    if any(law.kind == "viscous" for law in laws):
        return math.nan
    mass = world.robot.column("mass")
    return float(np.array([law.coefficients[0] for law in laws]) @ mass / mass.sum())
