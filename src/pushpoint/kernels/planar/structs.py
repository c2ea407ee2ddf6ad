"""The records and arrays that the planar kernels see, grouped by who may change them.

Constant: `Model`, `Obstacles`, `Numerics`. Commanded: `Drive`. Changing: `Motion`. Scratch: `Work`. Out: `Tally`,
`Samples`. One record per link sits at k = place(w, i) of an array, those of its support points and contacts at nth(k,
p, most); the record of a joint sits with the link behind it.

Symbols: e link direction, J rear joint point, W generalised force direction about J, P impulse [N s], gamma relative
velocity [m/s], F - G gamma a linearised law, K x = f a link's equation for its twist x.
"""

from functools import cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from pushpoint.kernels.planar.selves.structs import self_contacts
from pushpoint.kernels.structs import common

MOST_CONTACTS = wp.constant(12)
"""Contacts with obstacles that one link can hold at a time."""
MOST_NEAR = wp.constant(24)
"""Obstacles that one link can have in its neighbourhood."""
MOST_SELF = wp.constant(32)
"""Contacts between links of one robot at a time; two links side by side have two."""
SELF_FEATURES = wp.constant(4)
"""Ends with which two links of one robot touch each other."""
FEATURES = wp.constant(64)
"""Ends and corners that tell contacts of one link with one obstacle apart: key = obstacle * FEATURES + feature."""
MOST_EDGES = wp.constant(20)
"""Edges of one stretch of rim; each can touch either end of a link, or its side with a corner."""


def _constant(real: Any, vec2: Any, vec3: Any) -> SimpleNamespace:
    both = common(real)

    @wp.struct
    class LinkModel:
        length: real  # rear joint to front joint [m]
        to_mass: real  # rear joint to centre of mass [m]
        mass: real
        inertia: real  # about the centre of mass
        inverse_mass: real
        inverse_inertia: real
        radius: real  # of the capsule
        side_rear: real  # rear joint to the rear end of the straight side [m]
        side_front: real
        spin_bound: real  # largest spin torque of the ground [N m]
        law: int  # row of the friction law outside all regions
        n_points: int
        central: int  # whether obstacles push at the centre of mass, across the link: 1 or 0

    @wp.struct
    class PointModel:
        to_point: real  # rear joint to support point [m]
        share: real  # of the link's weight
        weight: real  # carried here [N]
        r: real  # augmentation, a mass [kg]
        inverse_r: real
        law: int  # row of a wheel's own law; -1: that of the link or the region
        direction: vec2  # that the law calls along, in the link's frame
        arm: vec2  # moments about the rear joint of unit forces along and across it [m]

    @wp.struct
    class LawModel:
        largest: real  # largest friction coefficient [-], or viscous coefficient [N s/m]
        scale: vec3  # coefficients over the largest: sliding forward, backward, across
        code: int
        directional: int  # flow rule: 0 associated, 1 directional
        stick_surplus: real  # how much larger the coefficients are at standstill, relative [-]
        stribeck_speed: real

    @wp.struct
    class WorldModel:
        mass: real
        gravity: real
        first_region: int  # its regions: first ... last - 1, later ones on top
        last_region: int
        self_contact: int  # whether links of the robot touch each other
        self_friction: real

    @wp.struct
    class Model:
        n_links: int
        world_stride: int
        link_stride: int
        plane: int  # records of one slot per link, of all worlds together
        row_factor: wp.int64  # of tables that worlds share, see shared_row
        row_shift: wp.int64
        world_row: int  # 1: each world has its own row of `worlds`, 0: they share one
        most_points: int
        n_regions: int
        links: wp.array(dtype=LinkModel)
        points: wp.array(dtype=PointModel)
        laws: wp.array(dtype=LawModel)
        regions: wp.array(dtype=both.RegionModel)
        region_vertices: wp.array(dtype=vec2)
        worlds: wp.array(dtype=WorldModel)

    @wp.struct
    class ObstacleModel:  # the hull of its vertices, grown by the radius: one vertex a peg, two a wall, more a polygon
        # or, of a polygon that is hollow or has very many corners, a stretch of its rim: edges from vertex to vertex
        vertex: vec2  # the first, and a peg's only one
        radius: real
        friction: real
        restitution: real
        deepest: real  # overlap at which the scheme has lost it [m]
        first_vertex: int  # its vertices are rows of `vertices`, counter-clockwise
        n_vertices: int
        first_edge: int  # of a stretch of rim: all edges of its polygon are first_edge ... last_edge - 1
        last_edge: int  # 0 for anything else

    @wp.struct
    class VertexModel:
        H: vec2
        along: vec2  # direction of the edge to the next vertex, counter-clockwise
        length: real  # of that edge [m]

    @wp.struct
    class Obstacles:
        obstacles: wp.array(dtype=ObstacleModel)
        vertices: wp.array(dtype=VertexModel)
        grids: wp.array(dtype=both.Grid)
        cell_start: wp.array(dtype=int)
        cell_obstacle: wp.array(dtype=int)

    return SimpleNamespace(
        LinkModel=LinkModel, PointModel=PointModel, LawModel=LawModel, WorldModel=WorldModel, Model=Model,
        ObstacleModel=ObstacleModel, VertexModel=VertexModel, Obstacles=Obstacles,
    )  # fmt: skip


def _commanded(real: Any, vec3: Any) -> SimpleNamespace:
    both = common(real)

    @wp.struct
    class Drive:
        source: int  # where references come from: GAIT, TABLE_HELD or TABLE_CUBIC
        steps_per_node: int
        steps_past: int  # of the table's first node, where a launch begins
        loaded: int  # whether loads are looked at
        row_factor: wp.int64  # of tables that worlds share, see shared_row
        row_shift: wp.int64
        motors: wp.array(dtype=both.MotorModel)
        joints: wp.array(dtype=both.JointDrive)
        worlds: wp.array(dtype=both.WorldDrive)
        loads: wp.array(dtype=vec3)  # external force and torque about the centre of mass
        table_angle: wp.array3d(dtype=real)  # [world, node, joint]
        table_rate: wp.array3d(dtype=real)

    return SimpleNamespace(Drive=Drive)


def _changing(real: Any, vec2: Any) -> SimpleNamespace:
    both, own = common(real), self_contacts(real, vec2)

    @wp.struct
    class LinkMotion:
        theta: real
        omega: real
        v: vec2  # of the centre of mass
        P_spin: real
        P_stop: real  # of an end stop on the joint in front
        near_slack: real  # how far the link may still move before its list of neighbours is stale [m]
        n_near: int
        n_contacts: int

    @wp.struct
    class ContactMotion:
        P_contact: vec2  # (normal, tangential)
        contact_key: int

    @wp.struct
    class WorldMotion:
        center: vec2  # centre of mass of the robot
        step: int
        status: int
        n_self: int  # contacts between links in the last step
        touching: int  # the same in this step
        overlap: real  # of links among themselves, the deepest of all steps
        turn: real  # of a link in a step, the largest of all

    @wp.struct
    class Motion:
        worlds: wp.array(dtype=WorldMotion)
        links: wp.array(dtype=LinkMotion)
        points: wp.array(dtype=vec2)  # scaled impulses z of the support points
        contacts: wp.array(dtype=ContactMotion)
        selves: wp.array(dtype=own.SelfMotion)
        near: wp.array(dtype=both.NearMotion)  # obstacles around a link, ascending

    return SimpleNamespace(
        LinkMotion=LinkMotion, ContactMotion=ContactMotion, WorldMotion=WorldMotion, Motion=Motion,
        **vars(own),
    )  # fmt: skip


def _scratch(real: Any, vec2: Any, vec3: Any, mat22: Any, mat33: Any) -> SimpleNamespace:
    both = common(real)

    @wp.struct
    class LinkWork:
        e: vec2
        J: vec2
        f_smooth: vec3
        drift: vec2  # what the turning of arms adds to the velocity of J in half a step
        inward: real  # the same at one metre ahead of J, toward it [1/s]
        K: mat33  # kept where links may touch each other; after the sweep the tail's is the whole robot's inverse
        x: vec3
        spin_F: real
        spin_G: real
        spin_P: real
        answer: vec3  # impulses where links touch each other, then the twist that they give

    @wp.struct
    class JointWork:
        row: vec3  # third row of K with what the links in front hand down
        moment: real  # third entry of f likewise
        d: real  # joint rate if the link behind stood still
        inverse_D: real
        rate: real  # joint rate at the end of the step
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
        column: vec3  # third column of K likewise; kept where links touch each other
        answer: real  # joint rate that impulses there give

    @wp.struct
    class PointWork:
        F: vec2
        G: mat22
        S: vec2
        drift: vec2  # what the turning of arms adds to its velocity in half a step, along and across
        z: vec2  # impulse that the link felt, in the law's coordinates
        d: vec2  # direction that the law calls along, world axes
        bound: real  # largest impulse in this step [N s]; of a viscous law its impulse per speed [N s^2/m]
        law: int  # row of the law at this place

    @wp.struct
    class ContactWork:
        W_N: vec3  # normal and its moment arm about J
        W_T: vec3
        r: vec2
        inverse_r: vec2
        to_axis: real  # from J to the point of the axis through which the normal acts [m]
        drift: vec2  # what the turning of arms adds to its velocity in half a step
        target: real  # normal velocity aimed at: the rebound of an impact, or a slow way out of penetration
        rebound: real
        mu: real
        F: vec2
        G: mat22
        P: vec2  # impulse that the link felt
        P_next: vec2  # its projection
        key: int

    @wp.struct
    class Work:
        worlds: wp.array(dtype=both.WorldWork)
        links: wp.array(dtype=LinkWork)
        joints: wp.array(dtype=JointWork)
        points: wp.array(dtype=PointWork)
        contacts: wp.array(dtype=ContactWork)
        n_contacts: wp.array(dtype=int)
        coupling: wp.array(dtype=mat22)  # [contact, other] of a world: what impulses at the other do to this one

    return SimpleNamespace(
        LinkWork=LinkWork, JointWork=JointWork, PointWork=PointWork, ContactWork=ContactWork, Work=Work
    )


def _out(real: Any, vec2: Any) -> SimpleNamespace:
    both = common(real)

    @wp.struct
    class LinkTally:  # impulses summed since the start, world axes; torques about the link's centre of mass
        ground: vec2
        obstacle: vec2
        load: vec2
        own: vec2  # of other links that it touches
        ground_torque: real
        obstacle_torque: real
        side: real  # obstacle impulse toward the link's left

    @wp.struct
    class LinkStart:  # at the start of the step
        v: vec2
        omega: real

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
        push: vec2
        rub: vec2  # of friction alone

    @wp.struct
    class Tally:
        worlds: wp.array(dtype=both.WorldTally)
        links: wp.array(dtype=LinkTally)
        joints: wp.array(dtype=both.JointTally)
        obstacles: wp.array(dtype=real)
        # On request; of no length otherwise. Only the detailed kernel fills them.
        starts: wp.array(dtype=LinkStart)
        works: wp.array(dtype=LinkWorks)
        touches: wp.array(dtype=real)  # contacts that pushed, summed over steps
        reactions: wp.array(dtype=Reaction)

    @wp.struct
    class Samples:
        every: int  # steps from sample to sample; 0: none
        first: int  # number of the sample in the first row
        with_obstacles: int
        center: wp.array2d(dtype=vec2)
        theta: wp.array3d(dtype=real)
        v: wp.array3d(dtype=vec2)
        omega: wp.array3d(dtype=real)
        reference: wp.array3d(dtype=real)
        ground: wp.array3d(dtype=vec2)
        obstacle: wp.array3d(dtype=vec2)
        side: wp.array3d(dtype=real)
        load: wp.array3d(dtype=vec2)
        own: wp.array3d(dtype=vec2)
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
        push_on: wp.array2d(dtype=vec2)  # [sample, obstacle]
        rub_on: wp.array2d(dtype=vec2)

    return SimpleNamespace(
        LinkTally=LinkTally, LinkStart=LinkStart, LinkWorks=LinkWorks, Reaction=Reaction, Tally=Tally, Samples=Samples
    )


@cache
def family(real: Any) -> SimpleNamespace:
    """The structs for one scalar type, with those that both engines share."""
    vec2, vec3 = wp.types.vector(2, real), wp.types.vector(3, real)
    mat22, mat33 = wp.types.matrix((2, 2), real), wp.types.matrix((3, 3), real)
    parts = (
        _constant(real, vec2, vec3),
        _commanded(real, vec3),
        _changing(real, vec2),
        _scratch(real, vec2, vec3, mat22, mat33),
        _out(real, vec2),
    )
    return SimpleNamespace(**{name: value for part in (common(real), *parts) for name, value in vars(part).items()})
