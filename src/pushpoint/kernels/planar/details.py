"""A step and a sample of the planar engine with what is recorded on request: works, reactions, numbers of contacts.

A kernel of its own runs them, so that a run that does not ask for them costs what it did. An array of no length was not
asked for. Symbols as in the step; work of an impulse is P times the mean of the velocities before and after, which is
exact.
"""

from typing import Any

import warp as wp

from pushpoint.kernels.planar.contacts import point_velocity
from pushpoint.kernels.planar.rollout import record_sample
from pushpoint.kernels.planar.selves.impulses import velocity_at
from pushpoint.kernels.planar.selves.touches import push_of
from pushpoint.kernels.planar.step import time_step
from pushpoint.kernels.planar.structs import FEATURES, MOST_CONTACTS, MOST_SELF
from pushpoint.kernels.structs import nth, place
from pushpoint.kernels.traits import SELVES


@wp.func
def mean_twist(k: int, model: Any, motion: Any, work: Any, tally: Any):
    """Mean twist of a link in the step, at its rear joint."""
    half = type(model.links[k].mass)(0.5)
    e = work.links[k].e
    v = half * (tally.starts[k].v + motion.links[k].v)
    omega = half * (tally.starts[k].omega + motion.links[k].omega)
    swing = omega * model.links[k].to_mass
    return wp.vector(v[0] + swing * e[1], v[1] - swing * e[0], omega)


@wp.func
def count_work(k: int, numerics: Any, model: Any, drive: Any, motion: Any, work: Any, tally: Any):
    """Adds what friction and normal forces took from a link in the step, and what loads gave it."""
    x = mean_twist(k, model, motion, work, tally)
    rubbed = work.links[k].spin_P * x[2]
    for p in range(model.links[k].n_points):
        at = nth(k, p, model.most_points, model)
        P = wp.cw_mul(work.points[at].S, work.points[at].z)
        rubbed += wp.dot(P, point_velocity(work.points[at].d, model.points[at].arm, x))
    tally.works[k].ground_rub = tally.works[k].ground_rub - rubbed
    for slot in range(work.n_contacts[k]):
        at = nth(k, slot, MOST_CONTACTS, model)
        P = work.contacts[at].P
        tally.works[k].normal_loss = tally.works[k].normal_loss - P[0] * wp.dot(work.contacts[at].W_N, x)
        tally.works[k].obstacle_rub = tally.works[k].obstacle_rub - P[1] * wp.dot(work.contacts[at].W_T, x)
    if drive.loaded == 1:
        load = drive.loads[k] * numerics.dt
        v = type(x[2])(0.5) * (tally.starts[k].v + motion.links[k].v)
        given = load[0] * v[0] + load[1] * v[1] + load[2] * x[2]
        tally.works[k].load_gain = tally.works[k].load_gain + given


@wp.func
def count_reactions(k: int, model: Any, work: Any, tally: Any):
    """Adds what a link did to the obstacles that it touched."""
    for slot in range(work.n_contacts[k]):
        at = nth(k, slot, MOST_CONTACTS, model)
        P = work.contacts[at].P
        W_N = work.contacts[at].W_N
        W_T = work.contacts[at].W_T
        o = work.contacts[at].key / FEATURES
        rub = P[1] * wp.vector(W_T[0], W_T[1])
        tally.reactions[o].push = tally.reactions[o].push - P[0] * wp.vector(W_N[0], W_N[1]) - rub
        tally.reactions[o].rub = tally.reactions[o].rub - rub


@wp.func
def count_self_contacts(w: int, model: Any, motion: Any, work: Any, tally: Any):
    """Adds what links that touch each other took from each other, and counts them."""
    for slot in range(motion.worlds[w].touching):
        c = w * MOST_SELF + slot
        P = motion.selves[c].P
        push = push_of(c, P, motion)
        press = P[0] * motion.selves[c].n
        for side in range(2):
            sign = type(P[0])(1.0)
            k = motion.selves[c].link_a
            arm = motion.selves[c].arm_a
            if side == 1:
                sign = -sign
                k = motion.selves[c].link_b
                arm = motion.selves[c].arm_b
            if tally.works.shape[0] > 0:
                v = velocity_at(mean_twist(k, model, motion, work, tally), arm)
                tally.works[k].normal_loss = tally.works[k].normal_loss - sign * wp.dot(press, v)
                tally.works[k].own_rub = tally.works[k].own_rub - sign * wp.dot(push - press, v)
            if tally.touches.shape[0] > 0 and P[0] > P[0] - P[0]:
                tally.touches[k] = tally.touches[k] + type(P[0])(1.0)


@wp.func
def count_stop(k: int, front: int, motion: Any, work: Any, tally: Any):
    """Adds what an end stop of the joint in front of the link at k took."""
    if work.joints[k].stopped != 0:
        before = tally.starts[front].omega - tally.starts[k].omega
        after = motion.links[front].omega - motion.links[k].omega
        lost = type(before)(-0.5) * (before + after) * work.joints[k].stop_P
        tally.works[k].stop_loss = tally.works[k].stop_loss + lost


@wp.func
def detailed_sample(
    w: int, at: int, numerics: Any, model: Any, obstacles: Any, drive: Any, motion: Any, tally: Any, samples: Any
):
    """A sample, with what was asked for on top."""
    s = motion.worlds[w].step / samples.every - samples.first
    record_sample(w, at, numerics, model, obstacles, drive, motion, tally, samples)
    for i in range(model.n_links):
        k = place(w, i, model)
        if samples.ground_rub.shape[1] > 0:
            samples.ground_rub[w, s, i] = tally.works[k].ground_rub
        if samples.obstacle_rub.shape[1] > 0:
            samples.obstacle_rub[w, s, i] = tally.works[k].obstacle_rub
        if samples.own_rub.shape[1] > 0:
            samples.own_rub[w, s, i] = tally.works[k].own_rub
        if samples.normal_loss.shape[1] > 0:
            samples.normal_loss[w, s, i] = tally.works[k].normal_loss
        if samples.stop_loss.shape[1] > 0:
            samples.stop_loss[w, s, i] = tally.works[k].stop_loss
        if samples.load_gain.shape[1] > 0:
            samples.load_gain[w, s, i] = tally.works[k].load_gain
        if samples.touched.shape[1] > 0:
            samples.touched[w, s, i] = tally.touches[k]
    for o in range(obstacles.grids[w].first, obstacles.grids[w].last):
        if samples.push_on.shape[1] > 0:
            samples.push_on[s, o] = tally.reactions[o].push
        if samples.rub_on.shape[1] > 0:
            samples.rub_on[s, o] = tally.reactions[o].rub


@wp.func
def detailed_step(
    w: int, at: int, numerics: Any, model: Any, obstacles: Any, drive: Any, motion: Any, work: Any, tally: Any
):
    """A time step, and what it did in detail."""
    for i in range(model.n_links):
        k = place(w, i, model)
        if tally.starts.shape[0] > 0:
            tally.starts[k].v = motion.links[k].v
            tally.starts[k].omega = motion.links[k].omega
    time_step(w, at, numerics, model, obstacles, drive, motion, work, tally)
    for i in range(model.n_links):
        k = place(w, i, model)
        if tally.works.shape[0] > 0:
            count_work(k, numerics, model, drive, motion, work, tally)
        if tally.touches.shape[0] > 0:
            for slot in range(work.n_contacts[k]):
                if work.contacts[nth(k, slot, MOST_CONTACTS, model)].P[0] > numerics.dt - numerics.dt:
                    tally.touches[k] = tally.touches[k] + type(numerics.dt)(1.0)
        if tally.reactions.shape[0] > 0:
            count_reactions(k, model, work, tally)
    if SELVES:
        count_self_contacts(w, model, motion, work, tally)
    if tally.works.shape[0] > 0:
        for i in range(model.n_links - 1):
            count_stop(place(w, i, model), place(w, i + 1, model), motion, work, tally)
