"""Hollow polygons: each edge of the rim pushes outward, and so does each corner that sticks out.

An end of a link may touch several edges, as in a corner that is bent inward. Edges push only what is before them and
corners only between their two edges, so nothing catches where one straight side goes on as the next.

Symbols as in `geometry`; the solid lies to the left of each edge.
"""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.planar.geometry import CORNER_SLACK, axis_point

APART = wp.constant(1.0e30)
"""Gap to an edge that does not concern a point [m]."""


@wp.func
def sticks_out(v: int, obstacles: Any):
    """Whether the rim bends outward where edge v begins."""
    before = obstacles.vertices[v - 1].along
    after = obstacles.vertices[v].along
    return before[0] * after[1] - before[1] * after[0] > before[0] - before[0]


@wp.func
def rim_normal_and_gap(Q: Any, v: int, behind: Any, obstacle: Any, radii: Any, obstacles: Any):
    """Direction and distance to a point from edge v or the corner where it begins; APART if neither is nearest.

    A point inside the polygon, up to `behind` from the edge, is pushed out again.
    """
    zero = type(radii)(0.0)
    along = obstacles.vertices[v].along
    from_H = Q - obstacles.vertices[v].H
    s = wp.dot(from_H, along)
    n = wp.vector(along[1], -along[0])
    gap = type(radii)(APART)
    if s >= zero and s <= obstacles.vertices[v].length:
        beyond = wp.dot(n, from_H)
        if beyond > zero or (beyond > -behind and in_solid(Q, obstacle, obstacles) == 1):
            gap = beyond - radii
    elif s < zero and wp.dot(from_H, obstacles.vertices[v - 1].along) > zero:
        if sticks_out(v, obstacles):
            distance = wp.length(from_H)
            n = from_H / distance
            gap = distance - radii
    return n, gap


@wp.func
def corner_pushes(v: int, n: Any, obstacles: Any):
    """Whether the corner where edge v begins touches the side of a link along n: it sticks out between its edges."""
    slack = type(n[0])(CORNER_SLACK)
    before = obstacles.vertices[v - 1].along
    after = obstacles.vertices[v].along
    return sticks_out(v, obstacles) and -wp.dot(n, before) <= slack and wp.dot(n, after) <= slack


@wp.func
def in_solid(point: Any, obstacle: Any, obstacles: Any):
    """Whether a point lies in the polygon of a rim, by counting the edges to its right: 1 or 0."""
    inside = int(0)
    for v in range(obstacle.first_edge, obstacle.last_edge):
        A = obstacles.vertices[v].H
        B = A + obstacles.vertices[v].length * obstacles.vertices[v].along
        if (A[1] > point[1]) != (B[1] > point[1]):
            if point[0] < A[0] + (B[0] - A[0]) * (point[1] - A[1]) / (B[1] - A[1]):
                inside = 1 - inside
    return inside


@wp.func
def rim_link_gap(J: Any, e: Any, link: Any, obstacle: Any, obstacles: Any):
    """Distance between a link and a stretch of rim [m], as far as they do not cross."""
    zero = link.radius - link.radius
    rear = J + link.side_rear * e
    front = J + link.side_front * e
    shortest = type(zero)(APART)
    for v in range(obstacle.first_vertex, obstacle.first_vertex + obstacle.n_vertices):
        H = obstacles.vertices[v].H
        shortest = wp.min(shortest, wp.length(J + axis_point(J, e, H, link) * e - H))
        if v + 1 < obstacle.first_vertex + obstacle.n_vertices:
            along = obstacles.vertices[v].along
            length = obstacles.vertices[v].length
            s = wp.clamp(wp.dot(rear - H, along), zero, length)
            shortest = wp.min(shortest, wp.length(rear - H - s * along))
            s = wp.clamp(wp.dot(front - H, along), zero, length)
            shortest = wp.min(shortest, wp.length(front - H - s * along))
    return shortest - obstacle.radius - link.radius
