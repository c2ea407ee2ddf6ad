"""The `robot` section of a scenario document."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Discriminator, Field, Tag

from pushpoint.model.catalogue import ROBOTS
from pushpoint.scenarios.document_section import Section, one_or_many


class SupportSection(Section):
    """A point of a link where the ground rubs on it."""

    offset: float
    """Position along the link, from the middle toward the head [m]."""
    share: float = 1.0
    """Share of the link's weight carried here [-]; the shares of a link sum to 1."""


class LinkSection(Section):
    """A rigid link, its surface a capsule."""

    length: float
    """Distance from the rear joint axis to the front joint axis [m]."""
    mass: float
    """Mass [kg]."""
    inertia: float
    """Moment of inertia about the centre of mass [kg m^2]."""
    radius: float
    """Radius of the capsule [m]."""
    side_length: float | None = None
    """Length of the capsule's straight side [m]; default: the link's length."""
    mass_offset: float = 0.0
    """Position of the centre of mass, from the middle toward the head [m]."""
    supports: list[SupportSection] | None = None
    """Where the ground rubs on the link; default: one point at the centre of mass."""


class MotorSection(Section):
    """A compliant PD servo, limited in torque and speed, with play and end stops."""

    stiffness: float = 0.0
    """Torque per error of the joint angle [N m/rad]."""
    damping: float = 0.0
    """Torque per error of the joint rate [N m s/rad]."""
    torque_limit: float | None = None
    """Largest torque, either way [N m]; with a speed limit, the torque at standstill; default: unlimited."""
    speed_limit_deg: float | None = None
    """Joint rate at which no torque is left [deg/s]; default: the torque does not depend on the rate."""
    backlash_deg: float | None = None
    """Free play of the gear, from flank to flank [deg]; default: none."""
    lower_deg: float | None = None
    """Smallest joint angle, an end stop [deg]; default: none."""
    upper_deg: float | None = None
    """Largest joint angle, an end stop [deg]; default: none."""


class UniformRobot(Section):
    """A robot of equal links and motors."""

    expected: ClassVar[str] = "a robot's name, or a mapping with n_links, link and motor, or with links and motors"

    n_links: int
    """Number of links, 2 to 500."""
    link: LinkSection
    """Every link."""
    motor: MotorSection = MotorSection()
    """Every motor."""
    name: str = "robot"
    """What results call it."""
    source: str = ""
    """Where the figures come from."""


class ListedRobot(Section):
    """A robot whose links differ."""

    links: list[LinkSection]
    """The links, from tail to head."""
    motors: Annotated[
        Annotated[MotorSection, Tag("one")] | Annotated[list[MotorSection], Tag("many")], Discriminator(one_or_many)
    ] = MotorSection()
    """One motor per joint, from tail to head, or one for all."""
    name: str = "robot"
    """What results call it."""
    source: str = ""
    """Where the figures come from."""


def _robot_kind(value: Any) -> str:
    if isinstance(value, str):
        return "catalogue"
    return "listed" if isinstance(value, dict) and "links" in value else "uniform"


CatalogueRobot = Annotated[str, Field(json_schema_extra={"enum": sorted(ROBOTS)})]
RobotValue = Annotated[
    Annotated[CatalogueRobot, Tag("catalogue")]
    | Annotated[UniformRobot, Tag("uniform")]
    | Annotated[ListedRobot, Tag("listed")],
    Discriminator(_robot_kind),
]
