"""The directions of a contact: n its normal, t along the link, u = n x t. Where all is level, n points up."""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.traits import LEVEL


@wp.func
def left_of(n: Any, t: Any):
    """u = n x t."""
    if LEVEL:
        return wp.vector(-t[1], t[0], t[2] - t[2])
    else:
        return wp.cross(n, t)


@wp.func
def in_contact(n: Any, t: Any, u: Any, a: Any):
    """Components of a vector along n, t and u."""
    if LEVEL:
        return wp.vector(a[2], t[0] * a[0] + t[1] * a[1], t[0] * a[1] - t[1] * a[0])
    else:
        return wp.vector(wp.dot(n, a), wp.dot(t, a), wp.dot(u, a))


@wp.func
def height_along(n: Any, a: Any):
    """The part of a vector along n."""
    if LEVEL:
        return a[2]
    else:
        return wp.dot(n, a)


@wp.func
def along_plane(n: Any, a: Any):
    """The part of a vector across n."""
    if LEVEL:
        return wp.vector(a[0], a[1], a[2] - a[2])
    else:
        return a - n * wp.dot(n, a)


@wp.func
def in_world(n: Any, t: Any, u: Any, p: Any):
    """The vector with these components."""
    if LEVEL:
        return wp.vector(t[0] * p[1] - t[1] * p[2], t[1] * p[1] + t[0] * p[2], p[0])
    else:
        return p[0] * n + p[1] * t + p[2] * u


@wp.func
def point_velocity(v: Any, w: Any, arm: Any):
    """Velocity at `arm` from where a body has the twist (v, w)."""
    return v + wp.cross(w, arm)
