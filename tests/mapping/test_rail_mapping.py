"""Poses on rails as a table, the force mapping of a whole pose, contacts by touch, and what the controllers refuse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from oracles.robots import uneven_links
from pushpoint.control import ContactRule, ForceMappingController, RailGains, ShapePropagation
from pushpoint.control.peg_contacts import along_the_way, felt_contacts
from pushpoint.control.rails import reduced
from pushpoint.engine.batching import stack
from pushpoint.engine.signals import Measurement
from pushpoint.errors import InvalidModel
from pushpoint.mapping import (
    MappingBounds,
    MappingWeights,
    Path,
    RailCosts,
    Rails,
    lay_rails,
    pose_on_path,
    solve_rail_mapping,
)
from pushpoint.mapping.rails import state_of
from pushpoint.model.environment import Environment, Ground, Peg, Wall
from pushpoint.model.friction import Elliptic, Isotropic
from pushpoint.model.motor import Motor
from pushpoint.papers.holden2014.courses import fifteen_links, flank_pegs, sine_path
from pushpoint.reduced import Contacts, GroundFriction, ReducedState, close, contact_terms, smooth_terms

PATH = sine_path()
ROBOT = uneven_links()
MODEL = reduced(ROBOT)
RAILS = lay_rails(MODEL, PATH)
PEGS = flank_pegs(0.03, clearance=0.0)
GROUND = GroundFriction(coefficient=0.2)
LOOSE = MappingBounds(torque_limit=1e4)
WORLD = Environment(ground=Ground(friction=Isotropic(0.2)), obstacles=PEGS)


def test_the_table_gives_the_poses_on_the_path_and_their_derivatives() -> None:
    head = np.linspace(1.6, 4.5, 40)
    pose, h = pose_on_path(MODEL, PATH, head), 1e-4
    ahead, behind = pose_on_path(MODEL, PATH, head + h), pose_on_path(MODEL, PATH, head - h)
    bend = (ahead.link_slope - behind.link_slope) / (2 * h)
    for k, s in enumerate(head):
        q, slope, curve = RAILS.at(float(s))
        np.testing.assert_allclose(q, [*pose.link_angle[k], *pose.center[k]], atol=1e-5)  # rad, m: a table of 5 mm
        np.testing.assert_allclose(slope[:-2], pose.link_slope[k], atol=1e-3 * np.abs(pose.link_slope).max())
        np.testing.assert_allclose(curve[:-2], bend[k], atol=0.02 * np.abs(bend).max())  # feeds v^2 q'' = 0.01 q'' only
    _, listed, _ = RAILS.at(head)
    np.testing.assert_allclose(listed[:, -2:], pose.center_slope, atol=1e-3)


def test_on_a_circle_the_table_has_closed_derivatives() -> None:
    turn = np.linspace(0.0, 5.0, 400)
    rails = Rails(robot=MODEL, path=Path(np.column_stack((np.cos(turn), np.sin(turn)))))
    _, slope, bend = rails.at(3.0)
    np.testing.assert_allclose(slope[:-2], 1.0, atol=1e-5)  # rad/m: a rigid turn about the middle, radius 1 m
    np.testing.assert_allclose(bend[:-2], 0.0, atol=1e-2)  # rad/m^2


@pytest.mark.parametrize("turns", [0, 1, -2])
def test_fitting_finds_the_place_on_the_path_again(turns: int) -> None:
    q, slope, _ = RAILS.at(2.345)
    M = smooth_terms(MODEL, GROUND, state_of(q, 0.1 * slope)).mass_matrix
    turned = q + np.concatenate((np.full(15, 2 * np.pi * turns), [0.0, 0.0]))
    head = RAILS.fit(turned, M, 2.1, 30)
    assert head == pytest.approx(2.345, abs=1e-6)
    np.testing.assert_allclose(RAILS.error(turned, head), 0.0, atol=1e-5)


def instant(head: float = 2.5, speed: float = 0.1) -> tuple[ReducedState, Contacts, np.ndarray]:
    q, slope, bend = RAILS.at(head)
    state = ReducedState(center=q[-2:], velocity=speed * slope[-2:], link_angle=q[:-2], link_rate=speed * slope[:-2])
    return state, felt_contacts(MODEL, PEGS, ContactRule(), q, q, np.zeros(15)), 0.5 * slope + bend * speed**2


def test_fitting_many_poses_is_fitting_each() -> None:
    rng = np.random.default_rng(4)
    head = rng.uniform(1.6, 4.0, 7)
    pose = np.stack([RAILS.at(s)[0] for s in head]) + 0.01 * rng.standard_normal((7, 17))
    mass = np.stack([RAILS.robot.own_mass * rng.uniform(0.5, 2.0, 17)[:, None] for _ in head])
    near = head + rng.uniform(-0.02, 0.02, 7)
    each = [RAILS.fit(q, M, s) for q, M, s in zip(pose, mass, near, strict=True)]
    np.testing.assert_allclose(RAILS.fit(pose, mass, near), each, rtol=0, atol=1e-12)  # m: rounding
    q, slope, _ = RAILS.at(head)
    for k, s in enumerate(head):
        np.testing.assert_array_equal(q[k], RAILS.at(s)[0])
        np.testing.assert_array_equal(slope[k], RAILS.at(s)[1])


def test_pegs_off_the_way_make_no_difference() -> None:
    rng = np.random.default_rng(5)
    strewn = tuple(Peg(x=x, y=y, radius=0.02) for x, y in rng.uniform((-0.5, -0.6), (5.0, 0.6), (200, 2)))
    near = along_the_way(RAILS, (*PEGS, *strewn), reach=0.02)
    assert len(PEGS) <= len(near) < len(PEGS) + len(strewn)
    rule, force = ContactRule(), np.zeros(15)
    for head in np.linspace(0.0, PATH.length, 997):  # not where along_the_way looks
        q = RAILS.at(head)[0]
        some, every = (felt_contacts(MODEL, pegs, rule, q, q, force) for pegs in (near, (*PEGS, *strewn)))
        np.testing.assert_array_equal(some.link, every.link)
        np.testing.assert_array_equal(some.along, every.along)
    assert along_the_way(RAILS, strewn[:1], reach=1e-3) == strewn[:1]  # never none


def test_the_free_form_is_weighted_least_squares_where_no_limit_is_reached() -> None:
    # An unlimited optimum written from the equations of motion: minimise |A x - r|^2 in the metric of M^-1, plus costs.
    state, contacts, wish = instant()
    costs = RailCosts(torque=0.03, force=0.01)
    found = solve_rail_mapping(MODEL, GROUND, state, contacts, wish, LOOSE, costs)
    assert found.solved and (found.push > 0.0).all()
    terms = smooth_terms(MODEL, GROUND, state)
    touch = contact_terms(MODEL, state, contacts, terms)
    A = np.hstack((MODEL.torque_map, (contacts.side[:, None] * touch.G).T))
    W = np.linalg.inv(terms.mass_matrix)
    r = terms.mass_matrix @ wish - terms.load
    cost = np.diag([0.03] * 14 + [0.01] * contacts.count)
    x = np.linalg.solve(A.T @ W @ A + cost, A.T @ W @ r)
    np.testing.assert_allclose(np.concatenate((found.joint_torque, found.push)), x, atol=1e-5)  # N m, N; the solver's


def test_the_eliminated_form_holds_the_pegs() -> None:
    state, contacts, wish = instant()
    costs = RailCosts(form="eliminated")
    found = solve_rail_mapping(MODEL, GROUND, state, contacts, wish, LOOSE, costs)
    closed = close(MODEL, GROUND, state, contacts, most_parting=np.inf)
    expected = contacts.side * closed.contact_force(found.joint_torque)
    np.testing.assert_allclose(found.push, expected, atol=1e-9)
    assert (found.push > -1e-3).all()  # N: none pulls


def test_limits_are_kept_and_make_the_miss_grow() -> None:
    state, contacts, wish = instant()
    misses = []
    for torque, force in ((10.0, np.inf), (0.5, np.inf), (0.5, 2.0)):
        bounds = MappingBounds(torque_limit=torque, force_limit=force)
        found = solve_rail_mapping(MODEL, GROUND, state, contacts, wish, bounds)
        assert found.solved and np.abs(found.joint_torque).max() <= torque and found.push.max() <= force
        misses.append(found.miss)
    assert misses[0] < misses[1] < misses[2]


def test_pushes_are_told_also_where_torques_have_no_limit() -> None:
    state, contacts, wish = instant()
    free, ample = (
        solve_rail_mapping(MODEL, GROUND, state, contacts, wish, MappingBounds(torque_limit=limit))
        for limit in (np.inf, 1e4)
    )
    assert (free.push > 0.0).all()
    np.testing.assert_allclose(free.push, ample.push, atol=1e-5)  # N; the solver's


@pytest.mark.parametrize("form", ["free", "eliminated"])
def test_a_link_that_is_left_free_may_do_as_it_likes(form: str) -> None:
    state, contacts, wish = instant()
    odd = wish.copy()
    odd[7] += 100.0
    others = np.delete(np.arange(15), 7)
    loose = RailCosts(form=form, posture=0.0)
    plain, moved = (
        solve_rail_mapping(MODEL, GROUND, state, contacts, w, LOOSE, loose, others).joint_torque for w in (wish, odd)
    )
    np.testing.assert_allclose(plain, moved, atol=1e-6)
    held = solve_rail_mapping(MODEL, GROUND, state, contacts, odd, LOOSE, replace(loose, posture=0.4), others)
    assert np.abs(held.joint_torque - plain).max() > 1e-3


def test_the_posture_term_on_rails_is_least_squares_in_the_metric_of_the_masses() -> None:
    # The optimum written from the closed dynamics, the paper's (36)-(38), where no limit is reached.
    state, contacts, wish = instant()
    links, rho, c_u = np.array([0, 3, 4, 8, 14]), 0.3, 1e-2
    costs = RailCosts(form="eliminated", posture=rho, torque=c_u)
    found = solve_rail_mapping(MODEL, GROUND, state, contacts, wish, LOOSE, costs, links)
    assert found.solved and (found.push > 0.0).all()
    closed, M = (
        close(MODEL, GROUND, state, contacts, most_parting=np.inf),
        smooth_terms(MODEL, GROUND, state).mass_matrix,
    )
    asked, free = [*links, 15, 16], [i for i in range(15) if i not in links]
    W = np.zeros((17, 17))
    W[np.ix_(asked, asked)], W[np.ix_(free, free)] = M[np.ix_(asked, asked)], c_u * rho * M[np.ix_(free, free)]
    A, r = closed.per_torque, wish - closed.free
    u = np.linalg.solve(A.T @ W @ A + c_u * np.eye(14), A.T @ W @ r)
    np.testing.assert_allclose(found.joint_torque, u, atol=1e-5)  # N m; the solver's


def test_without_any_contact_the_free_form_still_shapes_the_body() -> None:
    state, _, wish = instant()
    nothing = felt_contacts(
        MODEL, [Peg(x=50.0, y=0.0, radius=0.1)], ContactRule(), *([RAILS.at(2.5)[0]] * 2), np.zeros(15)
    )
    found = solve_rail_mapping(MODEL, GROUND, state, nothing, wish, LOOSE)
    assert nothing.count == 0 and found.solved and np.isfinite(found.joint_torque).all()


def test_a_peg_at_a_joint_belongs_to_the_link_that_feels_it() -> None:
    q = np.zeros(17)  # straight, the centre of mass at the origin
    even = reduced(fifteen_links())
    peg = [Peg(x=0.052, y=-0.05, radius=0.02)]  # right of joint 7, whose axis is at 0.05
    seen = {name: felt_contacts(even, peg, ContactRule(), q, q, force) for name, force in (
        ("nothing", np.zeros(15)),
        ("behind", np.eye(15)[7]),
        ("wrong side", -np.eye(15)[7]),
    )}  # fmt: skip
    assert [seen[name].link.tolist() for name in seen] == [[8], [7], [8]]
    assert seen["behind"].side.tolist() == [1.0] and seen["behind"].along.tolist() == [pytest.approx(0.05)]
    twice = felt_contacts(even, peg, ContactRule(one_per_peg=False), q, q, np.zeros(15))
    assert twice.link.tolist() == [7, 8]
    far = q + np.concatenate((np.zeros(15), [0.0, 0.5]))  # the body is elsewhere, but the path says where to push
    assert felt_contacts(even, peg, ContactRule(), q, far, np.zeros(15)).count == 1
    assert felt_contacts(even, peg, ContactRule(), far, q, np.zeros(15)).count == 0
    beyond = [Peg(x=0.77, y=0.0, radius=0.02)]  # in front of the head, whose front end is at 0.75
    assert felt_contacts(even, beyond, ContactRule(), q, q, np.zeros(15)).count == 0


def measured(q: np.ndarray) -> Measurement:
    joints = np.zeros((1, len(q) - 3))
    return Measurement(
        time=np.zeros(1),
        joint_angle=np.diff(q[:-2])[None],
        joint_rate=joints,
        joint_torque=joints,
        contact_normal_force=np.zeros((1, len(q) - 2)),
        imu_angular_rate=np.zeros(1),
        imu_acceleration=np.zeros((1, 2)),
        imu_heading=np.zeros(1),
        center_of_mass=q[None, -2:],
        link_angle=q[None, :-2],
    )


def test_a_robot_that_lies_elsewhere_is_pulled_to_the_path_within_its_limits() -> None:
    controller = ForceMappingController(path=PATH, head=2.0, soft_start=0.0)
    q, _, _ = RAILS.at(2.4)
    bound = controller.bind(ROBOT, WORLD)
    command, kept = bound.command(measured(q), stack([bound.memory()]))
    assert kept.head[0] == pytest.approx(2.4, abs=0.01)  # though it was told 2.0
    assert command.joint_torque is not None and np.abs(command.joint_torque).max() <= 4.0


def test_motors_without_a_limit_are_fine() -> None:
    strong = replace(ROBOT, motors=Motor())
    controller = ForceMappingController(path=PATH, head=2.0)
    bound = controller.bind(strong, WORLD)
    seen = replace(measured(RAILS.at(2.0)[0]), time=np.ones(1))
    command, kept = bound.command(seen, stack([bound.memory()]))
    assert kept.failures[0] == 0 and np.isfinite(command.joint_torque).all()


def test_the_program_of_the_paper_says_whether_its_wish_was_feasible() -> None:
    q, _, _ = RAILS.at(2.0)
    seen = replace(measured(q), time=np.ones(1))
    controller = ForceMappingController(path=PATH, head=2.0, program=MappingWeights(posture=0.4))
    assert controller.modes == ("infeasible", "feasible") and ForceMappingController(path=PATH).modes == ()
    bound = controller.bind(ROBOT, WORLD)
    command, kept = bound.command(seen, stack([bound.memory()]))
    assert bound.mode_of(kept).tolist() == [1] and np.abs(command.joint_torque).max() > 0.0 and kept.failures[0] == 0
    # Without a peg within reach (54) says nothing, and neither does the program.
    far = replace(controller, pegs=[Peg(x=50.0, y=0.0, radius=0.1)]).bind(ROBOT, WORLD)
    command, kept = far.command(seen, stack([far.memory()]))
    assert far.mode_of(kept).tolist() == [0] and not command.joint_torque.any() and kept.failures[0] == 1


def asked(q: np.ndarray, **changes: Any) -> Any:
    controller = ForceMappingController(path=PATH, **changes)
    bound = controller.bind(ROBOT, WORLD)
    return bound.command(measured(q), stack([bound.memory()]))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: asked(np.full(17, np.nan)), r"state.center\[0\] = nan, must be finite \[m\]"),
        (lambda: asked(np.zeros(17), pegs=[]), "controller.pegs = 0, must be at least one"),
        (lambda: asked(np.zeros(17), pegs=[1]), r"controller.pegs\[0\] = 1, must be a Peg"),
        (lambda: ForceMappingController(path=[[0, 0], [1, 0]]), "controller.path = .* must be a Path"),
        (lambda: ForceMappingController(path=PATH, speed=0.0), "controller.speed = 0.0, must be finite and > 0"),
        (lambda: ForceMappingController(path=PATH, rate=-1.0), "controller.rate = -1.0, must be finite and > 0"),
        (lambda: RailCosts(posture=-1.0), "costs.posture = -1.0, must be finite and >= 0"),
        (lambda: ForceMappingController(path=PATH, program=7), "controller.program = 7, must be a MappingWeights"),
        (lambda: ForceMappingController(path=PATH, gains=7), "controller.gains = 7, must be a RailGains"),
        (lambda: ForceMappingController(path=PATH, head=-1.0), "controller.head = -1.0, must be finite and >= 0"),
        (lambda: RailGains(stiffness=0.0), "gains.stiffness = 0.0, must be finite and > 0"),
        (lambda: RailCosts(form="both"), "costs.form = 'both', must be one of 'free', 'eliminated'"),
        (lambda: ContactRule(reach=0.0), "contacts.reach = 0.0, must be finite and > 0"),
        (lambda: MappingBounds(torque_limit=0.0), "bounds.torque_limit = 0.0, must be > 0 for at least one joint"),
        (lambda: ShapePropagation(path=PATH, lead=0.0), "controller.lead = 0.0, must be finite and > 0"),
        (lambda: ForceMappingController(path=PATH).bind(
            ROBOT, replace(WORLD, obstacles=(Wall(start=(0, 1), end=(1, 1)),))),
         r"environment.obstacles\[0\] = .* must be a Peg, for a force mapping"),
        (lambda: ForceMappingController(path=PATH).bind(
            ROBOT, replace(WORLD, ground=Ground(friction=Elliptic(along=0.1, across=0.5)))),
         "ground.friction = .* must be one law for all links"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_a_sentence(make: Any, sentence: str) -> None:
    with pytest.raises(InvalidModel, match=sentence):
        make()


def test_points_that_round_off_makes_alike_are_refused() -> None:
    with pytest.raises(InvalidModel, match=r"path\.points\[2\] = .*, must be different from the one before"):
        Path(np.array([[0.0, 0.0], [1e9, 0.0], [1e9, 1e-9]]))


def test_a_path_far_longer_than_its_robot_is_refused_before_its_table_is_made() -> None:
    with pytest.raises(InvalidModel, match=r"path: length = .*, must be at most"):
        Rails(robot=MODEL, path=Path(np.array([[0.0, 0.0], [1e9, 0.0], [2e9, 1e8]])))
