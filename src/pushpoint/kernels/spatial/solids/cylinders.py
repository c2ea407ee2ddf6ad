"""Contacts of a link with a cylinder that ends, such as a short peg, or with a tube, inside and outside."""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.spatial.algebra.frames import column
from pushpoint.kernels.spatial.geometry import box_normal_and_gap
from pushpoint.kernels.spatial.solids.rims import (
    ENDLESS,
    RIM_SLACK,
    radial,
    rim_share,
    round_normal_and_gap,
    side_share,
)
from pushpoint.kernels.spatial.structs import BARS_FROM, CORNERS_FROM, FEATURES, MOST_CONTACTS, PER_BAR
from pushpoint.kernels.spatial.touching import came_with, keep_contact, set_friction, set_target
from pushpoint.kernels.spatial.wheels import put_on_wheel
from pushpoint.kernels.structs import nth

SIDE = wp.constant(0)
"""Feature of a bar on the side of a cylinder; those of its rims follow, two for each."""
SQUARE_EDGES = wp.constant(12)
"""Edges of a square link: its first bars."""
FIXED_POINTS = wp.constant(4)
"""Points of a rim, a quarter of a turn apart, that can carry a flat side of a link wider than the cylinder."""
POINTS = wp.constant(10)
"""These, and the points of the rim that lie farthest toward the six sides of a square link."""
NO_TILT = wp.constant(1.0e-5)
"""Sine of the tilt between rim and side below which no point of the rim lies farthest."""


@wp.func
def touch_round(w: int, k: int, o: int, numerics: Any, model: Any, obstacles: Any, motion: Any, work: Any):
    """Spheres against all of its surface, bars against its side and rims, its rims against flat sides of links.

    A bore needs no more than the spheres: along a bar, the distance from the axis is largest at an end.
    """
    J = work.links[k].J
    R = work.links[k].R
    solid = obstacles.obstacles[o]
    zero = numerics.dt - numerics.dt
    deepest = zero
    for s in range(model.links[k].n_spheres):
        sphere = model.spheres[nth(k, s, model.most_spheres, model)]
        center = J + R * sphere.center
        n_own, gap = round_normal_and_gap(solid.axes * (center - solid.center), solid, sphere.radius)
        if gap <= numerics.active_gap:
            n = n_own * solid.axes
            first = work.n_contacts[k]
            bend = bore_bend(k, n_own, center, solid, numerics, model, motion, work)
            depth = add_if_room(
                w, k, o, s, n, center, sphere.radius, gap, bend, numerics, model, obstacles, motion, work
            )
            deepest = wp.max(deepest, depth)
            if s >= model.links[k].n_own:
                put_on_wheel(k, s, first, numerics, model, motion, work)
    for b in range(model.links[k].n_bars):
        deepest = wp.max(deepest, touch_side(w, k, o, b, numerics, model, obstacles, motion, work))
        for rim in range(4):
            # What fits inside a square link is flush with its flat sides, which meet the rims themselves.
            if has_rim(rim, solid) == 1 and (model.links[k].core[1] <= zero or b < SQUARE_EDGES):
                deepest = wp.max(deepest, touch_rim(w, k, o, b, rim, numerics, model, obstacles, motion, work))
    if model.links[k].core[1] > zero:
        for rim in range(2):
            if has_rim(rim, solid) == 1:
                deepest = wp.max(deepest, touch_flat(w, k, o, rim, numerics, model, obstacles, motion, work))
    return deepest


@wp.func
def add_if_room(
    w: int,
    k: int,
    o: int,
    feature: int,
    n: Any,
    center: Any,
    radius: Any,
    gap: Any,
    bend: Any,
    numerics: Any,
    model: Any,
    obstacles: Any,
    motion: Any,
    work: Any,
):
    """A contact, if it is closed; returns its depth [m]. See `set_target` on the bend of a hollow surface.

    A link that lies on many rims is carried by as many as it has room for.
    """
    if work.n_contacts[k] == MOST_CONTACTS:
        motion.worlds[w].refused = motion.worlds[w].refused + 1
        return gap - gap
    c = keep_contact(w, k, (o + 1) * FEATURES + feature, n, center - radius * n, gap, numerics, model, motion, work)
    if c < 0:
        return gap - gap
    set_target(w, k, c, gap, radius, obstacles.obstacles[o].restitution, bend, numerics, model, motion, work)
    set_friction(k, c, obstacles.obstacles[o].law, gap - gap, gap - gap, model, motion, work)
    return wp.max(-gap, gap - gap)


@wp.func
def bore_bend(k: int, n_own: Any, center: Any, solid: Any, numerics: Any, model: Any, motion: Any, work: Any):
    """Half a step of the acceleration of a sphere that goes round in the bore, toward the axis [m/s]; else zero."""
    half_dt = type(numerics.dt)(0.5) * numerics.dt
    q = solid.axes * (center - solid.center)
    rho = wp.sqrt(q[0] * q[0] + q[1] * q[1])
    out = radial(q, rho)
    if rho >= solid.inner or wp.dot(n_own, out) >= half_dt - half_dt or rho <= type(rho)(0.01) * solid.inner:
        return half_dt - half_dt
    v = solid.axes * came_with(k, center - work.links[k].J, half_dt, model, motion, work)
    around = out[0] * v[1] - out[1] * v[0]
    return half_dt * around * around / rho


@wp.func
def has_rim(rim: int, solid: Any):
    """Whether there is a rim: 0 upper, 1 lower, 2 and 3 those of the bore; 1 or 0."""
    if rim >= 2 and solid.inner <= solid.inner - solid.inner:
        return 0
    if rim % 2 == 1 and solid.low > type(solid.low)(ENDLESS):
        return 0
    return 1


@wp.func
def touch_side(w: int, k: int, o: int, b: int, numerics: Any, model: Any, obstacles: Any, motion: Any, work: Any):
    """A bar across the round outside, where it comes nearest to the axis."""
    solid = obstacles.obstacles[o]
    bar = model.bars[nth(k, b, model.most_bars, model)]
    start = solid.axes * (work.links[k].J + work.links[k].R * bar.start - solid.center)
    along = solid.axes * (work.links[k].R * (bar.end - bar.start))
    zero = bar.radius - bar.radius
    share = side_share(start, along)
    q = start + share * along
    rho = wp.sqrt(q[0] * q[0] + q[1] * q[1])
    gap = rho - solid.radius - bar.radius
    outside = rho > type(zero)(0.5) * (solid.inner + solid.radius) or solid.inner <= zero
    if share <= zero or gap > numerics.active_gap or not outside or q[2] < -solid.low or q[2] > solid.high:
        return zero
    n = radial(q, rho) * solid.axes
    center = work.links[k].J + work.links[k].R * (bar.start + (bar.end - bar.start) * share)
    key = BARS_FROM + b * PER_BAR + SIDE
    return add_if_room(w, k, o, key, n, center, bar.radius, gap, zero, numerics, model, obstacles, motion, work)


@wp.func
def touch_rim(
    w: int, k: int, o: int, b: int, rim: int, numerics: Any, model: Any, obstacles: Any, motion: Any, work: Any
):
    """A bar across a rim, at up to two places."""
    solid = obstacles.obstacles[o]
    bar = model.bars[nth(k, b, model.most_bars, model)]
    start = solid.axes * (work.links[k].J + work.links[k].R * bar.start - solid.center)
    along = solid.axes * (work.links[k].R * (bar.end - bar.start))
    one = type(bar.radius)(1.0)
    zero = one - one
    slack = type(one)(RIM_SLACK)
    radius = wp.where(rim < 2, solid.radius, solid.inner)
    height = wp.where(rim % 2 == 0, solid.high, -solid.low)
    # Directions out of the solid at the rim: away from the axis or toward it, up or down.
    aside = wp.where(rim < 2, one, -one)
    upward = wp.where(rim % 2 == 0, one, -one)
    deepest = zero
    for which in range(2):
        share = rim_share(start, along, radius, height, wp.where(which == 0, one, -one))
        if share > zero:
            q = start + share * along
            rho = wp.sqrt(q[0] * q[0] + q[1] * q[1])
            out = radial(q, rho)
            away = wp.vector(q[0] - radius * out[0], q[1] - radius * out[1], q[2] - height)
            distance = wp.length(away)
            gap = distance - bar.radius
            lean = aside * (rho - radius)
            rise = upward * (q[2] - height)
            if gap <= numerics.active_gap and distance > zero and wp.min(lean, rise) >= -slack * distance:
                n = (away / distance) * solid.axes
                center = work.links[k].J + work.links[k].R * (bar.start + (bar.end - bar.start) * share)
                key = BARS_FROM + b * PER_BAR + 1 + 2 * rim + which
                depth = add_if_room(
                    w, k, o, key, n, center, bar.radius, gap, zero, numerics, model, obstacles, motion, work
                )
                deepest = wp.max(deepest, depth)
    return deepest


@wp.func
def touch_flat(w: int, k: int, o: int, rim: int, numerics: Any, model: Any, obstacles: Any, motion: Any, work: Any):
    """Points of an outer rim against the flat sides of a square link.

    Those farthest toward a side carry a link that is tilted against the rim; fixed ones carry one that lies flat and
    is wider than the cylinder, so that its own edges do not meet the rim.
    """
    solid = obstacles.obstacles[o]
    link = model.links[k]
    R = work.links[k].R
    middle = work.links[k].J + link.middle * column(R, 0)
    one = type(link.mass)(1.0)
    zero = one - one
    height = wp.where(rim == 0, solid.high, -solid.low)
    deepest = zero
    for p in range(POINTS):
        toward = wp.vector(one, zero, zero)
        tilt = one
        if p < FIXED_POINTS:
            toward = wp.vector(
                wp.where(p % 2 == 0, one - type(one)(p), zero), wp.where(p % 2 == 1, type(one)(2 - p), zero), zero
            )
        else:
            side = solid.axes * column(R, (p - FIXED_POINTS) / 2)
            tilt = wp.sqrt(side[0] * side[0] + side[1] * side[1])
            if tilt > type(one)(NO_TILT):
                turn = wp.where(p % 2 == 0, solid.radius, -solid.radius) / (solid.radius * tilt)
                toward = wp.vector(turn * side[0], turn * side[1], zero)
        needed = tilt > type(one)(NO_TILT)
        if p < FIXED_POINTS:
            needed = solid.radius < link.core[1] + link.rounding
        if needed:
            own = wp.vector(solid.radius * toward[0], solid.radius * toward[1], height)
            point = solid.center + own * solid.axes
            n_link, gap = box_normal_and_gap(wp.transpose(R) * (point - middle), link.core, link.rounding)
            # One that is farthest toward a side counts on that side alone.
            if p >= FIXED_POINTS:
                needed = wp.abs(n_link[(p - FIXED_POINTS) / 2]) > type(one)(0.9)
            if needed and gap <= numerics.active_gap:
                key = CORNERS_FROM + rim * POINTS + p
                depth = add_if_room(
                    w, k, o, key, -(R * n_link), point, zero, gap, zero, numerics, model, obstacles, motion, work
                )
                deepest = wp.max(deepest, depth)
    return deepest
