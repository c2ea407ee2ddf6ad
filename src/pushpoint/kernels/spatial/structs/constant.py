"""What stays as it is: robot, ground, obstacles."""

from types import SimpleNamespace
from typing import Any

import warp as wp

from pushpoint.kernels.structs import common


def constant(real: Any, vec2: Any, vec3: Any, mat33: Any) -> SimpleNamespace:
    """The records for one scalar type."""

    @wp.struct
    class LinkModel:
        length: real  # rear joint to front joint [m]
        to_mass: real  # rear joint to centre of mass [m]
        mass: real
        inertia: vec3  # about the centre of mass, link frame
        least_inertia: real  # the smallest of them
        inverse_mass: real
        inverse_inertia: vec3
        lever: real  # mass times to_mass over length: the first moment about the rear joint, per `along` [kg]
        gap: real  # distance between the two axes of the joint in front [m]
        middle: real  # rear joint to the middle of the straight side [m]
        reach: real  # everything of the link lies within this distance of the middle [m]
        radius: real
        core: vec3  # half edges of the link's box inside its rounding; a round link's has no width [m]
        rounding: real
        law: int  # row of the ground's friction law outside all regions
        n_spheres: int  # its own, then those of wheels
        n_own: int  # without wheels
        n_resting: int  # spheres on which it lies on flat ground
        n_bars: int
        n_axes: int  # of the joint in front

    @wp.struct
    class SphereModel:
        center: vec3  # from the rear joint, link frame
        radius: real
        r: vec3  # augmentations on flat ground, of a link that lies on it: normal, friction [kg], turning [kg m^2]
        inverse_r: vec3

    @wp.struct
    class WheelModel:
        axle: vec3  # to the left, link frame
        law: int

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
        plane: int  # records of one slot per link, of all worlds together
        row_factor: wp.int64  # of tables that worlds share, see shared_row
        row_shift: wp.int64
        world_row: int  # 1: each world has its own row of `worlds`, 0: they share one
        most_spheres: int
        most_wheels: int
        most_bars: int
        n_regions: int
        links: wp.array(dtype=LinkModel)
        spheres: wp.array(dtype=SphereModel)
        wheels: wp.array(dtype=WheelModel)
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
    class ObstacleModel:  # an endless upright cylinder, a box, a cylinder with ends or a wedge
        shape: int  # PEG, BOX, ROUND or WEDGE
        center: vec3
        axes: mat33  # rows: its own x, y, z; it is round about z
        half: vec3  # half the edges of a box or of the box around a wedge [m]
        radius: real  # of a round one
        inner: real  # of a tube, 0 for a full cylinder
        low: real  # how far a cylinder with ends reaches from its centre, against its z and along it
        high: real
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
        LinkModel=LinkModel, SphereModel=SphereModel, WheelModel=WheelModel, BarModel=BarModel, LawModel=LawModel,
        WorldModel=WorldModel, FieldModel=FieldModel, Model=Model, ObstacleModel=ObstacleModel, Obstacles=Obstacles,
    )  # fmt: skip
