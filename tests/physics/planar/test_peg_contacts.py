"""Signorini's and Coulomb's laws at pegs, on random contacts, judged without the solver's own maps."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.cones import coulomb_residual, unilateral_residual
from oracles.engine import Contact, contacts, stepper_in_poses
from oracles.robots import uneven_robot
from pushpoint.engine.planar.kinematics import rear_joints, rigid_velocities, to_mass
from pushpoint.engine.settings import Settings
from pushpoint.engine.state import State
from pushpoint.engine.stepper import Stepper
from pushpoint.model.environment import Environment, Ground, Peg
from pushpoint.model.friction import Isotropic
from pushpoint.model.motor import Motor

ROBOT = uneven_robot(Motor(stiffness=5.0, damping=0.05))
LENGTH = ROBOT.column("length")
DT = 1e-3
N_WORLDS = 200
SETTINGS = Settings(dt=DT, tolerance=1e-8)
CREEP = SETTINGS.tolerance * 9.81 * DT  # m/s: how far a law may be missed, as a velocity


def random_world(random: np.random.Generator, friction: float, restitution: float) -> tuple[list[Peg], dict]:
    """A bent robot with up to three pegs pressed 0 to 0.1 mm into sides of its links, and velocities of any size."""
    theta = random.uniform(-np.pi, np.pi) + np.concatenate(([0.0], np.cumsum(random.uniform(-1.0, 1.0, 3))))
    omega = 10.0 ** random.uniform(-4, 0) * random.normal(size=4)
    v = rigid_velocities(ROBOT, theta, omega, 10.0 ** random.uniform(-4, 0) * random.normal(size=2))
    rear = rear_joints(ROBOT, np.zeros(2), theta)
    forward = np.stack((np.cos(theta), np.sin(theta)), axis=-1)
    pegs: list[Peg] = []
    # One peg per link and clear of its neighbours: no robot is squeezed between pegs that leave it no way out.
    links = list(random.choice(4, random.integers(1, 4), replace=False))
    while links:
        i, radius = links[0], random.uniform(0.01, 0.06)
        left = np.array([-forward[i, 1], forward[i, 0]]) * random.choice([-1.0, 1.0])
        axis_point = rear[i] + random.uniform(0.1, 0.9) * LENGTH[i] * forward[i]
        centre = axis_point + (0.02 + radius - random.uniform(0.0, 1e-4)) * left
        along = np.clip(((centre - rear) * forward).sum(axis=1), 0.0, LENGTH)[:, None]
        distance = np.linalg.norm(rear + along * forward - centre, axis=1) - 0.02 - radius
        if np.delete(distance, i).min() > 1e-3:
            links.pop(0)
            pegs.append(Peg(x=centre[0], y=centre[1], radius=radius, friction=friction, restitution=restitution))
    return pegs, {"center": np.zeros(2), "theta": theta, "v": v, "omega": omega}


def collide(friction: float, restitution: float, ground: float) -> tuple[Stepper, State, State, list[Peg]]:
    random = np.random.default_rng(5)
    made = [random_world(random, friction, restitution) for _ in range(N_WORLDS)]
    environments = [Environment(ground=Ground(friction=Isotropic(ground)), obstacles=pegs) for pegs, _ in made]
    stepper = stepper_in_poses([ROBOT] * N_WORLDS, environments, [pose for _, pose in made], SETTINGS)
    before = stepper.state()
    stepper.advance(1)
    return stepper, before, stepper.state(), [peg for pegs, _ in made for peg in pegs]


def normal_and_slip(contact: Contact, state: State, inward: float) -> np.ndarray:
    """(normal, tangential) velocity of the touching point, from the velocity of the link's centre of mass [m/s].

    It goes round the centre of mass: at the end of the step it has turned on for half a step, which adds
    -dt/2 w^2 r = -inward r; when the last step ended it was half a step behind.
    """
    w, i = contact.world, contact.link
    e, n = np.array([np.cos(contact.angle), np.sin(contact.angle)]), contact.W_N[:2]
    arc = -inward * (contact.to_axis - to_mass(ROBOT)[i]) * e
    left = np.array([-np.sin(contact.angle), np.cos(contact.angle)])
    rear = state.v[w, i] - state.omega[w, i] * to_mass(ROBOT)[i] * left
    twist = np.array([*rear, state.omega[w, i]])
    return np.array([contact.W_N @ twist + n @ arc, contact.W_T @ twist + contact.W_T[:2] @ arc])


@pytest.mark.parametrize("ground", [0.0, 0.3])
@pytest.mark.parametrize("restitution", [0.0, 0.6])
@pytest.mark.parametrize("friction", [0.0, 0.3, 1.0])
def test_laws_hold_on_random_contacts(friction: float, restitution: float, ground: float) -> None:
    stepper, before, after, pegs = collide(friction, restitution, ground)
    unconverged = stepper.totals("unconverged")
    assert (unconverged > 0).mean() < 0.05  # far below the default tolerance a few postures stay out of reach
    found = [contact for contact in contacts(stepper) if unconverged[contact.world] == 0]
    P = np.array([contact.P for contact in found])
    gamma = np.array([normal_and_slip(contact, after, contact.inward) for contact in found])
    turned = [DT / 2 * before.omega[contact.world, contact.link] ** 2 for contact in found]
    came = np.array([normal_and_slip(c, before, -back)[0] for c, back in zip(found, turned, strict=True)])
    target = np.array([contact.target for contact in found])
    mass = np.array([ROBOT.links[contact.link].mass for contact in found])

    bouncing = (came < -1e-3) & (restitution > 0.0)
    given = target[bouncing] / (-restitution * came[bouncing])  # of Newton's law
    whole = np.isclose(given, 1.0, rtol=1e-9)  # round-off
    # With friction some would add energy: the bounces of such a step are halved until they do not.
    assert (~whole).sum() <= (0.0 if friction == 0.0 else 0.1 * whole.size)
    np.testing.assert_allclose(np.log2(given[~whole & (given > 0.0)]) % 1.0, 0.0, atol=1e-9)
    assert (given < 1.0 + 1e-9).all()
    deepest = 1e-4 + 0.6 * DT * np.maximum(-came[~bouncing], 0.0)  # overlap at the midpoint, a curved way allowed for
    assert (target[~bouncing] >= 0.0).all() and (target[~bouncing] <= 0.1 * deepest / DT).all()  # at most 10 % per step
    signorini = unilateral_residual(P[:, 0], gamma[:, 0] - target, scale=mass)
    assert float((signorini / mass).max()) < 1.1 * CREEP  # the solver's own limit
    assert float((-P[:, 0] / mass).max()) < 1.1 * CREEP  # pegs do not pull
    coulomb = coulomb_residual(P[:, 1], gamma[:, 1], friction * P[:, 0], velocity_scale=1e-3)
    most = np.maximum(friction * P[:, 0], mass * 1e-3)
    assert float((coulomb / most).max()) < 1.1 * CREEP / 1e-3
    assert (P[:, 0] > 0).mean() > 0.3 and (P[:, 0] <= 0).mean() > 0.1  # pressing and parting contacts are among them
    assert len(pegs) > N_WORLDS


def test_default_tolerance_is_reached() -> None:
    random = np.random.default_rng(6)
    made = [random_world(random, 0.5, 0.3) for _ in range(N_WORLDS)]
    environments = [Environment(ground=Ground(friction=Isotropic(0.3)), obstacles=pegs) for pegs, _ in made]
    stepper = stepper_in_poses([ROBOT] * N_WORLDS, environments, [pose for _, pose in made], Settings(dt=DT))
    stepper.advance(5)
    assert stepper.totals("unconverged").sum() == 0
