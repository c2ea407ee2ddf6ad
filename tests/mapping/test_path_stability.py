"""Growth about a path: the linearised motion against finite steps of the whole loop, and what load and stiffness do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from pushpoint.errors import InvalidModel
from pushpoint.mapping import (
    MappingWeights,
    Path,
    RailCosts,
    Travel,
    lay_rails,
    least_stiffness,
    path_stability,
    pose_on_path,
)
from pushpoint.mapping.path_quality import beside_links, touches
from pushpoint.mapping.path_stability import FIRM, RATE_STEP, STEP, _positions
from pushpoint.model.catalogue import holden2014
from pushpoint.model.environment import Peg
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.papers.holden2014.courses import flank_pegs, sine_path
from pushpoint.papers.holden2014.scenarios import WAVE
from pushpoint.reduced import Contacts, GroundFriction, ReducedState, close, reduce_robot, smooth_terms

ROBOT, PATH = reduce_robot(holden2014()), sine_path(WAVE)
PEGS = flank_pegs(0.01, wave=WAVE)
"""Smooth ones, of which the theory speaks."""
HEAD = holden2014().length + np.linspace(0.05, 0.6, 8)
PAPER, HELD = MappingWeights(), MappingWeights(posture=0.4)


def ground(mu: float) -> GroundFriction:
    return GroundFriction(coefficient=mu)


def test_the_paper_s_law_grows_under_load_and_a_posture_term_does_not() -> None:
    plain, held = (path_stability(Travel(ROBOT, ground(0.3), PATH, PEGS, HEAD), law) for law in (PAPER, HELD))
    assert (plain.growth > 0.0).all() and not plain.stable and np.isinf(plain.offset).all()
    assert held.stable and held.worst == held.growth.max() < 0.0 and held.offset.max() < 0.1  # rad
    assert (plain.free == held.free).all() and (plain.free >= 1).all()


def test_at_rest_on_smooth_ground_nothing_grows_and_nothing_holds() -> None:
    # Without load no force acts on the free coordinates: eigenvalues 0, twice each, which rounding splits by its root.
    found = path_stability(Travel(ROBOT, ground(0.0), PATH, PEGS, HEAD[:3], speed=1e-6), PAPER)
    assert np.abs(found.growth).max() < 1e-2  # 1/s; under load it is above 1


@pytest.mark.parametrize("form", ["free", "eliminated"])
def test_on_rails_all_links_in_the_wish_are_stable_and_none_held_is_not(form: str) -> None:
    firm, loose = (
        path_stability(Travel(ROBOT, ground(0.3), PATH, PEGS, HEAD[:3]), RailCosts(form=form, posture=rho))
        for rho in (None, 0.0)
    )
    assert firm.stable and not loose.stable


def test_stiffness_of_the_load_is_proportional_to_it() -> None:
    # At a creep inertia is nothing, friction does not depend on speed, and accelerations are linear in the load.
    K = []
    for mu in (0.1, 0.4):
        (held,) = _positions(Travel(ROBOT, ground(mu), PATH, PEGS, HEAD[:1], 1e-6), PAPER)
        K.append(held.linearised(PAPER, FIRM)[1])
    np.testing.assert_allclose(K[1], 4.0 * K[0], atol=1e-4 * np.abs(K[1]).max())  # finite differences
    assert np.linalg.eigvals(K[0]).real.max() > 1.0  # 1/s^2: it buckles


def null_space(held: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Motions left free, the projector onto torques that the wish does not feel, and what these do to the free ones."""
    Z, A = held.tangent, held.closed.per_torque[0]
    A_e = A[[*held.links, -2, -1]]
    Pi = np.eye(19) - np.linalg.pinv(A_e) @ A_e
    return Z, Pi, Z.T @ held.mass_matrix[0] @ A @ Pi


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize(("mu", "speed"), [(0.0, 1e-3), (0.3, 0.1)])
def test_the_posture_term_is_a_servo_with_inertia(friction: float, mu: float, speed: float) -> None:
    # (1 + rho S) xi_ddot = (K - rho k_p S) xi + (V - rho k_d S) xi_dot + ..., S = G G^T, at rough pegs too. Where the
    # path is no equilibrium, S changes with xi under an acceleration: K then has a further term, V has not.
    pegs = flank_pegs(0.01, wave=WAVE, friction=friction)
    (held,) = _positions(Travel(ROBOT, ground(mu), PATH, pegs, HEAD[:1], speed), PAPER)
    _, K, V = held.linearised(PAPER, FIRM)
    _, _, G = null_space(held)
    S = G @ G.T
    for rho in (0.01, 0.4):
        _, K_rho, V_rho = held.linearised(MappingWeights(posture=rho), FIRM)
        inertia = np.eye(held.left) + rho * S
        expected = V - rho * 40.0 * S
        np.testing.assert_allclose(inertia @ V_rho, expected, atol=1e-4 * np.abs(expected).max())  # differences
        if mu == 0.0:
            expected = K - rho * 400.0 * S
            np.testing.assert_allclose(inertia @ K_rho, expected, atol=1e-4 * np.abs(expected).max())


def test_the_stiffness_at_which_buckling_ends_is_proportional_to_the_load() -> None:
    # K - k S is singular last where k is the largest real eigenvalue of S^-1 K.
    static = []
    for mu in (0.1, 0.4):
        (held,) = _positions(Travel(ROBOT, ground(mu), PATH, PEGS, HEAD[:1], 1e-6), PAPER)
        _, _, G = null_space(held)
        values = np.linalg.eigvals(np.linalg.solve(G @ G.T, held.linearised(PAPER, FIRM)[1]))
        static.append(values.real[np.abs(values.imag) < 1e-6 * np.abs(values)].max())
    assert static[0] > 0.0 and static[1] == pytest.approx(4.0 * static[0], rel=1e-3)  # finite differences


def test_a_servo_in_the_null_space_adds_a_symmetric_stiffness() -> None:
    # u_0 = -k phi - d phi_dot adds -S (k xi + d xi_dot), S = Z^T B Pi B^T Z, at smooth pegs (the page has the proof).
    (held,) = _positions(Travel(ROBOT, ground(0.3), PATH, PEGS, HEAD[:1], 0.1), PAPER)
    Z, Pi, G = null_space(held)
    B = ROBOT.torque_map
    S = Z.T @ B @ Pi @ B.T @ Z
    rng = np.random.default_rng(0)
    xi, xi_dot, k, d = rng.normal(size=held.left), rng.normal(size=held.left), 20.0, 1.0
    added = G @ (-k * B.T @ Z @ xi - d * B.T @ Z @ xi_dot)  # phi = B^T q
    np.testing.assert_allclose(added, -S @ (k * xi + d * xi_dot), atol=1e-9 * np.abs(added).max())  # rounding
    np.testing.assert_allclose(G @ G.T, S, atol=1e-9 * np.abs(S).max())
    assert np.linalg.eigvalsh(S).min() > 0.0


def test_the_linearised_motion_is_what_a_small_departure_does() -> None:
    # Two flows of the whole loop, the law by pseudo-inverse, from neighbours on the manifold of contacts and wish.
    law, v, step = MappingWeights(posture=0.02), 0.1, 1e-4
    (held,) = _positions(Travel(ROBOT, ground(0.3), PATH, PEGS, HEAD[:1], v), law)
    _, K, V = held.linearised(law, FIRM)
    contacts, near = touches(ROBOT, pose_on_path(ROBOT, PATH, HEAD[:1]), PEGS)
    pegs, link, side = (
        [peg for peg, at in zip(PEGS, near[0], strict=True) if at],
        contacts.link[near],
        contacts.side[near],
    )
    q_ref, slope, bend = lay_rails(ROBOT, PATH).at(HEAD[0])
    standoff = np.abs(beside_links(ROBOT, q_ref[-2:], q_ref[:-2], pegs)[1][link, range(len(pegs))])
    free = np.delete(np.arange(20), held.links)
    rows = [*held.links, 20, 21]

    def flow(t: float, x: np.ndarray) -> np.ndarray:
        q, q_dot = x[:22], x[22:]
        state = ReducedState(center=q[20:], velocity=q_dot[20:], link_angle=q[:20], link_rate=q_dot[:20])
        along = beside_links(ROBOT, q[20:], q[:20], pegs)[0][link, range(len(pegs))]
        touching = Contacts(link=link, side=side, along=along, surface=ROBOT.radius[link], standoff=standoff)
        closed, M = close(ROBOT, ground(0.3), state, touching), smooth_terms(ROBOT, ground(0.3), state).mass_matrix
        wish = v**2 * bend - 400.0 * (q - q_ref - v * t * slope) - 40.0 * (q_dot - v * slope - v**2 * t * bend)
        A, missing = closed.per_torque, wish - closed.free
        root = np.sqrt(0.02) * np.linalg.cholesky(M[np.ix_(free, free)]).T
        plain = np.linalg.pinv(A[rows]) @ missing[rows]
        null = np.eye(19) - np.linalg.pinv(A[rows]) @ A[rows]
        lsq = np.vstack((null, root @ A[free] @ null))
        w = np.linalg.lstsq(lsq, np.concatenate((-plain, root @ (missing[free] - A[free] @ plain))), rcond=1e-10)[0]
        return np.concatenate((q_dot, closed.acceleration(plain + null @ w)))

    def state_of_row(row: int) -> np.ndarray:
        return np.concatenate((q_ref + held.error[0, row], v * slope + held.error[1, row]))

    n = held.left
    for j in range(n):
        for first, size, slopes in ((1, STEP, K), (1 + 2 * n, RATE_STEP, V)):
            ends = [
                solve_ivp(flow, (0.0, step), state_of_row(first + 2 * j + k), rtol=1e-12, atol=1e-13) for k in (0, 1)
            ]
            change = [end.y[22:, -1] - end.y[22:, 0] for end in ends]
            found = held.tangent.T @ held.mass_matrix[0] @ (change[0] - change[1]) / (2.0 * size * step)
            scale = np.abs(slopes).max() + 0.05 * np.abs(V).max()  # within 0.1 ms rates change by V, and so does K's
            np.testing.assert_allclose(found, slopes[:, j], atol=0.02 * scale)


def test_the_least_stiffness_is_where_growth_ends() -> None:
    k = least_stiffness(Travel(ROBOT, ground(0.3), PATH, PEGS, HEAD[:3]))
    assert (k > 0.0).all() and np.isfinite(k).all()
    for head, least in zip(HEAD[:3], k, strict=True):
        below, above = (
            path_stability(
                Travel(ROBOT, ground(0.3), PATH, PEGS, head), MappingWeights(posture=share * least / 400.0)
            ).stable
            for share in (0.99, 1.01)
        )
        assert above and not below
    other = least_stiffness(
        Travel(ROBOT, ground(0.3), PATH, PEGS, HEAD[:3]), replace(FIRM, posture_stiffness=100.0, posture_damping=20.0)
    )
    np.testing.assert_allclose(other.max(), k.max(), rtol=0.5)  # a stiffness, whatever k_p it is made of


def test_where_no_peg_touches_nothing_is_certified() -> None:
    far = [Peg(x=50.0, y=0.0, radius=0.01)]
    found = path_stability(Travel(ROBOT, ground(0.3), PATH, far, HEAD[:2]), HELD)
    assert np.isinf(found.growth).all() and not found.stable and (found.free == 0).all()
    with pytest.raises(InvalidModel, match="pegs = 0, must be at least one"):
        Travel(ROBOT, ground(0.3), PATH, [], HEAD[:2])
    with pytest.raises(InvalidModel, match=r"speed = 0\.0, must be"):
        Travel(ROBOT, ground(0.3), PATH, PEGS, HEAD[:2], speed=0.0)


def test_where_nothing_is_left_free_nothing_grows() -> None:
    # Two pegs, at links 1 and 3 of five: they, those behind them and the head are all links.
    link = PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=0.03)
    robot = reduce_robot(PlanarRobot.uniform(5, link))
    straight = Path(np.array([(0.0, 0.0), (2.0, 0.0)]))
    pegs = [Peg(x=0.65, y=-0.05, radius=0.02), Peg(x=0.85, y=0.05, radius=0.02)]
    travel = Travel(robot, ground(0.3), straight, pegs, np.array([1.0]))
    found = path_stability(travel)
    assert found.free.tolist() == [0] and found.growth.tolist() == [-np.inf] and found.offset.tolist() == [0.0]
    assert found.stable and least_stiffness(travel).tolist() == [0.0]


def test_poses_are_those_of_the_path() -> None:
    found = path_stability(Travel(ROBOT, ground(0.3), PATH, PEGS, HEAD[:2]), HELD)
    np.testing.assert_array_equal(found.head, pose_on_path(ROBOT, PATH, HEAD[:2]).head)
