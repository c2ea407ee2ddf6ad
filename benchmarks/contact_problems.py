"""Shares of random contact problems that are solved to 1e-9, as JSON: python benchmarks/contact_problems.py.

The problems are known to have a solution: one exists if some velocity v has H v + q inside the dual cone at every
contact, u_N > mu |u_T|, q = H v_free, and both families are built around such a velocity. One JSON object per line is
printed as results come, and the totals last.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from pushpoint.contact_problems import solve

SIZES = {1: 60, 3: 60, 10: 60, 30: 30, 100: 8, 200: 4}
"""Contacts per problem, and how many problems of each family and largest friction."""
FRICTION = (0.0, 0.3, 1.0)
Problem = tuple[np.ndarray, np.ndarray, np.ndarray]


def dense_problem(rng: np.random.Generator, count: int, most_friction: float, freedoms: int) -> Problem:
    """W, q, mu with random directions between all freedoms; rank-deficient where freedoms < 3 count."""
    H = rng.normal(size=(count, 3, freedoms))
    way_out = rng.normal(size=freedoms)
    way_out /= np.linalg.norm(way_out)
    mu = rng.uniform(0.0, most_friction, count)
    u = H @ way_out
    enough = mu * np.hypot(u[:, 1], u[:, 2]) + rng.uniform(0.05, 1.0, count)
    H[:, 0] += (enough - u[:, 0])[:, None] * way_out
    flat = H.reshape(3 * count, freedoms)
    root = rng.normal(size=(freedoms, freedoms))
    M = root @ root.T / freedoms + 0.1 * np.eye(freedoms)
    W = flat @ np.linalg.solve(M, flat.T)
    return (W + W.T) / 2, flat @ rng.normal(size=freedoms), mu


def bodies_problem(rng: np.random.Generator, count: int, most_friction: float, per_body: float) -> Problem:
    """W, q, mu of rigid bodies driven into each other and into one that is fixed, `per_body` contacts each.

    Normals join the centres, so that bodies that fly apart open every contact. Masses differ by up to a hundred.
    """
    n_bodies = max(1, int(count / per_body))
    center = rng.normal(size=(n_bodies + 1, 3))
    H = np.zeros((count, 3, n_bodies + 1, 6))
    for k in range(count):
        a = 1 + k % n_bodies
        b = int(rng.choice([other for other in range(n_bodies + 1) if other != a]))
        normal = center[a] - center[b]
        normal /= np.linalg.norm(normal)
        along = np.cross(normal, rng.normal(size=3))
        along /= np.linalg.norm(along)
        frame = np.array([normal, along, np.cross(normal, along)])
        point = (center[a] + center[b]) / 2 + 0.1 * rng.normal(size=3)
        for body, sign in ((a, 1.0), (b, -1.0)):
            H[k, :, body, :3] = sign * frame
            H[k, :, body, 3:] = sign * np.cross(point - center[body], frame)
    flat = H[:, :, 1:].reshape(3 * count, -1)
    inverse_mass = np.repeat(10.0 ** rng.uniform(-1.0, 1.0, n_bodies), 6).reshape(-1, 6)
    inverse_mass[:, 3:] *= 20.0
    together = -center[1:] + 0.3 * rng.normal(size=(n_bodies, 3))
    velocity = np.concatenate([together, rng.normal(size=(n_bodies, 3))], axis=1).ravel()
    W = (flat * inverse_mass.ravel()) @ flat.T
    return (W + W.T) / 2, flat @ velocity, rng.uniform(0.0, most_friction, count)


def families() -> dict[str, Callable[[np.random.Generator, int, float], Problem]]:
    """Kinds of problem by name, easy ones first."""
    return {
        "full rank": lambda rng, n, mu: dense_problem(rng, n, mu, int(4.5 * n) + 1),
        "half rank": lambda rng, n, mu: dense_problem(rng, n, mu, max(1, int(1.5 * n))),
        "tenth rank": lambda rng, n, mu: dense_problem(rng, n, mu, max(1, int(0.3 * n))),
        "bodies, 2 contacts each": lambda rng, n, mu: bodies_problem(rng, n, mu, 2.0),
        "bodies, 4 contacts each": lambda rng, n, mu: bodies_problem(rng, n, mu, 4.0),
        "bodies, 8 contacts each": lambda rng, n, mu: bodies_problem(rng, n, mu, 8.0),
    }


def solved_share(family: str, count: int, most_friction: float, tries: int, seed: int) -> dict[str, Any]:
    """How many of `tries` problems were solved, how well and how fast."""
    rng = np.random.default_rng([seed, count, int(1000 * most_friction), sorted(families()).index(family)])
    worst, seconds, iterations, solved = [], [], [], 0
    for _ in range(tries):
        W, q, mu = families()[family](rng, count, most_friction)
        begin = time.perf_counter()
        solution = solve(W, q, mu)
        seconds.append(time.perf_counter() - begin)
        iterations.append(solution.iterations)
        worst.append(solution.residuals.worst)
        solved += solution.converged
    return {
        "family": family,
        "contacts": count,
        "largest_friction": most_friction,
        "problems": tries,
        "solved": solved,
        "worst_residual": max(worst),
        "worst_unconverged": max([w for w in worst if w > 1e-9], default=None),
        "mean_iterations": float(np.mean(iterations)),
        "median_seconds": float(np.median(seconds)),
        "longest_seconds": max(seconds),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="of the random problems")
    parser.add_argument("--share", type=float, default=1.0, help="of the usual number of problems")
    given = parser.parse_args()
    rows = []
    for contacts, tries in SIZES.items():
        for family in families():
            for friction in FRICTION:
                count = max(1, round(given.share * tries))
                rows.append(solved_share(family, contacts, friction, count, given.seed))
                print(json.dumps(rows[-1]), flush=True)
    total = {"problems": sum(row["problems"] for row in rows), "solved": sum(row["solved"] for row in rows)}
    print(json.dumps({"totals": total}))


if __name__ == "__main__":
    main()
