"""What contacts do to the energy of a robot in a step: they may take of it, never add to it.

Symbols: work of an impulse is P times the mean of the velocities before and after, which is exact.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.outward import aims_outward, halve_targets
from pushpoint.kernels.planar.structs import MOST_CONTACTS
from pushpoint.kernels.safeguard import FEWEST, allowed_speed
from pushpoint.kernels.structs import nth, place


@wp.func
def contact_work(w: int, given_up: int, enough: Any, numerics: Any, model: Any, motion: Any, work: Any):
    """Work of all contacts with obstacles [J], and whether it is a gain: 1 or 0.

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
            e = work.links[k].e
            v = motion.links[k].v
            swing = motion.links[k].omega * model.links[k].to_mass
            start = wp.vector(v[0] + swing * e[1], v[1] - swing * e[0], motion.links[k].omega)
            drift = work.links[k].drift - (work.links[k].inward * model.links[k].to_mass) * e
            x = half * (start + work.links[k].x + wp.vector(drift[0], drift[1], enough - enough))
            for slot in range(work.n_contacts[k]):
                at = nth(k, slot, MOST_CONTACTS, model)
                P = work.contacts[at].P
                total += P[0] * wp.dot(work.contacts[at].W_N, x) + P[1] * wp.dot(work.contacts[at].W_T, x)
                came = wp.dot(work.contacts[at].W_N, start)
                out = work.contacts[at].target - work.contacts[at].rebound
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
