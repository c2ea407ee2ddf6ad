"""Records of contacts between links of one robot, and of what answers impulses on a chain; see `structs`."""

from types import SimpleNamespace
from typing import Any

import warp as wp


def self_scratch(real: Any, vec3: Any, mat33: Any) -> SimpleNamespace:
    """The records for one scalar type."""

    @wp.struct
    class SelfWork:  # a contact of link_a and link_b; n points to link_a
        n: vec3
        t: vec3
        arm_a: vec3
        arm_b: vec3
        radius_a: real  # of the two roundings that touch [m]
        radius_b: real
        drift: vec3  # what the turning of axes and arms adds to their velocity past each other in half a step
        target: real
        alone: real  # what the two links alone oppose [kg]
        P: vec3  # impulse that the links felt
        P_next: vec3
        gamma: vec3
        link_a: int
        link_b: int
        key: int

    @wp.struct
    class LinkAnswer:  # impulse and moment about J, then the twist that those of all links give
        v: vec3
        w: vec3

    @wp.struct
    class AxisAnswer:  # one per axis
        U_v: vec3  # K s with what the links in front hand down; kept where links touch each other
        U_w: vec3
        rate: real  # that the impulses give

    @wp.struct
    class TailWork:  # what solves the tail's equation; kept where links touch each other
        inverse_A: mat33
        B: mat33
        C_A: mat33
        inverse_S: mat33

    return SimpleNamespace(SelfWork=SelfWork, LinkAnswer=LinkAnswer, AxisAnswer=AxisAnswer, TailWork=TailWork)
