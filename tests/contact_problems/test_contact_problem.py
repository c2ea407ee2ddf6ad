"""Contact problems from elsewhere: closed forms, random problems, criteria that share nothing with the solver."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.contact_problems import bodies_problem, dense_problem

import pushpoint as pp
from oracles.cones import project
from pushpoint.errors import BadFile, InvalidModel
from pushpoint.model.friction import Skin

ROUND_OFF = 1e-12


def block(speed: tuple[float, float, float], mass: float = 2.0) -> tuple[np.ndarray, np.ndarray]:
    """W and q of a point mass that arrives with a velocity (normal, along, across)."""
    return np.eye(3) / mass, np.array(speed)


# Closed forms: a mass m arrives with (-a, s, 0). It loses a by p_N = m a, and friction takes at most mu m a of m s.


def test_block_sticks_where_friction_suffices() -> None:
    found = pp.contact_problems.solve(*block((-1.0, 0.3, 0.0)), 0.5)
    assert found.converged
    np.testing.assert_allclose(found.impulses, [[2.0, -0.6, 0.0]], atol=ROUND_OFF)
    np.testing.assert_allclose(found.velocities, np.zeros((1, 3)), atol=ROUND_OFF)


def test_block_slides_where_it_does_not() -> None:
    found = pp.contact_problems.solve(*block((-1.0, 3.0, 4.0)), 0.5)
    assert found.converged
    np.testing.assert_allclose(found.impulses, [[2.0, -0.6, -0.8]], atol=ROUND_OFF)
    # Coulomb's own law: the sliding block does not lift off, as mu |u_T| > 0 of the associated cone would make it.
    np.testing.assert_allclose(found.velocities, [[0.0, 2.7, 3.6]], atol=ROUND_OFF)


def test_open_contact_is_left_alone() -> None:
    found = pp.contact_problems.solve(*block((0.5, 3.0, 4.0)), 0.5)
    assert found.converged and not found.impulses.any()


def test_restitution_is_in_the_free_velocity() -> None:
    rebound = 0.4  # u_N = velocity after + e times the velocity before, Newton's law
    W, q = block((-1.0, 0.0, 0.0))
    found = pp.contact_problems.solve(W, q + np.array([-rebound, 0.0, 0.0]), 0.0)
    assert (W @ found.impulses.ravel() + q)[0] == pytest.approx(rebound, abs=ROUND_OFF)


def test_slip_is_normal_to_an_ellipse() -> None:
    along, across = 0.1, 0.5
    found = pp.contact_problems.solve(*block((-1.0, 3.0, 4.0)), [(along, across)])
    assert found.converged
    p, u = found.impulses[0], found.velocities[0]
    normal = np.array([p[1] / along**2, p[2] / across**2])  # gradient of (p/along)^2 + (p/across)^2
    assert np.hypot(p[1] / along, p[2] / across) == pytest.approx(p[0], rel=1e-9)
    assert -u[1:] @ normal == pytest.approx(np.linalg.norm(u[1:]) * np.linalg.norm(normal), rel=1e-9)


@pytest.mark.parametrize(("slip", "coefficient"), [(3.0, 0.1), (-3.0, 0.4)])
def test_skin_knows_forward_from_backward(slip: float, coefficient: float) -> None:
    found = pp.contact_problems.solve(*block((-1.0, slip, 0.0)), [(0.1, 0.4, 0.7)])
    np.testing.assert_allclose(found.impulses, [[2.0, -np.sign(slip) * coefficient * 2.0, 0.0]], atol=ROUND_OFF)


def test_plane_problem_is_the_one_in_space_without_a_second_tangent() -> None:
    W, q, mu = bodies_problem(np.random.default_rng(5), 12, 0.8, 2.0)
    rows = np.arange(36).reshape(12, 3)[:, :2].ravel()
    flat = pp.contact_problems.solve(W[np.ix_(rows, rows)], q[rows], mu, dimension=2)
    assert flat.converged and flat.impulses.shape == (12, 2)
    # Scalar Coulomb by hand: sticking, or sliding on the bound against the slip.
    p_N, p_T, u_T = flat.impulses[:, 0], flat.impulses[:, 1], flat.velocities[:, 1]
    slipping = np.abs(u_T) > 1e-6
    assert slipping.any() and (~slipping & (p_N > 1e-6)).any()
    np.testing.assert_allclose(p_T[slipping], -np.sign(u_T[slipping]) * (mu * p_N)[slipping], atol=1e-8)
    assert (np.abs(p_T) <= mu * p_N + 1e-8).all()


def test_block_on_four_feet_carries_its_weight() -> None:
    """Rank 6 of 12: the split is free, the sums are not."""
    corner = np.array([[x, y, -0.5] for x in (-1.0, 1.0) for y in (-1.0, 1.0)])
    frame = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    H = np.concatenate([np.hstack([frame, np.cross(arm, frame)]) for arm in corner])
    mass, inertia = 3.0, 0.5
    free = np.array([0.3, 0.0, -0.2, 0.0, 0.0, 0.0])
    M = np.diag([mass] * 3 + [inertia] * 3)
    found = pp.contact_problems.solve(H @ np.linalg.solve(M, H.T), H @ free, 0.9)
    assert found.converged
    total = H.T @ found.impulses.ravel()
    # 0.3 along against 0.9 * 0.2: it slides on, 0.3 - 0.18, and tips no corner up (0.18 * 0.5 m < 0.2 * 1 m).
    np.testing.assert_allclose(total[:3], mass * np.array([-0.18, 0.0, 0.2]), atol=1e-9)
    np.testing.assert_allclose(total[3:], 0.0, atol=1e-9)


# Random problems


def de_saxce_residual(W: np.ndarray, q: np.ndarray, mu: np.ndarray, p: np.ndarray) -> float:
    """|p - proj_K(p - r u~)|/r, u~ = u + (mu |u_T|, 0, 0), K the friction cone: the natural map of the literature."""
    u = (W @ p.ravel() + q).reshape(-1, 3)
    r = len(u) * 3 / np.trace(W)
    worst = 0.0
    for k, c in enumerate(mu):
        y = p[k] - r * (u[k] + np.array([c * np.hypot(*u[k, 1:]), 0.0, 0.0]))
        size = float(np.hypot(*y[1:]))
        if size <= c * y[0]:
            near = y
        elif y[0] + c * size <= 0.0:
            near = np.zeros(3)
        else:
            height = (y[0] + c * size) / (1.0 + c * c)
            near = np.array([height, *(c * height * y[1:] / size)])
        worst = max(worst, float(np.abs(p[k] - near).max()) / r)
    return worst / float(np.abs(q).max())


@pytest.mark.parametrize("most_friction", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("count", [1, 3, 10, 40])
@pytest.mark.parametrize("family", ["full rank", "rank deficient", "bodies"])
def test_random_problems_are_solved(family: str, count: int, most_friction: float) -> None:
    rng = np.random.default_rng([7, count])
    for _ in range(4):
        if family == "bodies":
            W, q, mu = bodies_problem(rng, count, most_friction, 3.0)
        else:
            W, q, mu = dense_problem(rng, count, most_friction, 4 * count if family == "full rank" else count)
        found = pp.contact_problems.solve(W, q, mu)
        assert found.converged and found.residuals.worst <= 1e-9
        # Another map with another mass: a few times the tolerance, the free velocity being the scale of both.
        assert de_saxce_residual(W, q, mu, found.impulses) < 1e-8


@pytest.mark.parametrize("family", ["dense", "bodies"])
def test_two_hundred_contacts(family: str) -> None:
    rng = np.random.default_rng(11)
    made = dense_problem(rng, 200, 1.0, 60) if family == "dense" else bodies_problem(rng, 200, 0.5, 4.0)
    assert pp.contact_problems.solve(*made).residuals.worst <= 1e-9


def test_random_ellipses_and_skins_are_solved() -> None:
    rng = np.random.default_rng(3)
    for _ in range(10):
        W, q, _ = bodies_problem(rng, 10, 1.0, 2.0)
        mu = rng.uniform(0.0, 1.0, (10, 3)) * (rng.random((10, 3)) > 0.1)  # some coefficients are zero
        assert pp.contact_problems.solve(W, q, mu).converged


def test_start_picks_one_of_many_solutions() -> None:
    """A beam on three feet in a row: any push of the middle one will do, and the nearest is taken."""
    lever = np.array([-1.0, 0.0, 1.0])
    W = np.kron(1.0 + np.outer(lever, lever), np.diag([1.0, 0.0]))  # unit mass and inertia, nothing moves sideways
    q = np.array([-1.0, 0.0] * 3)
    for middle in (0.0, 0.3, 1.0):
        outer = (1.0 - middle) / 2
        given = np.array([[outer, 0.0], [middle, 0.0], [outer, 0.0]])
        found = pp.contact_problems.solve(W, q, 0.5, dimension=2, start=given)
        assert found.converged
        np.testing.assert_allclose(found.impulses, given, atol=1e-12)
        off = given + np.array([[1e-3, 0.0], [0.0, 0.0], [-1e-3, 0.0]])  # turns the beam: no solution
        np.testing.assert_allclose(
            pp.contact_problems.solve(W, q, 0.5, dimension=2, start=off).impulses, given, atol=1e-9
        )


def test_problem_without_a_solution_is_said_to_be_unconverged() -> None:
    found = pp.contact_problems.solve(np.zeros((3, 3)), [-1.0, 0.0, 0.0], 0.3, rounds=2)
    assert not found.converged and found.residuals.worst > 0.1


def test_nothing_touches() -> None:
    found = pp.contact_problems.solve(np.zeros((0, 0)), np.zeros(0), 0.3)
    assert found.converged and found.impulses.shape == (0, 3)


# Criteria


def test_criteria_see_each_kind_of_violation() -> None:
    W, q = block((-1.0, 3.0, 0.0), mass=1.0)  # right: p = (1, -0.5, 0), u = (0, 2.5, 0)
    right = pp.contact_problems.residuals(W, q, 0.5, [[1.0, -0.5, 0.0]])
    assert right.worst < ROUND_OFF
    pulling = pp.contact_problems.residuals(W, q, 0.0, [[-0.1, 0.0, 0.0]])
    np.testing.assert_allclose(pulling.signorini, 1.1, atol=ROUND_OFF)  # u_N = -1.1 m/s
    lifting = pp.contact_problems.residuals(W, q, 0.0, [[1.2, 0.0, 0.0]])
    np.testing.assert_allclose(lifting.signorini, 0.2, atol=ROUND_OFF)  # u_N = 0.2 m/s while it pushes
    too_much = pp.contact_problems.residuals(W, q, 0.5, [[1.0, -0.7, 0.0]])
    np.testing.assert_allclose(too_much.coulomb, 0.2, atol=ROUND_OFF)  # outside its disc by 0.2 N s, mass 1 kg
    aslant = pp.contact_problems.residuals(W, q, 0.5, [[1.0, 0.0, -0.5]])
    slip = np.array([3.0, -0.5])  # m/s; this force feeds 0.25 J in, the one opposite to the slip takes 0.5 |slip| out
    np.testing.assert_allclose(aslant.dissipation, 0.5 * np.hypot(*slip) + 0.25, atol=ROUND_OFF)
    assert aslant.coulomb[0] > 0.1 and aslant.signorini[0] < ROUND_OFF


def test_nearest_points_agree_with_the_oracle() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        forward, backward, across = rng.uniform(0.0, 1.0, 3)
        p, u = rng.normal(size=3), rng.normal(size=3)
        p[0] = abs(p[0])
        mu = [(forward, backward, across)]
        made = pp.contact_problems.residuals(np.eye(3), u - p, mu, [p])  # so that W p + q = u
        law = Skin(forward=float(forward), backward=float(backward), across=float(across))
        near = project(law, p[1:] - u[1:], float(p[0]))
        assert made.coulomb[0] == pytest.approx(float(np.hypot(*(p[1:] - near))), abs=1e-9)


# What is refused


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"W": np.eye(4)}, r"^W: shape = \(4, 4\), must be \(6, 6\)"),
        ({"q": np.zeros(7)}, r"^q: shape = \(7,\), must be 3 rows per contact"),
        ({"q": np.array([0.0, 0.0, np.nan] * 2)}, r"^q\[2\] = nan, must be finite"),
        ({"W": np.diag([np.inf] + [1.0] * 5)}, r"^W\[0, 0\] = inf, must be finite"),
        (
            {"W": np.eye(6) + np.eye(6, k=1)},
            r"^W: difference from its transpose = 1\.0, must be at most 0\.01 of its largest entry",
        ),
        ({"W": np.diag([1.0] * 5 + [-0.5])}, r"^W: smallest eigenvalue = -0\.5, must be >= 0"),
        ({"mu": -0.1}, r"^mu = -0\.1, must be >= 0"),
        ({"mu": [0.1, 0.2, 0.3]}, r"^mu: shape = \(3,\), must be a number or of shape \(2,\), \(2, 2\)"),
        ({"mu": "ice"}, r"^mu = 'ice', must be an array of numbers"),
        ({"dimension": 4}, r"^dimension = 4, must be 2"),
        ({"tolerance": 0.0}, r"^tolerance = 0\.0, must be finite and > 0"),
        ({"start": np.zeros((3, 3))}, r"^start: shape = \(3, 3\), must be \(2, 3\)"),
        ({"rounds": 0}, r"^rounds = 0, must be a whole number >= 1$"),
    ],
)
def test_bad_problems_are_refused_in_one_sentence(change: dict[str, object], sentence: str) -> None:
    given: dict[str, object] = {"W": np.eye(6), "q": np.zeros(6), "mu": 0.3} | change
    with pytest.raises(InvalidModel, match=sentence) as caught:
        pp.contact_problems.solve(**given)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_impulses_of_another_problem_are_refused() -> None:
    with pytest.raises(InvalidModel, match=re.escape("impulses: shape = (3, 3), must be (2, 3)")):
        pp.contact_problems.residuals(np.eye(6), np.zeros(6), 0.3, np.zeros((3, 3)))


# Files


def test_file_brings_the_problem_back(tmp_path: Path) -> None:
    W, q, mu = bodies_problem(np.random.default_rng(1), 5, 0.6, 2.0)
    problem = pp.contact_problems.Problem(W=W, q=q, mu=mu, kinds=np.array(["ground"] * 5), tolerance=1e-6)
    problem.save(tmp_path / "problem.npz")
    again = pp.contact_problems.load(tmp_path / "problem.npz")
    for name in ("W", "q", "mu", "kinds"):
        np.testing.assert_array_equal(getattr(again, name), getattr(problem, name))
    assert (again.tolerance, again.dimension, again.impulses) == (1e-6, 3, None)
    solution = again.solve()
    assert solution.converged and again.residuals(solution.impulses).worst == solution.residuals.worst
    with pytest.raises(InvalidModel, match="this problem comes without a solution"):
        again.residuals()
    assert [path.name for path in tmp_path.iterdir()] == ["problem.npz"]


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "problem.npz"
    with pytest.raises(BadFile, match="no such file"):
        pp.contact_problems.load(path)
    path.write_text("no problem", encoding="utf-8")
    with pytest.raises(BadFile, match=r"is not an \.npz file of plain arrays"):
        pp.contact_problems.load(path)
    np.save(tmp_path / "array.npy", np.eye(3))
    with pytest.raises(BadFile, match=r"is not an \.npz file of plain arrays"):
        pp.contact_problems.load(tmp_path / "array.npy")
    np.savez(path, W=np.eye(3))
    with pytest.raises(BadFile, match="has no entry format"):
        pp.contact_problems.load(path)
    np.savez(path, format="pushpoint contact problem 1", W=np.eye(3), q=np.zeros(3), mu=0.1)
    with pytest.raises(BadFile, match="has no entry dimension"):
        pp.contact_problems.load(path)
    np.savez(path, format="pushpoint contact problem 1", W=np.eye(3), q=np.zeros(3), mu=-1.0, dimension=3)
    with pytest.raises(BadFile, match=r"mu = -1\.0, must be >= 0"):
        pp.contact_problems.load(path)
    with pytest.raises(BadFile, match="cannot be written"):
        pp.contact_problems.Problem(W=np.eye(3), q=np.zeros(3), mu=0.1).save(path / "problem.npz")


def test_programs_of_the_document_run(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "theory" / "contact-problems.md").read_text(encoding="utf-8")
    programs = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(programs) == 2
    check = """
total = solution.impulses.sum(axis=0)
np.testing.assert_allclose(total, [0.02, -0.008], atol=1e-9)
more = 0.008 * 0.1 / 0.6
np.testing.assert_allclose(solution.impulses[:, 0], [0.01 - more, 0.01 + more], atol=1e-9)
"""
    code = "\n".join([programs[0], check, programs[1]])
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "True True" in done.stdout and (tmp_path / "step.npz").is_file()
