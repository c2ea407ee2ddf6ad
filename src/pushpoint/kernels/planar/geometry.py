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
    shortest = type(radii)(1.0e30)  # squared distance to the outline
    away = wp.vector(zero, zero)
    outermost = -shortest
    face = wp.vector(zero, zero)
    for v in range(obstacle.first_vertex, obstacle.first_vertex + obstacle.n_vertices):
        along = obstacles.vertices[v].along
        from_H = Q - obstacles.vertices[v].H
        beyond = from_H[0] * along[1] - from_H[1] * along[0]
        if beyond > outermost:
            outermost = beyond
            face = wp.vector(along[1], -along[0])
        s = wp.clamp(wp.dot(from_H, along), zero, obstacles.vertices[v].length)
        apart = from_H - s * along
        square = wp.dot(apart, apart)
        if square < shortest:
            shortest = square
            away = apart
    if obstacle.n_vertices > 2 and outermost <= zero:
        return face, outermost - radii
    distance = wp.sqrt(shortest)
    n = face
    if distance > zero:
        n = away / distance
    return n, distance - radii


@wp.func
def corner_is_outward(v: int, n: Any, obstacle: Any, obstacles: Any):
    """Whether a contact of corner v along n leaves the obstacle on its own side: 1 or 0."""
    slack = type(n[0])(CORNER_SLACK)
    before = obstacles.vertices[obstacle.first_vertex + (v + obstacle.n_vertices - 1) % obstacle.n_vertices].along
    after = obstacles.vertices[obstacle.first_vertex + v].along
    if -wp.dot(n, before) <= slack and wp.dot(n, after) <= slack:
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
            H = obstacles.vertices[obstacle.first_vertex + v].H
            gap = wp.min(gap, wp.length(J + axis_point(J, e, H, link) * e - H) - radii)
    return gap
