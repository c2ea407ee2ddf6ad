"""Records of contacts between links of one planar robot, and of what answers impulses on a chain; see `structs`."""

from types import SimpleNamespace
from typing import Any

import warp as wp


def self_scratch(real: Any, vec2: Any, vec3: Any, mat33: Any) -> SimpleNamespace:
    """The records for one scalar type."""

    @wp.struct
    class SelfWork:  # a contact of link_a and link_b; n points to link_a
        n: vec2
        arm_a: vec2  # from J to the place of contact, which both links share
        arm_b: vec2
        to_axis_a: real  # from J to the points of the axes through which the normal acts [m]
        to_axis_b: real
        drift: vec2  # what the turning of arms adds to their velocity past each other in half a step
        target: real
        alone: vec2  # what the two links alone oppose, along the normal and across [kg]
        P: vec2  # impulse that the links felt
        P_next: vec2
        gamma: vec2
        link_a: int
        link_b: int
        key: int

    @wp.struct
    class LinkAnswer:  # impulse and moment about J, then the twist that those of all links give
        x: vec3

    @wp.struct
    class JointAnswer:
        column: vec3  # K S with what the links in front hand down; kept where links touch each other
        rate: real  # that the impulses give

    @wp.struct
    class TailWork:  # what solves the tail's equation; kept where links touch each other
        inverse_K: mat33

    return SimpleNamespace(SelfWork=SelfWork, LinkAnswer=LinkAnswer, JointAnswer=JointAnswer, TailWork=TailWork)
