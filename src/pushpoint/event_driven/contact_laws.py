"""Forces or impulses that obey the laws of contact together, by projected Gauss-Seidel.

y = A x + b are velocities after an impact, or accelerations of what is at rest. Every row of x obeys one law:

    normal     x >= 0, y >= 0, x y = 0
    friction   |x| <= mu x_normal, and x opposes y where y is not zero
    disc       a pair of rows, |x| <= bound, and x opposes y
    interval   |x| <= bound, and x opposes y
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint.errors import SimulationFailed

MOST_ROUNDS = 20000
TOLERANCE = 1e-12
"""Change of a row's velocity or acceleration in one round, over the largest there is, that counts as none [-]."""
NONE = np.zeros(0, dtype=int)


class ContactLaws(NamedTuple):
    """Which rows obey which law."""

    normal: np.ndarray
    """Rows of normal forces."""
    friction: np.ndarray
    """Rows of friction at contacts."""
    friction_of: np.ndarray
    """Row of the normal force that bounds each of these."""
    coefficient: np.ndarray
    """mu of each of these [-]."""
    disc: np.ndarray = NONE
    """First rows of the pairs."""
    disc_bound: np.ndarray = NONE
    """Largest force of each pair."""
    interval: np.ndarray = NONE
    """Rows of moments."""
    interval_bound: np.ndarray = NONE
    """Largest moment of each."""


def solve_laws(A: np.ndarray, b: np.ndarray, laws: ContactLaws) -> np.ndarray:
    """x of the laws above; raises if none is found."""
    x = np.zeros(len(b))
    if not len(b):
        return x
    stiff = _stiffness(A, laws)
    size = float(np.abs(b).max()) + 1e-3  # so that round-off alone is no demand
    for _ in range(MOST_ROUNDS):
        before = x.copy()
        _one_round(A, b, laws, stiff, x)
        if np.abs(stiff * (x - before)).max() <= TOLERANCE * size:
            return x
    raise SimulationFailed("the event-driven model found no contact forces that obey all laws of contact and friction")


def _stiffness(A: np.ndarray, laws: ContactLaws) -> np.ndarray:
    stiff = np.diag(A).copy()
    for k in laws.disc:
        stiff[k : k + 2] = np.linalg.norm(A[k : k + 2, k : k + 2], 2)
    if (stiff <= 0.0).any():
        raise SimulationFailed(
            "the event-driven model has no unique motion: friction at a contact drives it against its peg (Painleve)"
        )
    return stiff


def _one_round(A: np.ndarray, b: np.ndarray, laws: ContactLaws, stiff: np.ndarray, x: np.ndarray) -> None:
    for k in laws.normal:
        x[k] = max(0.0, x[k] - (A[k] @ x + b[k]) / stiff[k])
    for k, n, mu in zip(laws.friction, laws.friction_of, laws.coefficient, strict=True):
        x[k] = min(max(x[k] - (A[k] @ x + b[k]) / stiff[k], -mu * x[n]), mu * x[n])
    for k, bound in zip(laws.interval, laws.interval_bound, strict=True):
        x[k] = min(max(x[k] - (A[k] @ x + b[k]) / stiff[k], -bound), bound)
    for k, bound in zip(laws.disc, laws.disc_bound, strict=True):
        pair = x[k : k + 2] - (A[k : k + 2] @ x + b[k : k + 2]) / stiff[k]
        x[k : k + 2] = pair * min(1.0, bound / max(float(np.hypot(*pair)), 1e-300))
