"""Physical quantities shared by many fields: the type, the allowed range and the unit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pushpoint.model.checks import NATURAL, Many, OneLine, Whole, above, at_least, between, real

Length = Annotated[float, above(0, "m")]
"""A length [m], > 0."""
Extent = Annotated[float, at_least(0, "m")]
"""A length that may be zero [m], >= 0."""
Offset = Annotated[float, real("m")]
"""A coordinate [m]."""
Duration = Annotated[float, at_least(0, "s")]
"""A time [s], >= 0."""
Frequency = Annotated[float, above(0, "Hz")]
"""A rate [Hz], > 0."""
Angle = Annotated[float, real("rad")]
"""An angle [rad]."""
Width = Annotated[float, above(0, "rad")]
"""An angle between two directions [rad], > 0."""
Spread = Annotated[float, at_least(0, "rad")]
"""An angle that may be zero [rad], >= 0."""
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
Angles = Annotated[Sequence[float], real("rad"), Many(None, "a list of numbers")]
"""Any number of angles [rad]."""
AngularRates = Annotated[Sequence[float], real("rad/s"), Many(None, "a list of numbers")]
"""Any number of angular rates [rad/s]."""
