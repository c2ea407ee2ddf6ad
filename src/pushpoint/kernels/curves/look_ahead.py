"""The reference point of a joint: backwards along a shape curve to where it is the look-ahead distance away.

Symbols: P, m control points and slopes of all curves; c a curve; s the curve's parameter, s < 0 on the straight line
before it; O the joint; L the look-ahead distance.
"""

from __future__ import annotations

from typing import Any

import warp as wp

CELLS_PER_LOOK_AHEAD = wp.constant(32.0)
FEWEST_CELLS = wp.constant(2)
MOST_CELLS = wp.constant(4096.0)
MOST_LEADING = wp.constant(4096)
MOST_HALVINGS = wp.constant(80)


@wp.func
def lead(P: Any, m: Any, c: int):
    """dS/ds before the first control point: along the first slope, as long as the first chord."""
    chord = P[c, 1] - P[c, 0]
    pace = wp.length(chord)
    size = wp.length(m[c, 0])
    along = chord
    if size > type(size)(1.0e-9) * pace:
        along = (pace / size) * m[c, 0]
    return along


@wp.func
def piece(P: Any, m: Any, c: int, i: int):
    """Factors of 1, t, t^2, t^3 between control points i and i + 1; for i < 0 of the straight line before them."""
    if i < 0:
        along = lead(P, m, c)
        return P[c, 0] + type(along[0])(i) * along, along, along - along, along - along
    chord = P[c, i + 1] - P[c, i]
    m0 = m[c, i]
    m1 = m[c, i + 1]
    two = type(chord[0])(2.0)
    return P[c, i], m0, type(chord[0])(3.0) * chord - two * m0 - m1, m0 + m1 - two * chord


@wp.func
def polynomial(a0: Any, a1: Any, a2: Any, a3: Any, t: Any):
    """a0 + a1 t + a2 t^2 + a3 t^3."""
    return a0 + t * (a1 + t * (a2 + t * a3))


@wp.func
def point(P: Any, m: Any, c: int, s: Any):
    """S(s)."""
    # Held before it becomes a whole number, which holds neither not-a-number nor all that s may be.
    i = int(wp.clamp(wp.floor(s), type(s)(-MOST_LEADING), type(s)(P.shape[1] - 2)))
    a0, a1, a2, a3 = piece(P, m, c, i)
    return polynomial(a0, a1, a2, a3, s - type(s)(i))


@wp.func
def cells_of(a1: Any, a2: Any, a3: Any, L: Any):
    """Into how many cells a piece is cut for the scan; the Bezier polygon of a cubic is at least as long as it."""
    third = type(L)(1.0 / 3.0)
    one = third * a1
    two = third * (a1 + a2)
    three = a1 + a2 + a3 - one - two
    wanted = type(L)(CELLS_PER_LOOK_AHEAD) * (wp.length(one) + wp.length(two) + wp.length(three)) / L
    return wp.max(int(wp.ceil(wp.min(wanted, type(L)(MOST_CELLS)))), FEWEST_CELLS)


@wp.func
def excess(r: Any, L: Any):
    """How much farther than L a point at r is, in squares."""
    return wp.dot(r, r) - L * L


@wp.func
def reference(P: Any, m: Any, c: int, s: Any, O: Any, L: Any):
    """The first parameter, backwards from s, whose point is L away; s itself where that already is farther.

    A scan cell by cell, then regula falsi (Illinois) inside the cell where the sign changes: the nearest crossing
    backwards is meant, not any root.
    """
    zero = s - s
    one = zero + type(s)(1.0)
    half = type(s)(0.5)
    high = s
    i = int(wp.clamp(wp.ceil(s), type(s)(1 - MOST_LEADING), type(s)(P.shape[1] - 1))) - 1
    while i > -MOST_LEADING:
        a0, a1, a2, a3 = piece(P, m, c, i)
        n = cells_of(a1, a2, a3, L)
        cell = one / type(s)(n)
        t_high = wp.min(high - type(s)(i), one)
        g_high = excess(polynomial(a0, a1, a2, a3, t_high) - O, L)
        if not g_high < zero:  # outside, or not a number
            return type(s)(i) + t_high + (g_high - g_high)  # the difference is zero, or hands not-a-number on
        k = int(wp.ceil(t_high * type(s)(n))) - 1
        while k >= 0:
            t_low = type(s)(k) * cell
            g_low = excess(polynomial(a0, a1, a2, a3, t_low) - O, L)
            if not g_low < zero:
                small = type(s)(1.0e-15) * L * L
                side = int(0)
                t = t_low
                for _ in range(MOST_HALVINGS):
                    t = (t_low * g_high - t_high * g_low) / (g_high - g_low)
                    if not (t > t_low and t < t_high):
                        t = half * (t_low + t_high)
                    g = excess(polynomial(a0, a1, a2, a3, t) - O, L)
                    if wp.abs(g) <= small or t == t_low or t == t_high:
                        break
                    if g < zero:
                        t_high = t
                        g_high = g
                        if side == -1:
                            g_low = half * g_low
                        side = -1
                    else:
                        t_low = t
                        g_low = g
                        if side == 1:
                            g_high = half * g_high
                        side = 1
                return type(s)(i) + t + (g_low - g_low)
            t_high = t_low
            g_high = g_low
            k -= 1
        high = type(s)(i)
        i -= 1
    return high
