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


class Friction:
    """What a law says of itself; a law of one's own gives its coefficients and what else differs from this.

    The kinds of sets are "cone" (an ellipse, or two half-ellipses joined where the force along is zero), "rectangle",
    "viscous" (force per speed, no set) and "none".
    """

    @property
    def kind(self) -> str:
        """Its set of admissible forces: "cone", "rectangle", "viscous" or "none"."""
        return "cone"

    @property
    def coefficients(self) -> tuple[float, float, float]:
        """For sliding forward, backward and across [-]; of a viscous law [N s/m]."""
        raise NotImplementedError

    @property
    def flow(self) -> str:
        """Flow rule of a cone: "associated" or "directional"."""
        return "associated"

    @property
    def varies(self) -> bool:
        """Whether the coefficients change with the three factors below; for spatial robots."""
        return False

    @property
    def stick_ratio(self) -> float:
        """Coefficients at standstill over those at high speed [-]."""
        return 1.0

    @property
    def stribeck_speed(self) -> float:
        """Slip speed at which most of the surplus is gone [m/s]."""
        return 1.0

    @property
    def around(self) -> Sequence[float]:
        """Multipliers around the link, see `Varying` [-]."""
        return (1.0,)


@dataclass(frozen=True)
class Frictionless(Friction):
    """No force along the ground."""

    kind = "none"
    coefficients = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Isotropic(Friction):
    """Coulomb friction in a disc, Transeth2008a (50)."""

    coefficient: float
    """Friction coefficient, every direction [-]."""

    def __post_init__(self) -> None:
        store(self, coefficient=non_negative("friction.coefficient", self.coefficient, "-"))

    @property
    def coefficients(self) -> tuple[float, float, float]:
        """The same in every direction [-]."""
        return (self.coefficient,) * 3


@dataclass(frozen=True, kw_only=True)
class Elliptic(Friction):
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

    @property
    def coefficients(self) -> tuple[float, float, float]:
        """Forward, backward and across [-]."""
        return (self.along, self.along, self.across)


@dataclass(frozen=True, kw_only=True)
class Skin(Friction):
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

    @property
    def coefficients(self) -> tuple[float, float, float]:
        """Forward, backward and across [-]."""
        return (self.forward, self.backward, self.across)


@dataclass(frozen=True, kw_only=True)
class Rectangular(Friction):
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

    kind = "rectangle"

    @property
    def coefficients(self) -> tuple[float, float, float]:
        """Forward, backward and across [-]."""
        return (self.along, self.along, self.across)


@dataclass(frozen=True, kw_only=True)
class Viscous(Friction):
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

    kind = "viscous"

    @property
    def coefficients(self) -> tuple[float, float, float]:
        """Forward, backward and across [N s/m]."""
        return (self.along, self.along, self.across)


@dataclass(frozen=True, kw_only=True)
class Varying(Friction):
    """A law whose coefficients change with the slip speed and with the side on which a link lies; spatial robots only.

    Each coefficient is multiplied by 1 + (stick_ratio - 1) exp(-(v/stribeck_speed)^2), v the slip speed at the start
    of the time step, and by what `around` says of the side that touches.
    """

    law: Friction
    """The law as it is at high speed, on a side where `around` is 1."""
    stick_ratio: float = 1.0
    """Coefficients at standstill over those at high speed [-]: the Stribeck effect."""
    stribeck_speed: float = 0.01
    """Slip speed at which most of the surplus is gone [m/s]."""
    around: Sequence[float] = (1.0,)
    """Multipliers around the link, evenly spaced, linear in between [-]: the underside first, then toward its left."""

    def __post_init__(self) -> None:
        what = "a friction law with constant coefficients"
        if instance("friction.law", self.law, Friction, what).varies:
            raise InvalidModel("friction.law", self.law, what)
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

    varies = True

    @property
    def kind(self) -> str:
        """That of the law it varies."""
        return self.law.kind

    @property
    def coefficients(self) -> tuple[float, float, float]:
        """Those of the law it varies."""
        return self.law.coefficients

    @property
    def flow(self) -> str:
        """That of the law it varies."""
        return self.law.flow
