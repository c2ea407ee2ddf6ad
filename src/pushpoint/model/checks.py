"""Checks at birth: every model value is finite and in range, or its owner refuses to exist.

A dataclass declares what its fields may be by their types: `radius: Annotated[float, above(0, "m")]`, or a name of
model.quantities. `check_fields` holds the values against them; scenario files and their schema read the same.
"""

from __future__ import annotations

import dataclasses
import operator
import types
import typing
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np

from pushpoint.errors import Bounds, InvalidModel
from pushpoint.model.magnitudes import largest, least


def real(unit: str) -> Bounds:
    """Any finite number."""
    return Bounds(unit, largest=largest(unit))


def above(low: float, unit: str, *, infinite: bool = False) -> Bounds:
    """A number greater than `low`."""
    smallest = least(unit) if low == 0 else 0.0
    return Bounds(unit, low=low, above=True, infinite=infinite, least=smallest, largest=largest(unit))


def at_least(low: float, unit: str, *, infinite: bool = False) -> Bounds:
    """A number that is not less than `low`."""
    return Bounds(unit, low=low, infinite=infinite, largest=largest(unit))


def between(low: float, high: float, unit: str) -> Bounds:
    """A number from `low` to `high`, both allowed."""
    return Bounds(unit, low=low, high=high)


def any_number(unit: str) -> Bounds:
    """A number or infinity."""
    return Bounds(unit, infinite=True, largest=largest(unit))


@dataclasses.dataclass(frozen=True)
class Whole:
    """A whole number within limits."""

    low: int
    high: int | None = None
    words: str = ""

    def __str__(self) -> str:
        return self.words or f"a whole number, {self.low} to {self.high}"


NATURAL = Whole(0, None, "a whole number >= 0")


@dataclasses.dataclass(frozen=True)
class Many:
    """Numbers in a row: how many, if that is fixed, and what they are called together."""

    count: int | None
    words: str
    least: int = 0


@dataclasses.dataclass(frozen=True)
class Of:
    """The unit of what a channel carries, given where the channel stands."""

    UNIT: typing.ClassVar = "the quantity's unit"
    unit: str


@dataclasses.dataclass(frozen=True)
class What:
    """What an object must be, in words."""

    words: str


def check_fields(owner: Any, name: str) -> None:
    """Holds the fields of a frozen dataclass against their declared types; numbers become floats, sequences tuples."""
    kind: Any = type(owner)
    for field, parts in _declared_parts(kind).items():
        value = getattr(owner, field)
        checked = _checked(f"{name}.{field}", value, *parts)
        if checked is not value:
            object.__setattr__(owner, field, checked)


@cache
def declared(kind: Any) -> dict[str, Any]:
    """The types of a dataclass's fields, with what they are annotated with."""
    hints = typing.get_type_hints(kind, include_extras=True)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind) if field.init}


@cache
def _declared_parts(kind: Any) -> dict[str, tuple[Any, dict[type, Any], bool]]:
    return {field: parts_of(hint) for field, hint in declared(kind).items()}


def parts_of(hint: Any) -> tuple[Any, dict[type, Any], bool]:
    """A type without None and annotations, the annotations by their types, and whether None is allowed."""
    notes: dict[type, Any] = {}
    optional = False
    while True:
        origin, inside = typing.get_origin(hint), typing.get_args(hint)
        if origin is typing.Annotated:
            hint, notes = inside[0], {type(note): note for note in inside[1:]} | notes
        elif origin in (typing.Union, types.UnionType) and type(None) in inside:
            left = [part for part in inside if part is not type(None)]
            hint, optional = (left[0] if len(left) == 1 else typing.Union[tuple(left)]), True  # noqa: UP007
        else:
            return hint, notes, optional


def _checked(field: str, value: Any, kind: Any, noted: dict[type, Any], optional: bool) -> Any:
    if value is None and optional:
        return None
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if Many in noted and Bounds in noted:
        return numbers(field, value, noted[Bounds], noted[Many])
    if Bounds in noted and kind is float:
        return number(field, value, noted[Bounds])
    if Whole in noted:
        return whole(field, value, noted[Whole])
    if kind is bool:
        if not isinstance(value, bool | np.bool_):
            raise InvalidModel(field, value, "true or false")
        return bool(value)
    if origin is typing.Literal:
        return one_of(field, value, inside)
    one, check = (inside[0], members) if origin in (tuple, Sequence) else (kind, instance)
    if isinstance(one, type) and (What in noted or dataclasses.is_dataclass(one)):
        return check(field, value, one, noted[What].words if What in noted else f"a {one.__name__}")
    return value


def number(field: str, value: Any, bounds: Bounds) -> float:
    """Returns value as float; refuses what is out of bounds."""
    plain = value.item() if isinstance(value, np.generic | np.ndarray) and value.ndim == 0 else value
    allowed = f"a number {bounds.range}"
    if isinstance(plain, bool) or not isinstance(plain, (int, float)):
        raise InvalidModel(field, value, allowed, unit=bounds.unit)
    try:
        found = float(plain)
    except OverflowError:
        raise InvalidModel(field, "a number too large to compute with", allowed, unit=bounds.unit) from None
    if not bounds.hold(found):
        raise InvalidModel(field, value, bounds.broken_by(found))
    return found


def numbers(field: str, values: Any, bounds: Bounds, many: Many) -> tuple[float, ...]:
    """Returns values as a tuple of floats; refuses another count and what is out of bounds."""
    found = tuple(values) if isinstance(values, Iterable) and not isinstance(values, str) else None
    if found is None or (many.count is not None and len(found) != many.count):
        raise InvalidModel(field, values, many.words, unit=bounds.unit)
    return tuple(number(f"{field}[{k}]", value, bounds) for k, value in enumerate(found))


def whole(field: str, value: Any, allowed: Whole) -> int:
    """Returns value as int; refuses what is not a whole number within the limits."""
    found = None if isinstance(value, bool) or not hasattr(value, "__index__") else operator.index(value)
    if found is None or found < allowed.low or (allowed.high is not None and found > allowed.high):
        raise InvalidModel(field, value, str(allowed))
    return found


def positive(field: str, value: Any, unit: str) -> float:
    """Returns value as float; refuses what is not finite and > 0."""
    return number(field, value, above(0, unit))


def non_negative(field: str, value: Any, unit: str, *, infinite: bool = False) -> float:
    """Returns value as float; refuses negative values and NaN (and infinity unless allowed)."""
    return number(field, value, at_least(0, unit, infinite=infinite))


def finite(field: str, value: Any, unit: str) -> float:
    """Returns value as float; refuses NaN and infinity."""
    return number(field, value, real(unit))


def one_of(field: str, value: Any, allowed: Sequence[str]) -> str:
    """Returns value; refuses what is not among the allowed words."""
    if value not in allowed:
        raise InvalidModel(field, value, "one of " + ", ".join(repr(word) for word in allowed))
    return str(value)


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
