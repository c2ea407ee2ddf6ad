"""The impulses between links that touch each other, found together under the lines of all other laws.

As in space: what an impulse at one of them does to the velocities at all of them is found by sending it along the
chain, direction by direction; then they are a small dense problem, gamma = gamma_now + coupling (P_next - P), which
sweeps from contact to contact solve.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.laws import interval_projection
from pushpoint.kernels.planar.chain import answer_impulses, keep_columns
from pushpoint.kernels.planar.selves.touches import about_joint, add_to_sides, push_of
from pushpoint.kernels.planar.structs import MOST_SELF
from pushpoint.kernels.safeguard import FULL_NEWTON, PER_RUNG, RUNGS
from pushpoint.kernels.structs import place

ROUNDS = wp.constant(200)
"""Sweeps over the contacts, at most."""
CAREFUL_AT = wp.constant(20)
"""Sweeps after which they are taken with care."""
VERY_CAREFUL_AT = wp.constant(70)
"""Sweeps after which they are taken with more of it."""
EXACT = wp.constant(0.1)
"""Change of a velocity in a sweep at which they end, in units of what a solved step may leave."""
HEAVIEST = wp.constant(1.0e6)
"""How many times heavier than the two links alone a contact may prove to be: prescribed joints leave no freedom."""


@wp.func
def settle_selves(w: int, iterations: int, rho: Any, enough: Any, model: Any, motion: Any, work: Any):
    """Finds the impulses between links and adds what they change to twists and rates.

    Where Newton's method goes round in circles, every second turn of the safeguard lets them give way as softly as
    the lines of all other laws.
    """
    soft = type(rho)(1.0) / type(rho)(HEAVIEST)
    if iterations >= FULL_NEWTON and (iterations - FULL_NEWTON) / (PER_RUNG * RUNGS) % 2 == 1:
        soft = type(rho)(1.0) / rho
    keep_columns(w, model, work)
    couple(w, model, motion, work)
    for slot in range(motion.worlds[w].touching):
        c = w * MOST_SELF + slot
        motion.selves[c].gamma = relative_velocity(c, motion, work)
        motion.selves[c].P_next = motion.selves[c].P
    change = enough
    rounds = int(0)
    while rounds < ROUNDS and change > type(enough)(EXACT) * enough:
        change = sweep_selves(w, soft, careful_at(rounds, enough), model, motion, work)
        rounds += 1
    clear_answers(w, model, work)
    for slot in range(motion.worlds[w].touching):
        c = w * MOST_SELF + slot
        push = push_of(c, motion.selves[c].P_next - motion.selves[c].P, motion)
        put_impulse(c, push, motion, work)
        add_to_sides(c, push, motion, work)
        motion.selves[c].P = motion.selves[c].P_next
    answer_impulses(w, model, work)
    for i in range(model.n_links):
        k = place(w, i, model)
        work.links[k].x = work.links[k].x + work.links[k].answer
        work.joints[k].rate = work.joints[k].rate + work.joints[k].answer


@wp.func
def couple(w: int, model: Any, motion: Any, work: Any):
    """What a unit impulse at each contact, in each of its directions, does to the velocities at all contacts."""
    one = type(model.worlds[w].mass)(1.0)
    for slot in range(motion.worlds[w].touching):
        c = w * MOST_SELF + slot
        for e in range(2):
            clear_answers(w, model, work)
            unit = wp.vector(one - one, one - one)
            unit[e] = one
            put_impulse(c, push_of(c, unit, motion), motion, work)
            answer_impulses(w, model, work)
            for other in range(motion.worlds[w].touching):
                at = w * MOST_SELF + other
                speed = velocity_at(work.links[motion.selves[at].link_a].answer, motion.selves[at].arm_a)
                speed = speed - velocity_at(work.links[motion.selves[at].link_b].answer, motion.selves[at].arm_b)
                gamma = normal_and_across(motion.selves[at].n, speed)
                G = work.coupling[at * MOST_SELF + slot]
                G[0, e] = gamma[0]
                G[1, e] = gamma[1]
                work.coupling[at * MOST_SELF + slot] = G


@wp.func
def clear_answers(w: int, model: Any, work: Any):
    """No impulse on any link."""
    zero = model.worlds[w].mass - model.worlds[w].mass
    for i in range(model.n_links):
        work.links[place(w, i, model)].answer = wp.vector(zero, zero, zero)


@wp.func
def put_impulse(c: int, push: Any, motion: Any, work: Any):
    """An impulse at a contact, on both links, among those to answer."""
    k_a = motion.selves[c].link_a
    k_b = motion.selves[c].link_b
    work.links[k_a].answer = work.links[k_a].answer + about_joint(motion.selves[c].arm_a, push)
    work.links[k_b].answer = work.links[k_b].answer - about_joint(motion.selves[c].arm_b, push)


@wp.func
def velocity_at(x: Any, arm: Any):
    """Velocity of the point of a link at `arm` from J."""
    return wp.vector(x[0] - x[2] * arm[1], x[1] + x[2] * arm[0])


@wp.func
def normal_and_across(n: Any, speed: Any):
    """A velocity along a normal and across it."""
    return wp.vector(wp.dot(n, speed), n[0] * speed[1] - n[1] * speed[0])


@wp.func
def relative_velocity(c: int, motion: Any, work: Any):
    """Velocity of the two links past each other, (normal, tangential), both as they are placed at the midpoint.

    Drift is left out, unlike at obstacles: the normal turns on with the links, which takes back what arms that turn on
    add to it. Links that turn as one body do not near each other.
    """
    speed = velocity_at(work.links[motion.selves[c].link_a].x, motion.selves[c].arm_a)
    speed = speed - velocity_at(work.links[motion.selves[c].link_b].x, motion.selves[c].arm_b)
    return normal_and_across(motion.selves[c].n, speed)


@wp.func
def careful_at(rounds: int, one_like: Any):
    """How much more mobile than it is a contact counts in this sweep, in shares of the two links alone.

    It then follows the others more slowly. Redundant contacts with friction send plain sweeps round in circles.
    """
    careful = one_like - one_like
    if rounds >= CAREFUL_AT:
        careful = type(one_like)(0.01)
    if rounds >= VERY_CAREFUL_AT:
        careful = type(one_like)(0.1)
    return careful


@wp.func
def sweep_selves(w: int, soft: Any, careful: Any, model: Any, motion: Any, work: Any):
    """Solves every contact once, each with what the others push now; returns the largest change of a velocity [m/s]."""
    change = model.worlds[w].mass - model.worlds[w].mass
    for slot in range(motion.worlds[w].touching):
        change = wp.max(change, settle_one(w, slot, soft, careful, model, motion, work))
    return change


@wp.func
def self_projection(c: int, w: int, gamma: Any, model: Any, motion: Any):
    """Signorini and Coulomb between two links, with the masses that they alone oppose."""
    P = motion.selves[c].P
    m = motion.selves[c].alone
    P_N = wp.max(P[0] - m[0] * (gamma[0] - motion.selves[c].target), m[0] - m[0])
    return wp.vector(P_N, interval_projection(P[1] - m[1] * gamma[1], model.worlds[w].self_friction * P_N))


@wp.func
def settle_one(w: int, slot: int, soft: Any, careful: Any, model: Any, motion: Any, work: Any):
    """Solves one contact, all others held, its normal and friction together; returns what it changed [m/s]."""
    c = w * MOST_SELF + slot
    own = work.coupling[c * MOST_SELF + slot]
    one = type(soft)(1.0)
    alone = wp.vector(one / motion.selves[c].alone[0], one / motion.selves[c].alone[1])
    own[0, 0] += (soft + careful) * alone[0]
    own[1, 1] += (soft + careful) * alone[1]
    P = motion.selves[c].P_next
    free = motion.selves[c].gamma - wp.vector(motion.selves[c].target, one - one) - own * P
    free += soft * wp.cw_mul(alone, P - motion.selves[c].P)
    step = one_contact(own, free, model.worlds[w].self_friction, P) - P
    motion.selves[c].P_next = P + step
    for other in range(motion.worlds[w].touching):
        at = w * MOST_SELF + other
        motion.selves[at].gamma = motion.selves[at].gamma + work.coupling[at * MOST_SELF + slot] * step
    return wp.max(wp.abs(own[0, 0] * step[0]), wp.abs(own[1, 1] * step[1]))


@wp.func
def one_contact(own: Any, free: Any, mu: Any, P: Any):
    """Impulse of one contact that moves at own P + free: none, or one that holds, or one that slides.

    Where normal and friction move the links nearly alike, they must be found together. Where several answers are right
    the first of them counts; where none is, the normal alone is solved, then the friction.
    """
    zero = mu - mu
    if free[0] >= zero:
        return wp.vector(zero, zero)
    size = own[0, 0] * own[1, 1] - own[0, 1] * own[1, 0]
    P_N = (own[0, 1] * free[1] - own[1, 1] * free[0]) / size
    P_T = (own[1, 0] * free[0] - own[0, 0] * free[1]) / size
    if P_N > zero and wp.abs(P_T) <= mu * P_N:
        return wp.vector(P_N, P_T)
    for turn in range(2):
        rub = mu * type(mu)(1 - 2 * turn)
        opposed = own[0, 0] + rub * own[0, 1]
        if opposed > zero:
            P_N = -free[0] / opposed
            slip = free[1] + (own[1, 0] + rub * own[1, 1]) * P_N
            if slip * rub <= zero:
                return wp.vector(P_N, rub * P_N)
    P_N = wp.max(-(free[0] + own[0, 1] * P[1]) / own[0, 0], zero)
    return wp.vector(P_N, interval_projection(-(free[1] + own[1, 0] * P_N) / own[1, 1], mu * P_N))


@wp.func
def respond_selves(w: int, model: Any, motion: Any, work: Any):
    """Distance of the impulses between links from their laws at the present twists, as a speed [m/s]."""
    residual = model.worlds[w].mass - model.worlds[w].mass
    for slot in range(motion.worlds[w].touching):
        c = w * MOST_SELF + slot
        error = self_projection(c, w, relative_velocity(c, motion, work), model, motion) - motion.selves[c].P
        error = wp.cw_div(error, motion.selves[c].alone)
        residual = wp.max(residual, wp.max(wp.abs(error[0]), wp.abs(error[1])))
    return residual


@wp.func
def forgo_lead_out(w: int, motion: Any):
    """Leaves overlaps of links as they are in this step."""
    for slot in range(motion.worlds[w].touching):
        c = w * MOST_SELF + slot
        motion.selves[c].target = motion.selves[c].target - motion.selves[c].target
