"""The environment: the ground and the obstacles on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import Many, What, at_least, between, check_fields, instance, members, real, store
from pushpoint.model.friction import FrictionLaw, Frictionless
from pushpoint.model.kinds import register
from pushpoint.model.obstacle import Hull, Obstacle, Outline, Solid, checked_outline, refuse_hollow
from pushpoint.model.quantities import Angle, Coefficient, Extent, Offset, Point, Radius, Share
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot
from pushpoint.model.terrain import HeightField

STANDARD_GRAVITY = 9.81
STEEPEST = 1.57
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

    In space it is an upright column of unlimited height.
    """

    x: Offset
    """x coordinate of the centre [m]."""
    y: Offset
    """y coordinate of the centre [m]."""
    radius: Radius
    """Radius [m]."""

    @property
    def hulls(self) -> tuple[Hull, ...]:
        """A circle."""
        return (Hull(((self.x, self.y),), self.radius),)

    @property
    def solids(self) -> tuple[Solid, ...]:
        """An upright column of unlimited height."""
        return (Solid.column(self.x, self.y, self.radius),)


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


MOST_CORNERS = 60
"""The most corners that one polygon can have."""


@register("polygon")
@dataclass(frozen=True, kw_only=True)
class Polygon(Obstacle):
    """A fixed obstacle with a convex outline, for planar robots."""

    __repr__ = brief

    vertices: Outline
    """Corners [m], in order; 3 to 60."""

    def __post_init__(self) -> None:
        vertices = checked_outline("polygon.vertices", self.vertices)
        refuse_hollow("polygon.vertices", vertices)
        if len(vertices) > MOST_CORNERS:
            raise InvalidModel("polygon.vertices", len(vertices), f"at most {MOST_CORNERS} corners")
        super().__post_init__()
        store(self, vertices=vertices)

    @property
    def hulls(self) -> tuple[Hull, ...]:
        """The polygon itself."""
        return (Hull(tuple(self.vertices), 0.0),)


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
    """The obstacles: pegs, walls and polygons for planar robots; pegs, boxes and stairs for spatial ones."""

    def __post_init__(self) -> None:
        instance("environment.ground", self.ground, Ground, "a Ground")
        kinds = "a Peg, Wall, Polygon, Box or Stairs"
        store(self, obstacles=members("obstacles", self.obstacles, Obstacle, kinds))


def check_fits(robot: AnyRobot, environment: Environment) -> None:
    """Raises InvalidModel if the environment holds something that this kind of robot cannot meet."""
    spatial = isinstance(robot, SpatialRobot)
    world, what = ("spatial", "Peg, Box or Stairs") if spatial else ("planar", "Peg, Wall or Polygon")
    for k, obstacle in enumerate(environment.obstacles):
        if not (obstacle.solids if spatial else obstacle.hulls):
            raise InvalidModel(f"obstacles[{k}]", type(obstacle).__name__, f"a {what} for a {world} robot")
    if spatial:
        return
    ground = environment.ground
    for name in ("rolling", "restitution", "slope"):
        if getattr(ground, name):
            raise InvalidModel(f"ground.{name}", getattr(ground, name), "0 for a planar robot")
    if ground.heights is not None:
        raise InvalidModel("ground.heights", "a HeightField", "none for a planar robot")
    laws = [("ground.friction", law) for law in ground.laws(robot.n_links)]
    laws += [(f"ground.regions[{k}].friction", region.friction) for k, region in enumerate(ground.regions)]
    for field, law in laws:
        if law.varies:
            raise InvalidModel(field, "a Varying law", "a law with constant coefficients for a planar robot")
