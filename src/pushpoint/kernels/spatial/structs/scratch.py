"""What lives for one step."""

from types import SimpleNamespace
from typing import Any

import warp as wp

from pushpoint.kernels.spatial.selves.structs import self_scratch
from pushpoint.kernels.structs import common


def scratch(real: Any, vec2: Any, vec3: Any, vec4: Any, mat33: Any) -> SimpleNamespace:
    """The records for one scalar type."""

    both = common(real)
    mat22 = wp.types.matrix((2, 2), real)

    @wp.struct
    class LinkWork:
        R: mat33
        J: vec3
        along: vec3  # from J to the front joint's first axis
        between: vec3  # from the first to the second axis of the joint in front
        inertia: mat33  # about J, world axes
        f_v: vec3  # smooth impulse and its moment about J
        f_w: vec3
        v: vec3  # twist at J, without drift
        w: vec3
        drift_v: vec3  # what the turning of axes and arms adds to the twist in half a step
        drift_w: vec3
        drift_mass: vec3  # the same of the centre of mass
        way_w: vec3  # angular velocity that the drift was made with: the tail's and the joint rates, at the midpoint

    @wp.struct
    class JointWork:
        s: vec3  # the axis
        row_v: vec3  # s^T K with what the links in front hand down
        row_w: vec3
        moment: real  # s^T f likewise
        d: real  # joint rate if the link behind stood still
        inverse_D: real
        rate: real  # at the end of the step
        ref: real  # reference at the end of the step, and its rate: the next step's start
        ref_rate: real
        b: real  # motor impulse = b - kappa rate
        kappa: real
        P: real  # motor impulse that the links felt
        free_b: real  # the same of the end of the step, without torque limit and backlash
        free_kappa: real
        share: real  # of the end in the impulse
        past: real  # what the start adds to it
        stop_F: real  # impulse of an end stop = stop_F - stop_G rate
        stop_G: real
        stop_P: real
        stop_next: real  # its projection
        stop_target: real  # rate that leads back from beyond the stop
        stopped: int  # -1, 0, 1: at the lower end, free, at the upper end
        plain: int  # whether its law is a line in this step: nothing to linearise again

    @wp.struct
    class ContactWork:
        n: vec3
        t: vec3
        arm: vec3
        r: vec3  # augmentations: normal, friction [kg], turning [kg m^2]
        inverse_r: vec3
        radius: real  # of the rounding that touches [m]
        drift: vec3  # what the turning of axes and arms adds to its velocity in half a step
        target: real  # normal velocity aimed at: the rebound of an impact, or a slow way out of penetration
        rebound: real
        largest: real  # friction coefficient now
        rolling: real  # largest rolling and spin torque per normal force [m]
        spin: real
        F: vec3  # P_N = F_N - G_N gamma_N, P_T = F_T + lean P_N - G_T gamma_T
        G_N: real
        G_T: mat22
        friction_lean: vec2
        turn_F: vec3  # Q = turn_F + turn_lean P_N - turn_G (omega . n, omega . t, omega . n x t), see turning_line
        turn_G: vec4
        turn_lean: vec3
        S: vec2
        P: vec3  # impulses that the link felt
        P_next: vec3  # their projection
        Q: vec3
        Q_next: vec3
        law: int
        wheel: int  # that rolls here; -1: none
        lean: real  # of its axle out of the tangent plane, as a slope
        key: int

    own = self_scratch(real, vec3, mat33)

    @wp.struct
    class Work:
        worlds: wp.array(dtype=both.WorldWork)
        links: wp.array(dtype=LinkWork)
        joints: wp.array(dtype=JointWork)
        contacts: wp.array(dtype=ContactWork)
        n_contacts: wp.array(dtype=int)
        selves: wp.array(dtype=own.SelfWork)
        n_self: wp.array(dtype=int)
        answers: wp.array(dtype=own.LinkAnswer)
        pivots: wp.array(dtype=own.AxisAnswer)
        tails: wp.array(dtype=own.TailWork)
        coupling: wp.array(dtype=mat33)  # [world, contact, contact]: velocity at one per impulse at the other [1/kg]

    return SimpleNamespace(LinkWork=LinkWork, JointWork=JointWork, ContactWork=ContactWork, Work=Work, **vars(own))
