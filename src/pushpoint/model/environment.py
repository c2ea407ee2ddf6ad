"""The environment: the ground and what stands on it. Frozen, SI, checked at birth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import finite, non_negative, positive, store, within
from pushpoint.model.friction import Friction, Frictionless

STANDARD_GRAVITY = 9.81


@dataclass(frozen=True, kw_only=True)
class Ground:
    """Flat ground; its friction law may differ from link to link."""

    friction: Friction | tuple[Friction, ...] = Frictionless()
    """One law for all links, or one per link from tail to head."""
    spin: float = 0.0
    """Friction against turning on the spot: largest torque per normal force [m]."""
    gravity: float = STANDARD_GRAVITY
    """Acceleration that presses the links on the ground [m/s^2]."""

    def __post_init__(self) -> None:
        laws = self.friction if isinstance(self.friction, Friction) else tuple(self.friction)
        for law in laws if isinstance(laws, tuple) else (laws,):
            if not isinstance(law, Friction):
                raise InvalidModel("ground.friction", law, "a friction law such as Isotropic(0.2)")
        store(
            self,
            friction=laws,
            spin=non_negative("ground.spin", self.spin, "m"),
            gravity=non_negative("ground.gravity", self.gravity, "m/s^2"),
        )

    def laws(self, n_links: int) -> tuple[Friction, ...]:
        """The friction law of every link, from tail to head."""
        if not isinstance(self.friction, tuple):
            return (self.friction,) * n_links
        if len(self.friction) != n_links:
            raise InvalidModel("ground.friction", len(self.friction), f"one law, or {n_links} laws for {n_links} links")
        return self.friction


@dataclass(frozen=True, kw_only=True)
class Peg:
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


@dataclass(frozen=True, kw_only=True)
class Environment:
    """Where the robot moves."""

    ground: Ground = Ground()
    """What carries the robot."""
    obstacles: Sequence[Peg] = ()
    """What it pushes against."""

    def __post_init__(self) -> None:
        obstacles = tuple(self.obstacles)
        for k, obstacle in enumerate(obstacles):
            if not isinstance(obstacle, Peg):
                raise InvalidModel(f"obstacles[{k}]", obstacle, "a Peg")
        store(self, obstacles=obstacles)
