"""What arms that turn on add to the twists until the end of a step, where these must fit the joints."""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.planar.contacts import point_velocity
from pushpoint.kernels.planar.structs import MOST_CONTACTS
from pushpoint.kernels.safeguard import CALM, NEAR
from pushpoint.kernels.structs import nth, place
from pushpoint.kernels.traits import LAWS


@wp.func
def foresee_anew(w: int, numerics: Any, model: Any, work: Any):
    """Makes the drift with twists as an iteration has found them."""
    half_dt = type(numerics.dt)(0.5) * numerics.dt
    for i in range(model.n_links):
        k = place(w, i, model)
        # For a moment the twists have their drift.
        share_momenta(k, type(half_dt)(-1.0), model, work)
        drift = work.links[k].drift
        work.links[k].x = work.links[k].x + wp.vector(drift[0], drift[1], half_dt - half_dt)
    drift_next = wp.vector(half_dt - half_dt, half_dt - half_dt)
    for i in range(model.n_links):
        k = place(w, i, model)
        drift_next = drift_on(k, drift_next, work.links[k].e, work.links[k].x[2], half_dt, model, work)
        share_momenta(k, type(half_dt)(1.0), model, work)
    begin_drift(w, numerics, model, work)


@wp.func
def begin_drift(w: int, numerics: Any, model: Any, work: Any):
    """Takes the drift off the twists, which then fit the joints of the midpoint, and says what contacts have of it."""
    half_dt = type(numerics.dt)(0.5) * numerics.dt
    for i in range(model.n_links):
        k = place(w, i, model)
        e = work.links[k].e
        drift = work.links[k].drift
        along = wp.dot(e, drift)
        across = e[0] * drift[1] - e[1] * drift[0]
        inward = work.links[k].inward
        x = work.links[k].x
        work.links[k].x = x - wp.vector(drift[0], drift[1], inward - inward)
        # Along a rigid link all points are equally fast: they share the drift of the centre of mass.
        of_mass = wp.vector(along - inward * model.links[k].to_mass, across)
        for p in range(model.links[k].n_points):
            at = nth(k, p, model.most_points, model)
            work.points[at].drift = of_mass
            if LAWS:
                if model.points[at].law >= 0:
                    work.points[at].drift = wheel_drift(at, half_dt, along, across, inward, x, model, work)
        for c in range(work.n_contacts[k]):
            at = nth(k, c, MOST_CONTACTS, model)
            W = work.contacts[at].W_N
            n = wp.vector(W[0], W[1])
            there = drift - (inward * work.contacts[at].to_axis) * e
            work.contacts[at].drift = wp.vector(wp.dot(n, there), n[0] * there[1] - n[1] * there[0])


@wp.func
def wheel_drift(at: int, half_dt: Any, along: Any, across: Any, inward: Any, x: Any, model: Any, work: Any):
    """What the drift of a link adds to the velocity of a wheel in the wheel's own directions at the end of the step.

    They have turned on by then. A wheel follows them from midpoint to midpoint, which is second order.
    """
    turn = model.points[at].direction
    arm = model.points[at].arm  # the wheel lies arm[1] ahead and arm[0] to the right of J, seen along d
    spread = inward * wp.vector(arm[1], -arm[0])
    fast = point_velocity(work.points[at].d, arm, x) - spread
    own = wp.vector(turn[0] * along + turn[1] * across, turn[0] * across - turn[1] * along) - spread
    return own + (half_dt * x[2]) * wp.vector(fast[1], -fast[0])


@wp.func
def drift_on(k: int, drift: Any, e: Any, omega: Any, half_dt: Any, model: Any, work: Any):
    """Sets what arms, turning on for half a step, add to the twist of the link at k; returns that of the next link.

    The directions of the midpoint make twists that fit the joints there. Those of the end of the step fit the joints
    as they are then, halfway to the next midpoint: from one to the next every link does what its own twist says.
    From the tail on, it is half a step of what points accelerate by while all links turn as they do.
    """
    inward = half_dt * omega * omega
    work.links[k].inward = inward
    work.links[k].drift = drift
    return drift - (inward * model.links[k].length) * e


@wp.func
def share_momenta(k: int, sign: Any, model: Any, work: Any):
    """Takes the momenta of the drift off the impulses, or gives them back: `sign` is 1 or -1."""
    e = work.links[k].e
    c = model.links[k].to_mass
    P = (sign * model.links[k].mass) * (work.links[k].drift - (work.links[k].inward * c) * e)
    turn = c * (e[0] * P[1] - e[1] * P[0])
    work.links[k].f_smooth = work.links[k].f_smooth - wp.vector(P[0], P[1], turn)


@wp.func
def trusted(w: int, residual: Any, dt: Any, model: Any, motion: Any, work: Any):
    """Whether the twists found are near the law's, or at least not wild: a drift made from them is better than none."""
    before = type(dt)(0.5) * type(dt)(CALM) / dt
    found = dt - dt
    for i in range(model.n_links):
        k = place(w, i, model)
        before = wp.max(before, wp.abs(motion.links[k].omega))
        found = wp.max(found, wp.abs(work.links[k].x[2]))
    return found < before + before or (residual < type(dt)(NEAR) and found * dt < type(dt)(1.0))


@wp.func
def drift_off(k: int, omega: Any, dt: Any, model: Any, work: Any):
    """How far the drift over the link at k is from that of the angular velocity found, as a velocity [m/s]."""
    inward = type(dt)(0.5) * dt * omega * omega
    return wp.abs(inward - work.links[k].inward) * model.links[k].length
