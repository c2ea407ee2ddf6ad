"""The environment: the ground and what stands on it. Frozen, SI, checked at birth."""

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
from pushpoint.model.quantities import Angle, Coefficient, Extent, Length, Offset, Point, Share
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot
from pushpoint.model.terrain import HeightField

STANDARD_GRAVITY = 9.81
STEEPEST = 1.57
A_LAW = "a friction law such as Isotropic(0.2)"
Span = Annotated[Sequence[float], real("m"), Many(2, "two numbers, from and to")]


@dataclass(frozen=True, kw_only=True)
class Region:
    """A patch of the ground with a friction law of its own; where patches overlap, the last one holds."""

    __repr__ = brief

    vertices: Outline
    """Corners of a simple polygon [m]."""
    friction: Annotated[FrictionLaw, What(A_LAW)]
    """Law of every support point inside."""

    def __post_init__(self) -> None:
        check_fields(self, "region")
        store(self, vertices=checked_outline("region.vertices", self.vertices))

    @staticmethod
    @checked_arguments
    def rectangle(*, x: Span, y: Span, friction: Annotated[FrictionLaw, What(A_LAW)]) -> Region:
        """The patch from x[0] to x[1] and from y[0] to y[1] [m]."""
        return Region(vertices=((x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1])), friction=friction)


@dataclass(frozen=True, kw_only=True)
class Ground:
    """The ground; its friction law may differ from link to link and from place to place.

    Rolling friction, restitution, slope and heights are for spatial robots; planar ones live on a horizontal table.
    """

    __repr__ = brief

    friction: FrictionLaw | tuple[FrictionLaw, ...] = Frictionless()
    """One law for all links, or one per link from tail to head."""
    spin: Extent = 0.0
    """Friction against turning on the spot: largest torque per normal force [m]."""
    gravity: Annotated[float, at_least(0, "m/s^2")] = STANDARD_GRAVITY
    """Acceleration that presses the links on the ground [m/s^2]."""
    regions: Sequence[Region] = ()
    """Patches with another friction law."""
    rolling: Coefficient = 0.0
    """Friction against rolling, per normal force [-]: mu_V of Transeth2008b (60)."""
    restitution: Share = 0.0
    """Newton's restitution coefficient [-], 0 to 1."""
    slope: Annotated[float, between(-STEEPEST, STEEPEST, "rad")] = 0.0
    """Angle by which the ground is tilted [rad], less than a right angle; it passes through the origin."""
    slope_direction: Angle = 0.0
    """Direction in which a slope rises, from the x axis [rad]."""
    heights: HeightField | None = None
    """Shape of the ground where it is not a plane."""

    def __post_init__(self) -> None:
        if not isinstance(self.friction, FrictionLaw):
            store(self, friction=members("ground.friction", self.friction, FrictionLaw, A_LAW))
        check_fields(self, "ground")
        if self.heights is not None and self.slope:
            raise InvalidModel("ground.slope", self.slope, "0 where the ground has heights")

    def laws(self, n_links: int) -> tuple[FrictionLaw, ...]:
        """The friction law of every link, from tail to head."""
        if not isinstance(self.friction, tuple):
            return (self.friction,) * n_links
        if len(self.friction) != n_links:
            raise InvalidModel("ground.friction", len(self.friction), f"one law, or {n_links} laws for {n_links} links")
        return self.friction


@register("peg")
@dataclass(frozen=True, kw_only=True)
class Peg(Obstacle):
    """A round, fixed obstacle."""

    x: Offset
    """Centre, x [m]."""
    y: Offset
    """Centre, y [m]."""
    radius: Length
    """Radius [m]."""

    @property
    def hulls(self) -> tuple[Hull, ...]:
        """A circle."""
        return (Hull(((self.x, self.y),), self.radius),)

    @property
    def solids(self) -> tuple[Solid, ...]:
        """An upright column without end."""
        return (Solid.column(self.x, self.y, self.radius),)


@register("wall")
@dataclass(frozen=True, kw_only=True)
class Wall(Obstacle):
    """A straight, fixed wall with round ends."""

    start: Point
    """One end of its middle line [m]."""
    end: Point
    """The other end [m]."""
    thickness: Length = 0.01
    """Thickness [m]."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.start == self.end:
            raise InvalidModel("wall.end", self.end, "another point than {start}", others={"start": None})

    @property
    def hulls(self) -> tuple[Hull, ...]:
        """A thick segment."""
        return (Hull((self.start, self.end), self.thickness / 2),)


MOST_CORNERS = 60
"""Corners that one polygon can have."""


@register("polygon")
@dataclass(frozen=True, kw_only=True)
class Polygon(Obstacle):
    """A fixed obstacle with a convex outline."""

    __repr__ = brief

    vertices: Outline
    """Corners [m], in order."""

    def __post_init__(self) -> None:
        vertices = checked_outline("polygon.vertices", self.vertices)
        refuse_hollow("polygon.vertices", vertices)
        if len(vertices) > MOST_CORNERS:
            raise InvalidModel("polygon.vertices", len(vertices), f"at most {MOST_CORNERS} corners")
        super().__post_init__()
        store(self, vertices=vertices)

    @property
    def hulls(self) -> tuple[Hull, ...]:
        """Itself."""
        return (Hull(tuple(self.vertices), 0.0),)


@dataclass(frozen=True, kw_only=True)
class Environment:
    """Where the robot moves."""

    __repr__ = brief

    ground: Ground = Ground()
    """What carries the robot."""
    obstacles: Sequence[Obstacle] = ()
    """What it pushes against."""

    def __post_init__(self) -> None:
        instance("environment.ground", self.ground, Ground, "a Ground")
        kinds = "a Peg, Wall, Polygon, Box or Stairs"
        store(self, obstacles=members("obstacles", self.obstacles, Obstacle, kinds))


def check_fits(robot: AnyRobot, environment: Environment) -> None:
    """Refuses an environment that holds what this kind of robot knows nothing of."""
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
