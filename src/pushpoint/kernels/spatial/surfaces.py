"""Finds the contacts of a link with the ground and with the obstacles around it."""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.spatial.frames import column
from pushpoint.kernels.spatial.geometry import (
    box_normal_and_gap,
    corner_number,
    edge_corner,
    leaves_box,
    meet_edge,
    peg_normal_and_gap,
    peg_share,
)
from pushpoint.kernels.spatial.heights import closest_ground, nearest_ground
from pushpoint.kernels.spatial.structs import (
    BARS_FROM,
    BOX,
    CORNERS_FROM,
    FEATURES,
    FLAT,
    MOST_CONTACTS,
    MOST_NEAR,
    PER_BAR,
)
from pushpoint.kernels.spatial.touching import ground_law, keep_contact, set_friction, set_target
from pushpoint.kernels.structs import SUNK_IN

PROBES = wp.constant(9)
"""Places around a sphere from which the nearest ground is sought: a square of three by three."""
PROBE_REACH = wp.constant(0.7)
"""How far apart, in radii, where the field is finer than that."""
SAME_SIDE = wp.constant(0.97)
"""Cosine above which two normals of one sphere count as one contact."""
BETWEEN = wp.constant(6)
"""Places along a bar at which uneven ground is looked at, between its ends."""
NARROWINGS = wp.constant(12)
"""Rounds in which the highest ground between two of them is narrowed down, to two thirds each."""


@wp.func
def touch_ground(w: int, k: int, numerics: Any, model: Any, motion: Any, work: Any):
    """Contacts with the ground; returns the deepest penetration [m]."""
    if model.worlds[w].field == FLAT:
        return touch_plane(w, k, numerics, model, motion, work)
    return touch_field(w, k, numerics, model, motion, work)


@wp.func
def add_ground(
    w: int,
    k: int,
    key: int,
    n: Any,
    center: Any,
    radius: Any,
    gap: Any,
    numerics: Any,
    model: Any,
    motion: Any,
    work: Any,
):
    """A contact of a ball with the ground, if it is closed; returns its depth [m]."""
    zero = gap - gap
    c = keep_contact(w, k, key, n, center - radius * n, gap, numerics, model, motion, work)
    if c < 0:
        return zero
    world = model.worlds[w]
    set_target(k, c, gap, world.restitution, numerics, model, work)
    row = ground_law(w, k, center, model)
    set_friction(k, c, row, world.rolling * radius, world.spin, model, work)
    return wp.max(-gap, zero)


@wp.func
def touch_plane(w: int, k: int, numerics: Any, model: Any, motion: Any, work: Any):
    """Spheres against flat ground through the origin."""
    up = model.worlds[w].up
    J = work.links[k].J
    R = work.links[k].R
    deepest = numerics.dt - numerics.dt
    for s in range(model.links[k].n_spheres):
        sphere = model.spheres[k * model.most_spheres + s]
        center = J + R * sphere.center
        gap = wp.dot(up, center) - sphere.radius
        if gap <= numerics.active_gap:
            depth = add_ground(w, k, s, up, center, sphere.radius, gap, numerics, model, motion, work)
            deepest = wp.max(deepest, depth)
    return deepest


@wp.func
def touch_field(w: int, k: int, numerics: Any, model: Any, motion: Any, work: Any):
    """Spheres, and the highest ground under each bar, against a height field."""
    J = work.links[k].J
    R = work.links[k].R
    zero = numerics.dt - numerics.dt
    field = model.fields[model.worlds[w].field]
    top = field.highest + numerics.active_gap
    deepest = zero
    lowest = type(zero)(1.0e30)
    for s in range(model.links[k].n_spheres):
        sphere = model.spheres[k * model.most_spheres + s]
        center = J + R * sphere.center
        if center[2] - sphere.radius <= top:
            depth, gap = touch_hollow(w, k, s, center, sphere.radius, numerics, model, motion, work)
            deepest = wp.max(deepest, depth)
            lowest = wp.min(lowest, gap)
    for b in range(model.links[k].n_bars):
        bar = model.bars[k * model.most_bars + b]
        start = J + R * bar.start
        along = R * (bar.end - bar.start)
        if wp.min(start[2], start[2] + along[2]) - bar.radius <= top:
            share, gap = highest_under(start, along, bar.radius, lowest, numerics, field, model)
            # Level with the ends, the ends carry it.
            if gap < lowest - numerics.slop and gap <= numerics.active_gap:
                center = start + along * share
                n, distance = closest_ground(center, field, model)
                key = PROBES * 8 + b
                gap = distance - bar.radius
                depth = add_ground(w, k, key, n, center, bar.radius, gap, numerics, model, motion, work)
                deepest = wp.max(deepest, depth)
    return deepest


@wp.func
def highest_under(start: Any, along: Any, radius: Any, lowest: Any, numerics: Any, field: Any, model: Any):
    """Where the ground comes nearest to a bar between its ends, as a share of it, and the gap there [m].

    A few places first; then, where the ground might touch, the share is narrowed down.
    """
    zero = radius - radius
    step = type(zero)(1.0) / type(zero)(BETWEEN + 1)
    share = zero
    gap = type(zero)(1.0e30)
    for p in range(BETWEEN):
        center = start + along * (step * type(zero)(p + 1))
        _n, distance = nearest_ground(center, center[0], center[1], field, model)
        if distance - radius < gap:
            gap = distance - radius
            share = step * type(zero)(p + 1)
    reach = step * wp.length(along)
    # Between two places the ground can be nearer by no more than half their distance.
    if gap - reach * type(zero)(0.5) > wp.min(lowest, numerics.active_gap):
        return share, gap
    low = wp.max(share - step, zero)
    high = wp.min(share + step, type(zero)(1.0))
    for _ in range(NARROWINGS):
        third = (high - low) / type(zero)(3.0)
        _n_1, left = closest_ground(start + along * (low + third), field, model)
        _n_2, right = closest_ground(start + along * (high - third), field, model)
        if left <= right:
            high = high - third
        else:
            low = low + third
    share = (low + high) * type(zero)(0.5)
    _n_3, distance = closest_ground(start + along * share, field, model)
    return share, distance - radius


@wp.func
def touch_hollow(w: int, k: int, s: int, center: Any, radius: Any, numerics: Any, model: Any, motion: Any, work: Any):
    """A sphere on uneven ground, where it may lean on several sides; returns the depth and the smallest gap [m]."""
    field = model.fields[model.worlds[w].field]
    zero = radius - radius
    reach = wp.max(field.spacing, type(zero)(PROBE_REACH) * radius)
    first = work.n_contacts[k]
    deepest = zero
    smallest = type(zero)(1.0e30)
    for p in range(PROBES):
        # The middle, then around it.
        place = (p + PROBES / 2) % PROBES
        x = center[0] + reach * type(zero)(place / 3 - 1)
        y = center[1] + reach * type(zero)(place % 3 - 1)
        n, distance = nearest_ground(center, x, y, field, model)
        gap = distance - radius
        smallest = wp.min(smallest, gap)
        if gap <= numerics.active_gap:
            known = int(0)
            for slot in range(first, work.n_contacts[k]):
                if wp.dot(n, work.contacts[k * MOST_CONTACTS + slot].n) > type(zero)(SAME_SIDE):
                    known = 1
            if known == 0:
                depth = add_ground(w, k, s * PROBES + place, n, center, radius, gap, numerics, model, motion, work)
                deepest = wp.max(deepest, depth)
    return deepest, smallest


@wp.func
def touch_obstacles(w: int, k: int, numerics: Any, model: Any, obstacles: Any, motion: Any, work: Any):
    """Contacts with the obstacles around the link; returns the deepest penetration [m]."""
    deepest = numerics.dt - numerics.dt
    moved = numerics.near_margin - motion.links[k].near_slack
    for entry in range(motion.links[k].n_near):
        # What was farther away than the link has moved since cannot touch it.
        if motion.near[k * MOST_NEAR + entry].gap <= moved:
            o = motion.near[k * MOST_NEAR + entry].obstacle
            if obstacles.obstacles[o].shape == BOX:
                depth = touch_box(w, k, o, numerics, model, obstacles, motion, work)
            else:
                depth = touch_peg(w, k, o, numerics, model, obstacles, motion, work)
            deepest = wp.max(deepest, depth)
            if depth > obstacles.obstacles[o].deepest:
                motion.worlds[w].status = SUNK_IN
    return deepest


@wp.func
def add_obstacle(
    w: int,
    k: int,
    o: int,
    feature: int,
    n: Any,
    center: Any,
    radius: Any,
    gap: Any,
    numerics: Any,
    model: Any,
    obstacles: Any,
    motion: Any,
    work: Any,
):
    """A contact with an obstacle, if it is closed; returns its depth [m]."""
    zero = gap - gap
    key = (o + 1) * FEATURES + feature
    c = keep_contact(w, k, key, n, center - radius * n, gap, numerics, model, motion, work)
    if c < 0:
        return zero
    set_target(k, c, gap, obstacles.obstacles[o].restitution, numerics, model, work)
    set_friction(k, c, obstacles.obstacles[o].law, zero, zero, model, work)
    return wp.max(-gap, zero)


@wp.func
def touch_peg(w: int, k: int, o: int, numerics: Any, model: Any, obstacles: Any, motion: Any, work: Any):
    """Bars against an upright cylinder."""
    J = work.links[k].J
    R = work.links[k].R
    deepest = numerics.dt - numerics.dt
    center = obstacles.obstacles[o].center
    for b in range(model.links[k].n_bars):
        bar = model.bars[k * model.most_bars + b]
        start = J + R * bar.start
        along = R * (bar.end - bar.start)
        point = start + peg_share(start, along, center) * along
        n, gap = peg_normal_and_gap(point, center, obstacles.obstacles[o].radius + bar.radius)
        depth = add_obstacle(
            w, k, o, BARS_FROM + b, n, point, bar.radius, gap, numerics, model, obstacles, motion, work
        )
        deepest = wp.max(deepest, depth)
    return deepest


@wp.func
def touch_box(w: int, k: int, o: int, numerics: Any, model: Any, obstacles: Any, motion: Any, work: Any):
    """Spheres against a box, and its edges and corners against the link's bars."""
    J = work.links[k].J
    R = work.links[k].R
    axes = obstacles.obstacles[o].axes
    half = obstacles.obstacles[o].half
    middle = obstacles.obstacles[o].center
    deepest = numerics.dt - numerics.dt
    for s in range(model.links[k].n_spheres):
        sphere = model.spheres[k * model.most_spheres + s]
        center = J + R * sphere.center
        n_box, gap = box_normal_and_gap(axes * (center - middle), half, sphere.radius)
        if gap <= numerics.active_gap:
            n = n_box * axes
            depth = add_obstacle(w, k, o, s, n, center, sphere.radius, gap, numerics, model, obstacles, motion, work)
            deepest = wp.max(deepest, depth)
    for b in range(model.links[k].n_bars):
        deepest = wp.max(deepest, touch_edges(w, k, o, b, numerics, model, obstacles, motion, work))
    if model.links[k].core[1] > numerics.dt - numerics.dt:
        deepest = wp.max(deepest, touch_sides(w, k, o, numerics, model, obstacles, motion, work))
    return deepest


@wp.func
def touch_sides(w: int, k: int, o: int, numerics: Any, model: Any, obstacles: Any, motion: Any, work: Any):
    """The corners of a box against the flat sides of a square link."""
    link = model.links[k]
    R = work.links[k].R
    middle = work.links[k].J + link.middle * column(R, 0)
    half = obstacles.obstacles[o].half
    one = type(link.mass)(1.0)
    deepest = one - one
    for e in range(8):
        side = wp.vector(
            wp.where(e % 2 == 0, -one, one), wp.where((e / 2) % 2 == 0, -one, one), wp.where(e / 4 == 0, -one, one)
        )
        point = obstacles.obstacles[o].center + wp.cw_mul(side, half) * obstacles.obstacles[o].axes
        n_link, gap = box_normal_and_gap(wp.transpose(R) * (point - middle), link.core, link.rounding)
        if gap <= numerics.active_gap:
            n = -(R * n_link)
            depth = add_obstacle(
                w, k, o, CORNERS_FROM + e, n, point, one - one, gap, numerics, model, obstacles, motion, work
            )
            deepest = wp.max(deepest, depth)
    return deepest


@wp.func
def touch_edges(w: int, k: int, o: int, b: int, numerics: Any, model: Any, obstacles: Any, motion: Any, work: Any):
    """The twelve edges of a box and its corners against one bar."""
    bar = model.bars[k * model.most_bars + b]
    axes = obstacles.obstacles[o].axes
    half = obstacles.obstacles[o].half
    start = axes * (work.links[k].J + work.links[k].R * bar.start - obstacles.obstacles[o].center)
    along = axes * (work.links[k].R * (bar.end - bar.start))
    deepest = numerics.dt - numerics.dt
    corners_met = int(0)
    for e in range(12):
        direction, place = edge_corner(e, half)
        share, point, corner = meet_edge(start, along, direction, place, half)
        feature = int(e)
        met = int(0)
        if corner != 0:
            # A corner ends three edges; it is one contact.
            feature = 12 + corner_number(point)
            met = (corners_met >> (feature - 12)) & 1
        if share > half[0] - half[0] and met == 0:
            away = start + share * along - point
            distance = wp.length(away)
            gap = distance - bar.radius
            if gap <= numerics.active_gap and distance > half[0] - half[0]:
                n_box = away / distance
                if leaves_box(n_box, point, half) == 1:
                    if corner != 0:
                        corners_met = corners_met | (1 << (feature - 12))
                    n = n_box * axes
                    center = work.links[k].J + work.links[k].R * (bar.start + (bar.end - bar.start) * share)
                    depth = add_obstacle(
                        w, k, o, BARS_FROM + b * PER_BAR + feature, n, center, bar.radius, gap,
                        numerics, model, obstacles, motion, work,
                    )  # fmt: skip
                    deepest = wp.max(deepest, depth)
    return deepest
