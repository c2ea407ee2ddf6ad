"""Error messages about documents: the place, the value there, and what is allowed instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pushpoint.description.entries import DEGREES, RADIANS
from pushpoint.errors import (
    BadFile,
    EditOverlap,
    InvalidModel,
    PushpointError,
    SimulationFailed,
    StartBeyondStop,
    StartOverlap,
)

Keys = tuple[str | int, ...]
"""A place in a document: keys of mappings and positions in lists, from the top."""

Where = Callable[[Keys], str]
"""Where a place is in a file, such as course.yaml:12."""


def path_of(keys: Keys) -> str:
    """The keys as a reader writes them, such as obstacles[2].radius."""
    text = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)
    return text.removeprefix(".") or "document"


def placed(error: PushpointError, keys: Keys, where: Where | None) -> PushpointError:
    """The same error with the line of the file in front, if the document came from one."""
    return error if where is None else BadFile(where(keys), str(error))


def refused(keys: Keys, value: Any, allowed: str, *, remark: str = "") -> InvalidModel:
    """The error that a value is not allowed at its place."""
    return InvalidModel(path_of(keys) + (f": {remark}" if remark else ""), value, allowed)


@dataclass(frozen=True)
class Origin:
    """The file that something was read from. It can name the line of a mistake that shows up later."""

    where: Where
    """Where a place is in the file."""
    changed: frozenset[str] = frozenset()
    """Keys at the top level whose values no longer come from the file."""

    def without(self, *keys: str) -> Origin:
        """The same file after some values were changed."""
        return replace(self, changed=self.changed.union(keys))

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Puts file and line in front of an error's sentence; its type stays the same."""
        try:
            yield
        except (BadFile, SimulationFailed):
            raise
        except PushpointError as error:
            keys = _keys_of(error)
            if not self.changed.intersection(keys[:1]):
                error.args = (f"{self.where(keys)}: {error}",)
            raise


OWNERS = {"gait": "controller", "follower": "controller", "steering": "controller", "command": "controller"}
"""Top-level keys of objects that call themselves something else."""


def _keys_of(error: PushpointError) -> Keys:
    """Where in a document the wrong value is."""
    if isinstance(error, StartOverlap | StartBeyondStop):
        return ("start",)
    if isinstance(error, EditOverlap) and error.number is not None:
        return "edits", error.number
    place = error.place if isinstance(error, InvalidModel) else ()
    place = place[1:] if place[:1] in (("scenario",), ("study",)) else place  # the whole file
    return (OWNERS.get(str(place[0]), place[0]), *place[1:]) if place else ()


def located(error: InvalidModel, keys: Keys, section: Any) -> tuple[Keys, InvalidModel]:
    """Turns an error about a class (peg.radius) into one about its section in the document.

    A class names its fields after itself, a document after the key of the section. The top of a document has no owner.
    """
    parts = error.place[1:] if keys else error.place
    written, value = _as_written(parts, section, in_radians=error.unit.startswith("rad"))
    degrees = any(str(key).endswith(DEGREES) for key in written)

    def beside(name: str, held: Any) -> tuple[str, Any]:
        key = next((key for key in (name, name + DEGREES, name + RADIANS) if key in section), name)
        return path_of((*keys, key)), section.get(key, held)

    place = (*keys, *written)
    given = value if _is_held_as(value, error.value, degrees) else error.value
    return place, refused(place, given, error.words_about(beside, degrees=degrees), remark=error.remark)


def _as_written(parts: Keys, section: Any, *, in_radians: bool) -> tuple[Keys, Any]:
    """The path into a section under its own keys, and the value there; None if there is none."""
    keys: list[str | int] = []
    for k, part in enumerate(parts):
        if isinstance(section, dict):
            if isinstance(part, int):  # one section for all
                continue
            last = k == len(parts) - 1 or isinstance(parts[k + 1], int)
            if part not in section:
                names = [f"{part}{ending}" for ending in (DEGREES, RADIANS) if f"{part}{ending}" in section]
                part = names[0] if names else f"{part}{DEGREES}" if last and in_radians else part
                part = "n_links" if part == "links" and "n_links" in section else part
        elif isinstance(section, list) and section and isinstance(part, int):
            part %= len(section)  # a list that is repeated along the robot
        keys.append(part)
        try:
            section = section[part]
        except (KeyError, IndexError, TypeError):
            section = None
    return tuple(keys), section.item() if isinstance(section, np.generic) else section


def _is_held_as(section: Any, value: Any, degrees: bool) -> bool:
    """Whether a class stores a written value like this: numbers, points and whole objects."""
    if isinstance(section, list) and isinstance(value, tuple | list):
        return degrees or tuple(section) == tuple(value)
    if isinstance(section, dict):
        return hasattr(value, "__dataclass_fields__")
    return isinstance(section, float | int) and isinstance(value, float)
