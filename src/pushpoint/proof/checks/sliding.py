"""Sliding bodies stop after the textbook distance.

While a body slides, a step changes the speed by exactly mu g dt and the place by the mean of old and new speed: the
parabola itself. Only the last step differs: it takes dt for the last bit of speed s < mu g dt and covers s dt/2 instead
of s^2/(2 mu g), at most mu g dt^2/8 too much.
"""

from __future__ import annotations

import math

import numpy as np

from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Elliptic, FrictionLaw, Isotropic, Rectangular, Skin
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.proof.check import Measured, MujocoCase, Plot, checks_of, curve
from pushpoint.proof.checks import mujoco_cases
from pushpoint.proof.checks.bodies import BLOCK, G, Steady, four_uneven_links, lie, relative, slide_on
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.world import World

check = checks_of("closed forms")

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
        error=relative(found, expected),
        values={"forward_m": found[0], "backward_m": found[1], "across_m": found[2]},
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
