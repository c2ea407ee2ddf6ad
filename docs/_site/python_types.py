"""What a field or an argument may be, in words: `float, > 0 [m]`, `array (n, 3) [m]`, one of some words, a class."""

from __future__ import annotations

import typing
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pushpoint.errors import Bounds
from pushpoint.model.arrays import Axes
from pushpoint.model.checks import Many, OneLine, What, Whole, parts_of

PLAIN = {float: "float", int: "int", bool: "bool", str: "str", np.ndarray: "array", Any: "anything", type(None): "None"}


def in_words(hint: Any, known: dict[Any, str]) -> str:
    """A type in words; classes that have an entry are linked to it by `known`."""
    kind, notes, optional = parts_of(hint)
    words = _words(kind, notes, known)
    return f"{words}, or None" if optional and not words.endswith("None") else words


def _words(kind: Any, notes: dict[type, Any], known: dict[Any, str]) -> str:
    bounds = notes.get(Bounds)
    limits = "" if bounds is None else _limits(bounds)
    if What in notes:
        return notes[What].words + limits
    if Many in notes:
        return notes[Many].words + limits
    if Axes in notes:
        return f"array {notes[Axes]}{limits}"
    if Whole in notes:
        return str(notes[Whole])
    if OneLine in notes:
        return "one line of text"
    return _plain(kind, known) + limits


def _limits(bounds: Bounds) -> str:
    words = bounds.range.replace("in [", "").replace(", ", " to ").rstrip("]")
    allowed = "" if words in ("finite", "not NaN") else f", {words}"
    return allowed + (f" [{bounds.unit}]" if bounds.unit else "") + (", may be infinite" if bounds.infinite else "")


def _plain(kind: Any, known: dict[Any, str]) -> str:
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if isinstance(kind, typing.TypeVar):
        return "anything"
    if kind in PLAIN:
        return PLAIN[kind]
    if kind in known or origin in known:
        return known.get(kind) or known[origin]
    if origin is typing.Literal:
        return ", ".join(f"`{each!r}`" for each in inner)
    if origin in (tuple, list, Sequence):
        return f"list of {in_words(inner[0], known)}" if inner else "list"
    if origin is Callable or kind is Callable:
        return "a function"
    if origin is not None and inner and origin not in (type,):
        parts = [in_words(each, known) for each in inner]
        return " or ".join(dict.fromkeys(parts)) if "Union" in str(origin) else getattr(origin, "__name__", str(origin))
    return f"`{getattr(kind, '__name__', str(kind))}`"
