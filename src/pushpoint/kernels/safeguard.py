"""How often a step is iterated, and what Newton's method does when it goes round in circles; both engines."""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.structs import DRIVE_PRESCRIBED, JAMMED

FULL_NEWTON = wp.constant(12)
"""Iterations after which the safeguard sets in: lines from soft to ten thousand times as stiff, over and over."""
SOFTEST = wp.constant(1.0)
PER_RUNG = wp.constant(3)
RUNGS = wp.constant(5)
FORGO_AT = wp.constant(12 + 3 * 5)
"""Iterations after which penetration is left as it is."""
CONTACTS_ERR = wp.constant(10.0)
"""Tolerances by which the velocity of a contact may be off when its work is judged [-]."""
SHARE_ERR = wp.constant(0.001)
"""Share of its velocity before by which it may be off besides: joints closed at another midpoint [-]."""
FEWEST = wp.constant(6)
"""How often the impulses of a step that is given up are halved before they are dropped, where they would add energy."""
REFINED = wp.constant(12)
"""How often the drift is at most made anew for its own sake, where the contacts would ask for no more iterations."""
CALM = wp.constant(0.01)
"""Turn of a link per step up to which an iteration's twists are trusted to make the drift anew; beyond it they may be
at most twice as fast as at the start of the step [rad]."""
NEAR = wp.constant(1.0e-3)
"""Violation of the laws below which they are trusted anyway [m/s]. A drift kept from an iteration that was farther off
would ask links that lie on the ground for what no motion of theirs can give."""
FALLBACK = wp.constant(200)
"""Iterations of the splitting that the spatial engine tries where Newton's method has failed."""
SPLIT_STIFFNESS = wp.constant(10.0)
"""rho of the splitting."""

JAMMED_AFTER = wp.constant(10)
"""Steps in a row that are lost after which prescribed joints count as jammed."""
LOST = wp.constant(1000.0)
"""Tolerances beyond which the laws of a step that is given up are lost [-]."""


@wp.func
def allowed_speed(out: Any, came: Any, enough: Any, numerics: Any):
    """Mean normal velocity of a contact at which its work is no gain [m/s].

    It is led out of a penetration, slowly, or was leaving until other forces brought it back within the step.
    """
    slow = numerics.feedback_speed
    allowed = wp.min(out, slow) + type(enough)(SHARE_ERR) * wp.abs(came) + type(enough)(CONTACTS_ERR) * enough
    if out <= slow:
        allowed += type(enough)(0.5) * wp.max(came, enough - enough)
    return allowed


@wp.func
def note_jam(w: int, lost: int, mode: int, motion: Any, tally: Any):
    """Stops a world whose prescribed joints are wedged: friction may bear any force there, so that none is enough."""
    row = (tally.worlds[w].in_a_row + 1) * lost
    tally.worlds[w].in_a_row = row
    if row == JAMMED_AFTER and mode == DRIVE_PRESCRIBED:
        motion.worlds[w].status = JAMMED


@wp.func
def line_stiffness(iterations: int, numerics: Any):
    """rho of this iteration. Newton that goes round in circles is led out by softer and stiffer lines in turn."""
    rho = numerics.stiffness
    if iterations >= FULL_NEWTON:
        rho = type(rho)(SOFTEST)
        for _ in range((iterations - FULL_NEWTON) / PER_RUNG % RUNGS):
            rho *= type(rho)(10.0)
    return rho
