"""Peg forces of the engine against those of the reduced model, at states that keep their contacts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pushpoint.control.constant_torque import ConstantTorque
from pushpoint.engine.planar.kinematics import directions, link_positions, rigid_velocities
from pushpoint.engine.planar.ranges import link_obstacle_distance
from pushpoint.engine.planar.start import Start
from pushpoint.engine.settings import Settings
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.proof.check import Measured
from pushpoint.reduced import (
    Contacts,
    GroundFriction,
    ReducedRobot,
    ReducedState,
    close,
    contact_terms,
    reduce_robot,
    smooth_terms,
)
from pushpoint.simulation.simulate import simulate
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World

N_CASES, N_LINKS = 20, 8
STEPS = (5e-5, 2.5e-5)
MU, MU_PEG, RADIUS, PEG = 0.3, 0.2, 0.02, 0.03
GROUND = GroundFriction(coefficient=MU)
LOOK = 3
"""The step that is read [-]: the first one sees half of the centripetal terms, the second has to catch up."""


@dataclass(frozen=True)
class SlidingCase:
    """A robot that slides past pegs with all contacts closed and pushing."""

    world: World
    """In the engine's words."""
    force: np.ndarray
    """Of the reduced model, pushing positive [N], shape (n_pegs,)."""


def forces_of_the_reduced_model() -> Measured:
    """Random robots, postures, pegs and torques; the first-order part of the error is taken out by extrapolation."""
    random, cases = np.random.default_rng(8), list[SlidingCase]()
    while len(cases) < N_CASES:
        case = _draw(random)
        cases += [] if case is None else [case]
    coarse, fine = (np.concatenate(_engine_forces(cases, dt)) for dt in STEPS)
    expected = np.concatenate([case.force for case in cases])
    return Measured(
        error=np.abs(2 * fine - coarse - expected).max(),
        values={
            "largest_error_at_0.025_ms_N": np.abs(fine - expected).max(),
            "largest_force_N": expected.max(),
            "number_of_forces_1": len(expected),
        },
    )


def _draw(random: np.random.Generator) -> SlidingCase | None:
    """A case, or None if it does not keep its contacts and slips."""
    robot = random_robot(random)
    model = reduce_robot(robot)
    theta = np.cumsum(random.uniform(-0.6, 0.6, N_LINKS))
    contacts = _contacts(random, robot)
    pegs = _pegs(robot, theta, contacts)
    if pegs is None:
        return None
    state = holding(
        ReducedState(
            center=np.zeros(2), velocity=0.3 * random.normal(size=2), link_angle=theta,
            link_rate=random.normal(size=N_LINKS),
        ),
        model, contacts,
    )  # fmt: skip
    closed = close(model, GROUND, state, contacts)
    wanted = contacts.side * random.uniform(2.0, 20.0, len(pegs))
    torque = np.linalg.lstsq(closed.force_per_torque, wanted - closed.force_free)[0]
    force = contacts.side * closed.contact_force(torque)
    slip = contact_terms(model, state, contacts, smooth_terms(model, GROUND, state)).slip
    speed = rigid_velocities(robot, theta, state.link_rate, state.velocity)
    steady = np.abs(slip).min() > 0.05 and np.linalg.norm(speed, axis=1).min() > 0.05  # nothing comes to rest
    if not steady or np.abs(torque).max() > 50.0 or force.min() < 1.0:
        return None
    start = Start(
        link_angles=tuple(theta),
        velocity=tuple(state.velocity),
        spin=float(state.link_rate[0]),
        joint_rates=tuple(np.diff(state.link_rate)),
    )
    place = Environment(ground=Ground(friction=Isotropic(MU)), obstacles=pegs)
    return SlidingCase(World(robot, place, ConstantTorque(torque=torque), start), force)


def random_robot(random: np.random.Generator) -> PlanarRobot:
    """Links of unequal length and mass, centres of mass off their middles."""
    links = []
    for _ in range(N_LINKS):
        length, mass = random.uniform(0.08, 0.2), random.uniform(0.2, 2.0)
        offset = random.uniform(-0.3, 0.3) * length
        links.append(
            PlanarLink(length=length, mass=mass, inertia=mass * length**2 / 10, radius=RADIUS, mass_offset=offset)
        )
    return PlanarRobot(links=tuple(links))


def _contacts(random: np.random.Generator, robot: PlanarRobot) -> Contacts:
    """One to four links with a peg beside each."""
    count = int(random.integers(1, 5))
    link = np.sort(random.choice(N_LINKS, count, replace=False))
    return Contacts(
        link=link,
        side=random.choice([-1.0, 1.0], count),
        along=random.uniform(-0.3, 0.3, count) * robot.column("length")[link],
        surface=RADIUS,
        standoff=RADIUS + PEG,
        friction=MU_PEG,
    )


def _pegs(robot: PlanarRobot, theta: np.ndarray, contacts: Contacts) -> list[Peg] | None:
    """The pegs where the contacts have them; None if one touches another link too."""
    e = directions(theta)[contacts.link]
    right = np.column_stack((e[:, 1], -e[:, 0])) * np.asarray(contacts.side)[:, None]
    places = link_positions(robot, np.zeros(2), theta)[contacts.link]
    at = places + np.asarray(contacts.along)[:, None] * e + (RADIUS + PEG) * right
    pegs = [Peg(x=x, y=y, radius=PEG, friction=MU_PEG) for x, y in at]
    gap = link_obstacle_distance(robot, pegs, np.zeros(2), theta)
    gap[contacts.link, np.arange(len(pegs))] = np.inf
    return None if gap.min() < 0.005 else pegs


def holding(state: ReducedState, model: ReducedRobot, contacts: Contacts) -> ReducedState:
    """The state with the least change of velocities by which every contact keeps its distance."""
    touch = contact_terms(model, state, contacts, smooth_terms(model, GROUND, state))
    rate = np.concatenate((state.link_rate, state.velocity))
    rate -= np.linalg.lstsq(touch.J, touch.J @ rate)[0]
    return ReducedState(center=state.center, velocity=rate[-2:], link_angle=state.link_angle, link_rate=rate[:-2])


def _engine_forces(cases: list[SlidingCase], dt: float) -> list[np.ndarray]:
    """Normal forces on the pegs in the third step [N], one array per case."""
    run = simulate(
        [replace_rate(case.world, 1 / (LOOK * dt)) for case in cases], duration=LOOK * dt,
        settings=Settings(dt=dt, tolerance=1e-9), record=Record(rate=1 / dt, variables=["obstacle_load"]),
    )  # fmt: skip
    loads = run.obstacle_load.values[:, LOOK]
    return [load[: len(case.force)] for load, case in zip(loads, cases, strict=True)]


def replace_rate(world: World, rate: float) -> World:
    """The same world with a controller that acts this often [Hz]: its period must be a whole number of steps."""
    torque = world.controller.torque
    return World(world.robot, world.environment, ConstantTorque(torque=torque, rate=rate), world.start)
