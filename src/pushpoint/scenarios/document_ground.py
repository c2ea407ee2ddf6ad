"""The `ground` section of a scenario document: friction laws and regions."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from pushpoint.model.friction import FLOW_RULES
from pushpoint.scenarios.document_section import Outline, Pair, Section, one_or_many

Flow = Annotated[str, Field(json_schema_extra={"enum": list(FLOW_RULES)})]


class FrictionlessLaw(Section):
    """No force along the ground."""

    law: Literal["frictionless"]


class IsotropicLaw(Section):
    """Coulomb friction in a disc."""

    law: Literal["isotropic"]
    coefficient: float
    """Friction coefficient, every direction [-]."""


class EllipticLaw(Section):
    """Coulomb friction in an ellipse."""

    law: Literal["elliptic"]
    along: float
    """Friction coefficient along the link [-]."""
    across: float
    """Friction coefficient across the link [-]."""
    flow: Flow = "associated"
    """Flow rule."""


class SkinLaw(Section):
    """Scales: forward, backward and sideways differ."""

    law: Literal["skin"]
    forward: float
    """Friction coefficient while sliding forward [-]."""
    backward: float
    """Friction coefficient while sliding backward [-]."""
    across: float
    """Friction coefficient across the link [-]."""
    flow: Flow = "associated"
    """Flow rule."""


class RectangularLaw(Section):
    """Two independent sign functions."""

    law: Literal["rectangular"]
    along: float
    """Friction coefficient along the link [-]."""
    across: float
    """Friction coefficient across the link [-]."""


class ViscousLaw(Section):
    """Force proportional to velocity."""

    law: Literal["viscous"]
    along: float
    """Force per speed along the link [N s/m]."""
    across: float
    """Force per speed across the link [N s/m]."""


FrictionValue = Annotated[
    FrictionlessLaw | IsotropicLaw | EllipticLaw | SkinLaw | RectangularLaw | ViscousLaw, Field(discriminator="law")
]


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
    """Flat ground."""

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
