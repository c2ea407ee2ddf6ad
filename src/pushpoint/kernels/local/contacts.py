"""One contact of a dense local problem u = W p + q: its projection and its line, by the laws of the engines.

Symbols: P = (normal, scaled friction along, across) impulses, S the scaling of the friction, `used` that of the last
iteration along; gamma the velocity of the contact in the same directions, r augmentation [kg]; `scale` and `largest`
as in `laws`.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.laws import friction_line, ground_half, ground_projection
from pushpoint.kernels.spatial.algebra.frames import scaled_identity
from pushpoint.kernels.structs import LAW_CONE, LAW_NONE

ASSOCIATED = wp.constant(0)


@wp.func
def law_code(largest: Any):
    """A cone, or nothing where every coefficient is zero."""
    if largest > largest - largest:
        return LAW_CONE
    return LAW_NONE


@wp.func
def contact_projection(P: Any, used: Any, gamma: Any, scale: Any, largest: Any, r: Any):
    """Signorini and Coulomb: the projected impulses and the scaling of the half in which the friction lies."""
    P_N = wp.max(P[0] - r * gamma[0], r - r)
    slip = wp.vector(gamma[1], gamma[2])
    code = law_code(largest)
    S, z = ground_half(code, ASSOCIATED, scale, used, wp.vector(P[1], P[2]), slip, r)
    z = ground_projection(code, ASSOCIATED, scale, S, z, slip, largest * P_N, r)
    return wp.vector(P_N, z[0], z[1]), S


@wp.func
def contact_line(P: Any, used: Any, gamma: Any, scale: Any, largest: Any, r: Any, rho: Any):
    """P in the half that acts, its scaling, and F, G of the line P = F - G gamma; an open contact has F = G = 0.

    Sliding friction follows the normal impulse along its present direction, which makes G not symmetric.
    """
    zero = rho - rho
    slip = wp.vector(gamma[1], gamma[2])
    code = law_code(largest)
    S, z = ground_half(code, ASSOCIATED, scale, used, wp.vector(P[1], P[2]), slip, r)
    F = wp.vector(zero, zero, zero)
    G = scaled_identity(zero)
    y_N = P[0] - r * gamma[0]
    if y_N > zero:
        F_T, G_T, lean = friction_line(code, ASSOCIATED, scale, S, z, slip, largest * y_N, r, rho)
        G_N = rho * r
        lean = lean * largest
        F = wp.vector(P[0], F_T[0] + lean[0] * P[0], F_T[1] + lean[1] * P[0])
        G = wp.matrix_from_rows(
            wp.vector(G_N, zero, zero),
            wp.vector(lean[0] * G_N, G_T[0, 0], G_T[0, 1]),
            wp.vector(lean[1] * G_N, G_T[1, 0], G_T[1, 1]),
        )
    return wp.vector(P[0], z[0], z[1]), S, F, G
