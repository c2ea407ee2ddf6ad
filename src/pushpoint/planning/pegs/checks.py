"""Checks that the planner's parts share."""

from __future__ import annotations

from typing import Any

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import non_negative, positive, store


def whole_number(field: str, value: Any, least: int) -> int:
    """Returns value as int; refuses what is not a whole number, or smaller than the least."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InvalidModel(field, value, f"a whole number >= {least}")
    return int(value)


def check_parameters(owner: object, name: str, may_be_zero: tuple[str, ...]) -> None:
    """Checks all fields of a frozen dataclass of numbers: whole ones where the default is, none negative."""
    for field, default in type(owner).__dataclass_fields__.items():  # type: ignore[attr-defined]
        value, title = getattr(owner, field), f"{name}.{field}"
        if isinstance(default.default, int):
            store(owner, **{field: whole_number(title, value, 0 if field in may_be_zero else 1)})
        elif field in may_be_zero:
            store(owner, **{field: non_negative(title, value, "SI")})
        else:
            store(owner, **{field: positive(title, value, "SI")})
