"""The one door to the solver of quadratic programs; it is loaded when the first one is solved.

Listing scenarios, and machines that only run kernels, do without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import piqp


def new_solver() -> piqp.DenseSolver:
    """A solver for one dense problem."""
    import piqp

    return piqp.DenseSolver()


def solved(result: piqp.Result) -> bool:
    """Whether the solver reached its tolerance."""
    import piqp

    return bool(result.info.status == piqp.PIQP_SOLVED)
