"""Checks of model values when they are created: every number is finite and in range, or InvalidModel is raised.

A dataclass declares the allowed values by the types of its fields: `radius: Annotated[float, above(0, "m")]`, or a name
from model.quantities. `check_fields` checks the values; scenario files and their schema read the same types. A function
declares its arguments in the same way, and `checked_arguments` above it checks them.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import operator
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from pushpoint.errors import Bounds, InvalidModel, shown
from pushpoint.model.arrays import Axes, array, largest, least
from pushpoint.model.plain import a_function, flag, is_path, line, path, plain_array, text

Check = Callable[[str, Any], Any]
"""Checks a value: takes the name of the field and the value, returns the value as it is stored."""


def real(unit: str) -> Bounds:
    """Any finite number."""
    return Bounds(unit, largest=largest(unit))


def above(low: float, unit: str, *, infinite: bool = False) -> Bounds:
    """A number greater than `low`."""
    smallest = least(unit) if low == 0 else 0.0
    return Bounds(unit, low=low, above=True, infinite=infinite, least=smallest, largest=largest(unit))


def at_least(low: float, unit: str, *, infinite: bool = False) -> Bounds:
    """A number that is at least `low`."""
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

    low: int | None
    high: int | None = None
    words: str = ""

    def __str__(self) -> str:
        return self.words or f"a whole number, {self.low} to {self.high}"


NATURAL = Whole(0, None, "a whole number >= 0")
LARGEST_WHOLE = 2**64 - 1
"""The largest whole number where no other limit is declared."""
ANY_WHOLE = Whole(None, None, "a whole number")
ANY_NUMBER = Bounds("-", infinite=True)


@dataclasses.dataclass(frozen=True)
class Many:
    """Several numbers: how many, if that is fixed, and what to call them together."""

    count: int | None
    words: str
    least: int = 0


@dataclasses.dataclass(frozen=True)
class Of:
    """The unit of the quantity that a channel measures; given where the channel is declared."""

    UNIT: typing.ClassVar = "the quantity's unit"
    unit: str


@dataclasses.dataclass(frozen=True)
class What:
    """What an object must be, in words."""

    words: str


@dataclasses.dataclass(frozen=True)
class OneLine:
    """A text without line breaks and control characters, such as a name or a title."""


def check_fields(owner: Any, name: str) -> None:
    """Checks a frozen dataclass's fields against their types; numbers become floats, sequences tuples."""
    kind: Any = type(owner)
    lengths: dict[str, int] = {}
    for field, (hint, check, (low, high)) in _checks_of(kind).items():
        value = getattr(owner, field)
        if type(value) is float and low <= value <= high:
            continue  # most values: a course has many pegs
        checked = check(f"{name}.{field}", value) if check else axed(f"{name}.{field}", value, hint, lengths)
        if checked is not value:
            object.__setattr__(owner, field, checked)


@cache
def declared(kind: Any) -> dict[str, Any]:
    """Returns the declared types of a dataclass's fields, with their annotations."""
    hints = hints_of(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind) if field.init}


def hints_of(kind: Any) -> dict[str, Any]:
    """The types of a class's fields or a function's arguments. Libraries imported only for type checking are loaded."""
    found: dict[str, Any] = {}
    given: Any = kind
    if not isinstance(kind, type):
        given = types.SimpleNamespace(__annotations__={k: v for k, v in kind.__annotations__.items() if k != "return"})
    while True:
        try:
            known = None if given is kind else inspect.unwrap(kind).__globals__
            return typing.get_type_hints(given, globalns=known, localns=found, include_extras=True)
        except NameError as error:
            name = str(error.name)
            found[name] = import_module(_LIBRARIES.get(name, name))


_LIBRARIES = {"np": "numpy", "xr": "xarray"}


@cache
def _checks_of(kind: Any) -> dict[str, tuple[Any, Check | None, tuple[float, float]]]:
    """For every field, its type, its check, and a range of floats that need none.

    Arrays with named axes have no check here, as they depend on each other. A class that declares a bare number, array
    or union checks it itself.
    """
    found, none = {}, (math.inf, -math.inf)
    for field, hint in declared(kind).items():
        bare, noted, _ = parts_of(hint)
        open_ = bare in (float, int, np.ndarray) or typing.get_origin(bare) in (typing.Union, types.UnionType, Callable)
        check = None if has_axes(hint) or (open_ and not noted) else check_for(hint)
        if check or has_axes(hint):
            found[field] = (hint, check, noted[Bounds].ends if bare is float and Bounds in noted else none)
    return found


def has_axes(hint: Any) -> bool:
    """Whether a type is an array with named axes."""
    return Axes in parts_of(hint)[1]


def axed(field: str, value: Any, hint: Any, lengths: dict[str, int]) -> Any:
    """Checks an array against its axes. Some lengths are known from other arrays."""
    _, noted, optional = parts_of(hint)
    if value is None and optional:
        return None
    made = array(field, value, noted[Bounds], noted[Axes], lengths, whole=Whole in noted)
    made.setflags(write=False)
    return made


@cache
def parts_of(hint: Any) -> tuple[Any, dict[type, Any], bool]:
    """A type without None and annotations, its annotations by type, and whether None is allowed."""
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


@cache
def check_for(hint: Any) -> Check | None:
    """Returns the check for a type, or None if any value is allowed."""
    kind, noted, optional = parts_of(hint)
    check = _check_for(kind, noted)
    if check is None or not optional:
        return check
    return lambda field, value: None if value is None else check(field, value)


def _check_for(kind: Any, noted: dict[type, Any]) -> Check | None:
    origin, inside = typing.get_origin(kind) or kind, typing.get_args(kind)
    simple = _simple_check(kind, noted)
    if simple is not None:
        return simple
    if origin is typing.Literal:
        return lambda field, value: one_of(field, value, inside)
    if origin in (typing.Union, types.UnionType):
        return path if str in inside and any(is_path(one) for one in inside) else _either(inside)
    if origin in (tuple, Sequence, list):
        return _sequence(inside, noted)
    if origin is Mapping and inside:
        return _mapping(*inside)
    if isinstance(origin, type) and origin not in (object, Any) and not getattr(origin, "_is_protocol", False):
        words = noted[What].words if What in noted else words_for(kind)
        return lambda field, value: instance(field, value, origin, words)
    return None


def _simple_check(kind: Any, noted: dict[type, Any]) -> Check | None:
    """Checks for numbers, texts, truth values, functions and bare arrays."""
    if Many in noted and Bounds in noted:
        return lambda field, value: numbers(field, value, noted[Bounds], noted[Many])
    if Whole in noted or kind is int:
        return lambda field, value: whole(field, value, noted.get(Whole, ANY_WHOLE))
    if OneLine in noted:
        return line
    if kind is float:
        return lambda field, value: number(field, value, noted.get(Bounds, ANY_NUMBER))
    if (typing.get_origin(kind) or kind) is Callable:
        return a_function
    checks: dict[Any, Check] = {bool: flag, str: text, np.ndarray: plain_array}
    return checks.get(kind) if isinstance(kind, type) else None


def _sequence(inside: tuple[Any, ...], noted: dict[type, Any]) -> Check | None:
    """Any number of members of one type, or a fixed number, each with its own type."""
    if not inside:
        return None
    if len(inside) > 1 and inside[-1] is not Ellipsis:
        checks = [check_for(one) for one in inside]
        words = f"{len(inside)} values: {', '.join(words_for(one) for one in inside)}"

        def fixed(field: str, value: Any) -> Any:
            found = tuple(value) if isinstance(value, list | tuple | np.ndarray) else ()
            if len(found) != len(checks):
                raise InvalidModel(field, value, words)
            pairs = enumerate(zip(checks, found, strict=True))
            return tuple(check(f"{field}[{k}]", each) if check else each for k, (check, each) in pairs)

        return fixed
    one = inside[0]
    check = check_for(typing.Annotated[one, noted[What]] if What in noted else one)
    words = noted[What].words if What in noted else words_for(one)

    def each(field: str, value: Any) -> Any:
        if one in _IN_PLURAL and (isinstance(value, str | bytes | dict) or not isinstance(value, Iterable)):
            raise InvalidModel(field, value, _IN_PLURAL[one])
        found = members(field, value, object, words)
        return tuple(check(f"{field}[{k}]", one) for k, one in enumerate(found)) if check else found

    return each


_IN_PLURAL: dict[Any, str] = {str: "a list of names", float: "a list of numbers", int: "a list of whole numbers"}


def _mapping(key: Any, member: Any) -> Check:
    """A mapping from keys to members."""
    check_key, check_member = check_for(key), check_for(member)

    def mapping(field: str, value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise InvalidModel(field, value, f"a mapping, each of its values {words_for(member)}")
        for name, each in value.items():
            if check_key:
                check_key(f"{field}: key", name)
            if check_member:
                check_member(f"{field}[{shown(name)}]", each)
        return value

    return mapping


def _either(alternatives: tuple[Any, ...]) -> Check | None:
    checks = [check_for(one) for one in alternatives]
    if None in checks:
        return None
    words = " or ".join(dict.fromkeys(words_for(one) for one in alternatives))

    def either(field: str, value: Any) -> Any:
        for check in checks:
            try:
                return check(field, value)  # type: ignore[misc]
            except InvalidModel:
                continue
        raise InvalidModel(field, value, words)

    return either


def words_for(hint: Any) -> str:
    """Describes a type in words."""
    kind, noted, _ = parts_of(hint)
    origin = typing.get_origin(kind) or kind
    if What in noted or Many in noted or Whole in noted:
        note = noted.get(What) or noted.get(Many)
        return note.words if note else str(noted[Whole])
    plain = {float: "a number", int: "a whole number", str: "text", bool: "true or false", np.ndarray: "an array"}
    if kind in plain:
        return f"a number {noted[Bounds]}" if Bounds in noted else plain[kind]
    if origin in (tuple, Sequence, list):
        return f"a sequence, each entry {words_for(typing.get_args(kind)[0])}" if typing.get_args(kind) else "a tuple"
    if origin is Callable:
        return "a function"
    if origin in (typing.Union, types.UnionType):
        return " or ".join(dict.fromkeys(words_for(one) for one in typing.get_args(kind)))
    name = str(getattr(origin, "__name__", origin))
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"


def number(field: str, value: Any, bounds: Bounds) -> float:
    """Returns the value as a float; raises InvalidModel if it is out of bounds."""
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
    """Returns the values as a tuple of floats; raises InvalidModel for a wrong count or a value out of bounds."""
    found = tuple(values) if isinstance(values, Iterable) and not isinstance(values, str) else None
    if found is None or (many.count is not None and len(found) != many.count):
        raise InvalidModel(field, values, many.words, unit=bounds.unit)
    return tuple(number(f"{field}[{k}]", value, bounds) for k, value in enumerate(found))


def whole(field: str, value: Any, allowed: Whole) -> int:
    """Returns the value as an int; raises InvalidModel if it is not a whole number within the limits."""
    try:
        found = None if isinstance(value, bool | np.bool_) else operator.index(value)
    except TypeError:
        found = None
    low, high = (-LARGEST_WHOLE if allowed.low is None else allowed.low), allowed.high
    if found is None or found < low or found > (LARGEST_WHOLE if high is None else high):
        raise InvalidModel(field, value, str(allowed))
    return found


def positive(field: str, value: Any, unit: str) -> float:
    """Returns the value as a float; raises InvalidModel unless it is finite and > 0."""
    return number(field, value, above(0, unit))


def non_negative(field: str, value: Any, unit: str, *, infinite: bool = False) -> float:
    """Returns the value as a float; raises InvalidModel for negative numbers and NaN (and infinity, unless allowed)."""
    return number(field, value, at_least(0, unit, infinite=infinite))


def finite(field: str, value: Any, unit: str) -> float:
    """Returns the value as a float; raises InvalidModel for NaN and infinity."""
    return number(field, value, real(unit))


def one_of(field: str, value: Any, allowed: Sequence[str]) -> str:
    """Returns the value; raises InvalidModel if it is not one of the allowed words."""
    if not isinstance(value, str) or value not in allowed:
        raise InvalidModel(field, value, "one of " + ", ".join(repr(word) for word in allowed))
    return str(value)


def members(field: str, values: Any, kind: Any, what: str) -> tuple[Any, ...]:
    """Returns the values as a tuple; raises InvalidModel for the first one of the wrong type."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidModel(field, values, f"a sequence, each entry {what}")
    found = tuple(values)
    for k, value in enumerate(found):
        if not isinstance(value, kind):
            raise InvalidModel(f"{field}[{k}]", value, what)
    return found


def instance(field: str, value: Any, kind: Any, what: str) -> Any:
    """Returns the value; raises InvalidModel if it is of the wrong type."""
    if not isinstance(value, kind):
        raise InvalidModel(field, value, what)
    return value


def store(owner: object, **values: Any) -> None:
    """Stores checked values in a frozen dataclass during __post_init__."""
    for name, value in values.items():
        object.__setattr__(owner, name, value)
