"""The `obstacles` section of a scenario document: pegs, walls and polygons."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from pushpoint.scenarios.document_section import Outline, Pair, Section

PEG = "peg"


class PegSection(Section):
    """A round, fixed obstacle."""

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
    """A straight, fixed wall with round ends."""

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
    """A fixed obstacle with a convex outline."""

    kind: Literal["polygon"]
    """What it is."""
    vertices: Outline
    """Corners in order, each [x, y] [m]; the outline may not bend inward."""
    friction: float = 0.0
    """Coulomb coefficient between polygon and link [-]."""
    restitution: float = 0.0
    """Newton's restitution coefficient [-], 0 to 1."""


def _peg_unless_said(value: Any) -> Any:
    """Names the kind of a peg; what only a wall or a polygon has makes it neither, and the kind is asked for."""
    if not isinstance(value, dict) or "kind" in value:
        return value
    others = (WallSection.model_fields.keys() | PolygonSection.model_fields.keys()) - PegSection.model_fields.keys()
    pegs = {"x", "y", "radius"}
    return value if pegs.isdisjoint(value) and not others.isdisjoint(value) else {"kind": PEG, **value}


ObstacleValue = Annotated[
    Annotated[PegSection | WallSection | PolygonSection, Field(discriminator="kind")], BeforeValidator(_peg_unless_said)
]
