"""What a step must satisfy whatever its solution: the balance of momentum and the law of every contact.

Lying flat, a chain is carried by more contacts than it needs (rank 12 of 22 for Aiko), so that impulses and with
friction even velocities are not unique. Here the engine's own impulses and velocities are put into the dense matrices
of `oracles.spatial_dense` and into the Euclidean projections of `oracles.cones`, which share nothing with the solver.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from oracles.cones import cone_residual, coulomb_residual, project_ellipse, semi_axes, unilateral_residual
from oracles.engine import stepper_at_start
from oracles.spatial.dense import DenseRobot
from oracles.spatial.engine import (
    Contact,
    contacts,
    joined,
    midpoint,
    motor_impulses,
    smooth_impulses,
    stepper_in,
    way_of,
)  # fmt: skip
from oracles.spatial.pose import Array
from oracles.spatial.states import mixed_robot
from oracles.spatial.step import arc_speeds, ground_normal
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.engine.spatial.start import SpatialStart
from pushpoint.engine.state import SpatialState
from pushpoint.engine.stepper import Stepper
from pushpoint.model.catalogue import aiko
from pushpoint.model.environment import Environment, Ground
from pushpoint.model.friction import Elliptic, FrictionLaw, Frictionless, Isotropic, Rectangular, Skin, Viscous
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.papers.registry import scenario
from pushpoint.worlds.world import World

DT = 1e-3
G = 9.81
N_WORLDS = 40
TIGHT = Settings(tolerance=1e-6)  # below that contacts that are redundant and not quite level take long to solve
CREEP = TIGHT.tolerance * G * DT  # m/s: how far a law may be missed, as a velocity
ROUND_OFF = 1e-10  # N s: of velocities of 1 m/s, 2e-16, times lines of up to 1e4 kg, summed over some ten contacts
VELOCITY_SCALE = 1e-3  # m/s: slip counts in full from a third of what friction 0.3 takes away in one step

ROBOTS = {
    "six links of Aiko": SpatialRobot(links=aiko(0.022).links[:6], joints=aiko(0.022).chain[:5]),
    "mixed joints, square link": mixed_robot(),
}
LAWS: dict[str, FrictionLaw] = {
    "none": Frictionless(),
    "disc": Isotropic(0.3),
    "slippery disc": Isotropic(1e-3),
    "ellipse": Elliptic(along=0.1, across=0.5),
    "ellipse, directional": Elliptic(along=0.1, across=0.5, flow="directional"),
    "ellipse, free along": Elliptic(along=0.0, across=0.5),
    "ellipse, free along, directional": Elliptic(along=0.0, across=0.5, flow="directional"),
    "ellipse, free across": Elliptic(along=0.3, across=0.0),
    "skin": Skin(forward=0.1, backward=0.3, across=0.5),
    "skin, directional": Skin(forward=0.1, backward=0.3, across=0.5, flow="directional"),
    "rectangle": Rectangular(along=0.1, across=0.5),
    "viscous": Viscous(along=1.0, across=5.0),
}


@dataclass(frozen=True, kw_only=True)
class Step:
    """One world's last step in dense words: rows are contacts, columns normal, along, across, rolling (2), spin."""

    contacts: list[Contact]
    laws: list[FrictionLaw]
    P: Array
    gamma: Array
    gamma_before: Array
    gap: Array
    unbalanced: Array
    """Of the generalised momenta [N s], [N m s], shape (6 + n_joints,)."""


def steps(stepper: Stepper, dense: DenseRobot, ground: Ground, before: SpatialState) -> Iterator[Step]:
    """The last step of every world that reached the tolerance, as the dense oracle sees it."""
    after, motors, everything = stepper.state(), motor_impulses(stepper), contacts(stepper)
    first = np.cumsum([0, *(len(link.spheres) for link in dense.robot.links)])
    for w in np.flatnonzero(stepper.totals("unconverged") == 0):
        mine = [contact for contact in everything if contact.world == w]
        which = [int(first[contact.link] + contact.feature) for contact in mine]
        mid = midpoint(dense, before, w, DT)
        u, u_E = (np.hstack([state.v[w], state.omega[w]]).ravel() for state in (before, after))
        W = dense.contact_jacobian(mid, which, ground_normal(ground))
        radius = np.array([dense.spheres[k].radius for k in which]).reshape(-1, 1)
        P, Q = np.array([c.P for c in mine]).reshape(-1, 3), np.array([c.Q for c in mine]).reshape(-1, 3)
        # Rolling impulses P_V act as the torque r (P_V along x normal + P_V across x normal): (33) to (36).
        P = np.hstack([P, np.stack([-Q[:, 2], Q[:, 1]], axis=1) / radius, Q[:, :1]])
        smooth = smooth_impulses(dense, before, w, DT, ground.gravity).ravel()
        push = dense.mass_matrix @ (u_E - u) - smooth - W @ P.ravel()
        unbalanced = dense.chain_jacobian(mid).T @ push
        unbalanced[6:] -= motors[w]
        laws = ground.laws(dense.n_links)
        # Velocities are those of the end of the step: by then the spheres have gone on round the centres of mass.
        omega, rate = way_of(stepper, dense, mid, w)
        way = dense.velocities(mid, np.zeros(3), omega, rate)[:, 3:]
        arcs, arcs_before = (
            arc_speeds(dense, mid, turning, tuple(which), ground_normal(ground), DT)
            for turning in (way, before.omega[w])
        )
        yield Step(
            contacts=mine,
            laws=[laws[contact.link] for contact in mine],
            P=P,
            gamma=(W.T @ u_E).reshape(-1, 6) + arcs,
            gamma_before=(W.T @ u).reshape(-1, 6) - arcs_before,
            gap=dense.contact_gaps(mid, ground_normal(ground))[which],
            unbalanced=unbalanced,
        )


@cache
def lying_states(robot: SpatialRobot, count: int) -> tuple[list[dict], Array]:
    """Bent bodies that lie flat with speeds from 1e-6 to 1 m/s and references off by 1e-5 to 0.1 rad."""
    random = np.random.default_rng(3)
    yaw = np.array([axis.name == "yaw" for axis in robot.axes])
    starts, references = [], []
    for _ in range(count):
        angles = np.where(yaw, random.uniform(-0.6, 0.6, robot.n_joints), 0.0)
        size = 10.0 ** random.uniform(-6, 0)
        start = SpatialStart(
            joint_angles=angles,
            heading=random.uniform(-3, 3),
            position=(0.0, 0.0),
            velocity=size * random.normal(size=3) * [1, 1, 0.1],
            angular_velocity=size * random.normal(size=3) * [3, 0.3, 3],
            joint_rates=size * 3 * random.normal(size=robot.n_joints) * np.where(yaw, 1.0, 0.3),
        )
        starts.append(start.pose(robot, Environment()))
        references.append(angles + 10.0 ** random.uniform(-5, -1) * random.normal(size=robot.n_joints))
    return starts, np.array(references)


def step_lying(
    robot: SpatialRobot, ground: Ground, settings: Settings = TIGHT, count: int = 3
) -> tuple[Stepper, SpatialState]:
    """A stepper after some steps of lying robots, and its state before the last one."""
    starts, references = lying_states(robot, N_WORLDS)
    stepper = stepper_in(robot, Environment(ground=ground), starts, settings)
    stepper.use_command(Command(joint_angle=references), count)
    stepper.advance(count - 1)
    before = stepper.state()
    stepper.use_command(Command(joint_angle=references), 1)
    stepper.advance(1)
    return stepper, before


def friction_tolerance(law: FrictionLaw, normal: Array, mass: Array) -> Array:
    """Largest residual [N s] of contacts with these normal impulses on links of these masses.

    One that creeps at CREEP instead of sticking counts with mu N CREEP/VELOCITY_SCALE. With associated slip the solver
    works in coordinates in which the set is a disc, and so sees creep along an axis times (coefficient/largest)^2:
    hence the ratio. Slipping leaves at most an impulse m CREEP.
    """
    axes = [axis for axis in semi_axes(law) if axis > 0.0]
    plain = isinstance(law, Rectangular) or getattr(law, "flow", "") == "directional"
    ratio = 1.0 if plain else max(axes) / min(axes)
    return 1.1 * CREEP * (max(axes) * np.maximum(normal, 0.0) / VELOCITY_SCALE * ratio**2 + mass)


def check_normals(found: Step, mass: Array) -> None:
    """Signorini's law toward the aim, and an aim that is nothing but a slow way out of penetration."""
    aim = np.array([contact.target for contact in found.contacts])
    residual = unilateral_residual(found.P[:, 0], found.gamma[:, 0] - aim, scale=1.0)
    assert (residual < 1.1 * CREEP * np.maximum(mass, 1.0)).all()
    assert (found.gap <= 1e-6 + 1e-12).all()  # m: from where on a contact is closed, and round-off
    impact = found.gamma_before[:, 0] < -1e-3 - 1e-12  # m/s: what is an impact, without restitution here
    most = np.where(impact, 0.0, 0.1 / DT * np.maximum(-found.gap - 1e-6, 0.0))
    assert (aim >= 0.0).all() and (aim <= most + 1e-12).all()  # round-off


PAIRS = [(name, robot) for name in LAWS for robot in ROBOTS if name != "viscous" or robot == "six links of Aiko"]


@pytest.mark.parametrize(("name", "robot"), PAIRS)
def test_lying_robots(name: str, robot: str) -> None:
    law, dense = LAWS[name], DenseRobot.of(ROBOTS[robot])
    ground = Ground(friction=law)
    stepper, before = step_lying(dense.robot, ground)
    seen = list(steps(stepper, dense, ground, before))
    assert len(seen) > 0.8 * N_WORLDS
    slip = []
    for found in seen:
        assert np.abs(found.unbalanced).max() < ROUND_OFF
        mass = np.array([dense.robot.links[contact.link].mass for contact in found.contacts])
        check_normals(found, mass)
        P_T, gamma, P_N = found.P[:, 1:3], found.gamma[:, 1:3], found.P[:, 0]
        slip.append(np.hypot(*gamma.T))
        if isinstance(law, Viscous):
            drag = -DT * gamma * [law.along, law.across] / 2  # for the whole link, which has two spheres
            np.testing.assert_allclose(P_T, drag, atol=1e-15)  # round-off; whatever the load
        elif isinstance(law, Frictionless):
            np.testing.assert_array_equal(P_T, 0.0)
        else:
            residual = cone_residual(law, P_T, gamma, P_N, velocity_scale=VELOCITY_SCALE)
            assert (residual < friction_tolerance(law, P_N, mass)).all()
    speed = np.concatenate(slip)
    assert (speed > VELOCITY_SCALE).mean() > 0.1  # slipping contacts are among them
    if name in ("disc", "ellipse", "skin", "rectangle", "ellipse, directional", "skin, directional"):
        assert (speed < 30 * CREEP).mean() > 0.1  # and sticking ones


def test_rolling_and_spin() -> None:
    dense = DenseRobot.of(ROBOTS["six links of Aiko"])
    ground = Ground(friction=Isotropic(0.3), rolling=0.05, spin=2e-3)
    stepper, before = step_lying(dense.robot, ground)
    seen = list(steps(stepper, dense, ground, before))
    assert len(seen) > 0.8 * N_WORLDS
    scale, radius, speed = 0.02, dense.robot.links[0].radius, []  # rad/s
    for found in seen:
        assert np.abs(found.unbalanced).max() < ROUND_OFF
        P_N = np.maximum(found.P[:, 0], 0.0)
        # The solver measures turning by the smallest inertia I: off by CREEP/r [rad/s], or by I CREEP/r in impulses.
        most = 1.1 * CREEP / radius * (P_N / scale + 2.35e-4 / ground.spin) * ground.spin
        residual = coulomb_residual(found.P[:, 5], found.gamma[:, 5], ground.spin * P_N, velocity_scale=scale)
        assert (residual < most).all()
        for p, v, N in zip(found.P[:, 3:5], found.gamma[:, 3:5], P_N, strict=True):
            step = ground.rolling * N / max(float(np.hypot(*v)), scale * radius)
            missed = np.hypot(*(p - project_ellipse(p - step * v, ground.rolling * N, ground.rolling * N)))
            assert missed < 1.1 * CREEP / radius * (ground.rolling * N / scale + 2.35e-4 / radius)
        speed.append(np.abs(found.gamma[:, 5]))
    turning = np.concatenate(speed)
    assert (turning > scale).mean() > 0.1 and (turning < 30 * CREEP / radius).mean() > 0.1


def test_links_may_rub_differently() -> None:
    robot = ROBOTS["six links of Aiko"]
    laws = (LAWS["disc"], LAWS["skin"], LAWS["rectangle"], LAWS["ellipse, directional"], LAWS["viscous"], LAWS["none"])
    ground, dense = Ground(friction=laws), DenseRobot.of(robot)
    stepper, before = step_lying(robot, ground)
    seen = list(steps(stepper, dense, ground, before))
    assert len(seen) > 0.8 * N_WORLDS
    touched = set()
    for found in seen:
        assert np.abs(found.unbalanced).max() < ROUND_OFF
        for k, (contact, law) in enumerate(zip(found.contacts, found.laws, strict=True)):
            touched.add(contact.link)
            P_N, P_T, gamma = found.P[k, 0], found.P[k, 1:3], found.gamma[k, 1:3]
            if isinstance(law, Viscous):
                np.testing.assert_allclose(P_T, -DT * gamma * [0.5, 2.5], atol=1e-15)  # round-off; whatever the load
            elif isinstance(law, Frictionless):
                np.testing.assert_array_equal(P_T, 0.0)
            else:
                mass = np.array(robot.links[contact.link].mass)
                residual = cone_residual(law, P_T, gamma, P_N, velocity_scale=VELOCITY_SCALE)
                assert residual < friction_tolerance(law, np.array(P_N), mass)
    assert touched == set(range(6))


def test_default_tolerance_is_reached() -> None:
    missed, done = 0.0, 0
    for robot in (*ROBOTS.values(), aiko()):
        for law in LAWS.values():
            stepper, _ = step_lying(robot, Ground(friction=law), Settings())
            missed += float(stepper.totals("unconverged").sum())
            done += 3 * N_WORLDS
    assert missed < 0.002 * done  # required


# On the way of the paper's gaits


@pytest.mark.parametrize("name", ["sidewinding", "lateral-undulation-orthotropic", "lateral-undulation-isotropic"])
def test_recorded_states(name: str) -> None:
    scene = scenario(f"transeth2008b/{name}")
    world = World(scene.world.robot, scene.world.environment, scene.world.controller, scene.world.start)
    source = stepper_at_start([world], Settings())
    recorded = []
    for _ in range(N_WORLDS):
        source.advance(53)  # prime, so that no rhythm of the gait is met
        recorded.append(source.state())
    # States that were made with the default tolerance are only so level: 1e-5 is what their contacts can be solved to.
    settings = Settings(tolerance=1e-5)
    stepper = stepper_in(scene.world.robot, scene.world.environment, [world.pose()] * N_WORLDS, settings)
    stepper.use_waves([scene.world.controller.wave(scene.world.robot)] * N_WORLDS, [False] * N_WORLDS)
    before = joined(recorded)
    stepper.load(before)
    stepper.advance(1)
    dense, ground, creep = DenseRobot.of(scene.world.robot), scene.world.environment.ground, 10 * CREEP
    seen = list(steps(stepper, dense, ground, before))
    assert len(seen) == N_WORLDS
    for found in seen:
        assert np.abs(found.unbalanced).max() < ROUND_OFF
        aim = np.array([contact.target for contact in found.contacts])
        mass, P_N = scene.world.robot.links[0].mass, found.P[:, 0]
        assert (unilateral_residual(P_N, found.gamma[:, 0] - aim, scale=mass) < 1.1 * creep * mass).all()
        residual = cone_residual(
            found.laws[0], found.P[:, 1:3], found.gamma[:, 1:3], P_N, velocity_scale=VELOCITY_SCALE
        )
        assert (residual < 10 * friction_tolerance(found.laws[0], P_N, np.array(mass))).all()
