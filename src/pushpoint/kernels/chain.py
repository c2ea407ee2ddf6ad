"""Elimination along the joints: the chain's velocity equations K x = f solved in two sweeps, O(n).

Symbols: x_i = (v, omega) twist of link i at its rear joint point J_i, world axes; K_i, f_i the link's own equation with
contacts linearised; joint j = i - 1 lies at J_i and frees omega_i alone, so S = (0, 0, 1). The motor's impulse on link i
is b - kappa rate. A prescribed joint has inverse_D = 0 and its rate in d.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.structs import DRIVE_PRESCRIBED


@wp.func
def mass_block(m: Any, inertia: Any, c: Any, e: Any):
    """Mass matrix of a link at its rear joint, the centre of mass c ahead of it."""
    zero = type(m)(0.0)
    x = -m * c * e[1]
    y = m * c * e[0]
    return wp.matrix_from_rows(wp.vector(m, zero, x), wp.vector(zero, m, y), wp.vector(x, y, inertia + m * c * c))


@wp.func
def add_law(K: Any, W_1: Any, W_2: Any, G: Any):
    """K + W G W^T for two force directions."""
    u = W_1 * G[0, 0] + W_2 * G[1, 0]
    v = W_1 * G[0, 1] + W_2 * G[1, 1]
    return K + wp.outer(u, W_1) + wp.outer(v, W_2)


@wp.func
def shift_block(K: Any, a: Any):
    """T^T K T, where T carries a twist from one rear joint to the next: v + omega a."""
    zero = type(a[0])(0.0)
    Ka = K * a
    aK = a * K
    return K + wp.matrix_from_rows(
        wp.vector(zero, zero, Ka[0]),
        wp.vector(zero, zero, Ka[1]),
        wp.vector(aK[0], aK[1], Ka[2] + aK[2] + wp.dot(a, Ka)),
    )


@wp.func
def joint_arm(w: int, i: int, chain: Any, work: Any):
    """a = length times the left normal of link i: velocity of its front joint per unit of turning."""
    e = work.e[w, i]
    length = chain.length[w, i]
    return wp.vector(-length * e[1], length * e[0], type(length)(0.0))


@wp.func
def sweep_to_tail(w: int, chain: Any, drive: Any, work: Any):
    """Eliminates every joint rate from head to tail; returns the tail's K and f."""
    last = chain.n_links - 1
    K = work.K[w, last]
    f = work.f[w, last]
    for back in range(last):
        i = last - back
        j = i - 1
        row = K[2]
        column = wp.vector(K[0, 2], K[1, 2], K[2, 2])
        kappa = work.kappa[w, j]
        b = work.b[w, j]
        side = work.side[w, j]
        if side != 0:
            kappa = kappa * type(kappa)(0.0)
            b = type(b)(side) * work.bound[w, j]
        inverse_D = type(b)(0.0)
        rate = b
        if drive.mode[w, j] != DRIVE_PRESCRIBED:
            inverse_D = type(b)(1.0) / (row[2] + kappa)
            rate = inverse_D * (f[2] + b)
        work.row[w, j] = row
        work.moment[w, j] = f[2]
        work.inverse_D[w, j] = inverse_D
        work.d[w, j] = rate
        K = K - wp.outer(column * inverse_D, row)
        f = f - column * rate
        a = joint_arm(w, j, chain, work)
        K = shift_block(K, a) + work.K[w, j]
        f = wp.vector(f[0], f[1], f[2] + wp.dot(a, f)) + work.f[w, j]
    return K, f


@wp.func
def carry_to_next(w: int, j: int, x: Any, chain: Any, work: Any):
    """Twist of link j + 1 from that of link j; stores the rate of the joint between them."""
    y = x + joint_arm(w, j, chain, work) * x[2]
    rate = work.d[w, j] - work.inverse_D[w, j] * wp.dot(work.row[w, j], y)
    work.rate[w, j] = rate
    return wp.vector(y[0], y[1], y[2] + rate)
