"""What can be known of a step before its impulses are: where twists will go, and how axes and arms turn in it."""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.spatial.frames import column, drifted
from pushpoint.kernels.spatial.structs import MOST_AXES
from pushpoint.kernels.structs import place


@wp.func
def foresee_drift(w: int, numerics: Any, model: Any, motion: Any, work: Any):
    """What axes and arms, turning on for half a step, add to the twists; their share of the momenta is set apart.

    The directions of the midpoint make twists that fit the joints there. Those of the end of the step fit the joints
    as they are then, halfway to the next midpoint: from one to the next every link does what its own twist says.
    """
    half_dt = type(numerics.dt)(0.5) * numerics.dt
    zero = numerics.dt - numerics.dt
    drift_v = wp.vector(zero, zero, zero)
    drift_w = drift_v
    for i in range(model.n_links):
        k = place(w, i, model)
        omega = work.links[k].w
        work.links[k].drift_v = drift_v
        work.links[k].drift_w = drift_w
        c = model.links[k].to_mass * column(work.links[k].R, 0)
        P = model.links[k].mass * drifted(drift_v, drift_w, omega, c, half_dt)
        work.links[k].f_v = work.links[k].f_v - P
        # The moment of inertia about J counts what turns about it; of P there is only the rest.
        at_J = model.links[k].mass * wp.cross(c, wp.cross(drift_w, c))
        work.links[k].f_w = work.links[k].f_w - work.links[k].inertia * drift_w + at_J - wp.cross(c, P)
        drift_v = drifted(drift_v, drift_w, omega, work.links[k].along, half_dt)
        for a in range(model.links[k].n_axes):
            q = k * MOST_AXES + a
            if a == 1:
                drift_v = drifted(drift_v, drift_w, omega, work.links[k].between, half_dt)
            turn = motion.joints[q].rate * work.joints[q].s
            drift_w = drift_w + half_dt * wp.cross(omega, turn)
            omega = omega + turn


@wp.func
def foresee_twists(w: int, model: Any, motion: Any, work: Any):
    """Lets the search for the new twists begin where the last step's change, made once more, would lead.

    From here to the end of the step twists are without their drift: they fit the joints of the midpoint.
    """
    for i in range(model.n_links):
        k = place(w, i, model)
        work.links[k].v_start = work.links[k].v - work.links[k].drift_v
        work.links[k].w_start = work.links[k].w - work.links[k].drift_w
        work.links[k].v = work.links[k].v_start + motion.links[k].v_change
        work.links[k].w = work.links[k].w_start + motion.links[k].w_change
