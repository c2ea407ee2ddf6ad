"""What obstacles are made of: rounded hulls in the plane; boxes, wedges, columns and tubes in space."""

from __future__ import annotations

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

MOST_CORNERS = 1000
"""The most corners of an outline. Every edge is compared with every other."""
ENDLESS = 1e6
"""Half the height of a column, which is unlimited in practice [m]."""


class Hull(NamedTuple):
    """A shape in the plane: all points within a radius of a point, a segment or a polygon."""

    points: tuple[Sequence[float], ...]
    """One point, the two ends of a segment, or the corners of a simple polygon in counter-clockwise order [m]."""
    radius: float
    """Radius of the rounding [m]; 0 for polygons with sharp corners."""
    holes: tuple[Sequence[Sequence[float]], ...] = ()
    """Corners of the free places inside a polygon, in clockwise order [m]."""

    @property
    def outlines(self) -> list[np.ndarray]:
        """The outline and those of the holes, each of shape (n, 2) [m]; what is solid lies to the left of each edge."""
        return [np.array(outline, dtype=float) for outline in (self.points, *self.holes)]

    @property
    def hollow(self) -> bool:
        """Whether it is a polygon with a corner that is bent inward, or with a hole."""
        return bool(self.holes) or (len(self.points) > 3 and bool((turns(self.outlines[0]) < 0.0).any()))


class Solid(NamedTuple):
    """A box, a wedge, a column or a tube in space."""

    center: tuple[float, float, float]
    """Centre [m]."""
    half: tuple[float, float, float]
    """Half the edge lengths along its own x, y, z [m]; for a column or a tube, those of the box around it."""
    rotation: np.ndarray
    """Its axes as columns, shape (3, 3); a column or tube is round about its z axis."""
    radius: float = 0.0
    """Outer radius of a column or tube [m]; 0 for a box or wedge."""
    inner: float = 0.0
    """Inner radius of a tube [m]; 0 for a column."""
    below: float = 0.0
    """How far a column goes on below its box [m]."""
    wedge: bool = False
    """Whether only the lower half of the box is there: what lies below the plane that rises toward its own x."""

    @staticmethod
    def column(x: float, y: float, radius: float, top: float | None = None) -> Solid:
        """Makes an upright column around x, y [m] with its top at a height [m]; without one, it is unlimited."""
        if top is None:
            return Solid((x, y, 0.0), (radius, radius, ENDLESS), np.eye(3), radius)
        return Solid((x, y, top - radius), (radius, radius, radius), np.eye(3), radius, below=ENDLESS)

    @staticmethod
    def tube(start: Sequence[float], end: Sequence[float], inner: float, outer: float) -> Solid:
        """Makes a tube, open at both ends, around the straight line from start to end [m]."""
        first, last = np.array(start, dtype=float), np.array(end, dtype=float)
        half = float(np.linalg.norm(last - first)) / 2
        x, y, z = ((first + last) / 2).tolist()
        return Solid((x, y, z), (outer, outer, half), _axes_about((last - first) / (2 * half)), outer, inner)

    @property
    def endless(self) -> bool:
        """Whether it is a column of unlimited height."""
        return self.half[2] >= ENDLESS


def _axes_about(axis: np.ndarray) -> np.ndarray:
    """Axes as columns, the third one along a unit vector, the second one level, shape (3, 3)."""
    level = np.array([-axis[1], axis[0], 0.0])
    size = float(np.linalg.norm(level))
    second = level / size if size > 1e-12 else np.array([0.0, 1.0, 0.0])
    return np.stack([np.cross(second, axis), second, axis], axis=-1)


@family_base
@dataclass(frozen=True, kw_only=True)
class Obstacle:
    """Base class of the fixed things that links push against.

    A kind of obstacle is a frozen, keyword-only dataclass that says what it is made of: `hulls` for planar robots,
    `solids` for spatial ones.
    """

    friction: Coefficient = 0.0
    """Coulomb coefficient between obstacle and link [-]."""
    restitution: Share = 0.0
    """Newton's coefficient of restitution [-], 0 to 1."""

    def __post_init__(self) -> None:
        check_fields(self, type(self).__name__.lower())

    @property
    def hulls(self) -> tuple[Hull, ...]:
        """The shapes it is made of in the plane; empty if planar robots cannot meet it."""
        return ()

    @property
    def solids(self) -> tuple[Solid, ...]:
        """The solids it is made of in space; empty if spatial robots cannot meet it."""
        return ()


def checked_point(field: str, value: Any) -> Corner:
    """Returns a point as two finite numbers [m]."""
    x, y = numbers(field, value, real("m"), Many(2, "two numbers x, y"))
    return x, y


def checked_outline(field: str, value: Any) -> tuple[Corner, ...]:
    """Returns the corners of a simple polygon in counter-clockwise order; raises InvalidModel otherwise."""
    try:
        points = tuple(checked_point(f"{field}[{k}]", point) for k, point in enumerate(value))
    except TypeError:
        raise InvalidModel(field, value, "a list of corners (x, y) [m]") from None
    if not 3 <= len(points) <= MOST_CORNERS:
        raise InvalidModel(field, len(points), f"at most {MOST_CORNERS} corners" if points[3:] else "3 corners or more")
    for k, point in enumerate(points):
        if point == points[k - 1]:
            raise InvalidModel(f"{field}[{k}]", point, "different from the corner before it")
    x, y = np.array(points).T
    check_range(field, np.array(points), real("m"))  # products of coordinates stay finite
    twice_area = float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))
    if twice_area == 0.0 or _crosses_itself(points):
        raise InvalidModel(field, "an outline that crosses itself", "a simple polygon")
    return points if twice_area > 0 else points[::-1]


def checked_holes(field: str, value: Any, around: Sequence[Corner]) -> tuple[tuple[Corner, ...], ...]:
    """Returns the outlines of holes, clockwise; raises InvalidModel unless they lie apart and inside an outline."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise InvalidModel(field, value, "a list of outlines, each a list of corners (x, y) [m]")
    holes = [checked_outline(f"{field}[{k}]", each) for k, each in enumerate(value)]
    for k, hole in enumerate(holes):
        if _touches(hole, around) or not _holds(around, hole[0]):
            raise InvalidModel(f"{field}[{k}]", "an outline that reaches beyond the polygon", "one inside the polygon")
        for other in holes[:k]:
            if _touches(hole, other) or _holds(other, hole[0]) or _holds(hole, other[0]):
                raise InvalidModel(
                    f"{field}[{k}]", "an outline that reaches into another hole", "one apart from others"
                )
    return tuple(hole[::-1] for hole in holes)


def turns(corners: np.ndarray) -> np.ndarray:
    """How an outline of shape (n, 2) turns at each corner [m^2]: positive to the left, negative to the right."""
    return _turn(np.roll(corners, 1, axis=0), corners, np.roll(corners, -1, axis=0))


def _touches(one: Sequence[Corner], other: Sequence[Corner]) -> bool:
    """Whether edges of two outlines have a point in common."""
    begin, others = np.array(one), np.array(other)
    end, ends = np.roll(begin, -1, axis=0), np.roll(others, -1, axis=0)
    return any(_meet(a, b, others, ends).any() for a, b in zip(begin, end, strict=True))


def _holds(outline: Sequence[Corner], point: Corner) -> bool:
    """Whether a point lies in a simple polygon, by counting the edges to its right."""
    (ax, ay), (bx, by) = np.array(outline).T, np.roll(np.array(outline), -1, axis=0).T
    spans = (ay > point[1]) != (by > point[1])
    rise = np.where(spans, by - ay, 1.0)
    return bool(np.count_nonzero(spans & (point[0] < ax + (bx - ax) * (point[1] - ay) / rise)) % 2)


def _crosses_itself(points: Sequence[Corner]) -> bool:
    """Whether two edges that are not neighbours meet."""
    begin = np.array(points)
    end, count = np.roll(begin, -1, axis=0), len(points)
    later = ((k, slice(k + 2, count - (k == 0))) for k in range(count - 2))
    with np.errstate(over="ignore", invalid="ignore"):  # corners too far off are refused elsewhere
        return any(_meet(begin[k], end[k], begin[rest], end[rest]).any() for k, rest in later)


def _meet(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Whether the segments a-b and c-d have a point in common."""
    across = (_turn(a, b, c) * _turn(a, b, d) < 0) & (_turn(c, d, a) * _turn(c, d, b) < 0)
    return np.asarray(across | _lies_on(c, a, b) | _lies_on(d, a, b) | _lies_on(a, c, d) | _lies_on(b, c, d))


def _lies_on(p: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Whether p lies on the segment a-b."""
    between = ((np.minimum(a, b) <= p) & (p <= np.maximum(a, b))).all(axis=-1)
    return np.asarray(between & (_turn(a, b, p) == 0.0))


def _turn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    along, then = b - a, c - b
    return np.asarray(along[..., 0] * then[..., 1] - along[..., 1] * then[..., 0])
