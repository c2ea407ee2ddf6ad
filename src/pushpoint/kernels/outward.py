"""Contacts that aim outward, of impacts that give back and of links led out of penetrations; both engines.

`most` is the number of contacts that a link has room for.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.structs import nth, place


@wp.func
def aims_outward(w: int, most: int, model: Any, work: Any):
    """Whether a contact gives back, or leads out of a penetration: 1 or 0. Others take energy (planar theory, 11)."""
    for i in range(model.n_links):
        k = place(w, i, model)
        for slot in range(work.n_contacts[k]):
            target = work.contacts[nth(k, slot, most, model)].target
            if target > target - target:
                return 1
    return 0


@wp.func
def halve_targets(w: int, most: int, numerics: Any, model: Any, work: Any):
    """Halves what impacts give back and what leads out of penetrations; returns 1 where there was any, or 0."""
    some = int(0)
    zero = numerics.dt - numerics.dt
    for i in range(model.n_links):
        k = place(w, i, model)
        for slot in range(work.n_contacts[k]):
            c = nth(k, slot, most, model)
            if work.contacts[c].target > zero:
                some = 1
                share = type(zero)(0.5)
                if work.contacts[c].target < numerics.impact_speed:
                    share = zero
                work.contacts[c].rebound = share * work.contacts[c].rebound
                work.contacts[c].target = share * work.contacts[c].target
    return some
