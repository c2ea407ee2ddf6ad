"""The environment: the ground and the obstacles on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import cos, sin
from operator import attrgetter
from typing import Annotated, NamedTuple

import numpy as np

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import Many, What, at_least, between, check_fields, instance, members, real, store
from pushpoint.model.friction import FrictionLaw, Frictionless
from pushpoint.model.kinds import register
from pushpoint.model.obstacle import Hull, Obstacle, Outline, Solid, checked_holes, checked_outline
from pushpoint.model.quantities import Angle, Coefficient, Extent, Offset, Point, Radius, Share
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot
from pushpoint.model.terrain import HeightField, Pipe

STANDARD_GRAVITY = 9.81
STEEPEST = 1.57
TOUCHING = 1e-6
"""How far the inside of a pipe may reach below the ground [m]: rounding."""
A_LAW = "a friction law such as Isotropic(0.2)"
Span = Annotated[Sequence[float], real("m"), Many(2, "two numbers, from and to")]


@dataclass(frozen=True, kw_only=True)
class Region:
    """A patch of the ground with its own friction law.

    Where patches overlap, the last one in the list counts.
    """

    __repr__ = brief

    vertices: Outline
    """Corners of a simple polygon [m], in order; 3 to 1000."""
    friction: Annotated[FrictionLaw, What(A_LAW)]
    """Friction law for every support point inside the patch."""

    def __post_init__(self) -> None:
        check_fields(self, "region")
        store(self, vertices=checked_outline("region.vertices", self.vertices))

    @staticmethod
    @checked_arguments
    def rectangle(*, x: Span, y: Span, friction: Annotated[FrictionLaw, What(A_LAW)]) -> Region:
        """A rectangular patch along the axes.

        Args:
            x: Smallest and largest x [m].
            y: Smallest and largest y [m].
            friction: Friction law for every support point inside.
        """
        return Region(vertices=((x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1])), friction=friction)


@dataclass(frozen=True, kw_only=True)
class Ground:
    """The ground: its friction, gravity, slope and shape.

    The friction law may differ from link to link and from place to place. Rolling friction, restitution, slope and
    heights are for spatial robots. Planar robots move on a level plane.
    """

    __repr__ = brief

    friction: FrictionLaw | tuple[FrictionLaw, ...] = Frictionless()
    """One law for all links, or one law per link from tail to head."""
    spin: Extent = 0.0
    """Friction against turning on the spot: largest torque per normal force [m]."""
    gravity: Annotated[float, at_least(0, "m/s^2")] = STANDARD_GRAVITY
    """Gravitational acceleration [m/s^2]."""
    regions: Sequence[Region] = ()
    """Patches with a different friction law."""
    rolling: Coefficient = 0.0
    """Friction against rolling, per normal force [-]: mu_V of Transeth2008b (60)."""
    restitution: Share = 0.0
    """Newton's coefficient of restitution [-], 0 to 1."""
    slope: Annotated[float, between(-STEEPEST, STEEPEST, "rad")] = 0.0
    """Angle by which the ground is tilted [rad], less than a right angle. The plane passes through the origin."""
    slope_direction: Angle = 0.0
    """Uphill direction, from the x axis [rad]."""
    heights: HeightField | None = None
    """Shape of uneven ground; None for a plane."""

    def __post_init__(self) -> None:
        if not isinstance(self.friction, FrictionLaw):
            store(self, friction=members("ground.friction", self.friction, FrictionLaw, A_LAW))
        check_fields(self, "ground")
        if self.heights is not None and self.slope:
            raise InvalidModel("ground.slope", self.slope, "0 if the ground has heights")

    def laws(self, n_links: int) -> tuple[FrictionLaw, ...]:
        """Returns the friction law of every link, from tail to head."""
        if not isinstance(self.friction, tuple):
            return (self.friction,) * n_links
        if len(self.friction) != n_links:
            raise InvalidModel("ground.friction", len(self.friction), f"one law, or {n_links} laws for {n_links} links")
        return self.friction


@register("peg")
@dataclass(frozen=True, kw_only=True)
class Peg(Obstacle):
    """A round, fixed obstacle.

    In space it is an upright column. One with a height ends in a flat top, on which a robot can lie.
    """

    x: Offset
    """x coordinate of the centre [m]."""
    y: Offset
    """y coordinate of the centre [m]."""
    radius: Radius
    """Radius [m]."""
    height: Offset | None = None
    """z coordinate of its flat top, for spatial robots [m]; default: unlimited. It reaches down into the ground."""

    @property
    def hulls(self) -> tuple[Hull, ...]:
        """A circle."""
        return (Hull(((self.x, self.y),), self.radius),)

    @property
    def solids(self) -> tuple[Solid, ...]:
        """An upright column."""
        return (Solid.column(self.x, self.y, self.radius, self.height),)


class Pegs(NamedTuple):
    """The pegs of an environment as columns: there may be a hundred thousand."""

    number: np.ndarray
    """Which of the obstacles they are, shape (n,)."""
    x: np.ndarray
    y: np.ndarray
    radius: np.ndarray
    height: np.ndarray
    """z coordinates of the tops [m]; NaN if unlimited."""
    friction: np.ndarray
    restitution: np.ndarray

    @staticmethod
    def among(obstacles: Sequence[Obstacle]) -> Pegs:
        """Those of the obstacles that are plain pegs: a class derived from Peg may be made of something else."""
        number = [k for k, obstacle in enumerate(obstacles) if type(obstacle) is Peg]
        found = [obstacles[k] for k in number]
        columns = (np.array([*map(attrgetter(name), found)], dtype=float) for name in Pegs._fields[1:])
        return Pegs(np.array(number, dtype=int), *columns)


@register("wall")
@dataclass(frozen=True, kw_only=True)
class Wall(Obstacle):
    """A straight, fixed wall with round ends, for planar robots."""

    start: Point
    """One end of the wall's centre line [m]."""
    end: Point
    """The other end of the centre line [m]."""
    thickness: Radius = 0.01
    """Thickness of the wall [m]."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.start == self.end:
            raise InvalidModel("wall.end", self.end, "a different point from {start}", others={"start": None})

    @property
    def hulls(self) -> tuple[Hull, ...]:
        """A segment grown by half the thickness."""
        return (Hull((self.start, self.end), self.thickness / 2),)


@register("polygon")
@dataclass(frozen=True, kw_only=True)
class Polygon(Obstacle):
    """A fixed obstacle with straight sides, for planar robots. It may be hollow: bent inward, or with holes.

    Links may move in its bays and holes. For example, a U-shaped dead end and a room with walls all around:

        bay = [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0.9), (0.9, 0.9), (0.9, 0.1), (0, 0.1)]
        dead_end = pp.Polygon(vertices=bay)
        square, room = [(-2, -2), (2, -2), (2, 2), (-2, 2)], [(-1, -1), (1, -1), (1, 1), (-1, 1)]
        walls = pp.Polygon(vertices=square, holes=[room])
    """

    __repr__ = brief

    vertices: Outline
    """Corners of a simple polygon [m], in order; 3 to 1000."""
    holes: Sequence[Outline] = ()
    """Corners of the free places inside it [m], each a simple polygon."""

    def __post_init__(self) -> None:
        vertices = checked_outline("polygon.vertices", self.vertices)
        holes = checked_holes("polygon.holes", self.holes, vertices)
        super().__post_init__()
        store(self, vertices=vertices, holes=holes)

    @property
    def hulls(self) -> tuple[Hull, ...]:
        """The polygon itself."""
        return (Hull(tuple(self.vertices), 0.0, tuple(self.holes)),)


@dataclass(frozen=True, kw_only=True)
class Environment:
    """The ground and the obstacles.

    For example:

        pegs = [pp.Peg(x=0.5, y=0.2, radius=0.1), pp.Peg(x=1.0, y=-0.2, radius=0.1)]
        environment = pp.Environment(ground=pp.Ground(friction=pp.Isotropic(0.2)), obstacles=pegs)
    """

    __repr__ = brief

    ground: Ground = Ground()
    """The ground under the robot; frictionless by default."""
    obstacles: Sequence[Obstacle] = ()
    """The obstacles: pegs, walls, polygons for planar robots; pegs, boxes, stairs, ramps, pipes for spatial ones."""

    def __post_init__(self) -> None:
        instance("environment.ground", self.ground, Ground, "a Ground")
        kinds = "a Peg, Wall, Polygon, Box, Stairs, Ramp or Pipe"
        store(self, obstacles=members("obstacles", self.obstacles, Obstacle, kinds))

    @cached_property
    def pegs(self) -> Pegs:
        """The plain pegs among the obstacles, as columns."""
        return Pegs.among(self.obstacles)

    @cached_property
    def others(self) -> dict[int, Obstacle]:
        """The obstacles that are not plain pegs, by their numbers."""
        return {k: obstacle for k, obstacle in enumerate(self.obstacles) if type(obstacle) is not Peg}


def refuse_flooded(field: str, pipe: Pipe, ground: Ground) -> None:
    """Raises InvalidModel if flat ground cuts through the inside of a pipe."""
    level = sin(ground.slope)
    up = np.array([-level * cos(ground.slope_direction), -level * sin(ground.slope_direction), cos(ground.slope)])
    aside = pipe.radius * float(np.linalg.norm(np.cross(up, pipe.axis)))
    lowest = float(min(up @ np.array(pipe.start), up @ np.array(pipe.end))) - aside
    if lowest < -TOUCHING:
        below = f"a pipe with its inside {-lowest:.3g} m below the ground"
        raise InvalidModel(field, below, "above the ground: the ground would go through it")


def _laws_on(ground: Ground, n_links: int) -> Iterator[tuple[str, FrictionLaw]]:
    """All friction laws of a ground, each with its field."""
    if isinstance(ground.friction, FrictionLaw):
        yield "ground.friction", ground.friction
    else:
        yield from ((f"ground.friction[{k}]", law) for k, law in enumerate(ground.laws(n_links)))
    yield from ((f"ground.regions[{k}].friction", region.friction) for k, region in enumerate(ground.regions))


def check_fits(robot: AnyRobot, environment: Environment) -> None:
    """Raises InvalidModel if the environment holds something that this kind of robot cannot meet."""
    spatial = isinstance(robot, SpatialRobot)
    world, what = ("spatial", "Peg, Box, Stairs, Ramp or Pipe") if spatial else ("planar", "Peg, Wall or Polygon")
    for k, obstacle in environment.others.items():  # every robot can meet a peg
        if not (obstacle.solids if spatial else obstacle.hulls):
            raise InvalidModel(f"obstacles[{k}]", type(obstacle).__name__, f"a {what} for a {world} robot")
        if spatial and isinstance(obstacle, Pipe) and environment.ground.heights is None:
            refuse_flooded(f"obstacles[{k}]", obstacle, environment.ground)
    if spatial:
        return
    ground = environment.ground
    for name in ("rolling", "restitution", "slope"):
        if getattr(ground, name):
            raise InvalidModel(f"ground.{name}", getattr(ground, name), "0 for a planar robot")
    if ground.heights is not None:
        raise InvalidModel("ground.heights", "a HeightField", "none for a planar robot")
    for field, law in _laws_on(ground, robot.n_links):
        if any(multiplier != 1.0 for multiplier in law.around):
            raise InvalidModel(f"{field}.around", law.around, "left out for a planar robot, which does not roll")
