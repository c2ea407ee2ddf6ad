"""Set-valued force laws, each as a projection and as the line that Newton's method follows.

Symbols: z impulse in scaled coordinates, where every cone-like friction set is a disc of radius `bound`; S the scaling,
P = S z the impulse; gamma relative velocity; r augmentation [kg]; rho r the stiffness of a closed contact.
A linearised law reads z = F - G gamma. The prox iteration of the papers is the special case F = projection, G = 0.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.structs import LAW_CONE, LAW_RECTANGLE, LAW_VISCOUS
from pushpoint.kernels.traits import LAWS


@wp.func
def disc_projection(y: Any, bound: Any):
    """Nearest point to y in the disc |z| <= bound: prox of Transeth2008a (53) for the set (50)."""
    square = wp.dot(y, y)
    if square <= bound * bound:
        return y
    return y * (bound / wp.sqrt(square))


@wp.func
def interval_projection(y: Any, bound: Any):
    """Nearest point to y in [-bound, bound]."""
    return wp.clamp(y, -bound, bound)


@wp.func
def ground_half(law: int, directional: int, scale: Any, used: Any, z: Any, gamma: Any, r: Any):
    """S and z in the half of the skin that acts: sliding forward pushes backward. `used` is the scaling behind z.

    Where the halves differ, an impulse of the other half's sign starts from their seam, force along = 0. Where a
    coefficient is zero, associated slip leaves z untouched in that direction, so that it must not remember one.
    """
    one = type(r)(1.0)
    zero = type(r)(0.0)
    if law != LAW_CONE:
        return wp.vector(one, one), z
    along = scale[1]
    z_along = z[0]
    if used * z[0] - r * gamma[0] < zero:
        along = scale[0]
        if scale[0] != scale[1]:
            z_along = wp.min(z_along, zero)
    elif scale[0] != scale[1]:
        z_along = wp.max(z_along, zero)
    z_across = z[1]
    turned = int(1)  # whether slip is associated
    if LAWS:
        turned = 1 - directional
    if turned == 1:
        if along == zero:
            z_along = zero
        if scale[2] == zero:
            z_across = zero
    return wp.vector(along, scale[2]), wp.vector(z_along, z_across)


@wp.func
def ground_projection(law: int, directional: int, scale: Any, S: Any, z: Any, gamma: Any, bound: Any, r: Any):
    """The impulse nearest to z - r S gamma in the law's set; for the viscous law simply the impulse."""
    if law == LAW_CONE:
        drive = wp.cw_mul(S, gamma)
        if LAWS:
            if directional == 1:
                drive = gamma
        return disc_projection(z - r * drive, bound)
    if LAWS:
        if law == LAW_RECTANGLE:
            y = z - r * gamma
            return wp.vector(interval_projection(y[0], bound * scale[0]), interval_projection(y[1], bound * scale[2]))
    return wp.vector(-bound * scale[0] * gamma[0], -bound * scale[2] * gamma[1])


@wp.func
def ground_line(law: int, directional: int, scale: Any, S: Any, z: Any, gamma: Any, bound: Any, r: Any, rho: Any):
    """F and G of friction whose set has a given size."""
    F, G, lean = friction_line(law, directional, scale, S, z, gamma, bound, r, rho)
    return F + lean * bound, G


@wp.func
def friction_line(law: int, directional: int, scale: Any, S: Any, z: Any, gamma: Any, bound: Any, r: Any, rho: Any):
    """F, G and lean of friction, link frame: z = F + lean bound - G gamma; lean is zero for what sticks.

    associated: S gamma drives z, so slip is normal to the set P = S z. directional: gamma itself drives z.
    """
    zero = type(r)(0.0)
    one = type(r)(1.0)
    F = wp.vector(zero, zero)
    lean = F
    G = wp.matrix_from_rows(F, F)
    if law == LAW_CONE:
        drive = S
        if LAWS:
            if directional == 1:
                drive = wp.vector(one, one)
        y = z - r * wp.cw_mul(drive, gamma)
        square = wp.dot(y, y)
        stiff = rho * r
        if square <= bound * bound:
            # Stick: stiff every way.
            F = z
            G = wp.matrix_from_rows(wp.vector(stiff * drive[0], zero), wp.vector(zero, stiff * drive[1]))
        else:
            # Slip: the impulse lies on the rim along d and gives way only across it.
            size = wp.sqrt(square)
            d = y * (one / size)
            lean = d
            soft = stiff
            if r * bound < stiff * (size - bound):
                soft = r * bound / (size - bound)
            xy = -soft * d[0] * d[1]
            G = wp.matrix_from_rows(
                wp.vector(soft * d[1] * d[1] * drive[0], xy * drive[1]),
                wp.vector(xy * drive[0], soft * d[0] * d[0] * drive[1]),
            )
    elif LAWS:
        if law == LAW_RECTANGLE:
            y = z - r * gamma
            F_along, g_along, lean_along = side_line(z[0], y[0], bound, scale[0], r, rho)
            F_across, g_across, lean_across = side_line(z[1], y[1], bound, scale[2], r, rho)
            F = wp.vector(F_along, F_across)
            lean = wp.vector(lean_along, lean_across)
            G = wp.matrix_from_rows(wp.vector(g_along, zero), wp.vector(zero, g_across))
        elif law == LAW_VISCOUS:
            G = wp.matrix_from_rows(wp.vector(bound * scale[0], zero), wp.vector(zero, bound * scale[2]))
    return F, G, lean


@wp.func
def side_line(z: Any, y: Any, bound: Any, scale: Any, r: Any, rho: Any):
    """F, G and lean of one side of the rectangle: stiff inside, on the rim outside."""
    zero = type(r)(0.0)
    if wp.abs(y) <= bound * scale:
        return z, rho * r, zero
    return zero, zero, wp.sign(y) * scale


@wp.func
def interval_line(z: Any, y: Any, bound: Any, r: Any, rho: Any):
    """F and G of the interval law: stiff inside, constant outside."""
    if wp.abs(y) <= bound:
        return z, rho * r
    return interval_projection(y, bound), type(r)(0.0)


@wp.func
def peg_projection(P: Any, gamma: Any, target: Any, mu: Any, r: Any):
    """Signorini and Coulomb at a peg, components (normal, tangential): Transeth2008a (57) with friction beside it.

    `target` holds restitution and the way out of penetration.
    """
    P_N = wp.max(P[0] - r[0] * (gamma[0] - target), type(mu)(0.0))
    return wp.vector(P_N, interval_projection(P[1] - r[1] * gamma[1], mu * P_N))


@wp.func
def peg_line(P: Any, gamma: Any, target: Any, mu: Any, r: Any, rho: Any):
    """F and G of a peg's contact; G couples sliding friction to the normal impulse and so is not symmetric."""
    zero = type(mu)(0.0)
    F = wp.vector(zero, zero)
    G = wp.matrix_from_rows(F, F)
    y_N = P[0] - r[0] * (gamma[0] - target)
    y_T = P[1] - r[1] * gamma[1]
    if y_N > zero:
        G[0, 0] = rho * r[0]
        F[0] = P[0] + G[0, 0] * target
        if wp.abs(y_T) <= mu * y_N:
            F[1] = P[1]
            if mu > zero:
                G[1, 1] = rho * r[1]
        else:
            side = wp.sign(y_T) * mu
            F[1] = side * F[0]
            G[1, 0] = side * G[0, 0]
    return F, G
