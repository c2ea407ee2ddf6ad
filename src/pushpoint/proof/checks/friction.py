"""Sticking is standing still; sliding, rolling and spinning bodies accelerate and stop as the textbooks say.

While a body slides, a step changes the speed by exactly mu g dt and the place by the mean of old and new speed: the
parabola itself. Only the last step differs: it takes dt for the last bit of speed s < mu g dt and covers s dt/2 instead
of s^2/(2 mu g), at most mu g dt^2/8 too much.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from pushpoint.engine.planar.start import Start
from pushpoint.engine.signals import Command
from pushpoint.model.catalogue import aiko_planar
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Elliptic, FrictionLaw, Isotropic, Rectangular, Skin
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.proof.checks.bodies import BLOCK, ROUND, G, Mujoco, Steady, four_uneven_links, slide_on, stepped
from pushpoint.proof.verification import Curve, Measured, MujocoCase, Plot, checks_of, relative
from pushpoint.worlds.world import World

check = checks_of("closed forms")

MU, MU_SLOPE = 0.2, 0.4
STICK_SLOPE = 0.95 * math.atan(MU_SLOPE)
STICK_TIME = 10.0


def _loaded(share: float, joint_angles: np.ndarray, duration: float) -> xr.Dataset:
    """Aiko on the table, its servos hold a posture, every link is pushed to its left by `share` of the limit."""
    robot, start = aiko_planar(), Start(joint_angles=tuple(joint_angles))
    theta = start.pose(robot)["theta"]
    left = np.stack((-np.sin(theta), np.cos(theta), np.zeros(robot.n_links)), axis=-1)
    load = share * MU * G * robot.column("mass")[:, None] * left
    order = Steady(Command(joint_angle=joint_angles, link_load=load))
    return stepped(World(robot, _ground(Isotropic(MU)), order, start), duration, tolerance=1e-4)


def _ground(law: FrictionLaw) -> Environment:
    return Environment(ground=Ground(friction=law))


@check(
    expected_from="Coulomb: no motion while |F| < μ m g",
    error_is="largest displacement of a link",
    tolerance=1e-8,
    unit="m",
    reason="the first steps may creep at the solver's tolerance of 1e-4 g dt, 1e-9 m each; nothing after",
)
def stick_load() -> Measured:
    """A bent chain whose links are pushed with 0.9 μ m g each stays where it is for 10 s."""
    run = _loaded(0.9, np.radians(40.0) * np.sin(0.8 * np.arange(10)), STICK_TIME)
    moved = np.abs(run.link_position.values - run.link_position.values[0])
    return Measured(moved.max(), {"last_speed_m_per_s": np.abs(run.link_velocity.values[-1]).max()})


@check(
    expected_from="a = 0.1 μ g",
    error_is="largest relative error of a link's mean acceleration",
    tolerance=1e-6,
    reason="constant acceleration is exact in the scheme; left is the tolerance of the first step, 1e-4 g dt, "
    "over 500 steps",
)
def slide_load() -> Measured:
    """A straight chain pushed with 1.1 μ m g per link accelerates by the force that friction does not hold."""
    run = _loaded(1.1, np.zeros(10), 0.5)
    expected = 0.1 * MU * G
    found = run.link_velocity.values[-1, :, 1] / float(run.time[-1])
    values = {"expected_m_per_s2": expected, "measured_m_per_s2": found.mean()}
    return Measured(relative(found, expected), values)


def _mujoco_creep(mujoco: Any) -> float:
    body = Mujoco.body(mujoco, BLOCK, MU_SLOPE, slope=STICK_SLOPE)
    body.go(Mujoco.SETTLES)
    begin = body.place
    body.go(STICK_TIME)
    return float(np.linalg.norm(body.place - begin))


@check(
    expected_from="no motion below the slope atan μ",
    error_is="largest displacement",
    tolerance=1e-8,
    unit="m",
    reason="the first steps find their forces within 1e-6 g dt; nothing after",
    peer=MujocoCase(_mujoco_creep, Mujoco.NOTE),
)
def stick_slope() -> Measured:
    """A block stands still for 10 s on a slope of 0.95 of the angle of friction."""
    run = slide_on(BLOCK, Ground(friction=Isotropic(MU_SLOPE), slope=STICK_SLOPE), STICK_TIME, 0.4)
    moved = np.linalg.norm(run.center_of_mass.values - run.center_of_mass.values[0], axis=-1)
    return Measured(moved.max(), {"slope_deg": math.degrees(STICK_SLOPE), "duration_s": STICK_TIME})


def _downhill(slope: Any) -> Any:
    """Acceleration of a block that slides down a slope [m/s^2]."""
    return G * (np.sin(slope) - MU_SLOPE * np.cos(slope))


def _acceleration(robot: SpatialRobot, ground: Ground, duration: float, heading: float) -> float:
    """How fast a body gets down a slope, from 0.1 s on [m/s^2]."""
    run = slide_on(robot, ground, duration, heading)
    speed = run.link_velocity.values[:, 0] @ np.array([-math.cos(ground.slope), 0.0, -math.sin(ground.slope)])
    return float((speed[-1] - speed[100]) / (run.time.values[-1] - run.time.values[100]))


def _mujoco_slope(mujoco: Any) -> float:
    body = Mujoco.body(mujoco, BLOCK, MU_SLOPE, slope=math.radians(30.0))
    body.go(0.1)
    speed = -body.go(0.4)[:, 0]
    return relative((speed[-1] - speed[0]) / (Mujoco.DT * (len(speed) - 1)), _downhill(math.radians(30.0)))


@check(
    expected_from="a = g (sin α − μ cos α)",
    error_is="largest relative error of the acceleration",
    tolerance=1e-6,
    reason="the solver's tolerance, 1e-6 g dt per step",
    peer=MujocoCase(_mujoco_slope, f"at 30°; {Mujoco.NOTE}"),
)
def slide_slope() -> Measured:
    """A block slides down slopes of 24° to 50° with friction 0.4."""
    slopes = np.radians([24.0, 30.0, 40.0, 50.0])
    grounds = (Ground(friction=Isotropic(MU_SLOPE), slope=float(slope)) for slope in slopes)
    found = [_acceleration(BLOCK, ground, 0.4, 0.4) for ground in grounds]
    fine = np.linspace(math.atan(MU_SLOPE), slopes[-1])
    line = Curve("g (sin a − μ cos a)", np.degrees(fine), _downhill(fine), expected=True)
    marks = Curve("pushpoint", np.degrees(slopes), found)
    plot = Plot("Sliding down a slope, friction 0.4", ("slope [deg]", "acceleration [m/s²]"), (line, marks))
    expected = _downhill(slopes)
    values = {"expected_at_30_deg_m_per_s2": expected[1], "measured_at_30_deg_m_per_s2": found[1]}
    return Measured(relative(found, expected), values, plot)


SPEED, SLOW, HEADING = 1.0, 0.5, 0.7
LIMP = PlanarRobot(links=four_uneven_links())


def _thrown(law: FrictionLaw, bearing: float, start: Start) -> World:
    """A limp chain that slides with SPEED toward a bearing from its heading [rad]."""
    velocity = (SPEED * math.cos(start.heading + bearing), SPEED * math.sin(start.heading + bearing))
    return World(LIMP, _ground(law), Steady(), replace(start, velocity=velocity))


def _stop_way(speed: Any, mu: Any) -> Any:
    """How far a body slides [m]."""
    return speed**2 / (2 * mu * G)


def _stop_ways(worlds: list[World], duration: float) -> np.ndarray:
    """How far the centres of mass go [m], shape (n_worlds,)."""
    center = stepped(worlds, duration).center_of_mass.values
    return np.linalg.norm(center[:, -1] - center[:, 0], axis=-1)


@check(
    expected_from="s = v²/(2 μ g)",
    error_is="largest relative error of the distance",
    tolerance=1e-5,
    reason="the last step's share, (μ g dt/v)²/4 = 1e-6, and solver tolerances of 1e-3 g dt in a few steps",
)
def stop_chain() -> Measured:
    """A limp, bent chain that slides at 1 m/s in any of 16 directions stops."""
    bent = Start(joint_angles=(0.6, -0.9, 1.2))  # only equal deceleration of all links keeps the shape
    bearings = np.linspace(0.0, 2 * math.pi, 16, endpoint=False) + 0.1
    found = _stop_ways([_thrown(Isotropic(MU), bearing, bent) for bearing in bearings], 0.6)
    expected = _stop_way(SPEED, MU)
    return Measured(relative(found, expected), {"expected_m": expected, "measured_m": found.mean()})


@check(
    expected_from="s = v²/(2 μ g), μ forward, backward or across",
    error_is="largest relative error of the distance",
    tolerance=1e-5,
    reason="the last step's share, (μ g dt/v)²/4 = 6e-6 at μ = 0.5",
)
def stop_directions() -> Measured:
    """On skin, elliptic and rectangular friction a chain stops by the coefficient of its direction."""
    skin = Skin(forward=0.1, backward=0.3, across=0.5)
    ellipse, rectangle = Elliptic(along=0.1, across=0.3), Rectangular(along=0.1, across=0.3)
    ahead, left = 0.0, math.pi / 2
    cases: list[tuple[FrictionLaw, float, float]] = [
        (skin, ahead, 0.1), (skin, math.pi, 0.3), (skin, left, 0.5), (skin, -left, 0.5),
        (ellipse, ahead, 0.1), (ellipse, left, 0.3), (rectangle, ahead, 0.1), (rectangle, left, 0.3),
    ]  # fmt: skip
    found = _stop_ways([_thrown(law, bearing, Start(heading=HEADING)) for law, bearing, _ in cases], 1.1)
    expected = _stop_way(SPEED, np.array([mu for *_, mu in cases]))
    return Measured(
        relative(found, expected), {"forward_m": found[0], "backward_m": found[1], "across_m": found[2]}
    )  # fmt: skip


@check(
    expected_from="ln(v_x/v_x0)/μ_x² = ln(v_y/v_y0)/μ_y²",
    error_is="largest relative difference of the two sides",
    tolerance=1e-3,
    reason="first order: g dt μ/v = 5e-4 at 0.1 ms",
)
def flow_rule() -> Measured:
    """On an ellipse the slip velocity turns toward the direction of low friction.

    v_dot = -g S^2 v/|S v|: dividing the two components leaves d ln v_x/mu_x^2 = d ln v_y/mu_y^2.
    """
    law = Elliptic(along=0.25, across=0.4)
    worlds = [_thrown(law, bearing, Start(heading=HEADING)) for bearing in (0.6, 2.4, -0.9, -2.7)]
    run = stepped(worlds, 0.15, dt=1e-4)
    turn = np.array([[math.cos(HEADING), -math.sin(HEADING)], [math.sin(HEADING), math.cos(HEADING)]])
    velocity = run.link_velocity.values[:, :, 0] @ turn
    shrunk = np.log(velocity[:, -1] / velocity[:, 0]) / np.array([law.along, law.across]) ** 2
    return Measured(relative(shrunk[:, 0], shrunk[:, 1]), {"smallest_decay_1": np.abs(shrunk).min()})


def _mujoco_stop(mujoco: Any) -> float:
    body = Mujoco.body(mujoco, BLOCK, MU)
    body.push((SLOW, 0.0, 0.0))
    begin = body.place
    body.go(SLOW / (MU * G) + 0.5)
    return relative(body.place[0] - begin[0], _stop_way(SLOW, MU))


@check(
    expected_from="s = v²/(2 μ g)",
    error_is="largest relative error of the distance",
    tolerance=2e-5,
    reason="the last step's share, (μ g dt/v)²/4 = 1.5e-5 at 0.25 m/s",
    peer=MujocoCase(_mujoco_stop, f"at 0.5 m/s; {Mujoco.NOTE}"),
)
def stop_block() -> Measured:
    """A block in space that slides at 0.25 to 1.5 m/s stops."""
    speeds, found = np.array([0.25, 0.5, 1.0, 1.5]), []
    for speed in speeds:
        run = slide_on(
            BLOCK, Ground(friction=Isotropic(MU)), speed / (MU * G) + 0.1, 1.0, velocity=(speed, 0.0, 0.0)
        )  # fmt: skip
        found.append(run.center_of_mass.values[-1, 0] - run.center_of_mass.values[0, 0])
    fine = np.linspace(0.0, speeds[-1])
    curves = (Curve("v²/(2 μ g)", fine, _stop_way(fine, MU), expected=True), Curve("pushpoint", speeds, found))
    plot = Plot("Stopping distance of a sliding block, friction 0.2", ("speed [m/s]", "distance [m]"), curves)
    expected = _stop_way(speeds, MU)
    values = {"expected_from_0.5_m/s_m": expected[1], "measured_from_0.5_m/s_m": found[1]}
    return Measured(relative(found, expected), values, plot)


RADIUS = ROUND.links[0].radius
ROUNDNESS = 2.35e-4 / (0.68 * 0.0525**2)
"""I/(m r^2) of the capsule about its axis [-]."""
ROLL_SPEED, SLOW_ROLL = 0.4, 0.3
ROLLING, ROLL_SLOPE = 0.05, 0.3


def _mujoco_roll(mujoco: Any) -> float:
    body = Mujoco.body(mujoco, ROUND, MU)
    body.push((0.0, ROLL_SPEED, 0.0))
    return relative(body.go(0.5)[-1, 1], ROLL_SPEED / (1 + ROUNDNESS))


@check(
    expected_from="v = v0/(1 + I/(m r²)), ω = v/r",
    error_is="largest relative error of v and ω r while it rolls",
    tolerance=1e-6,
    reason="the solver's tolerance of 1e-6 g dt per step; friction and dt do not enter",
    peer=MujocoCase(_mujoco_roll, Mujoco.NOTE),
)
def slide_to_roll() -> Measured:
    """A capsule pushed across itself at 0.4 m/s slides, then rolls on at a smaller speed."""
    run = slide_on(ROUND, Ground(friction=Isotropic(MU)), 0.3, velocity=(0.0, ROLL_SPEED, 0.0))
    # Angular momentum about the ground's line is kept until it rolls.
    expected, v, t = ROLL_SPEED / (1 + ROUNDNESS), run.link_velocity.values[:, 0, 1], run.time.values
    slowing = np.maximum(ROLL_SPEED - MU * G * t, expected)
    line = Curve("v0 − μ g t, then v0/(1 + I/(m r²))", t, slowing, expected=True)
    marks = Curve("pushpoint", t[::15], v[::15])
    plot = Plot("From sliding to rolling", ("time [s]", "speed [m/s]"), (line, marks))
    rolling = v[t > (ROLL_SPEED - expected) / (MU * G) + 1e-3]
    turning = -run.link_angular_velocity.values[-1, 0, 0] * RADIUS
    error = max(relative(rolling, expected), relative(turning, expected))
    return Measured(error, {"expected_m_per_s": expected, "measured_m_per_s": v[-1]}, plot)


def _mujoco_rolling_friction(mujoco: Any) -> float:
    expected = ROLLING * G / (1 + ROUNDNESS)
    body = Mujoco.body(mujoco, ROUND, 0.4, rolling=ROLLING * RADIUS)
    body.push((0.0, SLOW_ROLL, 0.0), (-SLOW_ROLL / RADIUS, 0.0, 0.0))
    found = body.go(0.5 * SLOW_ROLL / expected)[:, 1]
    return relative((found[0] - found[-1]) / (Mujoco.DT * (len(found) - 1)), expected)


@check(
    expected_from="a = μ_V g/(1 + I/(m r²))",
    error_is="largest relative error of the deceleration in a step",
    tolerance=1e-5,
    reason="the solver's tolerance, 1e-6 g dt of 0.04 g dt per step",
    peer=MujocoCase(
        _mujoco_rolling_friction, f"mean over half of the way, its rolling coefficient being μ_V r; {Mujoco.NOTE}"
    ),
)
def rolling_friction() -> Measured:
    """A rolling capsule slows down by rolling friction and stands."""
    # m v_dot = -F and I v_dot/r = F r - mu_V m g r
    expected = ROLLING * G / (1 + ROUNDNESS)
    run = slide_on(
        ROUND, Ground(friction=Isotropic(0.4), rolling=ROLLING), SLOW_ROLL / expected + 0.05,
        velocity=(0.0, SLOW_ROLL, 0.0), angular_velocity=(-SLOW_ROLL / RADIUS, 0.0, 0.0),
    )  # fmt: skip
    slowing = _slowing(run.link_velocity.values[:, 0, 1], SLOW_ROLL / expected)
    at_end = np.abs(run.link_velocity.values[-1]).max()
    values = {"expected_m_per_s2": expected, "measured_m_per_s2": slowing.mean(), "speed_at_the_end_m_per_s": at_end}
    return Measured(relative(slowing, expected), values)


def _slowing(speed: np.ndarray, duration: float) -> np.ndarray:
    """Deceleration in every step until shortly before the end of the motion."""
    return -np.diff(speed)[1 : round(duration / 1e-3) - 2] / 1e-3


@check(
    expected_from="a = g (sin α − μ_V cos α)/(1 + I/(m r²))",
    error_is="largest relative error of the acceleration",
    tolerance=1e-5,
    reason="the solver's tolerance, 1e-6 g dt per step",
)
def roll_slope() -> Measured:
    """A capsule rolls down a slope of 0.3 rad, without and with rolling friction."""
    frictions = np.array([0.0, ROLLING])
    grounds = (Ground(friction=Isotropic(0.8), rolling=rolling, slope=ROLL_SLOPE) for rolling in frictions)
    found = [_acceleration(ROUND, ground, 0.5, math.pi / 2) for ground in grounds]
    expected = G * (math.sin(ROLL_SLOPE) - frictions * math.cos(ROLL_SLOPE)) / (1 + ROUNDNESS)
    return Measured(relative(found, expected), {"measured_with_rolling_friction_m_per_s2": found[1]})


@check(
    expected_from="dω/dt = −σ m g/I",
    error_is="largest relative error of the deceleration in a step",
    tolerance=1e-5,
    reason="the solver's tolerance, 1e-6 g dt per step",
)
def spin_friction() -> Measured:
    """A block that spins on the spot is slowed down by spin friction and stands."""
    expected = 3e-3 * BLOCK.mass * G / 4.2e-3
    run = slide_on(BLOCK, Ground(spin=3e-3), 3.0 / expected + 0.05, angular_velocity=(0.0, 0.0, 3.0))
    omega = run.link_angular_velocity.values[:, 0, 2]
    values = {"expected_rad_per_s2": expected, "rate_at_the_end_rad_per_s": abs(omega[-1])}
    return Measured(relative(_slowing(omega, 3.0 / expected), expected), values)
