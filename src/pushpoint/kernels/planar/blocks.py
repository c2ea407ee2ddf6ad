"""The 3x3 blocks of a link's equation for its twist: masses, laws as lines, and what moves them along the link."""

from __future__ import annotations

from typing import Any

import warp as wp


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
    Ka_x = K[0, 0] * a[0] + K[0, 1] * a[1]
    Ka_y = K[1, 0] * a[0] + K[1, 1] * a[1]
    Ka_z = K[2, 0] * a[0] + K[2, 1] * a[1]
    aK_x = K[0, 0] * a[0] + K[1, 0] * a[1]
    aK_y = K[0, 1] * a[0] + K[1, 1] * a[1]
    aK_z = K[0, 2] * a[0] + K[1, 2] * a[1]
    return K + wp.matrix_from_rows(
        wp.vector(zero, zero, Ka_x),
        wp.vector(zero, zero, Ka_y),
        wp.vector(aK_x, aK_y, Ka_z + aK_z + a[0] * Ka_x + a[1] * Ka_y),
    )


@wp.func
def joint_arm(e: Any, length: Any):
    """Velocity of a link's front joint per unit of its turning: length times the link's left normal."""
    return wp.vector(-length * e[1], length * e[0])
