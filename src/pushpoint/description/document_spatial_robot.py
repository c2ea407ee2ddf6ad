"""Spatial robots in the `robot` section of a scenario document: links with three inertias, joints with their motors."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Discriminator, Field, Tag

from pushpoint.description.document_motor import MotorSection
from pushpoint.description.document_section import Section, Triple, one_or_many

SHAPES = ("round", "square")


class RobotSection(Section):
    """What all robots have."""

    expected: ClassVar[str] = (
        "a robot's name, or a mapping with n_links, link and motor, or with links and motors; joints make it spatial"
    )

    name: str = "robot"
    """What results call it."""
    source: str = ""
    """Where the figures come from."""


class SpatialLinkSection(Section):
    """A rigid link of a spatial robot: a capsule, or a square bar with rounded corners."""

    length: float
    """Distance from the rear joint to the front joint [m]."""
    mass: float
    """Mass [kg]."""
    inertia: Triple
    """Moments of inertia about the centre of mass: x (roll), y (pitch), z (yaw) [kg m^2]."""
    radius: float
    """Radius of a round link; half the width of a square one [m]."""
    side_length: float | None = None
    """Length of the straight side, between the end spheres' centres [m]; default: the link's length."""
    mass_offset: float = 0.0
    """Position of the centre of mass, from the middle toward the head [m]."""
    shape: Annotated[str, Field(json_schema_extra={"enum": list(SHAPES)})] = "round"
    """Two contact spheres on the axis (round), or eight at the corners (square)."""
    corner_radius: float | None = None
    """Rounding of a square link's corners and edges [m]; default: a tenth of the radius."""


class CardanSection(Section):
    """A joint of two axes: pitch on the rear link, yaw on the front one."""

    kind: Literal["cardan"]
    """What it is."""
    yaw: MotorSection = MotorSection()
    """What turns it sideways; > 0 to the left."""
    pitch: MotorSection = MotorSection()
    """What lifts and lowers; > 0 turns the front link down."""
    axis_distance: float = 0.0
    """Distance from the pitch axis forward to the yaw axis [m]."""


class YawSection(Section):
    """A joint of one vertical axis."""

    kind: Literal["yaw"]
    """What it is."""
    motor: MotorSection = MotorSection()
    """What turns it; > 0 to the left."""


class PitchSection(Section):
    """A joint of one horizontal axis, across the links."""

    kind: Literal["pitch"]
    """What it is."""
    motor: MotorSection = MotorSection()
    """What turns it; > 0 turns the front link down."""


JointValue = Annotated[CardanSection | YawSection | PitchSection, Field(discriminator="kind")]
JointsValue = Annotated[
    Annotated[JointValue, Tag("one")] | Annotated[list[JointValue], Tag("many")], Discriminator(one_or_many)
]
FREE_CARDAN = CardanSection(kind="cardan")


class SpatialRobotSection(RobotSection):
    """What all spatial robots have."""

    self_contact: bool = False
    """Whether links two or more apart touch each other."""
    self_friction: float = 0.0
    """Coulomb coefficient between links that touch each other [-]."""


class UniformSpatialRobot(SpatialRobotSection):
    """A spatial robot of equal links."""

    n_links: int
    """Number of links, 1 to 500."""
    link: SpatialLinkSection
    """Every link."""
    joints: JointsValue = FREE_CARDAN
    """One joint for all, or a list that is repeated along the robot from tail to head: yaw and pitch in turn."""


class ListedSpatialRobot(SpatialRobotSection):
    """A spatial robot whose links differ."""

    links: list[SpatialLinkSection]
    """The links, from tail to head."""
    joints: JointsValue = FREE_CARDAN
    """One joint between any two links, from tail to head, or one for all."""
