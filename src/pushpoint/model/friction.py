"""Friction laws between a link and the ground.

A law consists of a set of admissible forces and a rule for slip. `along` is the direction of the link, `across` its
left. Coefficients are friction force per normal force [-].
Anisotropic sets come with two flow rules. They share the set and behave alike while the link sticks, but differ in
slip: `associated` (Transeth2008a (49): slip is normal to the set) and `directional` (force -N S v/|v|, Hu 2009).
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
    """Base class of friction laws.

    A law of your own gives its `coefficients` and overrides the fields below where it differs. The kinds of sets are
    "cone" (an ellipse, or two half-ellipses joined where the force along the link is zero), "rectangle", "viscous"
    (force proportional to speed, no set) and "none".
    """

    kind: str = "cone"
    """The set of admissible forces: "cone", "rectangle", "viscous" or "none"."""
    flow: str = "associated"
    """Flow rule of a cone: "associated" or "directional"."""
    varies: bool = False
    """Whether the coefficients change with the three fields below (see `Varying`)."""
    stick_ratio: float = 1.0
    """Ratio of the coefficients at standstill to those at high speed [-]."""
    stribeck_speed: float = 1.0
    """Slip speed at which the extra friction has fallen to 1/e [m/s]."""
    around: Sequence[float] = (1.0,)
    """Multipliers around the link's circumference [-]; for spatial robots only."""

    def __post_init__(self) -> None:
        check_fields(self, "friction")

    @property
    def coefficients(self) -> tuple[float, float, float]:
        """Coefficients for sliding forward, backward and across [-]; for a viscous law [N s/m]."""
        raise NotImplementedError(f"{type(self).__qualname__} does not give its coefficients")


@register("frictionless")
@dataclass(frozen=True)
class Frictionless(FrictionLaw):
    """No friction."""

    kind = "none"
    coefficients = (0.0, 0.0, 0.0)


@register("isotropic")
@dataclass(frozen=True)
class Isotropic(FrictionLaw):
    """Coulomb friction, equal in all directions: Transeth2008a (50)."""

    coefficient: Coefficient
    """Friction coefficient in every direction [-]."""

    @property
    def coefficients(self) -> tuple[float, float, float]:
        """The same coefficient for all directions [-]."""
        return (self.coefficient,) * 3


@dataclass(frozen=True, kw_only=True)
class _TwoCoefficients(FrictionLaw):
    along: Coefficient
    """Friction coefficient along the link [-]."""
    across: Coefficient
    """Friction coefficient across the link [-]."""

    @property
    def coefficients(self) -> tuple[float, float, float]:
        """Coefficients for sliding forward, backward and across [-]; for a viscous law [N s/m]."""
        return (self.along, self.along, self.across)


@register("elliptic")
@dataclass(frozen=True, kw_only=True)
class Elliptic(_TwoCoefficients):
    """Coulomb friction with different coefficients along and across the link: Transeth2008a (52).

    The admissible forces form an ellipse.
    """

    flow: Literal["associated", "directional"] = "associated"
    """Flow rule: "associated" or "directional"."""


@register("skin")
@dataclass(frozen=True, kw_only=True)
class Skin(FrictionLaw):
    """Friction of scales: different coefficients for sliding forward, backward and sideways.

    The admissible forces form two half-ellipses, joined where the force along the link is zero.
    """

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
        """Coefficients for sliding forward, backward and across [-]."""
        return (self.forward, self.backward, self.across)


@register("rectangular")
@dataclass(frozen=True, kw_only=True)
class Rectangular(_TwoCoefficients):
    """Independent Coulomb friction along and across the link.

    The admissible forces form a rectangle. Some papers use this law; Transeth2008a (V-B.2) argues against it.
    """

    kind = "rectangle"


@register("viscous")
@dataclass(frozen=True, kw_only=True)
class Viscous(_TwoCoefficients):
    """Friction force proportional to velocity. Such a link never sticks."""

    along: Annotated[float, at_least(0, "N s/m")]
    """Force per speed along the link, for the whole link [N s/m]."""
    across: Annotated[float, at_least(0, "N s/m")]
    """Force per speed across the link, for the whole link [N s/m]."""

    kind = "viscous"


@dataclass(frozen=True, kw_only=True)
class Varying(FrictionLaw):
    """A law whose coefficients depend on slip speed and on the side the link lies on.

    Each coefficient is multiplied by 1 + (stick_ratio - 1) exp(-(v/stribeck_speed)^2), where v is the slip speed at the
    start of the time step, and by the value of `around` for the side that touches.
    """

    law: Annotated[FrictionLaw, What(CONSTANT)]
    """The law at high speed, on a side where `around` is 1."""
    stick_ratio: Coefficient = 1.0
    """Ratio of the coefficients at standstill to those at high speed [-]: the Stribeck effect."""
    stribeck_speed: Annotated[float, above(0, "m/s")] = 0.01
    """Slip speed at which the extra friction has fallen to 1/e [m/s]."""
    around: Annotated[Sequence[float], at_least(0, "-"), Many(None, "a list of multipliers")] = (1.0,)
    """Multipliers around the link [-], evenly spaced and linear in between; for spatial robots only.

    The first is for the underside; the others follow toward the link's left.
    """

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
        """The coefficients of `law`."""
        return self.law.coefficients
