"""What comes out: tallies and samples."""

from types import SimpleNamespace
from typing import Any

import warp as wp

from pushpoint.kernels.structs import common


def out(real: Any, vec3: Any, vec4: Any) -> SimpleNamespace:
    """The records for one scalar type."""

    both = common(real)

    @wp.struct
    class LinkTally:  # impulses summed since the start, world axes
        ground: vec3
        obstacle: vec3
        load: vec3
        own: vec3  # of other links that it touches
        side: real  # obstacle impulse toward the link's left

    @wp.struct
    class Tally:
        worlds: wp.array(dtype=both.WorldTally)
        links: wp.array(dtype=LinkTally)
        joints: wp.array(dtype=both.JointTally)
        obstacles: wp.array(dtype=real)

    @wp.struct
    class Samples:
        every: int  # steps from sample to sample; 0: none
        first: int  # number of the sample in the first row
        with_obstacles: int
        center: wp.array2d(dtype=vec3)
        tail: wp.array2d(dtype=vec4)
        angle: wp.array3d(dtype=real)
        rate: wp.array3d(dtype=real)
        v: wp.array3d(dtype=vec3)
        omega: wp.array3d(dtype=vec3)
        reference: wp.array3d(dtype=real)
        ground: wp.array3d(dtype=vec3)
        obstacle: wp.array3d(dtype=vec3)
        side: wp.array3d(dtype=real)
        load: wp.array3d(dtype=vec3)
        own: wp.array3d(dtype=vec3)
        motor: wp.array3d(dtype=real)
        motor_work: wp.array3d(dtype=real)
        load_on: wp.array2d(dtype=real)  # [sample, obstacle]
        iterations: wp.array2d(dtype=int)
        residual: wp.array2d(dtype=real)
        penetration: wp.array2d(dtype=real)
        unconverged: wp.array2d(dtype=int)

    return SimpleNamespace(LinkTally=LinkTally, Tally=Tally, Samples=Samples)
