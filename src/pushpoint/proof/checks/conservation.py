"""What inner forces cannot change: momentum, angular momentum, and the energy of a chain that nothing touches."""

from __future__ import annotations

from math import pi

import numpy as np
import xarray as xr

from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.engine.planar.start import Start
from pushpoint.engine.signals import Command
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.gaits import LateralUndulation, Sidewinding
from pushpoint.model.catalogue import aiko
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.spatial_robot import AnyRobot
from pushpoint.papers.registry import scenario
from pushpoint.proof.checks.bodies import Steady, four_uneven_links, stepped
from pushpoint.proof.verification import Measured, checks_of, convergence, order_is
from pushpoint.worlds.world import World

check = checks_of("conservation")
momentum_check = checks_of(
    "conservation",
    expected_from="Σ m v = const",
    error_is="largest change of a component",
    tolerance=1e-12,
    unit="kg m/s",
)

VELOCITY = np.array([0.4, -0.7])
STEPS = (2e-3, 1e-3, 5e-4)
SWIMMER = PlanarRobot(links=four_uneven_links(), motors=Motor(stiffness=20.0, damping=0.2, torque_limit=0.4))
SWIMMING = World(
    SWIMMER,
    Environment(),
    LateralUndulation(amplitude=0.8, angular_frequency=6.0, phase_shift=-1.1, offset=0.2),
    Start(position=(0.3, -0.2), velocity=tuple(VELOCITY), spin=0.9, heading=0.5),
)
WHIRLING = World(
    PlanarRobot(links=four_uneven_links()),
    Environment(),
    Steady(Command(joint_torque=np.zeros(3))),
    Start(joint_angles=(0.7, -0.4, 0.9), joint_rates=(1.0, -2.0, 1.5), spin=3.0),
)


def _swim(dt: float) -> xr.Dataset:
    return stepped(SWIMMING, 1.0, dt=dt, tolerance=1e-8, rate=1 / dt)


def _momentum(robot: AnyRobot, run: xr.Dataset) -> np.ndarray:
    """Linear momentum [kg m/s], shape (n_times, n_axes)."""
    return np.einsum("tix,i->tx", run.link_velocity.values, robot.column("mass"))


def _turning(position: np.ndarray, velocity: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """Angular momentum of the swimmer about its centre of mass [kg m^2/s], shape (n_times,)."""
    mass = SWIMMER.column("mass")
    arm = position - (position * mass[:, None]).sum(axis=1, keepdims=True) / SWIMMER.mass
    spin = arm[..., 0] * velocity[..., 1] - arm[..., 1] * velocity[..., 0]
    return np.asarray(spin @ mass + omega @ SWIMMER.column("inertia"))


@momentum_check(reason="round-off of 1000 steps")
def momentum_plane() -> Measured:
    """A chain that swims on smooth ground keeps its linear momentum."""
    run = _swim(1e-3)  # the motors come to their limits
    found, torque = _momentum(SWIMMER, run), np.nanmax(np.abs(run.joint_torque.values))
    values = {"momentum_kg_m_per_s": np.hypot(*found[0]), "largest_torque_N_m": torque}
    return Measured(np.abs(found - SWIMMER.mass * VELOCITY).max(), values)


@momentum_check(reason="round-off of 500 steps")
def momentum_space() -> Measured:
    """A robot that winds itself in weightless flight keeps its linear momentum."""
    robot, velocity = aiko(), np.array([0.3, -0.2, 0.5])
    gait = Sidewinding(
        yaw_amplitude=-0.5, pitch_amplitude=0.4, angular_frequency=5.0, phase_shift=0.8, pitch_lead=pi / 2
    )
    start = SpatialStart(position=(0.0, 0.0, 5.0), velocity=tuple(velocity), angular_velocity=(0.8, -0.5, 1.1))
    run = stepped(World(robot, Environment(ground=Ground(gravity=0.0)), gait, start), 0.5)
    return Measured(np.abs(_momentum(robot, run) - robot.mass * velocity).max(), {"mass_kg": robot.mass})


@check(
    expected_from="Σ r × m v + I ω = const",
    error_is="largest change in a step",
    tolerance=1e-13,
    unit="kg m²/s",
    reason="round-off",
)
def angular_momentum() -> Measured:
    """The swimming chain's angular momentum is the same before and after every step, in its midpoint."""
    # A step is a balance in the posture of its midpoint, where a turn of the whole chain is an admissible motion.
    run, dt = _swim(1e-3), 1e-3
    v, omega = run.link_velocity.values, run.link_angular_velocity.values
    theta = run.link_angle.values + dt / 2 * omega
    middle = link_positions(SWIMMER, np.zeros((run.time.size, 2)), theta)[:-1]
    before, after = _turning(middle, v[:-1], omega[:-1]), _turning(middle, v[1:], omega[1:])
    return Measured(np.abs(after - before).max(), {"angular_momentum_kg_m2_per_s": before[0]})


def _drift_order(found: list[np.ndarray], what: str) -> Measured:
    """How far from second order the drift of a quantity falls with the time step, from its course at each step."""
    drifts = [float(np.abs(course - course[0]).max() / abs(course[0])) for course in found]
    return convergence(STEPS, drifts, f"drift of the {what} in 1 s [-]", {"drift_at_1_ms_1": drifts[1]}, order=2)


@check(
    expected_from="drift ∝ dt²",
    **order_is(2),
    reason="the share of the third order, ω dt, is 1 % at joint rates of 6 rad/s and 2 ms",
)
def angular_momentum_order() -> Measured:
    """From posture to posture the angular momentum drifts in second order in dt."""
    runs = [_swim(dt) for dt in STEPS]
    names = ("link_position", "link_velocity", "link_angular_velocity")
    return _drift_order([_turning(*(run[name].values for name in names)) for run in runs], "angular momentum")


def _kinetic(robot: AnyRobot, run: xr.Dataset) -> np.ndarray:
    """Kinetic energy [J], shape (n_times,)."""
    moving = (run.link_velocity.values**2).sum(axis=-1) @ robot.column("mass")
    return np.asarray(0.5 * (moving + run.link_angular_velocity.values**2 @ robot.column("inertia")))


@check(
    expected_from="E = const; drift ∝ dt²",
    **order_is(2),
    reason="the share of the third order, ω dt, is some per cent at 2 ms",
)
def energy_order() -> Measured:
    """The kinetic energy of a whirling limp chain drifts in second order in dt."""
    return _drift_order(
        [_kinetic(WHIRLING.robot, stepped(WHIRLING, 1.0, dt=dt, tolerance=1e-8)) for dt in STEPS], "energy"
    )


@check(
    expected_from="ΔE = W_motors + W_ground, and W_ground ≤ 0 in every step",
    error_is="what the balance lacks, and what friction gave, over the motor work",
    tolerance=1e-3,
    reason="the balance closes in first order in dt (docs/theory/planar.md, 11); joints turn by 1e-3 rad per step",
)
def energy_balance() -> Measured:
    """Two periods of lateral undulation: motor work = change of kinetic energy + work against friction."""
    world, dt = scenario("transeth2008a/flat").world, 1e-3
    run = stepped(world, 9.0, rate=1 / dt)
    work, velocity = dt * float(run.joint_power[1:].sum()), run.link_velocity.values
    rubbed = dt * (run.ground_force.values[1:] * (velocity[1:] + velocity[:-1]) / 2).sum(axis=(1, 2))
    friction, kinetic = float(rubbed.sum()), _kinetic(world.robot, run)
    lacking = float(kinetic[-1] - kinetic[0]) - work - friction
    gained = float(max(rubbed.max(), 0.0)) * run.time.size
    values = {"motor_work_J": work, "friction_work_J": friction, "lacking_J": lacking}
    return Measured((abs(lacking) + gained) / work, values)
