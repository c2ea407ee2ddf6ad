"""Where links meet pegs: gaps of capsules and circles, and the short list of pegs around each link.

Symbols: H centre of a peg, Q nearest point of the capsule's axis, n unit vector from H to Q, gap surface distance.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.structs import MOST_CONTACTS, MOST_NEAR, SUNK_IN, TOO_MANY_CONTACTS, TOO_MANY_NEAR


@wp.func
def axis_point(w: int, i: int, J: Any, e: Any, H: Any, chain: Any):
    """Distance from J along the link to the point of the straight axis nearest to H."""
    return wp.clamp(wp.dot(H - J, e), chain.side_rear[w, i], chain.side_front[w, i])


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
def list_neighbours(w: int, i: int, J: Any, e: Any, numerics: Any, chain: Any, pegs: Any, motion: Any):
    """Collects the pegs within the margin of link i from the grid, in ascending order."""
    zero = type(numerics.near_margin)(0.0)
    half = type(zero)(0.5)
    cell = pegs.cell[w]
    rear = J + chain.side_rear[w, i] * e
    front = J + chain.side_front[w, i] * e
    reach = chain.radius[w, i] + pegs.reach[w] + numerics.near_margin
    low = (wp.min(rear, front) - wp.vector(reach, reach) - pegs.origin[w]) / cell
    high = (wp.max(rear, front) + wp.vector(reach, reach) - pegs.origin[w]) / cell
    columns = pegs.columns[w]
    rows = pegs.rows[w]
    last_column = wp.min(int(wp.floor(wp.min(high[0], type(zero)(columns)))), columns - 1)
    last_row = wp.min(int(wp.floor(wp.min(high[1], type(zero)(rows)))), rows - 1)
    first_column = wp.max(int(wp.floor(wp.max(low[0], zero - half))), 0)
    first_row = wp.max(int(wp.floor(wp.max(low[1], zero - half))), 0)
    count = int(0)
    overflow = int(0)
    for row in range(first_row, last_row + 1):
        for column in range(first_column, last_column + 1):
            at = pegs.first_cell[w] + row * columns + column
            for entry in range(pegs.cell_start[at], pegs.cell_start[at + 1]):
                k = pegs.cell_peg[entry]
                H = pegs.center[k]
                Q = J + axis_point(w, i, J, e, H, chain) * e
                if wp.length(Q - H) - pegs.radius[k] - chain.radius[w, i] <= numerics.near_margin:
                    if count == MOST_NEAR:
                        overflow = 1
                    else:
                        slot = int(count)
                        while slot > 0 and motion.near[w, i, slot - 1] > k:
                            motion.near[w, i, slot] = motion.near[w, i, slot - 1]
                            slot -= 1
                        motion.near[w, i, slot] = k
                        count += 1
    motion.n_near[w, i] = count
    motion.near_slack[w, i] = numerics.near_margin - numerics.active_gap
    if overflow == 1:
        motion.status[w] = TOO_MANY_NEAR


@wp.func
def previous_impulse(w: int, i: int, k: int, motion: Any):
    """Impulse that peg k gave link i in the last step; zero if they did not touch."""
    found = motion.P_contact[w, i, 0] * type(motion.near_slack[w, i])(0.0)
    for c in range(motion.n_contacts[w, i]):
        if motion.contact_peg[w, i, c] == k:
            found = motion.P_contact[w, i, c]
    return found


@wp.func
def contact_target(gap: Any, gamma_N: Any, restitution: Any, numerics: Any):
    """Normal velocity that a closed contact aims at: rebound after an impact, else a slow way out of penetration."""
    zero = type(gap)(0.0)
    if gamma_N < -numerics.impact_speed and restitution > zero:
        return -restitution * gamma_N
    depth = wp.max(-gap - numerics.slop, zero)
    return wp.min(numerics.feedback * depth / numerics.dt, numerics.feedback_speed)


@wp.func
def touch(w: int, i: int, J: Any, e: Any, x: Any, numerics: Any, chain: Any, pegs: Any, motion: Any, work: Any):
    """Contacts of link i at the midpoint, Transeth2008a (39); returns its deepest penetration [m]."""
    deepest = type(numerics.dt)(0.0)
    count = int(0)
    for entry in range(motion.n_near[w, i]):
        k = motion.near[w, i, entry]
        H = pegs.center[k]
        s = axis_point(w, i, J, e, H, chain)
        n, gap = normal_and_gap(J + s * e, H, e, pegs.radius[k] + chain.radius[w, i])
        if gap <= numerics.active_gap:
            if count == MOST_CONTACTS:
                motion.status[w] = TOO_MANY_CONTACTS
            else:
                open_contact(w, i, count, k, s, n, gap, e, x, numerics, chain, pegs, motion, work)
                count += 1
            deepest = wp.max(deepest, -gap)
            if -gap > wp.min(pegs.radius[k], chain.radius[w, i]):
                motion.status[w] = SUNK_IN
    work.n_contacts[w, i] = count
    return deepest


@wp.func
def open_contact(
    w: int, i: int, c: int, k: int, s: Any, n: Any, gap: Any, e: Any, x: Any,
    numerics: Any, chain: Any, pegs: Any, motion: Any, work: Any,
):  # fmt: skip
    """Fills contact slot c of link i with peg k: force directions (14), (16), augmentation, target, last impulse."""
    one = type(s)(1.0)
    t = wp.vector(-n[1], n[0])
    # The normal acts through the axis point, friction on the surface, one radius nearer to the peg.
    arm_N = s * (e[0] * n[1] - e[1] * n[0])
    arm_T = s * (e[0] * t[1] - e[1] * t[0]) - chain.radius[w, i]
    from_mass = s - chain.to_mass[w, i]
    swing_N = from_mass * (e[0] * n[1] - e[1] * n[0])
    swing_T = from_mass * (e[0] * t[1] - e[1] * t[0]) - chain.radius[w, i]
    inverse_m = one / chain.mass[w, i]
    inverse_inertia = one / chain.inertia[w, i]
    W_N = wp.vector(n[0], n[1], arm_N)
    P = previous_impulse(w, i, k, motion)
    work.contact_peg[w, i, c] = k
    work.contact_N[w, i, c] = W_N
    work.contact_T[w, i, c] = wp.vector(t[0], t[1], arm_T)
    work.contact_r[w, i, c] = wp.vector(
        one / (inverse_m + swing_N * swing_N * inverse_inertia), one / (inverse_m + swing_T * swing_T * inverse_inertia)
    )
    work.contact_target[w, i, c] = contact_target(gap, wp.dot(W_N, x), pegs.restitution[k], numerics)
    work.contact_P[w, i, c] = P
    work.contact_radius[w, i, c] = P[0]
