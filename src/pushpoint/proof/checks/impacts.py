"""Impacts, by Newton's law of restitution, and rest: who carries what.

Planar robots are held straight by motors that allow no bend: rigid bodies of mass m and moment of inertia I. The free
way is such that the midpoint of a step finds the peg just touched, so that no overlap has to be pushed out afterwards.
"""

from __future__ import annotations

import numpy as np
import xarray as xr

from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.gaits import Sidewinding
from pushpoint.model.catalogue import aiko
from pushpoint.model.environment import Environment, Ground, Peg, Wall
from pushpoint.model.friction import Isotropic
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.proof.check import Measured, MujocoCase, Plot, checks_of, curve
from pushpoint.proof.checks import mujoco_cases
from pushpoint.proof.checks.bodies import BLOCK, ROUND, G, Steady, four_uneven_links, lie, relative, slide_on
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record

check = checks_of("closed forms")

DT = 1e-3
SPEED = 0.4
LINK = PlanarLink(length=0.2, mass=0.5, inertia=2e-3, radius=0.03)
BAR = PlanarRobot.uniform(3, LINK)
INERTIA = 3 * LINK.inertia + 2 * LINK.mass * LINK.length**2
WAY = SPEED * DT * 10.5 - 5e-7
RESTITUTIONS = (0.0, 0.3, 0.7, 1.0)
DROP_SPEED = 1.0


def _hit(restitution: float, at: float, *, friction: float = 0.0, slip: float = 0.0) -> xr.Dataset:
    """A straight bar falls on a peg under its axis point `at` [m] with SPEED, sliding forward with `slip`."""
    peg = Peg(
        x=at + slip * DT * 10.5, y=-(LINK.radius + 0.05 + WAY), radius=0.05, restitution=restitution, friction=friction
    )
    return simulate(
        BAR, Environment(obstacles=[peg]), Steady(Command(prescribed=True)),
        start=Start(joint_angles=(0.0, 0.0), velocity=(slip, -SPEED)), duration=0.012,
        settings=Settings(dt=DT, tolerance=1e-9), record=Record(rate=1 / DT),
    )  # fmt: skip


@check(
    "impact-central",
    expected_from="v⁺ = e v, impulse (1 + e) m v",
    error_is="largest error of the speed over v, and of the impulse, relative",
    tolerance=1e-6,
    reason="the solver stops at 1e-9 g dt, 3e-11 of the speed, and some such errors add up",
)
def broadside() -> Measured:
    """A bar hits a peg through its centre of mass, e = 0, 0.3, 0.7 and 1."""
    worst = 0.0
    for e in RESTITUTIONS:
        run = _hit(e, 0.0)
        after = run.link_velocity.values[11, :, 1]
        impulse = float(run.obstacle_load.sum()) * DT
        worst = max(
            worst, float(np.abs(after - e * SPEED).max()) / SPEED, relative(impulse, (1 + e) * BAR.mass * SPEED)
        )
    return Measured(error=worst, values={"impulse_at_e_=_1_N_s": impulse, "expected_N_s": 2 * BAR.mass * SPEED})


@check(
    "impact-off-centre",
    expected_from="P (1/m + d²/I) = (1 + e) v, ω = P d/I",
    error_is="largest relative error of ω and of the speed",
    tolerance=1e-6,
    reason="the solver stops at 1e-9 g dt, 3e-11 of the speed, and some such errors add up",
)
def hit_off_centre() -> Measured:
    """A bar hits a peg 0.17 m from its centre of mass and turns away."""
    d, worst = 0.17, 0.0
    for e in RESTITUTIONS:
        run = _hit(e, d)
        P = (1 + e) * SPEED / (1 / BAR.mass + d**2 / INERTIA)
        worst = max(
            worst,
            relative(run.link_angular_velocity.values[11], P * d / INERTIA),
            relative(run.link_velocity.values[11, 1, 1], P / BAR.mass - SPEED),
        )
    return Measured(error=worst, values={"impulse_at_e_=_1_N_s": P})


@check(
    "impact-rough",
    expected_from="v_t⁺ = v_t − μ (1 + e) v_n",
    error_is="largest relative error of the tangential speed",
    tolerance=1e-6,
    reason="the solver stops at 1e-9 g dt, 3e-11 of the speed, and some such errors add up",
)
def rough() -> Measured:
    """A bar that slides along hits a rough peg and is braked by the hit."""
    mu, slip, worst = 0.2, 0.5, 0.0
    for e in RESTITUTIONS:
        run = _hit(e, 0.0, friction=mu, slip=slip)
        expected = slip - mu * (1 + e) * SPEED
        worst = max(worst, relative(run.link_velocity.values[11, 1, 0], expected))
    return Measured(error=worst, values={"speed_at_e_=_1_m_per_s": expected})


@check(
    "restitution-drop",
    expected_from="v⁺ = e v⁻ (Newton)",
    error_is="largest error of the ratio of the speeds",
    tolerance=1e-6,
    reason="the solver's tolerance, 1e-6 g dt, over 1 m/s",
    peer=MujocoCase(
        measure=lambda mujoco: abs(mujoco_cases.rebound(mujoco, 0.5, DROP_SPEED) - 0.5),
        note=f"at e = 0.5, by the damping ratio that a linear spring needs for it; {mujoco_cases.DEFAULTS}",
    ),
)
def drop_on_the_ground() -> Measured:
    """A block and a capsule fall on the ground with 1 m/s and rebound, e = 0 to 1."""
    coefficients = np.array([0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
    found = np.array([[_drop_ratio(robot, float(e)) for e in coefficients] for robot in (BLOCK, ROUND)])
    plot = Plot(
        title="Rebound of a dropped body",
        x_label="restitution coefficient [-]",
        y_label="speed after over speed before [-]",
        curves=(
            curve("e", coefficients, coefficients, expected=True),
            curve("block", coefficients, found[0]),
            curve("capsule", coefficients, found[1]),
        ),
    )
    return Measured(error=np.abs(found - coefficients).max(), values={"ratio_at_e_=_0.5_1": found[0, 3]}, plot=plot)


def _drop_ratio(robot: SpatialRobot, restitution: float) -> float:
    """Speed just after the hit over that just before [-]."""
    ground = Ground(friction=Isotropic(0.3), restitution=restitution)
    run = slide_on(robot, ground, lie(robot, ground, gap=DROP_SPEED**2 / (2 * 9.81)), DROP_SPEED / 9.81 + 0.01)
    v = run.link_velocity.values[:, 0, 2]
    hit = int(np.argmax(np.diff(v) > 0.0))
    return float(v[hit + 1] / -v[hit])


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
