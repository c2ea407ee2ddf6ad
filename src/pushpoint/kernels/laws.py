"""Set-valued force laws, each as a projection and as the line that Newton's method follows.

Symbols: z impulse in scaled coordinates, where every cone-like friction set is a disc of radius `bound`; S the scaling,
P = S z the impulse; gamma relative velocity; r augmentation [kg]; rho r the stiffness of a closed contact.
A linearised law reads z = F - G gamma. The prox iteration of the papers is the special case F = projection, G = 0.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.structs import LAW_CONE, LAW_NONE, LAW_RECTANGLE, LAW_VISCOUS


@wp.func
def disc_projection(y: Any, bound: Any):
    """Nearest point to y in the disc |z| <= bound: prox of Transeth2008a (53) for the set (50)."""
    size = wp.length(y)
    if size <= bound:
        return y
    return y * (bound / size)


@wp.func
def disc_slope(y: Any, bound: Any, r: Any, rho: Any):
    """G of the disc law: stick is stiff every way, slip only across the direction d of y."""
    one = type(bound)(1.0)
    zero = type(bound)(0.0)
    size = wp.length(y)
    stiff = rho * r
    if size <= bound:
        return wp.matrix_from_rows(wp.vector(stiff, zero), wp.vector(zero, stiff))
    d = y / size
    soft = stiff
    if r * bound < stiff * (size - bound):
        soft = r * bound / (size - bound)
    xy = -soft * d[0] * d[1]
    return wp.matrix_from_rows(
        wp.vector(soft * (one - d[0] * d[0]), xy), wp.vector(xy, soft * (one - d[1] * d[1]))
    )


@wp.func
def interval_projection(y: Any, bound: Any):
    """Nearest point to y in [-bound, bound]."""
    return wp.clamp(y, -bound, bound)


@wp.func
def interval_slope(y: Any, bound: Any, r: Any, rho: Any):
    """G of the interval law: stiff inside, none outside."""
    if wp.abs(y) <= bound:
        return rho * r
    return type(bound)(0.0)


@wp.func
def scaling_along(scale: Any, used: Any, z: Any, gamma: Any, r: Any):
    """Which half of the skin acts: sliding forward pushes backward. `used` is the scaling behind the present z."""
    if used * z[0] - r * gamma[0] < type(r)(0.0):
        return scale[0]
    return scale[1]


@wp.func
def ground_law(
    law: int, directional: int, scale: Any, used: Any, z: Any, gamma: Any, bound: Any, r: Any, rho: Any, newton: int
):
    """Friction of a support point, link frame: returns (projection, F, G, S).

    associated: S gamma drives z, so slip is normal to the set P = S z. directional: gamma itself drives z.
    """
    zero = type(r)(0.0)
    one = type(r)(1.0)
    S = wp.vector(one, one)
    z_next = z * zero
    F = z * zero
    G = wp.matrix_from_rows(z * zero, z * zero)
    if law == LAW_CONE:
        S = wp.vector(scaling_along(scale, used, z, gamma, r), scale[2])
        drive = S
        if directional == 1:
            drive = wp.vector(one, one)
        y = z - r * wp.cw_mul(drive, gamma)
        z_next = disc_projection(y, bound)
        F = z_next
        if newton == 1:
            slope = disc_slope(y, bound, r, rho)
            if wp.length(y) <= bound:
                F = z
            G = wp.matrix_from_rows(wp.cw_mul(slope[0], drive), wp.cw_mul(slope[1], drive))
    elif law == LAW_RECTANGLE:
        y = z - r * gamma
        bounds = wp.vector(bound * scale[0], bound * scale[2])
        z_next = wp.vector(interval_projection(y[0], bounds[0]), interval_projection(y[1], bounds[1]))
        F = z_next
        if newton == 1:
            g_along = interval_slope(y[0], bounds[0], r, rho)
            g_across = interval_slope(y[1], bounds[1], r, rho)
            if g_along > zero:
                F[0] = z[0]
            if g_across > zero:
                F[1] = z[1]
            G = wp.matrix_from_rows(wp.vector(g_along, zero), wp.vector(zero, g_across))
    elif law == LAW_VISCOUS:
        G = wp.matrix_from_rows(wp.vector(bound * scale[0], zero), wp.vector(zero, bound * scale[2]))
        z_next = -(G * gamma)
    return z_next, F, G, S


@wp.func
def spin_law(z: Any, gamma: Any, bound: Any, r: Any, rho: Any, newton: int):
    """Friction against turning on the spot: returns (projection, F, G)."""
    y = z - r * gamma
    z_next = interval_projection(y, bound)
    F = z_next
    G = type(r)(0.0)
    if newton == 1:
        G = interval_slope(y, bound, r, rho)
        if wp.abs(y) <= bound:
            F = z
    return z_next, F, G


@wp.func
def peg_law(P: Any, gamma: Any, target: Any, mu: Any, lagged: Any, r: Any, rho: Any, newton: int):
    """Signorini and Coulomb at a peg, components (normal, tangential): returns (projection, F, G).

    Transeth2008a (57) with restitution and feedback in `target`, and Coulomb friction beside it. G holds the coupling of
    friction to the normal impulse; with lagged >= 0 friction takes that bound instead and the coupling is left out.
    """
    zero = type(mu)(0.0)
    y_N = P[0] - r[0] * (gamma[0] - target)
    y_T = P[1] - r[1] * gamma[1]
    P_N = wp.max(y_N, zero)
    bound = mu * P_N
    if lagged >= zero:
        bound = mu * lagged
    P_next = wp.vector(P_N, interval_projection(y_T, bound))
    F = P_next
    G = wp.matrix_from_rows(wp.vector(zero, zero), wp.vector(zero, zero))
    if newton == 1:
        F = wp.vector(zero, zero)
        if y_N > zero:
            G[0, 0] = rho * r[0]
            F[0] = P[0] + G[0, 0] * target
            if wp.abs(y_T) <= bound:
                F[1] = P[1]
                if mu > zero:
                    G[1, 1] = rho * r[1]
            elif lagged >= zero:
                F[1] = P_next[1]
            else:
                side = wp.sign(y_T) * mu
                F[1] = side * F[0]
                G[1, 0] = side * G[0, 0]
    return P_next, F, G
