"""Impacts, by Newton's law of restitution, and rest: who carries what.

Planar robots are held straight by motors that allow no bend: rigid bodies of mass m and moment of inertia I. The free
way is such that the midpoint of a step finds the peg just touched, so that no overlap has to be pushed out afterwards.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import xarray as xr

from pushpoint.engine.planar.start import Start
from pushpoint.engine.signals import Command
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.gaits import Sidewinding
from pushpoint.model.catalogue import aiko
from pushpoint.model.environment import Environment, Ground, Peg, Wall
from pushpoint.model.friction import Isotropic
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.proof.checks.bodies import BLOCK, ROUND, G, Mujoco, Steady, four_uneven_links, slide_on, stepped
from pushpoint.proof.verification import Curve, Measured, MujocoCase, Plot, checks_of, relative
from pushpoint.worlds.world import World

check = checks_of("closed forms")
impact = checks_of(
    "closed forms",
    tolerance=1e-6,
    reason="the solver stops at 1e-9 g dt, 3e-11 of the speed, and some such errors add up",
)

DT = 1e-3
SPEED = 0.4
LINK = PlanarLink(length=0.2, mass=0.5, inertia=2e-3, radius=0.03)
BAR = PlanarRobot.uniform(3, LINK)
INERTIA = 3 * LINK.inertia + 2 * LINK.mass * LINK.length**2
WAY = SPEED * DT * 10.5 - 5e-7
RESTITUTIONS = (0.0, 0.3, 0.7, 1.0)
DROP_SPEED = 1.0


def _held(**load: np.ndarray) -> Steady:
    return Steady(Command(prescribed=True, **load))


def _hit(restitution: float, at: float, *, friction: float = 0.0, slip: float = 0.0) -> xr.Dataset:
    """A straight bar falls on a peg under its axis point `at` [m] with SPEED, sliding forward with `slip`."""
    x, y = at + slip * DT * 10.5, -(LINK.radius + 0.05 + WAY)
    place = Environment(obstacles=[Peg(x=x, y=y, radius=0.05, restitution=restitution, friction=friction)])
    start = Start(joint_angles=(0.0, 0.0), velocity=(slip, -SPEED))
    return stepped(World(BAR, place, _held(), start), 0.012, tolerance=1e-9, rate=1 / DT)


@impact(
    expected_from="v⁺ = e v, impulse (1 + e) m v",
    error_is="largest error of the speed over v, and of the impulse, relative",
)
def impact_central() -> Measured:
    """A bar hits a peg through its centre of mass, e = 0, 0.3, 0.7 and 1."""
    errors = []
    for e in RESTITUTIONS:
        run = _hit(e, 0.0)
        after, impulse = run.link_velocity.values[11, :, 1], float(run.obstacle_load[1:].sum()) * DT
        errors += [np.abs(after - e * SPEED).max() / SPEED, relative(impulse, (1 + e) * BAR.mass * SPEED)]
    return Measured(max(errors), {"impulse_at_e_=_1_N_s": impulse, "expected_N_s": 2 * BAR.mass * SPEED})


@impact(expected_from="P (1/m + d²/I) = (1 + e) v, ω = P d/I", error_is="largest relative error of ω and of the speed")
def impact_off_centre() -> Measured:
    """A bar hits a peg 0.17 m from its centre of mass and turns away."""
    d, errors = 0.17, []
    for e in RESTITUTIONS:
        run = _hit(e, d)
        P = (1 + e) * SPEED / (1 / BAR.mass + d**2 / INERTIA)
        errors.append(relative(run.link_angular_velocity.values[11], P * d / INERTIA))
        errors.append(relative(run.link_velocity.values[11, 1, 1], P / BAR.mass - SPEED))
    return Measured(max(errors), {"impulse_at_e_=_1_N_s": P})


@impact(expected_from="v_t⁺ = v_t − μ (1 + e) v_n", error_is="largest relative error of the tangential speed")
def impact_rough() -> Measured:
    """A bar that slides along hits a rough peg and is braked by the hit."""
    mu, slip = 0.2, 0.5
    found = [_hit(e, 0.0, friction=mu, slip=slip).link_velocity.values[11, 1, 0] for e in RESTITUTIONS]
    expected = slip - mu * (1 + np.array(RESTITUTIONS)) * SPEED
    return Measured(relative(found, expected), {"speed_at_e_=_1_m_per_s": expected[-1]})


def _mujoco_rebound(mujoco: Any) -> float:
    """MuJoCo has no coefficient of restitution: its contact is a spring and a damper.

    A linear one of damping ratio z gives back exp(-pi z/sqrt(1 - z^2)) of the speed; that z is used, with the default's
    time constant of 20 ms.
    """
    part = math.log(0.5) / math.pi
    damping = -part / math.sqrt(1.0 + part**2)
    body = Mujoco.body(mujoco, BLOCK, 0.0, gap=DROP_SPEED**2 / (2 * G), solref=f"0.02 {damping}")
    found = body.go(DROP_SPEED / G + 0.15)[:, 2]
    return abs(float(found[int(found.argmin()) :].max() / DROP_SPEED) - 0.5)


@check(
    expected_from="v⁺ = e v⁻ (Newton)",
    error_is="largest error of the ratio of the speeds",
    tolerance=1e-6,
    reason="the solver's tolerance, 1e-6 g dt, over 1 m/s",
    peer=MujocoCase(
        _mujoco_rebound, f"at e = 0.5, by the damping ratio that a linear spring needs for it; {Mujoco.NOTE}"
    ),
)  # fmt: skip
def restitution_drop() -> Measured:
    """A block and a capsule fall on the ground with 1 m/s and rebound, e = 0 to 1."""
    coefficients = np.array([0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
    block, capsule = (np.array([_drop_ratio(robot, float(e)) for e in coefficients]) for robot in (BLOCK, ROUND))
    curves = (
        Curve("e", coefficients, coefficients, expected=True),
        Curve("block", coefficients, block),
        Curve("capsule", coefficients, capsule),
    )
    labels = "restitution coefficient [-]", "speed after over speed before [-]"
    error = max(np.abs(found - coefficients).max() for found in (block, capsule))
    return Measured(error, {"ratio_at_e_=_0.5_1": block[3]}, Plot("Rebound of a dropped body", labels, curves))


def _drop_ratio(robot: SpatialRobot, restitution: float) -> float:
    """Speed just after the hit over that just before [-]."""
    ground = Ground(friction=Isotropic(0.3), restitution=restitution)
    run = slide_on(robot, ground, DROP_SPEED / 9.81 + 0.01, gap=DROP_SPEED**2 / (2 * 9.81))
    v = run.link_velocity.values[:, 0, 2]
    hit = int(np.argmax(np.diff(v) > 0.0))
    return float(v[hit + 1] / -v[hit])


BEAM = PlanarRobot(links=four_uneven_links())
RADIUS = 0.02
CLEARANCE = 1e-9
"""Gap at the start [m]: it counts as touching and is not refused as overlap for round-off."""
BEGINS = np.concatenate(([0.0], np.cumsum(BEAM.column("length"))[:-1]))
CENTRES = BEGINS + BEAM.column("length") / 2 + BEAM.column("mass_offset")
"""Rear ends and centres of mass of the links along the straight beam, from the tail [m]."""
MIDDLE = float(BEAM.column("mass") @ CENTRES) / BEAM.mass


def _laid(obstacles: list[Peg | Wall], along: Any, across: Any, duration: float) -> xr.Dataset:
    """The straight beam, forces along it and across it on every link [N]; its tail begins at the origin."""
    loads = np.column_stack(np.broadcast_arrays(along, across, np.zeros(4)))
    start = Start(joint_angles=(0.0,) * 3, position=(MIDDLE, 0.0))
    world = World(BEAM, Environment(obstacles=obstacles), _held(link_load=loads), start)
    return stepped(world, duration, tolerance=1e-9, rate=1 / DT).isel(time=-1)


@check(
    expected_from="levers for the pegs; joint torque = moment of all forces in front of it",
    error_is="largest relative error of peg forces and torques",
    tolerance=1e-7,
    reason="the solver stops at 1e-9 g dt; remembered impulses bring rest far closer",
)
def beam_on_two_pegs() -> Measured:
    """A straight chain of uneven links, loaded on every link, rests on two pegs."""
    load, at = np.array([1.0, 2.0, 0.5, 3.0]), np.array([0.07, 0.40])
    run = _laid([Peg(x=x, y=-(RADIUS + 0.05 + CLEARANCE), radius=0.05) for x in at], 0.0, -load, 0.05)
    front = float(load @ (CENTRES - at[0])) / (at[1] - at[0])
    carried, joints = np.array([load.sum() - front, front]), BEGINS[1:, None]
    torque = (load * np.maximum(CENTRES - joints, 0.0)).sum(axis=1)
    torque -= (carried * np.maximum(at - joints, 0.0)).sum(axis=1)
    off = np.abs(run.joint_torque.values - torque).max() / np.abs(torque).max()
    values = {"front_peg_N": run.obstacle_load[1], "expected_N": front, "largest_torque_N_m": torque[0]}
    return Measured(max(relative(run.obstacle_load.values, carried), off), values)


@check(
    expected_from="a = 0, and a = (F − μ N)/m",
    error_is="largest error of the acceleration over the sliding one",
    tolerance=1e-6,
    reason="the solver stops at 1e-9 g dt, in the first step from unknown impulses",
)
def wall_friction() -> Measured:
    """A chain pressed against a rough wall by 8 N sticks at 0.9 μ N and slides at 1.5 μ N."""
    mu, pressing, y = 0.3, 8.0, -RADIUS - CLEARANCE - 0.05
    wall, share = Wall(start=(-1.0, y), end=(2.0, y), thickness=0.1, friction=mu), BEAM.column("mass") / BEAM.mass
    stuck, sliding = (
        float(_laid([wall], push * mu * pressing * share, -pressing * share, 0.2).link_velocity[0, 0]) / 0.2
        for push in (0.9, 1.5)
    )
    expected = 0.5 * mu * pressing / BEAM.mass
    values = {"stuck_m_per_s2": stuck, "sliding_m_per_s2": sliding, "expected_m_per_s2": expected}
    return Measured(max(abs(stuck) / expected, relative(sliding, expected)), values)


@check(
    expected_from="Σ N = m g;  ∫ Σ N dt = m g t + Δp_z",
    error_is="largest relative error",
    tolerance=1e-6,
    reason="the solver's tolerance at rest; the balance itself is exact to round-off",
)
def weight() -> Measured:
    """The ground carries a robot's weight: at rest, and by impulse balance over 3 s of sidewinding."""
    robot, place = aiko(), Environment(ground=Ground(friction=Isotropic(0.3)))
    straight = Steady(Command(joint_angle=np.zeros(robot.n_joints)))
    still = stepped(World(robot, place, straight, SpatialStart()), 0.3, tolerance=1e-6)
    at_rest = float(still.ground_force.values[-1, :, 2].sum())
    gait = Sidewinding(
        yaw_amplitude=-0.5, pitch_amplitude=0.2, angular_frequency=4.0, phase_shift=0.6, pitch_lead=math.pi / 2
    )
    moving = stepped(World(robot, place, gait), 3.0)
    carried = moving.ground_force.values[1:, :, 2].sum(axis=1).mean() * 3.0
    rising = float(robot.column("mass") @ (moving.link_velocity.values[-1] - moving.link_velocity.values[0])[:, 2])
    impulse = robot.mass * G * 3.0
    balance = abs(carried - impulse - rising) / impulse
    values = {"expected_N": robot.mass * G, "at_rest_N": at_rest, "impulse_balance_while_moving_1": balance}
    return Measured(max(relative(at_rest, robot.mass * G), balance), values)
