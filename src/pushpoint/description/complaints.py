"""One sentence per complaint: the place in the document, the value there, what is allowed instead."""

from __future__ import annotations

import dataclasses
import math
import re
import reprlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pydantic_core import ErrorDetails

from pushpoint.description.document_model import CUSTOM
from pushpoint.errors import BadFile, InvalidModel, PushpointError, UnknownName

Keys = tuple[str | int, ...]
"""A place in a document: keys of mappings and positions in lists, from the top."""

Where = Callable[[Keys], str]
"""Where a place stands in a file, such as course.yaml:12."""

EXPECTED = {
    "float_type": "a number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "string_type": "text",
    "bool_type": "true or false",
    "list_type": "a list",
}
LONGEST_VALUE = 60


class _Abridged:
    """Shows a long value as its beginning and end."""

    def __init__(self, value: Any) -> None:
        self._text = reprlib.repr(value)

    def __repr__(self) -> str:
        return self._text


def path_of(keys: Keys) -> str:
    """The keys as a reader writes them: obstacles[2].radius."""
    text = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)
    return text.removeprefix(".") or "document"


def placed(error: PushpointError, keys: Keys, where: Where | None) -> PushpointError:
    """The same sentence with the line of the file in front, if the document came from one."""
    return error if where is None else BadFile(where(keys), str(error))


def refused(keys: Keys, value: Any, allowed: str) -> InvalidModel:
    """Says that a value is not allowed at its place; long values are abridged in the sentence."""
    error = InvalidModel(path_of(keys), value if len(repr(value)) <= LONGEST_VALUE else _Abridged(value), allowed)
    error.value = value
    return error


def unknown(keys: Keys, kind: str, name: Any, known: list[str]) -> UnknownName:
    """Says that a name is not known at its place."""
    return _inside(keys, UnknownName(kind, str(name), known))


def _inside(keys: Keys, error: UnknownName) -> UnknownName:
    if keys:
        error.args = (f"{path_of(keys)}: {error}",)
    return error


def complaint(details: ErrorDetails, document: Any) -> tuple[Keys, PushpointError]:
    """What pydantic found, as a place in the document and an error of ours."""
    keys, value, context = _place(details, document), details["input"], details.get("ctx", {})
    kind = details["type"]
    if kind == "unknown_key":
        return (*keys, context["key"]), unknown(keys, "key", context["key"], context["known"])
    if kind == "union_tag_not_found":
        keys = (*keys, _discriminator(context))
    if kind in ("union_tag_not_found", "missing"):
        return keys, PushpointError(f"{path_of(keys)} is missing, must be given")
    if kind == "union_tag_invalid":
        return _unknown_word((*keys, _discriminator(context)), value[_discriminator(context)], context["expected_tags"])
    if kind == "model_attributes_type":
        return keys, refused(keys, value, "a mapping of keys and values")
    return keys, refused(keys, value, context.get("expected") or EXPECTED.get(kind) or f"valid: {details['msg']}")


def _discriminator(context: dict[str, Any]) -> str:
    return str(context["discriminator"]).strip("'")


def _unknown_word(keys: Keys, value: Any, expected: str) -> tuple[Keys, PushpointError]:
    """A friction law or a gait that does not exist."""
    known = [word for word in re.findall(r"'([^']*)'", expected) if word != CUSTOM]
    if not isinstance(value, str):
        return keys, refused(keys, value, f"one of {', '.join(known)}")
    return keys, unknown(keys, str(keys[-1]), value, known)


def _place(details: ErrorDetails, document: Any) -> Keys:
    """pydantic's location without the names of union members, which the document does not have."""
    keys: list[str | int] = []
    missing = details["type"] == "missing"
    location = details["loc"][:-1] if missing else details["loc"]
    for part in location:
        in_mapping = isinstance(document, dict) and part in document
        in_list = isinstance(document, list) and isinstance(part, int) and part < len(document)
        if in_mapping or in_list:
            keys.append(part)
            document = document[part]
    return (*keys, details["loc"][-1]) if missing else tuple(keys)


@contextmanager
def speaking_of(keys: Keys, document: Any, where: Where | None) -> Iterator[None]:
    """Turns what a model class complains about (peg.radius) into the place in the document (obstacles[2].radius)."""
    try:
        yield
    except InvalidModel as error:
        raise _renamed(error, keys, document, where) from None
    except UnknownName as error:
        keys = (*keys, *_holding(error.name, _at(document, keys)))
        raise placed(_inside(keys, error), keys, where) from None


def _at(document: Any, keys: Keys) -> Any:
    for key in keys:
        document = document[key]
    return document


def _holding(name: str, section: dict[str, Any]) -> Keys:
    """The key of the list in a section that holds a name, and its position there."""
    lists = {key: value for key, value in section.items() if isinstance(value, list) and name in value}
    return next(((key, value.index(name)) for key, value in lists.items()), ())


def _renamed(error: InvalidModel, keys: Keys, document: Any, where: Where | None) -> PushpointError:
    path, _, remark = error.field.partition(": ")
    parts = [int(part) if part.isdigit() else part for part in re.findall(r"[^.\[\], ]+", path)]
    # A class names its fields after itself; the document, after the key under which it stands.
    owner: Any = _at(document, keys)
    written, section = _as_written(parts[1:] if keys else parts, owner, in_radians="[rad" in error.allowed)
    in_degrees = any(str(key).endswith("_deg") for key in written)
    allowed = _in_degrees(error.allowed) if in_degrees else error.allowed
    allowed = _siblings_renamed(allowed, parts[0], keys, owner)
    keys = (*keys, *written)
    renamed = refused(keys, section if _is_held_as(section, error.value, in_degrees) else error.value, allowed)
    if remark:
        renamed.args = (str(renamed).replace(path_of(keys), f"{path_of(keys)}: {remark}", 1),)
    return placed(renamed, keys, where)


def _is_held_as(section: Any, value: Any, in_degrees: bool) -> bool:
    """Whether a class holds what is written as such a value: numbers, points and whole objects."""
    if isinstance(section, list) and isinstance(value, tuple | list):
        return in_degrees or tuple(section) == tuple(value)
    if isinstance(section, dict):
        return dataclasses.is_dataclass(value)
    return isinstance(section, float | int) and isinstance(value, float)


def _as_written(parts: list[str | int], section: Any, *, in_radians: bool) -> tuple[Keys, Any]:
    """The way into a section under its own keys, and what stands there; None if nothing does."""
    keys: list[str | int] = []
    for part in parts:
        if isinstance(section, dict):
            if isinstance(part, int):  # a section that stands for all
                continue
            # Whatever is in radians in the library is in degrees in a document.
            if part not in section and (f"{part}_deg" in section or (part == parts[-1] and in_radians)):
                part = f"{part}_deg"
            elif part == "links" and part not in section and "n_links" in section:
                part = "n_links"
        elif isinstance(section, list) and section and isinstance(part, int):
            part %= len(section)  # a list that is repeated along the robot
        keys.append(part)
        try:
            section = section[part]
        except (KeyError, IndexError, TypeError):
            section = None
    return tuple(keys), section


NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"


def _in_degrees(allowed: str) -> str:
    """What is allowed in radians, such as >= 0.1 [rad] or in [-1.5, 1.5] [rad/s], in degrees."""

    def converted(found: re.Match[str]) -> str:
        return re.sub(NUMBER, lambda number: f"{math.degrees(float(number[0])):.6g}", found[0])

    limits = rf"(?:\[{NUMBER}, {NUMBER}\]|{NUMBER})(?= \[rad)"
    return re.sub(limits, converted, allowed).replace("[rad", "[deg")


def _siblings_renamed(allowed: str, owner: Any, keys: Keys, section: Any) -> str:
    """What is allowed, with other fields of the same object (motor.lower = -0.5) as they stand in the document."""

    def renamed(found: re.Match[str]) -> str:
        name = found["name"]
        key = next((key for key in (name, f"{name}_deg") if isinstance(section, dict) and key in section), None)
        if key is None:
            return str(found[0])
        return path_of((*keys, key)) + (f" = {section[key]}" if found["value"] else "")

    return re.sub(rf"\b{owner}\.(?P<name>\w+)(?P<value> = [-.\w]+)?", renamed, allowed)
