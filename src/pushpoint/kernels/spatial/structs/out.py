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
    class LinkStart:  # at the start of the step
        v: vec3
        omega: vec3

    @wp.struct
    class LinkWorks:  # energy that the link lost since the start, to friction and to normal forces [J]
        ground_rub: real
        obstacle_rub: real
        own_rub: real
        normal_loss: real
        stop_loss: real  # of the joint in front, to its end stops
        load_gain: real  # that loads gave

    @wp.struct
    class Reaction:  # impulses on an obstacle summed since the start, world axes
        push: vec3
        rub: vec3  # of friction alone

    @wp.struct
    class Tally:
        worlds: wp.array(dtype=both.WorldTally)
        links: wp.array(dtype=LinkTally)
        joints: wp.array(dtype=both.JointTally)
        obstacles: wp.array(dtype=real)
        # On request; of no length otherwise. Only the detailed kernel fills them.
        starts: wp.array(dtype=LinkStart)
        rates: wp.array(dtype=real)  # of the axes, at the start of the step
        works: wp.array(dtype=LinkWorks)
        touches: wp.array(dtype=real)  # contacts that pushed, summed over steps
        supported: wp.array(dtype=real)  # normal impulse of the ground per contact sphere
        moments: wp.array(dtype=vec3)  # angular impulse at the joint in front, on the link in front of it
        reactions: wp.array(dtype=Reaction)

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
        # On request.
        ground_rub: wp.array3d(dtype=real)
        obstacle_rub: wp.array3d(dtype=real)
        own_rub: wp.array3d(dtype=real)
        normal_loss: wp.array3d(dtype=real)
        stop_loss: wp.array3d(dtype=real)
        load_gain: wp.array3d(dtype=real)
        touched: wp.array3d(dtype=real)
        on_sphere: wp.array3d(dtype=real)  # [world, sample, link * most_spheres + sphere]
        moment: wp.array3d(dtype=vec3)
        push_on: wp.array2d(dtype=vec3)  # [sample, obstacle]
        rub_on: wp.array2d(dtype=vec3)

    return SimpleNamespace(
        LinkTally=LinkTally, LinkStart=LinkStart, LinkWorks=LinkWorks, Reaction=Reaction, Tally=Tally, Samples=Samples
    )
