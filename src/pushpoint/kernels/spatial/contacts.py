"""The laws of one link: its answer to a twist, and its linearised equation.

Symbols as in `structs` and `chain`; gamma = (normal, along, across) velocity of a contact, share the part of the
augmentation r that the prox iteration may use.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.laws import friction_line, ground_half, ground_projection
from pushpoint.kernels.spatial.algebra.blocks import add_block, add_turn_block
from pushpoint.kernels.spatial.algebra.frames import skew
from pushpoint.kernels.spatial.algebra.normals import in_contact, in_world, left_of, point_velocity
from pushpoint.kernels.spatial.laws import turning_line, turning_projection
from pushpoint.kernels.spatial.structs import MOST_CONTACTS
from pushpoint.kernels.structs import LAW_VISCOUS, nth
from pushpoint.kernels.traits import LAWS

PROX = wp.constant(0)
NEWTON = wp.constant(1)
HELD = wp.constant(2)
"""Impulses as they are."""
SPLIT = wp.constant(3)


@wp.func
def law_share(k: int, mode: int, one: Any, work: Any):
    """Part of the augmentation each law may use: the prox iteration contracts only if a link's laws share its mass."""
    if mode != PROX:
        return one
    return one / type(one)(wp.max(3 * work.n_contacts[k], 1))


@wp.func
def friction_bound(code: int, largest: Any, P_N: Any, numerics: Any):
    """Radius of the friction set [N s]; of a viscous law its impulse per speed [N s^2/m], whatever the load."""
    bound = largest * P_N
    if LAWS:
        if code == LAW_VISCOUS:
            bound = numerics.dt * largest
    return bound


@wp.func
def contact_projection(c: int, P: Any, gamma: Any, share: Any, numerics: Any, model: Any, work: Any):
    """Signorini and Coulomb: Transeth2008b (77), (78); returns the impulses and the scaling of the friction."""
    law = model.laws[work.contacts[c].law]
    r_T = share * work.contacts[c].r[1]
    P_N = wp.max(P[0] - share * work.contacts[c].r[0] * (gamma[0] - work.contacts[c].target), r_T - r_T)
    slip = wp.vector(gamma[1], gamma[2])
    S, z = ground_half(law.code, law.directional, law.scale, work.contacts[c].S[0], wp.vector(P[1], P[2]), slip, r_T)
    bound = friction_bound(law.code, work.contacts[c].largest, P_N, numerics)
    z = ground_projection(law.code, law.directional, law.scale, S, z, slip, bound, r_T)
    return wp.vector(P_N, z[0], z[1]), S


@wp.func
def linearise_contact(c: int, gamma: Any, w_local: Any, share: Any, rho: Any, numerics: Any, model: Any, work: Any):
    """Writes the laws of contact c as lines through the present impulses and velocities.

    Sliding friction follows the normal impulse along its present direction, `friction_lean`: that couples the two, and
    makes the equations not symmetric.
    """
    law = model.laws[work.contacts[c].law]
    P = work.contacts[c].P
    zero = share - share
    r = share * work.contacts[c].r
    target = work.contacts[c].target
    y_N = P[0] - r[0] * (gamma[0] - target)
    if y_N > zero:
        slip = wp.vector(gamma[1], gamma[2])
        S, z = ground_half(
            law.code, law.directional, law.scale, work.contacts[c].S[0], wp.vector(P[1], P[2]), slip, r[1]
        )
        largest = work.contacts[c].largest
        bound = friction_bound(law.code, largest, y_N, numerics)
        F_T, G_T, lean = friction_line(law.code, law.directional, law.scale, S, z, slip, bound, r[1], rho)
        G_N = rho * r[0]
        work.contacts[c].S = S
        work.contacts[c].F = wp.vector(P[0] + G_N * target, F_T[0], F_T[1])
        work.contacts[c].G_N = G_N
        work.contacts[c].G_T = G_T
        work.contacts[c].friction_lean = lean * largest
        rolling = work.contacts[c].rolling
        spin = work.contacts[c].spin
        if rolling > zero or spin > zero:
            turn_F, turn_G, turn_lean = turning_line(work.contacts[c].Q, w_local, y_N, rolling, spin, r[2], rho)
            work.contacts[c].turn_F = turn_F
            work.contacts[c].turn_G = turn_G
            work.contacts[c].turn_lean = turn_lean
    else:
        let_go(c, zero, law, numerics, work)


@wp.func
def let_go(c: int, zero: Any, law: Any, numerics: Any, work: Any):
    """Writes an open contact as lines: no impulse, or that of viscous friction alone."""
    none = wp.vector(zero, zero, zero)
    work.contacts[c].F = none
    hold_constant(c, none, work)
    if LAWS:
        if law.code == LAW_VISCOUS:
            bound = friction_bound(law.code, work.contacts[c].largest, zero, numerics)
            work.contacts[c].G_T = wp.diag(wp.vector(bound * law.scale[0], bound * law.scale[2]))
            work.contacts[c].S = wp.vector(type(zero)(1.0), type(zero)(1.0))


@wp.func
def hold_constant(c: int, Q: Any, work: Any):
    """Makes the lines constant: F as it is, and Q."""
    zero = Q[0] - Q[0]
    flat = wp.vector(zero, zero)
    work.contacts[c].G_N = zero
    work.contacts[c].G_T = wp.matrix_from_rows(flat, flat)
    work.contacts[c].friction_lean = flat
    work.contacts[c].turn_F = Q
    work.contacts[c].turn_G = wp.vector(zero, zero, zero, zero)
    work.contacts[c].turn_lean = wp.vector(zero, zero, zero)


@wp.func
def project_contact(c: int, gamma: Any, w_local: Any, share: Any, numerics: Any, model: Any, work: Any):
    """Writes the projections as constant lines: the prox iteration of the papers, (87)-(89)."""
    P, S = contact_projection(c, work.contacts[c].P, gamma, share, numerics, model, work)
    work.contacts[c].F = P
    work.contacts[c].S = S
    rolling = work.contacts[c].rolling
    r = share * work.contacts[c].r[2]
    Q = turning_projection(work.contacts[c].Q, w_local, P[0], rolling, work.contacts[c].spin, r)
    hold_constant(c, Q, work)


@wp.func
def hold_contact(c: int, work: Any):
    """Writes the present impulses as constant lines."""
    work.contacts[c].F = work.contacts[c].P
    hold_constant(c, work.contacts[c].Q, work)


@wp.func
def split_contact(c: int, gamma: Any, w_local: Any, rho: Any, numerics: Any, model: Any, work: Any):
    """Writes lines as steep as rho r through the projections: the splitting of Douglas and Rachford."""
    law = model.laws[work.contacts[c].law]
    zero = rho - rho
    one = type(rho)(1.0)
    P, S = contact_projection(c, work.contacts[c].P, gamma, rho, numerics, model, work)
    r = rho * work.contacts[c].r
    drive = S
    if LAWS:
        if law.directional == 1:
            drive = wp.vector(one, one)
    G_T = r[1] * drive
    F_T = wp.vector(P[1] + G_T[0] * gamma[1], P[2] + G_T[1] * gamma[2])
    if LAWS:
        if law.code == LAW_VISCOUS:
            bound = friction_bound(law.code, work.contacts[c].largest, P[0], numerics)
            G_T = wp.vector(bound * law.scale[0], bound * law.scale[2])
            F_T = wp.vector(zero, zero)
    Q = turning_projection(work.contacts[c].Q, w_local, P[0], work.contacts[c].rolling, work.contacts[c].spin, r[2])
    hold_constant(c, Q + r[2] * w_local, work)
    work.contacts[c].F = wp.vector(P[0] + r[0] * gamma[0], F_T[0], F_T[1])
    work.contacts[c].S = S
    work.contacts[c].G_N = r[0]
    work.contacts[c].G_T = wp.diag(G_T)
    work.contacts[c].turn_G = wp.vector(r[2], r[2], r[2], zero)


@wp.func
def line_impulse(c: int, gamma: Any, work: Any):
    """(P_N, P_T) of the lines of contact c at a velocity."""
    F = work.contacts[c].F
    lean = work.contacts[c].friction_lean
    P_N = F[0] - work.contacts[c].G_N * gamma[0]
    G_T = work.contacts[c].G_T
    return wp.vector(
        P_N,
        F[1] + lean[0] * P_N - (G_T[0, 0] * gamma[1] + G_T[0, 1] * gamma[2]),
        F[2] + lean[1] * P_N - (G_T[1, 0] * gamma[1] + G_T[1, 1] * gamma[2]),
    )


@wp.func
def line_turn(c: int, P_N: Any, w_local: Any, work: Any):
    """Q of the lines of contact c at a normal impulse and an angular velocity."""
    G = work.contacts[c].turn_G
    turned = wp.vector(G[0] * w_local[0], G[1] * w_local[1] + G[3] * w_local[2], G[3] * w_local[1] + G[2] * w_local[2])
    return work.contacts[c].turn_F + P_N * work.contacts[c].turn_lean - turned


@wp.func
def linearise_link(k: int, mode: int, rho: Any, numerics: Any, model: Any, work: Any):
    """Writes the laws of the link's contacts as lines at its present twist."""
    v = work.links[k].v
    w = work.links[k].w
    drift_w = work.links[k].drift_w
    share = law_share(k, mode, type(rho)(1.0), work)
    for slot in range(work.n_contacts[k]):
        c = nth(k, slot, MOST_CONTACTS, model)
        n = work.contacts[c].n
        t = work.contacts[c].t
        u = left_of(n, t)
        gamma = in_contact(n, t, u, point_velocity(v, w, work.contacts[c].arm)) + work.contacts[c].drift
        w_local = in_contact(n, t, u, w + drift_w)
        if mode == PROX:
            project_contact(c, gamma, w_local, share, numerics, model, work)
        elif mode == HELD:
            hold_contact(c, work)
        elif mode == SPLIT:
            split_contact(c, gamma, w_local, rho, numerics, model, work)
        else:
            linearise_contact(c, gamma, w_local, share, rho, numerics, model, work)


@wp.func
def add_link(k: int, A: Any, B: Any, C: Any, D: Any, f_v: Any, f_w: Any, model: Any, work: Any):
    """Adds the link's own equation, the laws of its contacts as lines, to what the links in front hand down."""
    m = model.links[k].mass
    zero = m - m
    c = work.links[k].along * model.links[k].lever
    A[0, 0] += m
    A[1, 1] += m
    A[2, 2] += m
    lever = skew(c)
    B = B - lever
    C = C + lever
    D = D + work.links[k].inertia
    f_v = f_v + work.links[k].f_v
    f_w = f_w + work.links[k].f_w
    for slot in range(work.n_contacts[k]):
        at = nth(k, slot, MOST_CONTACTS, model)
        n = work.contacts[at].n
        t = work.contacts[at].t
        u = left_of(n, t)
        arm = work.contacts[at].arm
        S = work.contacts[at].S
        P = line_impulse(at, work.contacts[at].drift, work)  # at rest
        push = in_world(n, t, u, wp.vector(P[0], S[0] * P[1], S[1] * P[2]))
        f_v = f_v + push
        f_w = f_w + wp.cross(arm, push)
        G_N = work.contacts[at].G_N
        G_T = work.contacts[at].G_T
        lean = work.contacts[at].friction_lean
        pull = in_world(n, t, u, wp.vector(G_N, G_N * S[0] * lean[0], G_N * S[1] * lean[1]))
        G = wp.matrix_from_rows(S[0] * G_T[0], S[1] * G_T[1])
        A, B, C, D = add_block(n, t, u, arm, pull, G, A, B, C, D)
        if work.contacts[at].rolling + work.contacts[at].spin > zero:
            f_w = f_w + in_world(n, t, u, line_turn(at, P[0], in_contact(n, t, u, work.links[k].drift_w), work))
            demand = in_world(n, t, u, G_N * work.contacts[at].turn_lean)
            C, D = add_turn_block(n, t, u, arm, demand, work.contacts[at].turn_G, C, D)
    return A, B, C, D, f_v, f_w


@wp.func
def respond_link(k: int, mode: int, v: Any, w: Any, numerics: Any, model: Any, work: Any):
    """What the link feels at its twist under the lines, and its projection; returns their distance as a speed [m/s]."""
    zero = numerics.dt - numerics.dt
    square = zero  # of that distance
    share = law_share(k, mode, type(zero)(1.0), work)
    more = type(zero)(1.0) / share
    for slot in range(work.n_contacts[k]):
        c = nth(k, slot, MOST_CONTACTS, model)
        n = work.contacts[c].n
        t = work.contacts[c].t
        u = left_of(n, t)
        gamma = in_contact(n, t, u, point_velocity(v, w, work.contacts[c].arm)) + work.contacts[c].drift
        S = work.contacts[c].S
        P = line_impulse(c, gamma, work)
        P_next, S_next = contact_projection(c, P, gamma, share, numerics, model, work)
        inverse_r = more * work.contacts[c].inverse_r
        error_N = (P_next[0] - P[0]) * inverse_r[0]
        error = wp.vector(S_next[0] * P_next[1] - S[0] * P[1], S_next[1] * P_next[2] - S[1] * P[2])
        if LAWS:
            if model.laws[work.contacts[c].law].directional == 1:
                # The direction of slip decides, and a coefficient of zero must not hide it.
                error = wp.vector(P_next[1] - P[1], P_next[2] - P[2])
        error = error * inverse_r[1]
        square = wp.max(square, wp.max(error_N * error_N, wp.dot(error, error)))
        rolling = work.contacts[c].rolling
        spin = work.contacts[c].spin
        if rolling + spin > zero:
            w_local = in_contact(n, t, u, w + work.links[k].drift_w)
            r = share * work.contacts[c].r[2]
            Q = line_turn(c, P[0], w_local, work)
            Q_next = turning_projection(Q, w_local, P_next[0], rolling, spin, r)
            work.contacts[c].Q = Q
            work.contacts[c].Q_next = Q_next
            turn_error = (Q_next - Q) * (inverse_r[2] * model.links[k].radius)
            square = wp.max(square, wp.dot(turn_error, turn_error))
        work.contacts[c].P = P
        work.contacts[c].P_next = P_next
    return wp.sqrt(square)
