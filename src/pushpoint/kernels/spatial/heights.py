"""Ground given by heights on a grid, bilinear in between; beyond the rim the last heights go on."""

from __future__ import annotations

from typing import Any

import warp as wp

DROPS = wp.constant(3)
"""Rounds in which the ground near a ball is sought, and again those in which the nearest point of a cell is."""
BELOW_SEARCH = wp.constant(1.0e-9)
"""A ball's centre nearer to the ground than this counts as on it [m]."""


@wp.func
def cell_of(x: Any, first: Any, spacing: Any, cells: int):
    """Number of the cell along one axis that holds a coordinate; the first or last one beyond the rim."""
    return int(wp.clamp((x - first) / spacing, x - x, type(x)(cells - 1)))


@wp.func
def patch(x: Any, y: Any, i: int, j: int, field: Any, model: Any):
    """Height of the surface of cell (i, j) at a place, held level beyond the rim, and its slopes."""
    zero = x - x
    one = type(x)(1.0)
    s = (x - field.origin[0]) / field.spacing - type(x)(i)
    t = (y - field.origin[1]) / field.spacing - type(x)(j)
    held_s = wp.clamp(s, zero, one)
    held_t = wp.clamp(t, zero, one)
    at = field.first + i * field.rows + j
    h_00 = model.heights[at]
    h_01 = model.heights[at + 1]
    h_10 = model.heights[at + field.rows]
    h_11 = model.heights[at + field.rows + 1]
    rear = (one - held_t) * h_00 + held_t * h_01
    front = (one - held_t) * h_10 + held_t * h_11
    slope_x = (front - rear) / field.spacing
    slope_y = ((one - held_s) * (h_01 - h_00) + held_s * (h_11 - h_10)) / field.spacing
    if held_s != s:
        slope_x = zero
    if held_t != t:
        slope_y = zero
    return (one - held_s) * rear + held_s * front, slope_x, slope_y


@wp.func
def drop(center: Any, x: Any, y: Any, height: Any, slope_x: Any, slope_y: Any):
    """Where the centre of a ball comes down on the plane that touches the ground at (x, y)."""
    square = type(x)(1.0) + slope_x * slope_x + slope_y * slope_y
    above = (center[2] - height - slope_x * (center[0] - x) - slope_y * (center[1] - y)) / square
    return center[0] + above * slope_x, center[1] + above * slope_y


@wp.func
def nearest_ground(center: Any, x: Any, y: Any, field: Any, model: Any):
    """A point of the ground nearest to a ball's centre, sought from (x, y); the normal there and the distance [m].

    First from plane to plane, wherever that leads; then within the last cell, whose rims are the ridges and corners
    of the ground. A centre below the ground has a negative distance.
    """
    zero = x - x
    columns = field.columns - 1
    rows = field.rows - 1
    left = field.origin[0]
    low = field.origin[1]
    i = cell_of(x, left, field.spacing, columns)
    j = cell_of(y, low, field.spacing, rows)
    place_x = x
    place_y = y
    for _ in range(DROPS):
        height, slope_x, slope_y = patch(place_x, place_y, i, j, field, model)
        place_x, place_y = drop(center, place_x, place_y, height, slope_x, slope_y)
        i = cell_of(place_x, left, field.spacing, columns)
        j = cell_of(place_y, low, field.spacing, rows)
    # Cells on the rim go on for ever.
    x_0 = wp.where(i == 0, type(x)(-1.0e30), left + type(x)(i) * field.spacing)
    x_1 = wp.where(i == columns - 1, type(x)(1.0e30), left + type(x)(i + 1) * field.spacing)
    y_0 = wp.where(j == 0, type(x)(-1.0e30), low + type(x)(j) * field.spacing)
    y_1 = wp.where(j == rows - 1, type(x)(1.0e30), low + type(x)(j + 1) * field.spacing)
    place_x = wp.clamp(place_x, x_0, x_1)
    place_y = wp.clamp(place_y, y_0, y_1)
    for _ in range(DROPS):
        height, slope_x, slope_y = patch(place_x, place_y, i, j, field, model)
        next_x, next_y = drop(center, place_x, place_y, height, slope_x, slope_y)
        place_x = wp.clamp(next_x, x_0, x_1)
        place_y = wp.clamp(next_y, y_0, y_1)
    height, slope_x, slope_y = patch(place_x, place_y, i, j, field, model)
    face = wp.normalize(wp.vector(-slope_x, -slope_y, type(x)(1.0)))
    away = center - wp.vector(place_x, place_y, height)
    distance = wp.length(away)
    i = cell_of(center[0], left, field.spacing, columns)
    j = cell_of(center[1], low, field.spacing, rows)
    below, _slope_x, _slope_y = patch(center[0], center[1], i, j, field, model)
    if center[2] <= below:
        return face, -distance
    if distance <= type(zero)(BELOW_SEARCH):
        return face, distance
    return away / distance, distance
