"""A document as it is read: what stands at a place, and the model objects made from it. Degrees become radians here."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from pushpoint.description.complaints import Keys, Where, placed, refused, speaking_of
from pushpoint.errors import PushpointError

TAGS = {"law", "kind"}

T = TypeVar("T")


class Reading:
    """A document of valid shape; complaints about what is made from it name the place."""

    def __init__(self, document: dict[str, Any], where: Where | None) -> None:
        self.document = document
        self.where = where

    def at(self, keys: Keys) -> Any:
        """The part of the document at a place; an empty section where there is none."""
        part: Any = self.document
        for key in keys:
            part = part.get(key, {}) if isinstance(part, dict) else part[key]
        return part

    def make(self, kind: type[T], keys: Keys, **made: Any) -> T:
        """An object from the section at a place; parts that are objects themselves come ready made.

        Null is what is not given: the class fills it in.
        """
        return self.made_by(kind, keys, **made)

    def made_by(self, function: Callable[..., T], keys: Keys, **made: Any) -> T:
        """What a function makes of the section at a place, as `make` does."""
        values = {
            key.removesuffix("_deg"): _radians(value) if key.endswith("_deg") else value
            for key, value in (self.at(keys) | made).items()
            if key not in TAGS and value is not None
        }
        with self.speaking_of(keys):
            return function(**values)

    def each(self, read: Callable[[Keys], T], keys: Keys) -> tuple[T, ...]:
        """What is made of every entry of a list."""
        return tuple(read((*keys, k)) for k in range(len(self.at(keys))))

    def one_or_many(self, read: Callable[[Keys], T], keys: Keys) -> T | tuple[T, ...]:
        """What is made of a section, or of a list of them."""
        return self.each(read, keys) if isinstance(self.at(keys), list) else read(keys)

    def speaking_of(self, keys: Keys) -> AbstractContextManager[None]:
        """Turns complaints of model classes into complaints about a place."""
        return speaking_of(keys, self.document, self.where)

    def refuse(self, keys: Keys, value: Any, allowed: str) -> PushpointError:
        """The complaint about a value at its place, to be raised."""
        return placed(refused(keys, value, allowed), keys, self.where)


def _radians(value: Any) -> Any:
    return [math.radians(part) for part in value] if isinstance(value, list) else math.radians(value)
