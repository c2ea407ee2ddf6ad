"""From objects to a document: the fields of a class, without those that have their defaults."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection
from itertools import chain
from typing import Any

import numpy as np

from pushpoint.description.entries import Entry, entries_of
from pushpoint.errors import InvalidModel
from pushpoint.model.checks import Of, parts_of
from pushpoint.model.kinds import family_of, name_of

WRITERS: dict[Any, Callable[[Any], Any]] = {}
"""Writers of objects whose sections are not simply their fields, by class or family."""


PLAIN = (bool, int, float, str)
"""Types of values that are written as they are."""


class NotDescribable(Exception):
    """An object that a file cannot hold, such as a function."""


def plain(value: Any, quantity: str = "") -> Any:
    """Converts a value to numbers, text, lists and mappings; raises NotDescribable if a file cannot hold it."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        kind, family = type(value), family_of(type(value))
        write = WRITERS.get(kind) or WRITERS.get(family)
        if write is not None:
            return write(value)
        if family is None:
            return section(value, quantity)
        if name_of(kind) is None:
            raise NotDescribable(kind.__qualname__)
        return tagged(value)
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple | list):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise NotDescribable(type(value).__qualname__)


def tagged(value: Any, tag: str = "kind", always: Collection[str] = ()) -> dict[str, Any]:
    """The section of an object of a family, with the name of its kind, or of its class if it is not registered."""
    return {tag: name_of(type(value)) or type(value).__qualname__, **section(value, always=always)}


def section(
    value: Any, quantity: str = "", *, without: Collection[str] = (), always: Collection[str] = ()
) -> dict[str, Any]:
    """The fields of an object under the keys of a file, without those that have their defaults, except `always`."""
    kind: Any = type(value)
    entries = {name: entry for name, entry in entries_of(kind, quantity).items() if name not in without}
    held = {name: getattr(value, name) for name in entries}
    fields = {name: held[name] for name in entries if name in always or not _is_default(entries[name], held[name])}
    for name, entry in entries.items():
        # A class may fill in a missing value itself: a link's straight side is as long as the link.
        if name in fields and name not in always and entry.default is None and _makes(value, fields, name):
            del fields[name]
    said = {name: each for name, each in fields.items() if each is not None or entries[name].default is not None}
    return dict(_written(entries[name], each) for name, each in said.items())


def _is_default(entry: Entry, held: Any) -> bool:
    default = entry.default
    if held is default:
        return True
    if isinstance(held, float) and isinstance(default, float):
        return held == default and math.copysign(1.0, held) == math.copysign(1.0, default)
    return type(held) is type(default) and not isinstance(held, np.ndarray) and bool(held == default)


def _makes(value: Any, fields: dict[str, Any], name: str) -> bool:
    """Whether the same object results without one field."""
    try:
        return bool(type(value)(**{key: held for key, held in fields.items() if key != name}) == value)
    except InvalidModel:
        return False


def _written(entry: Entry, held: Any) -> tuple[str, Any]:
    if type(held) in PLAIN and not entry.angular:
        return entry.key, held
    if not entry.angular or held is None:
        kind, notes, _ = parts_of(entry.hint)
        quantity = notes[Of].unit if Of in notes else ""
        # If only one kind is possible, the kind is left out.
        return entry.key, section(held, quantity) if kind is type(held) and name_of(kind) else plain(held, quantity)
    degrees = _degrees(held)
    return (entry.key, degrees) if _radians(degrees) == _lists(held) else (entry.keys[1], _lists(held))


def _lists(value: Any) -> Any:
    return [_lists(part) for part in value] if isinstance(value, tuple | list | np.ndarray) else float(value)


def _radians(value: Any) -> Any:
    return [_radians(part) for part in value] if isinstance(value, list) else math.radians(value)


def _degrees(value: Any) -> Any:
    """The shortest number of degrees that reads back as exactly these radians; the nearest one if there is none."""
    if not isinstance(value, float | int):
        return [_degrees(part) for part in value]
    degrees = math.degrees(value)
    if not math.isfinite(degrees):
        return degrees
    # Up to a thousand degrees, a number with fewer digits that reads back is the one with twelve, too.
    fewest = 13 if abs(degrees) < 1e3 and math.radians(round(degrees, 12)) != value else 0
    near = (degrees, math.nextafter(degrees, math.inf), math.nextafter(degrees, -math.inf))
    candidates = chain((round(degrees, digits) for digits in range(fewest, 16)), near)
    return next((each for each in candidates if math.radians(each) == value), degrees)
