"""The robot: a chain of links joined by motors. Frozen, SI, checked at birth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import finite, instance, members, non_negative, not_nan, positive, store

FEWEST_LINKS = 2
MOST_LINKS = 500


@dataclass(frozen=True, kw_only=True)
class Support:
    """A point of a link where the ground carries it and rubs on it."""

    offset: float
    """Position along the link, from the middle toward the head [m]."""
    share: float = 1.0
    """Share of the link's weight carried here [-]; the shares of a link sum to 1."""

    def __post_init__(self) -> None:
        store(
            self,
            offset=finite("support.offset", self.offset, "m"),
            share=positive("support.share", self.share, "-"),
        )


@dataclass(frozen=True, kw_only=True)
class Link:
    """A rigid link, its surface a capsule: straight sides with round ends."""

    length: float
    """Distance from the rear joint axis to the front joint axis [m]."""
    mass: float
    """Mass [kg]."""
    inertia: float
    """Moment of inertia about the centre of mass, vertical axis [kg m^2]."""
    radius: float
    """Radius of the capsule [m]."""
    side_length: float | None = None
    """Length of the capsule's straight side, centred on the link [m]; default: the link's length."""
    mass_offset: float = 0.0
    """Position of the centre of mass along the link, from the middle toward the head [m]."""
    supports: tuple[Support, ...] | None = None
    """Where the ground rubs on the link; default: one point at the centre of mass."""

    def __post_init__(self) -> None:
        length = positive("link.length", self.length, "m")
        side = length if self.side_length is None else self.side_length
        offset = finite("link.mass_offset", self.mass_offset, "m")
        supports = (Support(offset=offset),)
        if self.supports is not None:
            supports = members("link.supports", self.supports, Support, "a Support")
        store(
            self,
            length=length,
            mass=positive("link.mass", self.mass, "kg"),
            inertia=positive("link.inertia", self.inertia, "kg m^2"),
            radius=positive("link.radius", self.radius, "m"),
            side_length=non_negative("link.side_length", side, "m"),
            mass_offset=offset,
            supports=supports,
        )
        if not supports:
            raise InvalidModel("link.supports", supports, "at least one point")
        total = sum(point.share for point in supports)
        if not math.isclose(total, 1.0, rel_tol=1e-9):
            raise InvalidModel("link.supports: sum of shares", total, "1 [-]")


@dataclass(frozen=True, kw_only=True)
class Motor:
    """What turns a joint: a compliant PD servo, limited in torque and speed, with play and end stops."""

    stiffness: float = 0.0
    """Torque per error of the joint angle, K_P [N m / rad]."""
    damping: float = 0.0
    """Torque per error of the joint rate, K_D [N m s / rad]."""
    torque_limit: float = math.inf
    """Largest torque, either way [N m]; with a speed limit, the torque at standstill."""
    speed_limit: float = math.inf
    """Joint rate at which a motor has no torque left: the largest torque falls in a straight line to zero [rad/s]."""
    backlash: float = 0.0
    """Free play of the gear, from flank to flank [rad]: within it the servo does not hold a slow joint."""
    lower: float = -math.inf
    """Smallest joint angle, an end stop [rad]."""
    upper: float = math.inf
    """Largest joint angle, an end stop [rad]."""

    def __post_init__(self) -> None:
        store(
            self,
            stiffness=non_negative("motor.stiffness", self.stiffness, "N m/rad"),
            damping=non_negative("motor.damping", self.damping, "N m s/rad"),
            torque_limit=non_negative("motor.torque_limit", self.torque_limit, "N m", infinite=True),
            speed_limit=non_negative("motor.speed_limit", self.speed_limit, "rad/s", infinite=True),
            backlash=non_negative("motor.backlash", self.backlash, "rad"),
            lower=not_nan("motor.lower", self.lower, "rad"),
            upper=not_nan("motor.upper", self.upper, "rad"),
        )
        if self.speed_limit == 0.0:
            raise InvalidModel("motor.speed_limit", self.speed_limit, "> 0 [rad/s]")
        if math.isfinite(self.speed_limit) and not math.isfinite(self.torque_limit):
            raise InvalidModel("motor.torque_limit", self.torque_limit, "finite if there is a speed limit [N m]")
        if not self.lower < self.upper:
            raise InvalidModel("motor.upper", self.upper, f"> motor.lower = {self.lower} [rad]")
        if self.backlash >= self.upper - self.lower:
            raise InvalidModel("motor.backlash", self.backlash, "smaller than the range from lower to upper [rad]")


@dataclass(frozen=True, kw_only=True)
class Robot:
    """A chain of links; link 0 is the tail, the last link the head."""

    links: tuple[Link, ...]
    """The links, from tail to head; 2 to 500."""
    motors: tuple[Motor, ...] | Motor = Motor()
    """One motor per joint, from tail to head, or one for all."""
    name: str = "robot"
    """What results call it."""
    source: str = ""
    """Where the figures come from."""

    def __post_init__(self) -> None:
        links = members("robot.links", self.links, Link, "a Link")
        if not FEWEST_LINKS <= len(links) <= MOST_LINKS:
            raise InvalidModel("robot.links", len(links), f"{FEWEST_LINKS} to {MOST_LINKS} links")
        joints = len(links) - 1
        motors: tuple[Motor, ...] = (self.motors,) * joints if isinstance(self.motors, Motor) else self.motors
        motors = members("robot.motors", motors, Motor, "a Motor")
        if len(motors) != joints:
            raise InvalidModel("robot.motors", len(motors), f"{joints} motors for {len(links)} links, or one for all")
        store(self, links=links, motors=motors)

    @staticmethod
    def uniform(
        n_links: int, link: Link, motor: Motor | None = None, *, name: str = "robot", source: str = ""
    ) -> Robot:
        """A robot of n_links equal links and motors."""
        if isinstance(n_links, bool) or not isinstance(n_links, int):
            raise InvalidModel("robot.n_links", n_links, f"a whole number, {FEWEST_LINKS} to {MOST_LINKS}")
        if not FEWEST_LINKS <= n_links <= MOST_LINKS:
            raise InvalidModel("robot.n_links", n_links, f"{FEWEST_LINKS} to {MOST_LINKS} links")
        instance("robot.link", link, Link, "a Link")
        return Robot(links=(link,) * n_links, motors=motor or Motor(), name=name, source=source)

    @property
    def n_links(self) -> int:
        """Number of links [-]."""
        return len(self.links)

    @property
    def n_joints(self) -> int:
        """Number of joints [-]."""
        return len(self.links) - 1

    @property
    def mass(self) -> float:
        """Mass of the whole robot [kg]."""
        return float(sum(link.mass for link in self.links))

    @property
    def length(self) -> float:
        """Sum of the links' lengths [m]."""
        return float(sum(link.length for link in self.links))

    def column(self, field: str) -> np.ndarray:
        """One field of every link as an array, shape (n_links,)."""
        return np.array([getattr(link, field) for link in self.links], dtype=float)

    def motor_column(self, field: str) -> np.ndarray:
        """One field of every motor as an array, shape (n_joints,)."""
        motors: Sequence[Motor] = self.motors  # type: ignore[assignment]
        return np.array([getattr(motor, field) for motor in motors], dtype=float)
