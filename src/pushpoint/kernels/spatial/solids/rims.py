"""Where spheres and bars meet a cylinder or a tube: its side, its bore, its flat ends and its rims.

Symbols, in the solid's own axes from its centre: q a point, rho its distance from the axis z; a bar is start + share
along. In the half-plane (rho, z) the solid is the rectangle inner <= rho <= outer, -low <= z <= high.
"""

from __future__ import annotations

from typing import Any

import warp as wp

ENDLESS = wp.constant(1.0e5)
"""A cylinder that reaches farther down than this has no lower rim [m]."""
NEARLY_ALONG = wp.constant(1.0e-4)
"""Square of the sine below which a bar counts as parallel to the axis when it meets a rim."""
ROUNDS = wp.constant(20)
"""Newton steps toward the point of a bar nearest to a rim, at most."""
SAME_PLACE = wp.constant(1.0e-6)
"""Distance along a bar, in radii of a rim, that counts as none."""
TANGENT = wp.constant(0.99999)
"""Share of a circle's squared radius from which on a bar at that distance counts as its tangent."""
RIM_SLACK = wp.constant(0.3)
"""How far the contact normal at a rim may lean beyond its faces: both crossings of a bar that lies flat are kept."""


@wp.func
def radial(q: Any, rho: Any):
    """Unit vector from the axis toward a point; any one on the axis itself."""
    if rho > rho - rho:
        return wp.vector(q[0] / rho, q[1] / rho, rho - rho)
    return wp.vector(type(rho)(1.0), rho - rho, rho - rho)


@wp.func
def round_distance(q: Any, solid: Any):
    """Distance from a point to a cylinder or tube [m]; zero inside its material."""
    rho = wp.sqrt(q[0] * q[0] + q[1] * q[1])
    aside = rho - wp.clamp(rho, solid.inner, solid.radius)
    along = q[2] - wp.clamp(q[2], -solid.low, solid.high)
    return wp.sqrt(aside * aside + along * along)


@wp.func
def round_normal_and_gap(q: Any, solid: Any, radius: Any):
    """From a cylinder or tube to a sphere, its own axes; a centre inside the material is led out the shortest way."""
    zero = radius - radius
    rho = wp.sqrt(q[0] * q[0] + q[1] * q[1])
    out = radial(q, rho)
    axis = wp.vector(zero, zero, type(zero)(1.0))
    aside = rho - wp.clamp(rho, solid.inner, solid.radius)
    along = q[2] - wp.clamp(q[2], -solid.low, solid.high)
    distance = wp.sqrt(aside * aside + along * along)
    if distance > zero:
        return (aside / distance) * out + (along / distance) * axis, distance - radius
    shallowest = solid.radius - rho
    n = out
    if solid.inner > zero and rho - solid.inner < shallowest:
        shallowest = rho - solid.inner
        n = -out
    if solid.high - q[2] < shallowest:
        shallowest = solid.high - q[2]
        n = axis
    if solid.low + q[2] < shallowest:
        shallowest = solid.low + q[2]
        n = -axis
    return n, -shallowest - radius


@wp.func
def side_share(start: Any, along: Any):
    """Share of a bar at which it comes nearest to the axis; -1 at its ends, and along the axis, where ends touch."""
    square = along[0] * along[0] + along[1] * along[1]
    one = type(square)(1.0)
    if square <= type(square)(1.0e-12) * wp.dot(along, along):
        return -one
    share = -(start[0] * along[0] + start[1] * along[1]) / square
    if share <= one - one or share >= one:
        return -one
    return share


@wp.func
def rim_share(start: Any, along: Any, radius: Any, height: Any, side: Any):
    """Share of a bar at which it comes nearest to a circle about the axis; -1 if it does so at its ends.

    There are up to two such places, beyond (side 1) and before (side -1) the one nearest to the axis. At s beyond that
    one rho^2 = d^2 + a^2 s^2, and the squared distance has the derivative 2 g, g = s - radius a^2 s / rho + b z. It is
    convex in s > 0, so that Newton's method from the right finds its largest root: the minimum of the distance.
    """
    one = type(radius)(1.0)
    zero = one - one
    length = wp.length(along)
    e = along / length
    square = e[0] * e[0] + e[1] * e[1]
    if square < type(one)(NEARLY_ALONG):
        share = (height - start[2]) * e[2] / length
        if side < zero or share <= zero or share >= one:
            return -one
        return share
    nearest = -(start[0] * e[0] + start[1] * e[1]) / square
    d_1 = start[0] + nearest * e[0]
    d_2 = start[1] + nearest * e[1]
    d_square = d_1 * d_1 + d_2 * d_2
    bz = side * e[2] * (start[2] + nearest * e[2] - height)
    s = radius * wp.sqrt(square) + wp.abs(bz)
    same = type(one)(SAME_PLACE) * radius
    change = s
    rounds = int(0)
    while rounds < ROUNDS and wp.abs(change) > type(one)(1.0e-9) * radius:
        rho_square = d_square + square * s * s
        if rho_square <= zero:
            return -one
        pull = radius * square / wp.sqrt(rho_square)
        slope = one - pull * d_square / rho_square
        if slope <= type(one)(1.0) - type(one)(TANGENT):
            # Beside the circle or along its tangent, where g grows everywhere, this is rounding.
            if d_square < type(one)(TANGENT) * radius * radius * square * square:
                return -one
            slope = one
        change = (s - pull * s + bz) / slope
        s = s - change
        if s < -same:
            return -one
        rounds += 1
    # A minimum at the place nearest to the axis belongs to the side beyond it.
    if side < zero and s < same:
        return -one
    s = wp.max(s, zero)
    share = (nearest + side * s) / length
    if share <= zero or share >= one:
        return -one
    return share
