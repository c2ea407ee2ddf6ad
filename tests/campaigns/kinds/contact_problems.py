"""Contact problems of odd numbers, shapes and kinds: solved, judged, written and read back."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from campaigns.calls import things
from campaigns.calls.table import wrong_values
from campaigns.campaign import kind
from pushpoint import contact_problems

Random = np.random.Generator
SIZES = (0.0, 1e-320, 1e-300, 1e-30, 1e-9, 1.0, 1e9, 1e30, 1e59, 1e160, 1e308, np.inf, np.nan)
"""Magnitudes that entries are given."""


@cache
def _values() -> list[Any]:
    return list(wrong_values().values())


def random_problem(random: Random) -> dict[str, Any]:
    """A true problem: W = H M^-1 H^T of few masses, with redundant contacts now and then."""
    dimension, count = int(random.integers(2, 4)), int(random.integers(0, 6))
    rows = dimension * count
    H = random.normal(size=(rows, int(random.integers(1, 8))))
    mu = random.uniform(0.0, 1.0, count) if random.random() < 0.7 else float(random.uniform())
    return {"W": H @ H.T, "q": random.normal(size=rows), "mu": mu, "dimension": dimension}


def odd(random: Random, value: Any) -> Any:
    """A part of a problem made odd: an entry, its size, its shape, or all of it."""
    way, size = random.integers(6), SIZES[random.integers(len(SIZES))]
    array = np.array(value, dtype=float)
    if way == 0:
        return _values()[random.integers(len(_values()))]
    if way == 1 and array.size:
        array.flat[random.integers(array.size)] = size * random.choice((-1.0, 1.0))
        return array
    if way == 2:
        with np.errstate(all="ignore"):
            return array * size
    if way == 3:
        return array[:-1] if array.ndim else array[None]
    if way == 4:
        return array.astype(random.choice(["float16", ">f8", "object", "complex", "int64", "longdouble"]))
    return np.asfortranarray(array)[::-1] if array.ndim else array


@kind("contact problems", full=20_000, short=120, limit=60.0)
def trial(seed: int) -> str:
    """A problem with up to two odd parts, solved from an odd start, judged, written and read."""
    random = np.random.default_rng((seed, 18))
    given = random_problem(random)
    for name in random.choice(list(given), size=random.integers(0, 3), replace=False):
        given[str(name)] = odd(random, given[str(name)])
    problem = contact_problems.Problem(**given)
    start = odd(random, np.zeros((problem.n_contacts, problem.dimension))) if random.random() < 0.3 else None
    solution = contact_problems.solve(
        problem.W, problem.q, problem.mu, dimension=problem.dimension, start=start, rounds=3
    )
    if solution.converged:
        assert solution.residuals.worst <= 1e-9, "a solution that converged misses the laws"
    place: Path = things.folder.make() / "problem.npz"
    problem.save(place)
    assert np.array_equal(contact_problems.load(place).W, problem.W), "another problem is read than was written"
    return "converged" if solution.converged else "unconverged"
