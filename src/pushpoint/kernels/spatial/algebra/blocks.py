"""What the lines of a contact add to the four blocks of its link's equation; symbols as in `chain` and `contacts`.

An impulse P of a line falls with the velocity of the contact: P = ... - G (v + w x arm). The blocks are those of
G = pull n^T + G_tt t t^T + G_tu t u^T + G_ut u t^T + G_uu u u^T with the arm's cross products: G, -G [arm x],
[arm x] G, -[arm x] G [arm x].
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.spatial.algebra.frames import cross_columns, rows_cross
from pushpoint.kernels.traits import LEVEL


@wp.func
def add_block(n: Any, t: Any, u: Any, arm: Any, pull: Any, G: Any, A: Any, B: Any, C: Any, D: Any):
    """Adds normal and friction: `pull` is what P loses per normal velocity, G what friction loses per slip."""
    if LEVEL:
        a = t[0]
        b = t[1]
        # Rows of friction in world axes, x and y.
        p_x = G[0, 0] * a - G[0, 1] * b
        p_y = G[0, 0] * b + G[0, 1] * a
        q_x = G[1, 0] * a - G[1, 1] * b
        q_y = G[1, 0] * b + G[1, 1] * a
        xx = a * p_x - b * q_x
        xy = a * p_y - b * q_y
        yx = b * p_x + a * q_x
        yy = b * p_y + a * q_y
        x = arm[0]
        y = arm[1]
        z = arm[2]
        # G [arm x], row by row.
        xx_turned = xy * z - pull[0] * y
        xy_turned = pull[0] * x - xx * z
        xz_turned = xx * y - xy * x
        yx_turned = yy * z - pull[1] * y
        yy_turned = pull[1] * x - yx * z
        yz_turned = yx * y - yy * x
        zx_turned = -pull[2] * y
        zy_turned = pull[2] * x
        A[0, 0] += xx
        A[0, 1] += xy
        A[0, 2] += pull[0]
        A[1, 0] += yx
        A[1, 1] += yy
        A[1, 2] += pull[1]
        A[2, 2] += pull[2]
        B[0, 0] -= xx_turned
        B[0, 1] -= xy_turned
        B[0, 2] -= xz_turned
        B[1, 0] -= yx_turned
        B[1, 1] -= yy_turned
        B[1, 2] -= yz_turned
        B[2, 0] -= zx_turned
        B[2, 1] -= zy_turned
        C[0, 0] -= z * yx
        C[0, 1] -= z * yy
        C[0, 2] += y * pull[2] - z * pull[1]
        C[1, 0] += z * xx
        C[1, 1] += z * xy
        C[1, 2] += z * pull[0] - x * pull[2]
        C[2, 0] += x * yx - y * xx
        C[2, 1] += x * yy - y * xy
        C[2, 2] += x * pull[1] - y * pull[0]
        D[0, 0] -= y * zx_turned - z * yx_turned
        D[0, 1] -= y * zy_turned - z * yy_turned
        D[0, 2] += z * yz_turned
        D[1, 0] -= z * xx_turned - x * zx_turned
        D[1, 1] -= z * xy_turned - x * zy_turned
        D[1, 2] -= z * xz_turned
        D[2, 0] -= x * yx_turned - y * xx_turned
        D[2, 1] -= x * yy_turned - y * xy_turned
        D[2, 2] -= x * yz_turned - y * xz_turned
        return A, B, C, D
    else:
        world = wp.outer(pull, n) + wp.outer(t, G[0, 0] * t + G[0, 1] * u) + wp.outer(u, G[1, 0] * t + G[1, 1] * u)
        turned = rows_cross(world, arm)
        return A + world, B - turned, C + cross_columns(arm, world), D - cross_columns(arm, turned)


@wp.func
def add_turn_block(n: Any, t: Any, u: Any, arm: Any, demand: Any, G: Any, C: Any, D: Any):
    """Adds friction against turning: `demand` is what Q loses per normal velocity, G as in turning_line."""
    if LEVEL:
        a = t[0]
        b = t[1]
        p_x = G[1] * a - G[3] * b
        p_y = G[1] * b + G[3] * a
        q_x = G[3] * a - G[2] * b
        q_y = G[3] * b + G[2] * a
        for row in range(3):
            C[row, 2] += demand[row]
            D[row, 0] += demand[row] * arm[1]
            D[row, 1] -= demand[row] * arm[0]
        D[0, 0] += a * p_x - b * q_x
        D[0, 1] += a * p_y - b * q_y
        D[1, 0] += b * p_x + a * q_x
        D[1, 1] += b * p_y + a * q_y
        D[2, 2] += G[0]
        return C, D
    else:
        turned = wp.outer(n, G[0] * n) + wp.outer(t, G[1] * t + G[3] * u) + wp.outer(u, G[3] * t + G[2] * u)
        return C + wp.outer(demand, n), D + wp.outer(demand, wp.cross(arm, n)) + turned
