"""The spatial robot: a chain of rigid links that can lift itself. Frozen, SI, checked at birth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import Many, Whole, above, check_fields, instance, members, store, whole
from pushpoint.model.joints import Axis, Cardan, Joint
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.quantities import Coefficient, Extent, Length, Offset

FEWEST_SPATIAL_LINKS = 1
MOST_SPATIAL_LINKS = 500
FREE_CARDAN = Cardan()
A_JOINT = "a Cardan, Yaw or Pitch"


@dataclass(frozen=True)
class ContactSphere:
    """A ball on a link that touches the ground."""

    position: tuple[float, float, float]
    """Centre in the link's frame, from the middle of the link [m]."""
    radius: float
    """Radius [m]."""


@dataclass(frozen=True, kw_only=True)
class SpatialLink:
    """A rigid link: a capsule, or a square bar whose corners are rounded. Frame: x forward, y left, z up."""

    length: Length
    """Distance from the rear joint to the front joint [m]."""
    mass: Annotated[float, above(0, "kg")]
    """Mass [kg]."""
    inertia: Annotated[Sequence[float], above(0, "kg m^2"), Many(3, "three numbers: about x (roll), y and z")]
    """Moments of inertia about the centre of mass: x (roll), y (pitch), z (yaw) [kg m^2]."""
    radius: Length
    """Radius of a round link; half the width of a square one [m]."""
    side_length: Extent | None = None
    """Length of the straight side, centred on the link: between the end spheres' centres; default: the link's [m]."""
    mass_offset: Offset = 0.0
    """Position of the centre of mass along the link, from the middle toward the head [m]."""
    shape: Literal["round", "square"] = "round"
    """"round": two contact spheres on the axis; "square": eight at the corners."""
    corner_radius: Length | None = None
    """Rounding of a square link's corners and edges [m]; default: a tenth of `radius`."""

    def __post_init__(self) -> None:
        check_fields(self, "link")
        side = self.length if self.side_length is None else self.side_length
        corner = self.corner_radius
        if self.shape == "square":
            corner = self.radius / 10 if corner is None else corner
        elif corner is not None:
            raise InvalidModel("link.corner_radius", corner, "given for square links only")
        if corner is not None and corner > self.radius:
            others = {"radius": self.radius}
            raise InvalidModel("link.corner_radius", corner, "at most {radius}", unit="m", others=others)
        if 2 * max(self.inertia) > sum(self.inertia) * (1 + 1e-9):
            allowed = "such that none exceeds the sum of the other two [kg m^2]"
            raise InvalidModel("link.inertia", self.inertia, allowed)
        store(self, side_length=side, corner_radius=corner)

    @property
    def spheres(self) -> tuple[ContactSphere, ...]:
        """Where the ground can touch the link."""
        half = float(self.side_length or 0.0) / 2
        if self.shape == "round":
            return tuple(ContactSphere((x, 0.0, 0.0), self.radius) for x in (-half, half))
        corner = float(self.corner_radius or 0.0)
        aside = self.radius - corner
        return tuple(
            ContactSphere((x, y, z), corner) for x in (-half, half) for y in (-aside, aside) for z in (-aside, aside)
        )


@dataclass(frozen=True, kw_only=True)
class SpatialRobot:
    """A chain of links in space; link 0 is the tail, the last link the head."""

    links: tuple[SpatialLink, ...]
    """The links, from tail to head; 1 to 500."""
    joints: tuple[Joint, ...] | Joint = FREE_CARDAN
    """One joint between any two links, from tail to head, or one for all."""
    self_contact: bool = False
    """Whether links two or more apart touch each other."""
    self_friction: Coefficient = 0.0
    """Coulomb coefficient between links that touch each other [-]."""
    name: str = "robot"
    """What results call it."""
    source: str = ""
    """Where the figures come from."""

    def __post_init__(self) -> None:
        check_fields(self, "robot")
        links = self.links
        if not FEWEST_SPATIAL_LINKS <= len(links) <= MOST_SPATIAL_LINKS:
            raise InvalidModel("robot.links", len(links), f"{FEWEST_SPATIAL_LINKS} to {MOST_SPATIAL_LINKS} links")
        gaps = len(links) - 1
        joints = (self.joints,) * gaps if isinstance(self.joints, Joint) else self.joints
        joints = members("robot.joints", joints, Joint, A_JOINT)
        if len(joints) != gaps:
            raise InvalidModel("robot.joints", len(joints), f"{gaps} joints for {len(links)} links, or one for all")
        for k, joint in enumerate(joints):
            if joint.axis_distance >= links[k].length:
                allowed = f"shorter than the link behind it, {links[k].length} [m]"
                raise InvalidModel(f"robot.joints[{k}].axis_distance", joint.axis_distance, allowed)
        store(self, joints=joints)

    @staticmethod
    def uniform(
        n_links: int, link: SpatialLink, joints: Joint | Sequence[Joint], *, name: str = "robot", source: str = ""
    ) -> SpatialRobot:
        """A robot of n_links equal links; a sequence of joints is repeated along it: (Yaw(m), Pitch(m)) alternates."""
        whole("robot.n_links", n_links, Whole(FEWEST_SPATIAL_LINKS, MOST_SPATIAL_LINKS))
        instance("robot.link", link, SpatialLink, "a SpatialLink")
        single = isinstance(joints, Joint)
        pattern = members("robot.joints", (joints,) if single else joints, Joint, A_JOINT)
        if not pattern:
            raise InvalidModel("robot.joints", pattern, "at least one joint")
        chain = tuple(pattern[k % len(pattern)] for k in range(n_links - 1))
        return SpatialRobot(links=(link,) * n_links, joints=chain, name=name, source=source)

    @property
    def n_links(self) -> int:
        """Number of links [-]."""
        return len(self.links)

    @property
    def chain(self) -> tuple[Joint, ...]:
        """The joints, one between any two links, from tail to head."""
        return self.joints  # type: ignore[return-value]

    @property
    def axes(self) -> tuple[Axis, ...]:
        """All actuated axes, from tail to head."""
        return tuple(Axis(k, hinge.direction) for k, joint in enumerate(self.chain) for hinge in joint.hinges)

    @property
    def motors(self) -> tuple[Motor, ...]:
        """The motors of all axes, from tail to head."""
        return tuple(hinge.motor for joint in self.chain for hinge in joint.hinges)

    @property
    def n_joints(self) -> int:
        """Number of actuated axes [-]: a cardan joint counts twice."""
        return len(self.motors)

    @property
    def mass(self) -> float:
        """Mass of the whole robot [kg]."""
        return float(sum(link.mass for link in self.links))

    @property
    def length(self) -> float:
        """From the tail's rear end to the head's front end when it is straight [m]."""
        return float(sum(link.length for link in self.links) + sum(joint.axis_distance for joint in self.chain))

    def column(self, field: str) -> np.ndarray:
        """One field of every link as an array, shape (n_links,) or (n_links, 3)."""
        return np.array([getattr(link, field) for link in self.links], dtype=float)

    def motor_column(self, field: str) -> np.ndarray:
        """One field of the motor of every axis as an array, shape (n_joints,)."""
        return np.array([getattr(motor, field) for motor in self.motors], dtype=float)


AnyRobot = PlanarRobot | SpatialRobot
