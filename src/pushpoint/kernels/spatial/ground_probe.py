"""A kernel that measures how far points are from a height field."""

from functools import cache
from typing import Any

import warp as wp

from pushpoint.kernels.spatial.heights import closest_ground
from pushpoint.kernels.spatial.structs import family


@cache
def kernel(real: Any) -> Any:
    """The kernel for one scalar type: one thread per point, field 0 of the model."""
    s = family(real)

    @wp.kernel(module="unique", enable_backward=False)
    def probe(model: s.Model, points: wp.array(dtype=wp.types.vector(3, real)), found: wp.array(dtype=real)):
        k = wp.tid()
        _n, distance = closest_ground(points[k], model.fields[0], model)
        found[k] = distance

    return probe
