"""The impulses between links that touch each other, found together under the lines of all other laws.

A contact of two links couples equations that are far apart in the chain. What an impulse at one of them does to the
velocities at all of them is found by sending it along the chain, direction by direction; then they are a small dense
problem, gamma = gamma_now + coupling (P_next - P), which sweeps from contact to contact solve.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.laws import disc_projection
from pushpoint.kernels.motors import respond_joint
from pushpoint.kernels.spatial.chain import answer_impulses
from pushpoint.kernels.spatial.contacts import respond_link
from pushpoint.kernels.spatial.foresight import drift_off
from pushpoint.kernels.spatial.selves.touches import add_to_sides, push_of
from pushpoint.kernels.spatial.structs import MOST_AXES, MOST_SELF
from pushpoint.kernels.structs import nth, place

ROUNDS = wp.constant(100)
"""Sweeps over the contacts, at most."""
EXACT = wp.constant(0.1)
"""Change of a velocity in a sweep at which they end, in units of what a solved step may leave."""
GROWN = wp.constant(10.0)
"""Sweeps whose change grows so many times larger than that of the first one lead nowhere."""
HEAVIEST = wp.constant(1.0e6)
"""How many times heavier than the two links alone a contact may prove to be: prescribed joints leave no freedom."""


@wp.func
def settle_selves(w: int, enough: Any, model: Any, work: Any):
    """Finds the impulses between links and adds what they change to twists and rates."""
    couple(w, model, work)
    for slot in range(work.n_self[w]):
        c = w * MOST_SELF + slot
        work.selves[c].gamma = relative_velocity(c, work)
        work.selves[c].P_next = work.selves[c].P
    change = sweep_selves(w, model, work)
    most = type(enough)(GROWN) * change
    rounds = int(1)
    while rounds < ROUNDS and change > type(enough)(EXACT) * enough and change <= most:
        change = sweep_selves(w, model, work)
        rounds += 1
    if not change <= most:
        # Under the lines of sliding links an impulse may draw a contact nearer. A careful step instead.
        for slot in range(work.n_self[w]):
            c = w * MOST_SELF + slot
            work.selves[c].P_next = self_projection(c, w, relative_velocity(c, work), model, work)
    clear_answers(w, model, work)
    for slot in range(work.n_self[w]):
        c = w * MOST_SELF + slot
        push = push_of(c, work.selves[c].P_next - work.selves[c].P, work)
        put_impulse(c, push, work)
        add_to_sides(c, push, work)
        work.selves[c].P = work.selves[c].P_next
    answer_impulses(w, model, work)
    for i in range(model.n_links):
        k = place(w, i, model)
        work.links[k].v = work.links[k].v + work.answers[k].v
        work.links[k].w = work.links[k].w + work.answers[k].w
        for a in range(model.links[k].n_axes):
            q = nth(k, a, MOST_AXES, model)
            work.joints[q].rate = work.joints[q].rate + work.pivots[q].rate


@wp.func
def couple(w: int, model: Any, work: Any):
    """What a unit impulse at each contact, in each of its directions, does to the velocities at all contacts."""
    one = type(model.worlds[w].mass)(1.0)
    for slot in range(work.n_self[w]):
        c = w * MOST_SELF + slot
        for e in range(3):
            clear_answers(w, model, work)
            unit = wp.vector(one - one, one - one, one - one)
            unit[e] = one
            put_impulse(c, push_of(c, unit, work), work)
            answer_impulses(w, model, work)
            for other in range(work.n_self[w]):
                at = w * MOST_SELF + other
                k_a = work.selves[at].link_a
                k_b = work.selves[at].link_b
                speed = work.answers[k_a].v + wp.cross(work.answers[k_a].w, work.selves[at].arm_a)
                speed = speed - work.answers[k_b].v - wp.cross(work.answers[k_b].w, work.selves[at].arm_b)
                n = work.selves[at].n
                t = work.selves[at].t
                G = work.coupling[at * MOST_SELF + slot]
                G[0, e] = wp.dot(n, speed)
                G[1, e] = wp.dot(t, speed)
                G[2, e] = wp.dot(wp.cross(n, t), speed)
                work.coupling[at * MOST_SELF + slot] = G


@wp.func
def clear_answers(w: int, model: Any, work: Any):
    """No impulse on any link."""
    zero = model.worlds[w].mass - model.worlds[w].mass
    for i in range(model.n_links):
        work.answers[place(w, i, model)].v = wp.vector(zero, zero, zero)
        work.answers[place(w, i, model)].w = wp.vector(zero, zero, zero)


@wp.func
def put_impulse(c: int, push: Any, work: Any):
    """An impulse at a contact, on both links, among those to answer."""
    k_a = work.selves[c].link_a
    k_b = work.selves[c].link_b
    work.answers[k_a].v = work.answers[k_a].v + push
    work.answers[k_a].w = work.answers[k_a].w + wp.cross(work.selves[c].arm_a, push)
    work.answers[k_b].v = work.answers[k_b].v - push
    work.answers[k_b].w = work.answers[k_b].w - wp.cross(work.selves[c].arm_b, push)


@wp.func
def relative_velocity(c: int, work: Any):
    """Velocity of the two surface points past each other, (normal, two tangential)."""
    n = work.selves[c].n
    t = work.selves[c].t
    k_a = work.selves[c].link_a
    k_b = work.selves[c].link_b
    slip = work.links[k_a].v + wp.cross(work.links[k_a].w, work.selves[c].arm_a)
    slip = slip - work.links[k_b].v - wp.cross(work.links[k_b].w, work.selves[c].arm_b)
    return wp.vector(wp.dot(n, slip), wp.dot(t, slip), wp.dot(wp.cross(n, t), slip)) + work.selves[c].drift


@wp.func
def sweep_selves(w: int, model: Any, work: Any):
    """Solves every contact once, each with what the others push now; returns the largest change of a velocity [m/s]."""
    change = model.worlds[w].mass - model.worlds[w].mass
    for slot in range(work.n_self[w]):
        change = wp.max(change, settle_one(w, slot, model, work))
    return change


@wp.func
def self_projection(c: int, w: int, gamma: Any, model: Any, work: Any):
    """Signorini and Coulomb between two links, with the mass that they alone oppose."""
    P = work.selves[c].P
    m = work.selves[c].alone
    P_N = wp.max(P[0] - m * (gamma[0] - work.selves[c].target), m - m)
    rub = wp.vector(P[1] - m * gamma[1], P[2] - m * gamma[2])
    rub = disc_projection(rub, model.worlds[w].self_friction * P_N)
    return wp.vector(P_N, rub[0], rub[1])


@wp.func
def settle_one(w: int, slot: int, model: Any, work: Any):
    """Solves one contact, all others held, first its normal, then its friction; returns what it changed [m/s]."""
    c = w * MOST_SELF + slot
    own = work.coupling[c * MOST_SELF + slot]
    zero = own[0, 0] - own[0, 0]
    one = type(zero)(1.0)
    least = one / (type(zero)(HEAVIEST) * work.selves[c].alone)
    P = work.selves[c].P_next
    gamma = work.selves[c].gamma
    mobile = wp.max(own[0, 0], least)
    P_N = wp.max(P[0] - (gamma[0] - work.selves[c].target) / mobile, zero)
    more = P_N - P[0]
    change = wp.abs(more) * mobile
    mobile = wp.max(wp.max(own[1, 1], own[2, 2]) + wp.abs(own[1, 2]), least)
    y = wp.vector(P[1] - (gamma[1] + own[1, 0] * more) / mobile, P[2] - (gamma[2] + own[2, 0] * more) / mobile)
    rub = disc_projection(y, model.worlds[w].self_friction * P_N)
    step = wp.vector(more, rub[0] - P[1], rub[1] - P[2])
    change = wp.max(change, wp.max(wp.abs(step[1]), wp.abs(step[2])) * mobile)
    work.selves[c].P_next = P + step
    for other in range(work.n_self[w]):
        at = w * MOST_SELF + other
        work.selves[at].gamma = work.selves[at].gamma + work.coupling[at * MOST_SELF + slot] * step
    return change


@wp.func
def respond_selves(w: int, model: Any, work: Any):
    """Distance of the impulses between links from their laws at the present twists, as a speed [m/s]."""
    residual = model.worlds[w].mass - model.worlds[w].mass
    for slot in range(work.n_self[w]):
        c = w * MOST_SELF + slot
        error = self_projection(c, w, relative_velocity(c, work), model, work) - work.selves[c].P
        error = error / work.selves[c].alone
        residual = wp.max(residual, wp.max(wp.abs(error[0]), wp.length(wp.vector(error[1], error[2]))))
    return residual


@wp.func
def forgo_lead_out(w: int, work: Any):
    """Leaves overlaps of links as they are in this step."""
    for slot in range(work.n_self[w]):
        c = w * MOST_SELF + slot
        work.selves[c].target = work.selves[c].target - work.selves[c].target


@wp.func
def hear_laws(w: int, mode: int, numerics: Any, model: Any, drive: Any, work: Any):
    """What all laws say to velocities that links pushing each other have changed; returns as `solve_velocities`."""
    residual = respond_selves(w, model, work)
    off = residual - residual
    fastest = off
    for i in range(model.n_links):
        k = place(w, i, model)
        omega = work.links[k].w
        off = wp.max(off, drift_off(k, omega, numerics.dt, model, work))
        fastest = wp.max(fastest, wp.dot(omega, omega))
        residual = wp.max(residual, respond_link(k, mode, work.links[k].v, work.links[k].w, numerics, model, work))
        for a in range(model.links[k].n_axes):
            length = model.links[place(w, i + 1, model)].length
            residual = wp.max(residual, respond_joint(nth(k, a, MOST_AXES, model), length, numerics, drive, work))
    return residual, off, fastest
