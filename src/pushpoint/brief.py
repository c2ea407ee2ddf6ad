"""What models print as: one that fits a screen as Python reads it, a larger one in words, field by field."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

import numpy as np

from pushpoint.errors import one_line, shown

COLUMNS, LINES = 120, 24
"""A screen."""
_INDENT = 4
_FEW = 8
"""Numbers of an array that are shown."""


def brief(thing: Any) -> str:
    """Stands as `__repr__` in the body of a dataclass or a named tuple: at most a screen, without what has its default.

    What fits is written as Python reads it; of the rest each field gets a line in words.
    """
    parts = _parts(thing)
    return _as_python(type(thing).__name__, parts) or _in_words(in_short(thing), parts)


def _parts(thing: Any) -> dict[str, Any]:
    """Fields that hold something else than when nobody gives it."""
    if isinstance(thing, tuple):
        known: Any = thing
        defaults = {name: known._field_defaults.get(name, MISSING) for name in known._fields}
    else:
        defaults = {each.name: each.default for each in fields(thing) if each.repr}
    values = {name: getattr(thing, name) for name in defaults}
    return {name: value for name, value in values.items() if not _same(value, defaults[name])}


def _same(value: Any, default: Any) -> bool:
    try:
        return value is default or (type(value) is type(default) and bool(value == default))
    except Exception:  # arrays, and what is the user's own
        return False


def _as_python(name: str, parts: dict[str, Any]) -> str:
    """A call that makes it again, in as many lines as it needs; empty if that is no screen."""
    if any(isinstance(value, np.ndarray) for value in parts.values()):
        return ""  # NumPy does not print what it reads
    try:
        arguments = [f"{field}={_flat(repr(value))}" for field, value in parts.items()]
    except Exception:  # a repr of the user's own
        return ""
    whole = f"{name}({', '.join(arguments)})"
    if "<" in whole or "\n" in whole:
        return ""
    if len(whole) <= COLUMNS:
        return whole
    if any(len(each) > COLUMNS - _INDENT - 1 for each in arguments):
        return ""
    lines = [f"{name}("]
    for argument in arguments:
        fits = len(lines) > 1 and len(lines[-1]) + len(argument) + 2 <= COLUMNS
        lines = [*lines[:-1], f"{lines[-1]} {argument},"] if fits else [*lines, " " * _INDENT + argument + ","]
    return "\n".join([*lines, ")"]) if len(lines) < LINES else ""


def _flat(text: str) -> str:
    """A call of several lines, as they are made here, in one."""
    return text.replace(f"(\n{' ' * _INDENT}", "(").replace(",\n)", ")").replace(f",\n{' ' * _INDENT}", ", ")


def _in_words(title: str, parts: dict[str, Any]) -> str:
    """The title, and below it what each field holds, a line each."""
    width = max((len(field) for field in parts), default=0) + 1
    room = COLUMNS - _INDENT - width - 2
    lines = [f"{' ' * _INDENT}{field + ':':{width}} {_cut(_line(value, room), room)}" for field, value in parts.items()]
    if len(lines) > LINES - 1:
        lines = [*lines[: LINES - 2], f"{' ' * _INDENT}and {len(lines) - LINES + 2} more"]
    return "\n".join([f"<{title}", *lines]) + ">"


def in_short(thing: Any) -> str:
    """What a thing is, in a few words."""
    name, called = type(thing).__name__, getattr(thing, "name", None)
    if isinstance(called, str):
        name += f" {shown(called)}"
    if isinstance(getattr(thing, "links", None), tuple):
        equal = "equal " if _all_equal(thing.links) else ""
        return f"{name} of {thing.n_links} {equal}links, {thing.length:.4g} m, {thing.mass:.4g} kg"
    if isinstance(getattr(thing, "obstacles", None), tuple):
        count = len(thing.obstacles)
        return f"{name} with {count} obstacle{'s'[: count != 1]}"
    return name


def _all_equal(members: Sequence[Any]) -> bool:
    if len(members) < 2:
        return False
    first = members[0]
    try:
        return all(each is first or bool(each == first) for each in members)
    except Exception:  # members that hold arrays do not say
        return False


def _line(value: Any, room: int) -> str:
    """A value in one line."""
    if isinstance(value, np.ndarray):
        return _array(value)
    try:
        text = _flat(repr(value))
    except Exception:
        return shown(value, room)
    if len(text) <= room and not any(sign in text for sign in "<\n"):
        return text
    if isinstance(value, tuple | list) and not hasattr(value, "_fields"):
        return _members(value, room)
    if "<" not in text or not is_dataclass(value):
        return _cut(text, room)
    known = in_short(value)
    if " " in known:
        return one_line(known, room)
    held = (
        f"{name}={_array(part) if isinstance(part, np.ndarray) else shown(part)}"
        for name, part in _parts(value).items()
    )
    return _cut(f"{known}({', '.join(held)})", room)


def _cut(text: str, room: int) -> str:
    """The beginning of a text, on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= room else f"{flat[: room - 4]} ..."


def _array(value: np.ndarray) -> str:
    if value.size <= _FEW:
        return f"{value.tolist()}"
    numbers = value[np.isfinite(value)] if value.dtype.kind == "f" else value
    if not numbers.size or value.dtype.kind not in "iuf":
        return f"array of shape {value.shape}"
    return f"array of shape {value.shape}, {numbers.min():.4g} to {numbers.max():.4g}"


def _members(value: Sequence[Any], room: int) -> str:
    """Members of a sequence: how many of which kind, and the first; of numbers, from where to where."""
    if all(isinstance(each, int | float) for each in value):
        return f"{len(value)} numbers, {min(value):.4g} to {max(value):.4g}"
    if _all_equal(value):
        return _cut(f"{len(value)} equal: {_line(value[0], room)}", room)
    kinds = Counter(type(each).__name__ for each in value)
    counts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    first = f"; the first: {_line(value[0], room)}" if len(value) > 1 else f": {_line(value[0], room)}"
    return _cut(counts + first, room)
