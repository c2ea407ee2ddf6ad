"""Gait segments: one cycle of a shape curve, by which it is extended (Liljeback2014, sections III-E and IV).

Points are in the shape frame: x is the direction of the curve, y to its left, z up. Only differences between successive
points enter an extended curve, (18), so a segment may lie anywhere. Defaults are the paper's, with the robot's length
and its mean link length in place of a0 (N + 1) and a0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.arrays import Axes
from pushpoint.model.checks import Whole, check_fields, real, store, whole
from pushpoint.model.quantities import Extent, Length, Line, Offset
from pushpoint.planning.curves.curve import ShapeCurve, control_points
from pushpoint.planning.curves.skeleton import AnyBody

PAPER_POINTS = 9
MOST_POINTS = 100_000
"""Most points of a segment [-]; more is taken for a typing mistake."""
Points = Annotated[int, Whole(2, MOST_POINTS)]
Frames = Annotated[Any, real("-"), Axes("times", 3, 3)]
Corner = Annotated[Any, real("m"), Axes(3)]
STAIR_CUT = 0.4
"""Share of a step by which its corners are cut [-]."""


@dataclass(frozen=True, eq=False)
class GaitSegment:
    """Control points of one cycle of a shape curve. The next cycle begins where this one ends."""

    __repr__ = brief

    points: np.ndarray
    """Control points in the shape frame [m], shape (k, 3); at least 2."""
    name: Line = "segment"
    """Name in figures."""

    def __post_init__(self) -> None:
        check_fields(self, "segment")
        store(self, points=control_points("segment.points", self.points))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GaitSegment) and self.name == other.name and np.array_equal(self.points, other.points)

    def __hash__(self) -> int:
        return hash((self.name, self.points.tobytes()))

    @property
    def steps(self) -> np.ndarray:
        """Vectors from each point to the next [m], shape (k - 1, 3)."""
        return np.diff(self.points, axis=0)

    @property
    def displacement(self) -> np.ndarray:
        """Vector from the first point to the last [m], shape (3,)."""
        return self.points[-1] - self.points[0]

    def curve(self, kind: str = "pchip") -> ShapeCurve:
        """The segment alone as a shape curve."""
        return ShapeCurve(self.points, kind)


def segment_from_points(points: Any, name: str = "segment") -> GaitSegment:
    """A gait segment through given points.

    Args:
        points: Points x, y, z of the shape frame [m], shape (n, 3), at least 2.
        name: Name in figures.
    """
    return GaitSegment(points, name)


@checked_arguments
def segment_from_function(
    function: Callable[[float], Sequence[float]], n_points: Points = PAPER_POINTS, name: str = "segment"
) -> GaitSegment:
    """A gait segment through points of a function.

    Args:
        function: Maps the cycle, 0 to 1, to a point x, y, z [m].
        n_points: Number of control points.
        name: Name in figures.
    """
    return segment_from_points([function(part) for part in _cycle(n_points, 2).tolist()], name)


@checked_arguments
def joined(*segments: GaitSegment, name: str = "segment") -> GaitSegment:
    """Joins segments. Each begins where the one before it ends.

    Args:
        *segments: The segments, at least one.
        name: Name in figures.
    """
    if not segments:
        raise InvalidModel("segments", 0, "at least 1 segment")
    steps = np.concatenate([segment.steps for segment in segments])
    return GaitSegment(segments[0].points[0] + np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)]), name)


@checked_arguments
def concatenated(segment: GaitSegment, frames: Frames, start: Corner | None = None) -> np.ndarray:
    """Control points of a segment repeated once per orientation of the shape frame, (18), shape (n, 3) [m].

    Args:
        segment: The segment.
        frames: Orientation of the shape frame in each cycle, shape (times, 3, 3).
        start: Where the curve begins [m]; default: the segment's own first point.
    """
    first = segment.points[0] if start is None else start
    steps = np.einsum("nij,kj->nki", frames, segment.steps).reshape(-1, 3)
    return first + np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])


@checked_arguments
def sidewinding(
    robot: AnyBody,
    *,
    length: Length | None = None,
    width: Offset | None = None,
    height: Offset | None = None,
    n_points: Points = PAPER_POINTS,
) -> GaitSegment:
    """The segment of sidewinding, (19): a wave in x-y and one in x-z, a quarter cycle ahead.

    Args:
        robot: The robot or skeleton that the defaults are for.
        length: Length of a cycle [m]; default: 0.7 robot lengths.
        width: Amplitude in x-y [m]; default: 3 links.
        height: Amplitude in x-z [m]; default: a third of a link. A negative one reverses the direction of travel.
        n_points: Control points per cycle.
    """
    k_x = 0.7 * robot.length if length is None else length
    k_y = 3.0 * _mean_link(robot) if width is None else width
    k_z = _mean_link(robot) / 3.0 if height is None else height
    cycle = _cycle(n_points)
    angle = 2.0 * np.pi * cycle
    return GaitSegment(np.stack([k_x * cycle, k_y * np.sin(angle), k_z * np.cos(angle)], axis=-1), "sidewinding")


@checked_arguments
def vertical_wave(
    robot: AnyBody, *, length: Length | None = None, height: Offset | None = None, n_points: Points = PAPER_POINTS
) -> GaitSegment:
    """The segment of a wave in x-z alone, IV-C.

    Args:
        robot: The robot or skeleton that the defaults are for.
        length: Length of a cycle [m]; default: 0.7 robot lengths.
        height: Amplitude [m]; default: 0.1 robot lengths.
        n_points: Control points per cycle.
    """
    k_x = 0.7 * robot.length if length is None else length
    k_z = 0.1 * robot.length if height is None else height
    cycle = _cycle(n_points)
    wave = k_z * np.sin(2.0 * np.pi * cycle)
    return GaitSegment(np.stack([k_x * cycle, np.zeros_like(cycle), wave], axis=-1), "vertical wave")


@checked_arguments
def rolling_arc(robot: AnyBody, *, span: Length | None = None, depth: Offset | None = None) -> GaitSegment:
    """The fixed curve of lateral rolling, IV-D: three points, the middle one offset to the side.

    It is not repeated: the head stays at its end while the roll angle grows.

    Args:
        robot: The robot or skeleton that the defaults are for.
        span: Distance between the ends [m]; default: the robot's length.
        depth: Offset of the middle point [m]; default: 3 links.
    """
    wide = robot.length if span is None else span
    deep = 3.0 * _mean_link(robot) if depth is None else depth
    return segment_from_points([(-wide / 2, deep, 0.0), (0.0, 0.0, 0.0), (wide / 2, deep, 0.0)], "rolling arc")


@checked_arguments
def stairs_down(
    rise: Length, run: Length, *, half_height: Extent, chamfer: Length | None = None, nose_chamfer: Length | None = None
) -> GaitSegment:
    """The segment of one step down: along the upper tread, around its edge, down the riser, onto the lower tread.

    The edge of the upper tread (the nose) is at x = z = 0. Corners are cut. No straight line between control points
    comes nearer than `half_height` to a tread, a riser or the nose. To cut the corner around the nose, the body's axis
    runs higher than that above the treads.

    Args:
        rise: Height of a step [m].
        run: Depth of a step [m].
        half_height: Half the height of the body [m].
        chamfer: Cut of the corner above the lower tread, along its sides [m].
        nose_chamfer: Cut of the corner around the nose [m]. Both default to 0.4 of the smaller of rise and run, which
            lets links of up to 0.4 of a step turn without jumps.
    """
    high, deep, half = rise, run, half_height
    inner = STAIR_CUT * min(high, deep) if chamfer is None else chamfer
    outer = inner if nose_chamfer is None else nose_chamfer
    if inner + outer >= min(high, deep):
        allowed = f"such that both chamfers fit into rise and run, less than {min(high, deep):g} [m]"
        raise InvalidModel("chamfer + nose_chamfer", inner + outer, allowed)
    off = max(half, (np.sqrt(2.0) * half + outer) / 2)  # the cut x + z = 2 off - outer is `half` away from the nose
    lower = off - high
    begin = (deep + outer - inner) / 2  # in the middle of the straight part above a tread
    path = [
        (off - begin, off),
        (off - outer, off),
        (off, off - outer),
        (off, lower + inner),
        (off + inner, lower),
        (off + deep - begin, lower),
    ]
    return segment_from_points([(x, 0.0, z) for x, z in path], "stairs down")


@checked_arguments
def stairs_up(
    rise: Length, run: Length, *, half_height: Extent, chamfer: Length | None = None, nose_chamfer: Length | None = None
) -> GaitSegment:
    """The segment of one step up: the mirror image of `stairs_down`.

    Args:
        rise: Height of a step [m].
        run: Depth of a step [m].
        half_height: Half the height of the body [m].
        chamfer: Cut of the corner above the lower tread, along its sides [m]; default: as for `stairs_down`.
        nose_chamfer: Cut of the corner around the nose, at x = z = 0 [m]; default: as for `stairs_down`.
    """
    down = stairs_down(rise, run, half_height=half_height, chamfer=chamfer, nose_chamfer=nose_chamfer)
    return GaitSegment(down.points[::-1] * (-1.0, 1.0, 1.0), "stairs up")


@checked_arguments
def helix(
    radius: Length,
    pitch: Offset,
    *,
    axis: Literal["x", "z"] = "z",
    handed: Literal["right", "left"] = "right",
    n_points: Points = PAPER_POINTS,
) -> GaitSegment:
    """One turn of a helix around a pole (axis "z") or along a pipe (axis "x").

    The axis goes through the origin. The turn begins on the positive x axis for a pole, on the positive y axis for a
    pipe.

    Args:
        radius: Radius of the body's axis [m].
        pitch: Advance per turn [m]; positive up the pole or forward through the pipe.
        axis: "z" for a pole, "x" for a pipe.
        handed: "right" or "left".
        n_points: Control points per turn.
    """
    around = 1.0 if handed == "right" else -1.0
    cycle = _cycle(n_points)
    angle = around * 2.0 * np.pi * cycle
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle), pitch * cycle], axis=-1)
    shift = 0 if axis == "z" else 1  # x, y, z of the pole become y, z, x of the pipe
    return GaitSegment(np.roll(points, shift, axis=-1), "helix")


def _mean_link(robot: AnyBody) -> float:
    return robot.length / robot.n_links


def _cycle(n_points: int, least: int = 4) -> np.ndarray:
    """Equal parts of a cycle, including both ends."""
    count = whole("n_points", n_points, Whole(least, MOST_POINTS))
    return np.linspace(0.0, 1.0, count)
