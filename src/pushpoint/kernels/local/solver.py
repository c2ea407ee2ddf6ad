"""Kernels of the local solver: lines for Newton's method, and sweeps of Gauss-Seidel over the contacts.

Symbols as in `contacts`; W the Delassus matrix [1/kg], q free velocity [m/s], both with three rows per contact.
"""

from functools import cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from pushpoint.kernels.local.contacts import contact_line, contact_projection

INNER = wp.constant(25)
"""Rounds in which a sweep settles one contact against its own block of W."""
SETTLED = wp.constant(1.0e-15)
"""Change of an impulse, relative to it, below which a contact counts as settled."""


@cache
def kernels(real: Any) -> SimpleNamespace:
    """The kernels for one scalar type, and the records and vectors they take."""
    vec2, vec3 = wp.types.vector(2, real), wp.types.vector(3, real)
    mat33 = wp.types.matrix((3, 3), real)

    @wp.struct
    class Contacts:
        scale: wp.array(dtype=vec3)  # coefficients over the largest: sliding forward, backward, across
        largest: wp.array(dtype=real)
        r: wp.array(dtype=real)
        P: wp.array(dtype=vec3)
        S: wp.array(dtype=vec2)

    @wp.kernel(module="unique", enable_backward=False)
    def lines(
        rho: real,
        contacts: Contacts,
        gamma: wp.array(dtype=vec3),
        F: wp.array(dtype=vec3),
        G: wp.array(dtype=mat33),
        error: wp.array(dtype=vec3),
    ):
        """Lines through the present impulses and velocities, and how far these are from their projections [m/s]."""
        k = wp.tid()
        P = contacts.P[k]
        S = contacts.S[k]
        r = contacts.r[k]
        near, S_near = contact_projection(P, S[0], gamma[k], contacts.scale[k], contacts.largest[k], r)
        error[k] = wp.vector(
            (near[0] - P[0]) / r,
            (S_near[0] * near[1] - S[0] * P[1]) / r,
            (S_near[1] * near[2] - S[1] * P[2]) / r,
        )
        P_half, S_half, F_k, G_k = contact_line(P, S[0], gamma[k], contacts.scale[k], contacts.largest[k], r, rho)
        contacts.P[k] = P_half
        contacts.S[k] = S_half
        F[k] = F_k
        G[k] = G_k

    @wp.func
    def settle(k: int, ease: real, contacts: Contacts, W: wp.array2d(dtype=real), u: vec3):
        """Solves contact k, whose velocity is u, against its own block of W, all others held; returns its impulse."""
        row = 3 * k
        P = contacts.P[k]
        S = contacts.S[k]
        p = wp.vector(P[0], S[0] * P[1], S[1] * P[2])
        gamma = u
        for _ in range(INNER):
            P, S = contact_projection(P, S[0], gamma, contacts.scale[k], contacts.largest[k], ease * contacts.r[k])
            p_next = wp.vector(P[0], S[0] * P[1], S[1] * P[2])
            d = p_next - p
            p = p_next
            gamma = gamma + wp.vector(
                W[row, row] * d[0] + W[row, row + 1] * d[1] + W[row, row + 2] * d[2],
                W[row + 1, row] * d[0] + W[row + 1, row + 1] * d[1] + W[row + 1, row + 2] * d[2],
                W[row + 2, row] * d[0] + W[row + 2, row + 1] * d[1] + W[row + 2, row + 2] * d[2],
            )
            if wp.length(d) <= real(SETTLED) * wp.length(p):
                break
        contacts.P[k] = P
        contacts.S[k] = S
        return p

    @wp.kernel(module="unique", enable_backward=False)
    def sweep(
        sweeps: int,
        ease: real,
        contacts: Contacts,
        W: wp.array2d(dtype=real),
        q: wp.array(dtype=real),
        p: wp.array(dtype=real),
    ):
        """Gauss-Seidel: contact by contact, each with what the others push now. One thread: the order matters.

        `ease` below one takes shorter steps at every contact.
        """
        n = contacts.largest.shape[0]
        for _ in range(sweeps):
            for k in range(n):
                row = 3 * k
                u_0 = q[row]
                u_1 = q[row + 1]
                u_2 = q[row + 2]
                for j in range(3 * n):
                    u_0 += W[row, j] * p[j]
                    u_1 += W[row + 1, j] * p[j]
                    u_2 += W[row + 2, j] * p[j]
                found = settle(k, ease, contacts, W, wp.vector(u_0, u_1, u_2))
                p[row] = found[0]
                p[row + 1] = found[1]
                p[row + 2] = found[2]

    return SimpleNamespace(Contacts=Contacts, lines=lines, sweep=sweep, vec2=vec2, vec3=vec3, mat33=mat33)
