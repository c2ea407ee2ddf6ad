"""The laws of one link: its answer to a twist, and its linearised equation.

Symbols as in `structs` and `chain`; gamma = (normal, along, across) velocity of a contact, share the part of the
augmentation r that the prox iteration may use.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.laws import friction_line, ground_half, ground_projection
from pushpoint.kernels.spatial.frames import cross_columns, rows_cross, scaled_identity, skew
from pushpoint.kernels.spatial.laws import turning_line, turning_projection
from pushpoint.kernels.spatial.structs import MOST_CONTACTS
from pushpoint.kernels.structs import LAW_VISCOUS, nth

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
    if code == LAW_VISCOUS:
        return numerics.dt * largest
    return largest * P_N


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
    """Writes F, G and the turning law of contact c as lines through the present impulses and velocities.

    Sliding friction follows the normal impulse, P_N = F_N - G_NN gamma_N, along its present direction `lean`: that
    couples the two, and makes G not symmetric.
    """
    law = model.laws[work.contacts[c].law]
    P = work.contacts[c].P
    zero = share - share
    r = share * work.contacts[c].r
    target = work.contacts[c].target
    y_N = P[0] - r[0] * (gamma[0] - target)
    F = wp.vector(zero, zero, zero)
    G = scaled_identity(zero)
    turn_F = F
    turn_G = G
    turn_h = F
    if y_N > zero:
        slip = wp.vector(gamma[1], gamma[2])
        S, z = ground_half(
            law.code, law.directional, law.scale, work.contacts[c].S[0], wp.vector(P[1], P[2]), slip, r[1]
        )
        largest = work.contacts[c].largest
        bound = friction_bound(law.code, largest, y_N, numerics)
        F_T, G_T, lean = friction_line(law.code, law.directional, law.scale, S, z, slip, bound, r[1], rho)
        G_N = rho * r[0]
        F_N = P[0] + G_N * target
        lean = lean * largest
        F = wp.vector(F_N, F_T[0] + lean[0] * F_N, F_T[1] + lean[1] * F_N)
        G = wp.matrix_from_rows(
            wp.vector(G_N, zero, zero),
            wp.vector(lean[0] * G_N, G_T[0, 0], G_T[0, 1]),
            wp.vector(lean[1] * G_N, G_T[1, 0], G_T[1, 1]),
        )
        work.contacts[c].S = S
        rolling = work.contacts[c].rolling
        spin = work.contacts[c].spin
        if rolling > zero or spin > zero:
            turn_F, turn_G, turn_lean = turning_line(work.contacts[c].Q, w_local, y_N, rolling, spin, r[2], rho)
            turn_F = turn_F + turn_lean * F_N
            turn_h = turn_lean * G_N
    elif law.code == LAW_VISCOUS:
        bound = friction_bound(law.code, work.contacts[c].largest, zero, numerics)
        G = wp.diag(wp.vector(zero, bound * law.scale[0], bound * law.scale[2]))
        work.contacts[c].S = wp.vector(type(zero)(1.0), type(zero)(1.0))
    work.contacts[c].F = F
    work.contacts[c].G = G
    work.contacts[c].turn_F = turn_F
    work.contacts[c].turn_G = turn_G
    work.contacts[c].turn_h = turn_h


@wp.func
def project_contact(c: int, gamma: Any, w_local: Any, share: Any, numerics: Any, model: Any, work: Any):
    """Writes the projections as constant lines: the prox iteration of the papers, (87)-(89)."""
    zero = share - share
    P, S = contact_projection(c, work.contacts[c].P, gamma, share, numerics, model, work)
    work.contacts[c].F = P
    work.contacts[c].S = S
    work.contacts[c].G = scaled_identity(zero)
    work.contacts[c].turn_F = turning_projection(
        work.contacts[c].Q,
        w_local,
        P[0],
        work.contacts[c].rolling,
        work.contacts[c].spin,
        share * work.contacts[c].r[2],
    )
    work.contacts[c].turn_G = scaled_identity(zero)
    work.contacts[c].turn_h = wp.vector(zero, zero, zero)


@wp.func
def hold_contact(c: int, work: Any):
    """Writes the present impulses as constant lines."""
    zero = work.contacts[c].target - work.contacts[c].target
    work.contacts[c].F = work.contacts[c].P
    work.contacts[c].G = scaled_identity(zero)
    work.contacts[c].turn_F = work.contacts[c].Q
    work.contacts[c].turn_G = scaled_identity(zero)
    work.contacts[c].turn_h = wp.vector(zero, zero, zero)


@wp.func
def split_contact(c: int, gamma: Any, w_local: Any, rho: Any, numerics: Any, model: Any, work: Any):
    """Writes lines as steep as rho r through the projections: the splitting of Douglas and Rachford."""
    law = model.laws[work.contacts[c].law]
    zero = rho - rho
    one = type(rho)(1.0)
    P, S = contact_projection(c, work.contacts[c].P, gamma, rho, numerics, model, work)
    r = rho * work.contacts[c].r
    drive = S
    if law.directional == 1:
        drive = wp.vector(one, one)
    G = wp.vector(r[0], r[1] * drive[0], r[1] * drive[1])
    F = P + wp.cw_mul(G, gamma)
    if law.code == LAW_VISCOUS:
        bound = friction_bound(law.code, work.contacts[c].largest, P[0], numerics)
        G = wp.vector(r[0], bound * law.scale[0], bound * law.scale[2])
        F = wp.vector(F[0], zero, zero)
    Q = turning_projection(work.contacts[c].Q, w_local, P[0], work.contacts[c].rolling, work.contacts[c].spin, r[2])
    work.contacts[c].F = F
    work.contacts[c].S = S
    work.contacts[c].G = wp.diag(G)
    work.contacts[c].turn_F = Q + r[2] * w_local
    work.contacts[c].turn_G = scaled_identity(r[2])
    work.contacts[c].turn_h = wp.vector(zero, zero, zero)


@wp.func
def add_link(
    k: int,
    mode: int,
    rho: Any,
    A: Any,
    B: Any,
    C: Any,
    D: Any,
    f_v: Any,
    f_w: Any,
    numerics: Any,
    model: Any,
    work: Any,
):
    """Adds the link's own equation, its laws as lines, to what the links in front hand down."""
    m = model.links[k].mass
    zero = m - m
    c = work.links[k].along * (m * model.links[k].to_mass / model.links[k].length)
    A[0, 0] += m
    A[1, 1] += m
    A[2, 2] += m
    lever = skew(c)
    B = B - lever
    C = C + lever
    D = D + work.links[k].inertia
    f_v = f_v + work.links[k].f_v
    f_w = f_w + work.links[k].f_w
    if work.n_contacts[k] > 0:
        v = work.links[k].v
        w = work.links[k].w
        drift_w = work.links[k].drift_w
        share = law_share(k, mode, type(m)(1.0), work)
        for slot in range(work.n_contacts[k]):
            at = nth(k, slot, MOST_CONTACTS, model)
            n = work.contacts[at].n
            t = work.contacts[at].t
            u = wp.cross(n, t)
            arm = work.contacts[at].arm
            speed = v + wp.cross(w, arm)
            drift = work.contacts[at].drift
            gamma = wp.vector(wp.dot(n, speed), wp.dot(t, speed), wp.dot(u, speed)) + drift
            turning = work.contacts[at].rolling + work.contacts[at].spin > zero
            w_drift = drift
            w_local = drift
            if turning:
                w_drift = wp.vector(wp.dot(n, drift_w), wp.dot(t, drift_w), wp.dot(u, drift_w))
                w_local = wp.vector(wp.dot(n, w), wp.dot(t, w), wp.dot(u, w)) + w_drift
            if mode == PROX:
                project_contact(at, gamma, w_local, share, numerics, model, work)
            elif mode == HELD:
                hold_contact(at, work)
            elif mode == SPLIT:
                split_contact(at, gamma, w_local, rho, numerics, model, work)
            else:
                linearise_contact(at, gamma, w_local, share, rho, numerics, model, work)
            F = work.contacts[at].F - work.contacts[at].G * drift
            S = work.contacts[at].S
            push = F[0] * n + (S[0] * F[1]) * t + (S[1] * F[2]) * u
            f_v = f_v + push
            f_w = f_w + wp.cross(arm, push)
            if turning:
                turn_F = work.contacts[at].turn_F - work.contacts[at].turn_G * w_drift
                turn_F -= work.contacts[at].turn_h * drift[0]
                f_w = f_w + turn_F[0] * n + turn_F[1] * t + turn_F[2] * u
            G = work.contacts[at].G
            if G[0, 0] + G[1, 1] + G[2, 2] != zero:
                basis = wp.matrix_from_rows(n, t, u)
                scaled = wp.matrix_from_rows(G[0], S[0] * G[1], S[1] * G[2])
                world = wp.transpose(basis) * (scaled * basis)
                turned = rows_cross(world, arm)
                A = A + world
                B = B - turned
                C = C + cross_columns(arm, world)
                D = D - cross_columns(arm, turned)
                if turning:
                    h = work.contacts[at].turn_h
                    demand = h[0] * n + h[1] * t + h[2] * u
                    C = C + wp.outer(demand, n)
                    turn_G = wp.transpose(basis) * (work.contacts[at].turn_G * basis)
                    D = D + wp.outer(demand, wp.cross(arm, n)) + turn_G
    return A, B, C, D, f_v, f_w


@wp.func
def respond_link(k: int, mode: int, v: Any, w: Any, numerics: Any, model: Any, work: Any):
    """What the link feels at its twist under the lines, and its projection; returns their distance as a speed [m/s]."""
    zero = numerics.dt - numerics.dt
    residual = zero
    share = law_share(k, mode, type(zero)(1.0), work)
    for slot in range(work.n_contacts[k]):
        c = nth(k, slot, MOST_CONTACTS, model)
        n = work.contacts[c].n
        t = work.contacts[c].t
        u = wp.cross(n, t)
        at = v + wp.cross(w, work.contacts[c].arm)
        gamma = wp.vector(wp.dot(n, at), wp.dot(t, at), wp.dot(u, at)) + work.contacts[c].drift
        S = work.contacts[c].S
        P = work.contacts[c].F - work.contacts[c].G * gamma
        P_next, S_next = contact_projection(c, P, gamma, share, numerics, model, work)
        work.contacts[c].P = P
        work.contacts[c].P_next = P_next
        r = share * work.contacts[c].r
        residual = wp.max(residual, wp.abs(P_next[0] - P[0]) / r[0])
        error = wp.vector(S_next[0] * P_next[1] - S[0] * P[1], S_next[1] * P_next[2] - S[1] * P[2])
        if model.laws[work.contacts[c].law].directional == 1:
            # The direction of slip decides, and a coefficient of zero must not hide it.
            error = wp.vector(P_next[1] - P[1], P_next[2] - P[2])
        residual = wp.max(residual, wp.length(error) / r[1])
        if work.contacts[c].rolling + work.contacts[c].spin > zero:
            turning = w + work.links[k].drift_w
            w_local = wp.vector(wp.dot(n, turning), wp.dot(t, turning), wp.dot(u, turning))
            Q = work.contacts[c].turn_F - work.contacts[c].turn_G * w_local - work.contacts[c].turn_h * gamma[0]
            Q_next = turning_projection(Q, w_local, P_next[0], work.contacts[c].rolling, work.contacts[c].spin, r[2])
            work.contacts[c].Q = Q
            work.contacts[c].Q_next = Q_next
            residual = wp.max(residual, wp.length(Q_next - Q) / r[2] * model.links[k].radius)
    return residual
