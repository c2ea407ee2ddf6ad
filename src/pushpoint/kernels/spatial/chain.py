"""Elimination along the joints, as in the planar `chain`, for twists of six components.

Symbols: (v, w) twist of a link at its rear joint J, world axes; A, B, C, D the four 3x3 blocks of its equation
A v + B w = f_v, C v + D w = f_w. An axis s frees the angular velocity along s alone. A cardan joint is two axes in
sequence; between them the equation is moved by the distance of the axes.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.spatial.contacts import add_link
from pushpoint.kernels.spatial.frames import cross_columns, rows_cross, scaled_identity
from pushpoint.kernels.spatial.structs import MOST_AXES
from pushpoint.kernels.structs import DRIVE_PRESCRIBED, nth, place


@wp.func
def moved_back(A: Any, B: Any, C: Any, D: Any, a: Any):
    """The blocks for a twist taken at a point from which the present one is seen at a."""
    B_moved = B - rows_cross(A, a)
    D_moved = D - rows_cross(C, a) + cross_columns(a, B_moved)
    return B_moved, C + cross_columns(a, A), D_moved


@wp.func
def set_axis(q: int, C: Any, D: Any, f_w: Any, drive: Any, work: Any):
    """Stores what the forward sweep needs to find the rate of axis q."""
    s = work.joints[q].s
    row_w = s * D
    b = work.joints[q].b
    moment = wp.dot(s, f_w)
    inverse_D = b - b
    d = b
    if drive.joints[q].mode != DRIVE_PRESCRIBED:
        inverse_D = type(b)(1.0) / (wp.dot(row_w, s) + work.joints[q].kappa + work.joints[q].stop_G)
        d = inverse_D * (moment + b + work.joints[q].stop_F)
    work.joints[q].row_v = s * C
    work.joints[q].row_w = row_w
    work.joints[q].moment = moment
    work.joints[q].inverse_D = inverse_D
    work.joints[q].d = d


@wp.func
def sweep_to_tail(w: int, mode: int, rho: Any, numerics: Any, model: Any, drive: Any, work: Any):
    """Linearises every link and eliminates every joint rate from head to tail; returns the tail's blocks."""
    last = model.n_links - 1
    touches = work.n_self[w] > 0
    zero = numerics.dt - numerics.dt
    f_v = wp.vector(zero, zero, zero)
    f_w = f_v
    A = scaled_identity(zero)
    B = A
    C = A
    D = A
    A, B, C, D, f_v, f_w = add_link(place(w, last, model), mode, rho, A, B, C, D, f_v, f_w, numerics, model, work)
    for ahead in range(last):
        k = place(w, last - 1 - ahead, model)
        n_axes = model.links[k].n_axes
        for front in range(n_axes):
            a = n_axes - 1 - front
            q = nth(k, a, MOST_AXES, model)
            set_axis(q, C, D, f_w, drive, work)
            s = work.joints[q].s
            U_v = B * s
            U_w = D * s
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
        along = work.links[k].along
        B, C, D = moved_back(A, B, C, D, along)
        f_w = f_w + wp.cross(along, f_v)
        A, B, C, D, f_v, f_w = add_link(k, mode, rho, A, B, C, D, f_v, f_w, numerics, model, work)
    return A, B, C, D, f_v, f_w


@wp.func
def tail_twist(w: int, A: Any, B: Any, C: Any, D: Any, f_v: Any, f_w: Any, work: Any):
    """Solves the tail's equation by its blocks."""
    inverse_A = wp.inverse(A)
    C_A = C * inverse_A
    inverse_S = wp.inverse(D - C_A * B)
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
    w_front = w
    for a in range(model.links[k].n_axes):
        q = nth(k, a, MOST_AXES, model)
        if a == 1:
            v_front = v_front + wp.cross(w_front, work.links[k].between)
        carried = wp.dot(work.joints[q].row_v, v_front) + wp.dot(work.joints[q].row_w, w_front)
        rate = work.joints[q].d - work.joints[q].inverse_D * carried
        work.joints[q].rate = rate
        w_front = w_front + work.joints[q].s * rate
        # What a prescribed axis passes on is the whole of the row's demand.
        if work.joints[q].inverse_D == rate - rate:
            work.joints[q].P = carried + wp.dot(work.joints[q].row_w, work.joints[q].s) * rate - work.joints[q].moment
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
