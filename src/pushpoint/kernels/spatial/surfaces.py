"""Finds the contacts of a link with the ground and with the obstacles around it."""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.spatial.algebra.frames import column
from pushpoint.kernels.spatial.algebra.normals import height_along
from pushpoint.kernels.spatial.field_contacts import touch_field
from pushpoint.kernels.spatial.foresight import twist_before
from pushpoint.kernels.spatial.geometry import (
    box_normal_and_gap,
    corner_number,
    edge_corner,
    enters_box,
    leaves_box,
    meet_edge,
    peg_normal_and_gap,
    peg_share,
)
from pushpoint.kernels.spatial.solids.cylinders import touch_round
from pushpoint.kernels.spatial.solids.wedges import touch_wedge
from pushpoint.kernels.spatial.structs import (
    BARS_FROM,
    BOX,
    CORNERS_FROM,
    FEATURES,
    FLAT,
    MOST_NEAR,
    PEG,
    PER_BAR,
    ROUND,
)
from pushpoint.kernels.spatial.touching import (
    add_obstacle,
    direction_along,
    met_before,
    set_ground_laws,
    take_slot,
)
from pushpoint.kernels.spatial.wheels import put_on_wheel
from pushpoint.kernels.structs import SUNK_IN, nth
from pushpoint.kernels.traits import FIELDS, LAWS


@wp.func
def touch_ground(w: int, k: int, numerics: Any, model: Any, motion: Any, work: Any):
    """Contacts with the ground; returns the deepest penetration [m]."""
    if FIELDS:
        if model.worlds[w].field != FLAT:
            return touch_field(w, k, numerics, model, motion, work)
    return touch_plane(w, k, numerics, model, motion, work)


@wp.func
def touch_plane(w: int, k: int, numerics: Any, model: Any, motion: Any, work: Any):
    """Spheres against flat ground through the origin; their augmentations are those of a link that lies on it."""
    up = model.worlds[w].up
    J = work.links[k].J
    R = work.links[k].R
    deepest = numerics.dt - numerics.dt
    along = up  # the link's direction on the ground, once it is needed
    for s in range(model.links[k].n_spheres):
        sphere = model.spheres[nth(k, s, model.most_spheres, model)]
        center = J + R * sphere.center
        gap = height_along(up, center) - sphere.radius
        if gap <= numerics.active_gap:
            first = work.n_contacts[k]
            if first == 0:
                along = direction_along(up, R)
            c = take_slot(w, k, s, gap, numerics, model, motion, work)
            if c >= 0:
                work.contacts[c].arm = center - sphere.radius * up - J
                work.contacts[c].n = up
                work.contacts[c].t = along
                work.contacts[c].r = sphere.r
                work.contacts[c].inverse_r = sphere.inverse_r
                set_ground_laws(w, k, c, center, sphere.radius, gap, numerics, model, motion, work)
                deepest = wp.max(deepest, -gap)
            if LAWS:
                if s >= model.links[k].n_own:
                    put_on_wheel(k, s, first, numerics, model, motion, work)
    return deepest


@wp.func
def touch_obstacles(w: int, k: int, numerics: Any, model: Any, obstacles: Any, motion: Any, work: Any):
    """Contacts with the obstacles around the link; returns the deepest penetration [m]."""
    deepest = numerics.dt - numerics.dt
    moved = numerics.near_margin - motion.links[k].near_slack
    for entry in range(motion.links[k].n_near):
        # What was farther away than the link has moved since cannot touch it.
        if motion.near[nth(k, entry, MOST_NEAR, model)].gap <= moved:
            o = motion.near[nth(k, entry, MOST_NEAR, model)].obstacle
            if obstacles.obstacles[o].shape == BOX:
                depth = touch_box(w, k, o, numerics, model, obstacles, motion, work)
            elif obstacles.obstacles[o].shape == PEG:
                depth = touch_peg(w, k, o, numerics, model, obstacles, motion, work)
            elif obstacles.obstacles[o].shape == ROUND:
                depth = touch_round(w, k, o, numerics, model, obstacles, motion, work)
            else:
                depth = touch_wedge(w, k, o, numerics, model, obstacles, motion, work)
            deepest = wp.max(deepest, depth)
            if depth > obstacles.obstacles[o].deepest:
                motion.worlds[w].status = SUNK_IN
    return deepest


@wp.func
def touch_peg(w: int, k: int, o: int, numerics: Any, model: Any, obstacles: Any, motion: Any, work: Any):
    """Bars and wheels against an upright cylinder."""
    J = work.links[k].J
    R = work.links[k].R
    deepest = numerics.dt - numerics.dt
    center = obstacles.obstacles[o].center
    for b in range(model.links[k].n_bars):
        bar = model.bars[nth(k, b, model.most_bars, model)]
        start = J + R * bar.start
        along = R * (bar.end - bar.start)
        point = start + peg_share(start, along, center) * along
        n, gap = peg_normal_and_gap(point, center, obstacles.obstacles[o].radius + bar.radius)
        depth = add_obstacle(
            w, k, o, BARS_FROM + b, n, point, bar.radius, gap, numerics, model, obstacles, motion, work
        )
        deepest = wp.max(deepest, depth)
    for s in range(model.links[k].n_own, model.links[k].n_spheres):
        sphere = model.spheres[nth(k, s, model.most_spheres, model)]
        point = J + R * sphere.center
        n, gap = peg_normal_and_gap(point, center, obstacles.obstacles[o].radius + sphere.radius)
        first = work.n_contacts[k]
        depth = add_obstacle(w, k, o, s, n, point, sphere.radius, gap, numerics, model, obstacles, motion, work)
        deepest = wp.max(deepest, depth)
        put_on_wheel(k, s, first, numerics, model, motion, work)
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
        sphere = model.spheres[nth(k, s, model.most_spheres, model)]
        center = J + R * sphere.center
        n_box, gap = box_normal_and_gap(axes * (center - middle), half, sphere.radius)
        if gap <= numerics.active_gap:
            n = n_box * axes
            first = work.n_contacts[k]
            depth = add_obstacle(w, k, o, s, n, center, sphere.radius, gap, numerics, model, obstacles, motion, work)
            deepest = wp.max(deepest, depth)
            if s >= model.links[k].n_own:
                put_on_wheel(k, s, first, numerics, model, motion, work)
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
    bar = model.bars[nth(k, b, model.most_bars, model)]
    axes = obstacles.obstacles[o].axes
    half = obstacles.obstacles[o].half
    start = axes * (work.links[k].J + work.links[k].R * bar.start - obstacles.obstacles[o].center)
    along = axes * (work.links[k].R * (bar.end - bar.start))
    zero = numerics.dt - numerics.dt
    deepest = zero
    corners_met = int(0)
    # A bar whose axis has passed an edge is led back over the nearest one.
    passed = int(-1)
    nearest = model.links[k].core[1] + model.links[k].rounding
    v, omega = twist_before(k, model, motion, work)
    at_once = numerics.dt * (wp.length(v) + model.links[k].length * wp.length(omega))
    for e in range(12):
        direction, place = edge_corner(e, half)
        share, point, corner = meet_edge(start, along, direction, place, half)
        feature = int(e)
        met = int(0)
        if corner != 0:
            # A corner ends three edges; it is one contact.
            feature = 12 + corner_number(point)
            met = (corners_met >> (feature - 12)) & 1
        if share > zero and met == 0:
            away = start + share * along - point
            distance = wp.length(away)
            gap = distance - bar.radius
            if gap <= numerics.active_gap and distance > zero and leaves_box(away / distance, point, half) == 1:
                if corner != 0:
                    corners_met = corners_met | (1 << (feature - 12))
                depth = add_edge(
                    w, k, o, b, feature, share, away / distance, gap, numerics, model, obstacles, motion, work
                )
                deepest = wp.max(deepest, depth)
            elif corner == 0 and distance < nearest and enters_box(away, point, half) == 1:
                # It came in over the edge in this step, or was on its way back over it in the last one.
                key = (o + 1) * FEATURES + BARS_FROM + b * PER_BAR + e
                if gap < at_once or met_before(k, key, model, motion) == 1:
                    passed = e
                    nearest = distance
    if passed >= 0:
        direction, place = edge_corner(passed, half)
        share, point, corner = meet_edge(start, along, direction, place, half)
        # Axis and edge that cross have no direction of their own: out between the edge's two faces.
        n_back = wp.normalize(wp.cw_div(place, half))
        if nearest > zero:
            n_back = (point - start - share * along) / nearest
        gap = -nearest - bar.radius
        depth = add_edge(w, k, o, b, passed, share, n_back, gap, numerics, model, obstacles, motion, work)
        deepest = wp.max(deepest, depth)
    return deepest


@wp.func
def add_edge(
    w: int,
    k: int,
    o: int,
    b: int,
    feature: int,
    share: Any,
    n_box: Any,
    gap: Any,
    numerics: Any,
    model: Any,
    obstacles: Any,
    motion: Any,
    work: Any,
):
    """A contact of a bar, a share along it, with an edge or corner of a box; the normal in the box's axes."""
    bar = model.bars[nth(k, b, model.most_bars, model)]
    n = n_box * obstacles.obstacles[o].axes
    center = work.links[k].J + work.links[k].R * (bar.start + (bar.end - bar.start) * share)
    key = BARS_FROM + b * PER_BAR + feature
    return add_obstacle(w, k, o, key, n, center, bar.radius, gap, numerics, model, obstacles, motion, work)
