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
from pushpoint.model.checks import Many, What, above, at_least, check_fields, store
from pushpoint.model.kinds import family_base, register
from pushpoint.model.quantities import Coefficient

CONSTANT = "a friction law with constant coefficients"


@family_base
class FrictionLaw:
    """What a law says of itself; a law of one's own gives its coefficients and what else differs from this.

    The kinds of sets are "cone" (an ellipse, or two half-ellipses joined where the force along is zero), "rectangle",
    "viscous" (force per speed, no set) and "none".
    """

    kind: str = "cone"
    """Its set of admissible forces: "cone", "rectangle", "viscous" or "none"."""
    flow: str = "associated"
    """Flow rule of a cone: "associated" or "directional"."""
    varies: bool = False
    """Whether the coefficients change with the three factors below, see `Varying`; for spatial robots."""
    stick_ratio: float = 1.0
    """Coefficients at standstill over those at high speed [-]."""
    stribeck_speed: float = 1.0
    """Slip speed at which most of the surplus is gone [m/s]."""
    around: Sequence[float] = (1.0,)
    """Multipliers around the link [-]."""

    def __post_init__(self) -> None:
        check_fields(self, "friction")

    @property
    def coefficients(self) -> tuple[float, float, float]:
        """For sliding forward, backward and across [-]; of a viscous law [N s/m]."""
        raise NotImplementedError(f"{type(self).__qualname__} does not give its coefficients")


@register("frictionless")
@dataclass(frozen=True)
class Frictionless(FrictionLaw):
    """No force along the ground."""

    kind = "none"
    coefficients = (0.0, 0.0, 0.0)


@register("isotropic")
@dataclass(frozen=True)
class Isotropic(FrictionLaw):
    """Coulomb friction in a disc, Transeth2008a (50)."""

    coefficient: Coefficient
    """Friction coefficient, every direction [-]."""

    @property
    def coefficients(self) -> tuple[float, float, float]:
        """The same in every direction [-]."""
        return (self.coefficient,) * 3


@dataclass(frozen=True, kw_only=True)
class _TwoCoefficients(FrictionLaw):
    along: Coefficient
    """Friction coefficient along the link [-]."""
    across: Coefficient
    """Friction coefficient across the link [-]."""

    @property
    def coefficients(self) -> tuple[float, float, float]:
        """Forward, backward and across [-]; of a viscous law [N s/m]."""
        return (self.along, self.along, self.across)


@register("elliptic")
@dataclass(frozen=True, kw_only=True)
class Elliptic(_TwoCoefficients):
    """Coulomb friction in an ellipse, Transeth2008a (52)."""

    flow: Literal["associated", "directional"] = "associated"
    """Flow rule: "associated" or "directional"."""


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

    @property
    def coefficients(self) -> tuple[float, float, float]:
        """Forward, backward and across [-]."""
        return (self.forward, self.backward, self.across)


@register("rectangular")
@dataclass(frozen=True, kw_only=True)
class Rectangular(_TwoCoefficients):
    """Two independent sign functions, as papers that Transeth2008a (V-B.2) argues against use them."""

    kind = "rectangle"


@register("viscous")
@dataclass(frozen=True, kw_only=True)
class Viscous(_TwoCoefficients):
    """Force proportional to velocity; it never sticks."""

    along: Annotated[float, at_least(0, "N s/m")]
    """Force per speed along the link, for the whole link [N s/m]."""
    across: Annotated[float, at_least(0, "N s/m")]
    """Force per speed across the link, for the whole link [N s/m]."""

    kind = "viscous"


@dataclass(frozen=True, kw_only=True)
class Varying(FrictionLaw):
    """A law whose coefficients change with the slip speed and with the side on which a link lies; spatial robots only.

    Each coefficient is multiplied by 1 + (stick_ratio - 1) exp(-(v/stribeck_speed)^2), v the slip speed at the start
    of the time step, and by what `around` says of the side that touches.
    """

    law: Annotated[FrictionLaw, What(CONSTANT)]
    """The law as it is at high speed, on a side where `around` is 1."""
    stick_ratio: Coefficient = 1.0
    """Coefficients at standstill over those at high speed [-]: the Stribeck effect."""
    stribeck_speed: Annotated[float, above(0, "m/s")] = 0.01
    """Slip speed at which most of the surplus is gone [m/s]."""
    around: Annotated[Sequence[float], at_least(0, "-"), Many(None, "a list of multipliers")] = (1.0,)
    """Multipliers around the link, evenly spaced, linear in between [-]: the underside first, then toward its left."""

    varies = True

    def __post_init__(self) -> None:
        super().__post_init__()
        store(self, kind=self.law.kind, flow=self.law.flow)
        if self.law.varies:
            raise InvalidModel("friction.law", self.law, CONSTANT)
        if not self.around:
            raise InvalidModel("friction.around", self.around, "at least one multiplier")

    @property
    def coefficients(self) -> tuple[float, float, float]:
        """Those of the law it varies."""
        return self.law.coefficients
