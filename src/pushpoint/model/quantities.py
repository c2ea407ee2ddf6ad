"""Physical quantities shared by many fields: the type, the allowed range and the unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pushpoint.errors import TURN, Bounds
from pushpoint.model.checks import (
    NATURAL,
    Many,
    OneLine,
    Whole,
    above,
    any_number,
    at_least,
    between,
    real,
)


def _within_a_turn(bounds: Bounds) -> Bounds:
    """The same for an angle of at most a turn: degrees that were given as radians are more, and are told."""
    return replace(bounds, largest=TURN)


Length = Annotated[float, above(0, "m")]
"""A length [m], > 0."""
Radius = Annotated[float, replace(above(0, "m"), reason="a line or a point has no surface to touch")]
"""A radius or thickness of something that can be touched [m], > 0."""
Extent = Annotated[float, at_least(0, "m")]
"""A length that may be zero [m], >= 0."""
Offset = Annotated[float, real("m")]
"""A coordinate [m]."""
Duration = Annotated[float, at_least(0, "s")]
"""A time [s], >= 0."""
Frequency = Annotated[float, above(0, "Hz")]
"""A rate [Hz], > 0."""
Angle = Annotated[float, _within_a_turn(real("rad"))]
"""An angle of at most a turn [rad]."""
Phase = Annotated[float, real("rad")]
"""An angle that may count whole turns [rad]."""
Width = Annotated[float, _within_a_turn(above(0, "rad"))]
"""An angle between two directions [rad], > 0."""
Spread = Annotated[float, _within_a_turn(at_least(0, "rad"))]
"""An angle that may be zero [rad], >= 0."""
EndStop = Annotated[float, _within_a_turn(any_number("rad"))]
"""An angle that a joint cannot pass [rad]; infinite where there is none."""
AngularRate = Annotated[float, real("rad/s")]
"""An angular rate [rad/s]."""
Coefficient = Annotated[float, at_least(0, "-")]
"""A coefficient of friction, or another ratio that is not negative [-], >= 0."""
Share = Annotated[float, between(0, 1, "-")]
"""A part of a whole, or a coefficient of restitution [-], 0 to 1."""
Number = Annotated[float, real("-")]
"""A plain number [-]."""
Factor = Annotated[float, above(0, "-")]
"""A factor [-], > 0."""
Natural = Annotated[int, NATURAL]
"""A whole number, >= 0."""
Count = Annotated[int, Whole(1, None, "a whole number >= 1")]
"""A whole number, >= 1."""
Line = Annotated[str, OneLine()]
"""One line of text."""

Point = Annotated[Sequence[float], real("m"), Many(2, "two numbers x, y")]
"""Two coordinates x, y [m]."""
Place = Annotated[Sequence[float], real("m"), Many(3, "three numbers x, y, z")]
"""Three coordinates x, y, z [m]."""
Angles = Annotated[Sequence[float], _within_a_turn(real("rad")), Many(None, "a list of numbers")]
"""Any number of angles, each at most a turn [rad]."""
Phases = Annotated[Sequence[float], real("rad"), Many(None, "a list of numbers")]
"""Any number of angles that may count whole turns [rad]."""
AngularRates = Annotated[Sequence[float], real("rad/s"), Many(None, "a list of numbers")]
"""Any number of angular rates [rad/s]."""
