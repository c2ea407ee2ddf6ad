"""Magnitudes that numbers of the model may have, by their unit: one table for all fields, files and the schema.

Not what is plausible, but what the arithmetic can carry: products and quotients of several such numbers stay far from
where floating point ends. A mass of 1e-320 kg has a single digit, and one over it is infinite; a robot of such links
would "finish" with values that are no numbers. The table reaches from a grain of dust to a mountain range, so that
nothing that can be built is near its ends.
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
"""Least and largest by unit. The least is that of numbers that must be above zero; others may be nearer to it."""
OTHERS = (1e-18, 1e18)
"""The same for all other units."""


def least(unit: str) -> float:
    """The smallest number above zero of what has this unit and must be above zero."""
    return MAGNITUDES.get(unit, OTHERS)[0]


def largest(unit: str) -> float:
    """The largest number, of either sign, of what has this unit."""
    return MAGNITUDES.get(unit, OTHERS)[1]
