"""Checks of plain values: texts, paths, truth values, functions, arrays of any shape."""

from __future__ import annotations

import os
import re
import typing
from typing import Any

import numpy as np

from pushpoint.errors import InvalidModel

LONGEST_LINE = 1000
# Control characters, line separators, marks that change the writing direction, and what UTF-8 cannot encode.
_NOT_IN_A_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
MOST_NAME = 255
"""The most bytes in one name of a path, and the most names in a path [-]."""


def flag(field: str, value: Any) -> bool:
    """Returns the value as a bool; raises InvalidModel if it is neither true nor false."""
    if not isinstance(value, bool | np.bool_):
        raise InvalidModel(field, value, "true or false")
    return bool(value)


def text(field: str, value: Any) -> str:
    """Returns the value; raises InvalidModel if it is not a text."""
    if not isinstance(value, str):
        raise InvalidModel(field, value, "text")
    return value


def line(field: str, value: Any) -> str:
    """Returns the value; raises InvalidModel unless it is one line of text without control characters."""
    if len(text(field, value)) > LONGEST_LINE or _NOT_IN_A_LINE.search(value):
        raise InvalidModel(field, value, f"one line of text of at most {LONGEST_LINE} characters")
    return str(value)


def path(field: str, value: Any) -> Any:
    """Returns the value; raises InvalidModel if it cannot be the name of a file."""
    try:
        name = os.fspath(value)
        parts = os.fsencode(name).split(b"/") if isinstance(name, str) else []
    except (TypeError, ValueError):
        parts = []
    if not any(parts) or any(len(part) > MOST_NAME or b"\0" in part for part in parts) or len(parts) > MOST_NAME:
        raise InvalidModel(field, value, "a path")
    return value


def is_path(hint: Any) -> bool:
    """Whether a type is a path type."""
    kind = typing.get_origin(hint) or hint
    return isinstance(kind, type) and issubclass(kind, os.PathLike)


def plain_array(field: str, value: Any) -> np.ndarray:
    """Returns an array of numbers of any shape; it is not copied and its entries are not checked."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "biuf":
        raise InvalidModel(field, value, "an array of numbers")
    return value


def a_function(field: str, value: Any) -> Any:
    """Returns the value; raises InvalidModel if it is a class or cannot be called."""
    if not callable(value) or isinstance(value, type):
        raise InvalidModel(field, value, "a function")
    return value
