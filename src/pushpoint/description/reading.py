"""From a document (mappings, lists, numbers and text, as in a file) to the objects that it describes.

One pass, guided by the types of the dataclasses. Structure and types are checked here, values by the classes
themselves; errors name the place in the document. Sections that are not simply the fields of a class are in `shapes`.
"""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from pushpoint.description.complaints import Keys, Where, located, path_of, placed, refused
from pushpoint.description.entries import DEGREES, REQUIRED, entries_of
from pushpoint.description.kinds import known_kinds
from pushpoint.errors import InvalidModel, PushpointError, UnknownName, names_in_short
from pushpoint.model.checks import Many, Of, parts_of
from pushpoint.model.kinds import family_of, name_of

CUSTOM = "custom"
"""Stands for a controller that was written in Python and has no registered name."""
UNCOMPUTABLE = (ArithmeticError, MemoryError, np.linalg.LinAlgError)
"""What computations raise for numbers that are too large or too small."""
SECTION = "a mapping of keys and values"
Made = TypeVar("Made")


class Reader:
    """A document, and the objects made from it. Errors name the place."""

    thorough = True
    """Whether a world is tried out as a whole when it is read, or only when it is simulated."""

    def __init__(self, document: Any, where: Where | None = None, **known: Any) -> None:
        """`known` holds what later sections depend on, such as the robot."""
        self.document = document
        self.where = where
        self.known = known

    def once(self, _sections: tuple[str, ...], make: Callable[[], Made]) -> Made:
        """What `make` reads from some sections of the document; a reader of many documents reads equal ones once."""
        return make()

    def at(self, keys: Keys) -> Any:
        """The part of the document at a place; None if there is none."""
        part = self.document
        for key in keys:
            part = part.get(key) if isinstance(part, dict) else part[key]
        return part

    def refuse(self, keys: Keys, value: Any, allowed: str) -> PushpointError:
        """Returns the error about a value at its place."""
        return placed(refused(keys, value, allowed), keys, self.where)

    def missing(self, keys: Keys) -> PushpointError:
        """Returns the error that something is missing."""
        return placed(PushpointError(f"{path_of(keys)} is missing, must be given"), keys, self.where)

    def unknown(self, keys: Keys, what: str, name: Any, known: Iterable[str], *, key: bool = False) -> PushpointError:
        """Returns the error about an unknown name at its place, or about an unknown key in a section."""
        error = UnknownName(what, str(name), known).inside(path_of(keys) if keys else "")
        return placed(error, (*keys, name) if key else keys, self.where)

    def require(self, keys: Keys, names: Sequence[str]) -> None:
        """Raises an error if a section lacks one of some keys."""
        for name in names:
            if self.section(keys).get(name) is None:
                raise self.missing((*keys, name))

    def read(self, hint: Any, keys: Keys, quantity: str = "") -> Any:
        """The value at a place, as its type requires; numbers stay as they are written."""
        kind, notes, optional = parts_of(hint)
        value = self.at(keys)
        if value is None and optional:
            return None
        quantity = str(notes[Of].unit) if Of in notes else quantity
        if kind in SHAPES:
            return SHAPES[kind](self, keys)
        if kind in _PLAIN:
            return self._plain(kind, keys, value)
        if kind is np.ndarray:
            return self._array(keys)
        if typing.get_args(kind):
            return self._generic(kind, notes, keys)
        return self._object(kind, keys, quantity)

    def _generic(self, kind: Any, notes: dict[type, Any], keys: Keys) -> Any:
        origin, inner = typing.get_origin(kind), typing.get_args(kind)
        if origin is typing.Literal:
            return self._plain(str, keys, self.at(keys))
        if origin in (tuple, Sequence):
            words = notes[Many].words if Many in notes and notes[Many].count else "a list"
            return tuple(self.read(inner[0], each) for each in self.each(keys, words))
        if isinstance(origin, type) and family_of(origin) is not None:  # for example Motion[Any]
            return self.kind(origin, keys)
        return self._one_of(inner, keys)

    def _object(self, kind: Any, keys: Keys, quantity: str) -> Any:
        if family_of(kind) is not None and name_of(kind) is None:
            return self.kind(kind, keys)
        if dataclasses.is_dataclass(kind):
            return self.make(kind, keys, quantity)
        raise self.refuse(keys, self.at(keys), f"left out: a file cannot hold a {getattr(kind, '__name__', kind)}")

    def _plain(self, kind: type, keys: Keys, value: Any) -> Any:
        types, words = _PLAIN[kind]
        if not isinstance(value, types) or (isinstance(value, bool) and kind is not bool):
            raise self.refuse(keys, value, words)
        return value

    def _one_of(self, hints: tuple[Any, ...], keys: Keys) -> Any:
        """A value of one of several types: a list if one of them is a sequence, else the first that is not."""
        listed = [
            hint for hint in hints if parts_of(hint)[0] is np.ndarray or typing.get_origin(hint) in (tuple, Sequence)
        ]
        single = [hint for hint in hints if hint not in listed]
        return self.read((listed if isinstance(self.at(keys), list) and listed else single)[0], keys)

    def each(self, keys: Keys, words: str = "a list") -> Iterator[Keys]:
        """The places of a list's entries."""
        value = self.at(keys)
        if not isinstance(value, list):
            raise self.refuse(keys, value, words)
        return ((*keys, k) for k in range(len(value)))

    def _array(self, keys: Keys) -> np.ndarray:
        numbers = self._numbers(keys)
        try:
            return np.array(numbers, dtype=float)
        except ValueError:
            raise self.refuse(keys, self.at(keys), "numbers, or equally long rows of them") from None

    def _numbers(self, keys: Keys) -> Any:
        value = self.at(keys)
        if isinstance(value, list):
            return [self._numbers(each) for each in self.each(keys)]
        return self._plain(float, keys, value)

    def section(self, keys: Keys, words: str = SECTION) -> dict[str, Any]:
        """The mapping at a place."""
        value = self.at(keys)
        if not isinstance(value, dict):
            raise self.refuse(keys, value, words)
        return value

    def check_keys(self, keys: Keys, known: Sequence[str], also: Sequence[str] = ()) -> None:
        """Raises an error that lists the known keys for an unknown one; keys in `also` are accepted but not listed."""
        for key in self.section(keys):
            if key not in known and key not in also:
                raise self.unknown(keys, "key", key, known, key=True)

    def name(self, keys: Keys, known: Sequence[str], tag: str = "kind", default: str | None = None) -> str:
        """The name of a kind in the section at a place, one of the known ones."""
        name, place = self.section(keys).get(tag, default), (*keys, tag)
        if name is None:
            raise self.missing(place)
        if not isinstance(name, str):
            raise self.refuse(place, name, f"one of {names_in_short(known)}")
        if name not in known:
            raise self.unknown(place, tag, name, known)
        return name

    def kind(
        self, base: type, keys: Keys, tag: str = "kind", default: str | None = None, also: Sequence[str] = ()
    ) -> Any:
        """An object of a family, by the name in its section; `also` are further keys in the section."""
        known = known_kinds(base, self.section(keys).get(tag, default))
        return self.make(known[self.name(keys, tuple(known), tag, default)], keys, tags=(tag,), also=also)

    def make(
        self,
        kind: Any,
        keys: Keys,
        quantity: str = "",
        *,
        tags: Sequence[str] = (),
        also: Sequence[str] = (),
        **made: Any,
    ) -> Any:
        """An object from the section at a place; `made` are fields already made, from the keys `tags`."""
        entries = [entry for name, entry in entries_of(kind, quantity).items() if name not in made]
        section, fields = self.section(keys), dict(made)
        read = {key for entry in entries for key in entry.keys}
        if not section.keys() <= read | {*tags, *also}:
            self.check_keys(keys, (*tags, *(entry.key for entry in entries)), (*read, *also))
        for entry in entries:
            given = [key for key in entry.keys if section.get(key) is not None]
            if len(given) > 1:
                raise self.refuse((*keys, given[1]), section[given[1]], f"left out if {given[0]} is given")
            if given:
                value = section[given[0]]
                if not (entry.single and type(value) is float):  # most of them are plain numbers
                    value = self.read(entry.hint, (*keys, given[0]))
                fields[entry.name] = radians(value) if given[0].endswith(DEGREES) and entry.angular else value
            elif entry.default is REQUIRED:
                place = (*keys, entry.key)
                if entry.key in section:
                    self.read(entry.hint, place)
                raise self.missing(place)
        with self.speaking_of(keys):
            return kind(**fields)

    @contextmanager
    def speaking_of(self, keys: Keys, *, owned: bool = True) -> Iterator[None]:
        """Turns errors about classes (peg.radius) into errors about a place (obstacles[2].radius)."""
        try:
            yield
        except UNCOMPUTABLE as error:
            raise self._overflow(keys, error) from None
        except InvalidModel as error:
            place, complaint = located(error if owned else error.of("it"), keys, self.at(keys))
            raise placed(complaint, place, self.where) from None
        except UnknownName as error:
            section = self.at(keys)
            lists = {key: value for key, value in section.items() if isinstance(value, list) and error.name in value}
            place = (*keys, *next(((key, value.index(error.name)) for key, value in lists.items()), ()))
            raise placed(error.inside(path_of(place) if place else ""), place, self.where) from None

    @contextmanager
    def computing(self, keys: Keys) -> Iterator[None]:
        """Raises an error about a section whose numbers overflow the computation."""
        try:
            yield
        except UNCOMPUTABLE as error:
            raise self._overflow(keys, error) from None

    def _overflow(self, keys: Keys, error: Exception) -> PushpointError:
        allowed = f"made of numbers that can be computed with, but they give a {type(error).__name__.strip('_')}"
        return self.refuse(keys, self.at(keys), allowed)


SHAPES: dict[Any, Callable[[Reader, Keys], Any]] = {}
"""Readers of types whose sections are not simply the fields of a class."""
_PLAIN: dict[Any, tuple[Any, str]] = {
    float: ((float, int), "a number"),
    int: (int, "a whole number"),
    bool: (bool, "true or false"),
    str: (str, "text"),
}


def radians(value: Any) -> Any:
    """Converts degrees, or lists of them, to radians."""
    return tuple(radians(part) for part in value) if isinstance(value, tuple) else math.radians(value)
