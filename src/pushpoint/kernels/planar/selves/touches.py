"""Links two or more apart that touch each other: where, and what is kept of it. Neighbours overlap and never touch.

In the plane two capsules touch where an end of one is nearest to the axis of the other; side by side, in two places.
`impulses` solves for the impulses P = (normal, tangential), which act on both links, equal and opposite.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.planar.geometry import axis_point
from pushpoint.kernels.planar.structs import MOST_SELF, SELF_FEATURES
from pushpoint.kernels.planar.touching import push_out
from pushpoint.kernels.structs import TOO_MANY_CONTACTS, place


@wp.func
def find_self_contacts(w: int, numerics: Any, model: Any, motion: Any, work: Any):
    """Pairs of links that touch at the midpoint."""
    if model.worlds[w].self_contact == 0:
        return
    motion.worlds[w].touching = 0
    half = type(numerics.dt)(0.5)
    for i in range(model.n_links - 2):
        k_a = place(w, i, model)
        a = model.links[k_a]
        middle_a = work.links[k_a].J + (half * (a.side_rear + a.side_front)) * work.links[k_a].e
        for j in range(i + 2, model.n_links):
            k_b = place(w, j, model)
            b = model.links[k_b]
            middle_b = work.links[k_b].J + (half * (b.side_rear + b.side_front)) * work.links[k_b].e
            reach = half * (a.side_front - a.side_rear + b.side_front - b.side_rear)
            reach += a.radius + b.radius + numerics.active_gap
            between = middle_a - middle_b
            if wp.dot(between, between) < reach * reach:
                meet(w, i, j, numerics, model, motion, work)


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
    # The one link between them keeps its two joints apart: ends there cannot come any nearer.
    if j > i + 2 or s > b.side_rear:
        keep_self(w, key + 1, k_a, a.side_front, k_b, s, numerics, model, motion, work)
    s = wp.dot(J_b + b.side_rear * e_b - J_a, e_a)
    if s > a.side_rear and s < a.side_front:
        keep_self(w, key + 2, k_a, s, k_b, b.side_rear, numerics, model, motion, work)
    s = wp.dot(J_b + b.side_front * e_b - J_a, e_a)
    if s > a.side_rear and s < a.side_front:
        keep_self(w, key + 3, k_a, s, k_b, b.side_front, numerics, model, motion, work)


@wp.func
def keep_self(
    w: int, key: int, k_a: int, s_a: Any, k_b: int, s_b: Any, numerics: Any, model: Any, motion: Any, work: Any
):
    """Takes up the contact of two links, through points of their axes, if its gap is closed."""
    Q_a = work.links[k_a].J + s_a * work.links[k_a].e
    Q_b = work.links[k_b].J + s_b * work.links[k_b].e
    distance = wp.length(Q_a - Q_b)
    gap = distance - model.links[k_a].radius - model.links[k_b].radius
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
    middle = Q_b + (model.links[k_b].radius + type(gap)(0.5) * gap) * n
    motion.selves[c].n = n
    motion.selves[c].arm_a = middle - work.links[k_a].J
    motion.selves[c].arm_b = middle - work.links[k_b].J
    motion.selves[c].to_axis_a = s_a
    motion.selves[c].to_axis_b = s_b
    motion.selves[c].link_a = k_a
    motion.selves[c].link_b = k_b
    motion.selves[c].key = key
    motion.selves[c].target = push_out(gap, numerics)
    begin_self(c, w, model, motion, work)


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
def drift_selves(w: int, motion: Any, work: Any):
    """Sets what the drift adds to the velocities of links that touch each other."""
    for slot in range(motion.worlds[w].touching):
        c = w * MOST_SELF + slot
        n = motion.selves[c].n
        there = drift_on_axis(motion.selves[c].link_a, motion.selves[c].to_axis_a, work)
        there = there - drift_on_axis(motion.selves[c].link_b, motion.selves[c].to_axis_b, work)
        motion.selves[c].drift = wp.vector(wp.dot(n, there), n[0] * there[1] - n[1] * there[0])


@wp.func
def drift_on_axis(k: int, s: Any, work: Any):
    """Drift of the point of a link's axis at the distance s from J."""
    return work.links[k].drift - (work.links[k].inward * s) * work.links[k].e


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
