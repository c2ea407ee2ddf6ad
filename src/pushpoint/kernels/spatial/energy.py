"""What contacts do to the energy of a robot in a step: they may take of it, never add to it.

Symbols: work of an impulse is P times the mean of the velocities before and after, which is exact.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.outward import aims_outward, halve_targets
from pushpoint.kernels.safeguard import FEWEST, allowed_speed
from pushpoint.kernels.spatial.algebra.frames import column
from pushpoint.kernels.spatial.foresight import twist_before
from pushpoint.kernels.spatial.structs import MOST_CONTACTS
from pushpoint.kernels.structs import nth, place


@wp.func
def contact_work(w: int, given_up: int, enough: Any, numerics: Any, model: Any, motion: Any, work: Any):
    """Work of all contacts with ground and obstacles [J], and whether it is a gain: 1 or 0.

    Both are 0 where no contact aims outward, unless the step is given up. A slow way out and the tolerance are no gain.
    """
    total = enough - enough
    allowed = total
    half = type(enough)(0.5)
    if given_up == 0 and aims_outward(w, MOST_CONTACTS, model, work) == 0:
        return total, 0
    for i in range(model.n_links):
        k = place(w, i, model)
        if work.n_contacts[k] > 0:
            # Twists with their drift; that of the end is the one of the link as a rigid body.
            drift_w = work.links[k].drift_w
            lever = model.links[k].to_mass * column(work.links[k].R, 0)
            v_start, w_start = twist_before(k, model, motion, work)
            v_end = work.links[k].v + work.links[k].drift_mass - wp.cross(drift_w, lever)
            v = half * (v_start + v_end)
            omega = half * (w_start + work.links[k].w + drift_w)
            for slot in range(work.n_contacts[k]):
                c = nth(k, slot, MOST_CONTACTS, model)
                n = work.contacts[c].n
                t = work.contacts[c].t
                u = wp.cross(n, t)
                P = work.contacts[c].P
                S = work.contacts[c].S
                push = P[0] * n + (S[0] * P[1]) * t + (S[1] * P[2]) * u
                total += wp.dot(push, v + wp.cross(omega, work.contacts[c].arm))
                if work.contacts[c].rolling + work.contacts[c].spin > enough - enough:
                    Q = work.contacts[c].Q
                    total += wp.dot(Q[0] * n + Q[1] * t + Q[2] * u, omega)
                came = wp.dot(n, v_start + wp.cross(w_start, work.contacts[c].arm))
                out = work.contacts[c].target - work.contacts[c].rebound
                allowed += wp.abs(P[0]) * allowed_speed(out, came, enough, numerics)
    return total, int(total > allowed)


@wp.func
def give_way(w: int, given_up: int, halved: int, numerics: Any, model: Any, work: Any):
    """Halves the velocities aimed at, or in a step given up all impulses, at last to none; 0 where nothing is left."""
    if given_up == 0:
        return halve_targets(w, MOST_CONTACTS, numerics, model, work)
    share = type(numerics.dt)(0.5)
    if halved == FEWEST - 1:
        share = share - share
    scale_impulses(w, share, model, work)
    return 1


@wp.func
def scale_impulses(w: int, share: Any, model: Any, work: Any):
    """Leaves a share of what contacts did: still within their laws' sets, which are cones."""
    for i in range(model.n_links):
        k = place(w, i, model)
        for slot in range(work.n_contacts[k]):
            c = nth(k, slot, MOST_CONTACTS, model)
            work.contacts[c].P = work.contacts[c].P * share
            work.contacts[c].Q = work.contacts[c].Q * share
