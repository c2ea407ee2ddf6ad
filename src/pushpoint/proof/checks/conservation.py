"""What inner forces cannot change: momentum, angular momentum, and the energy of a chain that nothing touches."""

from __future__ import annotations

import numpy as np
import xarray as xr

from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.gaits.waves import LateralUndulation, Sidewinding
from pushpoint.model.catalogue import aiko
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.spatial_robot import AnyRobot
from pushpoint.papers.registry import scenario
from pushpoint.proof.check import Measured, checks_of
from pushpoint.proof.checks.bodies import Steady, convergence, four_uneven_links
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record

check = checks_of("conservation")

LINKS = four_uneven_links()
SWIMMER = PlanarRobot(links=LINKS, motors=Motor(stiffness=20.0, damping=0.2, torque_limit=0.4))
LIMP = PlanarRobot(links=LINKS)
GAIT = LateralUndulation(amplitude=0.8, angular_frequency=6.0, phase_shift=-1.1, offset=0.2)
VELOCITY = np.array([0.4, -0.7])
START = Start(position=(0.3, -0.2), velocity=tuple(VELOCITY), spin=0.9, heading=0.5)
WHIRL = Start(joint_angles=(0.7, -0.4, 0.9), joint_rates=(1.0, -2.0, 1.5), spin=3.0)
STEPS = (2e-3, 1e-3, 5e-4)


def _swim(dt: float) -> xr.Dataset:
    return simulate(
        SWIMMER,
        Environment(),
        GAIT,
        duration=1.0,
        start=START,
        settings=Settings(dt=dt, tolerance=1e-8),
        record=Record(rate=1 / dt),
    )


def _turning(position: np.ndarray, velocity: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """Angular momentum of the swimmer about its centre of mass [kg m^2/s], shape (n_times,)."""
    mass = SWIMMER.column("mass")
    arm = position - (position * mass[:, None]).sum(axis=1, keepdims=True) / SWIMMER.mass
    spin = arm[..., 0] * velocity[..., 1] - arm[..., 1] * velocity[..., 0]
    return np.asarray(spin @ mass + omega @ SWIMMER.column("inertia"))


@check(
    "momentum-plane",
    expected_from="Σ m v = const",
    error_is="largest change of a component",
    tolerance=1e-12,
    unit="kg m/s",
    reason="round-off of 1000 steps",
)
def momentum() -> Measured:
    """A chain that swims on smooth ground keeps its linear momentum."""
    run = _swim(1e-3)  # the motors come to their limits
    found = np.einsum("tix,i->tx", run.link_velocity.values, SWIMMER.column("mass"))
    return Measured(
        error=np.abs(found - SWIMMER.mass * VELOCITY).max(),
        values={
            "momentum_kg_m_per_s": np.hypot(*found[0]),
            "largest_torque_N_m": np.nanmax(np.abs(run.joint_torque.values)),
        },
    )


@check(
    "momentum-space",
    expected_from="Σ m v = const",
    error_is="largest change of a component",
    tolerance=1e-12,
    unit="kg m/s",
    reason="round-off of 500 steps",
)
def momentum_in_space() -> Measured:
    """A robot that winds itself in weightless flight keeps its linear momentum."""
    robot, velocity = aiko(), np.array([0.3, -0.2, 0.5])
    gait = Sidewinding(yaw_amplitude=0.5, pitch_amplitude=0.4, angular_frequency=5.0, phase_shift=0.8)
    run = simulate(
        robot, Environment(ground=Ground(gravity=0.0)), gait, duration=0.5,
        start=SpatialStart(position=(0.0, 0.0, 5.0), velocity=tuple(velocity), angular_velocity=(0.8, -0.5, 1.1)),
    )  # fmt: skip
    found = np.einsum("tix,i->tx", run.link_velocity.values, robot.column("mass"))
    return Measured(error=np.abs(found - robot.mass * velocity).max(), values={"mass_kg": robot.mass})


@check(
    "angular-momentum",
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
    return Measured(error=np.abs(after - before).max(), values={"angular_momentum_kg_m2_per_s": before[0]})


@check(
    "angular-momentum-order",
    expected_from="drift ∝ dt²",
    error_is="deviation of the order from 2",
    tolerance=0.1,
    reason="the share of the third order, ω dt, is 1 % at joint rates of 6 rad/s and 2 ms",
)
def angular_momentum_order() -> Measured:
    """From posture to posture the angular momentum drifts in second order in dt."""
    drifts = []
    for dt in STEPS:
        run = _swim(dt)
        found = _turning(run.link_position.values, run.link_velocity.values, run.link_angular_velocity.values)
        drifts.append(float(np.abs(found - found[0]).max() / abs(found[0])))
    return convergence(
        STEPS, drifts, "drift of the angular momentum in 1 s [-]", {"drift_at_1_ms_1": drifts[1]}, order=2
    )


def _kinetic(robot: AnyRobot, run: xr.Dataset) -> np.ndarray:
    """Kinetic energy [J], shape (n_times,)."""
    moving = (run.link_velocity.values**2).sum(axis=-1) @ robot.column("mass")
    return np.asarray(0.5 * (moving + run.link_angular_velocity.values**2 @ robot.column("inertia")))


@check(
    "energy-order",
    expected_from="E = const; drift ∝ dt²",
    error_is="deviation of the order from 2",
    tolerance=0.1,
    reason="the share of the third order, ω dt, is some per cent at 2 ms",
)
def energy_order() -> Measured:
    """The kinetic energy of a whirling limp chain drifts in second order in dt."""
    drifts = []
    for dt in STEPS:
        run = simulate(
            LIMP, Environment(), Steady(Command(joint_torque=np.zeros(3))), start=WHIRL, duration=1.0,
            settings=Settings(dt=dt, tolerance=1e-8),
        )  # fmt: skip
        kinetic = _kinetic(LIMP, run)
        drifts.append(float(np.abs(kinetic - kinetic[0]).max() / kinetic[0]))
    return convergence(STEPS, drifts, "drift of the energy in 1 s [-]", {"drift_at_1_ms_1": drifts[1]}, order=2)


@check(
    "energy-balance",
    expected_from="ΔE = W_motors + W_ground, and W_ground ≤ 0 in every step",
    error_is="what the balance lacks, and what friction gave, over the motor work",
    tolerance=1e-3,
    reason="the balance closes in first order in dt (theory.md, section 11); joints turn by 1e-3 rad per step",
)
def energy_balance() -> Measured:
    """Two periods of lateral undulation: motor work = change of kinetic energy + work against friction."""
    flat, dt = scenario("transeth2008a/flat"), 1e-3
    run = simulate(flat.world, 9.0, record=Record(rate=1 / dt))
    work = dt * float(run.joint_power.sum())
    velocity = run.link_velocity.values
    rubbed = dt * (run.ground_force.values[1:] * (velocity[1:] + velocity[:-1]) / 2).sum(axis=(1, 2))
    kinetic = _kinetic(flat.world.robot, run)
    lacking = float(kinetic[-1] - kinetic[0]) - work - float(rubbed.sum())
    gained = float(max(rubbed.max(), 0.0)) * run.time.size
    return Measured(
        error=(abs(lacking) + gained) / work,
        values={"motor_work_J": work, "friction_work_J": float(rubbed.sum()), "lacking_J": lacking},
    )
