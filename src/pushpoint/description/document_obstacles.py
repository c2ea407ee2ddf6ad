"""The `obstacles` section of a scenario document: pegs, walls, polygons, boxes and stairs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from pushpoint.description.document_section import Outline, Pair, Section, Triple

PEG = "peg"


class PegSection(Section):
    """A round, fixed obstacle; in a spatial world an upright cylinder without end."""

    kind: Literal["peg"] = "peg"
    """What it is; an obstacle that does not say so is a peg."""
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


class WallSection(Section):
    """A straight, fixed wall with round ends; for planar robots."""

    kind: Literal["wall"]
    """What it is."""
    start: Pair
    """One end of its middle line [m]."""
    end: Pair
    """The other end [m]."""
    thickness: float = 0.01
    """Thickness [m]."""
    friction: float = 0.0
    """Coulomb coefficient between wall and link [-]."""
    restitution: float = 0.0
    """Newton's restitution coefficient [-], 0 to 1."""


class PolygonSection(Section):
    """A fixed obstacle with a convex outline; for planar robots."""

    kind: Literal["polygon"]
    """What it is."""
    vertices: Outline
    """Corners in order, each [x, y] [m]; the outline may not bend inward."""
    friction: float = 0.0
    """Coulomb coefficient between polygon and link [-]."""
    restitution: float = 0.0
    """Newton's restitution coefficient [-], 0 to 1."""


class BoxSection(Section):
    """A fixed box, turned by yaw, then by pitch, then by roll; for spatial robots."""

    kind: Literal["box"]
    """What it is."""
    center: Triple
    """Middle of the box [m]."""
    size: Triple
    """Edge lengths along its own x, y, z [m]."""
    yaw_deg: float = 0.0
    """Turn about the vertical [deg]."""
    pitch_deg: float = 0.0
    """Tilt about its y axis [deg]."""
    roll_deg: float = 0.0
    """Tilt about its x axis [deg]."""
    friction: float = 0.0
    """Coulomb coefficient between box and link [-]."""
    restitution: float = 0.0
    """Newton's restitution coefficient [-], 0 to 1."""


class StairsSection(Section):
    """Steps of equal size; for spatial robots."""

    kind: Literal["stairs"]
    """What it is."""
    foot: Pair
    """Middle of the lowest riser on the ground [m]."""
    heading_deg: float = 0.0
    """Direction in which they rise [deg]."""
    steps: int
    """Number of steps, 1 to 1000."""
    rise: float
    """Height of a step [m]."""
    run: float
    """Depth of a step [m]."""
    width: float = 2.0
    """Width of the stairs [m]."""
    landing: float = 1.0
    """Depth of the top step [m]."""
    friction: float = 0.0
    """Coulomb coefficient between stairs and link [-]."""
    restitution: float = 0.0
    """Newton's restitution coefficient [-], 0 to 1."""


OTHERS = (WallSection, PolygonSection, BoxSection, StairsSection)


def _peg_unless_said(value: Any) -> Any:
    """Names the kind of a peg; what only other obstacles have makes it neither, and the kind is asked for."""
    if not isinstance(value, dict) or "kind" in value:
        return value
    others = {key for section in OTHERS for key in section.model_fields} - PegSection.model_fields.keys()
    pegs = {"x", "y", "radius"}
    return value if pegs.isdisjoint(value) and not others.isdisjoint(value) else {"kind": PEG, **value}


ObstacleValue = Annotated[
    Annotated[
        PegSection | WallSection | PolygonSection | BoxSection | StairsSection,
        Field(discriminator="kind"),
    ],
    BeforeValidator(_peg_unless_said),
]
