"""Contacts of a link with a wedge: the slope, the upright sides and back, their edges and the upper corners.

Symbols, in the wedge's own axes from the centre of the box around it: q a point, half the box's half edges, n_s the
unit normal of the slope, which contains the centre. The lower edges lie on the ground and are never met.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.spatial.algebra.frames import column
from pushpoint.kernels.spatial.geometry import EDGE_SLACK, box_normal_and_gap
from pushpoint.kernels.spatial.structs import BARS_FROM, CORNERS_FROM, PER_BAR
from pushpoint.kernels.spatial.touching import add_obstacle
from pushpoint.kernels.spatial.wheels import put_on_wheel
from pushpoint.kernels.structs import nth

EDGES = wp.constant(5)
"""The two edges of the slope at its sides, the upper one, and the two upright ones at the back."""


@wp.func
def slope_normal(half: Any):
    """Unit normal of the slope."""
    return wp.normalize(wp.vector(-half[2], half[0] - half[0], half[0]))


@wp.func
def up_slope(half: Any):
    """Unit vector up the slope."""
    return wp.normalize(wp.vector(half[0], half[0] - half[0], half[2]))


@wp.func
def wedge_normal_and_gap(q: Any, half: Any, radius: Any):
    """From a wedge to a sphere; a centre inside is led out through slope, back or side, whichever is nearest."""
    zero = radius - radius
    n_s = slope_normal(half)
    above = wp.dot(n_s, q)
    y = wp.clamp(q[1], -half[1], half[1])
    aside = wp.where(q[1] < zero, -(type(zero)(1.0)), type(zero)(1.0))
    nearest = wp.vector(wp.clamp(q[0], -half[0], half[0]), y, wp.clamp(q[2], -half[2], half[2]))
    if above > zero:
        share = wp.clamp(
            (q[0] * half[0] + q[2] * half[2]) / (half[0] * half[0] + half[2] * half[2]),
            -(type(zero)(1.0)),
            type(zero)(1.0),
        )
        nearest = wp.vector(share * half[0], y, share * half[2])
    away = q - nearest
    distance = wp.length(away)
    if distance > zero:
        return away / distance, distance - radius
    shallowest = -above
    n = n_s
    if half[0] - q[0] < shallowest:
        shallowest = half[0] - q[0]
        n = wp.vector(type(zero)(1.0), zero, zero)
    if half[1] - wp.abs(q[1]) < shallowest:
        shallowest = half[1] - wp.abs(q[1])
        n = wp.vector(zero, aside, zero)
    return n, -shallowest - radius


@wp.func
def wedge_edge(e: int, half: Any):
    """Edge e: where it begins, where it leads, and two directions, each out of one face within the plane of the other.

    A contact's normal at the edge has no part against either.
    """
    one = type(half[0])(1.0)
    zero = one - one
    side = wp.where(e % 2 == 0, -one, one)
    begin = wp.vector(-half[0], side * half[1], -half[2])
    way = wp.vector(type(one)(2.0) * half[0], zero, type(one)(2.0) * half[2])
    first = slope_normal(half)
    second = wp.vector(zero, side, zero)
    if e == 2:
        begin = wp.vector(half[0], -half[1], half[2])
        way = wp.vector(zero, type(one)(2.0) * half[1], zero)
        first = up_slope(half)
        second = wp.vector(zero, zero, one)
    elif e > 2:
        begin = wp.vector(half[0], side * half[1], -half[2])
        way = wp.vector(zero, zero, type(one)(2.0) * half[2])
        first = wp.vector(one, zero, zero)
    return begin, way, first, second


@wp.func
def meet_line(start: Any, along: Any, begin: Any, way: Any):
    """Nearest points of a bar and an edge as shares of both; the first is -1 at the ends of either, or if parallel."""
    one = type(start[0])(1.0)
    zero = one - one
    a = wp.dot(along, along)
    b = wp.dot(along, way)
    c = wp.dot(way, way)
    square = a * c - b * b
    if square <= type(one)(1.0e-12) * a * c:
        return -one, zero
    apart = begin - start
    share = (c * wp.dot(along, apart) - b * wp.dot(way, apart)) / square
    place = (b * wp.dot(along, apart) - a * wp.dot(way, apart)) / square
    if share <= zero or share >= one or place < zero or place > one:
        return -one, zero
    return share, place


@wp.func
def touch_wedge(w: int, k: int, o: int, numerics: Any, model: Any, obstacles: Any, motion: Any, work: Any):
    """Spheres against its faces, bars against its edges and upper corners, these against flat sides of links."""
    J = work.links[k].J
    R = work.links[k].R
    solid = obstacles.obstacles[o]
    zero = numerics.dt - numerics.dt
    deepest = zero
    for s in range(model.links[k].n_spheres):
        sphere = model.spheres[nth(k, s, model.most_spheres, model)]
        center = J + R * sphere.center
        n_own, gap = wedge_normal_and_gap(solid.axes * (center - solid.center), solid.half, sphere.radius)
        if gap <= numerics.active_gap:
            n = n_own * solid.axes
            first = work.n_contacts[k]
            depth = add_obstacle(w, k, o, s, n, center, sphere.radius, gap, numerics, model, obstacles, motion, work)
            deepest = wp.max(deepest, depth)
            if s >= model.links[k].n_own:
                put_on_wheel(k, s, first, numerics, model, motion, work)
    for b in range(model.links[k].n_bars):
        for e in range(EDGES):
            deepest = wp.max(deepest, touch_wedge_edge(w, k, o, b, e, numerics, model, obstacles, motion, work))
        for side in range(2):
            deepest = wp.max(deepest, touch_wedge_corner(w, k, o, b, side, numerics, model, obstacles, motion, work))
    if model.links[k].core[1] > zero:
        middle = J + model.links[k].middle * column(R, 0)
        for side in range(2):
            point = upper_corner(side, solid.half) * solid.axes + solid.center
            n_link, gap = box_normal_and_gap(
                wp.transpose(R) * (point - middle), model.links[k].core, model.links[k].rounding
            )
            if gap <= numerics.active_gap:
                n = -(R * n_link)
                key = CORNERS_FROM + side
                depth = add_obstacle(w, k, o, key, n, point, zero, gap, numerics, model, obstacles, motion, work)
                deepest = wp.max(deepest, depth)
    return deepest


@wp.func
def upper_corner(side: int, half: Any):
    """The upper corner on one side."""
    return wp.vector(half[0], wp.where(side == 0, -half[1], half[1]), half[2])


@wp.func
def touch_wedge_edge(
    w: int, k: int, o: int, b: int, e: int, numerics: Any, model: Any, obstacles: Any, motion: Any, work: Any
):
    """A bar across an edge."""
    solid = obstacles.obstacles[o]
    bar = model.bars[nth(k, b, model.most_bars, model)]
    start = solid.axes * (work.links[k].J + work.links[k].R * bar.start - solid.center)
    along = solid.axes * (work.links[k].R * (bar.end - bar.start))
    zero = bar.radius - bar.radius
    begin, way, first, second = wedge_edge(e, solid.half)
    share, place = meet_line(start, along, begin, way)
    away = start + share * along - begin - place * way
    distance = wp.length(away)
    gap = distance - bar.radius
    slack = -(type(zero)(EDGE_SLACK)) * distance
    if share <= zero or gap > numerics.active_gap or distance <= zero:
        return zero
    if wp.dot(away, first) < slack or wp.dot(away, second) < slack:
        return zero
    n = (away / distance) * solid.axes
    center = work.links[k].J + work.links[k].R * (bar.start + (bar.end - bar.start) * share)
    key = BARS_FROM + b * PER_BAR + e
    return add_obstacle(w, k, o, key, n, center, bar.radius, gap, numerics, model, obstacles, motion, work)


@wp.func
def touch_wedge_corner(
    w: int, k: int, o: int, b: int, side: int, numerics: Any, model: Any, obstacles: Any, motion: Any, work: Any
):
    """A bar across an upper corner, beside the wedge: elsewhere it meets an edge first."""
    solid = obstacles.obstacles[o]
    bar = model.bars[nth(k, b, model.most_bars, model)]
    start = solid.axes * (work.links[k].J + work.links[k].R * bar.start - solid.center)
    along = solid.axes * (work.links[k].R * (bar.end - bar.start))
    zero = bar.radius - bar.radius
    corner = upper_corner(side, solid.half)
    share = wp.dot(corner - start, along) / wp.max(wp.dot(along, along), type(zero)(1.0e-12))
    away = start + share * along - corner
    distance = wp.length(away)
    gap = distance - bar.radius
    slack = -(type(zero)(EDGE_SLACK)) * distance
    if share <= zero or share >= type(zero)(1.0) or gap > numerics.active_gap or distance <= zero:
        return zero
    if wp.dot(away, up_slope(solid.half)) < slack or away[2] < slack or away[1] * corner[1] < zero:
        return zero
    n = (away / distance) * solid.axes
    center = work.links[k].J + work.links[k].R * (bar.start + (bar.end - bar.start) * share)
    key = BARS_FROM + b * PER_BAR + EDGES + side
    return add_obstacle(w, k, o, key, n, center, bar.radius, gap, numerics, model, obstacles, motion, work)
