"""Elimination along the joints, as in the planar `chain`, for twists of six components.

Symbols: (v, w) twist of a link at its rear joint J, world axes; A, B, C, D the four 3x3 blocks of its equation
A v + B w = f_v, C v + D w = f_w. An axis s frees the angular velocity along s alone. A cardan joint is two axes in
sequence; between them the equation is moved by the distance of the axes.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.motors import linearise_joint, split_joint
from pushpoint.kernels.spatial.algebra.frames import cross_columns, rows_cross, scaled_identity
from pushpoint.kernels.spatial.contacts import SPLIT, add_link, linearise_link
from pushpoint.kernels.spatial.structs import MOST_AXES
from pushpoint.kernels.structs import DRIVE_PRESCRIBED, nth, place
from pushpoint.kernels.traits import JOINTS, LIMITS, SELVES


@wp.func
def moved_back(A: Any, B: Any, C: Any, D: Any, a: Any):
    """The blocks for a twist taken at a point from which the present one is seen at a."""
    B_moved = B - rows_cross(A, a)
    D_moved = D - rows_cross(C, a) + cross_columns(a, B_moved)
    return B_moved, C + cross_columns(a, A), D_moved


@wp.func
def linearise_contacts(w: int, mode: int, rho: Any, numerics: Any, model: Any, work: Any):
    """Writes the laws of all contacts as lines at the present twists."""
    for i in range(model.n_links):
        k = place(w, i, model)
        if work.n_contacts[k] > 0:
            linearise_link(k, mode, rho, numerics, model, work)


@wp.func
def linearise_joints(w: int, mode: int, rho: Any, given_up: int, numerics: Any, model: Any, drive: Any, work: Any):
    """Writes the laws of all axes as lines at their present rates."""
    for i in range(model.n_links - 1):
        k = place(w, i, model)
        for a in range(model.links[k].n_axes):
            q = nth(k, a, MOST_AXES, model)
            if mode == SPLIT:
                split_joint(q, rho, numerics, drive, work)
            else:
                # The prox iteration concerns contacts: joints are solved exactly, unless the step is given up.
                linearise_joint(q, rho, given_up, numerics, drive, work)


@wp.func
def set_axis(q: int, C: Any, D: Any, f_w: Any, drive: Any, work: Any):
    """Stores what the forward sweep needs to find the rate of axis q."""
    s = work.joints[q].s
    row_w = s * D
    b = work.joints[q].b
    moment = wp.dot(s, f_w)
    stiff = wp.dot(row_w, s) + work.joints[q].kappa
    pushed = moment + b
    if LIMITS:
        stiff += work.joints[q].stop_G
        pushed += work.joints[q].stop_F
    inverse_D = type(b)(1.0) / stiff
    d = inverse_D * pushed
    if LIMITS:
        work.joints[q].moment = moment
        if drive.joints[q].mode == DRIVE_PRESCRIBED:
            inverse_D = b - b
            d = b
    work.joints[q].row_v = s * C
    work.joints[q].row_w = row_w
    work.joints[q].inverse_D = inverse_D
    work.joints[q].d = d


@wp.func
def free_axes(
    k: int, touches: bool, A: Any, B: Any, C: Any, D: Any, f_v: Any, f_w: Any,
    numerics: Any, model: Any, drive: Any, work: Any,
):  # fmt: skip
    """Eliminates the rates of the joint in front of the link at k, one axis after the other."""
    n_axes = model.links[k].n_axes
    for front in range(n_axes):
        a = n_axes - 1 - front
        q = nth(k, a, MOST_AXES, model)
        set_axis(q, C, D, f_w, drive, work)
        s = work.joints[q].s
        U_v = B * s
        U_w = D * s
        if SELVES:
            if touches:
                work.pivots[q].U_v = U_v
                work.pivots[q].U_w = U_w
        inverse_D = work.joints[q].inverse_D
        row_v = work.joints[q].row_v * inverse_D
        row_w = work.joints[q].row_w * inverse_D
        A = A - wp.outer(U_v, row_v)
        B = B - wp.outer(U_v, row_w)
        C = C - wp.outer(U_w, row_v)
        D = D - wp.outer(U_w, row_w)
        d = work.joints[q].d
        f_v = f_v - U_v * d
        f_w = f_w - U_w * d
        if a == 1 and model.links[k].gap > numerics.dt - numerics.dt:
            between = work.links[k].between
            B, C, D = moved_back(A, B, C, D, between)
            f_w = f_w + wp.cross(between, f_v)
    return A, B, C, D, f_v, f_w


@wp.func
def free_pair(k: int, A: Any, B: Any, C: Any, D: Any, f_v: Any, f_w: Any, model: Any, work: Any):
    """The same at once for two axes that meet in a point; their rows are kept divided by the 2x2 block of both."""
    q = nth(k, 0, MOST_AXES, model)
    p = nth(k, 1, MOST_AXES, model)
    s = work.joints[q].s
    t = work.joints[p].s
    s_C = s * C
    t_C = t * C
    s_D = s * D
    t_D = t * D
    D_ss = wp.dot(s_D, s) + work.joints[q].kappa
    D_st = wp.dot(s_D, t)
    D_ts = wp.dot(t_D, s)
    D_tt = wp.dot(t_D, t) + work.joints[p].kappa
    inverse = type(D_ss)(1.0) / (D_ss * D_tt - D_st * D_ts)
    E_ss = D_tt * inverse
    E_st = -D_st * inverse
    E_ts = -D_ts * inverse
    E_tt = D_ss * inverse
    push_s = wp.dot(s, f_w) + work.joints[q].b
    push_t = wp.dot(t, f_w) + work.joints[p].b
    d_s = E_ss * push_s + E_st * push_t
    d_t = E_ts * push_s + E_tt * push_t
    row_v = E_ss * s_C + E_st * t_C
    row_w = E_ss * s_D + E_st * t_D
    row_v_t = E_ts * s_C + E_tt * t_C
    row_w_t = E_ts * s_D + E_tt * t_D
    work.joints[q].row_v = row_v
    work.joints[q].row_w = row_w
    work.joints[q].d = d_s
    work.joints[p].row_v = row_v_t
    work.joints[p].row_w = row_w_t
    work.joints[p].d = d_t
    B_s = B * s
    B_t = B * t
    D_s = D * s
    D_t = D * t
    return (
        A - wp.outer(B_s, row_v) - wp.outer(B_t, row_v_t),
        B - wp.outer(B_s, row_w) - wp.outer(B_t, row_w_t),
        C - wp.outer(D_s, row_v) - wp.outer(D_t, row_v_t),
        D - wp.outer(D_s, row_w) - wp.outer(D_t, row_w_t),
        f_v - B_s * d_s - B_t * d_t,
        f_w - D_s * d_s - D_t * d_t,
    )


@wp.func
def sweep_to_tail(w: int, numerics: Any, model: Any, drive: Any, work: Any):
    """Eliminates every joint rate from head to tail; returns the tail's blocks."""
    last = model.n_links - 1
    zero = numerics.dt - numerics.dt
    f_v = wp.vector(zero, zero, zero)
    f_w = f_v
    A = scaled_identity(zero)
    B = A
    C = A
    D = A
    A, B, C, D, f_v, f_w = add_link(place(w, last, model), A, B, C, D, f_v, f_w, model, work)
    for ahead in range(last):
        k = place(w, last - 1 - ahead, model)
        along = work.links[k].along
        if JOINTS:
            touches = work.n_self[w] > 0
            A, B, C, D, f_v, f_w = free_axes(k, touches, A, B, C, D, f_v, f_w, numerics, model, drive, work)
        else:
            A, B, C, D, f_v, f_w = free_pair(k, A, B, C, D, f_v, f_w, model, work)
        B, C, D = moved_back(A, B, C, D, along)
        f_w = f_w + wp.cross(along, f_v)
        A, B, C, D, f_v, f_w = add_link(k, A, B, C, D, f_v, f_w, model, work)
    return A, B, C, D, f_v, f_w


@wp.func
def tail_twist(w: int, A: Any, B: Any, C: Any, D: Any, f_v: Any, f_w: Any, work: Any):
    """Solves the tail's equation by its blocks."""
    inverse_A = wp.inverse(A)
    C_A = C * inverse_A
    inverse_S = wp.inverse(D - C_A * B)
    if SELVES:
        if work.n_self[w] > 0:
            work.tails[w].inverse_A = inverse_A
            work.tails[w].B = B
            work.tails[w].C_A = C_A
            work.tails[w].inverse_S = inverse_S
    omega = inverse_S * (f_w - C_A * f_v)
    return inverse_A * (f_v - B * omega), omega


@wp.func
def carry_to_next(k: int, v: Any, w: Any, model: Any, work: Any):
    """Twist of the link in front from that of the link at k; stores the rates of the joint between them."""
    v_front = v + wp.cross(w, work.links[k].along)
    if JOINTS:
        return carry_over_axes(k, v_front, w, model, work)
    else:
        q = nth(k, 0, MOST_AXES, model)
        p = nth(k, 1, MOST_AXES, model)
        s = work.joints[q].s  # read before anything is written, so that a GPU asks for all at once
        t = work.joints[p].s
        rate = work.joints[q].d - wp.dot(work.joints[q].row_v, v_front) - wp.dot(work.joints[q].row_w, w)
        rate_t = work.joints[p].d - wp.dot(work.joints[p].row_v, v_front) - wp.dot(work.joints[p].row_w, w)
        work.joints[q].rate = rate
        work.joints[p].rate = rate_t
        return v_front, w + s * rate + t * rate_t


@wp.func
def carry_over_axes(k: int, v: Any, w: Any, model: Any, work: Any):
    """The same from the first axis of the joint on, one axis after the other."""
    v_front = v
    w_front = w
    for a in range(model.links[k].n_axes):
        q = nth(k, a, MOST_AXES, model)
        if a == 1:
            v_front = v_front + wp.cross(w_front, work.links[k].between)
        carried = wp.dot(work.joints[q].row_v, v_front) + wp.dot(work.joints[q].row_w, w_front)
        rate = work.joints[q].d - work.joints[q].inverse_D * carried
        work.joints[q].rate = rate
        w_front = w_front + work.joints[q].s * rate
        if LIMITS:
            # What a prescribed axis passes on is the whole of the row's demand.
            if work.joints[q].inverse_D == rate - rate:
                demand = carried + wp.dot(work.joints[q].row_w, work.joints[q].s) * rate
                work.joints[q].P = demand - work.joints[q].moment
    return v_front, w_front


@wp.func
def answer_impulses(w: int, model: Any, work: Any):
    """Replaces the impulses in `answers` by the twists that they give under the lines of the sweep."""
    last = model.n_links - 1
    head = place(w, last, model)
    f_v = work.answers[head].v
    f_w = work.answers[head].w
    for ahead in range(last):
        k = place(w, last - 1 - ahead, model)
        n_axes = model.links[k].n_axes
        for front in range(n_axes):
            q = nth(k, n_axes - 1 - front, MOST_AXES, model)
            d = work.joints[q].inverse_D * wp.dot(work.joints[q].s, f_w)
            work.pivots[q].rate = d
            f_v = f_v - work.pivots[q].U_v * d
            f_w = f_w - work.pivots[q].U_w * d
            if front == 0 and n_axes == 2:
                f_w = f_w + wp.cross(work.links[k].between, f_v)
        f_w = f_w + wp.cross(work.links[k].along, f_v) + work.answers[k].w
        f_v = f_v + work.answers[k].v
    tail = work.tails[w]
    omega = tail.inverse_S * (f_w - tail.C_A * f_v)
    v = tail.inverse_A * (f_v - tail.B * omega)
    for i in range(model.n_links):
        k = place(w, i, model)
        work.answers[k].v = v
        work.answers[k].w = omega
        v = v + wp.cross(omega, work.links[k].along)
        for a in range(model.links[k].n_axes):
            q = nth(k, a, MOST_AXES, model)
            if a == 1:
                v = v + wp.cross(omega, work.links[k].between)
            carried = wp.dot(work.joints[q].row_v, v) + wp.dot(work.joints[q].row_w, omega)
            rate = work.pivots[q].rate - work.joints[q].inverse_D * carried
            work.pivots[q].rate = rate
            omega = omega + work.joints[q].s * rate
