"""The `ground` section of a scenario document: regions, slope, heights."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from pushpoint.description.document_friction import FrictionlessLaw, FrictionValue
from pushpoint.description.document_heights import HeightFieldSection
from pushpoint.description.document_section import Outline, Pair, Section, one_or_many


class RegionSection(Section):
    """A polygon on the ground with a friction law of its own."""

    vertices: Outline
    """Corners in order, each [x, y] [m]; the outline may not cross itself."""
    friction: FrictionValue
    """Law of every support point inside."""


class RectangleSection(Section):
    """An upright rectangle on the ground with a friction law of its own."""

    x: Pair
    """From and to, along x [m]."""
    y: Pair
    """From and to, along y [m]."""
    friction: FrictionValue
    """Law of every support point inside."""


def is_rectangle(region: Any) -> bool:
    """Whether a region is given by its sides."""
    return isinstance(region, dict) and "vertices" not in region and not {"x", "y"}.isdisjoint(region)


def _region_form(value: Any) -> str:
    return "sides" if is_rectangle(value) else "corners"


RegionValue = Annotated[
    Annotated[RegionSection, Tag("corners")] | Annotated[RectangleSection, Tag("sides")], Discriminator(_region_form)
]


class GroundSection(Section):
    """What carries the robot; rolling, restitution, slope and heights are for spatial robots."""

    friction: Annotated[
        Annotated[FrictionValue, Tag("one")] | Annotated[list[FrictionValue], Tag("many")], Discriminator(one_or_many)
    ] = FrictionlessLaw(law="frictionless")
    """One law for all links, or one per link from tail to head."""
    spin: float = 0.0
    """Friction against turning on the spot: largest torque per normal force [m]."""
    gravity: float = 9.81
    """Acceleration that presses the links on the ground [m/s^2]."""
    regions: list[RegionValue] = Field(default=[])
    """Patches with another friction law; where they overlap, the last one holds."""
    rolling: float = 0.0
    """Friction against rolling, per normal force [-]."""
    restitution: float = 0.0
    """Newton's restitution coefficient [-], 0 to 1."""
    slope_deg: float = 0.0
    """Angle by which the ground is tilted [deg]; it passes through the origin."""
    slope_direction_deg: float = 0.0
    """Direction in which a slope rises, from the x axis [deg]."""
    heights: HeightFieldSection | None = None
    """Shape of the ground where it is not a plane."""
