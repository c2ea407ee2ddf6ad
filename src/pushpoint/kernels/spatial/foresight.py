"""What can be known of a step before its impulses are: where twists will go, and how axes and arms turn in it."""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.spatial.frames import column, drifted
from pushpoint.kernels.spatial.structs import MOST_AXES, MOST_CONTACTS, MOST_SELF
from pushpoint.kernels.structs import place


@wp.func
def foresee_drift(w: int, numerics: Any, model: Any, motion: Any, work: Any):
    """What axes and arms, turning on for half a step as they do at its start, add to the twists.

    The directions of the midpoint make twists that fit the joints there. Those of the end of the step fit the joints
    as they are then, halfway to the next midpoint: from one to the next every link does what its own twist says.
    """
    set_drift(w, type(numerics.dt)(0.5) * numerics.dt, model, work)
    share_momenta(w, type(numerics.dt)(-0.5) * numerics.dt, model, work)


@wp.func
def foresee_anew(w: int, numerics: Any, model: Any, work: Any):
    """The same with twists as an iteration has found them."""
    half_dt = type(numerics.dt)(0.5) * numerics.dt
    share_momenta(w, half_dt, model, work)
    for i in range(model.n_links):
        k = place(w, i, model)
        # For a moment the twists have their drift.
        work.links[k].v = work.links[k].v + work.links[k].drift_v
        work.links[k].w = work.links[k].w + work.links[k].drift_w
        work.links[k].v_start = work.links[k].v_start + work.links[k].drift_v
        work.links[k].w_start = work.links[k].w_start + work.links[k].drift_w
    set_drift(w, half_dt, model, work)
    share_momenta(w, -half_dt, model, work)
    for i in range(model.n_links):
        k = place(w, i, model)
        work.links[k].v = work.links[k].v - work.links[k].drift_v
        work.links[k].w = work.links[k].w - work.links[k].drift_w
        work.links[k].v_start = work.links[k].v_start - work.links[k].drift_v
        work.links[k].w_start = work.links[k].w_start - work.links[k].drift_w
        for slot in range(work.n_contacts[k]):
            drift_contact(k, k * MOST_CONTACTS + slot, half_dt, work)
    for slot in range(work.n_self[w]):
        drift_self(w * MOST_SELF + slot, half_dt, work)


@wp.func
def set_drift(w: int, half_dt: Any, model: Any, work: Any):
    """From the tail on: half a step of what points accelerate by while all joint rates stay as they are."""
    zero = half_dt - half_dt
    drift_v = wp.vector(zero, zero, zero)
    drift_w = drift_v
    omega = work.links[place(w, 0, model)].w
    for i in range(model.n_links):
        k = place(w, i, model)
        work.links[k].way_w = omega
        work.links[k].drift_v = drift_v
        work.links[k].drift_w = drift_w
        drift_v = drifted(drift_v, drift_w, omega, work.links[k].along, half_dt)
        for a in range(model.links[k].n_axes):
            q = k * MOST_AXES + a
            if a == 1:
                drift_v = drifted(drift_v, drift_w, omega, work.links[k].between, half_dt)
            turn = work.joints[q].rate * work.joints[q].s
            drift_w = drift_w + half_dt * wp.cross(omega, turn)
            omega = omega + turn


@wp.func
def share_momenta(w: int, signed: Any, model: Any, work: Any):
    """Adds the momenta of the drift to the impulses, or takes them off: `signed` is plus or minus half a step."""
    half_dt = wp.abs(signed)
    sign = type(half_dt)(1.0)
    if signed < half_dt - half_dt:
        sign = -sign
    for i in range(model.n_links):
        k = place(w, i, model)
        drift_w = work.links[k].drift_w
        c = model.links[k].to_mass * column(work.links[k].R, 0)
        m = model.links[k].mass
        P = m * drifted(work.links[k].drift_v, drift_w, work.links[k].way_w, c, half_dt)
        # The inertia about J counts what turns about J: of that P is free here.
        L = work.links[k].inertia * drift_w + wp.cross(c, P - m * wp.cross(drift_w, c))
        work.links[k].f_v = work.links[k].f_v + sign * P
        work.links[k].f_w = work.links[k].f_w + sign * L


@wp.func
def drift_at(k: int, middle: Any, rounding: Any, half_dt: Any, work: Any):
    """Drift of a point of contact: what turns with the link is the middle of its rounding, at `middle` from J."""
    drift_w = work.links[k].drift_w
    at_middle = drifted(work.links[k].drift_v, drift_w, work.links[k].way_w, middle, half_dt)
    return at_middle - wp.cross(drift_w, rounding)


@wp.func
def drift_contact(k: int, c: int, half_dt: Any, work: Any):
    """Sets what the drift adds to the velocity of contact c of the link at k."""
    n = work.contacts[c].n
    t = work.contacts[c].t
    rounding = work.contacts[c].radius * n
    drift = drift_at(k, work.contacts[c].arm + rounding, rounding, half_dt, work)
    work.contacts[c].drift = wp.vector(wp.dot(n, drift), wp.dot(t, drift), wp.dot(wp.cross(n, t), drift))


@wp.func
def drift_self(c: int, half_dt: Any, work: Any):
    """The same for contact c of two links."""
    n = work.selves[c].n
    t = work.selves[c].t
    rounding_a = work.selves[c].radius_a * n
    rounding_b = -work.selves[c].radius_b * n
    drift = drift_at(work.selves[c].link_a, work.selves[c].arm_a + rounding_a, rounding_a, half_dt, work)
    drift -= drift_at(work.selves[c].link_b, work.selves[c].arm_b + rounding_b, rounding_b, half_dt, work)
    work.selves[c].drift = wp.vector(wp.dot(n, drift), wp.dot(t, drift), wp.dot(wp.cross(n, t), drift))


@wp.func
def fastest_turn(w: int, model: Any, work: Any):
    """Square of the largest angular velocity of the twists as they stand."""
    found = model.worlds[w].mass - model.worlds[w].mass
    for i in range(model.n_links):
        turn = work.links[place(w, i, model)].w
        found = wp.max(found, wp.dot(turn, turn))
    return found


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


@wp.func
def drift_off(w: int, dt: Any, model: Any, work: Any):
    """How far the drift is at most from that of the twists found, as a velocity [m/s]."""
    found = dt - dt
    for i in range(model.n_links):
        k = place(w, i, model)
        now = work.links[k].w
        then = work.links[k].way_w
        found = wp.max(found, model.links[k].length * wp.length(now - then) * (wp.length(now) + wp.length(then)))
    return type(dt)(0.5) * dt * found
