"""Zones that a generated course keeps free: a disc, a rectangle, or a robot as it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import finite, non_negative, positive, store
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.shapes import Corner, checked_point


@dataclass(frozen=True, kw_only=True)
class Disc:
    """A round zone."""

    x: float
    """Centre, x [m]."""
    y: float
    """Centre, y [m]."""
    radius: float
    """Radius [m]."""

    def __post_init__(self) -> None:
        store(
            self,
            x=finite("disc.x", self.x, "m"),
            y=finite("disc.y", self.y, "m"),
            radius=positive("disc.radius", self.radius, "m"),
        )

    def distance(self, points: np.ndarray) -> np.ndarray:
        """Distance of points from the zone [m], negative inside, shape (n,)."""
        return np.asarray(np.hypot(points[:, 0] - self.x, points[:, 1] - self.y) - self.radius)


@dataclass(frozen=True, kw_only=True)
class Rectangle:
    """A rectangle along the axes."""

    x: Corner
    """From and to, along x [m]."""
    y: Corner
    """From and to, along y [m]."""

    def __post_init__(self) -> None:
        for name in ("x", "y"):
            low, high = checked_point(f"rectangle.{name}", getattr(self, name))
            if not low < high:
                raise InvalidModel(f"rectangle.{name}", (low, high), "two numbers, the second larger [m]")
            store(self, **{name: (low, high)})

    @property
    def size(self) -> float:
        """Area [m^2]."""
        return (self.x[1] - self.x[0]) * (self.y[1] - self.y[0])

    def distance(self, points: np.ndarray) -> np.ndarray:
        """Distance of points from the zone [m], negative inside, shape (n,)."""
        low, high = np.array([self.x, self.y]).T
        beyond = np.maximum(low - points, points - high)
        return np.linalg.norm(np.maximum(beyond, 0.0), axis=1) + np.minimum(beyond.max(axis=1), 0.0)


@dataclass(frozen=True, kw_only=True)
class Posture:
    """The room a robot takes up as it stands, and a gap around it."""

    robot: PlanarRobot
    """The robot."""
    link_angles: Sequence[float]
    """Angles of all links [rad], tail to head."""
    position: Corner = (0.0, 0.0)
    """Where the robot's centre of mass is, or that of `link` [m]."""
    link: int | None = None
    """The link whose centre of mass `position` places; default: the robot's centre of mass."""
    gap: float = 0.0
    """Least distance between the surfaces of links and obstacles [m]."""

    def __post_init__(self) -> None:
        n_links = self.robot.n_links
        angles = tuple(finite(f"posture.link_angles[{k}]", each, "rad") for k, each in enumerate(self.link_angles))
        if len(angles) != n_links:
            raise InvalidModel("posture.link_angles", len(angles), f"{n_links} angles for {n_links} links")
        if self.link is not None and (isinstance(self.link, bool) or self.link not in range(n_links)):
            raise InvalidModel("posture.link", self.link, f"0 to {n_links - 1} for {n_links} links")
        store(
            self,
            link_angles=angles,
            position=checked_point("posture.position", self.position),
            gap=non_negative("posture.gap", self.gap, "m"),
        )

    def distance(self, points: np.ndarray) -> np.ndarray:
        """Distance of points from the zone [m], negative inside, shape (n,)."""
        middle, along = self._links()
        half = self.robot.column("side_length") / 2
        to_point = points[:, None] - middle
        reach = np.clip(np.einsum("pkx,kx->pk", to_point, along), -half, half)
        to_axis = np.linalg.norm(to_point - reach[..., None] * along, axis=-1)
        return np.asarray((to_axis - self.robot.column("radius")).min(axis=1) - self.gap)

    def _links(self) -> tuple[np.ndarray, np.ndarray]:
        """Middles of the links [m] and unit vectors along them, shapes (n_links, 2)."""
        robot = self.robot
        along = np.stack((np.cos(self.link_angles), np.sin(self.link_angles)), axis=-1)
        steps = robot.column("length")[:, None] * along
        middle = np.cumsum(steps, axis=0) - steps / 2
        mass = middle + robot.column("mass_offset")[:, None] * along
        placed = robot.column("mass") @ mass / robot.mass if self.link is None else mass[self.link]
        return middle + (np.array(self.position) - placed), along


KeepOut = Disc | Rectangle | Posture
