"""The planar robot, and what it has in common with the spatial one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import Whole, above, check_fields, instance, members, store, whole
from pushpoint.model.joints import UP, Axis
from pushpoint.model.motor import FREE, Motor
from pushpoint.model.quantities import Coefficient, Extent, Length, Line, Offset, Radius
from pushpoint.model.wheels import Wheels, wheels_of

FEWEST_LINKS, MOST_LINKS = 2, 5000


@dataclass(frozen=True, kw_only=True)
class Support:
    """A point of a link where the ground carries it and friction acts."""

    offset: Offset
    """Position along the link, from the middle toward the head [m]."""
    share: Annotated[float, above(0, "-")] = 1.0
    """Share of the link's weight carried here [-], above 0. The shares of a link add up to 1."""

    def __post_init__(self) -> None:
        check_fields(self, "support")


@dataclass(frozen=True, kw_only=True)
class PlanarLink:
    """A rigid link of a planar robot, shaped like a capsule: straight sides with round ends."""

    __repr__ = brief

    length: Length
    """Distance from the rear joint axis to the front joint axis [m]."""
    mass: Annotated[float, above(0, "kg")]
    """Mass [kg]."""
    inertia: Annotated[float, above(0, "kg m^2")]
    """Moment of inertia about the vertical axis through the centre of mass [kg m^2]."""
    radius: Radius
    """Radius of the capsule [m]."""
    side_length: Extent | None = None
    """Length of the capsule's straight sides, centred on the link [m]; default: the link's length."""
    mass_offset: Offset = 0.0
    """Position of the centre of mass along the link, from the middle toward the head [m]."""
    supports: tuple[Support, ...] | None = None
    """Where the ground carries the link; default: one point at the centre of mass, or the wheels."""
    wheels: tuple[Wheels, ...] = ()
    """Axles with passive wheels, at most four. All wheels of a link carry equal shares of its weight."""
    contact_force: Literal["surface", "centre"] = "surface"
    """Where obstacles push: "surface" or "centre".

    "surface": at the point that touches, along the surface normal. "centre": at the centre of mass, across the link, as
    in the model of Liljeback2011, II. That model keeps the centre of mass out of obstacles, but not the ends of the
    link.
    """

    def __post_init__(self) -> None:
        check_fields(self, "link")
        side = self.length if self.side_length is None else self.side_length
        usual = (Support(offset=self.mass_offset),)
        if self.wheels:
            if self.supports not in (None, usual):
                raise InvalidModel("link.supports", self.supports, "left out for a link on wheels")
            store(self, side_length=side, supports=None, wheels=wheels_of(self))
            return
        supports = usual if self.supports is None else self.supports
        store(self, side_length=side, supports=supports)
        if not supports:
            raise InvalidModel("link.supports", supports, "at least one point")
        total = sum(point.share for point in supports)
        if not math.isclose(total, 1.0, rel_tol=1e-9):
            raise InvalidModel("link.supports: sum of shares", total, "1 [-]")


def check_count(field: str, n_links: int, fewest: int) -> None:
    """Raises InvalidModel if the number of links is out of range."""
    if not fewest <= n_links <= MOST_LINKS:
        raise InvalidModel(f"robot.{field}", n_links, f"{fewest} to {MOST_LINKS} links")


def one_per_joint(field: str, given: Any, kind: type, what: str, n_links: int) -> tuple[Any, ...]:
    """Returns one part per joint, from tail to head; a single part is repeated for all joints."""
    joints = n_links - 1
    found = members(f"robot.{field}", (given,) * joints if isinstance(given, kind) else given, kind, what)
    if len(found) != joints:
        raise InvalidModel(f"robot.{field}", len(found), f"{joints} {field} for {n_links} links, or one for all")
    return found


def _fixed(values: np.ndarray) -> np.ndarray:
    """An array that nobody can change."""
    values.setflags(write=False)
    return values


class Chain:
    """What planar and spatial robots have in common: links from tail to head, with motors between them."""

    links: tuple[Any, ...]
    """The links, from tail to head."""
    axes: Any
    """The axes of its joints, from tail to head."""

    @property
    def motors(self) -> Any:
        """The motors of all axes, from tail to head."""
        raise NotImplementedError(f"{type(self).__qualname__} does not list its motors")

    @property
    def n_links(self) -> int:
        """Number of links [-]."""
        return len(self.links)

    @property
    def n_joints(self) -> int:
        """Number of actuated axes [-]. A cardan joint counts twice."""
        return len(self.motors)

    @property
    def mass(self) -> float:
        """Mass of the whole robot [kg]."""
        return float(sum(link.mass for link in self.links))

    @property
    def length(self) -> float:
        """Length of the straight robot, from the tail's rear end to the head's front end [m]."""
        return float(sum(link.length for link in self.links))

    def column(self, field: str) -> np.ndarray:
        """Returns one field of every link as an array, shape (n_links,) or (n_links, 3)."""
        if field not in self._columns:
            self._columns[field] = np.array([getattr(link, field) for link in self.links], dtype=float)
        return self._columns[field].copy()

    def motor_column(self, field: str) -> np.ndarray:
        """Returns one field of every axis's motor as an array, shape (n_joints,)."""
        key = f"motors: {field}"
        if key not in self._columns:
            self._columns[key] = np.array([getattr(motor, field) for motor in self.motors], dtype=float)
        return self._columns[key].copy()

    @cached_property
    def axis_behind(self) -> np.ndarray:
        """The link behind each axis, shape (n_joints,)."""
        return _fixed(np.array([axis.link_behind for axis in self.axes], dtype=int))

    @cached_property
    def axis_yaws(self) -> np.ndarray:
        """Whether each axis is a yaw axis, shape (n_joints,)."""
        return _fixed(np.array([axis.name == "yaw" for axis in self.axes], dtype=bool))

    @cached_property
    def _columns(self) -> dict[str, np.ndarray]:
        """The columns so far: a robot does not change."""
        return {}


@dataclass(frozen=True, kw_only=True)
class PlanarRobot(Chain):
    """A robot in the plane: a chain of links. Link 0 is the tail, the last link the head.

    For example:

        link = pp.PlanarLink(length=0.10, mass=0.5, inertia=6e-4, radius=0.04)
        robot = pp.PlanarRobot.uniform(12, link, pp.Motor(stiffness=400.0, damping=1.0, torque_limit=5.0))
    """

    __repr__ = brief

    links: tuple[PlanarLink, ...]
    """The links, from tail to head; 2 to 5000."""
    motors: tuple[Motor, ...] | Motor = FREE
    """One motor per joint from tail to head, or one motor for all joints; default: free joints."""
    self_contact: bool = False
    """Whether links that are not neighbours can touch each other."""
    self_friction: Coefficient = 0.0
    """Coulomb coefficient between links that touch each other [-]."""
    name: Line = "robot"
    """Name of the robot in results."""
    source: Line = ""
    """Where the numbers come from."""

    def __post_init__(self) -> None:
        check_fields(self, "robot")
        check_count("links", self.n_links, FEWEST_LINKS)
        store(self, motors=one_per_joint("motors", self.motors, Motor, "a Motor", self.n_links))

    @staticmethod
    def uniform(
        n_links: int, link: PlanarLink, motor: Motor | None = None, *, name: str = "robot", source: str = ""
    ) -> PlanarRobot:
        """A robot with equal links and equal motors.

        Args:
            n_links: Number of links, 2 to 5000.
            link: The link that is repeated.
            motor: The motor of every joint; default: free joints.
            name: Name of the robot in results.
            source: Where the numbers come from.
        """
        whole("robot.n_links", n_links, Whole(0, None, f"a whole number, {FEWEST_LINKS} to {MOST_LINKS}"))
        check_count("n_links", n_links, FEWEST_LINKS)
        instance("robot.link", link, PlanarLink, "a PlanarLink")
        return PlanarRobot(links=(link,) * n_links, motors=FREE if motor is None else motor, name=name, source=source)

    @cached_property
    def axes(self) -> tuple[Axis, ...]:
        """The axes of its joints, from tail to head; all of them yaw."""
        return tuple(Axis(k, UP) for k in range(self.n_joints))
