"""Sticking is standing still, and a load beyond the limit accelerates by exactly what friction does not hold."""

from __future__ import annotations

import math

import numpy as np
import xarray as xr

from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.model.catalogue import aiko_planar
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Isotropic
from pushpoint.proof.check import Measured, MujocoCase, Plot, checks_of, curve
from pushpoint.proof.checks import mujoco_cases
from pushpoint.proof.checks.bodies import BLOCK, G, Steady, lie, relative, slide_on
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record

check = checks_of("closed forms")

MU_PLANE, MU_SLOPE = 0.2, 0.4
STICK_SLOPE, SLIDE_SLOPE = 0.95 * math.atan(MU_SLOPE), 1.2 * math.atan(MU_SLOPE)
STICK_TIME = 10.0


def _loaded(share: float, joint_angles: np.ndarray, duration: float) -> xr.Dataset:
    """Aiko on the table, its servos hold a posture, every link is pushed to its left by `share` of the limit."""
    robot = aiko_planar()
    theta = Start(joint_angles=tuple(joint_angles)).pose(robot)["theta"]
    left = np.stack((-np.sin(theta), np.cos(theta), np.zeros(robot.n_links)), axis=-1)
    load = share * MU_PLANE * G * robot.column("mass")[:, None] * left
    return simulate(
        robot, Environment(ground=Ground(friction=Isotropic(MU_PLANE))),
        Steady(Command(joint_angle=joint_angles, link_load=load)), start=Start(joint_angles=tuple(joint_angles)),
        duration=duration, settings=Settings(tolerance=1e-4), record=Record(rate=100.0),
    )  # fmt: skip


@check(
    "stick-load",
    expected_from="Coulomb: no motion while |F| < μ m g",
    error_is="largest displacement of a link",
    tolerance=1e-8,
    unit="m",
    reason="the first steps may creep at the solver's tolerance of 1e-4 g dt, 1e-9 m each; nothing after",
)
def stick_under_load() -> Measured:
    """A bent chain whose links are pushed with 0.9 μ m g each stays where it is for 10 s."""
    run = _loaded(0.9, np.radians(40.0) * np.sin(0.8 * np.arange(10)), STICK_TIME)
    moved = np.abs(run.link_position.values - run.link_position.values[0])
    return Measured(error=moved.max(), values={"last_speed_m_per_s": np.abs(run.link_velocity.values[-1]).max()})


@check(
    "slide-load",
    expected_from="a = 0.1 μ g",
    error_is="largest relative error of a link's mean acceleration",
    tolerance=1e-6,
    reason="constant acceleration is exact in the scheme; left is the tolerance of the first step, 1e-4 g dt, "
    "over 500 steps",
)
def slide_under_load() -> Measured:
    """A straight chain pushed with 1.1 μ m g per link accelerates by what friction does not hold."""
    run = _loaded(1.1, np.zeros(10), 0.5)
    expected = 0.1 * MU_PLANE * G
    found = run.link_velocity.values[-1, :, 1] / float(run.time[-1])
    return Measured(
        error=relative(found, expected),
        values={"expected_m_per_s2": expected, "measured_m_per_s2": found.mean()},
    )


@check(
    "stick-slope",
    expected_from="no motion below the slope atan μ",
    error_is="largest displacement",
    tolerance=1e-8,
    unit="m",
    reason="the first steps find their forces within 1e-6 g dt; nothing after",
    peer=MujocoCase(
        measure=lambda mujoco: mujoco_cases.incline_creep(mujoco, MU_SLOPE, STICK_SLOPE, STICK_TIME),
        note=mujoco_cases.DEFAULTS,
    ),
)
def stick_on_slope() -> Measured:
    """A block stands still for 10 s on a slope of 0.95 of the angle of friction."""
    ground = Ground(friction=Isotropic(MU_SLOPE), slope=STICK_SLOPE)
    run = slide_on(BLOCK, ground, lie(BLOCK, ground, 0.4), STICK_TIME)
    moved = np.linalg.norm(run.center_of_mass.values - run.center_of_mass.values[0], axis=-1)
    return Measured(error=moved.max(), values={"slope_deg": math.degrees(STICK_SLOPE), "duration_s": STICK_TIME})


def _mujoco_slope(mujoco: object) -> float:
    expected = G * (math.sin(math.radians(30.0)) - MU_SLOPE * math.cos(math.radians(30.0)))
    return relative(mujoco_cases.incline_acceleration(mujoco, MU_SLOPE, math.radians(30.0)), expected)


@check(
    "slide-slope",
    expected_from="a = g (sin α − μ cos α)",
    error_is="largest relative error of the acceleration",
    tolerance=1e-6,
    reason="the solver's tolerance, 1e-6 g dt per step",
    peer=MujocoCase(measure=_mujoco_slope, note=f"at 30°; {mujoco_cases.DEFAULTS}"),
)
def slide_on_slope() -> Measured:
    """A block slides down slopes of 24° to 50° with friction 0.4."""
    slopes = np.radians([24.0, 30.0, 40.0, 50.0])
    expected = G * (np.sin(slopes) - MU_SLOPE * np.cos(slopes))
    found = np.array([_slope_acceleration(float(slope)) for slope in slopes])
    fine = np.linspace(math.atan(MU_SLOPE), slopes[-1])
    plot = Plot(
        title="Sliding down a slope, friction 0.4",
        x_label="slope [deg]",
        y_label="acceleration [m/s²]",
        curves=(
            curve("g (sin a − μ cos a)", np.degrees(fine), G * (np.sin(fine) - MU_SLOPE * np.cos(fine)), expected=True),
            curve("pushpoint", np.degrees(slopes), found),
        ),
    )
    return Measured(
        error=relative(found, expected),
        values={"expected_at_30_deg_m_per_s2": expected[1], "measured_at_30_deg_m_per_s2": found[1]},
        plot=plot,
    )


def _slope_acceleration(slope: float) -> float:
    ground = Ground(friction=Isotropic(MU_SLOPE), slope=slope)
    run = slide_on(BLOCK, ground, lie(BLOCK, ground, 0.4), 0.4)
    downhill = np.array([-math.cos(slope), 0.0, -math.sin(slope)])
    speed = run.link_velocity.values[:, 0] @ downhill
    return float((speed[-1] - speed[100]) / (run.time.values[-1] - run.time.values[100]))
