"""Obstacles moved over the ground, whatever their kind: all their coordinates are moved, none of their sizes."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from pushpoint.description.entries import entries_of
from pushpoint.errors import Bounds
from pushpoint.model.checks import Many, parts_of
from pushpoint.model.obstacle import Obstacle

SINGLE = {"x": 0, "y": 1}
"""Fields that hold one coordinate, and which."""


def shifted(obstacle: Obstacle, x: float, y: float) -> Any:
    """The same obstacle, moved by x and y [m]."""
    changes: dict[str, Any] = {}
    step = (x, y)
    kind: Any = type(obstacle)
    for name, entry in entries_of(kind).items():
        held = getattr(obstacle, name)
        if name in SINGLE:
            changes[name] = held + step[SINGLE[name]]
        elif entry.unit == "m" and _is_place(entry.hint):
            changes[name] = _moved(held, step)
        elif isinstance(held, tuple) and held and _holds_points(held):
            changes[name] = _points(held, step)
    made: Any = obstacle
    return dataclasses.replace(made, **changes)


def _is_place(hint: Any) -> bool:
    """Whether a field holds coordinates, which may be negative, rather than lengths."""
    _, notes, _ = parts_of(hint)
    return Many in notes and notes[Many].count in (2, 3) and notes[Bounds].low == -math.inf


def _moved(place: Any, step: tuple[float, float]) -> tuple[float, ...]:
    return (place[0] + step[0], place[1] + step[1], *place[2:])


def _holds_points(held: Any) -> bool:
    """Whether it is a list of places, or of lists of places."""
    first = held[0]
    if not isinstance(first, tuple) or not first:
        return False
    return _holds_points(first) if isinstance(first[0], tuple) else len(first) in (2, 3)


def _points(held: Any, step: tuple[float, float]) -> tuple[Any, ...]:
    inside = held[0] and isinstance(held[0][0], tuple)
    return tuple(_points(each, step) if inside else _moved(each, step) for each in held)
