"""From objects to a document: the fields of a class without those that it would fill in by itself."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pushpoint.description.entries import Entry, entries_of
from pushpoint.description.reading import CUSTOM
from pushpoint.errors import InvalidModel, PushpointError
from pushpoint.model.checks import Of, parts_of
from pushpoint.model.kinds import family_of, name_of

Write = Callable[[Any], Any]

WRITERS: dict[Any, Write] = {}
"""How objects are written whose sections are not simply their fields, by their class."""


class NotDescribable(Exception):
    """An object that no file can hold, such as a function."""


def writes(*kinds: Any) -> Callable[[Write], Write]:
    """Says how objects of some classes are written; used as a decorator."""

    def known(write: Write) -> Write:
        WRITERS.update(dict.fromkeys(kinds, write))
        return write

    return known


def plain(value: Any, quantity: str = "") -> Any:
    """Numbers, text, lists and mappings that say the same; refuses what a file cannot hold."""
    write = WRITERS.get(type(value))
    if write is not None:
        return write(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return named_section(value, quantity)
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple | list):
        return [plain(part) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise NotDescribable(type(value).__qualname__)


def named_section(value: Any, quantity: str = "") -> dict[str, Any]:
    """The section of an object, with the name of its kind if it is one of a family."""
    name = name_of(type(value))
    if name is None and family_of(type(value)) is not None:
        raise NotDescribable(type(value).__qualname__)
    return ({} if name is None else {"kind": name}) | section(value, quantity)


def section(value: Any, quantity: str = "", *, without: tuple[str, ...] = (), full: bool = False) -> dict[str, Any]:
    """The fields of an object under the keys of a file; `full`: with those that have their defaults, too."""
    kind: Any = type(value)
    entries = {name: entry for name, entry in entries_of(kind, quantity).items() if name not in without}
    fields = {name: getattr(value, name) for name in entries}
    if not full:
        fields = {name: held for name, held in fields.items() if not _is_default(entries[name], held)}
        for name, entry in entries.items():
            # Where nothing is given, a class works the value out: a link's straight side is as long as the link.
            if name in fields and entry.default is None and _makes(value, fields, name):
                del fields[name]
    written: dict[str, Any] = {}
    for name, held in fields.items():
        if held is None and entries[name].default is None:
            continue
        key, said = _written(entries[name], held)
        written[key] = said
    return written


def _is_default(entry: Entry, held: Any) -> bool:
    default = entry.default
    if held is default:
        return True
    if isinstance(held, float) and isinstance(default, float):
        return held == default and math.copysign(1.0, held) == math.copysign(1.0, default)
    return type(held) is type(default) and not isinstance(held, np.ndarray) and bool(held == default)


def _makes(value: Any, fields: dict[str, Any], name: str) -> bool:
    """Whether the same object comes out without one field."""
    try:
        return bool(type(value)(**{key: held for key, held in fields.items() if key != name}) == value)
    except InvalidModel:
        return False


def _written(entry: Entry, held: Any) -> tuple[str, Any]:
    if not entry.angular or held is None:
        kind, notes, _ = parts_of(entry.hint)
        quantity = next((note.unit for note in notes if isinstance(note, Of)), "")
        # Where only one kind can stand, it does not say which it is.
        return entry.key, section(held, quantity) if kind is type(held) and name_of(kind) else plain(held, quantity)
    degrees = _degrees(held)
    return (entry.key, degrees) if _radians(degrees) == _lists(held) else (entry.keys[1], _lists(held))


def _lists(value: Any) -> Any:
    return [_lists(part) for part in value] if isinstance(value, tuple | list | np.ndarray) else float(value)


def _radians(value: Any) -> Any:
    return [_radians(part) for part in value] if isinstance(value, list) else math.radians(value)


def _degrees(value: Any) -> Any:
    """The shortest number of degrees that reads back as exactly these radians; the nearest one if none does."""
    if not isinstance(value, float | int):
        return [_degrees(part) for part in value]
    degrees = math.degrees(value)
    if not math.isfinite(degrees):
        return degrees
    near = (degrees, math.nextafter(degrees, math.inf), math.nextafter(degrees, -math.inf))
    candidates = [round(degrees, digits) for digits in range(16)] + list(near)
    return next((each for each in candidates if math.radians(each) == value), degrees)


def named(value: Any) -> dict[str, Any]:
    """The section of a controller or a goal; one that a file cannot hold is only named."""
    try:
        if name_of(type(value)) is not None:
            return dict(plain(value))
    except NotDescribable:
        pass
    name = value.name if isinstance(value, Unread) else getattr(value, "__qualname__", type(value).__qualname__)
    return {"kind": CUSTOM, "name": name}


class Unread:
    """Stands for what text cannot hold, not registered or with a function in it: a run names it, no more."""

    name: str

    def refusal(self) -> PushpointError:
        """What is said where it is asked for something."""
        why = "is not registered or holds a function of Python"
        return PushpointError(f"{self.name} {why}: its run cannot be repeated from what it says of itself")
