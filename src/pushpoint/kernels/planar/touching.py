"""Contacts of a link with the obstacles around it: which exist, in which directions they push, what they start from."""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.planar.geometry import axis_point, corner_is_outward, normal_and_gap, outline_normal_and_gap
from pushpoint.kernels.planar.rims import corner_pushes, rim_normal_and_gap
from pushpoint.kernels.planar.structs import FEATURES, MOST_CONTACTS, MOST_EDGES, MOST_NEAR
from pushpoint.kernels.structs import SUNK_IN, TOO_MANY_CONTACTS, nth


@wp.func
def touch(w: int, k: int, J: Any, e: Any, numerics: Any, model: Any, link: Any, obstacles: Any, motion: Any, work: Any):
    """Contacts of the link at k at the midpoint, Transeth2008a (39); returns its deepest penetration [m]."""
    deepest = type(numerics.dt)(0.0)
    work.n_contacts[k] = 0
    moved = numerics.near_margin - motion.links[k].near_slack
    for entry in range(motion.links[k].n_near):
        # What was farther away than the link has moved since cannot touch it.
        if motion.near[nth(k, entry, MOST_NEAR, model)].gap <= moved:
            o = motion.near[nth(k, entry, MOST_NEAR, model)].obstacle
            depth = touch_obstacle(w, k, o, J, e, numerics, model, link, obstacles, motion, work)
            deepest = wp.max(deepest, depth)
            if depth > wp.min(obstacles.obstacles[o].deepest, link.radius):
                motion.worlds[w].status = SUNK_IN
    return deepest


@wp.func
def touch_obstacle(
    w: int, k: int, o: int, J: Any, e: Any, numerics: Any, model: Any, link: Any, obstacles: Any, motion: Any, work: Any
):
    """Contacts with one obstacle; returns the deepest penetration [m]."""
    obstacle = obstacles.obstacles[o]
    if obstacle.last_edge > 0:
        return touch_rim(w, k, o, J, e, numerics, model, link, obstacles, motion, work)
    if obstacle.n_vertices > 1:
        return touch_outline(w, k, o, J, e, numerics, model, link, obstacles, motion, work)
    s = axis_point(J, e, obstacle.vertex, link)
    n, gap = normal_and_gap(J + s * e, obstacle.vertex, e, obstacle.radius + link.radius)
    return keep_contact(w, k, o * FEATURES, s, n, gap, e, numerics, model, link, obstacle, motion, work)


@wp.func
def touch_outline(
    w: int, k: int, o: int, J: Any, e: Any, numerics: Any, model: Any, link: Any, obstacles: Any, motion: Any, work: Any
):
    """Contacts with a wall or polygon: both ends of the link, and corners beside its straight side."""
    obstacle = obstacles.obstacles[o]
    radii = obstacle.radius + link.radius
    key = o * FEATURES
    n, gap = outline_normal_and_gap(J + link.side_rear * e, obstacle, radii, obstacles)
    depth = keep_contact(w, k, key, link.side_rear, n, gap, e, numerics, model, link, obstacle, motion, work)
    n, gap = outline_normal_and_gap(J + link.side_front * e, obstacle, radii, obstacles)
    depth = wp.max(
        depth, keep_contact(w, k, key + 1, link.side_front, n, gap, e, numerics, model, link, obstacle, motion, work)
    )
    for v in range(obstacle.n_vertices):
        H = obstacles.vertices[obstacle.first_vertex + v].H
        s = wp.dot(H - J, e)
        if s > link.side_rear and s < link.side_front:
            n, gap = normal_and_gap(J + s * e, H, e, radii)
            if corner_is_outward(v, n, obstacle, obstacles) == 1:
                depth = wp.max(
                    depth, keep_contact(w, k, key + 2 + v, s, n, gap, e, numerics, model, link, obstacle, motion, work)
                )
    return depth


@wp.func
def touch_rim(
    w: int, k: int, o: int, J: Any, e: Any, numerics: Any, model: Any, link: Any, obstacles: Any, motion: Any, work: Any
):
    """Contacts with a stretch of a hollow polygon's rim: both ends of the link at every edge, corners at its side."""
    obstacle = obstacles.obstacles[o]
    radii = obstacle.radius + link.radius
    depth = radii - radii
    for edge in range(obstacle.n_vertices - 1):
        v = obstacle.first_vertex + edge
        key = o * FEATURES + edge
        s = link.side_rear
        n, gap = rim_normal_and_gap(J + s * e, v, link.radius, obstacle, radii, obstacles)
        depth = wp.max(depth, keep_contact(w, k, key, s, n, gap, e, numerics, model, link, obstacle, motion, work))
        s = link.side_front
        key += MOST_EDGES
        n, gap = rim_normal_and_gap(J + s * e, v, link.radius, obstacle, radii, obstacles)
        depth = wp.max(depth, keep_contact(w, k, key, s, n, gap, e, numerics, model, link, obstacle, motion, work))
        H = obstacles.vertices[v].H
        s = wp.dot(H - J, e)
        key += MOST_EDGES
        if s > link.side_rear and s < link.side_front:
            n, gap = normal_and_gap(J + s * e, H, e, radii)
            if corner_pushes(v, n, obstacles):
                depth = wp.max(
                    depth, keep_contact(w, k, key, s, n, gap, e, numerics, model, link, obstacle, motion, work)
                )
    return depth


@wp.func
def keep_contact(
    w: int, k: int, key: int, s: Any, n: Any, gap: Any, e: Any,
    numerics: Any, model: Any, link: Any, obstacle: Any, motion: Any, work: Any,
):  # fmt: skip
    """Takes a contact up if its gap is closed; returns its depth [m]."""
    zero = type(gap)(0.0)
    if gap > numerics.active_gap:
        return zero
    c = work.n_contacts[k]
    if c == MOST_CONTACTS:
        motion.worlds[w].status = TOO_MANY_CONTACTS
        return zero
    work.n_contacts[k] = c + 1
    open_contact(k, c, key, s, n, gap, e, numerics, model, link, obstacle, motion, work)
    return wp.max(-gap, zero)


@wp.func
def line_of_action(s: Any, n: Any, e: Any, link: Any):
    """Where along the link, in which direction, and how far from the axis its friction: forces of a contact act."""
    if link.central == 0:
        return s, n, link.radius
    across = wp.vector(-e[1], e[0])  # Liljeback2011, II: on the centre of mass, "in the normal direction of link i"
    if wp.dot(n, across) < s - s:
        across = -across
    return link.to_mass, across, s - s


@wp.func
def open_contact(
    k: int, c: int, key: int, s: Any, n: Any, gap: Any, e: Any,
    numerics: Any, model: Any, link: Any, obstacle: Any, motion: Any, work: Any,
):  # fmt: skip
    """Fills contact slot c of a link: force directions (14), (16), augmentation, target, last impulse."""
    one = type(s)(1.0)
    s, n, lever = line_of_action(s, n, e, link)
    t = wp.vector(-n[1], n[0])
    e_cross_n = e[0] * n[1] - e[1] * n[0]
    e_cross_t = e[0] * t[1] - e[1] * t[0]
    # The normal acts through the axis point, friction on the surface, a lever nearer to the obstacle.
    swing_N = (s - link.to_mass) * e_cross_n
    swing_T = (s - link.to_mass) * e_cross_t - lever
    W_N = wp.vector(n[0], n[1], s * e_cross_n)
    at = nth(k, c, MOST_CONTACTS, model)
    work.contacts[at].key = key
    work.contacts[at].mu = obstacle.friction
    work.contacts[at].W_N = W_N
    work.contacts[at].W_T = wp.vector(t[0], t[1], s * e_cross_t - lever)
    inverse_r = wp.vector(
        link.inverse_mass + swing_N * swing_N * link.inverse_inertia,
        link.inverse_mass + swing_T * swing_T * link.inverse_inertia,
    )
    work.contacts[at].inverse_r = inverse_r
    work.contacts[at].r = wp.vector(one / inverse_r[0], one / inverse_r[1])
    P = previous_impulse(k, key, one - one, model, motion)
    work.contacts[at].P = P
    work.contacts[at].rebound = one - one
    work.contacts[at].to_axis = s
    # As the contact was when the last step ended.
    gamma_N = wp.dot(W_N, work.links[k].x) + work.links[k].inward * (s - link.to_mass) * wp.dot(n, e)
    if gamma_N < -numerics.impact_speed:
        work.contacts[at].rebound = -obstacle.restitution * gamma_N
        work.contacts[at].target = work.contacts[at].rebound
    else:
        work.contacts[at].target = push_out(gap, numerics)


@wp.func
def previous_impulse(k: int, key: int, zero: Any, model: Any, motion: Any):
    """Impulse of the same contact in the last step; zero if it was open."""
    found = wp.vector(zero, zero)
    for c in range(motion.links[k].n_contacts):
        if motion.contacts[nth(k, c, MOST_CONTACTS, model)].contact_key == key:
            found = motion.contacts[nth(k, c, MOST_CONTACTS, model)].P_contact
    return found


@wp.func
def push_out(gap: Any, numerics: Any):
    """Normal velocity that leads a contact out of penetration, slowly."""
    depth = wp.max(-gap - numerics.slop, type(gap)(0.0))
    return wp.min(numerics.feedback * depth / numerics.dt, numerics.feedback_speed)


@wp.func
def forgo_push_out(k: int, model: Any, motion: Any, work: Any):
    """Leaves penetration as it is in this step and starts anew: pushing out may be what has no solution."""
    for c in range(work.n_contacts[k]):
        at = nth(k, c, MOST_CONTACTS, model)
        rebound = work.contacts[at].rebound
        work.contacts[at].target = rebound
        work.contacts[at].P = previous_impulse(k, work.contacts[at].key, rebound - rebound, model, motion)
