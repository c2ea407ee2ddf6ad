"""The robot: a chain of links joined by motors. Frozen, SI, checked at birth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import Whole, above, check_fields, instance, members, store, whole
from pushpoint.model.joints import UP, Axis
from pushpoint.model.motor import FREE, Motor
from pushpoint.model.quantities import Extent, Length, Offset

FEWEST_LINKS = 2
MOST_LINKS = 500


@dataclass(frozen=True, kw_only=True)
class Support:
    """A point of a link where the ground carries it and rubs on it."""

    offset: Offset
    """Position along the link, from the middle toward the head [m]."""
    share: Annotated[float, above(0, "-")] = 1.0
    """Share of the link's weight carried here [-]; the shares of a link sum to 1."""

    def __post_init__(self) -> None:
        check_fields(self, "support")


@dataclass(frozen=True, kw_only=True)
class PlanarLink:
    """A rigid link, its surface a capsule: straight sides with round ends."""

    length: Length
    """Distance from the rear joint axis to the front joint axis [m]."""
    mass: Annotated[float, above(0, "kg")]
    """Mass [kg]."""
    inertia: Annotated[float, above(0, "kg m^2")]
    """Moment of inertia about the centre of mass, vertical axis [kg m^2]."""
    radius: Length
    """Radius of the capsule [m]."""
    side_length: Extent | None = None
    """Length of the capsule's straight side, centred on the link [m]; default: the link's length."""
    mass_offset: Offset = 0.0
    """Position of the centre of mass along the link, from the middle toward the head [m]."""
    supports: tuple[Support, ...] | None = None
    """Where the ground rubs on the link; default: one point at the centre of mass."""

    def __post_init__(self) -> None:
        check_fields(self, "link")
        side = self.length if self.side_length is None else self.side_length
        supports = (Support(offset=self.mass_offset),) if self.supports is None else self.supports
        store(self, side_length=side, supports=supports)
        if not supports:
            raise InvalidModel("link.supports", supports, "at least one point")
        total = sum(point.share for point in supports)
        if not math.isclose(total, 1.0, rel_tol=1e-9):
            raise InvalidModel("link.supports: sum of shares", total, "1 [-]")


@dataclass(frozen=True, kw_only=True)
class PlanarRobot:
    """A chain of links; link 0 is the tail, the last link the head."""

    links: tuple[PlanarLink, ...]
    """The links, from tail to head; 2 to 500."""
    motors: tuple[Motor, ...] | Motor = FREE
    """One motor per joint, from tail to head, or one for all."""
    name: str = "robot"
    """What results call it."""
    source: str = ""
    """Where the figures come from."""

    def __post_init__(self) -> None:
        links = members("robot.links", self.links, PlanarLink, "a PlanarLink")
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
        n_links: int, link: PlanarLink, motor: Motor | None = None, *, name: str = "robot", source: str = ""
    ) -> PlanarRobot:
        """A robot of n_links equal links and motors."""
        whole("robot.n_links", n_links, Whole(0, None, f"a whole number, {FEWEST_LINKS} to {MOST_LINKS}"))
        if not FEWEST_LINKS <= n_links <= MOST_LINKS:
            raise InvalidModel("robot.n_links", n_links, f"{FEWEST_LINKS} to {MOST_LINKS} links")
        instance("robot.link", link, PlanarLink, "a PlanarLink")
        return PlanarRobot(links=(link,) * n_links, motors=motor or Motor(), name=name, source=source)

    @property
    def n_links(self) -> int:
        """Number of links [-]."""
        return len(self.links)

    @property
    def n_joints(self) -> int:
        """Number of joints [-]."""
        return len(self.links) - 1

    @property
    def axes(self) -> tuple[Axis, ...]:
        """What its joints turn about, from tail to head: yaw, all of them."""
        return tuple(Axis(k, UP) for k in range(self.n_joints))

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
