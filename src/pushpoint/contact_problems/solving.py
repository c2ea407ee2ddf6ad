"""Contact problems from elsewhere, u = W p + q with unilateral contact and friction, solved by the engines' laws.

W is the Delassus matrix H M^-1 H^T, q the velocity of the contacts without their impulses, p the impulses. Rows are
ordered contact by contact: normal, then one tangent (dimension 2) or two (dimension 3). The law is Coulomb's own: the
normal velocity of a sliding contact is zero, not that of the associated cone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.contact_problems.local import Local
from pushpoint.contact_problems.measuring import Residuals, measure
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import positive

ROUNDS = 24
"""Rounds of sweeps and Newton's method before a problem counts as unsolved."""
SHARE = 0.3
"""How much of the tolerance the solver's own residual may use; its maps differ from those of the criteria."""


@dataclass(frozen=True, kw_only=True)
class Solution:
    """What was found, and how good it is."""

    impulses: np.ndarray
    """Normal and tangential impulses [N s], shape (n_contacts, dimension)."""
    velocities: np.ndarray
    """Velocities u = W p + q [m/s], same shape."""
    residuals: Residuals
    """Distances from the laws, computed without the solver."""
    converged: bool
    """Whether `residuals.worst` is within the tolerance."""
    iterations: int
    """Newton iterations [-]."""
    sweeps: int
    """Gauss-Seidel sweeps [-]."""


def solve(
    W: Any,
    q: Any,
    mu: Any,
    *,
    dimension: int = 3,
    tolerance: float = 1e-9,
    start: Any = None,
    rounds: int = ROUNDS,
) -> Solution:
    """Impulses that satisfy Signorini's and Coulomb's laws at every contact; `converged` says whether they do.

    W: Delassus matrix [1/kg], symmetric and positive semi-definite, singular or not.
    q: Velocities without contact impulses [m/s], with restitution: e times the normal velocity before an impact added.
    mu: Friction coefficients [-]: a number, one per contact, or in space (along, across) per contact for an ellipse,
        or (forward, backward, across). Slip is normal to the set.
    dimension: Rows per contact: 3, or 2 in the plane.
    tolerance: Largest residual over the problem's own scales [-]; see `Residuals.worst`.
    start: Impulses to begin from [N s], shape (n, dimension); of many solutions one near to them is found.
    rounds: Attempts before the problem counts as unsolved [-].
    """
    local = Local.of(W, q, mu, dimension)
    enough = positive("tolerance", tolerance, "-")
    if isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 1:
        raise InvalidModel("rounds", rounds, "a whole number >= 1")
    guess = None if start is None else local.impulses(start, "start")
    p, iterations, sweeps = np.zeros((0, local.dimension)), 0, 0
    if local.count:
        from pushpoint.contact_problems.local_solver import LocalSolver  # loads Warp: not before it is needed

        solver = LocalSolver(local, guess)
        solver.solve(SHARE * enough * float(np.abs(local.q).max()), lambda p: measure(local, p).worst <= enough, rounds)
        p, iterations, sweeps = solver.impulses, solver.iterations, solver.sweeps
    judged = measure(local, p)
    return Solution(
        impulses=p,
        velocities=local.velocities(p),
        residuals=judged,
        converged=judged.worst <= enough,
        iterations=iterations,
        sweeps=sweeps,
    )
