"""Where links meet obstacles: spheres against boxes, bars against the edges of boxes and against upright cylinders.

Symbols: q a point in the box's own axes from its middle, half its half edges, gap distance of the surfaces, n unit
normal toward the link, world axes unless said otherwise.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.spatial.solids.rims import round_distance
from pushpoint.kernels.spatial.structs import PEG, ROUND

EDGE_SLACK = wp.constant(0.3)
"""How far an edge's contact normal may lean beyond its faces: both edges of a face that lies flat are kept."""


@wp.func
def box_normal_and_gap(q: Any, half: Any, radius: Any):
    """From a box to a sphere, box axes; a centre inside the box is led out through the nearest face."""
    zero = radius - radius
    nearest = wp.vector(
        wp.clamp(q[0], -half[0], half[0]), wp.clamp(q[1], -half[1], half[1]), wp.clamp(q[2], -half[2], half[2])
    )
    away = q - nearest
    distance = wp.length(away)
    if distance > zero:
        return away / distance, distance - radius
    shallowest = half[0] - wp.abs(q[0])
    n = wp.vector(wp.where(q[0] < zero, type(zero)(-1.0), type(zero)(1.0)), zero, zero)
    if half[1] - wp.abs(q[1]) < shallowest:
        shallowest = half[1] - wp.abs(q[1])
        n = wp.vector(zero, wp.where(q[1] < zero, type(zero)(-1.0), type(zero)(1.0)), zero)
    if half[2] - wp.abs(q[2]) < shallowest:
        shallowest = half[2] - wp.abs(q[2])
        n = wp.vector(zero, zero, wp.where(q[2] < zero, type(zero)(-1.0), type(zero)(1.0)))
    return n, -shallowest - radius


@wp.func
def edge_corner(e: int, half: Any):
    """Direction 0, 1, 2 of edge e of a box and where it lies: half edges with signs, zero along its direction."""
    direction = e / 4
    side_1 = wp.where(e % 2 == 0, type(half[0])(-1.0), type(half[0])(1.0))
    side_2 = wp.where((e / 2) % 2 == 0, type(half[0])(-1.0), type(half[0])(1.0))
    place = wp.vector(half[0] - half[0], side_1 * half[1], side_2 * half[2])
    if direction == 1:
        place = wp.vector(side_1 * half[0], half[0] - half[0], side_2 * half[2])
    elif direction == 2:
        place = wp.vector(side_1 * half[0], side_2 * half[1], half[0] - half[0])
    return direction, place


@wp.func
def corner_number(point: Any):
    """Which corner of a box a point is: 0 to 7."""
    zero = type(point[0])(0.0)
    return wp.where(point[0] > zero, 1, 0) + wp.where(point[1] > zero, 2, 0) + wp.where(point[2] > zero, 4, 0)


@wp.func
def meet_edge(start: Any, along: Any, direction: int, place: Any, half: Any):
    """Nearest points of a bar and an edge of a box, box axes: share of the bar, point of the edge, which corner.

    The corner is 0 within the edge, -1 or 1 at its ends. The share lies in [0, 1] and is -1 if there is none: a bar
    parallel to the edge has its ends to touch with.
    """
    zero = half[0] - half[0]
    one = type(zero)(1.0)
    first = (direction + 1) % 3
    second = (direction + 2) % 3
    d_1 = along[first]
    d_2 = along[second]
    square = d_1 * d_1 + d_2 * d_2
    corner = int(0)
    if square <= type(zero)(1.0e-12) * wp.dot(along, along):
        return -one, place, corner
    share = ((place[first] - start[first]) * d_1 + (place[second] - start[second]) * d_2) / square
    height = start[direction] + wp.clamp(share, zero, one) * along[direction]
    point = wp.vector(place[0], place[1], place[2])
    point[direction] = height
    if wp.abs(height) > half[direction]:
        corner = wp.where(height < zero, -1, 1)
        point[direction] = type(zero)(corner) * half[direction]
        share = wp.dot(point - start, along) / wp.dot(along, along)
    if share <= zero or share >= one:
        return -one, point, corner
    return share, point, corner


@wp.func
def enters_box(away: Any, point: Any, half: Any):
    """Whether a way from a point of an edge leads into the box: 1 or 0."""
    inside = int(1)
    for a in range(3):
        # Along the edge and on its faces counts as inside.
        if wp.abs(point[a] + away[a]) > half[a] * type(half[a])(1.0 + 1.0e-6):
            inside = 0
    return inside


@wp.func
def leaves_box(n: Any, point: Any, half: Any):
    """Whether a direction leaves the box at a point of its rim on the outward side of the faces there: 1 or 0."""
    slack = type(n[0])(EDGE_SLACK)
    outward = int(1)
    for a in range(3):
        side = point[a] / half[a]
        if wp.abs(side) > type(side)(0.9999):
            if n[a] * side < -slack:
                outward = 0
    return outward


@wp.func
def peg_share(start: Any, along: Any, center: Any):
    """Share of a bar at which it comes nearest to an upright line."""
    square = along[0] * along[0] + along[1] * along[1]
    reach = (center[0] - start[0]) * along[0] + (center[1] - start[1]) * along[1]
    share = type(square)(0.5)
    if square > type(square)(1.0e-12) * wp.dot(along, along):
        share = wp.clamp(reach / square, type(square)(0.0), type(square)(1.0))
    return share


@wp.func
def peg_normal_and_gap(point: Any, center: Any, radii: Any):
    """From an upright cylinder to a point of a bar."""
    zero = radii - radii
    away = wp.vector(point[0] - center[0], point[1] - center[1], zero)
    distance = wp.length(away)
    n = wp.vector(type(zero)(1.0), zero, zero)
    if distance > zero:
        n = away / distance
    return n, distance - radii


@wp.func
def obstacle_distance(point: Any, obstacle: Any):
    """Distance from a point to an obstacle [m]; zero inside."""
    zero = obstacle.radius - obstacle.radius
    away = point - obstacle.center
    if obstacle.shape == PEG:
        return wp.max(wp.sqrt(away[0] * away[0] + away[1] * away[1]) - obstacle.radius, zero)
    q = obstacle.axes * away
    if obstacle.shape == ROUND:
        return round_distance(q, obstacle)
    beyond = wp.vector(
        wp.max(wp.abs(q[0]) - obstacle.half[0], zero),
        wp.max(wp.abs(q[1]) - obstacle.half[1], zero),
        wp.max(wp.abs(q[2]) - obstacle.half[2], zero),
    )
    return wp.length(beyond)
