"""Friction laws between a link and the ground: a set of admissible forces and a rule for slip.

`along` is the direction of the link, `across` its left. Coefficients are friction force per normal force [-].
Anisotropic sets come with two flow rules, which share the set and the stick phase and differ in slip:
`associated` (Transeth2008a (49): slip is normal to the set) and `directional` (force -N S v/|v|, Hu 2009).
"""

from __future__ import annotations

from dataclasses import dataclass

from pushpoint.model.checks import non_negative, one_of, store

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


Friction = Frictionless | Isotropic | Elliptic | Skin | Rectangular | Viscous
