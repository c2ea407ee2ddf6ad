"""Moments that joints transmit: what the links in front of a joint need beyond the forces on them.

Symbols: F impulse and M angular impulse of the link behind on the link in front, at the rear joint J of the latter.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.spatial.algebra.frames import column
from pushpoint.kernels.spatial.selves.touches import push_of
from pushpoint.kernels.spatial.structs import MOST_CONTACTS, MOST_SELF
from pushpoint.kernels.structs import nth, place


@wp.func
def count_moments(w: int, numerics: Any, model: Any, drive: Any, motion: Any, work: Any, tally: Any):
    """Newton and Euler, link by link from the head, at the midpoint; adds the moment at each joint to the tallies."""
    zero = numerics.dt - numerics.dt
    F = wp.vector(zero, zero, zero)
    M = F
    J_before = F
    for from_head in range(model.n_links - 1):
        i = model.n_links - 1 - from_head
        k = place(w, i, model)
        J = work.links[k].J
        need, turn = needed_by(w, k, numerics, model, drive, motion, work, tally)
        M += turn + wp.cross(J_before - J, F)
        F += need
        J_before = J
        behind = place(w, i - 1, model)
        tally.moments[behind] = tally.moments[behind] + M


@wp.func
def needed_by(w: int, k: int, numerics: Any, model: Any, drive: Any, motion: Any, work: Any, tally: Any):
    """Impulse, and angular impulse about its rear joint, that a link needs from its neighbours in the step."""
    R = work.links[k].R
    c = model.links[k].to_mass * column(R, 0)
    m = model.links[k].mass
    before = tally.starts[k].omega
    after = motion.links[k].omega
    middle = type(m)(0.5) * (before + after)
    gyro = wp.cross(middle, wp.cw_mul(model.links[k].inertia, middle))
    F = m * (motion.links[k].v - tally.starts[k].v)
    F[2] += numerics.dt * m * model.worlds[w].gravity
    M = R * (wp.cw_mul(model.links[k].inertia, after - before) + numerics.dt * gyro)
    if drive.loaded == 1:
        F -= numerics.dt * drive.loads[k].force
        M -= numerics.dt * drive.loads[k].torque
    M += wp.cross(c, F)
    for slot in range(work.n_contacts[k]):
        at = nth(k, slot, MOST_CONTACTS, model)
        n = work.contacts[at].n
        t = work.contacts[at].t
        u = wp.cross(n, t)
        P = work.contacts[at].P
        S = work.contacts[at].S
        push = P[0] * n + (S[0] * P[1]) * t + (S[1] * P[2]) * u
        F -= push
        M -= wp.cross(work.contacts[at].arm, push)
        if work.contacts[at].rolling + work.contacts[at].spin > m - m:
            Q = work.contacts[at].Q
            M -= Q[0] * n + Q[1] * t + Q[2] * u
    for slot in range(work.n_self[w]):
        at = w * MOST_SELF + slot
        push = push_of(at, work.selves[at].P, work)
        if work.selves[at].link_a == k:
            F -= push
            M -= wp.cross(work.selves[at].arm_a, push)
        if work.selves[at].link_b == k:
            F += push
            M += wp.cross(work.selves[at].arm_b, push)
    return F, M
