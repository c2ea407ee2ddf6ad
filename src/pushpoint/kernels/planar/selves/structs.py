"""Records of contacts between links of one planar robot; see `structs`."""

from types import SimpleNamespace
from typing import Any

import warp as wp


def self_contacts(real: Any, vec2: Any) -> SimpleNamespace:
    """The records for one scalar type.

    What is kept from step to step and what lives for one step share a record: every array that the kernels know costs
    time, whether it is used or not.
    """

    @wp.struct
    class SelfMotion:  # a contact of link_a and link_b; n points to link_a
        P_self: vec2  # impulse of the last step
        self_key: int
        n: vec2
        arm_a: vec2  # from J to the place of contact, which both links share
        arm_b: vec2
        target: real
        alone: vec2  # what the two links alone oppose, along the normal and across [kg]
        P: vec2  # impulse that the links felt
        P_next: vec2
        gamma: vec2
        link_a: int
        link_b: int
        key: int

    return SimpleNamespace(SelfMotion=SelfMotion)
