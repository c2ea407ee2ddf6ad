"""Friction laws in a scenario document."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from pushpoint.description.document_section import Section

FLOW_RULES = ("associated", "directional")

Flow = Annotated[str, Field(json_schema_extra={"enum": list(FLOW_RULES)})]


class LawSection(Section):
    """What makes the coefficients of a law vary; for spatial robots. A law with none of these keys is constant."""

    stick_ratio: float | None = None
    """Coefficients at standstill over those at high speed [-]: the Stribeck effect; default: 1."""
    stribeck_speed: float | None = None
    """Slip speed at which most of the surplus is gone [m/s]; default: 0.01."""
    around: list[float] | None = None
    """Multipliers around the link, evenly spaced [-]: the underside first, then toward its left; default: 1."""


VARYING = tuple(LawSection.model_fields)
"""Keys that make a law vary."""


class FrictionlessLaw(LawSection):
    """No force along the ground."""

    law: Literal["frictionless"]


class IsotropicLaw(LawSection):
    """Coulomb friction in a disc."""

    law: Literal["isotropic"]
    coefficient: float
    """Friction coefficient, every direction [-]."""


class EllipticLaw(LawSection):
    """Coulomb friction in an ellipse."""

    law: Literal["elliptic"]
    along: float
    """Friction coefficient along the link [-]."""
    across: float
    """Friction coefficient across the link [-]."""
    flow: Flow = "associated"
    """Flow rule."""


class SkinLaw(LawSection):
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


class RectangularLaw(LawSection):
    """Two independent sign functions."""

    law: Literal["rectangular"]
    along: float
    """Friction coefficient along the link [-]."""
    across: float
    """Friction coefficient across the link [-]."""


class ViscousLaw(LawSection):
    """Force proportional to velocity."""

    law: Literal["viscous"]
    along: float
    """Force per speed along the link [N s/m]."""
    across: float
    """Force per speed across the link [N s/m]."""


FrictionValue = Annotated[
    FrictionlessLaw | IsotropicLaw | EllipticLaw | SkinLaw | RectangularLaw | ViscousLaw, Field(discriminator="law")
]
