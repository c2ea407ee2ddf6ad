"""Where links meet obstacles: gaps between capsules and grown hulls, and the short list of obstacles around each link.

An obstacle is the hull of its vertices grown by a radius. One vertex (a peg) touches a link in one point. Walls
and polygons touch with either end circle of the link, and with corners beside its straight side: a flat contact
has two.

Symbols: H vertex of an obstacle, Q point of the capsule's axis, s its distance from J along the link, n unit
vector from the obstacle to Q, gap surface distance.
"""

from __future__ import annotations

from typing import Any

import warp as wp

CORNER_SLACK = wp.constant(0.3)
"""How far a corner's contact normal may lean beyond its faces: both corners of a face that lies flat are kept."""


@wp.func
def axis_point(J: Any, e: Any, H: Any, link: Any):
    """Distance from J along the link to the point of the straight axis nearest to H."""
    return wp.clamp(wp.dot(H - J, e), link.side_rear, link.side_front)


@wp.func
def normal_and_gap(Q: Any, H: Any, e: Any, radii: Any):
    """Direction from a vertex to the link and the distance of the surfaces, Transeth2008a (9), (10)."""
    away = Q - H
    distance = wp.length(away)
    n = wp.vector(-e[1], e[0])
    if distance > type(radii)(0.0):
        n = away / distance
    return n, distance - radii


@wp.func
def outline_normal_and_gap(Q: Any, obstacle: Any, radii: Any, obstacles: Any):
    """The same from a wall's middle line or a polygon's outline to a point; inside, the nearest face decides."""
    zero = type(radii)(0.0)
    one = type(radii)(1.0)
    shortest = one / type(radii)(1.0e-30)
    n = wp.vector(zero, one)
    outermost = -shortest
    face = wp.vector(zero, one)
    for v in range(obstacle.n_vertices):
        A = obstacles.vertices[obstacle.first_vertex + v]
        B = obstacles.vertices[obstacle.first_vertex + (v + 1) % obstacle.n_vertices]
        edge = B - A
        length = wp.length(edge)
        outward = wp.vector(edge[1], -edge[0]) / length
        beyond = wp.dot(Q - A, outward)
        if beyond > outermost:
            outermost = beyond
            face = outward
        along = wp.clamp(wp.dot(Q - A, edge) / length, zero, length)
        away = Q - A - edge * (along / length)
        distance = wp.length(away)
        if distance < shortest:
            shortest = distance
            n = face
            if distance > zero:
                n = away / distance
    if obstacle.n_vertices > 2 and outermost <= zero:
        return face, outermost - radii
    return n, shortest - radii


@wp.func
def corner_is_outward(v: int, n: Any, obstacle: Any, obstacles: Any):
    """Whether a contact of corner v along n leaves the obstacle on its own side: 1 or 0."""
    slack = type(n[0])(CORNER_SLACK)
    V = obstacles.vertices[obstacle.first_vertex + v]
    before = obstacles.vertices[obstacle.first_vertex + (v + obstacle.n_vertices - 1) % obstacle.n_vertices] - V
    after = obstacles.vertices[obstacle.first_vertex + (v + 1) % obstacle.n_vertices] - V
    if wp.dot(n, before) <= slack * wp.length(before) and wp.dot(n, after) <= slack * wp.length(after):
        return 1
    return 0


@wp.func
def link_gap(J: Any, e: Any, link: Any, obstacle: Any, obstacles: Any):
    """Distance between a link and an obstacle [m], as far as they do not cross."""
    radii = obstacle.radius + link.radius
    s = axis_point(J, e, obstacle.vertex, link)
    _n, gap = normal_and_gap(J + s * e, obstacle.vertex, e, radii)
    if obstacle.n_vertices > 1:
        _rear, gap_rear = outline_normal_and_gap(J + link.side_rear * e, obstacle, radii, obstacles)
        _front, gap_front = outline_normal_and_gap(J + link.side_front * e, obstacle, radii, obstacles)
        gap = wp.min(gap, wp.min(gap_rear, gap_front))
        for v in range(obstacle.n_vertices):
            H = obstacles.vertices[obstacle.first_vertex + v]
            gap = wp.min(gap, wp.length(J + axis_point(J, e, H, link) * e - H) - radii)
    return gap
