"""What a step changes."""

from types import SimpleNamespace
from typing import Any

import warp as wp

from pushpoint.kernels.structs import common


def changing(real: Any, vec3: Any, vec4: Any) -> SimpleNamespace:
    """The records for one scalar type."""

    @wp.struct
    class WorldMotion:
        center: vec3  # centre of mass of the robot
        tail: vec4  # orientation of the tail link, (w, x, y, z)
        step: int
        status: int
        n_self: int  # contacts between links in the last step
        refused: int  # contacts with peaks that found no room, of all steps
        overlap: real  # of links among themselves, the deepest of all steps
        turn: real  # of a link in a step, the largest of all

    @wp.struct
    class LinkMotion:
        v: vec3  # of the centre of mass
        omega: vec3  # link frame
        v_change: vec3  # of the twist at J in the last step: where the next one begins its search
        w_change: vec3
        near_slack: real  # how far the link may still move before its list of neighbours is stale [m]
        n_near: int
        n_contacts: int

    @wp.struct
    class JointMotion:
        angle: real
        rate: real
        P_stop: real  # of an end stop

    @wp.struct
    class ContactMotion:
        P_contact: vec3
        Q_contact: vec3
        contact_key: int

    @wp.struct
    class SelfMotion:
        P_self: vec3
        self_key: int

    @wp.struct
    class Motion:
        worlds: wp.array(dtype=WorldMotion)
        links: wp.array(dtype=LinkMotion)
        joints: wp.array(dtype=JointMotion)
        contacts: wp.array(dtype=ContactMotion)
        selves: wp.array(dtype=SelfMotion)
        near: wp.array(dtype=common(real).NearMotion)  # obstacles around a link, ascending

    return SimpleNamespace(
        WorldMotion=WorldMotion, LinkMotion=LinkMotion, JointMotion=JointMotion, ContactMotion=ContactMotion,
        SelfMotion=SelfMotion, Motion=Motion,
    )  # fmt: skip
