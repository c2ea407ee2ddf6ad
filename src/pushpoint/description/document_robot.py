"""The `robot` section of a scenario document: planar robots, and what tells them from spatial ones."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from pushpoint.description.document_motor import MotorSection
from pushpoint.description.document_section import Section, one_or_many
from pushpoint.description.document_spatial_robot import ListedSpatialRobot, RobotSection, UniformSpatialRobot
from pushpoint.model.catalogue import ROBOTS
from pushpoint.model.spatial_robot import SpatialRobot


class SupportSection(Section):
    """A point of a link where the ground rubs on it."""

    offset: float
    """Position along the link, from the middle toward the head [m]."""
    share: float = 1.0
    """Share of the link's weight carried here [-]; the shares of a link sum to 1."""


class LinkSection(Section):
    """A rigid link of a planar robot, its surface a capsule."""

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


class UniformRobot(RobotSection):
    """A planar robot of equal links and motors."""

    n_links: int
    """Number of links, 2 to 500."""
    link: LinkSection
    """Every link."""
    motor: MotorSection = MotorSection()
    """Every motor."""


class ListedRobot(RobotSection):
    """A planar robot whose links differ."""

    links: list[LinkSection]
    """The links, from tail to head."""
    motors: Annotated[
        Annotated[MotorSection, Tag("one")] | Annotated[list[MotorSection], Tag("many")], Discriminator(one_or_many)
    ] = MotorSection()
    """One motor per joint, from tail to head, or one for all."""


def is_listed(robot: dict[str, Any]) -> bool:
    """Whether a robot's links are listed one by one."""
    return "links" in robot


def is_spatial(robot: Any) -> bool:
    """Whether a robot, as a document has it, can lift itself: it has joints, or inertia about three axes."""
    if isinstance(robot, str):
        return robot in ROBOTS and isinstance(ROBOTS[robot](), SpatialRobot)
    if not isinstance(robot, dict):
        return False
    links = robot.get("links", [robot.get("link")])
    rolls = (isinstance(link.get("inertia"), list) for link in _mappings(links))
    return not SPATIAL_KEYS.isdisjoint(robot) or any(rolls)


SPATIAL_KEYS = UniformSpatialRobot.model_fields.keys() - UniformRobot.model_fields.keys()


def _mappings(values: Any) -> list[dict[str, Any]]:
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


def _robot_kind(value: Any) -> str:
    if isinstance(value, str):
        return "catalogue"
    world = "spatial" if is_spatial(value) else "planar"
    return f"{world} listed" if isinstance(value, dict) and is_listed(value) else f"{world} uniform"


CatalogueRobot = Annotated[str, Field(json_schema_extra={"enum": sorted(ROBOTS)})]
RobotValue = Annotated[
    Annotated[CatalogueRobot, Tag("catalogue")]
    | Annotated[UniformRobot, Tag("planar uniform")]
    | Annotated[ListedRobot, Tag("planar listed")]
    | Annotated[UniformSpatialRobot, Tag("spatial uniform")]
    | Annotated[ListedSpatialRobot, Tag("spatial listed")],
    Discriminator(_robot_kind),
]


class RobotDocument(Section):
    """A document of a robot alone."""

    robot: RobotValue
    """The robot: a name from the catalogue, or one's own."""
