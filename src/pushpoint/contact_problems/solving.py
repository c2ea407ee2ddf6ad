"""Contact problems from elsewhere, u = W p + q with unilateral contact and friction, solved by the engines' laws.

W is the Delassus matrix H M^-1 H^T, q the velocity of the contacts without their impulses, p the impulses. Rows are
ordered contact by contact: normal, then one tangent (dimension 2) or two (dimension 3). The law is Coulomb's own: the
normal velocity of a sliding contact is zero, not that of the associated cone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.contact_problems.checks import (
    checked_dimension,
    checked_friction,
    checked_impulses,
    checked_matrix,
    checked_velocity,
)
from pushpoint.contact_problems.local_solver import LocalSolver
from pushpoint.contact_problems.measuring import ContactResiduals, measure
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import positive

ROUNDS = 24
"""Rounds of sweeps and Newton's method before a problem counts as unsolved."""
SHARE = 0.3
"""How much of the tolerance the solver's own residual may use; its maps differ from those of the criteria."""


@dataclass(frozen=True, kw_only=True)
class ContactSolution:
    """What was found, and how good it is."""

    impulses: np.ndarray
    """Normal and tangential impulses [N s], shape (n_contacts, dimension)."""
    velocities: np.ndarray
    """Velocities u = W p + q [m/s], same shape."""
    residuals: ContactResiduals
    """Distances from the laws, computed without the solver."""
    converged: bool
    """Whether `residuals.worst` is within the tolerance."""
    iterations: int
    """Newton iterations [-]."""
    sweeps: int
    """Gauss-Seidel sweeps [-]."""


def solve_contact_problem(
    W: Any,
    q: Any,
    mu: Any,
    *,
    dimension: int = 3,
    tolerance: float = 1e-9,
    start: Any = None,
    rounds: int = ROUNDS,
) -> ContactSolution:
    """Impulses that satisfy Signorini's and Coulomb's laws at every contact; `converged` says whether they do.

    W: Delassus matrix [1/kg], symmetric and positive semi-definite, singular or not.
    q: Velocities without contact impulses [m/s], with restitution: e times the normal velocity before an impact added.
    mu: Friction coefficients [-]: a number, one per contact, or in space (along, across) per contact for an ellipse,
        or (forward, backward, across). Slip is normal to the set.
    dimension: Rows per contact: 3, or 2 in the plane.
    tolerance: Largest residual over the problem's own scales [-]; see `ContactResiduals.worst`.
    start: Impulses to begin from [N s], shape (n, dimension); of many solutions one near to them is found.
    rounds: Attempts before the problem counts as unsolved [-].
    """
    size = checked_dimension(dimension)
    velocity = checked_velocity(q, size)
    count = len(velocity) // size
    matrix, friction = checked_matrix(W, len(velocity)), checked_friction(mu, count, size)
    enough = positive("tolerance", tolerance, "-")
    if isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 1:
        raise InvalidModel("rounds", rounds, "a whole number >= 1")

    def judged(p: np.ndarray) -> ContactResiduals:
        return measure(matrix, velocity, friction, p[:, :size])

    def accepted(p: np.ndarray) -> bool:
        return judged(p).worst <= enough

    solver = LocalSolver(*_in_space(matrix, velocity, size), friction) if count else None
    if solver is not None:
        if start is not None:
            guess = np.zeros((count, 3))
            guess[:, :size] = checked_impulses(start, count, size, "start")
            solver.start_from(guess)
        solver.solve(SHARE * enough * float(np.abs(velocity).max()), accepted, rounds)
    p = solver.impulses[:, :size] if solver is not None else np.zeros((0, size))
    residuals = judged(p)
    return ContactSolution(
        impulses=p,
        velocities=(matrix @ p.ravel() + velocity).reshape(count, size),
        residuals=residuals,
        converged=residuals.worst <= enough,
        iterations=solver.iterations if solver is not None else 0,
        sweeps=solver.sweeps if solver is not None else 0,
    )


def _in_space(W: np.ndarray, q: np.ndarray, dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """A plane problem as one in space whose second tangents nothing moves."""
    if dimension == 3:
        return W, q
    count = len(q) // 2
    rows = np.array([(3 * k, 3 * k + 1) for k in range(count)]).ravel()
    matrix, velocity = np.zeros((3 * count, 3 * count)), np.zeros(3 * count)
    matrix[np.ix_(rows, rows)], velocity[rows] = W, q
    return matrix, velocity
