"""The spatial robot: a chain of rigid links that can lift itself."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import Many, Whole, above, check_fields, instance, members, store, whole
from pushpoint.model.joints import Axis, Cardan, Joint
from pushpoint.model.motor import Motor
from pushpoint.model.planar_robot import MOST_LINKS, Chain, PlanarRobot, check_count, one_per_joint
from pushpoint.model.quantities import Coefficient, Extent, Length, Line, Offset, Radius
from pushpoint.model.wheels import Wheels, wheels_of

FEWEST_SPATIAL_LINKS = 1
FREE_CARDAN = Cardan()
A_JOINT = "a Cardan, Yaw or Pitch"


@dataclass(frozen=True)
class ContactSphere:
    """A sphere on a link that can touch the ground."""

    position: tuple[float, float, float]
    """Centre in the link's frame, from the middle of the link [m]."""
    radius: float
    """Radius [m]."""


@dataclass(frozen=True, kw_only=True)
class SpatialLink:
    """A rigid link of a spatial robot: a capsule, or a square bar with rounded edges.

    Its frame is x forward, y left, z up.
    """

    __repr__ = brief

    length: Length
    """Distance from the rear joint to the front joint [m]."""
    mass: Annotated[float, above(0, "kg")]
    """Mass [kg]."""
    inertia: Annotated[Sequence[float], above(0, "kg m^2"), Many(3, "three numbers: about x (roll), y and z")]
    """Moments of inertia about the centre of mass: x (roll), y (pitch), z (yaw) [kg m^2]."""
    radius: Radius
    """Radius of a round link, or half the width of a square one [m]."""
    side_length: Extent | None = None
    """Length of the straight sides, centred on the link [m]; default: the link's length."""
    mass_offset: Offset = 0.0
    """Position of the centre of mass along the link, from the middle toward the head [m]."""
    shape: Literal["round", "square"] = "round"
    """ "round": two contact spheres on the axis; "square": eight at the corners."""
    corner_radius: Radius | None = None
    """Rounding of a square link's corners and edges [m], at most `radius`; default: a tenth of `radius`."""
    wheels: tuple[Wheels, ...] = ()
    """Axles with passive wheels under the link, at most four."""

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
        store(self, side_length=side, corner_radius=corner, wheels=wheels_of(self))

    @property
    def spheres(self) -> tuple[ContactSphere, ...]:
        """The spheres where the ground can touch the link itself, without wheels."""
        half = float(self.side_length or 0.0) / 2
        if self.shape == "round":
            return tuple(ContactSphere((x, 0.0, 0.0), self.radius) for x in (-half, half))
        corner = float(self.corner_radius or 0.0)
        aside = self.radius - corner
        places = itertools.product((-half, half), (-aside, aside), (-aside, aside))
        return tuple(ContactSphere(place, corner) for place in places)

    @property
    def wheel_spheres(self) -> tuple[ContactSphere, ...]:
        """The spheres where its wheels can touch: axle by axle, the right wheel first."""
        found = []
        for each in self.wheels:
            radius, below = float(each.radius or 0.0), self.radius + float(each.clearance or 0.0)
            found += [ContactSphere((x, y, radius - below), radius) for x, y in each.places]
        return tuple(found)


@dataclass(frozen=True, kw_only=True)
class SpatialRobot(Chain):
    """A robot in space: a chain of links. Link 0 is the tail, the last link the head.

    For example:

        motor = pp.Motor(stiffness=200.0, damping=0.5, torque_limit=12.0)
        link = pp.SpatialLink(length=0.10, mass=0.5, inertia=(4e-4, 6e-4, 6e-4), radius=0.04)
        robot = pp.SpatialRobot.uniform(14, link, pp.Cardan(yaw=motor, pitch=motor))
    """

    __repr__ = brief

    links: tuple[SpatialLink, ...]
    """The links, from tail to head; 1 to 5000."""
    joints: tuple[Joint, ...] | Joint = FREE_CARDAN
    """One joint per pair of neighbouring links from tail to head, or one joint for all; default: free cardan joints."""
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
        check_count("links", self.n_links, FEWEST_SPATIAL_LINKS)
        joints = one_per_joint("joints", self.joints, Joint, A_JOINT, self.n_links)
        for k, (joint, link) in enumerate(zip(joints, self.links, strict=False)):
            if joint.axis_distance >= link.length:
                allowed = f"shorter than the link behind it, {link.length} [m]"
                raise InvalidModel(f"robot.joints[{k}].axis_distance", joint.axis_distance, allowed)
        store(self, joints=joints)

    @staticmethod
    def uniform(
        n_links: int,
        link: SpatialLink,
        joints: Joint | Sequence[Joint] = FREE_CARDAN,
        *,
        name: str = "robot",
        source: str = "",
    ) -> SpatialRobot:
        """A robot with equal links and a repeated pattern of joints.

        Args:
            n_links: Number of links, 1 to 5000.
            link: The link that is repeated.
            joints: One joint for all, or a sequence that repeats along the robot: `(Yaw(m), Pitch(m))` alternates.
            name: Name of the robot in results.
            source: Where the numbers come from.
        """
        whole("robot.n_links", n_links, Whole(FEWEST_SPATIAL_LINKS, MOST_LINKS))
        instance("robot.link", link, SpatialLink, "a SpatialLink")
        pattern = members("robot.joints", (joints,) if isinstance(joints, Joint) else joints, Joint, A_JOINT)
        if not pattern:
            raise InvalidModel("robot.joints", pattern, "at least one joint")
        chain = tuple(itertools.islice(itertools.cycle(pattern), n_links - 1))
        return SpatialRobot(links=(link,) * n_links, joints=chain, name=name, source=source)

    @property
    def chain(self) -> tuple[Joint, ...]:
        """The joints between neighbouring links, from tail to head."""
        return self.joints  # type: ignore[return-value]

    @cached_property
    def axes(self) -> tuple[Axis, ...]:
        """All actuated axes, from tail to head."""
        return tuple(Axis(k, hinge.direction) for k, joint in enumerate(self.chain) for hinge in joint.hinges)

    @cached_property
    def motors(self) -> tuple[Motor, ...]:
        """The motors of all axes, from tail to head."""
        return tuple(hinge.motor for joint in self.chain for hinge in joint.hinges)

    @property
    def length(self) -> float:
        """Length of the straight robot, from the tail's rear end to the head's front end [m]."""
        return super().length + float(sum(joint.axis_distance for joint in self.chain))


AnyRobot = PlanarRobot | SpatialRobot
