"""The records and arrays that the spatial kernels see, grouped as in the planar `structs`.

One record per link sits at k = place(w, i); its contact spheres at nth(k, s, most_spheres), the wheel of a sphere
beyond its own at nth(k, s - n_own, most_wheels), its bars at nth(k, b, most_bars), its contacts at
nth(k, c, MOST_CONTACTS); the axes of the joint in front of it at nth(k, a, MOST_AXES), the one nearer to the tail
first.

Symbols: R orientation of a link, J its rear joint point, n contact normal, t contact direction along the link, arm
from J to the contact, P = (normal, scaled friction along, across) impulses [N s], Q = (spin, rolling about t, rolling
about n x t) angular impulses [N m s].
"""

from functools import cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from pushpoint.kernels.spatial.structs.changing import changing
from pushpoint.kernels.spatial.structs.commanded import commanded
from pushpoint.kernels.spatial.structs.constant import constant
from pushpoint.kernels.spatial.structs.out import out
from pushpoint.kernels.spatial.structs.scratch import scratch
from pushpoint.kernels.structs import common

MOST_AXES = wp.constant(2)
"""Axes of one joint."""
MOST_CONTACTS = wp.constant(16)
"""Contacts that one link can hold at a time."""
MOST_NEAR = wp.constant(24)
"""Obstacles that one link can have in its neighbourhood."""
MOST_SELF = wp.constant(16)
"""Contacts between links of one robot at a time."""
FEATURES = wp.constant(512)
"""Ways in which one link touches one obstacle: key = (1 + obstacle) * FEATURES + feature; below FEATURES the ground."""
MOST_SPHERES = wp.constant(16)
"""Contact spheres of one link: eight corners, or two ends, and eight wheels."""
BARS_FROM = wp.constant(16)
"""First feature of contacts with edges; below are the spheres."""
PER_BAR = wp.constant(20)
"""Edges and corners of a box that one bar can touch: twelve and eight."""

CORNERS_FROM = wp.constant(300)
"""First feature of corners of a box that touch a square link's sides."""
PEAKS_FROM = wp.constant(200)
"""First feature of points of a height field that do."""

YAW = wp.constant(0)
PITCH = wp.constant(1)

PEG = wp.constant(0)
BOX = wp.constant(1)
ROUND = wp.constant(2)
WEDGE = wp.constant(3)

FLAT = wp.constant(-1)
"""No height field: the ground is a plane."""


@cache
def family(real: Any) -> SimpleNamespace:
    """The structs for one scalar type, with those that both engines share."""
    vec2, vec3, vec4 = (wp.types.vector(size, real) for size in (2, 3, 4))
    mat33 = wp.types.matrix((3, 3), real)
    parts = (
        constant(real, vec2, vec3, mat33),
        commanded(real, vec3),
        changing(real, vec3, vec4),
        scratch(real, vec2, vec3, vec4, mat33),
        out(real, vec3, vec4),
    )
    return SimpleNamespace(**{name: value for part in (common(real), *parts) for name, value in vars(part).items()})
