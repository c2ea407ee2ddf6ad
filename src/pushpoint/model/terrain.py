"""Shapes that a spatial robot climbs or crawls through: boxes, stairs, ramps, pipes, uneven ground."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel
from pushpoint.model.arrays import Axes, array
from pushpoint.model.checks import Many, Whole, above, check_fields, real, store
from pushpoint.model.kinds import register
from pushpoint.model.obstacle import Obstacle, Solid
from pushpoint.model.quantities import Angle, Extent, Length, Place, Point

MOST_STEPS = 1000


@register("box")
@dataclass(frozen=True, kw_only=True)
class Box(Obstacle):
    """A fixed box for spatial robots, rotated by Rz(yaw) Ry(pitch) Rx(roll)."""

    __repr__ = brief

    center: Place
    """Centre of the box [m]."""
    size: Annotated[Sequence[float], above(0, "m"), Many(3, "three lengths")]
    """Edge lengths along its own x, y, z [m]."""
    yaw: Angle = 0.0
    """Rotation about the vertical axis [rad]."""
    pitch: Angle = 0.0
    """Rotation about its y axis [rad]."""
    roll: Angle = 0.0
    """Rotation about its x axis [rad]."""

    @property
    def rotation(self) -> np.ndarray:
        """Its axes as columns, shape (3, 3)."""
        cy, sy = math.cos(self.yaw), math.sin(self.yaw)
        cp, sp = math.cos(self.pitch), math.sin(self.pitch)
        cr, sr = math.cos(self.roll), math.sin(self.roll)
        about_z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
        about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
        about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
        return np.asarray(about_z @ about_y @ about_x)

    @property
    def solids(self) -> tuple[Solid, ...]:
        """The box itself."""
        x, y, z = self.center
        length, width, height = self.size
        return (Solid((x, y, z), (length / 2, width / 2, height / 2), self.rotation),)


@register("stairs")
@dataclass(frozen=True, kw_only=True)
class Stairs(Obstacle):
    """A flight of equal steps that rises toward `heading`, for spatial robots.

    Each step is a box that reaches down to the foot of the stairs.
    """

    __repr__ = brief

    foot: Point
    """Middle of the lowest riser, on the ground [m]."""
    heading: Angle = 0.0
    """Direction in which the stairs rise [rad]."""
    steps: Annotated[int, Whole(1, MOST_STEPS)]
    """Number of steps [-], 1 to 1000."""
    rise: Length
    """Height of a step [m]."""
    run: Length
    """Depth of a step [m]."""
    width: Length = 2.0
    """Width of the stairs [m]."""
    landing: Length = 1.0
    """Depth of the top step [m]."""

    @property
    def boxes(self) -> tuple[Box, ...]:
        """The steps as boxes, lowest first. Each ends where the next one begins."""
        return tuple(self._step(k) for k in range(self.steps))

    def _step(self, k: int) -> Box:
        depth = self.landing if k == self.steps - 1 else self.run
        height, ahead = (k + 1) * self.rise, k * self.run + depth / 2
        x = self.foot[0] + ahead * math.cos(self.heading)
        y = self.foot[1] + ahead * math.sin(self.heading)
        center, size = (x, y, height / 2), (depth, self.width, height)
        return Box(center=center, size=size, yaw=self.heading, friction=self.friction, restitution=self.restitution)

    @property
    def solids(self) -> tuple[Solid, ...]:
        """The steps as solids."""
        return tuple(solid for box in self.boxes for solid in box.solids)


@register("ramp")
@dataclass(frozen=True, kw_only=True)
class Ramp(Obstacle):
    """A wedge on the ground that rises toward `heading`, for spatial robots.

    Its sides and its back are upright. A landing continues it at its full height.

        pp.Ramp(foot=(0.5, 0.0), length=1.0, rise=0.3, width=0.8, friction=0.6)
    """

    __repr__ = brief

    foot: Point
    """Middle of the lower edge, on the ground [m]."""
    heading: Angle = 0.0
    """Direction in which it rises [rad]."""
    length: Length
    """Length along the ground [m]."""
    rise: Length
    """Height of the upper edge [m]."""
    width: Length = 2.0
    """Width [m]."""
    landing: Extent = 0.0
    """Length of the level part behind the upper edge [m]."""

    @property
    def slope(self) -> float:
        """Angle between ramp and ground [rad]."""
        return math.atan2(self.rise, self.length)

    @property
    def solids(self) -> tuple[Solid, ...]:
        """The wedge, and the landing as a box."""
        ahead = np.array([math.cos(self.heading), math.sin(self.heading)])
        turn = np.array([[ahead[0], -ahead[1], 0.0], [ahead[1], ahead[0], 0.0], [0.0, 0.0, 1.0]])

        def part(begins: float, length: float, wedge: bool) -> Solid:
            x, y = (np.array(self.foot) + (begins + length / 2) * ahead).tolist()
            return Solid((x, y, self.rise / 2), (length / 2, self.width / 2, self.rise / 2), turn, wedge=wedge)

        sloped = part(0.0, self.length, True)
        return (sloped, part(self.length, self.landing, False)) if self.landing else (sloped,)


@register("pipe")
@dataclass(frozen=True, kw_only=True)
class Pipe(Obstacle):
    """A straight, round pipe with open ends, for spatial robots; level, sloped or upright.

    A robot touches its wall from inside and from outside. The inside must lie above the ground.

        pp.Pipe(start=(0.0, 0.0, 0.2), end=(2.0, 0.0, 0.2), radius=0.12, friction=0.6)
    """

    __repr__ = brief

    start: Place
    """Middle of one open end [m]."""
    end: Place
    """Middle of the other open end [m]."""
    radius: Length
    """Inner radius [m]."""
    thickness: Length = 0.01
    """Thickness of the wall [m]."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.start == self.end:
            raise InvalidModel("pipe.end", self.end, "a different point from {start}", others={"start": None})

    @property
    def axis(self) -> np.ndarray:
        """Unit vector from start to end, shape (3,)."""
        way = np.array(self.end) - np.array(self.start)
        return np.asarray(way / np.linalg.norm(way))

    @property
    def length(self) -> float:
        """Distance between the open ends [m]."""
        return math.dist(self.start, self.end)

    @property
    def solids(self) -> tuple[Solid, ...]:
        """A tube."""
        return (Solid.tube(self.start, self.end, self.radius, self.radius + self.thickness),)


@dataclass(frozen=True, kw_only=True, eq=False)
class HeightField:
    """Heights of the ground on a square grid, bilinear in between.

    A point outside the grid is as high as the nearest point of the grid. There is no edge to fall off, and no wall.

        bumps = 0.02 * np.random.default_rng(3).random((30, 30))
        ground = pp.Ground(heights=pp.HeightField(heights=bumps, spacing=0.15, origin=(-2.2, -2.2)))
    """

    __repr__ = brief

    heights: np.ndarray
    """Heights [m], shape (columns, rows), both at least 2; heights[i, j] is at origin + spacing (i, j)."""
    spacing: Length
    """Distance between neighbouring grid points [m]."""
    origin: Point = (0.0, 0.0)
    """Position of heights[0, 0] [m]."""

    def __post_init__(self) -> None:
        heights = array("height_field.heights", self.heights, real("m"), Axes("columns", "rows"))
        if min(heights.shape) < 2:
            raise InvalidModel("height_field.heights", heights.shape, "of shape (columns, rows), both 2 or more")
        heights.setflags(write=False)
        store(self, heights=heights)
        check_fields(self, "height_field")
