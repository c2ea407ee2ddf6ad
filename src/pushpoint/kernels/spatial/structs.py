"""The records and arrays that the spatial kernels see, grouped as in the planar `structs`.

One record per link sits at k = place(w, i); its contact spheres at k * most_spheres + s, its bars at k * most_bars + b,
its contacts at k * MOST_CONTACTS + c; the axes of the joint in front of it at k * MOST_AXES + a, the one nearer to
the tail first.

Symbols: R orientation of a link, J its rear joint point, n contact normal, t contact direction along the link, arm
from J to the contact, P = (normal, scaled friction along, across) impulses [N s], Q = (spin, rolling about t, rolling
about n x t) angular impulses [N m s].
"""

from functools import cache
from types import SimpleNamespace
from typing import Any

import warp as wp

from pushpoint.kernels.spatial.selves.structs import self_scratch
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
BARS_FROM = wp.constant(8)
"""First feature of contacts with edges; below are the spheres."""
PER_BAR = wp.constant(20)
"""Edges and corners of a box that one bar can touch: twelve and eight."""

CORNERS_FROM = wp.constant(300)
"""First feature of corners of a box that touch a square link's sides."""
PEAKS_FROM = wp.constant(100)
"""First feature of points of a height field that do."""

YAW = wp.constant(0)
PITCH = wp.constant(1)

PEG = wp.constant(0)
BOX = wp.constant(1)

FLAT = wp.constant(-1)
"""No height field: the ground is a plane."""


def _constant(real: Any, vec2: Any, vec3: Any, mat33: Any) -> SimpleNamespace:
    @wp.struct
    class LinkModel:
        length: real  # rear joint to front joint [m]
        to_mass: real  # rear joint to centre of mass [m]
        mass: real
        inertia: vec3  # about the centre of mass, link frame
        least_inertia: real  # the smallest of them
        gap: real  # distance between the two axes of the joint in front [m]
        middle: real  # rear joint to the middle of the straight side [m]
        reach: real  # everything of the link lies within this distance of the middle [m]
        radius: real
        core: vec3  # half edges of the link's box inside its rounding; a round link's has no width [m]
        rounding: real
        law: int  # row of the ground's friction law outside all regions
        n_spheres: int
        n_resting: int  # spheres on which it lies on flat ground
        n_bars: int
        n_axes: int  # of the joint in front

    @wp.struct
    class SphereModel:
        center: vec3  # from the rear joint, link frame
        radius: real

    @wp.struct
    class BarModel:  # a straight edge of the link's surface, rounded by a radius
        start: vec3  # from the rear joint, link frame
        end: vec3
        radius: real

    @wp.struct
    class LawModel:
        largest: real  # largest friction coefficient [-], or viscous coefficient [N s/m]
        scale: vec3  # coefficients over the largest: sliding forward, backward, across
        code: int
        directional: int  # flow rule: 0 associated, 1 directional
        stick_surplus: real  # how much larger the coefficients are at standstill, relative [-]
        stribeck_speed: real
        first_around: int  # multipliers around the link: rows of `around`
        n_around: int

    @wp.struct
    class WorldModel:
        mass: real
        gravity: real
        up: vec3  # normal of a flat ground
        rolling: real  # friction against rolling, per normal force [-]
        spin: real  # friction against spinning, torque per normal force [m]
        restitution: real
        field: int  # row of its height field, or FLAT
        first_region: int
        last_region: int
        self_contact: int  # whether links of the robot touch each other
        self_friction: real

    @wp.struct
    class FieldModel:
        first: int  # where its first height stands in `heights`; a ring that repeats the rim lies around them
        stride: int  # from column to column there
        columns: int
        rows: int
        origin: vec2
        spacing: real
        highest: real  # the largest of its heights

    @wp.struct
    class Model:
        n_links: int
        world_stride: int
        link_stride: int
        most_spheres: int
        most_bars: int
        n_regions: int
        links: wp.array(dtype=LinkModel)
        spheres: wp.array(dtype=SphereModel)
        bars: wp.array(dtype=BarModel)
        axes: wp.array(dtype=int)  # YAW or PITCH
        laws: wp.array(dtype=LawModel)
        around: wp.array(dtype=real)
        regions: wp.array(dtype=common(real).RegionModel)
        region_vertices: wp.array(dtype=vec2)
        fields: wp.array(dtype=FieldModel)
        heights: wp.array(dtype=real)
        worlds: wp.array(dtype=WorldModel)

    @wp.struct
    class ObstacleModel:  # an endless upright cylinder, or a box
        shape: int  # PEG or BOX
        center: vec3
        axes: mat33  # rows: the box's own x, y, z
        half: vec3  # half its edges [m]
        radius: real  # of a peg
        law: int
        restitution: real
        deepest: real  # overlap at which the scheme has lost it [m]
        owner: int  # row of the user's obstacle it belongs to

    @wp.struct
    class Obstacles:
        obstacles: wp.array(dtype=ObstacleModel)
        grids: wp.array(dtype=common(real).Grid)
        cell_start: wp.array(dtype=int)
        cell_obstacle: wp.array(dtype=int)
        owners: wp.array(dtype=int)  # [world + 1]: the user's obstacles of each world, first row and end

    return SimpleNamespace(
        LinkModel=LinkModel, SphereModel=SphereModel, BarModel=BarModel, LawModel=LawModel, WorldModel=WorldModel,
        FieldModel=FieldModel, Model=Model, ObstacleModel=ObstacleModel, Obstacles=Obstacles,
    )  # fmt: skip


def _commanded(real: Any, vec3: Any) -> SimpleNamespace:
    both = common(real)

    @wp.struct
    class LoadDrive:
        force: vec3
        torque: vec3  # about the centre of mass

    @wp.struct
    class Drive:
        source: int  # where references come from: GAIT, TABLE_HELD or TABLE_CUBIC
        steps_per_node: int
        loaded: int  # whether loads are looked at
        joints: wp.array(dtype=both.JointDrive)
        worlds: wp.array(dtype=both.WorldDrive)
        loads: wp.array(dtype=LoadDrive)
        table_angle: wp.array3d(dtype=real)  # [world, node, axis]
        table_rate: wp.array3d(dtype=real)

    return SimpleNamespace(LoadDrive=LoadDrive, Drive=Drive)


def _changing(real: Any, vec3: Any, vec4: Any) -> SimpleNamespace:
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


def _scratch(real: Any, vec2: Any, vec3: Any, mat33: Any) -> SimpleNamespace:
    both = common(real)

    @wp.struct
    class LinkWork:
        R: mat33
        J: vec3
        along: vec3  # from J to the front joint's first axis
        between: vec3  # from the first to the second axis of the joint in front
        inertia: mat33  # about J, world axes
        f_v: vec3  # smooth impulse and its moment about J
        f_w: vec3
        v: vec3  # twist at J
        w: vec3
        v_start: vec3  # the same at the start of the step
        w_start: vec3
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
        radius: real  # of the rounding that touches [m]
        drift: vec3  # what the turning of axes and arms adds to its velocity in half a step
        target: real  # normal velocity aimed at: the rebound of an impact, or a slow way out of penetration
        rebound: real
        largest: real  # friction coefficient now
        rolling: real  # largest rolling and spin torque per normal force [m]
        spin: real
        F: vec3  # P = F - G gamma
        G: mat33
        turn_F: vec3  # Q = turn_F - turn_G (omega . n, omega . t, omega . n x t) - turn_h gamma_N
        turn_G: mat33
        turn_h: vec3
        S: vec2
        P: vec3  # impulses that the link felt
        P_next: vec3  # their projection
        Q: vec3
        Q_next: vec3
        law: int
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


def _out(real: Any, vec3: Any, vec4: Any) -> SimpleNamespace:
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


@cache
def family(real: Any) -> SimpleNamespace:
    """The structs for one scalar type, with those that both engines share."""
    vec2, vec3, vec4 = (wp.types.vector(size, real) for size in (2, 3, 4))
    mat33 = wp.types.matrix((3, 3), real)
    parts = (
        _constant(real, vec2, vec3, mat33),
        _commanded(real, vec3),
        _changing(real, vec3, vec4),
        _scratch(real, vec2, vec3, mat33),
        _out(real, vec3, vec4),
    )
    return SimpleNamespace(**{name: value for part in (common(real), *parts) for name, value in vars(part).items()})
