"""Numbers and arrays from users: how large they may be, and arrays checked and copied.

Everything that goes to the kernels or into a model passes through here once. Lists and arrays of any number type, byte
order and memory order come out as new, contiguous, native arrays. What users do to their own arrays later has no
effect.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.errors import Bounds, InvalidModel

MOST_MAGNITUDE = 1e150
"""Numbers in arrays must be smaller than this, so that their squares and products stay finite."""
MOST_WHOLE = int(np.iinfo(np.int64).max)

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
"""Smallest and largest number by unit: one table for fields, files and the schema.

The smallest applies only to numbers that must be above zero. The limits are set by the arithmetic, not by what is
plausible: products and quotients of several such numbers stay far from the limits of floating point. A mass of 1e-320
kg has a single digit, and its reciprocal is infinite; a robot with such links would "finish" with NaN. The table
reaches from a grain of dust to a mountain range, so anything that can be built is far from its ends.
"""
OTHERS = (1e-18, 1e18)
"""The same for all other units."""


def least(unit: str) -> float:
    """The smallest number allowed for a quantity with this unit that must be above zero."""
    return MAGNITUDES.get(unit, OTHERS)[0]


def largest(unit: str) -> float:
    """The largest magnitude allowed for a quantity with this unit."""
    return MAGNITUDES.get(unit, OTHERS)[1]


@dataclass(frozen=True)
class Axes:
    """The axes of an array.

    A number is a fixed length. A name is a length that is the same wherever the name appears. "..." in front allows any
    further axes.
    """

    names: tuple[int | str, ...]
    """The names and lengths, in order."""

    def __init__(self, *names: int | str) -> None:
        object.__setattr__(self, "names", names)

    def __str__(self) -> str:
        inside = ", ".join(map(str, self.names))
        return f"({inside},)" if len(self.names) == 1 else f"({inside})"


def array(
    field: str,
    value: Any,
    bounds: Bounds,
    axes: Axes | None = None,
    lengths: MutableMapping[str, int] | None = None,
    *,
    whole: bool = False,
) -> np.ndarray:
    """Returns a new array of floats or whole numbers; raises InvalidModel for other types, shapes and ranges.

    `lengths` holds the known lengths of named axes; new ones are added to it.
    """
    made = array_of_numbers(field, value, axes, lengths, unit=bounds.unit, whole=whole)
    check_range(field, made, bounds)
    return made


def truths(field: str, value: Any, count: int) -> np.ndarray:
    """Returns a new array of `count` truth values; raises InvalidModel for numbers and for other shapes."""
    try:
        found = np.array(value)
    except Exception:  # ragged rows, and whatever a user's own class raises
        found = np.empty(0)
    if found.dtype != bool or found.shape != (count,) or np.ma.is_masked(value):
        raise InvalidModel(field, value, f"truth values of shape ({count},)")
    return found


def array_of_numbers(
    field: str,
    value: Any,
    axes: Axes | None = None,
    lengths: MutableMapping[str, int] | None = None,
    *,
    unit: str,
    whole: bool = False,
) -> np.ndarray:
    """Like `array`, but allows any number, including NaN."""
    found = _numeric(field, value, "whole numbers" if whole else "numbers", axes, unit, "iu" if whole else "iuf")
    if axes is not None:
        _check_shape(field, found, axes, {} if lengths is None else lengths, unit)
    if whole and found.dtype.kind == "u" and found.size and found.max() > MOST_WHOLE:
        raise InvalidModel(field, int(found.max()), f"at most {MOST_WHOLE}")
    with np.errstate(over="ignore"):  # numbers too large for a float become infinite and fail the check
        return np.array(found, dtype=np.int64 if whole else float, order="C")


def _numeric(field: str, value: Any, what: str, axes: Axes | None, unit: str, kinds: str) -> np.ndarray:
    allowed = f"{what} of shape {axes}" if axes is not None else f"an array of {what}"
    if np.ma.is_masked(value):
        raise InvalidModel(field, "an array with masked entries", allowed, unit=unit)
    try:
        found = np.asarray(value)
    except Exception:  # ragged rows, and whatever a user's own class raises
        raise InvalidModel(field, value, allowed, unit=unit) from None
    if found.dtype.kind not in kinds and not (found.size == 0 and found.dtype.kind == "f"):
        raise InvalidModel(field, value, allowed, unit=unit)
    return found


def _check_shape(field: str, found: np.ndarray, axes: Axes, lengths: MutableMapping[str, int], unit: str) -> None:
    names, shape, before = axes.names, found.shape, dict(lengths)
    if names[:1] == ("...",):
        names, shape = names[1:], shape[max(0, found.ndim - len(names) + 1) :]
    fits = len(names) == len(shape)
    for name, length in zip(names, shape, strict=False):
        known = name if isinstance(name, int) else lengths.setdefault(name, length)
        fits = fits and known == length
    if not fits:
        wanted = Axes(*(before.get(str(name), name) for name in axes.names))
        raise InvalidModel(field, found.shape, f"of shape {wanted}", unit=unit)


def _surely_in_range(made: np.ndarray, bounds: Bounds, most: float) -> bool:
    """The usual case, also inside loops, without arrays in between; NaN never passes."""
    if not made.size:
        return True
    low, high = made.min(), made.max()
    above = low > bounds.low if bounds.above else low >= bounds.low
    return bool(above and high <= bounds.high and (made.dtype.kind != "f" or (-most < low and high < most)))


def check_range(field: str, made: np.ndarray, bounds: Bounds, most: float = MOST_MAGNITUDE) -> None:
    """Raises InvalidModel for the first entry that is out of bounds or larger than `most` in magnitude."""
    if _surely_in_range(made, bounds, most):
        return
    with np.errstate(invalid="ignore"):
        low = made > bounds.low if bounds.above else made >= bounds.low
        fine = low & (made <= bounds.high)
        if made.dtype.kind == "f":
            fine &= (np.abs(made) < most) | (np.isinf(made) if bounds.infinite else False)
    if not fine.all():
        where = tuple(int(k) for k in np.argwhere(~fine)[0])
        place, odd = f"[{', '.join(map(str, where))}]" if where else "", made[where].item()
        if bounds.contains(odd):
            raise InvalidModel(field + place, odd, f"less than {most:g} in magnitude", unit=bounds.unit)
        raise InvalidModel(field + place, odd, bounds)
