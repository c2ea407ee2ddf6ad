"""How often a step is iterated, and what Newton's method does when it goes round in circles; both engines."""

from __future__ import annotations

from typing import Any

import warp as wp

FULL_NEWTON = wp.constant(12)
"""Iterations after which the safeguard sets in: lines from soft to ten thousand times as stiff, over and over."""
SOFTEST = wp.constant(1.0)
PER_RUNG = wp.constant(3)
RUNGS = wp.constant(5)
FORGO_AT = wp.constant(12 + 3 * 5)
"""Iterations after which penetration is left as it is."""
REFINED = wp.constant(12)
"""How often the drift is at most made anew for its own sake, where the contacts would ask for no more iterations."""
LOOSE = wp.constant(10.0)
"""How many times the tolerance the drift may be off without that."""
CALM = wp.constant(0.01)
"""Turn of a link per step up to which an iteration's twists are trusted to make the drift anew; beyond it they may be
at most twice as fast as at the start of the step [rad]."""
NEAR = wp.constant(1.0e-3)
"""Violation of the laws below which they are trusted anyway [m/s]. A drift kept from an iteration that was farther off
would ask links that lie on the ground for what no motion of theirs can give."""
FALLBACK = wp.constant(200)
"""Prox iterations that the spatial engine tries where Newton's method has failed."""


@wp.func
def line_stiffness(iterations: int, numerics: Any):
    """rho of this iteration. Newton that goes round in circles is led out by softer and stiffer lines in turn."""
    rho = numerics.stiffness
    if iterations >= FULL_NEWTON:
        rho = type(rho)(SOFTEST)
        for _ in range((iterations - FULL_NEWTON) / PER_RUNG % RUNGS):
            rho *= type(rho)(10.0)
    return rho
