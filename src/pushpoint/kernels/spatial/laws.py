"""Friction against turning: rolling (a disc) and spinning (an interval), bounds per normal impulse.

Symbols: Q = (spin, rolling about t, rolling about n x t) angular impulses, w_local the angular velocity in the same
directions, r augmentation [kg m^2].
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.laws import disc_projection, interval_projection


@wp.func
def turning_projection(Q: Any, w_local: Any, P_N: Any, rolling: Any, spin: Any, r: Any):
    """Transeth2008b (79), in torques and angular velocities, and the same for spin."""
    roll = disc_projection(wp.vector(Q[1] - r * w_local[1], Q[2] - r * w_local[2]), rolling * P_N)
    return wp.vector(interval_projection(Q[0] - r * w_local[0], spin * P_N), roll[0], roll[1])


@wp.func
def turning_line(Q: Any, w_local: Any, P_N: Any, rolling: Any, spin: Any, r: Any, rho: Any):
    """F, G and lean: Q = F + lean P_N - G w_local, lean being zero for what does not turn.

    G = (spin, rolling about t, about n x t, between these two): it is symmetric, and spin stands alone.
    """
    zero = r - r
    stiff = rho * r
    F = wp.vector(zero, zero, zero)
    lean = F
    G = wp.vector(zero, zero, zero, zero)
    y = Q - r * w_local
    if wp.abs(y[0]) < spin * P_N:
        F[0] = Q[0]
        G[0] = stiff
    else:
        lean[0] = wp.sign(y[0]) * spin
    bound = rolling * P_N
    square = y[1] * y[1] + y[2] * y[2]
    if square < bound * bound:
        F[1] = Q[1]
        F[2] = Q[2]
        G[1] = stiff
        G[2] = stiff
    elif square > zero:
        size = wp.sqrt(square)
        inverse = type(size)(1.0) / size
        d_1 = y[1] * inverse
        d_2 = y[2] * inverse
        lean[1] = rolling * d_1
        lean[2] = rolling * d_2
        soft = stiff
        if r * bound < stiff * (size - bound):
            soft = r * bound / (size - bound)
        G[1] = soft * d_2 * d_2
        G[2] = soft * d_1 * d_1
        G[3] = -soft * d_1 * d_2
    return F, G, lean
