"""What obstacles are made of: rounded hulls in the plane, columns and boxes in space; outlines that are polygons."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.arrays import check_range
from pushpoint.model.checks import Many, check_fields, numbers, real
from pushpoint.model.kinds import family_base
from pushpoint.model.quantities import Coefficient, Point, Share

Outline = Annotated[Sequence[Point], Many(None, "a list of corners (x, y)", least=3)]
Corner = tuple[float, float]

ENDLESS = 1e6
"""Half the height of a column, which has no end [m]."""


class Hull(NamedTuple):
    """A convex shape in the plane: everything within a radius of a point, a segment or a polygon."""

    points: tuple[Sequence[float], ...]
    """One point, the two ends of a segment, or the corners of a convex polygon, counter-clockwise [m]."""
    radius: float
    """By how much it is grown [m]; 0 for polygons with sharp corners."""


class Solid(NamedTuple):
    """A box in space, or an upright column."""

    center: tuple[float, float, float]
    """Its middle [m]."""
    half: tuple[float, float, float]
    """Half its edges along its own x, y, z [m]; those of the box around a column."""
    rotation: np.ndarray
    """Its axes as columns, shape (3, 3)."""
    radius: float = 0.0
    """Radius of a column [m]; 0 for a box."""

    @staticmethod
    def column(x: float, y: float, radius: float) -> Solid:
        """An upright column without end, around x, y [m]."""
        return Solid((x, y, 0.0), (radius, radius, ENDLESS), np.eye(3), radius)


@family_base
@dataclass(frozen=True, kw_only=True)
class Obstacle:
    """Something fixed that links push against.

    A kind of obstacle, a frozen dataclass with keywords alone, says what it is made of: `hulls` make it known to planar
    robots, `solids` to spatial ones.
    """

    friction: Coefficient = 0.0
    """Coulomb coefficient between obstacle and link [-]."""
    restitution: Share = 0.0
    """Newton's restitution coefficient [-], 0 to 1."""

    def __post_init__(self) -> None:
        check_fields(self, type(self).__name__.lower())

    @property
    def hulls(self) -> tuple[Hull, ...]:
        """What it is made of in the plane; nothing if it stands in the way of spatial robots alone."""
        return ()

    @property
    def solids(self) -> tuple[Solid, ...]:
        """What it is made of in space; nothing if it stands in the way of planar robots alone."""
        return ()


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
    x, y = np.array(points).T
    check_range(field, np.array(points), real("m"))  # products of coordinates stay finite
    twice_area = float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))
    if twice_area == 0.0 or _crosses_itself(points):
        raise InvalidModel(field, "an outline that crosses itself", "a simple polygon")
    return points if twice_area > 0 else points[::-1]


def refuse_hollow(field: str, points: Sequence[Corner]) -> None:
    """Refuses an outline that is not convex; corners run counter-clockwise."""
    for k in range(len(points)):
        if _turn(points[k - 2], points[k - 1], points[k]) < 0.0:
            raise InvalidModel(f"{field}: corner {points[k - 1]}", "bent inward", "convex; make it of several polygons")


def _crosses_itself(points: Sequence[Corner]) -> bool:
    edges = enumerate(zip(points, (*points[1:], points[0]), strict=True))
    pairs = itertools.combinations(edges, 2)
    return any(_meet(*one, *other) for (i, one), (j, other) in pairs if 1 < j - i < len(points) - 1)


def _meet(a: Corner, b: Corner, c: Corner, d: Corner) -> bool:
    """Whether the segments a-b and c-d have a point in common."""
    if _turn(a, b, c) * _turn(a, b, d) < 0 and _turn(c, d, a) * _turn(c, d, b) < 0:
        return True
    return _lies_on(c, a, b) or _lies_on(d, a, b) or _lies_on(a, c, d) or _lies_on(b, c, d)


def _lies_on(p: Corner, a: Corner, b: Corner) -> bool:
    """Whether p is a point of the segment a-b."""
    between = all(min(a[k], b[k]) <= p[k] <= max(a[k], b[k]) for k in range(2))
    return between and _turn(a, b, p) == 0.0


def _turn(a: Corner, b: Corner, c: Corner) -> float:
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
