"""Wheels that hold: the kinematic model without side slip, its energy, and Hirose's serpenoid curve.

The kinematic model is written here from its condition alone: no axle moves along itself. Three axles then determine
the motion of a chain whose joint angles are given; it is integrated by the classical Runge-Kutta method.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import xarray as xr

from pushpoint.gaits import FunctionOfTime, LateralUndulation
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Frictionless
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.wheels import Wheels
from pushpoint.proof.checks.bodies import stepped
from pushpoint.proof.verification import Measured, checks_of, convergence, order_is
from pushpoint.worlds.world import World

SMOOTH = Environment(ground=Ground(friction=Frictionless()))
PERIOD, LENGTH = 2.0, 0.2
"""Of the three-link chain: one round of its joints [s], length of a link [m]."""
AXLE = 0.5
"""Where the kinematic model has its axles, as a share of a link from its rear joint [-]."""
STEPS = (4e-3, 2e-3, 1e-3, 5e-4)
HOLDING = 50.0
"""A side limit that is never reached [-]."""
BODY, WAVES = 2.0, 1.527
"""Length of the serpenoid robots [m], and waves along them [-]."""
WINDING = 1.2558
"""Winding angle at which u J0(u) is largest [rad]: 72 deg."""
COUNTS = (20, 40, 80)


def three_links(side_limit: float = HOLDING) -> PlanarRobot:
    """Three links with an axle under the middle of each."""
    wheels = Wheels(rolling_resistance=0.0, side_limit=side_limit, track=0.0)
    link = PlanarLink(length=LENGTH, mass=1.0, inertia=4e-3, radius=0.03, wheels=(wheels,))
    return PlanarRobot.uniform(3, link)


def joints_at(t: float) -> tuple[np.ndarray, np.ndarray]:
    """Angles [rad] and rates [rad/s] of one round from rest to rest, away from postures in which all axles meet."""
    turn = 2 * np.pi * t / PERIOD
    phase, speed = turn - np.sin(turn) + np.array([0.0, -np.pi / 2]), 2 * np.pi / PERIOD * (1 - np.cos(turn))
    return np.array([0.6, -0.6]) + 0.3 * np.cos(phase), -0.3 * speed * np.sin(phase)


def rate_of(t: float, pose: np.ndarray) -> np.ndarray:
    """Velocity of the tail's rear joint and spin of the tail: axle . velocity = 0 three times."""
    angle, rate = joints_at(t)
    theta, extra = pose[2] + np.array([0.0, *np.cumsum(angle)]), np.array([0.0, *np.cumsum(rate)])
    left = np.stack((-np.sin(theta), np.cos(theta)), axis=-1)
    arms = LENGTH * (np.tri(3, k=-1) + AXLE * np.eye(3))
    swings = arms * (left @ left.T)
    return np.linalg.solve(np.column_stack((left, swings.sum(axis=1))), -swings @ extra)


def kinematic_way(rounds: int = 400) -> np.ndarray:
    """How the tail's rear joint moves and turns in a period, seen from its start [m, m, rad]."""
    h, pose = PERIOD / rounds, np.zeros(3)
    for k in range(rounds):
        first = rate_of(k * h, pose)
        second = rate_of((k + 0.5) * h, pose + h / 2 * first)
        third = rate_of((k + 0.5) * h, pose + h / 2 * second)
        fourth = rate_of((k + 1) * h, pose + h * third)
        pose = pose + h / 6 * (first + 2 * second + 2 * third + fourth)
    return pose


def engine_way(dt: float) -> np.ndarray:
    """The same of the engine, joints prescribed."""
    gait = FunctionOfTime(function=lambda t: joints_at(t)[0], rate=min(1 / dt, 1000.0), prescribed=True)
    run = stepped(World(three_links(), SMOOTH, gait), PERIOD, dt=dt, tolerance=1e-8)
    theta = run.link_angle.values[[0, -1], 0]
    joint = run.link_position.values[[0, -1], 0] - LENGTH / 2 * np.stack((np.cos(theta), np.sin(theta)), axis=-1)
    (x, y), c, s = joint[1] - joint[0], np.cos(theta[0]), np.sin(theta[0])
    return np.array([c * x + s * y, c * y - s * x, theta[1] - theta[0]])


@checks_of("engines")(
    expected_from="kinematic model: axle . velocity = 0 at three axles, integrated separately",
    error_is="largest difference in position of the tail after a period",
    tolerance=1e-6,
    unit="m",
    reason="second order in dt: 1e-7 m at 1 ms",
)
def wheels_kinematic() -> Measured:
    """A chain on three axles whose wheels hold moves as the kinematic model without side slip."""
    exact, found = kinematic_way(), engine_way(1e-3)
    return Measured(
        np.abs(found - exact)[:2].max(), {"way_m": np.hypot(*exact[:2]), "turn_error_rad": found[2] - exact[2]}
    )


@checks_of("convergence in dt")(
    expected_from="kinematic model: axle . velocity = 0 at three axles, integrated separately",
    **order_is(2),
    reason="wheels have their directions at the end of a step, halfway between two midpoints",
)
def dt_wheels() -> Measured:
    """The path of wheels that hold tends to that of the kinematic model with the square of the time step."""
    exact = kinematic_way()
    errors = [float(np.abs(engine_way(dt) - exact)[:2].max()) for dt in STEPS]
    return convergence(
        STEPS,
        errors,
        "error of the path [m]",
        {f"error_at_{dt * 1e3:g}_ms_m": error for dt, error in zip(STEPS, errors, strict=True)},
        order=2,
    )


def losses(run: xr.Dataset, robot: PlanarRobot, dt: float) -> dict[str, float]:
    """Where the work of the motors went [J]; the ground's part step by step, along the wheels and along the axles."""
    v, omega, theta = run.link_velocity.values, run.link_angular_velocity.values, run.link_angle.values
    kinetic = 0.5 * (v**2).sum(axis=-1) @ robot.column("mass") + 0.5 * omega**2 @ robot.column("inertia")
    mean, middle = (v[1:] + v[:-1]) / 2, (theta[1:] + theta[:-1]) / 2
    along = np.stack((np.cos(middle), np.sin(middle)), axis=-1)
    left = np.stack((-along[..., 1], along[..., 0]), axis=-1)
    impulse = dt * run.ground_force.values[1:]
    rolling, side = (-((impulse * way).sum(axis=-1) * (mean * way).sum(axis=-1)).sum() for way in (along, left))
    work = dt * run.joint_power.values[1:].sum()
    return {"work_J": work, "kinetic_J": kinetic[-1] - kinetic[0], "rolling_loss_J": rolling, "side_loss_J": side}


def _energy(side_limit: float) -> dict[str, float]:
    wheels = Wheels(rolling_resistance=0.03, side_limit=side_limit, track=0.0)
    link = PlanarLink(length=0.1, mass=0.5, inertia=5e-4, radius=0.03, wheels=(wheels,))
    robot = PlanarRobot.uniform(8, link, Motor(stiffness=20.0, damping=0.5))
    gait = LateralUndulation(amplitude=0.5, angular_frequency=3.0, phase_shift=-0.8)
    return losses(stepped(World(robot, SMOOTH, gait), 2.0, tolerance=1e-7, rate=1000.0), robot, 1e-3)


energy_check = checks_of(
    "conservation",
    expected_from="work of motors = Δ kinetic energy + loss by rolling + loss by side slip",
    tolerance=1e-5,
)


@energy_check(
    error_is="what is left of the balance, and side loss, over the work",
    reason="both fall with dt²; 1.5e-6 J and 2.3e-6 J of 1 J at 1 ms",
)
def wheels_energy_holding() -> Measured:
    """While wheels hold, the motors' work goes into motion and rolling, and none into side slip."""
    found = _energy(20.0)
    rest = found["work_J"] - sum(list(found.values())[1:])
    return Measured((abs(rest) + abs(found["side_loss_J"])) / found["work_J"], found)


@energy_check(error_is="what is left of the balance over the work", reason="falls with dt²; 2e-7 J of 1.3 J at 1 ms")
def wheels_energy_slipping() -> Measured:
    """While wheels slip, the loss by side slip closes the balance."""
    found = _energy(0.3)
    return Measured(abs(found["work_J"] - sum(list(found.values())[1:])) / found["work_J"], found)


def bessel(u: float) -> float:
    """J0: the mean of cos(u sin x)."""
    return float(np.cos(u * np.sin(np.linspace(0.0, np.pi, 200, endpoint=False))).mean())


def serpenoid_speed(n: int, joint: float, shift: float, omega: float = 2.0) -> float:
    """Forward speed of a wheeled robot of n links under a serpenoid wave, over its third period [m/s]."""
    mass, length, steps = 28.0 / n, BODY / n, 1500
    wheels = Wheels(rolling_resistance=0.0, side_limit=3.0, track=0.0)
    inertia = mass * (length**2 / 12 + 0.05**2 / 4)
    robot = PlanarRobot.uniform(n, PlanarLink(length=length, mass=mass, inertia=inertia, radius=0.05, wheels=(wheels,)))
    period = 2 * np.pi / omega
    gait = LateralUndulation(amplitude=joint, angular_frequency=omega, phase_shift=-shift, prescribed=True)
    run = stepped(World(robot, SMOOTH, gait), 3 * period, dt=period / steps, rate=steps / period / 25)
    way = run.center_of_mass.values
    return float(np.linalg.norm(way[-1] - way[-1 - steps // 25]) / period)


def track_speed(length: float, joint: float, shift: float, omega: float = 2.0) -> float:
    """Forward speed along a serpenoid track of winding angle u: omega l J0(u) / shift, u = joint / (2 sin shift/2)."""
    return omega * length / shift * bessel(joint / (2 * np.sin(shift / 2)))


@checks_of("convergence in the number of links")(
    expected_from="Hirose's serpenoid curve without side slip: v = ω l J₀(α)/δ",
    **order_is(2),
    reason="links are chords of the curve: their deviation from it falls with the square of their length",
)
def links_serpenoid() -> Measured:
    """A robot on wheels follows a serpenoid track of its own, the better the more links it has."""
    errors, values = [], {}
    for n in COUNTS:
        shift = 2 * np.pi * WAVES / n
        joint = 2 * WINDING * np.sin(shift / 2)
        expected = track_speed(BODY / n, joint, shift)
        errors.append(abs(serpenoid_speed(n, joint, shift) / expected - 1.0))
        values[f"relative_error_with_{n}_links_1"] = errors[-1]
    lengths = [BODY / n for n in COUNTS]
    return convergence(
        lengths, errors, "relative error of the speed [1]", values, x_label="length of a link [m]", order=2
    )


def fastest(speed: Callable[[float], float], near: float) -> float:
    """Where a speed is largest: the top of the curve of fourth degree through five places near there."""
    places = near * np.linspace(0.85, 1.15, 5)
    curve = np.polyfit(places / near, [speed(float(place)) for place in places], 4)
    finely = np.linspace(0.85, 1.15, 10001)
    return float(near * finely[np.polyval(curve, finely).argmax()])


@checks_of("closed forms")(
    expected_from="v = ω l J₀(α)/δ is largest at α = 72°, where J₀(α) = α J₁(α)",
    error_is="relative difference of the fastest phase shift",
    tolerance=0.01,
    reason="40 links differ from their curve by 1 % in speed, and that difference grows with the phase shift",
)
def wheels_fastest_phase_shift() -> Measured:
    """A robot on wheels is fastest at the phase shift that makes links swing by 72 degrees."""
    n, joint = 40, 0.3
    near = joint / WINDING
    found = fastest(lambda shift: serpenoid_speed(n, joint, shift), near)
    expected = fastest(lambda shift: track_speed(BODY / n, joint, shift), near)
    winding = joint / (2 * np.sin(found / 2))
    values = {"phase_shift_rad": found, "expected_rad": expected, "winding_deg": np.degrees(winding)}
    return Measured(abs(found / expected - 1.0), values)
