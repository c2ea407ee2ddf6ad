"""Friction laws between a link and the ground: a set of admissible forces and a rule for slip.

`along` is the direction of the link, `across` its left. Coefficients are friction force per normal force [-].
Anisotropic sets come with two flow rules, which share the set and the stick phase and differ in slip:
`associated` (Transeth2008a (49): slip is normal to the set) and `directional` (force -N S v/|v|, Hu 2009).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import instance, non_negative, one_of, positive, store

FLOW_RULES = ("associated", "directional")


@dataclass(frozen=True)
class Frictionless:
    """No force along the ground."""


@dataclass(frozen=True)
class Isotropic:
    """Coulomb friction in a disc, Transeth2008a (50)."""

    coefficient: float
    """Friction coefficient, every direction [-]."""

    def __post_init__(self) -> None:
        store(self, coefficient=non_negative("friction.coefficient", self.coefficient, "-"))


@dataclass(frozen=True, kw_only=True)
class Elliptic:
    """Coulomb friction in an ellipse, Transeth2008a (52)."""

    along: float
    """Friction coefficient along the link [-]."""
    across: float
    """Friction coefficient across the link [-]."""
    flow: str = "associated"
    """Flow rule: "associated" or "directional"."""

    def __post_init__(self) -> None:
        store(
            self,
            along=non_negative("friction.along", self.along, "-"),
            across=non_negative("friction.across", self.across, "-"),
            flow=one_of("friction.flow", self.flow, FLOW_RULES),
        )


@dataclass(frozen=True, kw_only=True)
class Skin:
    """Scales: forward, backward and sideways differ; two half-ellipses joined where the force along is zero."""

    forward: float
    """Friction coefficient while sliding forward [-]."""
    backward: float
    """Friction coefficient while sliding backward [-]."""
    across: float
    """Friction coefficient across the link [-]."""
    flow: str = "associated"
    """Flow rule: "associated" or "directional"."""

    def __post_init__(self) -> None:
        store(
            self,
            forward=non_negative("friction.forward", self.forward, "-"),
            backward=non_negative("friction.backward", self.backward, "-"),
            across=non_negative("friction.across", self.across, "-"),
            flow=one_of("friction.flow", self.flow, FLOW_RULES),
        )


@dataclass(frozen=True, kw_only=True)
class Rectangular:
    """Two independent sign functions, as papers that Transeth2008a (V-B.2) argues against use them."""

    along: float
    """Friction coefficient along the link [-]."""
    across: float
    """Friction coefficient across the link [-]."""

    def __post_init__(self) -> None:
        store(
            self,
            along=non_negative("friction.along", self.along, "-"),
            across=non_negative("friction.across", self.across, "-"),
        )


@dataclass(frozen=True, kw_only=True)
class Viscous:
    """Force proportional to velocity; it never sticks."""

    along: float
    """Force per speed along the link, for the whole link [N s/m]."""
    across: float
    """Force per speed across the link, for the whole link [N s/m]."""

    def __post_init__(self) -> None:
        store(
            self,
            along=non_negative("friction.along", self.along, "N s/m"),
            across=non_negative("friction.across", self.across, "N s/m"),
        )


Plain = Frictionless | Isotropic | Elliptic | Skin | Rectangular | Viscous
"""Laws whose coefficients are constant."""


@dataclass(frozen=True, kw_only=True)
class Varying:
    """A law whose coefficients change with the slip speed and with the side on which a link lies; spatial robots only.

    Each coefficient is multiplied by 1 + (stick_ratio - 1) exp(-(v/stribeck_speed)^2), v the slip speed at the start
    of the time step, and by what `around` says of the side that touches.
    """

    law: Plain
    """The law as it is at high speed, on a side where `around` is 1."""
    stick_ratio: float = 1.0
    """Coefficients at standstill over those at high speed [-]: the Stribeck effect."""
    stribeck_speed: float = 0.01
    """Slip speed at which most of the surplus is gone [m/s]."""
    around: Sequence[float] = (1.0,)
    """Multipliers around the link, evenly spaced, linear in between [-]: the underside first, then toward its left."""

    def __post_init__(self) -> None:
        instance("friction.law", self.law, Plain, "a friction law with constant coefficients")
        if isinstance(self.around, str) or not isinstance(self.around, Iterable):
            raise InvalidModel("friction.around", self.around, "a list of multipliers")
        around = tuple(non_negative(f"friction.around[{k}]", value, "-") for k, value in enumerate(self.around))
        if not around:
            raise InvalidModel("friction.around", around, "at least one multiplier")
        store(
            self,
            stick_ratio=non_negative("friction.stick_ratio", self.stick_ratio, "-"),
            stribeck_speed=positive("friction.stribeck_speed", self.stribeck_speed, "m/s"),
            around=around,
        )


Friction = Plain | Varying
