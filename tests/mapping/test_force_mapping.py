"""The quadratic program of the force mapping: its matrices, its optimum, and what it says when a wish is impossible."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog, nnls

from pushpoint.bench import force_mapping as bench
from pushpoint.errors import InvalidModel
from pushpoint.mapping import (
    ForceMapping,
    ForceMappingResult,
    Gains,
    MappingBounds,
    MappingWeights,
    MotionReference,
    MotionWish,
    PostureReference,
    build_force_mapping,
    solve_force_mapping,
    tracking_wish,
)
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.reduced import Contacts, GroundFriction, ReducedState, close, reduce_robot, smooth_terms

N = 14
LINKS = tuple(
    PlanarLink(length=0.08 + 0.002 * k, mass=0.8 + 0.05 * k, inertia=1e-3, radius=0.03, mass_offset=0.005)
    for k in range(N)
)
ROBOT = reduce_robot(PlanarRobot(links=LINKS))
GROUND = GroundFriction(coefficient=0.3, spin_viscous=0.01)
ANGLE = 0.9 * np.cos(2 * np.pi * np.arange(N) / 9)
STATE = ReducedState(
    center=[0.1, -0.2], velocity=[0.15, 0.01], link_angle=ANGLE, link_rate=0.5 * np.sin(2 * np.pi * np.arange(N) / 9)
)
CONTACTS = Contacts(link=[1, 5, 9, 12], side=[-1, 1, -1, 1], along=0.01, surface=0.03, standoff=0.05, friction=0.2)
WISH = MotionWish(center_acceleration=[0.2, 0.05], links=[1, 5, 9, 13], link_acceleration=[0.5, -0.5, 0.3, 0.0])
AMPLE = MappingBounds(torque_limit=50.0)


def build(wish: MotionWish = WISH, bounds: MappingBounds = AMPLE, **changes) -> ForceMapping:
    values = {"state": STATE, "contacts": CONTACTS, "weights": MappingWeights()} | changes
    return build_force_mapping(ROBOT, GROUND, values["state"], values["contacts"], wish, bounds, values["weights"])


def random_problem(rng: np.random.Generator, limit: float) -> ForceMapping:
    count, asked = int(rng.integers(1, 6)), int(rng.integers(0, 9))
    contacts = Contacts(
        link=np.sort(rng.choice(N, count, replace=False)),
        side=rng.choice([-1.0, 1.0], count),
        along=rng.uniform(-0.03, 0.03, count),
        surface=0.03,
        standoff=0.05,
        friction=0.3,
    )
    state = ReducedState(
        center=rng.normal(size=2),
        velocity=0.1 * rng.normal(size=2),
        link_angle=ANGLE + 0.3 * rng.normal(size=N),
        link_rate=0.5 * rng.normal(size=N),
    )
    wish = MotionWish(
        center_acceleration=0.3 * rng.normal(size=2),
        links=np.sort(rng.choice(N, asked, replace=False)),
        link_acceleration=rng.normal(size=asked),
    )
    return build(wish, MappingBounds(torque_limit=limit), state=state, contacts=contacts)


def test_rows_are_the_accelerations_that_the_closed_dynamics_gives() -> None:
    problem = build()
    torque = np.random.default_rng(0).normal(size=N - 1)
    motion = close(ROBOT, GROUND, STATE, CONTACTS, most_parting=np.inf).acceleration(torque)
    asked = np.concatenate((WISH.center_acceleration, WISH.link_acceleration))
    reached = np.concatenate((motion[-2:], motion[[1, 5, 9, 13]]))
    np.testing.assert_allclose(problem.b_e - problem.A_e @ torque, asked - reached, atol=1e-10)
    assert problem.rows == (
        ("center x", "m/s^2"),
        ("center y", "m/s^2"),
        *((f"link {k}", "rad/s^2") for k in (1, 5, 9, 13)),
    )
    np.testing.assert_allclose(problem.scale, [np.mean([link.length for link in LINKS])] * 2 + [1.0] * 4)


def test_a_feasible_wish_is_fulfilled() -> None:
    result = solve_force_mapping(build())
    assert result.solved and result.feasible and result.problem.solvable
    np.testing.assert_allclose(result.center_acceleration, WISH.center_acceleration, atol=1e-9)  # m/s^2
    np.testing.assert_allclose(result.link_acceleration[WISH.links], WISH.link_acceleration, atol=1e-9)  # rad/s^2
    assert (CONTACTS.side * result.contact_force > -1e-6).all()  # N; the solver's tolerance
    assert result.cost == pytest.approx(float(np.sum(result.joint_torque**2)))


def test_without_bounds_the_optimum_is_the_pseudoinverse() -> None:
    # Contacts that may also pull and motors without limits leave the least-norm solution of A_e u = b_e.
    problem = replace(build(), torque_limit=np.full(N - 1, np.inf))
    least = np.linalg.pinv(problem.A_e) @ problem.b_e
    # Which sides the pegs are on is read off that solution, so that no contact has to pull.
    problem = replace(problem, side=np.sign(problem.closed.contact_force(least)))
    np.testing.assert_allclose(solve_force_mapping(problem).joint_torque, least, atol=1e-6)  # N m; solver 1e-8


def stationarity(result: ForceMappingResult) -> float:
    """By how much the gradient of the slacks' cost is no combination of the active bounds' normals, relative [-]."""
    problem, torque = result.problem, result.joint_torque
    rows = problem.A_e / problem.scale[:, None]
    slack = result.slack / problem.scale
    gradient = -rows.T @ slack
    normals = [np.zeros(N - 1)]
    for j in np.flatnonzero(np.abs(torque) >= (1 - 1e-5) * problem.torque_limit):
        normals.append(np.sign(torque[j]) * np.eye(N - 1)[j])
    for k in np.flatnonzero(problem.side * result.contact_force < 1e-3):
        normals.append(-problem.side[k] * problem.closed.force_per_torque[k])
    return float(nnls(np.array(normals).T, -gradient)[1] / (np.linalg.norm(rows, 2) * np.linalg.norm(slack)))


@pytest.mark.parametrize("limit", [5.0, 0.05])
def test_random_wishes_are_solved_and_misses_are_the_closest_motion(limit: float) -> None:
    rng = np.random.default_rng(11)
    fulfilled = missed = lost = 0
    for _ in range(150):
        problem = random_problem(rng, limit)
        result = solve_force_mapping(problem)
        assert result.solved
        assert (np.abs(result.joint_torque) <= limit).all()
        push = problem.side * result.contact_force
        assert (push + result.pull > -1e-5 * max(1.0, np.abs(push).max())).all()
        if result.feasible:
            fulfilled += 1
        elif result.pull.any():
            lost += 1
            assert not keeps_contacts(problem)
        else:
            missed += 1
            assert keeps_contacts(problem)
            assert stationarity(result) < 1e-4  # torques cost 1e-9 as much; bounds count as active within 1e-5
            assert "this is the closest motion" in result.sentence
    assert missed > 20 and (fulfilled > 20 if limit > 1 else lost > 5)  # each case occurs


def keeps_contacts(problem: ForceMapping) -> bool:
    """By linear programming: some torques within the limits let no contact pull."""
    push = problem.side[:, None] * problem.closed.force_per_torque
    free = problem.side * problem.closed.force_free
    bounds = [(-limit, limit) for limit in problem.torque_limit]
    return linprog(np.zeros(N - 1), -push, free, bounds=bounds).status == 0


def test_an_impossible_wish_by_limits_and_one_by_rank_say_so() -> None:
    weak = solve_force_mapping(build(replace(WISH, center_acceleration=[5.0, 0.0]), MappingBounds(torque_limit=0.3)))
    assert not weak.feasible and weak.problem.solvable
    assert "misses the wish by" in weak.sentence and "limits of torques or contacts forbid it" in weak.sentence
    assert weak.active_torque.any() or weak.active_contact.any()
    every = MotionWish(center_acceleration=[0.2, 0.0], links=np.arange(N), link_acceleration=np.linspace(-1, 1, N))
    ranked = solve_force_mapping(build(every))
    assert not ranked.feasible and not ranked.problem.solvable
    assert "A_e lacks the rank for it" in ranked.sentence


def test_contacts_that_no_torques_can_keep_come_first() -> None:
    # Friction alone presses on pegs of one side: with next to no torque, a peg on the other side would have to pull.
    free = build().closed.force_free
    wrong = replace(CONTACTS, side=-np.sign(free))
    result = solve_force_mapping(build(bounds=MappingBounds(torque_limit=1e-6), contacts=wrong))
    assert not result.feasible and "no torques within the limits keep contacts" in result.sentence
    np.testing.assert_allclose(result.pull, np.maximum(0.0, -wrong.side * result.contact_force), atol=1e-4)  # N
    assert result.pull.max() > 0.1


def test_peg_forces_keep_their_limit() -> None:
    free = solve_force_mapping(build())
    limit = 0.6 * np.abs(free.contact_force).max()
    bound = solve_force_mapping(build(bounds=MappingBounds(torque_limit=50.0, force_limit=limit)))
    assert np.abs(free.contact_force).max() > limit
    assert np.abs(bound.contact_force).max() <= limit * (1 + 1e-6)
    assert bound.active_contact[np.argmax(np.abs(free.contact_force))]
    assert bound.cost > free.cost or not bound.feasible


def test_a_joint_without_torque_is_passive() -> None:
    limit = np.full(N - 1, 50.0)
    limit[4] = 0.0
    result = solve_force_mapping(build(bounds=MappingBounds(torque_limit=limit)))
    assert result.solved and result.joint_torque[4] == 0.0 and result.active_torque[4]


def test_scales_decide_which_miss_is_preferred() -> None:
    wish, bounds = replace(WISH, center_acceleration=[5.0, 0.0]), MappingBounds(torque_limit=0.3)
    center = solve_force_mapping(build(wish, bounds, weights=MappingWeights(center_scale=1e-3)))
    links = solve_force_mapping(build(wish, bounds, weights=MappingWeights(center_scale=1e3)))
    assert not center.feasible and not links.feasible
    assert np.linalg.norm(center.slack[:2]) < np.linalg.norm(links.slack[:2])
    assert np.linalg.norm(links.slack[2:]) < np.linalg.norm(center.slack[2:])


def test_tracking_law_is_that_of_the_paper() -> None:
    reference = MotionReference(
        center=[0.4, 0.0], links=[2, 7], link_angle=[0.1, 0.2], velocity=[0.1, 0.0], link_rate=0.5,
        acceleration=[0.0, 0.7], link_acceleration=[0.3, -0.3],
    )  # fmt: skip
    gains = Gains(center_stiffness=2.0, center_damping=3.0, link_stiffness=5.0, link_damping=7.0)
    wish = tracking_wish(STATE, reference, gains)
    # (48), (49): -2 (0.1 - 0.4) - 3 (0.15 - 0.1) and 0.7 - 2 (-0.2) - 3 0.01
    np.testing.assert_allclose(wish.center_acceleration, [0.45, 1.07], rtol=1e-12)
    error, rate = STATE.link_angle[[2, 7]] - [0.1, 0.2], STATE.link_rate[[2, 7]] - 0.5
    np.testing.assert_allclose(wish.link_acceleration, [0.3, -0.3] - 5.0 * error - 7.0 * rate, rtol=1e-12)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: build(contacts=Contacts(link=[], side=[])), "contacts = 0, must be at least one"),
        (lambda: build(contacts=Contacts(link=[3, 3], side=[1, -1])), r"0 \(link 3\), 1 \(link 3\)', must be indep"),
        (lambda: build(contacts=Contacts(link=[3, 3, 3], side=1, along=[-0.03, 0.0, 0.03])), "must be independent"),
        (lambda: build(bounds=MappingBounds(torque_limit=0.0)), r"torque_limit = 0.0, must be > 0 for at least one"),
        (lambda: build(bounds=MappingBounds(torque_limit=np.zeros(13))), "must be > 0 for at least one joint"),
        (lambda: build(bounds=MappingBounds(torque_limit=[1.0, 2.0])),
         r"torque_limit: shape = \(2,\), must be \(13,\)"),
        (lambda: MappingBounds(torque_limit=-1.0), "bounds.torque_limit = -1.0, must be >= 0"),
        (lambda: MappingBounds(torque_limit=np.nan), "bounds.torque_limit = nan, must be >= 0"),
        (lambda: MappingBounds(torque_limit=1.0, force_limit=0.0), r"force_limit = 0.0, must be > 0 \[N\]"),
        (lambda: build(state=replace(STATE, link_rate=np.full(N, np.nan))), r"link_rate\[0\] = nan, must be finite"),
        (lambda: build(state=replace(STATE, link_rate=np.full(N, 1e200))),
         r"link_rate\[0\] = 1e.200, must be less than 1e.30"),
        (lambda: build(replace(WISH, links=[1, 5, 9, 14])), "wish.links = 14, must be below 14"),
        (lambda: replace(WISH, links=[1, 1, 2, 3]), "must be a list without repetitions"),
        (lambda: replace(WISH, link_acceleration=[0.0]), r"wish.link_acceleration: shape = \(1,\), must be \(4,\)"),
        (lambda: replace(WISH, center_acceleration=[np.nan, 0.0]), "center_acceleration.0. = nan, must be finite"),
        (lambda: MappingWeights(slack=0.0), "weights.slack = 0.0, must be finite and > 0"),
        (lambda: Gains(link_damping=0.0), "gains.link_damping = 0.0, must be finite and > 0"),
        (lambda: tracking_wish(STATE, MotionReference(center=[0, 0], links=[99], link_angle=0.0)),
         "= 99, must be below"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_a_sentence(make, sentence: str) -> None:
    with pytest.raises(InvalidModel, match=sentence):
        make()


def test_the_bench_gives_figures_as_json(monkeypatch) -> None:
    monkeypatch.setattr(bench, "alternate", lambda repeats, *rivals: [rival() for rival in rivals])
    figures = json.loads(json.dumps(bench.run_bench(quick=True)))
    assert figures["contacts"] == 5
    for size in ("links_20", "links_60"):
        assert figures[size]["feasible"]  # a wish that cannot be fulfilled would time something else
        assert figures[size]["build_and_solve_ms"] > 0.0


def test_the_posture_term_is_a_minimum_in_the_metric_of_the_masses() -> None:
    # The optimum of |u|^2 + rho |theta_ddot_f - a_f|^2_M under A_e u = b_e by Lagrange's multipliers; no bound is near.
    rho, a = 0.3, np.linspace(-5.0, 5.0, N)
    wish = replace(WISH, posture=a)
    problem = build(wish, weights=MappingWeights(posture=rho))
    found = solve_force_mapping(problem)
    assert found.feasible and not found.active_torque.any() and not found.active_contact.any()
    free = [i for i in range(N) if i not in WISH.links]
    closed, M = (
        close(ROBOT, GROUND, STATE, CONTACTS, most_parting=np.inf),
        smooth_terms(ROBOT, GROUND, STATE).mass_matrix,
    )
    A_f, M_ff = closed.per_torque[free], M[np.ix_(free, free)]
    H, A_e = np.eye(N - 1) + rho * A_f.T @ M_ff @ A_f, problem.A_e
    KKT = np.block([[H, A_e.T], [A_e, np.zeros((len(A_e), len(A_e)))]])
    right = np.concatenate((rho * A_f.T @ M_ff @ (a[free] - closed.free[free]), problem.b_e))
    np.testing.assert_allclose(found.joint_torque, np.linalg.solve(KKT, right)[: N - 1], atol=1e-5)  # the solver's
    cheap = solve_force_mapping(build(wish))
    assert cheap.cost < found.cost  # a posture costs torque
    scaled = solve_force_mapping(build(wish, weights=MappingWeights(posture=rho, torque=7.0)))
    np.testing.assert_allclose(scaled.joint_torque, found.joint_torque, atol=1e-5)  # rho counts in units of the torque


def test_a_wish_keeps_a_posture_by_stiffness_and_damping() -> None:
    posture = PostureReference(link_angle=ANGLE + 0.1, link_rate=0.2, link_acceleration=0.3)
    goal = MotionReference(center=[0.0, 0.0], links=[1], link_angle=[0.0], posture=posture)
    wish = tracking_wish(STATE, goal, Gains(posture_stiffness=50.0, posture_damping=7.0))
    np.testing.assert_allclose(wish.posture, 0.3 + 50.0 * 0.1 - 7.0 * (STATE.link_rate - 0.2))


def test_a_posture_must_be_known_where_it_costs() -> None:
    with pytest.raises(InvalidModel, match=r"wish.posture: shape = None, must be \(14,\), as weights.posture = 0.3"):
        build(weights=MappingWeights(posture=0.3))
    with pytest.raises(InvalidModel, match=r"wish.posture: shape = \(3,\), must be \(14,\)"):
        build(replace(WISH, posture=np.zeros(3)), weights=MappingWeights(posture=0.3))
    with pytest.raises(InvalidModel, match=r"weights.posture = -1.0, must be finite and >= 0"):
        MappingWeights(posture=-1.0)
