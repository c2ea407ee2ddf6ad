"""The one door to the solver of quadratic programs; it is loaded when the first one is solved.

Listing scenarios, and machines that only run kernels, do without it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Minimum(NamedTuple):
    """What the solver found."""

    x: np.ndarray
    """The unknowns, shape (n,)."""
    solved: bool
    """Whether the solver reached its tolerance."""
    iterations: int
    """Iterations of the solver [-]."""


def minimise(
    P: np.ndarray,
    c: np.ndarray,
    least: np.ndarray,
    most: np.ndarray,
    *,
    equal: tuple[np.ndarray, np.ndarray] | None = None,
    between: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None,
    **settings: Any,
) -> Minimum:
    """The x with the least x^T P x / 2 + c^T x, and least <= x <= most; if asked for, A x = b and low <= G x <= high.

    equal is (A, b), between is (G, low, high); settings are those of the solver that are not its defaults.
    """
    import piqp

    solver = piqp.DenseSolver()
    for name, value in settings.items():
        setattr(solver.settings, name, value)
    A, b = (np.asfortranarray(equal[0]), equal[1]) if equal else (None, None)
    G, low, high = (np.asfortranarray(between[0]), *between[1:]) if between else (None, None, None)
    solver.setup(np.asfortranarray(P), c, A, b, G, low, high, least, most)
    solver.solve()
    result = solver.result
    return Minimum(np.asarray(result.x), bool(result.info.status == piqp.PIQP_SOLVED), int(result.info.iter))
