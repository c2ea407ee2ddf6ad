"""Corridors and winding channels: walls along a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.arrays import Axes
from pushpoint.model.checks import real
from pushpoint.model.environment import Wall
from pushpoint.model.quantities import Angle, Coefficient, Extent, Length, Offset, Point, Share

POINTS_PER_WAVE = 200
MOST_WAVES = 10_000
"""The most waves of a sine [-]; more is taken for a typing mistake."""
WIDEST = 1e9
"""Largest width of a channel [m]."""
Line = Annotated[Sequence[Point] | np.ndarray, real("m"), Axes("n", 2)]
"""Points, in order [m], shape (n, 2)."""
ROUND_OFF = 1e-9


@checked_arguments
def corridor(
    start: Point,
    end: Point,
    *,
    width: Length,
    thickness: Length = 0.01,
    friction: Coefficient = 0.0,
    restitution: Share = 0.0,
) -> tuple[Wall, ...]:
    """Two parallel walls.

    Args:
        start: Where the centre line of the corridor begins [m].
        end: Where it ends [m].
        width: Free width between the faces of the walls [m].
        thickness: Thickness of the walls [m].
        friction: Coulomb coefficient between wall and link [-].
        restitution: Newton's coefficient of restitution [-], 0 to 1.

    Returns:
        The wall on the left as seen from start to end, then the one on the right.
    """
    return channel([start, end], width=width, thickness=thickness, friction=friction, restitution=restitution)


@checked_arguments
def channel(
    center_line: Line,
    *,
    width: Length,
    thickness: Length = 0.01,
    tolerance: Extent = 1e-3,
    friction: Coefficient = 0.0,
    restitution: Share = 0.0,
) -> tuple[Wall, ...]:
    """Two chains of walls along a line, such as `sine(...)` or the points of a track.

    Args:
        center_line: Points of the centre line [m], in order, shape (n, 2).
        width: Free width between the faces of the walls, measured across each straight piece [m].
        thickness: Thickness of the walls [m].
        tolerance: How far the walls may deviate from the line so that fewer, longer pieces suffice [m]; 0: not at all.
        friction: Coulomb coefficient between wall and link [-].
        restitution: Newton's coefficient of restitution [-], 0 to 1.

    Returns:
        The walls on the left of the line, from start to end, then those on the right.
    """
    half = (width + thickness) / 2
    if half > WIDEST:
        raise InvalidModel("channel: width", width, f"at most {WIDEST:g} with the thickness [m]")
    line = _simplified(_checked_line(np.asarray(center_line)), tolerance)
    walls = []
    for side in (1.0, -1.0):
        corners = _offset(line, side * half)
        _refuse_narrow(line, corners, half, width)
        walls += [
            Wall(start=start, end=end, thickness=thickness, friction=friction, restitution=restitution)
            for start, end in zip(corners[:-1].tolist(), corners[1:].tolist(), strict=True)
        ]
    return tuple(walls)


@checked_arguments
def sine(
    *, length: Length, amplitude: Offset, wavelength: Length, start: Point = (0.0, 0.0), heading: Angle = 0.0
) -> np.ndarray:
    """Points of a sine wave, as a centre line for `channel` [m], shape (n, 2).

        line = pp.courses.sine(length=2.0, amplitude=0.05, wavelength=1.0)
        walls = pp.courses.channel(line, width=0.4)

    Args:
        length: Length along the axis [m].
        amplitude: Largest distance from the axis [m]. A positive one swings to the left first.
        wavelength: Length of one wave along the axis [m].
        start: Where it begins, on the axis [m].
        heading: Direction of the axis [rad].
    """
    if not length / wavelength < MOST_WAVES:
        raise InvalidModel("sine: length", length, f"fewer than {MOST_WAVES} waves of {wavelength:g} m")
    x = np.linspace(0.0, length, int(np.ceil(POINTS_PER_WAVE * length / wavelength)) + 1)
    y = amplitude * np.sin(2 * np.pi * x / wavelength)
    e = np.array([np.cos(heading), np.sin(heading)])
    left = np.array([-e[1], e[0]])
    return np.array(start) + x[:, None] * e + y[:, None] * left


def _checked_line(line: np.ndarray) -> np.ndarray:
    if len(line) < 2:
        raise InvalidModel("channel: center_line", line.shape, "of shape (n, 2) with 2 points or more")
    same = np.flatnonzero(np.all(line[1:] == line[:-1], axis=1))
    if same.size:
        k = int(same[0]) + 1
        raise InvalidModel(f"channel: center_line[{k}]", tuple(line[k].tolist()), "different from the point before it")
    return line


def _simplified(line: np.ndarray, tolerance: float) -> np.ndarray:
    """The fewest points that keep the line within the tolerance, after Ramer, Douglas and Peucker."""
    kept = np.zeros(len(line), dtype=bool)
    kept[[0, -1]] = True
    pieces = [(0, len(line) - 1)]
    while pieces:
        first, last = pieces.pop()
        if last - first < 2:
            continue
        between = line[first + 1 : last]
        distance = _to_segments(between, line[first : first + 1], line[last : last + 1])[:, 0]
        if distance.max() > tolerance:
            k = first + 1 + int(distance.argmax())
            kept[k] = True
            pieces += [(first, k), (k, last)]
    return line[kept]


def _offset(line: np.ndarray, distance: float) -> np.ndarray:
    """The line shifted to its left. Pieces stay parallel; corners lie where the shifted pieces meet."""
    along = np.diff(line, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    left = np.stack((-along[:, 1], along[:, 0]), axis=-1)
    before, after = np.vstack((left[:1], left)), np.vstack((left, left[-1:]))
    bend = 1.0 + np.einsum("kx,kx->k", before, after)
    if bend.min() < ROUND_OFF:
        point = tuple(line[int(bend.argmin())].tolist())
        raise InvalidModel(f"channel: center_line: bend at {point}", "180 deg", "less")
    return np.asarray(line + distance * (before + after) / bend[:, None])


def _refuse_narrow(line: np.ndarray, corners: np.ndarray, half: float, width: float) -> None:
    """Raises InvalidModel if a wall folds back in a tight bend or stands in another part of the channel."""
    forward = np.einsum("kx,kx->k", np.diff(corners, axis=0), np.diff(line, axis=0))
    near_line = _to_segments(corners, line[:-1], line[1:]).min(axis=1)
    near_wall = _to_segments(line, corners[:-1], corners[1:]).min(axis=1)
    least = half * (1.0 - ROUND_OFF)
    for bad, points in (
        (forward <= 0.0, line),
        (near_line < least, corners),
        (near_wall < least, line),
        (_crossed(line, corners), line),
    ):
        if bad.any():
            x, y = points[int(bad.argmax())]
            allowed = f"smaller, or the line straighter: near ({x:.4g}, {y:.4g}) a wall would be inside the channel"
            raise InvalidModel("channel.width", width, allowed)


def _to_segments(points: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Distances of points from segments [m], shape (n_points, n_segments)."""
    way = end - start
    to_point = points[:, None] - start
    share = np.clip(np.einsum("psx,sx->ps", to_point, way) / np.einsum("sx,sx->s", way, way).clip(1e-300), 0.0, 1.0)
    return np.asarray(np.linalg.norm(to_point - share[..., None] * way, axis=-1))


def _crossed(line: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Which segments of a line are crossed by a segment of the other."""

    def sides(start: np.ndarray, end: np.ndarray, points: np.ndarray) -> np.ndarray:
        """On which side of each segment each point lies, shape (n_segments, n_points)."""
        way, to_point = (end - start)[:, None], points - start[:, None]
        return np.asarray(way[..., 0] * to_point[..., 1] - way[..., 1] * to_point[..., 0])

    of_other = sides(line[:-1], line[1:], other)
    of_line = sides(other[:-1], other[1:], line)
    parted = (of_other[:, 1:] * of_other[:, :-1] < 0.0) & (of_line[:, 1:] * of_line[:, :-1] < 0.0).T
    return np.asarray(parted.any(axis=1))
