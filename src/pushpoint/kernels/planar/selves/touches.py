"""Links two or more apart that touch each other: where, and what is kept of it. Neighbours overlap and never touch.

In the plane two capsules touch where an end of one is nearest to the axis of the other; side by side, in two places.
`impulses` solves for the impulses P = (normal, tangential), which act on both links, equal and opposite.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.near_lists import links_passed
from pushpoint.kernels.planar.geometry import axis_point
from pushpoint.kernels.planar.structs import MOST_SELF, SELF_FEATURES
from pushpoint.kernels.planar.touching import push_out
from pushpoint.kernels.structs import TOO_MANY_CONTACTS, place

KEPT_APART = wp.constant(0.95)
"""Share of its length to which a link's neighbours come near each other before they touch, at most [-].

They then touch with a lever of 0.3 lengths about its joint, so that friction up to 0.6 cannot lock the joint.
"""


@wp.func
def find_self_contacts(w: int, numerics: Any, model: Any, motion: Any, work: Any):
    """Pairs of links that touch at the midpoint."""
    if model.worlds[w].self_contact == 0:
        return
    motion.worlds[w].touching = 0
    widest, longest = reach_of_links(w, model, work)
    for i in range(model.n_links - 2):
        k_a = place(w, i, model)
        reach_a = half_extent(k_a, model) + numerics.active_gap
        middle_a = middle_of(k_a, model, work)
        j = i + 2
        while j < model.n_links:
            k_b = place(w, j, model)
            between = middle_a - middle_of(k_b, model, work)
            square = wp.dot(between, between)
            reach = reach_a + half_extent(k_b, model)
            if square < reach * reach:
                meet(w, i, j, numerics, model, motion, work)
            j += links_passed(square, reach_a + widest, longest)


@wp.func
def middle_of(k: int, model: Any, work: Any):
    """Middle of a link's straight side."""
    half = type(model.links[k].radius)(0.5)
    return work.links[k].J + (half * (model.links[k].side_rear + model.links[k].side_front)) * work.links[k].e


@wp.func
def half_extent(k: int, model: Any):
    """Distance from there within which all of the link lies."""
    half = type(model.links[k].radius)(0.5)
    return half * (model.links[k].side_front - model.links[k].side_rear) + model.links[k].radius


@wp.func
def reach_of_links(w: int, model: Any, work: Any):
    """The largest reach of a link, and the largest distance between the middles of neighbours."""
    k = place(w, 0, model)
    widest = half_extent(k, model)
    longest = widest - widest
    middle = middle_of(k, model, work)
    for i in range(1, model.n_links):
        k = place(w, i, model)
        ahead = middle_of(k, model, work)
        widest = wp.max(widest, half_extent(k, model))
        longest = wp.max(longest, wp.dot(ahead - middle, ahead - middle))
        middle = ahead
    return widest, wp.sqrt(longest)


@wp.func
def meet(w: int, i: int, j: int, numerics: Any, model: Any, motion: Any, work: Any):
    """The contacts of links i and j: both ends of i anywhere on j, both ends of j between the ends of i."""
    k_a = place(w, i, model)
    k_b = place(w, j, model)
    a = model.links[k_a]
    b = model.links[k_b]
    J_a = work.links[k_a].J
    e_a = work.links[k_a].e
    J_b = work.links[k_b].J
    e_b = work.links[k_b].e
    key = 1 + SELF_FEATURES * (i * model.n_links + j)
    s = axis_point(J_b, e_b, J_a + a.side_rear * e_a, b)
    keep_self(w, key, k_a, a.side_rear, k_b, s, numerics, model, motion, work)
    s = axis_point(J_b, e_b, J_a + a.side_front * e_a, b)
    keep_self(w, key + 1, k_a, a.side_front, k_b, s, numerics, model, motion, work)
    # Nearer to an end of i than this, the end has made the contact already.
    rear = a.side_rear + numerics.active_gap
    front = a.side_front - numerics.active_gap
    s = wp.dot(J_b + b.side_rear * e_b - J_a, e_a)
    if s > rear and s < front:
        keep_self(w, key + 2, k_a, s, k_b, b.side_rear, numerics, model, motion, work)
    s = wp.dot(J_b + b.side_front * e_b - J_a, e_a)
    if s > rear and s < front:
        keep_self(w, key + 3, k_a, s, k_b, b.side_front, numerics, model, motion, work)


@wp.func
def keep_self(
    w: int, key: int, k_a: int, s_a: Any, k_b: int, s_b: Any, numerics: Any, model: Any, motion: Any, work: Any
):
    """Takes up the contact of two links, through points of their axes, if its gap is closed."""
    Q_a = work.links[k_a].J + s_a * work.links[k_a].e
    Q_b = work.links[k_b].J + s_b * work.links[k_b].e
    distance = wp.length(Q_a - Q_b)
    gap = distance - touching_distance(w, key, k_a, k_b, model)
    motion.worlds[w].overlap = wp.max(motion.worlds[w].overlap, -gap)
    if gap > numerics.active_gap or distance <= gap - gap:
        return
    if motion.worlds[w].touching == MOST_SELF:
        motion.worlds[w].status = TOO_MANY_CONTACTS
        return
    c = w * MOST_SELF + motion.worlds[w].touching
    motion.worlds[w].touching = motion.worlds[w].touching + 1
    n = (Q_a - Q_b) / distance
    # Halfway between the two surfaces: at one place for both, so that turning momentum is neither made nor lost.
    middle = Q_b + type(gap)(0.5) * (distance + model.links[k_b].radius - model.links[k_a].radius) * n
    motion.selves[c].n = n
    motion.selves[c].arm_a = middle - work.links[k_a].J
    motion.selves[c].arm_b = middle - work.links[k_b].J
    motion.selves[c].link_a = k_a
    motion.selves[c].link_b = k_b
    motion.selves[c].key = key
    motion.selves[c].target = push_out(gap, numerics)
    begin_self(c, w, model, motion, work)


@wp.func
def touching_distance(w: int, key: int, k_a: int, k_b: int, model: Any):
    """Distance of two axes at which their links touch: the sum of the radii, or less if one stout link is between them.

    A link no longer than it is thick would hold its neighbours in touch at its joints, where contact has no lever: its
    force and friction would have no bound.
    """
    reach = model.links[k_a].radius + model.links[k_b].radius
    pair = (key - 1) / SELF_FEATURES
    i = pair / model.n_links
    if pair - i * model.n_links == i + 2:
        reach = wp.min(reach, type(reach)(KEPT_APART) * model.links[place(w, i + 1, model)].length)
    return reach


@wp.func
def begin_self(c: int, w: int, model: Any, motion: Any, work: Any):
    """Starts from the impulse of the last step, on the right sides of the two links' equations."""
    n = motion.selves[c].n
    zero = n[0] - n[0]
    one = type(zero)(1.0)
    k_a = motion.selves[c].link_a
    k_b = motion.selves[c].link_b
    t = wp.vector(-n[1], n[0])
    along = mobility(k_a, motion.selves[c].arm_a, n, model, work) + mobility(
        k_b, motion.selves[c].arm_b, n, model, work
    )
    across = mobility(k_a, motion.selves[c].arm_a, t, model, work) + mobility(
        k_b, motion.selves[c].arm_b, t, model, work
    )
    motion.selves[c].alone = wp.vector(one / along, one / across)
    motion.selves[c].P = wp.vector(zero, zero)
    for slot in range(motion.worlds[w].n_self):
        if motion.selves[w * MOST_SELF + slot].self_key == motion.selves[c].key:
            motion.selves[c].P = motion.selves[w * MOST_SELF + slot].P_self
    add_to_sides(c, push_of(c, motion.selves[c].P, motion), motion, work)


@wp.func
def mobility(k: int, arm: Any, direction: Any, model: Any, work: Any):
    """What a unit impulse at `arm` from J does to the velocity of the link there, along itself [1/kg]."""
    lever = arm - model.links[k].to_mass * work.links[k].e
    swing = lever[0] * direction[1] - lever[1] * direction[0]
    return type(swing)(1.0) / model.links[k].mass + swing * swing / model.links[k].inertia


@wp.func
def push_of(c: int, P: Any, motion: Any):
    """An impulse (normal, tangential) in world axes, on the link nearer to the tail."""
    n = motion.selves[c].n
    return wp.vector(P[0] * n[0] - P[1] * n[1], P[0] * n[1] + P[1] * n[0])


@wp.func
def about_joint(arm: Any, push: Any):
    """An impulse at `arm` from J, with its moment about J."""
    return wp.vector(push[0], push[1], arm[0] * push[1] - arm[1] * push[0])


@wp.func
def add_to_sides(c: int, push: Any, motion: Any, work: Any):
    """Adds an impulse to the right sides of both links' equations."""
    k_a = motion.selves[c].link_a
    k_b = motion.selves[c].link_b
    work.links[k_a].f_smooth = work.links[k_a].f_smooth + about_joint(motion.selves[c].arm_a, push)
    work.links[k_b].f_smooth = work.links[k_b].f_smooth - about_joint(motion.selves[c].arm_b, push)


@wp.func
def count_selves(w: int, motion: Any, tally: Any):
    """Adds what the links felt of each other to the tallies and keeps it for the next step."""
    motion.worlds[w].n_self = motion.worlds[w].touching
    for slot in range(motion.worlds[w].touching):
        c = w * MOST_SELF + slot
        P = motion.selves[c].P
        push = push_of(c, P, motion)
        k_a = motion.selves[c].link_a
        k_b = motion.selves[c].link_b
        tally.links[k_a].own = tally.links[k_a].own + push
        tally.links[k_b].own = tally.links[k_b].own - push
        motion.selves[c].self_key = motion.selves[c].key
        motion.selves[c].P_self = P
