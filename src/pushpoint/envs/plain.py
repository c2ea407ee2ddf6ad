"""Objects made from plain values, as the arguments of an environment come back from a saved specification."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar

from pushpoint.errors import InvalidModel, UnknownName
from pushpoint.model.checks import instance
from pushpoint.model.sensors import Channel, RangeSensor, Sensors

Made = TypeVar("Made")


def made(place: str, value: Any, kind: type[Made]) -> Made:
    """An object of a kind: the value itself, or one made of a mapping from the names of its fields to values."""
    if not isinstance(value, Mapping):
        return instance(place, value, kind, f"a {kind.__name__}, or a mapping from its fields to values")
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    check_names(f"field of {place}", value, known)
    return kind(**{name: _part(f"{place}.{name}", name, each, kind) for name, each in value.items()})


def check_names(what: str, given: Mapping[Any, Any], known: Sequence[str]) -> None:
    """Raises UnknownName for the first name that is not known."""
    for name in given:
        if name not in known:
            raise UnknownName(what, str(name), known)


def _part(place: str, name: str, value: Any, kind: type) -> Any:
    """The value of a field: sensors have parts of their own."""
    if kind is Sensors and name == "rays":
        if not isinstance(value, Sequence):
            raise InvalidModel(place, value, "a sequence")
        return tuple(made(f"{place}[{k}]", ray, RangeSensor) for k, ray in enumerate(value))
    return made(place, value, Channel) if kind is Sensors and isinstance(value, Mapping) else value
