"""Checks at birth: every model value is finite and in range, or its owner refuses to exist."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from pushpoint.errors import InvalidModel


def _number(field: str, value: Any, allowed: str) -> float:
    plain = (
        value.item() if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0) else value
    )
    if isinstance(plain, bool) or not isinstance(plain, (int, float)):
        raise InvalidModel(field, value, f"a number {allowed}")
    try:
        return float(plain)
    except OverflowError:
        raise InvalidModel(field, "a number too large to compute with", f"a number {allowed}") from None


def positive(field: str, value: Any, unit: str) -> float:
    """Returns value as float; refuses what is not finite and > 0."""
    number = _number(field, value, f"> 0 [{unit}]")
    if not (math.isfinite(number) and number > 0.0):
        raise InvalidModel(field, value, f"finite and > 0 [{unit}]")
    return number


def non_negative(field: str, value: Any, unit: str, *, infinite: bool = False) -> float:
    """Returns value as float; refuses negative values and NaN (and infinity unless allowed)."""
    number = _number(field, value, f">= 0 [{unit}]")
    if math.isnan(number) or number < 0.0 or (math.isinf(number) and not infinite):
        raise InvalidModel(field, value, f"{'' if infinite else 'finite and '}>= 0 [{unit}]")
    return number


def finite(field: str, value: Any, unit: str) -> float:
    """Returns value as float; refuses NaN and infinity."""
    number = _number(field, value, f"finite [{unit}]")
    if not math.isfinite(number):
        raise InvalidModel(field, value, f"finite [{unit}]")
    return number


def within(field: str, value: Any, low: float, high: float, unit: str) -> float:
    """Returns value as float; refuses what lies outside [low, high]."""
    number = _number(field, value, f"in [{low}, {high}] [{unit}]")
    if not low <= number <= high:
        raise InvalidModel(field, value, f"in [{low}, {high}] [{unit}]")
    return number


def one_of(field: str, value: Any, allowed: Sequence[str]) -> str:
    """Returns value; refuses what is not among the allowed words."""
    if value not in allowed:
        raise InvalidModel(field, value, "one of " + ", ".join(repr(word) for word in allowed))
    return str(value)


def not_nan(field: str, value: Any, unit: str) -> float:
    """Returns value as float; refuses NaN, takes infinity."""
    number = _number(field, value, f"not NaN [{unit}]")
    if math.isnan(number):
        raise InvalidModel(field, value, f"not NaN [{unit}]")
    return number


def members(field: str, values: Any, kind: Any, what: str) -> tuple[Any, ...]:
    """Returns values as a tuple; refuses what is not a sequence of the given kind, and names the stranger."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidModel(field, values, f"a sequence, each of them {what}")
    found = tuple(values)
    for k, value in enumerate(found):
        if not isinstance(value, kind):
            raise InvalidModel(f"{field}[{k}]", value, what)
    return found


def instance(field: str, value: Any, kind: Any, what: str) -> Any:
    """Returns value; refuses what is not of the given kind."""
    if not isinstance(value, kind):
        raise InvalidModel(field, value, what)
    return value


def store(owner: object, **values: Any) -> None:
    """Writes checked values back into a frozen dataclass during __post_init__."""
    for name, value in values.items():
        object.__setattr__(owner, name, value)
