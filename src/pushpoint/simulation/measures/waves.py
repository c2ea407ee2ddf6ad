"""The wave that runs along the body, and how the robot gets on with it: slip and Froude numbers."""

from __future__ import annotations

import math

import numpy as np
import xarray as xr

from pushpoint.model.arguments import checked_arguments
from pushpoint.simulation.measures.each_world import each_world
from pushpoint.simulation.measures.motion import body_direction, mean_speed, mean_velocity
from pushpoint.simulation.measures.periods import period_of
from pushpoint.simulation.provenance import only_world, require
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

    def of_one(one: xr.Dataset) -> xr.DataArray:
        period = period_of(one)
        slope = math.nan if period is None else _phase_slope(one, period)
        speed = math.nan if not slope or period is None else 2 * math.pi / period / slope
        along, aside = body_direction(one)
        return xr.DataArray(speed * math.hypot(along, aside))

    return each_world(run, of_one).assign_attrs(units="m s-1", long_name="Speed of the body wave")


def _phase_slope(run: xr.Dataset, period: float) -> float:
    """How fast the phase of the yaw joints grows toward the head [rad/m], weighted by their amplitudes."""
    robot = only_world(run).robot
    yaw = np.array([axis.name == "yaw" for axis in robot.axes], dtype=bool)
    count = round(period / float(run.time[1] - run.time[0])) if run.time.size > 1 else 0
    if yaw.sum() < 2 or count < 4 or run.time.size <= count:
        return math.nan
    periods = (run.time.size - 1) // count
    time = run.time.values[-periods * count :]
    angle = run.joint_angle.transpose("time", "joint").values[-periods * count :, yaw]
    wave = np.exp(-2j * math.pi / period * time) @ angle
    turns = wave[1:] * wave[:-1].conj()
    ends = np.cumsum(robot.column("length"))
    apart = np.diff(ends[[axis.link_behind for axis in robot.axes if axis.name == "yaw"]])
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

    def of_one(one: xr.Dataset) -> xr.DataArray:
        along, aside = body_direction(one)
        size = math.hypot(along, aside)
        x, y = (float(mean_velocity(one).sel(axis=axis)) for axis in ("x", "y"))
        forward = (x * along + y * aside) / size if size > 0.0 else math.nan
        speed = float(wave_speed(one))
        return xr.DataArray(forward / speed if speed else math.nan)

    return each_world(run, of_one).assign_attrs(units="1", long_name="Wave efficiency")


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

    def of_one(one: xr.Dataset) -> xr.DataArray:
        world = only_world(one)
        gravity = world.environment.ground.gravity or math.nan
        return mean_speed(one) ** 2 / (gravity * float(world.robot.column("length").sum()))

    return each_world(run, of_one).assign_attrs(units="1", long_name="Froude number")


@checked_arguments
def friction_froude_number(run: xr.Dataset) -> xr.DataArray:
    """L / (mu g T^2) [-]: inertia of the undulation over friction. Dims () or (world,).

    The Froude number that Hu et al. (PNAS 106, 2009) give for slithering snakes, with the length of the body L, the
    coefficient of sliding forward mu and the period T. Where it is small, the robot creeps: its speed is set by
    friction alone. NaN without a period, or where friction has no such coefficient.
    """
    require(run, "a Froude number", "joint_angle")

    def of_one(one: xr.Dataset) -> xr.DataArray:
        world, period = only_world(one), period_of(one)
        grip = forward_friction(world) * world.environment.ground.gravity
        length = float(world.robot.column("length").sum())
        return xr.DataArray(length / (grip * period**2) if period and grip else math.nan)

    return each_world(run, of_one).assign_attrs(units="1", long_name="Friction Froude number")


def forward_friction(world: World) -> float:
    """Coefficient of sliding forward [-], the mean of all links by mass; NaN where friction is viscous.

    Regions of the ground with laws of their own are not looked at.
    """
    laws = world.environment.ground.laws(world.robot.n_links)
    if any(law.kind == "viscous" for law in laws):
        return math.nan
    mass = world.robot.column("mass")
    return float(np.array([law.coefficients[0] for law in laws]) @ mass / mass.sum())
