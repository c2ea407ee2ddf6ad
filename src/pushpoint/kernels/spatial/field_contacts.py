"""Contacts of a link with ground given by heights: balls in hollows, bars over ridges, flat sides on peaks."""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.spatial.algebra.frames import column
from pushpoint.kernels.spatial.geometry import box_normal_and_gap
from pushpoint.kernels.spatial.heights import closest_ground, nearest_ground
from pushpoint.kernels.spatial.structs import MOST_CONTACTS, MOST_SPHERES, PEAKS_FROM
from pushpoint.kernels.spatial.touching import add_ground
from pushpoint.kernels.spatial.wheels import put_on_wheel
from pushpoint.kernels.structs import nth

PROBES = wp.constant(9)
"""Places around a sphere from which the nearest ground is sought: a square of three by three."""
PROBE_REACH = wp.constant(0.7)
"""How far apart, in radii, where the field is finer than that."""
SAME_SIDE = wp.constant(0.97)
"""Cosine above which two normals of one sphere count as one contact."""
BETWEEN = wp.constant(6)
"""Places along a bar at which uneven ground is looked at, between its ends."""
NARROWINGS = wp.constant(12)
"""Rounds in which the highest ground between two of them is narrowed down, to two thirds each."""
PEAKS = wp.constant(8)
"""Grid points under a link that are looked at along one axis; of a finer grid only every second, third, ..."""
FARTHEST = wp.constant(5.0e8)
"""Number of grid points beyond which a place is held, so that whole numbers can count them."""


@wp.func
def touch_field(w: int, k: int, numerics: Any, model: Any, motion: Any, work: Any):
    """Spheres, and the highest ground under each bar, against a height field."""
    J = work.links[k].J
    R = work.links[k].R
    zero = numerics.dt - numerics.dt
    field = model.fields[model.worlds[w].field]
    top = field.highest + numerics.active_gap
    deepest = zero
    lowest = type(zero)(1.0e30)
    for s in range(model.links[k].n_spheres):
        sphere = model.spheres[nth(k, s, model.most_spheres, model)]
        center = J + R * sphere.center
        if center[2] - sphere.radius <= top:
            depth, gap = touch_hollow(w, k, s, center, sphere.radius, numerics, model, motion, work)
            deepest = wp.max(deepest, depth)
            if s < model.links[k].n_own:
                lowest = wp.min(lowest, gap)
    for b in range(model.links[k].n_bars):
        bar = model.bars[nth(k, b, model.most_bars, model)]
        start = J + R * bar.start
        along = R * (bar.end - bar.start)
        if wp.min(start[2], start[2] + along[2]) - bar.radius <= top:
            share, gap = highest_under(start, along, bar.radius, lowest, numerics, field, model)
            # Level with the ends, the ends carry it.
            if gap < lowest - numerics.slop and gap <= numerics.active_gap:
                center = start + along * share
                n, distance = closest_ground(center, field, model)
                key = PROBES * MOST_SPHERES + b
                gap = distance - bar.radius
                depth = add_ground(w, k, key, n, center, bar.radius, gap, numerics, model, motion, work)
                deepest = wp.max(deepest, depth)
    if model.links[k].core[1] > zero:
        deepest = wp.max(deepest, touch_peaks(w, k, wp.min(lowest, zero), numerics, model, motion, work))
    return deepest


@wp.func
def first_and_last(middle: Any, reach: Any, first: Any, spacing: Any):
    """Grid points along one axis that lie within reach of a place, numbered on beyond the field's rim."""
    far = type(middle)(FARTHEST)
    low = int(wp.clamp(wp.ceil((middle - reach - first) / spacing), -far, far))
    high = int(wp.clamp(wp.floor((middle + reach - first) / spacing), -far, far))
    return low, high


@wp.func
def multiples_below(number: int, stride: int):
    """How often a stride fits below a whole number, rounded down, also where that is negative."""
    return (number - wrapped(number, stride)) / stride


@wp.func
def wrapped(number: int, count: int):
    """Remainder 0 ... count - 1, also of a negative number."""
    return (number % count + count) % count


@wp.func
def touch_peaks(w: int, k: int, lowest: Any, numerics: Any, model: Any, motion: Any, work: Any):
    """Points of the grid against the flat sides of a square link, where they reach farther in than its corners do.

    Beyond the field's rim the grid goes on with the heights of the rim.
    """
    link = model.links[k]
    R = work.links[k].R
    field = model.fields[model.worlds[w].field]
    middle = work.links[k].J + link.middle * column(R, 0)
    zero = lowest - lowest
    deepest = zero
    reach_x = wp.abs(R[0, 0]) * link.core[0] + wp.abs(R[0, 1]) * link.core[1] + wp.abs(R[0, 2]) * link.core[2]
    reach_y = wp.abs(R[1, 0]) * link.core[0] + wp.abs(R[1, 1]) * link.core[1] + wp.abs(R[1, 2]) * link.core[2]
    i_low, i_high = first_and_last(middle[0], reach_x, field.origin[0], field.spacing)
    j_low, j_high = first_and_last(middle[1], reach_y, field.origin[1], field.spacing)
    # A link narrower than the spacing may have no point under it: high is low - 1 then, and the stride 1.
    stride = 1 + wp.max(wp.max(i_high - i_low, j_high - j_low), 0) / PEAKS
    # Multiples of the stride: the same points wherever the link is.
    for i in range(multiples_below(i_low + stride - 1, stride), multiples_below(i_high, stride) + 1):
        first = field.first + wp.clamp(i * stride, 0, field.columns - 1) * field.stride
        for j in range(multiples_below(j_low + stride - 1, stride), multiples_below(j_high, stride) + 1):
            at = first + wp.clamp(j * stride, 0, field.rows - 1)
            x = field.origin[0] + field.spacing * type(zero)(i * stride)
            y = field.origin[1] + field.spacing * type(zero)(j * stride)
            peak = wp.vector(x, y, model.heights[at])
            n_link, gap = box_normal_and_gap(wp.transpose(R) * (peak - middle), link.core, link.rounding)
            if gap < lowest - numerics.slop and work.n_contacts[k] < MOST_CONTACTS:
                key = PEAKS_FROM + wrapped(i, PEAKS) * PEAKS + wrapped(j, PEAKS)
                depth = add_ground(w, k, key, -(R * n_link), peak, zero, gap, numerics, model, motion, work)
                deepest = wp.max(deepest, depth)
            elif gap < lowest - numerics.slop:
                motion.worlds[w].refused = motion.worlds[w].refused + 1
    return deepest


@wp.func
def highest_under(start: Any, along: Any, radius: Any, lowest: Any, numerics: Any, field: Any, model: Any):
    """Where the ground comes nearest to a bar between its ends, as a share of it, and the gap there [m].

    A few places first; then, where the ground might touch, the share is narrowed down.
    """
    zero = radius - radius
    step = type(zero)(1.0) / type(zero)(BETWEEN + 1)
    share = zero
    gap = type(zero)(1.0e30)
    for p in range(BETWEEN):
        center = start + along * (step * type(zero)(p + 1))
        _n, distance = nearest_ground(center, center[0], center[1], field, model)
        if distance - radius < gap:
            gap = distance - radius
            share = step * type(zero)(p + 1)
    reach = step * wp.length(along)
    # Between two places the ground can be nearer by no more than half their distance.
    if gap - reach * type(zero)(0.5) > wp.min(lowest, numerics.active_gap):
        return share, gap
    low = wp.max(share - step, zero)
    high = wp.min(share + step, type(zero)(1.0))
    for _ in range(NARROWINGS):
        third = (high - low) / type(zero)(3.0)
        _n_1, left = closest_ground(start + along * (low + third), field, model)
        _n_2, right = closest_ground(start + along * (high - third), field, model)
        if left <= right:
            high = high - third
        else:
            low = low + third
    share = (low + high) * type(zero)(0.5)
    _n_3, distance = closest_ground(start + along * share, field, model)
    return share, distance - radius


@wp.func
def touch_hollow(w: int, k: int, s: int, center: Any, radius: Any, numerics: Any, model: Any, motion: Any, work: Any):
    """A sphere on uneven ground, where it may lean on several sides; returns the depth and the smallest gap [m]."""
    field = model.fields[model.worlds[w].field]
    zero = radius - radius
    reach = wp.max(field.spacing, type(zero)(PROBE_REACH) * radius)
    first = work.n_contacts[k]
    deepest = zero
    smallest = type(zero)(1.0e30)
    for p in range(PROBES):
        # The middle, then around it.
        place = (p + PROBES / 2) % PROBES
        x = center[0] + reach * type(zero)(place / 3 - 1)
        y = center[1] + reach * type(zero)(place % 3 - 1)
        n, distance = nearest_ground(center, x, y, field, model)
        gap = distance - radius
        smallest = wp.min(smallest, gap)
        if gap <= numerics.active_gap:
            known = int(0)
            for slot in range(first, work.n_contacts[k]):
                if wp.dot(n, work.contacts[nth(k, slot, MOST_CONTACTS, model)].n) > type(zero)(SAME_SIDE):
                    known = 1
            if known == 0:
                depth = add_ground(w, k, s * PROBES + place, n, center, radius, gap, numerics, model, motion, work)
                deepest = wp.max(deepest, depth)
    if s >= model.links[k].n_own:
        put_on_wheel(k, s, first, numerics, model, motion, work)
    return deepest, smallest
