"""Contacts of wheels: they roll about an axle and hold along it, whatever they stand on."""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.spatial.foresight import drift_contact
from pushpoint.kernels.spatial.structs import MOST_CONTACTS
from pushpoint.kernels.spatial.touching import set_augmentation, set_friction
from pushpoint.kernels.structs import nth

FLANK = wp.constant(0.5)
"""Sine of the angle between normal and axle below which a wheel touches with its flank, and does not roll."""


@wp.func
def put_on_wheel(k: int, s: int, first: int, numerics: Any, model: Any, motion: Any, work: Any):
    """Gives contacts of sphere s, from slot `first` on, the directions and the law of its wheel.

    t = axle x n is where the wheel rolls. A flank keeps the law of what it touches.
    """
    half_dt = type(numerics.dt)(0.5) * numerics.dt
    wheel = nth(k, s - model.links[k].n_own, model.most_wheels, model)
    axle = work.links[k].R * model.wheels[wheel].axle
    for slot in range(first, work.n_contacts[k]):
        c = nth(k, slot, MOST_CONTACTS, model)
        n = work.contacts[c].n
        t = wp.cross(axle, n)
        size = wp.length(t)
        if size > type(size)(FLANK):
            work.contacts[c].wheel = wheel
            work.contacts[c].lean = wp.dot(axle, n) / size
            work.contacts[c].t = t / size
            set_augmentation(k, c, model, work)
            drift_contact(k, c, half_dt, work)
            set_friction(k, c, model.wheels[wheel].law, size - size, work.contacts[c].spin, model, motion, work)
