"""Ground given by heights on a grid, bilinear in between; beyond the rim the last heights go on."""

from __future__ import annotations

from typing import Any

import warp as wp

FOOT_STEPS = wp.constant(4)
"""Rounds in which the point of the ground nearest to a sphere is sought."""


@wp.func
def height_and_normal(x: Any, y: Any, field: Any, model: Any):
    """Height of the ground at a place and its unit normal."""
    zero = x - x
    one = type(x)(1.0)
    across = wp.clamp((x - field.origin[0]) / field.spacing, zero, type(x)(field.columns - 1))
    up = wp.clamp((y - field.origin[1]) / field.spacing, zero, type(x)(field.rows - 1))
    i = wp.min(int(across), field.columns - 2)
    j = wp.min(int(up), field.rows - 2)
    s = across - type(x)(i)
    t = up - type(x)(j)
    at = field.first + i * field.rows + j
    h_00 = model.heights[at]
    h_01 = model.heights[at + 1]
    h_10 = model.heights[at + field.rows]
    h_11 = model.heights[at + field.rows + 1]
    height = (one - s) * ((one - t) * h_00 + t * h_01) + s * ((one - t) * h_10 + t * h_11)
    slope_x = ((one - t) * (h_10 - h_00) + t * (h_11 - h_01)) / field.spacing
    slope_y = ((one - s) * (h_01 - h_00) + s * (h_11 - h_10)) / field.spacing
    if across <= zero or across >= type(x)(field.columns - 1):
        slope_x = zero
    if up <= zero or up >= type(x)(field.rows - 1):
        slope_y = zero
    n = wp.vector(-slope_x, -slope_y, one)
    return height, n / wp.length(n)


@wp.func
def foot(center: Any, x: Any, y: Any, field: Any, model: Any):
    """The ground point nearest to a sphere's centre, sought from (x, y).

    Each round puts a plane to the ground and drops the centre on it. Returns the plane's normal, the centre's height
    over it, and how far from the plane's own point it drops: little, if the search has come to its end.
    """
    height, n = height_and_normal(x, y, field, model)
    away = center - wp.vector(x, y, height)
    above = wp.dot(away, n)
    for _ in range(FOOT_STEPS - 1):
        x_next = center[0] - above * n[0]
        y_next = center[1] - above * n[1]
        height, n = height_and_normal(x_next, y_next, field, model)
        away = center - wp.vector(x_next, y_next, height)
        above = wp.dot(away, n)
    return n, above, wp.length(away - above * n)
