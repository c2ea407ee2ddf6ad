"""The laws of one link: its answer to a twist, and its linearised equation K x = f.

Symbols: x twist of the link at its rear joint, gamma relative velocity at a support point or contact, P and z
impulses as in `laws`, r augmentation, share the part of r that the prox iteration may use.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.laws import (
    ground_half,
    ground_line,
    ground_projection,
    interval_line,
    interval_projection,
    peg_line,
    peg_projection,
)
from pushpoint.kernels.planar.blocks import add_law, mass_block
from pushpoint.kernels.planar.structs import MOST_CONTACTS
from pushpoint.kernels.regions import law_at
from pushpoint.kernels.structs import LAW_NONE, LAW_VISCOUS, nth
from pushpoint.kernels.traits import LAWS, SELVES

PROX = wp.constant(0)
NEWTON = wp.constant(1)
HELD = wp.constant(2)
"""Impulses as they are."""


@wp.func
def law_share(k: int, mode: int, link: Any, work: Any):
    """Part of the augmentation each law may use: the prox iteration contracts only if a link's laws share its mass."""
    one = type(link.mass)(1.0)
    if mode != PROX:
        return one
    laws = link.n_points + 2 * work.n_contacts[k]
    if link.spin_bound > type(link.mass)(0.0):
        laws += 1
    return one / type(link.mass)(wp.max(laws, 1))


@wp.func
def point_velocity(d: Any, arm: Any, x: Any):
    """Velocity of a support point along and across its direction d."""
    return wp.vector(d[0] * x[0] + d[1] * x[1] + arm[0] * x[2], d[0] * x[1] - d[1] * x[0] + arm[1] * x[2])


@wp.func
def recall_impulses(w: int, k: int, dt: Any, model: Any, motion: Any, work: Any):
    """Starts the iteration from the impulses of the last step and the laws of the place; contacts bring their own."""
    for p in range(model.links[k].n_points):
        at = nth(k, p, model.most_points, model)
        e = work.links[k].e
        turn = model.points[at].direction
        work.points[at].d = wp.vector(turn[0] * e[0] - turn[1] * e[1], turn[0] * e[1] + turn[1] * e[0])
        row = int(model.links[k].law)
        if LAWS:
            if model.points[at].law >= 0:
                row = model.points[at].law
            elif model.n_regions > 0:
                row = law_at(w, work.links[k].J + model.points[at].to_point * work.links[k].e, row, model)
        z = motion.points[at]
        scale = model.laws[row].scale
        used = scale[1]
        if z[0] < type(used)(0.0):
            used = scale[0]
        work.points[at].law = row
        work.points[at].bound = law_bound(k, at, model.laws[row], dt, model, work)
        work.points[at].z = z
        work.points[at].S = wp.vector(used, scale[2])
    work.links[k].spin_P = motion.links[k].P_spin


@wp.func
def law_bound(k: int, at: int, law: Any, dt: Any, model: Any, work: Any):
    """Largest impulse of a support point in this step, with coefficients as they are at the speed of its start."""
    bound = dt * law.largest * model.points[at].weight
    if LAWS:
        if law.code == LAW_VISCOUS:
            bound = dt * law.largest * model.points[at].share
        if law.stick_surplus != dt - dt:
            slip = wp.length(point_velocity(work.points[at].d, model.points[at].arm, work.links[k].x))
            slip = slip / law.stribeck_speed
            bound += bound * law.stick_surplus * wp.exp(-slip * slip)
    return bound


@wp.func
def linearise_link(k: int, mode: int, rho: Any, numerics: Any, model: Any, work: Any):
    """The link's equation K x = f with its laws as lines through the present impulses and velocities."""
    link = model.links[k]
    e = work.links[k].e
    x = work.links[k].x
    K = mass_block(link.mass, link.inertia, link.to_mass, e)
    f = work.links[k].f_smooth
    zero = numerics.dt - numerics.dt
    share = law_share(k, mode, link, work)
    for p in range(link.n_points):
        at = nth(k, p, model.most_points, model)
        point = model.points[at]
        law = model.laws[work.points[at].law]
        if law.code != LAW_NONE:
            d = work.points[at].d
            W_along = wp.vector(d[0], d[1], point.arm[0])
            W_across = wp.vector(-d[1], d[0], point.arm[1])
            drift = work.points[at].drift
            gamma = point_velocity(d, point.arm, x) + drift
            z = work.points[at].z
            r = share * point.r
            bound = work.points[at].bound
            S, z = ground_half(law.code, law.directional, law.scale, work.points[at].S[0], z, gamma, r)
            F, G = ground_line(law.code, law.directional, law.scale, S, z, gamma, bound, r, rho)
            if mode == PROX:
                F = ground_projection(law.code, law.directional, law.scale, S, z, gamma, bound, r)
                G = wp.matrix_from_rows(wp.vector(zero, zero), wp.vector(zero, zero))
            if mode == HELD:
                S = work.points[at].S
                F = work.points[at].z
                G = wp.matrix_from_rows(wp.vector(zero, zero), wp.vector(zero, zero))
            work.points[at].S = S
            work.points[at].F = F
            work.points[at].G = G
            F -= G * drift
            f += W_along * (S[0] * F[0]) + W_across * (S[1] * F[1])
            K = add_law(K, W_along, W_across, wp.matrix_from_rows(S[0] * G[0], S[1] * G[1]))
    if link.spin_bound > zero:
        z_spin = work.links[k].spin_P
        r_spin = share * link.inertia
        y_spin = z_spin - r_spin * x[2]
        F_spin, G_spin = interval_line(z_spin, y_spin, numerics.dt * link.spin_bound, r_spin, rho)
        if mode == PROX:
            F_spin = interval_projection(y_spin, numerics.dt * link.spin_bound)
            G_spin = zero
        if mode == HELD:
            F_spin = z_spin
            G_spin = zero
        work.links[k].spin_F = F_spin
        work.links[k].spin_G = G_spin
        f[2] += F_spin
        K[2, 2] += G_spin
    for c in range(work.n_contacts[k]):
        at = nth(k, c, MOST_CONTACTS, model)
        contact = work.contacts[at]
        gamma = wp.vector(wp.dot(contact.W_N, x), wp.dot(contact.W_T, x)) + contact.drift
        r_contact = share * contact.r
        F, G = peg_line(contact.P, gamma, contact.target, contact.mu, r_contact, rho)
        if mode == PROX:
            F = peg_projection(contact.P, gamma, contact.target, contact.mu, r_contact)
            G = wp.matrix_from_rows(wp.vector(zero, zero), wp.vector(zero, zero))
        if mode == HELD:
            F = contact.P
            G = wp.matrix_from_rows(wp.vector(zero, zero), wp.vector(zero, zero))
        work.contacts[at].F = F
        work.contacts[at].G = G
        F -= G * contact.drift
        f += contact.W_N * F[0] + contact.W_T * F[1]
        K = add_law(K, contact.W_N, contact.W_T, G)
    if SELVES:
        work.links[k].K = K
    return K, f


@wp.func
def respond_link(k: int, mode: int, x: Any, numerics: Any, model: Any, motion: Any, work: Any):
    """What the link feels at twist x under the lines, and its projection; returns their distance as a speed [m/s]."""
    link = model.links[k]
    zero = numerics.dt - numerics.dt
    square = zero  # of that distance
    share = law_share(k, mode, link, work)
    more = type(zero)(1.0) / share
    for p in range(link.n_points):
        at = nth(k, p, model.most_points, model)
        point = model.points[at]
        law = model.laws[work.points[at].law]
        if law.code != LAW_NONE:
            gamma = point_velocity(work.points[at].d, point.arm, x) + work.points[at].drift
            z = work.points[at].F - work.points[at].G * gamma
            r = share * point.r
            S, z_half = ground_half(law.code, law.directional, law.scale, work.points[at].S[0], z, gamma, r)
            bound = work.points[at].bound
            z_next = ground_projection(law.code, law.directional, law.scale, S, z_half, gamma, bound, r)
            work.points[at].z = z
            motion.points[at] = z_next
            error = wp.cw_mul(S, z_next) - wp.cw_mul(work.points[at].S, z)
            if LAWS:
                if law.directional == 1:
                    # The direction of slip decides, and a coefficient of zero must not hide it.
                    error = z_next - z
            error = error * (more * point.inverse_r)
            square = wp.max(square, wp.dot(error, error))
        else:
            work.points[at].z = wp.vector(zero, zero)
    if link.spin_bound > zero:
        z_spin = work.links[k].spin_F - work.links[k].spin_G * x[2]
        r_spin = share * link.inertia
        next_spin = interval_projection(z_spin - r_spin * x[2], numerics.dt * link.spin_bound)
        work.links[k].spin_P = z_spin
        motion.links[k].P_spin = next_spin
        turn_error = (next_spin - z_spin) * (more * link.inverse_inertia * link.length)
        square = wp.max(square, turn_error * turn_error)
    for c in range(work.n_contacts[k]):
        at = nth(k, c, MOST_CONTACTS, model)
        contact = work.contacts[at]
        gamma = wp.vector(wp.dot(contact.W_N, x), wp.dot(contact.W_T, x)) + contact.drift
        P = contact.F - contact.G * gamma
        r_contact = share * contact.r
        P_next = peg_projection(P, gamma, contact.target, contact.mu, r_contact)
        work.contacts[at].P = P
        work.contacts[at].P_next = P_next
        error = more * wp.cw_mul(P_next - P, contact.inverse_r)
        square = wp.max(square, wp.max(error[0] * error[0], error[1] * error[1]))
    return wp.sqrt(square)
