"""Contacts of a link: which exist, in which directions they push, what they start from. Transeth2008b (9), (49)."""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.regions import law_at
from pushpoint.kernels.spatial.algebra.frames import column, inward
from pushpoint.kernels.spatial.algebra.normals import along_plane, left_of
from pushpoint.kernels.spatial.foresight import drift_contact, twist_before
from pushpoint.kernels.spatial.structs import FEATURES, MOST_CONTACTS
from pushpoint.kernels.structs import LAW_VISCOUS, TOO_MANY_CONTACTS, nth
from pushpoint.kernels.traits import JOINTS, LAWS

FULL_TURN = wp.constant(6.283185307179586)
BESIDE_MOTION = wp.constant(0.1)
"""Share of a link's own speed at which it may leave a penetration, beside the fixed limit."""


@wp.func
def keep_contact(
    w: int, k: int, key: int, n: Any, point: Any, gap: Any, numerics: Any, model: Any, motion: Any, work: Any
):
    """Takes a contact at a point of the link's surface up if its gap is closed; returns where it is, or -1."""
    c = take_slot(w, k, key, gap, numerics, model, motion, work)
    if c >= 0:
        work.contacts[c].arm = point - work.links[k].J
        work.contacts[c].n = n
        work.contacts[c].t = direction_along(n, work.links[k].R)
        set_augmentation(k, c, model, work)
    return c


@wp.func
def take_slot(w: int, k: int, key: int, gap: Any, numerics: Any, model: Any, motion: Any, work: Any):
    """Makes room for a contact if its gap is closed, with its impulses of the last step; returns where, or -1."""
    if gap > numerics.active_gap:
        return int(-1)
    slot = work.n_contacts[k]
    if slot == MOST_CONTACTS:
        motion.worlds[w].status = TOO_MANY_CONTACTS
        return int(-1)
    work.n_contacts[k] = slot + 1
    c = nth(k, slot, MOST_CONTACTS, model)
    work.contacts[c].key = key
    work.contacts[c].wheel = -1
    recall_impulses(k, c, key, numerics.dt - numerics.dt, model, motion, work)
    return c


@wp.func
def direction_along(n: Any, R: Any):
    """The link's direction in the tangent plane, (27); of a link that stands upright, that of its top side."""
    t = along_plane(n, column(R, 0))
    square = wp.dot(t, t)
    if square < type(square)(1.0e-6):
        t = along_plane(n, column(R, 2))
        square = wp.dot(t, t)
    return t * (type(square)(1.0) / wp.sqrt(square))


@wp.func
def mobility(arm: Any, direction: Any, R: Any, link: Any):
    """What a unit impulse at `arm` from the centre of mass does to the velocity there, along itself [1/kg]."""
    q = wp.transpose(R) * wp.cross(arm, direction)
    return link.inverse_mass + wp.dot(link.inverse_inertia, wp.cw_mul(q, q))


@wp.func
def set_augmentation(k: int, c: int, model: Any, work: Any):
    """r: what the link alone opposes to a contact's impulse, for friction in the direction where that is least."""
    link = model.links[k]
    R = work.links[k].R
    n = work.contacts[c].n
    t = work.contacts[c].t
    arm = work.contacts[c].arm - link.to_mass * column(R, 0)
    one = type(link.mass)(1.0)
    upward = mobility(arm, n, R, link)
    sideways = wp.max(mobility(arm, t, R, link), mobility(arm, left_of(n, t), R, link))
    work.contacts[c].inverse_r = wp.vector(upward, sideways, one / link.least_inertia)
    work.contacts[c].r = wp.vector(one / upward, one / sideways, link.least_inertia)


@wp.func
def recall_impulses(k: int, c: int, key: int, zero: Any, model: Any, motion: Any, work: Any):
    """Impulses of the same contact in the last step; zero if it was open."""
    work.contacts[c].P = wp.vector(zero, zero, zero)
    work.contacts[c].Q = wp.vector(zero, zero, zero)
    for slot in range(motion.links[k].n_contacts):
        before = nth(k, slot, MOST_CONTACTS, model)
        if motion.contacts[before].contact_key == key:
            work.contacts[c].P = motion.contacts[before].P_contact
            work.contacts[c].Q = motion.contacts[before].Q_contact


@wp.func
def met_before(k: int, key: int, model: Any, motion: Any):
    """Whether a contact was there in the last step: 1 or 0."""
    for slot in range(motion.links[k].n_contacts):
        if motion.contacts[nth(k, slot, MOST_CONTACTS, model)].contact_key == key:
            return 1
    return 0


@wp.func
def came_with(k: int, middle: Any, half_dt: Any, model: Any, motion: Any, work: Any):
    """Velocity of the middle of a rounding, at `middle` from J, as it was when the last step ended."""
    v, omega = twist_before(k, model, motion, work)
    from_mass = middle - model.links[k].to_mass * column(work.links[k].R, 0)
    return v + wp.cross(omega, middle) - half_dt * inward(omega, from_mass)


@wp.func
def came_together(k: int, middle: Any, came: Any, radius: Any, half_dt: Any, model: Any, motion: Any, work: Any):
    """The same, or in the joint in front that of the link in front.

    Two links that touch with one ball have one velocity there, and must not ask for different rebounds.
    """
    if model.links[k].n_axes > 0:
        front = k + model.link_stride
        apart = work.links[k].along - middle
        if JOINTS:
            apart += work.links[k].between
        if wp.dot(apart, apart) < type(radius)(1.0e-12) * radius * radius:
            return came_with(front, apart - apart, half_dt, model, motion, work)
    return came


@wp.func
def set_target(
    w: int, k: int, c: int, gap: Any, radius: Any, restitution: Any, bend: Any,
    numerics: Any, model: Any, motion: Any, work: Any,
):  # fmt: skip
    """Normal velocity that the contact aims at: the rebound of an impact, or a slow way out of penetration.

    Slow means slow beside the link's own motion. On a hollow surface it is at least `bend`: what follows the surface
    has that velocity along the midpoint's normal at the end of the step, and minus that at its start.
    """
    zero = gap - gap
    half_dt = type(zero)(0.5) * numerics.dt
    n = work.contacts[c].n
    middle = work.contacts[c].arm + radius * n
    work.contacts[c].radius = radius
    drift_contact(k, c, half_dt, work)
    came = came_with(k, middle, half_dt, model, motion, work)
    if restitution > zero:
        came = came_together(k, middle, came, radius, half_dt, model, motion, work)
    gamma_N = wp.dot(n, came) + bend
    work.contacts[c].rebound = zero
    if gamma_N < -numerics.impact_speed:
        work.contacts[c].rebound = -restitution * gamma_N
        work.contacts[c].target = work.contacts[c].rebound + bend
    else:
        depth = -gap - numerics.slop
        way_out = zero
        if depth > zero:
            v, omega = twist_before(k, model, motion, work)
            own = wp.length(v) + model.links[k].length * wp.length(omega)
            limit = numerics.feedback_speed + type(zero)(BESIDE_MOTION) * own
            way_out = wp.min(numerics.feedback * depth / numerics.dt, limit)
        work.contacts[c].target = way_out + bend


@wp.func
def set_friction(k: int, c: int, row: int, rolling: Any, spin: Any, model: Any, motion: Any, work: Any):
    """The friction law of a contact, its coefficients as they are at this speed and on this side of the link."""
    law = model.laws[row]
    zero = rolling - rolling
    one = type(rolling)(1.0)
    n = work.contacts[c].n
    factor = one
    if LAWS:
        if law.stick_surplus != zero:
            v, omega = twist_before(k, model, motion, work)
            at = v + wp.cross(omega, work.contacts[c].arm)
            slip = wp.length(at - n * wp.dot(n, at)) / law.stribeck_speed
            factor = factor + law.stick_surplus * wp.exp(-slip * slip)
        if law.n_around > 1:
            factor *= around_factor(n, work.links[k].R, law.first_around, law.n_around, model)
        if law.code == LAW_VISCOUS:
            factor /= type(rolling)(model.links[k].n_resting)
    work.contacts[c].law = row
    work.contacts[c].largest = factor * law.largest
    work.contacts[c].rolling = rolling
    work.contacts[c].spin = spin
    used = law.scale[1]
    if work.contacts[c].P[1] < zero:
        used = law.scale[0]
    work.contacts[c].S = wp.vector(used, law.scale[2])


@wp.func
def around_factor(n: Any, R: Any, first: int, count: int, model: Any):
    """Multiplier of the side on which the link touches, linear between the listed ones; the underside is the first."""
    side = wp.atan2(-wp.dot(n, column(R, 1)), wp.dot(n, column(R, 2))) / type(n[0])(FULL_TURN)
    turn = (side - wp.floor(side)) * type(side)(count)
    low = int(wp.floor(turn))
    share = turn - type(side)(low)
    return (type(side)(1.0) - share) * model.around[first + low % count] + share * model.around[
        first + (low + 1) % count
    ]


@wp.func
def forgo_push_out(k: int, model: Any, motion: Any, work: Any):
    """Leaves penetration as it is in this step and starts anew: pushing out may be what has no solution."""
    for slot in range(work.n_contacts[k]):
        c = nth(k, slot, MOST_CONTACTS, model)
        work.contacts[c].target = work.contacts[c].rebound
        zero = work.contacts[c].target - work.contacts[c].target
        recall_impulses(k, c, work.contacts[c].key, zero, model, motion, work)


@wp.func
def share_weight(w: int, k: int, dt: Any, model: Any, work: Any):
    """Impulses of the very first step: each ground contact carries an equal share of its link's weight."""
    count = int(0)
    for slot in range(work.n_contacts[k]):
        if work.contacts[nth(k, slot, MOST_CONTACTS, model)].key < FEATURES:
            count += 1
    for slot in range(work.n_contacts[k]):
        c = nth(k, slot, MOST_CONTACTS, model)
        if work.contacts[c].key < FEATURES:
            weight = model.links[k].mass * model.worlds[w].gravity * dt
            work.contacts[c].P = wp.vector(weight / type(dt)(count), dt - dt, dt - dt)


@wp.func
def ground_law(w: int, k: int, point: Any, model: Any):
    """Row of the ground's friction law at a place."""
    row = int(model.links[k].law)
    if LAWS:
        if model.n_regions > 0:
            row = law_at(w, wp.vector(point[0], point[1]), row, model)
    return row


@wp.func
def add_ground(
    w: int,
    k: int,
    key: int,
    n: Any,
    center: Any,
    radius: Any,
    gap: Any,
    numerics: Any,
    model: Any,
    motion: Any,
    work: Any,
):
    """A contact of a ball with the ground, if it is closed; returns its depth [m]."""
    zero = gap - gap
    c = keep_contact(w, k, key, n, center - radius * n, gap, numerics, model, motion, work)
    if c < 0:
        return zero
    set_ground_laws(w, k, c, center, radius, gap, numerics, model, motion, work)
    return wp.max(-gap, zero)


@wp.func
def set_ground_laws(
    w: int, k: int, c: int, center: Any, radius: Any, gap: Any, numerics: Any, model: Any, motion: Any, work: Any
):
    """What contact c of a ball with the ground aims at, and its friction."""
    zero = gap - gap
    world = model.worlds[w]
    set_target(w, k, c, gap, radius, world.restitution, zero, numerics, model, motion, work)
    row = ground_law(w, k, center, model)
    set_friction(k, c, row, world.rolling * radius, world.spin, model, motion, work)


@wp.func
def add_obstacle(
    w: int,
    k: int,
    o: int,
    feature: int,
    n: Any,
    center: Any,
    radius: Any,
    gap: Any,
    numerics: Any,
    model: Any,
    obstacles: Any,
    motion: Any,
    work: Any,
):
    """A contact with an obstacle, if it is closed; returns its depth [m]."""
    zero = gap - gap
    key = (o + 1) * FEATURES + feature
    c = keep_contact(w, k, key, n, center - radius * n, gap, numerics, model, motion, work)
    if c < 0:
        return zero
    set_target(w, k, c, gap, radius, obstacles.obstacles[o].restitution, zero, numerics, model, motion, work)
    set_friction(k, c, obstacles.obstacles[o].law, zero, zero, model, motion, work)
    return wp.max(-gap, zero)
