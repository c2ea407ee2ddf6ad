"""Sticking is standing still; sliding bodies accelerate and stop as the textbooks say.

While a body slides, a step changes the speed by exactly mu g dt and the place by the mean of old and new speed: the
parabola itself. Only the last step differs: it takes dt for the last bit of speed s < mu g dt and covers s dt/2 instead
of s^2/(2 mu g), at most mu g dt^2/8 too much.
"""

from __future__ import annotations

import math

import numpy as np
import xarray as xr

from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.model.catalogue import aiko_planar
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Elliptic, FrictionLaw, Isotropic, Rectangular, Skin
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.proof.check import Measured, MujocoCase, Plot, checks_of, curve
from pushpoint.proof.checks import mujoco_cases
from pushpoint.proof.checks.bodies import BLOCK, G, Steady, four_uneven_links, lie, relative, slide_on
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

check = checks_of("closed forms")

MU_PLANE, MU_SLOPE = 0.2, 0.4
STICK_SLOPE = 0.95 * math.atan(MU_SLOPE)
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
        error=relative(found, expected), values={"expected_m_per_s2": expected, "measured_m_per_s2": found.mean()}
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


MU = 0.2
SPEED = 1.0
SLOW = 0.5
HEADING = 0.7
LIMP = PlanarRobot(links=four_uneven_links())


def _stop_ways(worlds: list[World], duration: float) -> np.ndarray:
    """How far the centres of mass go [m], shape (n_worlds,)."""
    run = simulate(worlds, duration=duration)
    return np.linalg.norm(run.center_of_mass.values[:, -1] - run.center_of_mass.values[:, 0], axis=-1)


@check(
    "stop-chain",
    expected_from="s = v²/(2 μ g)",
    error_is="largest relative error of the distance",
    tolerance=1e-5,
    reason="the last step's share, (μ g dt/v)²/4 = 1e-6, and solver tolerances of 1e-3 g dt in a few steps",
)
def stop_of_a_chain() -> Measured:
    """A limp, bent chain that slides at 1 m/s in any of 16 directions stops."""
    ground = Environment(ground=Ground(friction=Isotropic(MU)))
    bearings = np.linspace(0.0, 2 * math.pi, 16, endpoint=False) + 0.1
    # Only equal deceleration of all links keeps the shape.
    worlds = [
        World(
            LIMP,
            ground,
            Steady(),
            Start(joint_angles=(0.6, -0.9, 1.2), velocity=(SPEED * math.cos(b), SPEED * math.sin(b))),
        )
        for b in bearings
    ]
    found, expected = _stop_ways(worlds, 0.6), SPEED**2 / (2 * MU * G)
    return Measured(error=relative(found, expected), values={"expected_m": expected, "measured_m": found.mean()})


@check(
    "stop-directions",
    expected_from="s = v²/(2 μ g), μ forward, backward or across",
    error_is="largest relative error of the distance",
    tolerance=1e-5,
    reason="the last step's share, (μ g dt/v)²/4 = 6e-6 at μ = 0.5",
)
def stop_by_direction() -> Measured:
    """On skin, elliptic and rectangular friction a chain stops by the coefficient of its direction."""
    skin = Skin(forward=0.1, backward=0.3, across=0.5)
    cases: list[tuple[FrictionLaw, float, float]] = [
        (skin, 0.0, 0.1), (skin, math.pi, 0.3), (skin, math.pi / 2, 0.5), (skin, -math.pi / 2, 0.5),
        (Elliptic(along=0.1, across=0.3), 0.0, 0.1), (Elliptic(along=0.1, across=0.3), math.pi / 2, 0.3),
        (Rectangular(along=0.1, across=0.3), 0.0, 0.1), (Rectangular(along=0.1, across=0.3), math.pi / 2, 0.3),
    ]  # fmt: skip
    worlds = [_thrown(law, bearing) for law, bearing, _ in cases]
    expected = np.array([SPEED**2 / (2 * mu * G) for *_, mu in cases])
    found = _stop_ways(worlds, 1.1)
    return Measured(
        error=relative(found, expected), values={"forward_m": found[0], "backward_m": found[1], "across_m": found[2]}
    )


def _thrown(law: FrictionLaw, bearing: float) -> World:
    velocity = (SPEED * math.cos(HEADING + bearing), SPEED * math.sin(HEADING + bearing))
    return World(LIMP, Environment(ground=Ground(friction=law)), Steady(), Start(heading=HEADING, velocity=velocity))


@check(
    "flow-rule",
    expected_from="ln(v_x/v_x0)/μ_x² = ln(v_y/v_y0)/μ_y²",
    error_is="largest relative difference of the two sides",
    tolerance=1e-3,
    reason="first order: g dt μ/v = 5e-4 at 0.1 ms",
)
def flow_rule() -> Measured:
    """On an ellipse the slip velocity turns toward the direction of low friction.

    v_dot = -g S^2 v/|S v|: dividing the two components leaves d ln v_x/mu_x^2 = d ln v_y/mu_y^2.
    """
    along, across, bearings = 0.25, 0.4, (0.6, 2.4, -0.9, -2.7)
    worlds = [_thrown(Elliptic(along=along, across=across), bearing) for bearing in bearings]
    run = simulate(worlds, duration=0.15, settings=Settings(dt=1e-4))
    turn = np.array([[math.cos(HEADING), -math.sin(HEADING)], [math.sin(HEADING), math.cos(HEADING)]])
    velocity = run.link_velocity.values[:, :, 0] @ turn
    shrunk = np.log(velocity[:, -1] / velocity[:, 0]) / np.array([along, across]) ** 2
    return Measured(error=relative(shrunk[:, 0], shrunk[:, 1]), values={"smallest_decay_1": np.abs(shrunk).min()})


def _mujoco_stop(mujoco: object) -> float:
    return relative(mujoco_cases.stop_distance(mujoco, MU, SLOW), SLOW**2 / (2 * MU * G))


@check(
    "stop-block",
    expected_from="s = v²/(2 μ g)",
    error_is="largest relative error of the distance",
    tolerance=2e-5,
    reason="the last step's share, (μ g dt/v)²/4 = 1.5e-5 at 0.25 m/s",
    peer=MujocoCase(measure=_mujoco_stop, note=f"at 0.5 m/s; {mujoco_cases.DEFAULTS}"),
)
def stop_of_a_block() -> Measured:
    """A block in space that slides at 0.25 to 1.5 m/s stops."""
    ground = Ground(friction=Isotropic(MU))
    speeds = np.array([0.25, 0.5, 1.0, 1.5])
    expected = speeds**2 / (2 * MU * G)
    found = []
    for speed in speeds:
        run = slide_on(BLOCK, ground, lie(BLOCK, ground, 1.0, velocity=(speed, 0.0, 0.0)), speed / (MU * G) + 0.1)
        found.append(run.center_of_mass.values[-1, 0] - run.center_of_mass.values[0, 0])
    fine = np.linspace(0.0, speeds[-1])
    plot = Plot(
        title="Stopping distance of a sliding block, friction 0.2",
        x_label="speed [m/s]",
        y_label="distance [m]",
        curves=(curve("v²/(2 μ g)", fine, fine**2 / (2 * MU * G), expected=True), curve("pushpoint", speeds, found)),
    )
    values = {"expected_from_0.5_m/s_m": expected[1], "measured_from_0.5_m/s_m": found[1]}
    return Measured(error=relative(found, expected), values=values, plot=plot)
