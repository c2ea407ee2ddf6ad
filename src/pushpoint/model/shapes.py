"""Checks of outlines: polygons that are what they claim to be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import Many, numbers, real
from pushpoint.model.quantities import Point

Outline = Annotated[Sequence[Point], Many(None, "a list of corners (x, y)", least=3)]
Corner = tuple[float, float]


def checked_point(field: str, value: Any) -> Corner:
    """A point as two finite numbers [m]."""
    x, y = numbers(field, value, real("m"), Many(2, "two numbers x, y"))
    return x, y


def checked_outline(field: str, value: Any) -> tuple[Corner, ...]:
    """Corners of a polygon, three or more, counter-clockwise; refuses equal neighbours and self-crossing."""
    try:
        points = tuple(checked_point(f"{field}[{k}]", point) for k, point in enumerate(value))
    except TypeError:
        raise InvalidModel(field, value, "a list of corners (x, y) [m]") from None
    if len(points) < 3:
        raise InvalidModel(field, len(points), "3 corners or more")
    for k, point in enumerate(points):
        if point == points[k - 1]:
            raise InvalidModel(f"{field}[{k}]", point, "another corner than the one before it")
    if _crosses_itself(points):
        raise InvalidModel(field, "an outline that crosses itself", "a simple polygon")
    return points if _area(points) > 0 else points[::-1]


def refuse_hollow(field: str, points: Sequence[Corner]) -> None:
    """Refuses an outline that is not convex; corners run counter-clockwise."""
    for k in range(len(points)):
        if _turn(points[k - 2], points[k - 1], points[k]) < 0.0:
            raise InvalidModel(f"{field}: corner {points[k - 1]}", "bent inward", "convex; make it of several polygons")


def _turn(a: Corner, b: Corner, c: Corner) -> float:
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])


def _area(points: Sequence[Corner]) -> float:
    x, y = np.array(points).T
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2


def _crosses_itself(points: Sequence[Corner]) -> bool:
    n = len(points)
    for i in range(n):
        for j in range(i + 2, n):
            if i == 0 and j == n - 1:
                continue
            if _meet(points[i], points[i + 1], points[j], points[(j + 1) % n]):
                return True
    return _area(points) == 0.0


def _meet(a: Corner, b: Corner, c: Corner, d: Corner) -> bool:
    """Whether the segments a-b and c-d have a point in common."""
    if _turn(a, b, c) * _turn(a, b, d) < 0 and _turn(c, d, a) * _turn(c, d, b) < 0:
        return True
    return _lies_on(c, a, b) or _lies_on(d, a, b) or _lies_on(a, c, d) or _lies_on(b, c, d)


def _lies_on(p: Corner, a: Corner, b: Corner) -> bool:
    """Whether p is a point of the segment a-b."""
    between = all(min(a[k], b[k]) <= p[k] <= max(a[k], b[k]) for k in range(2))
    return between and _turn(a, b, p) == 0.0
