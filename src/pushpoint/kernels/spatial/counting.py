"""What a link and a joint felt in a step: added to the tallies, and kept for the next one."""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.motors import motor_impulse
from pushpoint.kernels.spatial.algebra.frames import column
from pushpoint.kernels.spatial.algebra.normals import in_world, left_of
from pushpoint.kernels.spatial.structs import FEATURES, MOST_CONTACTS
from pushpoint.kernels.structs import nth
from pushpoint.kernels.traits import LIMITS, OBSTACLES


@wp.func
def count_contacts(k: int, model: Any, obstacles: Any, motion: Any, work: Any, tally: Any):
    """Adds what a link felt to the tallies and keeps its contacts for the next step; returns the impulses' sum."""
    left = column(work.links[k].R, 1)
    total = left - left
    pushed = total  # by the ground
    motion.links[k].n_contacts = work.n_contacts[k]
    for slot in range(work.n_contacts[k]):
        c = nth(k, slot, MOST_CONTACTS, model)
        n = work.contacts[c].n
        t = work.contacts[c].t
        P = work.contacts[c].P
        S = work.contacts[c].S
        push = in_world(n, t, left_of(n, t), wp.vector(P[0], S[0] * P[1], S[1] * P[2]))
        key = work.contacts[c].key
        total += push
        on_ground = int(1)
        if OBSTACLES:
            if key >= FEATURES:
                on_ground = 0
                tally.links[k].obstacle = tally.links[k].obstacle + push
                tally.links[k].side = tally.links[k].side + wp.dot(left, push)
                owner = obstacles.obstacles[key / FEATURES - 1].owner
                tally.obstacles[owner] = tally.obstacles[owner] + P[0]
        if on_ground == 1:
            pushed += push
        motion.contacts[c].contact_key = key
        motion.contacts[c].P_contact = work.contacts[c].P_next
        motion.contacts[c].Q_contact = work.contacts[c].Q_next
    if work.n_contacts[k] > 0:
        tally.links[k].ground = tally.links[k].ground + pushed
    return total


@wp.func
def end_joint(q: int, half_dt: Any, drive: Any, motion: Any, work: Any, tally: Any):
    """Angle and rate of an axis at the end of the step, and what its motor did."""
    turn = motor_impulse(q, drive, work)
    rate = work.joints[q].rate
    mean_rate = type(turn)(0.5) * (motion.joints[q].rate + rate)
    work.joints[q].P = turn
    if LIMITS:
        motion.joints[q].P_stop = work.joints[q].stop_next
    motion.joints[q].rate = rate
    motion.joints[q].angle = motion.joints[q].angle + half_dt * rate
    tally.joints[q].motor = tally.joints[q].motor + turn
    tally.joints[q].motor_work = tally.joints[q].motor_work + turn * mean_rate
