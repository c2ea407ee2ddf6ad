"""Rotations and the small 3x3 algebra of the spatial engine."""

from __future__ import annotations

from typing import Any

import warp as wp

WIDE = wp.constant(1.0e5)
"""Angles beyond this are reduced by the library [rad]."""


@wp.func
def turned(p: Any, angle: Any):
    """The orientation p, a unit quaternion (w, x, y, z), after a turn by the vector `angle`, link frame [rad]."""
    half = type(p[0])(0.5) * wp.length(angle)
    # sin(h)/h by its series where the division would lose digits.
    scale = type(half)(0.5) * (type(half)(1.0) - half * half / type(half)(6.0))
    if half > type(half)(1.0e-4):
        scale = type(half)(0.5) * wp.sin(half) / half
    w = wp.cos(half)
    x = scale * angle[0]
    y = scale * angle[1]
    z = scale * angle[2]
    turn = wp.vector(
        p[0] * w - p[1] * x - p[2] * y - p[3] * z,
        p[0] * x + p[1] * w + p[2] * z - p[3] * y,
        p[0] * y - p[1] * z + p[2] * w + p[3] * x,
        p[0] * z + p[1] * y - p[2] * x + p[3] * w,
    )
    return turn / wp.length(turn)


@wp.func
def rotation(p: Any):
    """Rotation matrix of a unit quaternion (w, x, y, z)."""
    one = type(p[0])(1.0)
    two = type(p[0])(2.0)
    return wp.matrix_from_rows(
        wp.vector(
            one - two * (p[2] * p[2] + p[3] * p[3]),
            two * (p[1] * p[2] - p[0] * p[3]),
            two * (p[1] * p[3] + p[0] * p[2]),
        ),
        wp.vector(
            two * (p[1] * p[2] + p[0] * p[3]),
            one - two * (p[1] * p[1] + p[3] * p[3]),
            two * (p[2] * p[3] - p[0] * p[1]),
        ),
        wp.vector(
            two * (p[1] * p[3] - p[0] * p[2]),
            two * (p[2] * p[3] + p[0] * p[1]),
            one - two * (p[1] * p[1] + p[2] * p[2]),
        ),
    )


@wp.func
def column(M: Any, c: int):
    """Column c of a 3x3 matrix."""
    return wp.vector(M[0, c], M[1, c], M[2, c])


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


@wp.func
def yawed(R: Any, angle: Any):
    """R Rz(angle)."""
    s, c = sine_cosine(angle)
    x = column(R, 0)
    y = column(R, 1)
    return wp.matrix_from_cols(c * x + s * y, c * y - s * x, column(R, 2))


@wp.func
def pitched(R: Any, angle: Any):
    """R Ry(angle)."""
    s, c = sine_cosine(angle)
    x = column(R, 0)
    z = column(R, 2)
    return wp.matrix_from_cols(c * x - s * z, column(R, 1), c * z + s * x)


@wp.func
def rows_cross(M: Any, a: Any):
    """Every row of M crossed with a: M [a x]."""
    return wp.matrix_from_rows(wp.cross(M[0], a), wp.cross(M[1], a), wp.cross(M[2], a))


@wp.func
def cross_columns(a: Any, M: Any):
    """a crossed with every column of M: [a x] M."""
    return wp.matrix_from_cols(wp.cross(a, column(M, 0)), wp.cross(a, column(M, 1)), wp.cross(a, column(M, 2)))


@wp.func
def skew(a: Any):
    """[a x]."""
    zero = a[0] - a[0]
    return wp.matrix_from_rows(wp.vector(zero, -a[2], a[1]), wp.vector(a[2], zero, -a[0]), wp.vector(-a[1], a[0], zero))


@wp.func
def scaled_identity(m: Any):
    """m times the unit matrix."""
    zero = m - m
    return wp.matrix_from_rows(wp.vector(m, zero, zero), wp.vector(zero, m, zero), wp.vector(zero, zero, m))


@wp.func
def about_joint(inertia: Any, R: Any, m: Any, c: Any):
    """Moment of inertia in world axes about a point from which the centre of mass is seen at c."""
    x = column(R, 0)
    y = column(R, 1)
    z = column(R, 2)
    turned_inertia = wp.outer(inertia[0] * x, x) + wp.outer(inertia[1] * y, y) + wp.outer(inertia[2] * z, z)
    return turned_inertia + scaled_identity(m * wp.dot(c, c)) - wp.outer(m * c, c)


@wp.func
def drifted(drift_v: Any, drift_w: Any, omega: Any, arm: Any, time: Any):
    """What turning adds within `time` to the velocity at `arm` from a point that gets drift_v, on a body at omega."""
    return drift_v + wp.cross(drift_w, arm) + time * inward(omega, arm)


@wp.func
def inward(omega: Any, arm: Any):
    """Centripetal acceleration at `arm`, omega x (omega x arm)."""
    return wp.dot(omega, arm) * omega - wp.dot(omega, omega) * arm
