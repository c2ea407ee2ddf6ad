"""The smallest and largest numbers that the model accepts, by unit: one table for fields, files and the schema.

The limits are set by the arithmetic, not by what is plausible: products and quotients of several such numbers stay far
from the limits of floating point. A mass of 1e-320 kg has a single digit, and its reciprocal is infinite; a robot with
such links would "finish" with NaN. The table reaches from a grain of dust to a mountain range, so anything that can be
built is far from its ends.
"""

from __future__ import annotations

MAGNITUDES: dict[str, tuple[float, float]] = {
    "m": (1e-9, 1e12),
    "kg": (1e-9, 1e9),
    "kg m^2": (1e-24, 1e24),
    "s": (1e-9, 1e12),
    "Hz": (1e-9, 1e9),
    "rad": (1e-9, 1e9),
    "rad/s": (1e-9, 1e9),
    "m/s": (1e-12, 1e9),
    "m/s^2": (1e-9, 1e9),
    "N": (1e-15, 1e15),
    "N m": (1e-15, 1e15),
    "N m/rad": (1e-15, 1e15),
    "N m s/rad": (1e-15, 1e15),
    "N s/m": (1e-15, 1e15),
    "-": (1e-18, 1e18),
}
"""Smallest and largest number by unit. The smallest applies only to numbers that must be above zero."""
OTHERS = (1e-18, 1e18)
"""The same for all other units."""


def least(unit: str) -> float:
    """The smallest number allowed for a quantity with this unit that must be above zero."""
    return MAGNITUDES.get(unit, OTHERS)[0]


def largest(unit: str) -> float:
    """The largest magnitude allowed for a quantity with this unit."""
    return MAGNITUDES.get(unit, OTHERS)[1]
