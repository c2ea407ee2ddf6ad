"""Links two or more apart that touch each other: where, and what is kept of it. Neighbours overlap and never touch.

`impulses` solves for the impulses P = (normal, two tangential), which act on both links, equal and opposite.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.near_lists import links_passed
from pushpoint.kernels.spatial.algebra.frames import column
from pushpoint.kernels.spatial.foresight import drift_self
from pushpoint.kernels.spatial.structs import MOST_SELF
from pushpoint.kernels.spatial.touching import mobility
from pushpoint.kernels.structs import TOO_MANY_CONTACTS, place


@wp.func
def nearest_shares(start_a: Any, along_a: Any, start_b: Any, along_b: Any):
    """Where two segments come nearest to each other, as shares of their lengths; parallel ones in the middle."""
    zero = start_a[0] - start_a[0]
    one = type(zero)(1.0)
    between = start_a - start_b
    aa = wp.dot(along_a, along_a)
    bb = wp.dot(along_b, along_b)
    ab = wp.dot(along_a, along_b)
    a = wp.dot(along_a, between)
    b = wp.dot(along_b, between)
    apart = aa * bb - ab * ab
    share_a = type(zero)(0.5)
    if apart > type(zero)(1.0e-9) * aa * bb:
        share_a = wp.clamp((ab * b - bb * a) / apart, zero, one)
    share_b = type(zero)(0.5)
    if bb > zero:
        share_b = wp.clamp((ab * share_a + b) / bb, zero, one)
    if aa > zero:
        share_a = wp.clamp((ab * share_b - a) / aa, zero, one)
    return share_a, share_b


@wp.func
def find_self_contacts(w: int, numerics: Any, model: Any, motion: Any, work: Any):
    """Pairs of links whose axes, as thick as the links, touch at the midpoint."""
    work.n_self[w] = 0
    if model.worlds[w].self_contact == 0:
        return
    widest, longest = reach_of_links(w, model, work)
    for i in range(model.n_links - 2):
        k_a = place(w, i, model)
        reach_a = model.links[k_a].reach + numerics.active_gap
        middle_a = middle_of(k_a, model, work)
        j = i + 2
        while j < model.n_links:
            k_b = place(w, j, model)
            between = middle_a - middle_of(k_b, model, work)
            square = wp.dot(between, between)
            reach = reach_a + model.links[k_b].reach
            if square < reach * reach:
                meet(w, i, j, numerics, model, motion, work)
            j += links_passed(square, reach_a + widest, longest)


@wp.func
def middle_of(k: int, model: Any, work: Any):
    """Middle of a link."""
    return work.links[k].J + model.links[k].middle * column(work.links[k].R, 0)


@wp.func
def reach_of_links(w: int, model: Any, work: Any):
    """The largest reach of a link, and the largest distance between the middles of neighbours."""
    k = place(w, 0, model)
    widest = model.links[k].reach
    longest = widest - widest
    middle = middle_of(k, model, work)
    for i in range(1, model.n_links):
        k = place(w, i, model)
        ahead = middle_of(k, model, work)
        widest = wp.max(widest, model.links[k].reach)
        longest = wp.max(longest, wp.dot(ahead - middle, ahead - middle))
        middle = ahead
    return widest, wp.sqrt(longest)


@wp.func
def axis_of(k: int, model: Any, work: Any):
    """Start and way of a link's straight side, and how thick it is around it; square links count as round."""
    e = column(work.links[k].R, 0)
    half = model.links[k].core[0]
    start = work.links[k].J + (model.links[k].middle - half) * e
    return start, (half + half) * e, model.links[k].core[1] + model.links[k].rounding


@wp.func
def meet(w: int, i: int, j: int, numerics: Any, model: Any, motion: Any, work: Any):
    """Takes up the contact of links i and j if its gap is closed."""
    k_a = place(w, i, model)
    k_b = place(w, j, model)
    start_a, along_a, radius_a = axis_of(k_a, model, work)
    start_b, along_b, radius_b = axis_of(k_b, model, work)
    share_a, share_b = nearest_shares(start_a, along_a, start_b, along_b)
    point_a = start_a + share_a * along_a
    point_b = start_b + share_b * along_b
    distance = wp.length(point_a - point_b)
    gap = distance - radius_a - radius_b
    zero = gap - gap
    motion.worlds[w].overlap = wp.max(motion.worlds[w].overlap, -gap)
    if gap > numerics.active_gap or distance <= zero:
        return
    if work.n_self[w] == MOST_SELF:
        motion.worlds[w].status = TOO_MANY_CONTACTS
        return
    c = w * MOST_SELF + work.n_self[w]
    work.n_self[w] = work.n_self[w] + 1
    n = (point_a - point_b) / distance
    x = column(work.links[k_a].R, 0)
    t = x - n * wp.dot(n, x)
    if wp.dot(t, t) < type(zero)(1.0e-6):
        z = column(work.links[k_a].R, 2)
        t = z - n * wp.dot(n, z)
    work.selves[c].n = n
    work.selves[c].t = wp.normalize(t)
    work.selves[c].arm_a = point_a - radius_a * n - work.links[k_a].J
    work.selves[c].arm_b = point_b + radius_b * n - work.links[k_b].J
    work.selves[c].link_a = k_a
    work.selves[c].link_b = k_b
    work.selves[c].radius_a = radius_a
    work.selves[c].radius_b = radius_b
    drift_self(c, type(zero)(0.5) * numerics.dt, work)
    work.selves[c].key = i * model.n_links + j + 1
    depth = wp.max(-gap - numerics.slop, zero)
    work.selves[c].target = wp.min(numerics.feedback * depth / numerics.dt, numerics.feedback_speed)
    begin(c, w, model, motion, work)


@wp.func
def begin(c: int, w: int, model: Any, motion: Any, work: Any):
    """Starts from the impulse of the last step, on the right sides of the two links' equations."""
    n = work.selves[c].n
    zero = n[0] - n[0]
    k_a = work.selves[c].link_a
    k_b = work.selves[c].link_b
    R_a = work.links[k_a].R
    R_b = work.links[k_b].R
    arm_a = work.selves[c].arm_a - model.links[k_a].to_mass * column(R_a, 0)
    arm_b = work.selves[c].arm_b - model.links[k_b].to_mass * column(R_b, 0)
    both = mobility(arm_a, n, R_a, model.links[k_a]) + mobility(arm_b, n, R_b, model.links[k_b])
    work.selves[c].alone = type(zero)(1.0) / both
    work.selves[c].P = wp.vector(zero, zero, zero)
    for slot in range(motion.worlds[w].n_self):
        if motion.selves[w * MOST_SELF + slot].self_key == work.selves[c].key:
            work.selves[c].P = motion.selves[w * MOST_SELF + slot].P_self
    add_to_sides(c, push_of(c, work.selves[c].P, work), work)


@wp.func
def push_of(c: int, P: Any, work: Any):
    """An impulse (normal, two tangential) in world axes, on the link nearer to the tail."""
    n = work.selves[c].n
    t = work.selves[c].t
    return P[0] * n + P[1] * t + P[2] * wp.cross(n, t)


@wp.func
def add_to_sides(c: int, push: Any, work: Any):
    """Adds an impulse to the right sides of both links' equations."""
    k_a = work.selves[c].link_a
    k_b = work.selves[c].link_b
    work.links[k_a].f_v = work.links[k_a].f_v + push
    work.links[k_a].f_w = work.links[k_a].f_w + wp.cross(work.selves[c].arm_a, push)
    work.links[k_b].f_v = work.links[k_b].f_v - push
    work.links[k_b].f_w = work.links[k_b].f_w - wp.cross(work.selves[c].arm_b, push)


@wp.func
def count_selves(w: int, motion: Any, work: Any, tally: Any):
    """Adds what the links felt of each other to the tallies and keeps it for the next step."""
    motion.worlds[w].n_self = work.n_self[w]
    for slot in range(work.n_self[w]):
        c = w * MOST_SELF + slot
        P = work.selves[c].P
        push = push_of(c, P, work)
        k_a = work.selves[c].link_a
        k_b = work.selves[c].link_b
        tally.links[k_a].own = tally.links[k_a].own + push
        tally.links[k_b].own = tally.links[k_b].own - push
        motion.selves[c].self_key = work.selves[c].key
        motion.selves[c].P_self = P
