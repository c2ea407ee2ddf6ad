"""Rest: who carries what. Levers, joint torques, friction at a wall, and the whole weight."""

from __future__ import annotations

import numpy as np

from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.gaits.sidewinding import Sidewinding
from pushpoint.model.catalogue import aiko
from pushpoint.model.environment import Environment, Ground, Peg, Wall
from pushpoint.model.friction import Isotropic
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.proof.check import Measured, checks_of
from pushpoint.proof.checks.bodies import G, Steady, four_uneven_links, relative
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record

check = checks_of("closed forms")

DT = 1e-3
BEAM = PlanarRobot(links=four_uneven_links())
FIRM = Settings(dt=DT, tolerance=1e-9)
RADIUS = 0.02
CLEARANCE = 1e-9
"""Gap at the start [m]: it counts as touching and is not refused as overlap for round-off."""
BEGINS = np.concatenate(([0.0], np.cumsum(BEAM.column("length"))[:-1]))
CENTRES = BEGINS + BEAM.column("length") / 2 + BEAM.column("mass_offset")
"""Rear ends and centres of mass of the links along the straight beam, from the tail [m]."""
MIDDLE = float(BEAM.column("mass") @ CENTRES) / BEAM.mass


@check(
    "beam-on-two-pegs",
    expected_from="levers for the pegs; joint torque = moment of all forces in front of it",
    error_is="largest relative error of peg forces and torques",
    tolerance=1e-7,
    reason="the solver stops at 1e-9 g dt; remembered impulses bring rest far closer",
)
def beam() -> Measured:
    """A straight chain of uneven links, loaded on every link, rests on two pegs."""
    load, at = np.array([1.0, 2.0, 0.5, 3.0]), np.array([0.07, 0.40])
    pegs = [Peg(x=x, y=-(RADIUS + 0.05 + CLEARANCE), radius=0.05) for x in at]
    loads = np.column_stack((np.zeros(4), -load, np.zeros(4)))
    run = simulate(
        BEAM, Environment(obstacles=pegs), Steady(Command(prescribed=True, link_load=loads)),
        start=Start(joint_angles=(0.0,) * 3, position=(MIDDLE, 0.0)), duration=0.05, settings=FIRM,
        record=Record(rate=1 / DT),
    ).isel(time=-1)  # fmt: skip
    front = float(load @ (CENTRES - at[0])) / (at[1] - at[0])
    carried = np.array([load.sum() - front, front])
    joints = BEGINS[1:, None]
    torque = (load * np.maximum(CENTRES - joints, 0.0)).sum(axis=1) - (carried * np.maximum(at - joints, 0.0)).sum(
        axis=1
    )
    errors = (
        relative(run.obstacle_load.values, carried),
        float(np.abs(run.joint_torque.values - torque).max() / np.abs(torque).max()),
    )
    return Measured(
        error=max(errors),
        values={"front_peg_N": float(run.obstacle_load[1]), "expected_N": front, "largest_torque_N_m": torque[0]},
    )  # fmt: skip


@check(
    "wall-friction",
    expected_from="a = 0, and a = (F − μ N)/m",
    error_is="largest error of the acceleration over the sliding one",
    tolerance=1e-6,
    reason="the solver stops at 1e-9 g dt, in the first step from unknown impulses",
)
def wall_friction() -> Measured:
    """A chain pressed against a rough wall by 8 N sticks at 0.9 μ N and slides at 1.5 μ N."""
    mu, pressing = 0.3, 8.0
    wall = Wall(
        start=(-1.0, -RADIUS - CLEARANCE - 0.05), end=(2.0, -RADIUS - CLEARANCE - 0.05), thickness=0.1, friction=mu
    )
    share = BEAM.column("mass") / BEAM.mass
    found = []
    for push in (0.9 * mu * pressing, 1.5 * mu * pressing):
        loads = np.column_stack((push * share, -pressing * share, np.zeros(4)))
        run = simulate(
            BEAM, Environment(obstacles=[wall]), Steady(Command(prescribed=True, link_load=loads)),
            start=Start(joint_angles=(0.0,) * 3, position=(MIDDLE, 0.0)), duration=0.2, settings=FIRM,
        )  # fmt: skip
        found.append(float(run.link_velocity.values[-1, 0, 0]) / 0.2)
    expected = 0.5 * mu * pressing / BEAM.mass
    return Measured(
        error=max(abs(found[0]) / expected, relative(found[1], expected)),
        values={"stuck_m_per_s2": found[0], "sliding_m_per_s2": found[1], "expected_m_per_s2": expected},
    )  # fmt: skip


@check(
    "weight",
    expected_from="Σ N = m g;  ∫ Σ N dt = m g t + Δp_z",
    error_is="largest relative error",
    tolerance=1e-6,
    reason="the solver's tolerance at rest; the balance itself is exact to round-off",
)
def weight() -> Measured:
    """The ground carries a robot's weight: at rest, and by impulse balance over 3 s of sidewinding."""
    robot, place = aiko(), Environment(ground=Ground(friction=Isotropic(0.3)))
    still = simulate(
        robot, place, Steady(Command(joint_angle=np.zeros(robot.n_joints))), start=SpatialStart(), duration=0.3,
        settings=Settings(tolerance=1e-6),
    )  # fmt: skip
    at_rest = float(still.ground_force.values[-1, :, 2].sum())
    gait = Sidewinding(yaw_amplitude=0.5, pitch_amplitude=0.2, angular_frequency=4.0, phase_shift=0.6)
    moving = simulate(robot, place, gait, duration=3.0)
    carried = moving.ground_force.values[1:, :, 2].sum(axis=1).mean() * 3.0
    rising = float(robot.column("mass") @ (moving.link_velocity.values[-1] - moving.link_velocity.values[0])[:, 2])
    balance = abs(carried - robot.mass * G * 3.0 - rising) / (robot.mass * G * 3.0)
    return Measured(
        error=max(relative(at_rest, robot.mass * G), balance),
        values={"expected_N": robot.mass * G, "at_rest_N": at_rest, "impulse_balance_while_moving_1": balance},
    )
