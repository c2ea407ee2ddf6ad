"""Quantities that fields of the model have in common: a number, what it may be, and its unit."""

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


def within_a_turn(bounds: Bounds) -> Bounds:
    """The same for an angle of at most a turn: degrees that were given as radians are more, and are told."""
    return replace(bounds, largest=TURN)


Length = Annotated[float, above(0, "m")]
Extent = Annotated[float, at_least(0, "m")]
Offset = Annotated[float, real("m")]
Duration = Annotated[float, at_least(0, "s")]
Frequency = Annotated[float, above(0, "Hz")]
Angle = Annotated[float, within_a_turn(real("rad"))]
"""At most a turn."""
Phase = Annotated[float, real("rad")]
"""An angle that may count whole turns."""
Width = Annotated[float, within_a_turn(above(0, "rad"))]
"""An angle between two directions."""
Spread = Annotated[float, within_a_turn(at_least(0, "rad"))]
EndStop = Annotated[float, within_a_turn(any_number("rad"))]
"""An angle that nothing passes, or none."""
AngularRate = Annotated[float, real("rad/s")]
Coefficient = Annotated[float, at_least(0, "-")]
"""Of friction, and other ratios that are not negative."""
Share = Annotated[float, between(0, 1, "-")]
"""A part of a whole, or a coefficient of restitution."""
Number = Annotated[float, real("-")]
Factor = Annotated[float, above(0, "-")]
Natural = Annotated[int, NATURAL]
Count = Annotated[int, Whole(1, None, "a whole number >= 1")]
Line = Annotated[str, OneLine()]

Point = Annotated[Sequence[float], real("m"), Many(2, "two numbers x, y")]
Place = Annotated[Sequence[float], real("m"), Many(3, "three numbers x, y, z")]
Angles = Annotated[Sequence[float], within_a_turn(real("rad")), Many(None, "a list of numbers")]
Phases = Annotated[Sequence[float], real("rad"), Many(None, "a list of numbers")]
AngularRates = Annotated[Sequence[float], real("rad/s"), Many(None, "a list of numbers")]
