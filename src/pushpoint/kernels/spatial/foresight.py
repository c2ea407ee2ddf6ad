"""What can be known of a step before its impulses are: where twists will go, and how axes and arms turn in it."""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.safeguard import CALM, NEAR
from pushpoint.kernels.spatial.algebra.frames import column, drifted, inward
from pushpoint.kernels.spatial.algebra.normals import in_contact, left_of
from pushpoint.kernels.spatial.structs import MOST_AXES, MOST_CONTACTS, MOST_SELF
from pushpoint.kernels.structs import nth, place
from pushpoint.kernels.traits import JOINTS, LAWS, SELVES


@wp.func
def drift_along(k: int, e: Any, drift_v: Any, drift_w: Any, omega: Any, half_dt: Any, model: Any, work: Any):
    """Sets what axes and arms, turning on for half a step, add to the twist of the link at k; that of J is given.

    The directions of the midpoint make twists that fit the joints there. Those of the end of the step fit the joints
    as they are then, halfway to the next midpoint: from one to the next every link does what its own twist says.
    From the tail on, it is half a step of what points accelerate by while all joint rates stay as they are.
    Returns the drift of the link's centre of mass and that of its front joint.
    """
    ahead = half_dt * inward(omega, e) + wp.cross(drift_w, e)  # at one metre ahead of J, beyond what J gets
    drift_mass = drift_v + model.links[k].to_mass * ahead
    work.links[k].way_w = omega
    work.links[k].drift_v = drift_v
    work.links[k].drift_w = drift_w
    work.links[k].drift_mass = drift_mass
    return drift_mass, drift_v + model.links[k].length * ahead


@wp.func
def drift_over(turn: Any, drift_w: Any, omega: Any, half_dt: Any):
    """Drift and angular velocity beyond an axis that turns by `turn` [rad/s, world axes]."""
    return drift_w + half_dt * wp.cross(omega, turn), omega + turn


@wp.func
def momenta_of(k: int, e: Any, inertia: Any, drift_mass: Any, drift_w: Any, model: Any):
    """Momentum of a drift of the link at k, and its moment about J, about which the inertia is."""
    c = model.links[k].to_mass * e
    # The inertia about J counts what drift_w does to the centre of mass.
    momentum = model.links[k].mass * drift_mass
    unturned = momentum - model.links[k].mass * wp.cross(drift_w, c)
    return momentum, inertia * drift_w + wp.cross(c, unturned)


@wp.func
def foresee_anew(w: int, numerics: Any, model: Any, work: Any):
    """Makes the drift with joint rates as an iteration has found them, in one pass: long robots do not fit a cache."""
    half_dt = type(numerics.dt)(0.5) * numerics.dt
    zero = half_dt - half_dt
    drift_v = wp.vector(zero, zero, zero)
    drift_w = drift_v
    omega = work.links[place(w, 0, model)].w  # the tail has no drift
    for i in range(model.n_links):
        k = place(w, i, model)
        old_mass = work.links[k].drift_mass
        more_v = work.links[k].drift_v - drift_v
        more_w = work.links[k].drift_w - drift_w
        work.links[k].v = work.links[k].v + more_v
        work.links[k].w = work.links[k].w + more_w
        e = column(work.links[k].R, 0)
        new_mass, drift_v_next = drift_along(k, e, drift_v, drift_w, omega, half_dt, model, work)
        got_v, got_w = momenta_of(k, e, work.links[k].inertia, old_mass - new_mass, more_w, model)
        work.links[k].f_v = work.links[k].f_v + got_v
        work.links[k].f_w = work.links[k].f_w + got_w
        drift_v = drift_v_next
        for a in range(model.links[k].n_axes):
            q = nth(k, a, MOST_AXES, model)
            if JOINTS:
                if a == 1:
                    drift_v = drifted(drift_v, drift_w, omega, work.links[k].between, half_dt)
            drift_w, omega = drift_over(work.joints[q].rate * work.joints[q].s, drift_w, omega, half_dt)
        for slot in range(work.n_contacts[k]):
            drift_contact(k, nth(k, slot, MOST_CONTACTS, model), half_dt, work)
    if SELVES:
        for slot in range(work.n_self[w]):
            drift_self(w * MOST_SELF + slot, half_dt, work)


@wp.func
def drift_at(k: int, arm: Any, rounding: Any, half_dt: Any, work: Any):
    """Drift of a point of contact at `arm` from J: what turns with the link is the middle of its rounding."""
    middle = arm + rounding
    return work.links[k].drift_v + wp.cross(work.links[k].drift_w, arm) + half_dt * inward(work.links[k].way_w, middle)


@wp.func
def drift_contact(k: int, c: int, half_dt: Any, work: Any):
    """Sets what the drift adds to the velocity of contact c of the link at k."""
    n = work.contacts[c].n
    t = work.contacts[c].t
    drift = drift_at(k, work.contacts[c].arm, work.contacts[c].radius * n, half_dt, work)
    work.contacts[c].drift = in_contact(n, t, left_of(n, t), drift)
    if LAWS:
        if work.contacts[c].wheel >= 0:
            work.contacts[c].drift = work.contacts[c].drift + wheel_turn(k, c, half_dt, work)


@wp.func
def wheel_turn(k: int, c: int, half_dt: Any, work: Any):
    """What is added to the velocity of a wheel in its own directions: they turn on until the end of the step."""
    t = work.contacts[c].t
    u = wp.cross(work.contacts[c].n, t)
    omega = work.links[k].way_w
    at = work.links[k].v + wp.cross(work.links[k].w, work.contacts[c].arm)
    turn = half_dt * (wp.dot(omega, work.contacts[c].n) - work.contacts[c].lean * wp.dot(omega, u))
    return wp.vector(half_dt - half_dt, turn * wp.dot(u, at), -turn * wp.dot(t, at))


@wp.func
def drift_self(c: int, half_dt: Any, work: Any):
    """The same for contact c of two links."""
    n = work.selves[c].n
    t = work.selves[c].t
    drift = drift_at(work.selves[c].link_a, work.selves[c].arm_a, work.selves[c].radius_a * n, half_dt, work)
    drift -= drift_at(work.selves[c].link_b, work.selves[c].arm_b, -work.selves[c].radius_b * n, half_dt, work)
    work.selves[c].drift = wp.vector(wp.dot(n, drift), wp.dot(t, drift), wp.dot(wp.cross(n, t), drift))


@wp.func
def trusted(w: int, residual: Any, fastest: Any, dt: Any, model: Any, motion: Any):
    """Whether the twists found, of which the fastest has this omega^2, are near the law's, or at least not wild.

    A drift made from such twists is better than none.
    """
    four = type(dt)(4.0)
    calm = type(dt)(0.5) * type(dt)(CALM) / dt
    if fastest < four * calm * calm or (residual < type(dt)(NEAR) and fastest * dt * dt < type(dt)(1.0)):
        return True
    before = dt - dt
    for i in range(model.n_links):
        omega = motion.links[place(w, i, model)].omega
        before = wp.max(before, wp.dot(omega, omega))
    return fastest < four * before


@wp.func
def twist_before(k: int, model: Any, motion: Any, work: Any):
    """Twist of a link at J with which the step began, as the last one left it: with its drift."""
    R = work.links[k].R
    omega = R * motion.links[k].omega
    return motion.links[k].v - wp.cross(omega, model.links[k].to_mass * column(R, 0)), omega


@wp.func
def drift_off(k: int, omega: Any, dt: Any, model: Any, work: Any):
    """How far the drift over the link at k is from that of the angular velocity found, as a velocity [m/s]."""
    change = omega - work.links[k].way_w
    both = omega + work.links[k].way_w
    square = wp.dot(change, change) * wp.dot(both, both)
    return type(dt)(0.5) * dt * model.links[k].length * wp.sqrt(square)
