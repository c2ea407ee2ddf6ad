"""The environment: the ground and what stands on it. Frozen, SI, checked at birth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import finite, instance, members, non_negative, positive, store, within
from pushpoint.model.friction import Friction, Frictionless
from pushpoint.model.obstacle import Hull, Obstacle, Solid
from pushpoint.model.shapes import Point, checked_outline, checked_point, refuse_hollow
from pushpoint.model.terrain import HeightField

STANDARD_GRAVITY = 9.81
STEEPEST = 1.57
A_LAW = "a friction law such as Isotropic(0.2)"


@dataclass(frozen=True, kw_only=True)
class Region:
    """A patch of the ground with a friction law of its own; where patches overlap, the last one holds."""

    vertices: Sequence[Point]
    """Corners of a simple polygon [m]."""
    friction: Friction
    """Law of every support point inside."""

    def __post_init__(self) -> None:
        instance("region.friction", self.friction, Friction, A_LAW)
        store(self, vertices=checked_outline("region.vertices", self.vertices))

    @staticmethod
    def rectangle(*, x: Point, y: Point, friction: Friction) -> Region:
        """The patch from x[0] to x[1] and from y[0] to y[1] [m]."""
        return Region(vertices=((x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1])), friction=friction)


@dataclass(frozen=True, kw_only=True)
class Ground:
    """The ground; its friction law may differ from link to link and from place to place.

    Rolling friction, restitution, slope and heights are for spatial robots; planar ones live on a horizontal table.
    """

    friction: Friction | tuple[Friction, ...] = Frictionless()
    """One law for all links, or one per link from tail to head."""
    spin: float = 0.0
    """Friction against turning on the spot: largest torque per normal force [m]."""
    gravity: float = STANDARD_GRAVITY
    """Acceleration that presses the links on the ground [m/s^2]."""
    regions: Sequence[Region] = ()
    """Patches with another friction law."""
    rolling: float = 0.0
    """Friction against rolling, per normal force [-]: mu_V of Transeth2008b (60)."""
    restitution: float = 0.0
    """Newton's restitution coefficient [-], 0 to 1."""
    slope: float = 0.0
    """Angle by which the ground is tilted [rad], less than a right angle; it passes through the origin."""
    slope_direction: float = 0.0
    """Direction in which a slope rises, from the x axis [rad]."""
    heights: HeightField | None = None
    """Shape of the ground where it is not a plane."""

    def __post_init__(self) -> None:
        laws = self.friction
        if not isinstance(laws, Friction):
            laws = members("ground.friction", laws, Friction, A_LAW)
        store(
            self,
            friction=laws,
            regions=members("ground.regions", self.regions, Region, "a Region"),
            spin=non_negative("ground.spin", self.spin, "m"),
            gravity=non_negative("ground.gravity", self.gravity, "m/s^2"),
            rolling=non_negative("ground.rolling", self.rolling, "-"),
            restitution=within("ground.restitution", self.restitution, 0.0, 1.0, "-"),
            slope=within("ground.slope", self.slope, -STEEPEST, STEEPEST, "rad"),
            slope_direction=finite("ground.slope_direction", self.slope_direction, "rad"),
        )
        if self.heights is not None:
            instance("ground.heights", self.heights, HeightField, "a HeightField")
            if self.slope:
                raise InvalidModel("ground.slope", self.slope, "0 where the ground has heights")

    def laws(self, n_links: int) -> tuple[Friction, ...]:
        """The friction law of every link, from tail to head."""
        if not isinstance(self.friction, tuple):
            return (self.friction,) * n_links
        if len(self.friction) != n_links:
            raise InvalidModel("ground.friction", len(self.friction), f"one law, or {n_links} laws for {n_links} links")
        return self.friction


@dataclass(frozen=True, kw_only=True)
class Peg(Obstacle):
    """A round, fixed obstacle."""

    x: float
    """Centre, x [m]."""
    y: float
    """Centre, y [m]."""
    radius: float
    """Radius [m]."""
    friction: float = 0.0
    """Coulomb coefficient between peg and link [-]."""
    restitution: float = 0.0
    """Newton's restitution coefficient [-], 0 to 1."""

    def __post_init__(self) -> None:
        store(
            self,
            x=finite("peg.x", self.x, "m"),
            y=finite("peg.y", self.y, "m"),
            radius=positive("peg.radius", self.radius, "m"),
            friction=non_negative("peg.friction", self.friction, "-"),
            restitution=within("peg.restitution", self.restitution, 0.0, 1.0, "-"),
        )

    @property
    def hulls(self) -> tuple[Hull, ...]:
        """A circle."""
        return (Hull(((self.x, self.y),), self.radius),)

    @property
    def solids(self) -> tuple[Solid, ...]:
        """An upright column without end."""
        return (Solid.column(self.x, self.y, self.radius),)


@dataclass(frozen=True, kw_only=True)
class Wall(Obstacle):
    """A straight, fixed wall with round ends."""

    start: Point
    """One end of its middle line [m]."""
    end: Point
    """The other end [m]."""
    thickness: float = 0.01
    """Thickness [m]."""
    friction: float = 0.0
    """Coulomb coefficient between wall and link [-]."""
    restitution: float = 0.0
    """Newton's restitution coefficient [-], 0 to 1."""

    def __post_init__(self) -> None:
        start, end = checked_point("wall.start", self.start), checked_point("wall.end", self.end)
        if start == end:
            raise InvalidModel("wall.end", end, "another point than wall.start")
        store(
            self,
            start=start,
            end=end,
            thickness=positive("wall.thickness", self.thickness, "m"),
            friction=non_negative("wall.friction", self.friction, "-"),
            restitution=within("wall.restitution", self.restitution, 0.0, 1.0, "-"),
        )

    @property
    def hulls(self) -> tuple[Hull, ...]:
        """A thick segment."""
        return (Hull((self.start, self.end), self.thickness / 2),)


MOST_CORNERS = 60
"""Corners that one polygon can have."""


@dataclass(frozen=True, kw_only=True)
class Polygon(Obstacle):
    """A fixed obstacle with a convex outline."""

    vertices: Sequence[Point]
    """Corners [m], in order."""
    friction: float = 0.0
    """Coulomb coefficient between polygon and link [-]."""
    restitution: float = 0.0
    """Newton's restitution coefficient [-], 0 to 1."""

    def __post_init__(self) -> None:
        vertices = checked_outline("polygon.vertices", self.vertices)
        refuse_hollow("polygon.vertices", vertices)
        if len(vertices) > MOST_CORNERS:
            raise InvalidModel("polygon.vertices", len(vertices), f"at most {MOST_CORNERS} corners")
        store(
            self,
            vertices=vertices,
            friction=non_negative("polygon.friction", self.friction, "-"),
            restitution=within("polygon.restitution", self.restitution, 0.0, 1.0, "-"),
        )

    @property
    def hulls(self) -> tuple[Hull, ...]:
        """Itself."""
        return (Hull(tuple(self.vertices), 0.0),)


@dataclass(frozen=True, kw_only=True)
class Environment:
    """Where the robot moves."""

    ground: Ground = Ground()
    """What carries the robot."""
    obstacles: Sequence[Obstacle] = ()
    """What it pushes against."""

    def __post_init__(self) -> None:
        instance("environment.ground", self.ground, Ground, "a Ground")
        kinds = "a Peg, Wall, Polygon, Box or Stairs"
        store(self, obstacles=members("obstacles", self.obstacles, Obstacle, kinds))
