"""The reduced model against Newton and Euler for every link, joint and contact, and against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.newton_euler import Touch, link_motion, solve
from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.errors import InvalidModel
from pushpoint.model.environment import Ground
from pushpoint.model.friction import Elliptic, Frictionless, Isotropic, Viscous
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot, Support
from pushpoint.reduced import (
    Contacts,
    GroundFriction,
    ReducedState,
    centrifugal_matrix,
    close,
    closed_dynamics,
    contact_terms,
    force_relation,
    reduce_robot,
    smooth_terms,
)

GROUND = GroundFriction(coefficient=0.3, viscous_along=0.2, viscous_across=0.5, spin=0.01, spin_viscous=0.1)


def random_robot(rng: np.random.Generator, n: int) -> PlanarRobot:
    links = []
    for _ in range(n):
        length, mass = rng.uniform(0.05, 0.2), rng.uniform(0.2, 2.0)
        inertia = mass * length**2 * rng.uniform(0.05, 0.15)
        offset = rng.uniform(-0.3, 0.3) * length
        links.append(
            PlanarLink(length=length, mass=mass, inertia=inertia, radius=rng.uniform(0.01, 0.05), mass_offset=offset)
        )
    return PlanarRobot(links=tuple(links))


def random_state(rng: np.random.Generator, n: int) -> ReducedState:
    return ReducedState(
        center=rng.normal(size=2),
        velocity=0.3 * rng.normal(size=2),
        link_angle=np.cumsum(rng.uniform(-0.8, 0.8, n)),
        link_rate=rng.normal(size=n),
    )


def random_contacts(rng: np.random.Generator, robot: PlanarRobot) -> Contacts:
    """1 to 6 contacts off centre and off axis, now and then two on one link."""
    count = int(rng.integers(1, min(7, robot.n_links)))
    link = np.sort(rng.choice(robot.n_links, count, replace=bool(rng.random() < 0.2)))
    radius = robot.column("radius")[link]
    return Contacts(
        link=link,
        side=rng.choice([-1.0, 1.0], count),
        along=rng.uniform(-0.5, 0.5, count) * robot.column("length")[link],
        surface=radius,
        standoff=radius + rng.uniform(0.01, 0.1, count),
        friction=rng.uniform(0.0, 0.5, count),
    )


def touches(robot: PlanarRobot, state: ReducedState, contacts: Contacts) -> list[Touch]:
    """The same contacts as pegs in the world."""
    place, _ = link_motion(robot, state.center, state.velocity, state.link_angle, state.link_rate)
    found = []
    for k, i in enumerate(contacts.link):
        e = np.array([np.cos(state.link_angle[i]), np.sin(state.link_angle[i])])
        right = np.array([e[1], -e[0]]) * contacts.side[k]
        foot = place[i] + contacts.along[k] * e
        found.append(
            Touch(
                link=int(i),
                peg=foot + contacts.standoff[k] * right,
                point=foot + contacts.surface[k] * right,
                side=int(contacts.side[k]),
                friction=float(contacts.friction[k]),
            )
        )
    return found


def off(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.linalg.norm(found - expected) / np.linalg.norm(expected))


def test_closed_form_agrees_with_newton_euler_on_1000_random_states() -> None:
    rng = np.random.default_rng(6)
    checked, worst, conditions = 0, 0.0, []
    while checked < 1000:
        robot = random_robot(rng, int(rng.integers(4, 16)))
        state, contacts = random_state(rng, robot.n_links), random_contacts(rng, robot)
        model = reduce_robot(robot)
        terms = smooth_terms(model, GROUND, state)
        relation = force_relation(model, terms, contact_terms(model, state, contacts, terms))
        if np.linalg.cond(relation.A_f) >= 1e8:
            continue
        torque = 2.0 * rng.normal(size=robot.n_joints)
        closed = closed_dynamics(contacts, relation)
        pose = (state.center, state.velocity, state.link_angle, state.link_rate)
        loads = np.column_stack((terms.ground_force, terms.ground_moment))
        expected = solve(robot, pose, torque, loads, touches(robot, state, contacts))
        force, motion = closed.contact_force(torque), closed.acceleration(torque)
        np.testing.assert_allclose(
            relation.A_f @ force + relation.A_u @ torque, relation.b_f, atol=1e-9 * np.abs(relation.b_f).max()
        )
        worst = max(
            worst,
            off(force, expected.contact_force),
            off(motion[:-2], expected.link_acceleration),
            off(motion[-2:], expected.center_acceleration),
        )
        conditions.append(np.linalg.cond(relation.A_f))
        checked += 1
    assert worst < 1e-9  # relative; round-off of the elimination times the condition of A_f
    assert max(conditions) > 1e3  # the sample has hard cases too


def test_newton_euler_folds_two_straight_links_about_their_own_centres() -> None:
    # By symmetry neither centre of mass moves across, so the joint carries no force: theta_ddot = -+ torque / I.
    robot = PlanarRobot.uniform(2, PlanarLink(length=0.1, mass=0.5, inertia=2e-3, radius=0.02))
    rest = (np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(2))
    found = solve(robot, rest, np.array([0.3]), np.zeros((2, 3)), [])
    np.testing.assert_allclose(found.link_acceleration, [-150.0, 150.0], rtol=1e-12)  # 0.3 / 2e-3; round-off


def test_without_contacts_the_robot_is_free() -> None:
    rng = np.random.default_rng(1)
    robot, nothing = random_robot(rng, 6), Contacts(link=np.zeros(0, dtype=int), side=np.zeros(0))
    state, torque = random_state(rng, 6), rng.normal(size=5)
    closed = close(reduce_robot(robot), GroundFriction(), state, nothing)
    expected = solve(
        robot, (state.center, state.velocity, state.link_angle, state.link_rate), torque, np.zeros((6, 3)), []
    )
    np.testing.assert_allclose(closed.acceleration(torque)[:-2], expected.link_acceleration, rtol=1e-10)
    np.testing.assert_allclose(closed.acceleration(torque)[-2:], 0.0, atol=1e-12)  # no force acts from outside


def test_levers_place_the_links_and_equal_the_corrected_ones_of_the_paper() -> None:
    rng = np.random.default_rng(2)
    robot = random_robot(rng, 7)
    state = random_state(rng, 7)
    exact, paper = reduce_robot(robot), reduce_robot(robot, paper_table=True)
    e = np.stack((np.cos(state.link_angle), np.sin(state.link_angle)), axis=-1)
    expected = link_positions(robot, state.center, state.link_angle)
    np.testing.assert_allclose(state.center + exact.lever @ e, expected, atol=1e-14)
    K_l, m = -paper.lever.T, robot.column("mass")
    K_w = K_l @ (np.eye(7) - np.outer(m, np.ones(7)) / m.sum())
    np.testing.assert_allclose(exact.lever, -K_w.T, atol=1e-15)
    assert np.abs(paper.lever - exact.lever).max() > 1e-3  # unequal masses: K_l misplaces the links


def test_equal_links_reduce_to_the_uniform_model() -> None:
    # HA10: Liljeback et al. (2.33): M = J + m l^2 (S V S + C V C), W = m l^2 (S V C - C V S), V = A^T (D D^T)^-1 A.
    n, m, l, J = 8, 0.7, 0.06, 3e-3
    robot = PlanarRobot.uniform(n, PlanarLink(length=2 * l, mass=m, inertia=J, radius=0.02))
    state = random_state(np.random.default_rng(3), n)
    A, D = np.eye(n - 1, n) + np.eye(n - 1, n, 1), np.eye(n - 1, n) - np.eye(n - 1, n, 1)
    V = A.T @ np.linalg.inv(D @ D.T) @ A
    S, C = np.diag(np.sin(state.link_angle)), np.diag(np.cos(state.link_angle))
    for paper_table in (False, True):
        model = reduce_robot(robot, paper_table=paper_table)
        terms = smooth_terms(model, GroundFriction(), state)
        np.testing.assert_allclose(
            terms.mass_matrix[:n, :n], J * np.eye(n) + m * l**2 * (S @ V @ S + C @ V @ C), atol=1e-15
        )
        np.testing.assert_allclose(centrifugal_matrix(model, terms), m * l**2 * (S @ V @ C - C @ V @ S), atol=1e-15)
        np.testing.assert_allclose(terms.load[:n], -centrifugal_matrix(model, terms) @ state.link_rate**2, atol=1e-14)


def test_a_batch_gives_what_its_members_give() -> None:
    rng = np.random.default_rng(4)
    robot = reduce_robot(random_robot(rng, 8))
    states = [random_state(rng, 8) for _ in range(6)]
    links = np.array([np.sort(rng.choice(8, 3, replace=False)) for _ in range(6)]).reshape(2, 3, 3)
    side, along = rng.choice([-1.0, 1.0], (2, 3, 3)), rng.uniform(-0.02, 0.02, (2, 3, 3))
    many = {
        name: np.array([getattr(state, name) for state in states]).reshape(2, 3, -1)
        for name in ("center", "velocity", "link_angle", "link_rate")
    }
    torque = rng.normal(size=(2, 3, 7))
    batch = close(
        robot,
        GROUND,
        ReducedState(**many),
        Contacts(link=links, side=side, along=along, surface=0.02, standoff=0.05, friction=0.2),
        most_parting=np.inf,
    )
    for a in range(2):
        for b in range(3):
            one = Contacts(
                link=links[a, b], side=side[a, b], along=along[a, b], surface=0.02, standoff=0.05, friction=0.2
            )
            single = close(robot, GROUND, states[3 * a + b], one, most_parting=np.inf)
            np.testing.assert_allclose(batch.acceleration(torque)[a, b], single.acceleration(torque[a, b]), rtol=1e-9)
            np.testing.assert_allclose(batch.contact_force(torque)[a, b], single.contact_force(torque[a, b]), rtol=1e-9)


def test_one_list_of_contacts_serves_a_batch_of_states() -> None:
    rng = np.random.default_rng(5)
    robot = reduce_robot(random_robot(rng, 5))
    states = [random_state(rng, 5) for _ in range(3)]
    contacts = Contacts(link=[1, 3], side=[1, -1], friction=0.1)
    batch = close(
        robot,
        GROUND,
        ReducedState(
            **{k: np.array([getattr(s, k) for s in states]) for k in ("center", "velocity", "link_angle", "link_rate")}
        ),
        contacts,
        most_parting=np.inf,
    )
    for k, state in enumerate(states):
        single = close(robot, GROUND, state, contacts, most_parting=np.inf)
        np.testing.assert_allclose(batch.free[k], single.free, rtol=1e-9)


def test_a_state_that_leaves_its_contacts_is_refused() -> None:
    # A straight robot at rest but for its centre: all its links leave a peg to their right at that speed.
    robot = reduce_robot(random_robot(np.random.default_rng(7), 4))
    still = {"center": np.zeros(2), "link_angle": np.zeros(4), "link_rate": np.zeros(4)}
    contacts = Contacts(link=[1, 2], side=[1, -1])
    leaving, staying = (ReducedState(velocity=np.array([0.3, v]), **still) for v in (0.02, 0.0))
    sentence = r"^state: normal velocity at contact 0 = 0\.02, must be at most 0\.0001 m/s in size: a contact"
    with pytest.raises(InvalidModel, match=sentence):
        close(robot, GROUND, leaving, contacts)
    assert np.isfinite(close(robot, GROUND, staying, contacts).free).all()
    allowed = close(robot, GROUND, leaving, contacts, most_parting=0.03)
    terms = smooth_terms(robot, GROUND, leaving)
    np.testing.assert_allclose(contact_terms(robot, leaving, contacts, terms).parting, [0.02, 0.02], rtol=1e-12)
    assert np.isfinite(allowed.free).all()


def test_ground_friction_of_a_robot_that_slides_straight() -> None:
    link = PlanarLink(length=0.1, mass=2.0, inertia=1e-3, radius=0.02)
    robot = reduce_robot(PlanarRobot.uniform(3, link))
    state = ReducedState(center=np.zeros(2), velocity=[0.3, 0.4], link_angle=np.zeros(3), link_rate=np.zeros(3))
    coulomb = smooth_terms(robot, GroundFriction(coefficient=0.5, gravity=10.0), state)
    np.testing.assert_allclose(coulomb.ground_force, [[-6.0, -8.0]] * 3, rtol=1e-15)  # mu m g = 10 N against (3, 4)/5
    viscous = smooth_terms(robot, GroundFriction(viscous_along=1.0, viscous_across=5.0), state)
    np.testing.assert_allclose(viscous.ground_force, [[-0.3, -2.0]] * 3, rtol=1e-15)
    rest = ReducedState(center=np.zeros(2), velocity=np.zeros(2), link_angle=np.zeros(3), link_rate=np.zeros(3))
    assert not smooth_terms(robot, GROUND, rest).ground_force.any()
    fading = smooth_terms(robot, GroundFriction(coefficient=0.5, gravity=10.0, smoothing=1.2), state)
    np.testing.assert_allclose(fading.ground_force, [[-3.0 / 1.3, -4.0 / 1.3]] * 3, rtol=1e-14)  # sqrt(0.25 + 1.44)


def test_ground_rubs_at_the_supports() -> None:
    # Turning about the middle of link 0 with w: points at -+0.04 m slide with -+0.04 w, each under half the weight.
    pair = (Support(offset=-0.04, share=0.5), Support(offset=0.04, share=0.5))
    links = (
        PlanarLink(length=0.1, mass=2.0, inertia=1e-3, radius=0.02, supports=pair),
        PlanarLink(length=0.1, mass=1e-9, inertia=1e-9, radius=0.02),
    )
    robot = reduce_robot(PlanarRobot(links=links))
    state = ReducedState(
        center=np.zeros(2), velocity=np.zeros(2), link_angle=np.zeros(2), link_rate=np.array([3.0, 3.0])
    )
    found = smooth_terms(robot, GroundFriction(coefficient=0.5, gravity=10.0, spin=0.01, spin_viscous=0.002), state)
    np.testing.assert_allclose(found.ground_force[0], 0.0, atol=1e-5)  # of 10 N; the light link shifts the centre
    # 0.04 m of 10 N, 0.01 m of 20 N, and 0.002 m s of 20 N at 3 rad/s
    assert found.ground_moment[0] == pytest.approx(-0.4 - 0.2 - 0.12, abs=1e-9)
    viscous = smooth_terms(robot, GroundFriction(viscous_along=1.0, viscous_across=5.0), state)
    assert viscous.ground_moment[0] == pytest.approx(-5.0 * 3.0 * 0.04**2, rel=1e-6)


def test_ground_of_the_engine_becomes_ground_of_the_reduced_model() -> None:
    spun = GroundFriction.of(Ground(friction=Isotropic(0.4), spin=0.02, gravity=3.7))
    assert spun == GroundFriction(coefficient=0.4, spin=0.02, gravity=3.7)
    viscous = GroundFriction.of(Ground(friction=Viscous(along=1.0, across=2.0)), smoothing=0.1)
    assert (viscous.viscous_along, viscous.viscous_across, viscous.smoothing) == (1.0, 2.0, 0.1)
    assert GroundFriction.of(Ground(friction=Frictionless())).coefficient == 0.0
    with pytest.raises(InvalidModel, match="must be one law for all links"):
        GroundFriction.of(Ground(friction=Elliptic(along=0.1, across=0.5)))
    with pytest.raises(InvalidModel, match="must be flat and even"):
        GroundFriction.of(Ground(friction=Isotropic(0.1), slope=0.1))


ROBOT = reduce_robot(PlanarRobot.uniform(5, PlanarLink(length=0.1, mass=1.0, inertia=1e-3, radius=0.02)))
STRAIGHT = ReducedState(center=np.zeros(2), velocity=[0.1, 0.0], link_angle=np.zeros(5), link_rate=np.zeros(5))


@pytest.mark.parametrize(
    ("contacts", "named"),
    [
        (Contacts(link=[2, 2], side=[1, -1]), r"0 \(link 2\), 1 \(link 2\)"),  # two pegs at one place of a link
        (Contacts(link=[0, 2, 2, 2], side=1, along=[0.0, -0.04, 0.0, 0.04]), r"1 \(link 2\), 2 .*, 3 \(link 2\)'"),
        (Contacts(link=[1, 2], side=1, along=[0.05, -0.05]), r"0 \(link 1\), 1 \(link 2\)"),  # both at the joint
    ],
    ids=["one place", "three in a line", "both links at a joint"],
)
def test_dependent_contacts_are_refused_and_named(contacts: Contacts, named: str) -> None:
    with pytest.raises(InvalidModel, match=rf"contacts = '{named}.*must be independent"):
        close(ROBOT, GROUND, STRAIGHT, contacts)


def test_two_pegs_apart_on_one_link_are_fine() -> None:
    contacts = Contacts(link=[2, 2], side=[1, -1], along=[-0.03, 0.03])
    turned = close(ROBOT, GROUND, STRAIGHT, contacts).acceleration(np.ones(4))
    assert turned[2] == pytest.approx(0.0, abs=1e-9)  # rad/s^2: such a link cannot turn


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: ReducedState(center=[0, 0], velocity=[0, 0], link_angle=[0, np.nan], link_rate=[0, 0]),
         r"state.link_angle\[1\] = nan, must be finite \[rad\]"),
        (lambda: ReducedState(center=[0, 0], velocity=[0, np.inf], link_angle=[0, 0], link_rate=[0, 0]),
         r"state.velocity\[1\] = inf, must be finite \[m/s\]"),
        (lambda: ReducedState(center=[0, 0, 0], velocity=[0, 0], link_angle=[0, 0], link_rate=[0, 0]),
         r"state.center: shape = \(3,\), must be"),
        (lambda: ReducedState(center=[0, 0], velocity=[0, 0], link_angle=[0, 0], link_rate=[0]),
         r"state.link_rate: shape = \(1,\), must be \(2,\)"),
        (lambda: ReducedState(center="here", velocity=[0, 0], link_angle=[0, 0], link_rate=[0, 0]),
         "state.center = 'here', must be an array of numbers"),
        (lambda: Contacts(link=[0.5], side=[1]), "contacts.link = .* must be a list of link numbers"),
        (lambda: Contacts(link=[1], side=[0]), r"contacts.side = \[0.0\], must be \+1"),
        (lambda: Contacts(link=[1], side=[1], friction=-0.1), r"contacts.friction = -0.1, must be >= 0"),
        (lambda: Contacts(link=[1], side=[1], along=np.nan), "contacts.along = nan, must be finite"),
        (lambda: Contacts(link=[1, 2], side=[1, 1], along=[0.0, 0.0, 0.0]), r"contacts.along: shape = \(3,\)"),
        (lambda: close(ROBOT, GROUND, STRAIGHT, Contacts(link=[5], side=[1])), "contacts.link = 5, must be below 5"),
        (lambda: smooth_terms(
            reduce_robot(PlanarRobot.uniform(3, PlanarLink(length=0.1, mass=1.0, inertia=1e-3, radius=0.02))),
            GROUND, STRAIGHT), "number of links = 5, must be 3"),
        (lambda: close(ROBOT, GROUND, STRAIGHT, Contacts(link=[[1], [2]], side=1)),
         r"leading shape = \(2,\), must be \(\)"),
        (lambda: reduce_robot("snake"), "robot = 'snake', must be a PlanarRobot"),
        (lambda: GroundFriction(coefficient=-1.0), "friction.coefficient = -1.0, must be finite and >= 0"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_a_sentence(make, sentence: str) -> None:
    with pytest.raises(InvalidModel, match=sentence):
        make()
