"""Patches of the ground with a friction law of their own."""

from __future__ import annotations

from typing import Any

import warp as wp


@wp.func
def law_at(w: int, point: Any, otherwise: int, model: Any):
    """Row of the friction law at a place: of the last region that holds it, or the link's own."""
    row = int(otherwise)
    for g in range(model.worlds[w].first_region, model.worlds[w].last_region):
        region = model.regions[g]
        if point[0] >= region.low[0] and point[0] <= region.high[0]:
            if point[1] >= region.low[1] and point[1] <= region.high[1]:
                if is_inside(point, region.first, region.last, model) == 1:
                    row = region.law
    return row


@wp.func
def is_inside(point: Any, first: int, last: int, model: Any):
    """Whether a point lies in a simple polygon, by counting the edges to its right: 1 or 0."""
    inside = int(0)
    before = int(last - 1)
    for v in range(first, last):
        A = model.region_vertices[before]
        B = model.region_vertices[v]
        if (A[1] > point[1]) != (B[1] > point[1]):
            if point[0] < A[0] + (B[0] - A[0]) * (point[1] - A[1]) / (B[1] - A[1]):
                inside = 1 - inside
        before = v
    return inside
