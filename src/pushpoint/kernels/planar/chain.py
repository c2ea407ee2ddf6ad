"""Elimination along the joints: the chain's velocity equations K x = f solved in two sweeps, O(n).

Symbols: x_i = (v, omega) twist of link i at its rear joint point J_i, world axes; K_i, f_i the link's own equation
with contacts linearised; joint j = i - 1 lies at J_i and frees omega_i alone, so S = (0, 0, 1). The motor's impulse
on link i is b - kappa rate. A prescribed joint has inverse_D = 0 and its rate in d.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.planar.blocks import joint_arm, shift_block
from pushpoint.kernels.planar.contacts import linearise_link
from pushpoint.kernels.structs import DRIVE_PRESCRIBED, place
from pushpoint.kernels.traits import LIMITS


@wp.func
def sweep_to_tail(w: int, mode: int, rho: Any, numerics: Any, model: Any, drive: Any, work: Any):
    """Linearises every link and eliminates every joint rate from head to tail; returns the tail's K and f."""
    last = model.n_links - 1
    K, f = linearise_link(place(w, last, model), mode, rho, numerics, model, work)
    for behind in range(last):
        k = place(w, last - 1 - behind, model)
        row = K[2]
        column = wp.vector(K[0, 2], K[1, 2], K[2, 2])
        b = work.joints[k].b
        stiff = row[2] + work.joints[k].kappa
        pushed = f[2] + b
        if LIMITS:
            stiff += work.joints[k].stop_G
            pushed += work.joints[k].stop_F
        inverse_D = type(b)(1.0) / stiff
        d = inverse_D * pushed
        if LIMITS:
            work.joints[k].moment = f[2]
            if drive.joints[k].mode == DRIVE_PRESCRIBED:
                inverse_D = type(b)(0.0)
                d = b
        work.joints[k].row = row
        work.joints[k].inverse_D = inverse_D
        work.joints[k].d = d
        K = K - wp.outer(column * inverse_D, row)
        f = f - column * d
        a = joint_arm(work.links[k].e, model.links[k].length)
        K_own, f_own = linearise_link(k, mode, rho, numerics, model, work)
        K = shift_block(K, a) + K_own
        f = wp.vector(f[0], f[1], f[2] + a[0] * f[0] + a[1] * f[1]) + f_own
    return K, f


@wp.func
def carry_to_next(k: int, x: Any, model: Any, work: Any):
    """Twist of the link in front from that of the link at k; stores the rate of the joint between them."""
    a = joint_arm(work.links[k].e, model.links[k].length)
    y = wp.vector(x[0] + a[0] * x[2], x[1] + a[1] * x[2], x[2])
    rate = work.joints[k].d - work.joints[k].inverse_D * wp.dot(work.joints[k].row, y)
    work.joints[k].rate = rate
    if LIMITS:
        if work.joints[k].inverse_D == rate - rate:
            # What a prescribed joint passes on is the whole of the row's demand.
            row = work.joints[k].row
            work.joints[k].P = wp.dot(row, y) + row[2] * rate - work.joints[k].moment
    return wp.vector(y[0], y[1], y[2] + rate)


@wp.func
def keep_columns(w: int, model: Any, work: Any):
    """Keeps what answers impulses under the lines of the last sweep: a column per joint, and the tail's inverse."""
    last = model.n_links - 1
    K = work.links[place(w, last, model)].K
    for behind in range(last):
        k = place(w, last - 1 - behind, model)
        column = wp.vector(K[0, 2], K[1, 2], K[2, 2])
        work.joints[k].column = column
        K = K - wp.outer(column * work.joints[k].inverse_D, work.joints[k].row)
        K = shift_block(K, joint_arm(work.links[k].e, model.links[k].length)) + work.links[k].K
    work.links[place(w, 0, model)].K = wp.inverse(K)


@wp.func
def answer_impulses(w: int, model: Any, work: Any):
    """Replaces the impulses in `answer` by the twists that they give under the lines of the sweep."""
    last = model.n_links - 1
    f = work.links[place(w, last, model)].answer
    for behind in range(last):
        k = place(w, last - 1 - behind, model)
        d = work.joints[k].inverse_D * f[2]
        work.joints[k].answer = d
        f = f - work.joints[k].column * d
        a = joint_arm(work.links[k].e, model.links[k].length)
        f = wp.vector(f[0], f[1], f[2] + a[0] * f[0] + a[1] * f[1]) + work.links[k].answer
    x = work.links[place(w, 0, model)].K * f
    for i in range(model.n_links):
        k = place(w, i, model)
        work.links[k].answer = x
        if i < last:
            a = joint_arm(work.links[k].e, model.links[k].length)
            y = wp.vector(x[0] + a[0] * x[2], x[1] + a[1] * x[2], x[2])
            rate = work.joints[k].answer - work.joints[k].inverse_D * wp.dot(work.joints[k].row, y)
            work.joints[k].answer = rate
            x = wp.vector(y[0], y[1], y[2] + rate)
