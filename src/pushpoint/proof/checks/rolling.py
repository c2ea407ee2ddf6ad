"""A round body rolls: from sliding, on the level with rolling friction, down a slope; and spins on the spot."""

from __future__ import annotations

import math

import numpy as np
import xarray as xr

from pushpoint.model.environment import Ground
from pushpoint.model.friction import Isotropic
from pushpoint.proof.check import Measured, MujocoCase, Plot, checks_of, curve
from pushpoint.proof.checks import mujoco_cases
from pushpoint.proof.checks.bodies import BLOCK, ROUND, ROUNDNESS, G, lie, relative, slide_on

check = checks_of("closed forms")

RADIUS = ROUND.links[0].radius
SPEED = 0.4
ROLLING = 0.05
SLOPE = 0.3


def _speed(run: xr.Dataset, axis: int) -> np.ndarray:
    return np.asarray(run.link_velocity.values[:, 0, axis])


def _mujoco_roll(mujoco: object) -> float:
    return relative(mujoco_cases.rolling_speed(mujoco, 0.2, SPEED), SPEED / (1 + ROUNDNESS))


@check(
    "slide-to-roll",
    expected_from="v = v0/(1 + I/(m r²)), ω = v/r",
    error_is="largest relative error of v and ω r while it rolls",
    tolerance=1e-6,
    reason="the solver's tolerance of 1e-6 g dt per step; friction and dt do not enter",
    peer=MujocoCase(measure=_mujoco_roll, note=mujoco_cases.DEFAULTS),
)
def roll_from_slide() -> Measured:
    """A capsule pushed across itself at 0.4 m/s slides, then rolls on at a smaller speed."""
    ground = Ground(friction=Isotropic(0.2))
    run = slide_on(ROUND, ground, lie(ROUND, ground, velocity=(0.0, SPEED, 0.0)), 0.3)
    # Angular momentum about the ground's line is kept until it rolls.
    expected, v, t = SPEED / (1 + ROUNDNESS), _speed(run, 1), run.time.values
    change = (SPEED - expected) / (0.2 * G)
    plot = Plot(
        title="From sliding to rolling",
        x_label="time [s]",
        y_label="speed [m/s]",
        curves=(
            curve("v0 − μ g t, then v0/(1 + I/(m r²))", t, np.maximum(SPEED - 0.2 * G * t, expected), expected=True),
            curve("pushpoint", t[::15], v[::15]),
        ),
    )
    rolling = v[t > change + 1e-3]
    turning = -run.link_angular_velocity.values[-1, 0, 0] * RADIUS
    error = max(relative(rolling, expected), relative(turning, expected))
    return Measured(error=error, values={"expected_m_per_s": expected, "measured_m_per_s": v[-1]}, plot=plot)


def _mujoco_rolling_friction(mujoco: object) -> float:
    expected = ROLLING * G / (1 + ROUNDNESS)
    found = mujoco_cases.rolling_deceleration(mujoco, 0.4, ROLLING * RADIUS, 0.3, 0.5 * 0.3 / expected)
    return relative(found, expected)


@check(
    "rolling-friction",
    expected_from="a = μ_V g/(1 + I/(m r²))",
    error_is="largest relative error of the deceleration in a step",
    tolerance=1e-5,
    reason="the solver's tolerance, 1e-6 g dt of 0.04 g dt per step",
    peer=MujocoCase(
        measure=_mujoco_rolling_friction,
        note=f"mean over half of the way, its rolling coefficient being μ_V r; {mujoco_cases.DEFAULTS}",
    ),
)
def rolling_friction() -> Measured:
    """A rolling capsule slows down by rolling friction and stands."""
    ground = Ground(friction=Isotropic(0.4), rolling=ROLLING)
    start = lie(ROUND, ground, velocity=(0.0, 0.3, 0.0), angular_velocity=(-0.3 / RADIUS, 0.0, 0.0))
    # m v_dot = -F and I v_dot/r = F r - mu_V m g r
    expected = ROLLING * G / (1 + ROUNDNESS)
    run = slide_on(ROUND, ground, start, 0.3 / expected + 0.05)
    under_way = slice(1, round(0.3 / expected / 1e-3) - 2)
    slowing = -np.diff(_speed(run, 1))[under_way] / 1e-3
    return Measured(
        error=relative(slowing, expected),
        values={
            "expected_m_per_s2": expected,
            "measured_m_per_s2": slowing.mean(),
            "speed_at_the_end_m_per_s": np.abs(run.link_velocity.values[-1]).max(),
        },
    )


@check(
    "roll-slope",
    expected_from="a = g (sin α − μ_V cos α)/(1 + I/(m r²))",
    error_is="largest relative error of the acceleration",
    tolerance=1e-5,
    reason="the solver's tolerance, 1e-6 g dt per step",
)
def roll_down() -> Measured:
    """A capsule rolls down a slope of 0.3 rad, without and with rolling friction."""
    worst = 0.0
    for rolling in (0.0, ROLLING):
        ground = Ground(friction=Isotropic(0.8), rolling=rolling, slope=SLOPE)
        run = slide_on(ROUND, ground, lie(ROUND, ground, math.pi / 2), 0.5)
        speed = -run.link_velocity.values[:, 0] @ np.array([math.cos(SLOPE), 0.0, math.sin(SLOPE)])
        found = (speed[-1] - speed[100]) / 0.4
        worst = max(worst, relative(found, G * (math.sin(SLOPE) - rolling * math.cos(SLOPE)) / (1 + ROUNDNESS)))
    return Measured(error=worst, values={"measured_with_rolling_friction_m_per_s2": found})


@check(
    "spin-friction",
    expected_from="dω/dt = −σ m g/I",
    error_is="largest relative error of the deceleration in a step",
    tolerance=1e-5,
    reason="the solver's tolerance, 1e-6 g dt per step",
)
def spin_friction() -> Measured:
    """A block that spins on the spot is slowed down by spin friction and stands."""
    ground = Ground(spin=3e-3)
    expected = 3e-3 * BLOCK.mass * G / 4.2e-3
    run = slide_on(BLOCK, ground, lie(BLOCK, ground, angular_velocity=(0.0, 0.0, 3.0)), 3.0 / expected + 0.05)
    omega = run.link_angular_velocity.values[:, 0, 2]
    slowing = -np.diff(omega)[1 : round(3.0 / expected / 1e-3) - 2] / 1e-3
    return Measured(
        error=relative(slowing, expected),
        values={"expected_rad_per_s2": expected, "rate_at_the_end_rad_per_s": abs(omega[-1])},
    )
