"""Friction laws between a link and the ground: a set of admissible forces and a rule for slip.

`along` is the direction of the link, `across` its left. Coefficients are friction force per normal force [-].
Anisotropic sets come with two flow rules, which share the set and the stick phase and differ in slip:
`associated` (Transeth2008a (49): slip is normal to the set) and `directional` (force -N S v/|v|, Hu 2009).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import Many, above, at_least, check_fields, instance
from pushpoint.model.kinds import family, register
from pushpoint.model.quantities import Coefficient


@family
class FrictionLaw:
    """What the ground does to a link that slides on it."""


@register("frictionless")
@dataclass(frozen=True)
class Frictionless(FrictionLaw):
    """No force along the ground."""


@register("isotropic")
@dataclass(frozen=True)
class Isotropic(FrictionLaw):
    """Coulomb friction in a disc, Transeth2008a (50)."""

    coefficient: Coefficient
    """Friction coefficient, every direction [-]."""

    def __post_init__(self) -> None:
        check_fields(self, "friction")


@register("elliptic")
@dataclass(frozen=True, kw_only=True)
class Elliptic(FrictionLaw):
    """Coulomb friction in an ellipse, Transeth2008a (52)."""

    along: Coefficient
    """Friction coefficient along the link [-]."""
    across: Coefficient
    """Friction coefficient across the link [-]."""
    flow: Literal["associated", "directional"] = "associated"
    """Flow rule: "associated" or "directional"."""

    def __post_init__(self) -> None:
        check_fields(self, "friction")


@register("skin")
@dataclass(frozen=True, kw_only=True)
class Skin(FrictionLaw):
    """Scales: forward, backward and sideways differ; two half-ellipses joined where the force along is zero."""

    forward: Coefficient
    """Friction coefficient while sliding forward [-]."""
    backward: Coefficient
    """Friction coefficient while sliding backward [-]."""
    across: Coefficient
    """Friction coefficient across the link [-]."""
    flow: Literal["associated", "directional"] = "associated"
    """Flow rule: "associated" or "directional"."""

    def __post_init__(self) -> None:
        check_fields(self, "friction")


@register("rectangular")
@dataclass(frozen=True, kw_only=True)
class Rectangular(FrictionLaw):
    """Two independent sign functions, as papers that Transeth2008a (V-B.2) argues against use them."""

    along: Coefficient
    """Friction coefficient along the link [-]."""
    across: Coefficient
    """Friction coefficient across the link [-]."""

    def __post_init__(self) -> None:
        check_fields(self, "friction")


@register("viscous")
@dataclass(frozen=True, kw_only=True)
class Viscous(FrictionLaw):
    """Force proportional to velocity; it never sticks."""

    along: Annotated[float, at_least(0, "N s/m")]
    """Force per speed along the link, for the whole link [N s/m]."""
    across: Annotated[float, at_least(0, "N s/m")]
    """Force per speed across the link, for the whole link [N s/m]."""

    def __post_init__(self) -> None:
        check_fields(self, "friction")


Plain = Frictionless | Isotropic | Elliptic | Skin | Rectangular | Viscous
"""Laws whose coefficients are constant."""


@dataclass(frozen=True, kw_only=True)
class Varying(FrictionLaw):
    """A law whose coefficients change with the slip speed and with the side on which a link lies; spatial robots only.

    Each coefficient is multiplied by 1 + (stick_ratio - 1) exp(-(v/stribeck_speed)^2), v the slip speed at the start
    of the time step, and by what `around` says of the side that touches.
    """

    law: Plain
    """The law as it is at high speed, on a side where `around` is 1."""
    stick_ratio: Coefficient = 1.0
    """Coefficients at standstill over those at high speed [-]: the Stribeck effect."""
    stribeck_speed: Annotated[float, above(0, "m/s")] = 0.01
    """Slip speed at which most of the surplus is gone [m/s]."""
    around: Annotated[Sequence[float], at_least(0, "-"), Many(None, "a list of multipliers")] = (1.0,)
    """Multipliers around the link, evenly spaced, linear in between [-]: the underside first, then toward its left."""

    def __post_init__(self) -> None:
        instance("friction.law", self.law, Plain, "a friction law with constant coefficients")
        check_fields(self, "friction")
        if not self.around:
            raise InvalidModel("friction.around", self.around, "at least one multiplier")


Friction = Plain | Varying
