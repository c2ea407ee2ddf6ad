"""Where links meet pegs: gaps of capsules and circles, and the short list of pegs around each link.

Symbols: H centre of a peg, Q nearest point of the capsule's axis, s its distance from J along the link, n unit
vector from H to Q, gap surface distance.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.structs import MOST_CONTACTS, MOST_NEAR, SUNK_IN, TOO_MANY_CONTACTS, TOO_MANY_NEAR


@wp.func
def axis_point(J: Any, e: Any, H: Any, link: Any):
    """Distance from J along the link to the point of the straight axis nearest to H."""
    return wp.clamp(wp.dot(H - J, e), link.side_rear, link.side_front)


@wp.func
def normal_and_gap(Q: Any, H: Any, e: Any, radii: Any):
    """Direction from the peg to the link and the distance of the surfaces, Transeth2008a (9), (10)."""
    away = Q - H
    distance = wp.length(away)
    n = wp.vector(-e[1], e[0])
    if distance > type(radii)(0.0):
        n = away / distance
    return n, distance - radii


@wp.func
def first_cell(low: Any):
    """Cell number of a coordinate in cells, not below zero."""
    return int(wp.floor(wp.max(low, type(low)(0.0))))


@wp.func
def last_cell(high: Any, cells: int):
    """Cell number of a coordinate in cells, not beyond the last; -1 below the first."""
    return int(wp.floor(wp.clamp(high, type(high)(-1.0), type(high)(cells - 1))))


@wp.func
def list_neighbours(w: int, k: int, J: Any, e: Any, numerics: Any, link: Any, pegs: Any, motion: Any):
    """Collects the pegs within the margin of the link at k from the grid, in ascending order."""
    grid = pegs.grids[w]
    rear = J + link.side_rear * e
    front = J + link.side_front * e
    reach = link.radius + grid.reach + numerics.near_margin
    low = (wp.min(rear, front) - wp.vector(reach, reach) - grid.origin) / grid.cell
    high = (wp.max(rear, front) + wp.vector(reach, reach) - grid.origin) / grid.cell
    count = int(0)
    for row in range(first_cell(low[1]), last_cell(high[1], grid.rows) + 1):
        for column in range(first_cell(low[0]), last_cell(high[0], grid.columns) + 1):
            cell = grid.first_cell + row * grid.columns + column
            for entry in range(pegs.cell_start[cell], pegs.cell_start[cell + 1]):
                p = pegs.cell_peg[entry]
                H = pegs.pegs[p].center
                Q = J + axis_point(J, e, H, link) * e
                if wp.length(Q - H) - pegs.pegs[p].radius - link.radius <= numerics.near_margin:
                    if count == MOST_NEAR:
                        motion.worlds[w].status = TOO_MANY_NEAR
                    else:
                        insert_sorted(k * MOST_NEAR, count, p, motion)
                        count += 1
    motion.links[k].n_near = count
    motion.links[k].near_slack = numerics.near_margin - numerics.active_gap


@wp.func
def insert_sorted(first: int, count: int, p: int, motion: Any):
    """Puts peg p into its place among the first `count` entries of a list: contacts then keep one order for ever."""
    slot = int(count)
    while slot > 0 and motion.near[first + slot - 1] > p:
        motion.near[first + slot] = motion.near[first + slot - 1]
        slot -= 1
    motion.near[first + slot] = p


@wp.func
def previous_impulse(k: int, p: int, motion: Any, zero: Any):
    """Impulse that peg p gave the link at k in the last step; zero if they did not touch."""
    found = wp.vector(zero, zero)
    for c in range(motion.links[k].n_contacts):
        if motion.contacts[k * MOST_CONTACTS + c].contact_peg == p:
            found = motion.contacts[k * MOST_CONTACTS + c].P_contact
    return found


@wp.func
def contact_target(gap: Any, gamma_N: Any, restitution: Any, numerics: Any):
    """Normal velocity that a closed contact aims at: rebound after an impact, else a slow way out of penetration."""
    if gamma_N < -numerics.impact_speed:
        return -restitution * gamma_N
    depth = wp.max(-gap - numerics.slop, type(gap)(0.0))
    return wp.min(numerics.feedback * depth / numerics.dt, numerics.feedback_speed)


@wp.func
def touch(w: int, k: int, J: Any, e: Any, x: Any, numerics: Any, link: Any, pegs: Any, motion: Any, work: Any):
    """Contacts of the link at k at the midpoint, Transeth2008a (39); returns its deepest penetration [m]."""
    deepest = type(numerics.dt)(0.0)
    count = int(0)
    for entry in range(motion.links[k].n_near):
        p = motion.near[k * MOST_NEAR + entry]
        H = pegs.pegs[p].center
        s = axis_point(J, e, H, link)
        n, gap = normal_and_gap(J + s * e, H, e, pegs.pegs[p].radius + link.radius)
        if gap <= numerics.active_gap:
            if count == MOST_CONTACTS:
                motion.worlds[w].status = TOO_MANY_CONTACTS
            else:
                open_contact(k, count, p, s, n, gap, e, x, numerics, link, pegs, motion, work)
                count += 1
            deepest = wp.max(deepest, -gap)
            if -gap > wp.min(pegs.pegs[p].radius, link.radius):
                motion.worlds[w].status = SUNK_IN
    work.n_contacts[k] = count
    return deepest


@wp.func
def open_contact(
    k: int, c: int, p: int, s: Any, n: Any, gap: Any, e: Any, x: Any,
    numerics: Any, link: Any, pegs: Any, motion: Any, work: Any,
):  # fmt: skip
    """Fills contact slot c of a link with peg p: force directions (14), (16), augmentation, target, last impulse."""
    one = type(s)(1.0)
    t = wp.vector(-n[1], n[0])
    e_cross_n = e[0] * n[1] - e[1] * n[0]
    e_cross_t = e[0] * t[1] - e[1] * t[0]
    # The normal acts through the axis point, friction on the surface, one radius nearer to the peg.
    swing_N = (s - link.to_mass) * e_cross_n
    swing_T = (s - link.to_mass) * e_cross_t - link.radius
    W_N = wp.vector(n[0], n[1], s * e_cross_n)
    P = previous_impulse(k, p, motion, one - one)
    at = k * MOST_CONTACTS + c
    work.contacts[at].peg = p
    work.contacts[at].mu = pegs.pegs[p].friction
    work.contacts[at].W_N = W_N
    work.contacts[at].W_T = wp.vector(t[0], t[1], s * e_cross_t - link.radius)
    work.contacts[at].r = wp.vector(
        one / (one / link.mass + swing_N * swing_N / link.inertia),
        one / (one / link.mass + swing_T * swing_T / link.inertia),
    )
    work.contacts[at].target = contact_target(gap, wp.dot(W_N, x), pegs.pegs[p].restitution, numerics)
    work.contacts[at].P = P
