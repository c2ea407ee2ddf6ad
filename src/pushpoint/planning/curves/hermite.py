"""Pieces of a shape curve: cubic Hermite polynomials, their slopes at the control points, their arc length.

NumPy, with any leading dimensions (worlds). The compiled alignment takes points and slopes from here and evaluates the
same polynomial, so that slopes are computed in one place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.arrays import Axes, array, array_of_numbers
from pushpoint.model.checks import one_of, real

KINDS = ("pchip", "smooth")
PANELS = 4
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(10)
# Nodes and weights of the composite quadrature rule on [0, 1].
NODES = np.concatenate([(panel + (_NODES + 1) / 2) / PANELS for panel in range(PANELS)])
WEIGHTS = np.tile(_WEIGHTS / (2 * PANELS), PANELS)
POWERS = np.stack([np.ones_like(NODES), NODES, NODES**2])
MOST_ROUNDS = 100
ROUNDING = 1e-15
"""A step of the parameter that is too small to matter [-]."""


def slopes_of(points: np.ndarray, kind: str = "pchip") -> np.ndarray:
    """Slopes dS/ds at the control points of a shape curve [m], shape (..., n, 3).

    Both kinds are local: a slope depends on its point and its two neighbours, and at an end on the last three points.
    Appending a point therefore changes only the last piece of the curve.

    Args:
        points: Control points [m], shape (..., n, 3), at least 2.
        kind: "pchip": for each coordinate, the harmonic mean of the neighbouring chords, or zero if they differ in
            sign. No coordinate overshoots, but the curve depends on the direction of the axes. "smooth": the same mean
            of vectors, so the curve does not depend on the axes. It is Catmull-Rom's slope if the chords are equally
            long; otherwise its direction is that of the parabola through three points.
    """
    one_of("curve.kind", kind, KINDS)
    P = array_of_numbers("points", points, Axes("...", "n", 3), unit="m")
    if P.shape[-2] < 2:
        raise InvalidModel("points", P.shape, "of shape (..., n, 3), at least 2 points")
    with np.errstate(over="ignore", invalid="ignore"):  # NaN points give NaN slopes
        chord = np.diff(P, axis=-2)
        if chord.shape[-2] == 1:
            return np.concatenate([chord, chord], axis=-2)
        return _pchip(chord) if kind == "pchip" else _smooth(chord)


def _pchip(chord: np.ndarray) -> np.ndarray:
    before, after = chord[..., :-1, :], chord[..., 1:, :]
    alike = before * after > 0.0
    total = np.where(alike, before + after, 1.0)
    # The quotient first: a product of tiny chords would underflow.
    inner = np.where(alike, 2.0 * before * (after / total), 0.0)
    first = _pchip_end(chord[..., 0, :], chord[..., 1, :])
    last = _pchip_end(chord[..., -1, :], chord[..., -2, :])
    return np.concatenate([first[..., None, :], inner, last[..., None, :]], axis=-2)


def _pchip_end(near: np.ndarray, far: np.ndarray) -> np.ndarray:
    """The parabola's slope, limited so that the end piece stays monotone."""
    slope = (3.0 * near - far) / 2.0
    limited = (np.sign(near) != np.sign(far)) & (np.abs(slope) > 3.0 * np.abs(near))
    return np.where(np.sign(slope) != np.sign(near), 0.0, np.where(limited, 3.0 * near, slope))


def _smooth(chord: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(chord, axis=-1, keepdims=True)
    before, after = length[..., :-1, :], length[..., 1:, :]
    share = after / (before + after)
    inner = 2.0 * share * share * chord[..., :-1, :] + 2.0 * (1.0 - share) * (1.0 - share) * chord[..., 1:, :]
    first = 2.0 * chord[..., 0, :] - inner[..., 0, :]
    last = 2.0 * chord[..., -1, :] - inner[..., -1, :]
    return np.concatenate([first[..., None, :], inner, last[..., None, :]], axis=-2)


def coefficients(points: np.ndarray, slopes: np.ndarray, piece: np.ndarray) -> np.ndarray:
    """Coefficients of 1, t, t^2, t^3 of one piece per entry of the leading dimensions, shape (..., 4, 3).

    `points` and `slopes` have shape (..., n, 3), `piece` (...).
    """
    index = np.asarray(piece)[..., None, None]
    p0, p1 = (np.take_along_axis(points, index + k, axis=-2)[..., 0, :] for k in (0, 1))
    m0, m1 = (np.take_along_axis(slopes, index + k, axis=-2)[..., 0, :] for k in (0, 1))
    chord = p1 - p0
    return np.stack([p0, m0, 3.0 * chord - 2.0 * m0 - m1, m0 + m1 - 2.0 * chord], axis=-2)


def value(c: np.ndarray, t: np.ndarray) -> np.ndarray:
    """The polynomial at t in [0, 1], shape (..., 3)."""
    t = np.asarray(t)[..., None]
    return c[..., 0, :] + t * (c[..., 1, :] + t * (c[..., 2, :] + t * c[..., 3, :]))


def slope(c: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Its derivative with respect to t, shape (..., 3)."""
    t = np.asarray(t)[..., None]
    return c[..., 1, :] + t * (2.0 * c[..., 2, :] + 3.0 * t * c[..., 3, :])


def arc(c: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Length of the piece from 0 to t [m], shape (...)."""
    t = np.asarray(t, dtype=float)
    scale = t[..., None]
    factors = np.stack([c[..., 1, :], 2.0 * scale * c[..., 2, :], 3.0 * scale * scale * c[..., 3, :]], axis=-1)
    slopes = factors @ POWERS
    return t * (np.sqrt((slopes * slopes).sum(axis=-2)) @ WEIGHTS)


def parameter(c: np.ndarray, length: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """The t at which the piece has a given length [-], by bracketed Newton steps: the slope may vanish."""
    low, high = np.zeros_like(whole), np.ones_like(whole)
    t = np.clip(length / np.where(whole > 0.0, whole, 1.0), 0.0, 1.0)
    for _ in range(MOST_ROUNDS):
        excess = arc(c, t) - length
        low, high = np.where(excess < 0.0, t, low), np.where(excess > 0.0, t, high)
        speed = np.linalg.norm(slope(c, t), axis=-1)
        newton = t - excess / np.where(speed > 0.0, speed, np.inf)
        inside = (newton > low) & (newton < high) & (speed > 0.0)
        following = np.where(excess == 0.0, t, np.where(inside, newton, (low + high) / 2))
        moved, t = np.abs(following - t), following
        if np.all(moved <= ROUNDING):
            break
    return t


def advance_head(points: Any, slopes: Any, head: Any, distance: Any) -> np.ndarray:
    """Moves heads by a distance along fixed curves and returns their parameters [-]; they stop at the end.

    Args:
        points: Control points of the curves [m], shape (n_worlds, n, 3).
        slopes: dS/ds there [m], same shape; see `slopes_of`.
        head: Parameters of the heads [-], one number or shape (n_worlds,).
        distance: Distance along the curve [m], one number or shape (n_worlds,).
    """
    lengths: dict[str, int] = {}
    points, slopes = (
        array(name, given, real("m"), Axes("n_worlds", "n", 3), lengths)
        for name, given in (("points", points), ("slopes", slopes))
    )
    heads, left = (
        array(name, given, real(unit)) for name, given, unit in (("head", head, "-"), ("distance", distance, "m"))
    )
    for name, found in (("head", heads), ("distance", left)):
        if found.shape not in ((), (len(points),)):
            raise InvalidModel(name, found.shape, f"one number, or of shape ({len(points)},)")
    heads, left = (np.broadcast_to(found, len(points)) for found in (heads, left))
    return _advanced(points, slopes, heads, left)


def _advanced(points: np.ndarray, slopes: np.ndarray, head: np.ndarray, left: np.ndarray) -> np.ndarray:
    """The same for checked values."""
    end = points.shape[-2] - 1.0
    if (head < 0.0).any() or end < 1.0:
        raise InvalidModel("head", float(head.min(initial=0.0)), ">= 0, on a curve of at least 2 points")
    while np.any((left > 0.0) & (head < end)):
        head, left = within_piece(points, slopes, head, left)
    return head


def within_piece(
    points: np.ndarray, slopes: np.ndarray, head: np.ndarray, distance: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Heads moved on, at most to the end of their piece, and the remaining distance [m]."""
    head, left = head.copy(), np.zeros_like(distance)
    moves = np.flatnonzero(distance > 0.0)
    if not moves.size:
        return head, left
    piece = np.minimum(np.floor(head[moves]).astype(int), points.shape[-2] - 2)
    c = coefficients(points[moves], slopes[moves], piece)
    done, whole = arc(c, head[moves] - piece), arc(c, np.ones(len(moves)))
    wanted = done + distance[moves]
    stays = wanted < whole
    t = parameter(c, np.where(stays, wanted, 0.0), whole)
    head[moves] = piece + np.where(stays, t, 1.0)
    left[moves] = np.where(stays, 0.0, wanted - whole)
    return head, left
