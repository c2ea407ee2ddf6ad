"""Courses: random pegs, corridors, channels, and zones that a course keeps free.

The generators return tuples of obstacles for `Environment(obstacles=...)`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import Many, What, above, at_least, check_fields, members
from pushpoint.model.courses.channels import channel as channel, corridor as corridor, sine as sine
from pushpoint.model.environment import Peg
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.quantities import Coefficient, Extent, Length, Natural, Offset, Phases, Point, Share

FEWEST_TRIES, MOST_TRIES = 16, 20_000
"""Positions tried at once for a peg, and in total before a course counts as full [-]."""
MOST_PEGS = 100_000
"""More pegs are taken for a typing mistake [-]."""


class KeepOut(ABC):
    """Base class of zones that no peg reaches into."""

    def __post_init__(self) -> None:
        check_fields(self, type(self).__name__.lower())

    @abstractmethod
    def distance(self, points: np.ndarray) -> np.ndarray:
        """Distance of points from the zone [m], negative inside, shape (n,)."""


@dataclass(frozen=True, kw_only=True)
class Disc(KeepOut):
    """A round zone."""

    x: Offset
    """x coordinate of the centre [m]."""
    y: Offset
    """y coordinate of the centre [m]."""
    radius: Length
    """Radius [m]."""

    def distance(self, points: np.ndarray) -> np.ndarray:
        """Distance from the circle [m], shape (n,)."""
        return np.asarray(np.hypot(points[:, 0] - self.x, points[:, 1] - self.y) - self.radius)


@dataclass(frozen=True, kw_only=True)
class Rectangle(KeepOut):
    """A rectangle along the axes."""

    x: Point
    """Smallest and largest x [m]."""
    y: Point
    """Smallest and largest y [m]."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, (low, high) in (("x", self.x), ("y", self.y)):
            if not low < high:
                raise InvalidModel(f"rectangle.{name}", (low, high), "two numbers, the second larger [m]")

    @property
    def size(self) -> float:
        """Area [m^2]."""
        return (self.x[1] - self.x[0]) * (self.y[1] - self.y[0])

    def distance(self, points: np.ndarray) -> np.ndarray:
        """Distance from the nearest side [m], shape (n,)."""
        low, high = np.array([self.x, self.y]).T
        beyond = np.maximum(low - points, points - high)
        return np.linalg.norm(np.maximum(beyond, 0.0), axis=1) + np.minimum(beyond.max(axis=1), 0.0)


@dataclass(frozen=True, kw_only=True)
class Posture(KeepOut):
    """The space that a robot takes up at its start, with a gap around it."""

    __repr__ = brief

    robot: PlanarRobot
    """The robot."""
    link_angles: Phases
    """Angles of all links [rad], from tail to head."""
    position: Point = (0.0, 0.0)
    """Position of the robot's centre of mass, or of `link`'s [m]."""
    link: Natural | None = None
    """Index of the link whose centre of mass is at `position`; default: the whole robot's centre of mass is."""
    gap: Extent = 0.0
    """Least distance between the surfaces of links and obstacles [m]."""

    def __post_init__(self) -> None:
        super().__post_init__()
        n_links, n_angles = self.robot.n_links, len(self.link_angles)
        if n_angles != n_links:
            raise InvalidModel("posture.link_angles", n_angles, f"{n_links} angles for {n_links} links")
        if self.link is not None and self.link >= n_links:
            raise InvalidModel("posture.link", self.link, f"0 to {n_links - 1} for {n_links} links")

    def distance(self, points: np.ndarray) -> np.ndarray:
        """Distance from the nearest link [m], shape (n,)."""
        robot = self.robot
        along = np.stack((np.cos(self.link_angles), np.sin(self.link_angles)), axis=-1)
        steps = robot.column("length")[:, None] * along
        middle = np.cumsum(steps, axis=0) - steps / 2
        mass = middle + robot.column("mass_offset")[:, None] * along
        placed = robot.column("mass") @ mass / robot.mass if self.link is None else mass[self.link]
        half = robot.column("side_length") / 2
        to_point = points[:, None] - (middle + (np.array(self.position) - placed))
        reach = np.clip(np.einsum("pkx,kx->pk", to_point, along), -half, half)
        to_axis = np.linalg.norm(to_point - reach[..., None] * along, axis=-1)
        return np.asarray((to_axis - robot.column("radius")).min(axis=1) - self.gap)


class CourseFull(InvalidModel):
    """There is no room for all pegs."""

    def __init__(self, density: float, placed: int, wanted: int) -> None:
        allowed = f"lower, or clearance and keep-out smaller: {placed} of {wanted} pegs placed, no room for another"
        super().__init__("random_pegs: density", density, allowed)
        self.placed = placed
        self.wanted = wanted


@checked_arguments
def random_pegs(
    *,
    density: Annotated[float, at_least(0, "1/m^2")],
    radius: Annotated[Sequence[float], above(0, "m"), Many(2, "two numbers, smallest and largest")],
    area: Annotated[Rectangle, What("a Rectangle(x=(from, to), y=(from, to)) [m]")],
    seed: Natural,
    clearance: Extent = 0.0,
    keep_out: Any = (),
    friction: Coefficient = 0.0,
    restitution: Share = 0.0,
) -> tuple[Peg, ...]:
    """Pegs scattered at random over an area.

        field = pp.courses.Rectangle(x=(0.5, 3.0), y=(-1.0, 1.0))
        pegs = pp.courses.random_pegs(density=5.0, radius=(0.03, 0.06), area=field, seed=1, clearance=0.15)

    Args:
        density: Pegs per area [1/m^2]. Their number is rounded.
        radius: Smallest and largest radius [m]. Radii are drawn evenly between them.
        area: Where the centres lie.
        seed: Seed of the random numbers. The same seed gives the same course.
        clearance: Least distance between the surfaces of two pegs [m].
        keep_out: Zone or zones that no peg reaches into: `Disc`, `Rectangle`, or the `Posture` of a robot with a gap.
        friction: Coulomb coefficient between peg and link [-].
        restitution: Newton's coefficient of restitution [-], 0 to 1.

    Returns:
        The pegs, from left to right.

    Raises:
        CourseFull: There is no room for all pegs. The error says how many were placed.
    """
    low, high = radius
    if low > high:
        raise InvalidModel("random_pegs: radius", radius, "smallest first, then largest [m]")
    given = (keep_out,) if isinstance(keep_out, KeepOut) else keep_out
    zones = members("random_pegs: keep_out", given, KeepOut, "a Disc, a Rectangle or a Posture")
    if not density * area.size < MOST_PEGS:
        raise InvalidModel("random_pegs: density", density, f"such that there are fewer than {MOST_PEGS} pegs")
    wanted = round(density * area.size)
    random = np.random.default_rng(seed)
    # Large pegs first: small ones still fit into the gaps between them.
    radii = np.sort(random.uniform(low, high, wanted))[::-1]
    centers = np.empty((wanted, 2))
    for k in range(wanted):
        center = _free_place(random, area, zones, float(radii[k]), centers[:k], radii[:k] + clearance)
        if center is None:
            raise CourseFull(density, k, wanted)
        centers[k] = center
    order = np.argsort(centers[:, 0])
    return tuple(
        Peg(x=x, y=y, radius=radius, friction=friction, restitution=restitution)
        for (x, y), radius in zip(centers[order].tolist(), radii[order].tolist(), strict=True)
    )


def _free_place(
    random: np.random.Generator,
    area: Rectangle,
    zones: tuple[KeepOut, ...],
    radius: float,
    centers: np.ndarray,
    reach: np.ndarray,
) -> np.ndarray | None:
    """The centre of a peg that is clear of the zones and of the other pegs; None if none was found."""
    corner, far_corner = np.array([area.x, area.y]).T
    tried, count = 0, FEWEST_TRIES
    while tried < MOST_TRIES:
        places = random.uniform(corner, far_corner, (count, 2))
        free = np.ones(count, dtype=bool)
        for zone in zones:
            free &= zone.distance(places) >= radius
        if len(centers):
            dx, dy = (places[:, k, None] - centers[:, k] for k in (0, 1))
            free &= np.all(np.sqrt(dx * dx + dy * dy) >= radius + reach, axis=1)
        if free.any():
            return np.asarray(places[int(free.argmax())])
        tried, count = tried + count, min(4 * count, 4096)
    return None
