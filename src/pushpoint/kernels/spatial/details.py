"""A step and a sample of the spatial engine with what is recorded on request: works, moments, reactions, contacts.

A kernel of its own runs them, so that a run that does not ask for them costs what it did. An array of no length was not
asked for. Symbols as in the step; work of an impulse is P times the mean of the velocities before and after, which is
exact.
"""

from typing import Any

import warp as wp

from pushpoint.kernels.spatial.algebra.frames import column
from pushpoint.kernels.spatial.field_contacts import PROBES
from pushpoint.kernels.spatial.moments import count_moments
from pushpoint.kernels.spatial.rollout import record_sample
from pushpoint.kernels.spatial.selves.touches import push_of
from pushpoint.kernels.spatial.step import time_step
from pushpoint.kernels.spatial.structs import (
    FEATURES,
    FLAT,
    MOST_AXES,
    MOST_CONTACTS,
    MOST_SELF,
    MOST_SPHERES,
)
from pushpoint.kernels.structs import nth, place


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
        if tally.works.shape[0] > 0:
            for a in range(model.links[k].n_axes):
                q = nth(k, a, MOST_AXES, model)
                tally.rates[q] = motion.joints[q].rate
    time_step(w, at, numerics, model, obstacles, drive, motion, work, tally)
    for i in range(model.n_links):
        k = place(w, i, model)
        if tally.works.shape[0] > 0:
            count_work(k, numerics, model, drive, motion, work, tally)
            count_stops(k, model, motion, work, tally)
        if tally.touches.shape[0] + tally.supported.shape[0] > 0:
            count_touches(w, k, numerics, model, work, tally)
        if tally.reactions.shape[0] > 0:
            count_reactions(k, model, obstacles, work, tally)
    count_self_contacts(w, model, motion, work, tally)
    if tally.moments.shape[0] > 0:
        count_moments(w, numerics, model, drive, motion, work, tally)


@wp.func
def mean_motion(k: int, arm: Any, model: Any, motion: Any, work: Any, tally: Any):
    """Mean velocity in the step of the point of a link at `arm` from J, and mean angular velocity, world axes."""
    R = work.links[k].R
    half = type(model.links[k].mass)(0.5)
    omega = R * (half * (tally.starts[k].omega + motion.links[k].omega))
    v = half * (tally.starts[k].v + motion.links[k].v)
    return v + wp.cross(omega, arm - model.links[k].to_mass * column(R, 0)), omega


@wp.func
def count_work(k: int, numerics: Any, model: Any, drive: Any, motion: Any, work: Any, tally: Any):
    """Adds what friction and normal forces took from a link in the step, and what loads gave it."""
    for slot in range(work.n_contacts[k]):
        c = nth(k, slot, MOST_CONTACTS, model)
        n = work.contacts[c].n
        t = work.contacts[c].t
        u = wp.cross(n, t)
        P = work.contacts[c].P
        S = work.contacts[c].S
        v, omega = mean_motion(k, work.contacts[c].arm, model, motion, work, tally)
        rubbed = wp.dot((S[0] * P[1]) * t + (S[1] * P[2]) * u, v)
        if work.contacts[c].rolling + work.contacts[c].spin > numerics.dt - numerics.dt:
            Q = work.contacts[c].Q
            rubbed += wp.dot(Q[0] * n + Q[1] * t + Q[2] * u, omega)
        tally.works[k].normal_loss = tally.works[k].normal_loss - P[0] * wp.dot(n, v)
        if work.contacts[c].key < FEATURES:
            tally.works[k].ground_rub = tally.works[k].ground_rub - rubbed
        else:
            tally.works[k].obstacle_rub = tally.works[k].obstacle_rub - rubbed
    if drive.loaded == 1:
        lever = model.links[k].to_mass * column(work.links[k].R, 0)
        v, omega = mean_motion(k, lever, model, motion, work, tally)
        given = wp.dot(drive.loads[k].force, v) + wp.dot(drive.loads[k].torque, omega)
        tally.works[k].load_gain = tally.works[k].load_gain + numerics.dt * given


@wp.func
def count_stops(k: int, model: Any, motion: Any, work: Any, tally: Any):
    """Adds what the end stops of the joint in front of the link at k took."""
    for a in range(model.links[k].n_axes):
        q = nth(k, a, MOST_AXES, model)
        if work.joints[q].stopped != 0:
            both = tally.rates[q] + motion.joints[q].rate
            tally.works[k].stop_loss = tally.works[k].stop_loss - type(both)(0.5) * both * work.joints[q].stop_P


@wp.func
def sphere_of(w: int, key: int, model: Any):
    """Which contact sphere of a link a contact with the ground belongs to; none if it is negative."""
    s = int(-1)
    if model.worlds[w].field == FLAT:
        s = key
    elif key < PROBES * MOST_SPHERES:
        s = key / PROBES
    return s


@wp.func
def count_touches(w: int, k: int, numerics: Any, model: Any, work: Any, tally: Any):
    """Counts the contacts of a link that pushed in the step, and adds the normal impulses of the ground."""
    for slot in range(work.n_contacts[k]):
        c = nth(k, slot, MOST_CONTACTS, model)
        P_N = work.contacts[c].P[0]
        if tally.touches.shape[0] > 0 and P_N > numerics.dt - numerics.dt:
            tally.touches[k] = tally.touches[k] + type(P_N)(1.0)
        if tally.supported.shape[0] > 0 and work.contacts[c].key < FEATURES:
            s = sphere_of(w, work.contacts[c].key, model)
            if s >= 0:
                at = nth(k, s, model.most_spheres, model)
                tally.supported[at] = tally.supported[at] + P_N


@wp.func
def count_reactions(k: int, model: Any, obstacles: Any, work: Any, tally: Any):
    """Adds what a link did to the obstacles that it touched."""
    for slot in range(work.n_contacts[k]):
        c = nth(k, slot, MOST_CONTACTS, model)
        key = work.contacts[c].key
        if key >= FEATURES:
            n = work.contacts[c].n
            t = work.contacts[c].t
            P = work.contacts[c].P
            S = work.contacts[c].S
            o = obstacles.obstacles[key / FEATURES - 1].owner
            rub = (S[0] * P[1]) * t + (S[1] * P[2]) * wp.cross(n, t)
            tally.reactions[o].push = tally.reactions[o].push - P[0] * n - rub
            tally.reactions[o].rub = tally.reactions[o].rub - rub


@wp.func
def count_self_contacts(w: int, model: Any, motion: Any, work: Any, tally: Any):
    """Adds what links that touch each other took from each other, and counts them."""
    for slot in range(work.n_self[w]):
        c = w * MOST_SELF + slot
        P = work.selves[c].P
        push = push_of(c, P, work)
        press = P[0] * work.selves[c].n
        for side in range(2):
            sign = type(P[0])(1.0)
            k = work.selves[c].link_a
            arm = work.selves[c].arm_a
            if side == 1:
                sign = -sign
                k = work.selves[c].link_b
                arm = work.selves[c].arm_b
            if tally.works.shape[0] > 0:
                v, _omega = mean_motion(k, arm, model, motion, work, tally)
                tally.works[k].normal_loss = tally.works[k].normal_loss - sign * wp.dot(press, v)
                tally.works[k].own_rub = tally.works[k].own_rub - sign * wp.dot(push - press, v)
            if tally.touches.shape[0] > 0 and P[0] > P[0] - P[0]:
                tally.touches[k] = tally.touches[k] + type(P[0])(1.0)


@wp.func
def detailed_sample(
    w: int, at: int, numerics: Any, model: Any, obstacles: Any, drive: Any, motion: Any, tally: Any, samples: Any
):
    """A sample, with what was asked for on top."""
    s = motion.worlds[w].step / samples.every - samples.first
    record_sample(w, at, numerics, model, obstacles, drive, motion, tally, samples)
    for i in range(model.n_links):
        k = place(w, i, model)
        if tally.works.shape[0] > 0:
            record_works(w, s, i, k, tally, samples)
        if samples.touched.shape[1] > 0:
            samples.touched[w, s, i] = tally.touches[k]
        if samples.moment.shape[1] > 0:
            samples.moment[w, s, i] = tally.moments[k]
        if samples.on_sphere.shape[1] > 0:
            for b in range(model.most_spheres):
                samples.on_sphere[w, s, i * model.most_spheres + b] = tally.supported[
                    nth(k, b, model.most_spheres, model)
                ]
    for o in range(obstacles.owners[w], obstacles.owners[w + 1]):
        if samples.push_on.shape[1] > 0:
            samples.push_on[s, o] = tally.reactions[o].push
        if samples.rub_on.shape[1] > 0:
            samples.rub_on[s, o] = tally.reactions[o].rub


@wp.func
def record_works(w: int, s: int, i: int, k: int, tally: Any, samples: Any):
    """Writes those works of a link that were asked for."""
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
