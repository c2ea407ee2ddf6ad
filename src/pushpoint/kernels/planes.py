"""Vectors and matrices in planes: one row of numbers per component, so that neighbouring worlds are neighbours in each.

A GPU moves the numbers of neighbouring threads together when they lie side by side. Vectors one after the other would
spread them: of three components, each would be fetched with the other two.
"""

from __future__ import annotations

from typing import Any

import warp as wp


@wp.func
def vec2_at(plane: wp.array2d(dtype=Any), k: int):
    """The vector in column k."""
    return wp.vector(plane[0, k], plane[1, k])


@wp.func
def vec3_at(plane: wp.array2d(dtype=Any), k: int):
    """The vector in column k."""
    return wp.vector(plane[0, k], plane[1, k], plane[2, k])


@wp.func
def vec4_at(plane: wp.array2d(dtype=Any), k: int):
    """The vector in column k."""
    return wp.vector(plane[0, k], plane[1, k], plane[2, k], plane[3, k])


@wp.func
def mat22_at(plane: wp.array2d(dtype=Any), k: int):
    """The matrix in column k, row by row."""
    return wp.matrix_from_rows(wp.vector(plane[0, k], plane[1, k]), wp.vector(plane[2, k], plane[3, k]))


@wp.func
def mat33_at(plane: wp.array2d(dtype=Any), k: int):
    """The matrix in column k, row by row."""
    return wp.matrix_from_rows(
        wp.vector(plane[0, k], plane[1, k], plane[2, k]),
        wp.vector(plane[3, k], plane[4, k], plane[5, k]),
        wp.vector(plane[6, k], plane[7, k], plane[8, k]),
    )


@wp.func
def put_vec2(plane: wp.array2d(dtype=Any), k: int, value: Any):
    """Writes a vector into column k."""
    plane[0, k] = value[0]
    plane[1, k] = value[1]


@wp.func
def put_vec3(plane: wp.array2d(dtype=Any), k: int, value: Any):
    """Writes a vector into column k."""
    plane[0, k] = value[0]
    plane[1, k] = value[1]
    plane[2, k] = value[2]


@wp.func
def put_vec4(plane: wp.array2d(dtype=Any), k: int, value: Any):
    """Writes a vector into column k."""
    plane[0, k] = value[0]
    plane[1, k] = value[1]
    plane[2, k] = value[2]
    plane[3, k] = value[3]


@wp.func
def put_mat22(plane: wp.array2d(dtype=Any), k: int, value: Any):
    """Writes a matrix into column k."""
    plane[0, k] = value[0, 0]
    plane[1, k] = value[0, 1]
    plane[2, k] = value[1, 0]
    plane[3, k] = value[1, 1]


@wp.func
def put_mat33(plane: wp.array2d(dtype=Any), k: int, value: Any):
    """Writes a matrix into column k."""
    plane[0, k] = value[0, 0]
    plane[1, k] = value[0, 1]
    plane[2, k] = value[0, 2]
    plane[3, k] = value[1, 0]
    plane[4, k] = value[1, 1]
    plane[5, k] = value[1, 2]
    plane[6, k] = value[2, 0]
    plane[7, k] = value[2, 1]
    plane[8, k] = value[2, 2]


KINDS = {(2,): "vec2", (3,): "vec3", (4,): "vec4", (2, 2): "mat22", (3, 3): "mat33"}
"""What a column may hold, by its shape: `vec2_at` reads it, `put_vec2` writes it."""
