"""The arrays that kernels see, grouped by who may change them.

Constant: `Chain`, `Ground`, `Pegs`, `Numerics`. Commanded: `Drive`. Changing: `Motion`. Scratch: `Work`. Out: `Tally`,
`Samples`. Index order is [world w, link i or joint j, point p or contact c]; pegs are rows with one offset per world.

Symbols: e link direction, J rear joint point, M midpoint of the step, W generalised force direction about J,
P impulse [N s], gamma relative velocity [m/s], F - G gamma a linearised law, K x = f a link's equation for its twist x.
"""

from functools import cache
from types import SimpleNamespace
from typing import Any

import warp as wp

MOST_CONTACTS = 6
"""Contacts with pegs that one link can hold at a time."""
MOST_NEAR = 24
"""Pegs that one link can have in its neighbourhood."""

LAW_NONE = wp.constant(0)
LAW_CONE = wp.constant(1)
LAW_RECTANGLE = wp.constant(2)
LAW_VISCOUS = wp.constant(3)

DRIVE_SERVO = wp.constant(0)
DRIVE_TORQUE = wp.constant(1)
DRIVE_PRESCRIBED = wp.constant(2)

RUNNING = wp.constant(0)
DIVERGED = wp.constant(1)
TOO_MANY_CONTACTS = wp.constant(2)
TOO_MANY_NEAR = wp.constant(3)
SUNK_IN = wp.constant(4)

GAIT = wp.constant(0)
TABLE_HELD = wp.constant(1)
TABLE_CUBIC = wp.constant(2)


@cache
def family(real: Any) -> SimpleNamespace:
    """The structs for one scalar type, with its vectors and matrices."""
    vec2, vec3 = wp.types.vector(2, real), wp.types.vector(3, real)
    mat22, mat33 = wp.types.matrix((2, 2), real), wp.types.matrix((3, 3), real)

    @wp.struct
    class Chain:
        n_links: int
        length: wp.array2d(dtype=real)  # rear joint to front joint [m]
        to_mass: wp.array2d(dtype=real)  # rear joint to centre of mass [m]
        mass: wp.array2d(dtype=real)
        inertia: wp.array2d(dtype=real)  # about the centre of mass
        radius: wp.array2d(dtype=real)  # of the capsule
        side_rear: wp.array2d(dtype=real)  # rear joint to the rear end of the straight side [m]
        side_front: wp.array2d(dtype=real)
        total_mass: wp.array(dtype=real)

    @wp.struct
    class Ground:
        law: wp.array2d(dtype=int)
        directional: wp.array2d(dtype=int)  # flow rule: 0 associated, 1 directional
        scale: wp.array2d(dtype=vec3)  # coefficients over the largest: sliding forward, backward, across
        n_points: wp.array2d(dtype=int)
        to_point: wp.array3d(dtype=real)  # rear joint to support point [m]
        bound: wp.array3d(dtype=real)  # largest force [N], or largest viscous coefficient [N s/m]
        r: wp.array3d(dtype=real)  # augmentation, a mass [kg]
        spin_bound: wp.array2d(dtype=real)  # largest spin torque [N m]
        gravity: wp.array(dtype=real)

    @wp.struct
    class Pegs:
        first: wp.array(dtype=int)  # first row of each world, shape (n_worlds + 1,)
        center: wp.array(dtype=vec2)
        radius: wp.array(dtype=real)
        friction: wp.array(dtype=real)
        restitution: wp.array(dtype=real)
        reach: wp.array(dtype=real)  # largest radius in the world [m]
        origin: wp.array(dtype=vec2)  # of the world's grid
        cell: wp.array(dtype=real)  # width of a grid cell [m]
        columns: wp.array(dtype=int)
        rows: wp.array(dtype=int)
        first_cell: wp.array(dtype=int)  # first entry of each world in cell_start
        cell_start: wp.array(dtype=int)
        cell_peg: wp.array(dtype=int)

    @wp.struct
    class Numerics:
        dt: real
        newton: int  # 1 semi-smooth Newton, 0 the papers' prox iteration
        tolerance: real  # residual at which a step is solved, in units of the velocity that gravity gives in a step
        max_iterations: int
        stiffness: real  # rho: how much stiffer than its own mass a closed contact is linearised
        active_gap: real  # a contact exists below this gap [m]
        slop: real  # penetration left alone [m]
        feedback: real  # share of the penetration removed per step
        feedback_speed: real  # limit of that correction [m/s]
        impact_speed: real  # slower contacts do not bounce [m/s]
        near_margin: real  # width of the neighbourhood around a link [m]

    @wp.struct
    class Drive:
        mode: wp.array2d(dtype=int)
        stiffness: wp.array2d(dtype=real)
        damping: wp.array2d(dtype=real)
        torque_limit: wp.array2d(dtype=real)
        source: int  # where references come from: GAIT, TABLE_HELD or TABLE_CUBIC
        offset: wp.array2d(dtype=real)  # gait: offset + ramp(t) (sine sin(w t) + cosine cos(w t))
        sine: wp.array2d(dtype=real)
        cosine: wp.array2d(dtype=real)
        angular_frequency: wp.array(dtype=real)
        soft_start: wp.array(dtype=real)  # duration of the ramp [s]
        table_angle: wp.array3d(dtype=real)  # [world, node, joint]
        table_rate: wp.array3d(dtype=real)
        steps_per_node: int
        torque: wp.array2d(dtype=real)
        load: wp.array2d(dtype=vec3)  # external force and torque about the centre of mass

    @wp.struct
    class Motion:
        step: wp.array(dtype=int)
        center: wp.array(dtype=vec2)  # centre of mass of the robot
        theta: wp.array2d(dtype=real)
        v: wp.array2d(dtype=vec2)  # of the links' centres of mass
        omega: wp.array2d(dtype=real)
        P_ground: wp.array3d(dtype=vec2)  # scaled impulses z of the support points
        P_spin: wp.array2d(dtype=real)
        n_contacts: wp.array2d(dtype=int)
        contact_peg: wp.array3d(dtype=int)
        P_contact: wp.array3d(dtype=vec2)  # (normal, tangential)
        n_near: wp.array2d(dtype=int)
        near: wp.array3d(dtype=int)  # pegs around a link, ascending
        near_slack: wp.array2d(dtype=real)  # how far the link may still move before the list is stale [m]
        status: wp.array(dtype=int)

    @wp.struct
    class Work:
        e: wp.array2d(dtype=vec2)
        J: wp.array2d(dtype=vec2)
        f_smooth: wp.array2d(dtype=vec3)
        K: wp.array2d(dtype=mat33)
        f: wp.array2d(dtype=vec3)
        x: wp.array2d(dtype=vec3)
        row: wp.array2d(dtype=vec3)  # third row of K with what the links in front hand down
        moment: wp.array2d(dtype=real)  # third entry of f likewise
        d: wp.array2d(dtype=real)  # joint rate if the link behind stood still
        inverse_D: wp.array2d(dtype=real)
        rate: wp.array2d(dtype=real)  # joint rate at the end of the step
        b: wp.array2d(dtype=real)  # motor impulse = b - kappa rate
        kappa: wp.array2d(dtype=real)
        bound: wp.array2d(dtype=real)  # motor's largest impulse
        side: wp.array2d(dtype=int)  # -1, 0, 1: at the lower bound, free, at the upper bound
        P_motor: wp.array2d(dtype=real)
        point_F: wp.array3d(dtype=vec2)
        point_G: wp.array3d(dtype=mat22)
        point_S: wp.array3d(dtype=vec2)
        point_P: wp.array3d(dtype=vec2)  # impulse that the link felt, link frame
        spin_F: wp.array2d(dtype=real)
        spin_G: wp.array2d(dtype=real)
        spin_P: wp.array2d(dtype=real)
        n_contacts: wp.array2d(dtype=int)
        contact_peg: wp.array3d(dtype=int)
        contact_N: wp.array3d(dtype=vec3)  # W_N: normal and its moment arm about J
        contact_T: wp.array3d(dtype=vec3)  # W_T
        contact_r: wp.array3d(dtype=vec2)
        contact_target: wp.array3d(dtype=real)
        contact_radius: wp.array3d(dtype=real)  # averaged friction bound, for the safeguard
        contact_F: wp.array3d(dtype=vec2)
        contact_G: wp.array3d(dtype=mat22)
        contact_P: wp.array3d(dtype=vec2)  # impulse that the link felt
        contact_next: wp.array3d(dtype=vec2)  # its projection

    @wp.struct
    class Tally:
        ground: wp.array2d(dtype=vec2)  # impulses summed since the start, world axes
        ground_torque: wp.array2d(dtype=real)  # about the link's centre of mass
        obstacle: wp.array2d(dtype=vec2)
        obstacle_torque: wp.array2d(dtype=real)
        side: wp.array2d(dtype=real)  # obstacle impulse toward the link's left
        load: wp.array2d(dtype=vec2)  # external
        motor: wp.array2d(dtype=real)
        motor_work: wp.array2d(dtype=real)
        peg: wp.array(dtype=real)
        iterations: wp.array(dtype=int)  # largest since the last sample, and so the next two
        residual: wp.array(dtype=real)
        penetration: wp.array(dtype=real)
        unconverged: wp.array(dtype=int)  # steps since the start

    @wp.struct
    class Samples:
        every: int  # steps from sample to sample; 0: none
        with_pegs: int
        center: wp.array2d(dtype=vec2)
        theta: wp.array3d(dtype=real)
        v: wp.array3d(dtype=vec2)
        omega: wp.array3d(dtype=real)
        reference: wp.array3d(dtype=real)
        ground: wp.array3d(dtype=vec2)
        obstacle: wp.array3d(dtype=vec2)
        side: wp.array3d(dtype=real)
        load: wp.array3d(dtype=vec2)
        motor: wp.array3d(dtype=real)
        motor_work: wp.array3d(dtype=real)
        peg: wp.array2d(dtype=real)  # [sample, peg]
        iterations: wp.array2d(dtype=int)
        residual: wp.array2d(dtype=real)
        penetration: wp.array2d(dtype=real)
        unconverged: wp.array2d(dtype=int)

    return SimpleNamespace(
        real=real,
        vec2=vec2,
        vec3=vec3,
        mat22=mat22,
        mat33=mat33,
        Chain=Chain,
        Ground=Ground,
        Pegs=Pegs,
        Numerics=Numerics,
        Drive=Drive,
        Motion=Motion,
        Work=Work,
        Tally=Tally,
        Samples=Samples,
    )
