"""The time-stepping engine against the reduced model: peg forces at states that keep their contacts, as dt -> 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oracles.engine import contacts as engine_contacts, stepper_in_poses
from pushpoint.engine.planar.kinematics import link_positions, rigid_velocities
from pushpoint.engine.planar.ranges import link_obstacle_distance
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.proof.checks.agreement import GROUND, MU, MU_PEG, N_LINKS, PEG, RADIUS, holding, random_robot
from pushpoint.reduced import Contacts, ReducedState, close, contact_terms, reduce_robot, smooth_terms

N_WORLDS = 60
STEPS = (4e-4, 2e-4, 1e-4, 5e-5, 2.5e-5)
PRESS = 1e-9  # m: pegs stand this much too near, so that the contact is closed at every time step


@dataclass(frozen=True)
class Case:
    """A robot that slides past pegs with all contacts closed and pushing, and what the reduced model says of it."""

    robot: PlanarRobot
    pegs: list[Peg]
    pose: dict
    torque: np.ndarray
    state: ReducedState
    contacts: Contacts
    force: np.ndarray
    """Of the reduced model, pushing positive [N]."""


def random_case(rng: np.random.Generator) -> Case | None:
    robot = random_robot(rng)
    model = reduce_robot(robot)
    theta = np.cumsum(rng.uniform(-0.6, 0.6, N_LINKS))
    count = int(rng.integers(1, 5))
    link = np.sort(rng.choice(N_LINKS, count, replace=False))
    contacts = Contacts(
        link=link,
        side=rng.choice([-1.0, 1.0], count),
        along=rng.uniform(-0.3, 0.3, count) * robot.column("length")[link],
        surface=RADIUS,
        standoff=RADIUS + PEG,
        friction=MU_PEG,
    )
    e = np.column_stack((np.cos(theta), np.sin(theta)))[link]
    right = np.column_stack((e[:, 1], -e[:, 0])) * contacts.side[:, None]
    at = link_positions(robot, np.zeros(2), theta)[link] + contacts.along[:, None] * e + (RADIUS + PEG - PRESS) * right
    pegs = [Peg(x=x, y=y, radius=PEG, friction=MU_PEG) for x, y in at]
    gap = link_obstacle_distance(robot, pegs, np.zeros(2), theta)
    gap[link, np.arange(count)] = np.inf
    if gap.min() < 0.005:
        return None  # a peg touches another link too
    state = holding(ReducedState(
        center=np.zeros(2), velocity=0.3 * rng.normal(size=2), link_angle=theta, link_rate=rng.normal(size=N_LINKS)
    ), model, contacts)  # fmt: skip
    closed = close(model, GROUND, state, contacts)
    wanted = contacts.side * rng.uniform(2.0, 20.0, count)
    torque = np.linalg.lstsq(closed.force_per_torque, wanted - closed.force_free)[0]
    force = closed.contact_force(torque)
    slip = contact_terms(model, state, contacts, smooth_terms(model, GROUND, state)).slip
    speed = rigid_velocities(robot, theta, state.link_rate, state.velocity)
    steady = np.abs(slip).min() > 0.05 and np.linalg.norm(speed, axis=1).min() > 0.05  # nothing comes to rest
    if not steady or np.abs(torque).max() > 50.0 or (contacts.side * force).min() < 1.0:
        return None
    pose = {"center": np.zeros(2), "theta": theta, "v": speed, "omega": state.link_rate}
    return Case(robot, pegs, pose, torque, state, contacts, contacts.side * force)


def engine_forces(cases: list[Case], dt: float) -> list[np.ndarray]:
    """Normal forces of the third step [N].

    The scheme takes directions at midpoints. From the start, where velocities hold the contacts, to the first midpoint
    they turn by half of what they turn from one midpoint to the next. The first step therefore sees half of the
    centripetal terms, and may let a contact go that the second one has to catch.
    """
    environments = [Environment(ground=Ground(friction=Isotropic(MU)), obstacles=case.pegs) for case in cases]
    settings = Settings(dt=dt, tolerance=1e-9)
    stepper = stepper_in_poses([case.robot for case in cases], environments, [case.pose for case in cases], settings)
    stepper.use_command(Command(joint_torque=np.stack([case.torque for case in cases])), 3)
    stepper.advance(3)
    found = [np.zeros(len(case.pegs)) for case in cases]
    first = np.cumsum([0, *(len(case.pegs) for case in cases)])
    for contact in engine_contacts(stepper):
        peg = contact.peg - first[contact.world]
        assert cases[contact.world].contacts.link[peg] == contact.link
        found[contact.world][peg] = contact.P[0] / dt
    return found


def random_cases(count: int) -> list[Case]:
    rng = np.random.default_rng(34)
    cases: list[Case] = []
    while len(cases) < count:
        case = random_case(rng)
        cases += [] if case is None else [case]
    return cases


def test_peg_forces_of_the_engine_tend_to_those_of_the_reduced_model() -> None:
    cases = random_cases(N_WORLDS)
    assert sum(len(case.pegs) for case in cases) > 2 * N_WORLDS  # several pegs each, off centre, rough
    worst = []
    for dt in STEPS:
        pairs = zip(engine_forces(cases, dt), cases, strict=True)
        worst.append([np.abs(found - case.force).max() for found, case in pairs])
    order = np.log2(np.array(worst)[:-1] / np.array(worst)[1:])  # per halving of the time step, (n_steps - 1, n_worlds)
    assert np.abs(order[-1] - 1.0).max() < 0.1  # first order in every world, as a force read within a step must be
    assert np.median(worst[-1]) < 0.02  # N, of forces of 1 to 20 N
    extrapolated = 2.0 * np.array(worst[-1]) - np.array(worst[-2])  # what is left when the first-order part is gone
    assert np.abs(extrapolated).max() < 0.02  # N: nothing


def test_a_wrong_model_is_told_apart() -> None:
    # The same comparison with (32) and K_l as Holden2014 prints them: no time step makes up for the difference.
    cases = random_cases(20)
    found = engine_forces(cases, STEPS[-1])
    off = []
    for case, force in zip(cases, found, strict=True):
        model = reduce_robot(case.robot, paper_table=True)
        closed = close(model, GROUND, case.state, case.contacts, most_parting=np.inf)
        off.append(np.abs(case.contacts.side * closed.contact_force(case.torque) - force).max())
    assert np.median(off) > 0.5  # N
