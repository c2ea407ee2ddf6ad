"""Sine and cosine together."""

from __future__ import annotations

from typing import Any

import warp as wp

WIDE = wp.constant(1.0e5)
"""Angles beyond this are reduced by the library [rad]."""


@wp.func
def sine_cosine(angle: Any):
    """Sine and cosine together, each to the last bit or two; several times as fast as the library's two calls.

    The angle is reduced to an eighth of a turn about the nearest quarter by pi/2 in three parts, so that the products
    with the number of quarters are exact; the polynomials are those of fdlibm. Wide angles are left to the library.
    """
    x = angle
    if wp.abs(x) > type(x)(WIDE):
        return wp.sin(x), wp.cos(x)
    quarters = wp.rint(x * type(x)(0.6366197723675814))
    x = x - quarters * type(x)(1.5707963267341256)
    x = x - quarters * type(x)(6.077100506303966e-11)
    x = x - quarters * type(x)(2.0222662487959506e-21)
    z = x * x
    odd = type(x)(2.75573137070700676789e-06) + z * (
        type(x)(-2.50507602534068634195e-08) + z * type(x)(1.58969099521155010221e-10)
    )
    odd = type(x)(8.33333333332248946124e-03) + z * (type(x)(-1.98412698298579493134e-04) + z * odd)
    s = x + x * (z * (type(x)(-1.66666666666666324348e-01) + z * odd))
    even = type(x)(2.48015872894767294178e-05) + z * (
        type(x)(-2.75573143513906633035e-07)
        + z * (type(x)(2.08757232129817482790e-09) + z * type(x)(-1.13596475577881948265e-11))
    )
    even = z * (type(x)(4.16666666666666019037e-02) + z * (type(x)(-1.38888888888741095749e-03) + z * even))
    c = type(x)(1.0) - (type(x)(0.5) * z - z * even)
    which = int(quarters) & 3
    if which == 1 or which == 3:
        swap = s
        s = c
        c = -swap
    if which >= 2:
        s = -s
        c = -c
    return s, c
