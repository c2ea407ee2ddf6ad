"""Ground given by heights on a grid, bilinear in between; beyond the rim the last heights go on, level.

Around the field lies a ring of cells that have no end outward: columns -1 and `columns` - 1, rows likewise. Their
outer heights, which repeat the rim's, stand beside the others in memory.
"""

from __future__ import annotations

from typing import Any

import warp as wp

DROPS = wp.constant(3)
"""Rounds in which the ground near a ball is sought, and again those in which the nearest point of a cell is."""
ON_GROUND = wp.constant(1.0e-9)
"""A ball's centre nearer to the ground than this counts as on it [m]."""
ON_RIM = wp.constant(1.0e-5)
"""A place nearer to a cell's rim than this counts as on it, in spacings [-]; single precision rounds to less."""
ENDLESS = wp.constant(1.0e30)


@wp.func
def cell_of(x: Any, first: Any, spacing: Any, points: int):
    """Number of the cell along one axis that holds a coordinate; beyond the rim -1 or that of the last grid point."""
    cells = (x - first) / spacing
    return wp.where(cells < x - x, -1, int(wp.clamp(cells, x - x, type(x)(points - 1))))


@wp.func
def patch(x: Any, y: Any, i: int, j: int, field: Any, model: Any):
    """Height of the surface of cell (i, j) at a place, held level beyond the cell, and its slopes."""
    zero = x - x
    one = type(x)(1.0)
    s = (x - field.origin[0]) / field.spacing - type(x)(i)
    t = (y - field.origin[1]) / field.spacing - type(x)(j)
    held_s = wp.clamp(s, zero, one)
    held_t = wp.clamp(t, zero, one)
    at = field.first + i * field.stride + j
    h_00 = model.heights[at]
    h_01 = model.heights[at + 1]
    h_10 = model.heights[at + field.stride]
    h_11 = model.heights[at + field.stride + 1]
    rear = (one - held_t) * h_00 + held_t * h_01
    front = (one - held_t) * h_10 + held_t * h_11
    slope_x = (front - rear) / field.spacing
    slope_y = ((one - held_s) * (h_01 - h_00) + held_s * (h_11 - h_10)) / field.spacing
    # A place on the cell's rim belongs to it, whatever rounding says.
    if wp.abs(held_s - s) > type(x)(ON_RIM):
        slope_x = zero
    if wp.abs(held_t - t) > type(x)(ON_RIM):
        slope_y = zero
    return (one - held_s) * rear + held_s * front, slope_x, slope_y


@wp.func
def drop(center: Any, x: Any, y: Any, height: Any, slope_x: Any, slope_y: Any):
    """Where the centre of a ball comes down on the plane that touches the ground at (x, y)."""
    square = type(x)(1.0) + slope_x * slope_x + slope_y * slope_y
    above = (center[2] - height - slope_x * (center[0] - x) - slope_y * (center[1] - y)) / square
    return center[0] + above * slope_x, center[1] + above * slope_y


@wp.func
def nearest_of_cell(center: Any, i: int, j: int, field: Any, model: Any):
    """The point of a cell nearest to a ball's centre: the normal there and the distance [m].

    The cell's rims are the ridges and corners of the ground; cells around the field are endless.
    """
    zero = center[0] - center[0]
    endless = type(zero)(ENDLESS)
    x_0 = wp.where(i < 0, -endless, field.origin[0] + type(zero)(i) * field.spacing)
    x_1 = wp.where(i == field.columns - 1, endless, field.origin[0] + type(zero)(i + 1) * field.spacing)
    y_0 = wp.where(j < 0, -endless, field.origin[1] + type(zero)(j) * field.spacing)
    y_1 = wp.where(j == field.rows - 1, endless, field.origin[1] + type(zero)(j + 1) * field.spacing)
    x = wp.clamp(center[0], x_0, x_1)
    y = wp.clamp(center[1], y_0, y_1)
    for _ in range(DROPS):
        height, slope_x, slope_y = patch(x, y, i, j, field, model)
        next_x, next_y = drop(center, x, y, height, slope_x, slope_y)
        x = wp.clamp(next_x, x_0, x_1)
        y = wp.clamp(next_y, y_0, y_1)
    height, slope_x, slope_y = patch(x, y, i, j, field, model)
    away = center - wp.vector(x, y, height)
    distance = wp.length(away)
    n = wp.normalize(wp.vector(-slope_x, -slope_y, type(zero)(1.0)))
    if distance > type(zero)(ON_GROUND) and away[2] > zero:
        n = away / distance
    return n, distance


@wp.func
def is_below(center: Any, field: Any, model: Any):
    """Whether a point lies below the ground: 1 or 0."""
    i = cell_of(center[0], field.origin[0], field.spacing, field.columns)
    j = cell_of(center[1], field.origin[1], field.spacing, field.rows)
    height, _slope_x, _slope_y = patch(center[0], center[1], i, j, field, model)
    if center[2] <= height:
        return 1
    return 0


@wp.func
def nearest_ground(center: Any, x: Any, y: Any, field: Any, model: Any):
    """A point of the ground near a ball's centre, sought from (x, y): the normal there and the distance [m].

    From plane to plane, wherever that leads, then within the last cell. A centre below the ground has a negative
    distance.
    """
    i = cell_of(x, field.origin[0], field.spacing, field.columns)
    j = cell_of(y, field.origin[1], field.spacing, field.rows)
    place_x = x
    place_y = y
    for _ in range(DROPS):
        height, slope_x, slope_y = patch(place_x, place_y, i, j, field, model)
        place_x, place_y = drop(center, place_x, place_y, height, slope_x, slope_y)
        i = cell_of(place_x, field.origin[0], field.spacing, field.columns)
        j = cell_of(place_y, field.origin[1], field.spacing, field.rows)
    n, distance = nearest_of_cell(center, i, j, field, model)
    if is_below(center, field, model) == 1:
        i = cell_of(center[0], field.origin[0], field.spacing, field.columns)
        j = cell_of(center[1], field.origin[1], field.spacing, field.rows)
        _height, slope_x, slope_y = patch(center[0], center[1], i, j, field, model)
        return wp.normalize(wp.vector(-slope_x, -slope_y, type(x)(1.0))), -distance
    return n, distance


@wp.func
def closest_ground(center: Any, field: Any, model: Any):
    """The same with more care: the nearest of the cells around the centre, and of where the planes lead."""
    n, distance = nearest_ground(center, center[0], center[1], field, model)
    if distance < center[0] - center[0]:
        return n, distance
    i = cell_of(center[0], field.origin[0], field.spacing, field.columns)
    j = cell_of(center[1], field.origin[1], field.spacing, field.rows)
    for place in range(9):
        column = i + place / 3 - 1
        row = j + place % 3 - 1
        if column >= -1 and column < field.columns and row >= -1 and row < field.rows:
            n_cell, distance_cell = nearest_of_cell(center, column, row, field, model)
            if distance_cell < distance:
                n = n_cell
                distance = distance_cell
    return n, distance
