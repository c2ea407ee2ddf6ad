"""Rotations and the small 3x3 algebra of the spatial engine."""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.angles import sine_cosine


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
def about_rear_joint(I: Any, R: Any, m: Any, c: Any):
    """R diag(I) R^T + m (c . c 1 - c c^T): inertia in world axes about a point that sees the centre of mass at c."""
    x = column(R, 0)
    y = column(R, 1)
    z = column(R, 2)
    a = I[0] * x
    b = I[1] * y
    d = I[2] * z
    p = m * c
    far = wp.dot(p, c)
    xy = a[0] * x[1] + b[0] * y[1] + d[0] * z[1] - p[0] * c[1]
    xz = a[0] * x[2] + b[0] * y[2] + d[0] * z[2] - p[0] * c[2]
    yz = a[1] * x[2] + b[1] * y[2] + d[1] * z[2] - p[1] * c[2]
    return wp.matrix_from_rows(
        wp.vector(a[0] * x[0] + b[0] * y[0] + d[0] * z[0] + (far - p[0] * c[0]), xy, xz),
        wp.vector(xy, a[1] * x[1] + b[1] * y[1] + d[1] * z[1] + (far - p[1] * c[1]), yz),
        wp.vector(xz, yz, a[2] * x[2] + b[2] * y[2] + d[2] * z[2] + (far - p[2] * c[2])),
    )


@wp.func
def drifted(drift_v: Any, drift_w: Any, omega: Any, arm: Any, time: Any):
    """What turning adds within `time` to the velocity at `arm` from a point that gets drift_v, on a body at omega."""
    return drift_v + wp.cross(drift_w, arm) + time * inward(omega, arm)


@wp.func
def inward(omega: Any, arm: Any):
    """Centripetal acceleration at `arm`, omega x (omega x arm)."""
    return wp.dot(omega, arm) * omega - wp.dot(omega, omega) * arm
