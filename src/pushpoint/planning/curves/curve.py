"""The shape curve: where the body should be, a curve through shape control points (Liljeback2014, section III)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel
from pushpoint.model.arrays import Axes, array, array_of_numbers
from pushpoint.model.checks import one_of, real, store
from pushpoint.planning.curves import hermite
from pushpoint.planning.curves.hermite import KINDS, slopes_of

COINCIDENT = 1e-12
"""Distance below which two control points count as one [m]."""

SAMPLES = 64
"""Places per piece from which the search for the nearest point begins [-]."""
GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0
GOLDEN_ROUNDS = 40
"""Rounds of the golden section, which leave 1.4e-10 of a piece [-]."""


def control_points(name: str, values: Any) -> np.ndarray:
    """Returns points in space as a read-only array of shape (n, 3); raises InvalidModel if they give no curve."""
    points = array(name, values, real("m"), Axes("n", 3))
    if len(points) < 2:
        raise InvalidModel(name, f"{len(points)} points", "at least 2 points")
    same = np.flatnonzero(np.linalg.norm(np.diff(points, axis=0), axis=1) <= COINCIDENT)
    if same.size:
        k = int(same[0])
        before = f"{name.rpartition('.')[2]}[{k}]"
        allowed = f"a different point from {{{before}}}"
        raise InvalidModel(f"{name}[{k + 1}]", tuple(points[k + 1].tolist()), allowed, others={before: None})
    points.flags.writeable = False
    return points


@dataclass(frozen=True, eq=False)
class ShapeCurve:
    """A curve S(s) in space that passes control point k at s = k; before its first point it is a straight line.

    Motion along it is measured in arc length, since S' can vanish.
    """

    __repr__ = brief

    points: np.ndarray
    """Shape control points [m], shape (n, 3), from tail to head; at least 2."""
    kind: str = "pchip"
    """How the points are joined: "pchip" or "smooth".

    "pchip" is the paper's: it interpolates each coordinate without overshoot. "smooth" does not depend on the direction
    of the axes (see `slopes_of`).
    """
    slopes: np.ndarray = field(init=False, repr=False)
    """dS/ds at the control points [m], shape (n, 3)."""
    _starts: np.ndarray = field(init=False, repr=False)
    """Arc length up to each control point [m], shape (n,)."""

    def __post_init__(self) -> None:
        points = control_points("curve.points", self.points)
        kind = one_of("curve.kind", self.kind, KINDS)
        slopes = slopes_of(points, kind)
        slopes.flags.writeable = False
        store(self, points=points, kind=kind, slopes=slopes)
        c = self._pieces(np.arange(len(points) - 1))
        store(self, _starts=np.concatenate([[0.0], np.cumsum(hermite.arc(c, np.ones(len(points) - 1)))]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ShapeCurve) and self.kind == other.kind and np.array_equal(self.points, other.points)

    def __hash__(self) -> int:
        return hash((self.kind, self.points.tobytes()))

    @property
    def end(self) -> float:
        """Parameter of the last control point [-]."""
        return float(len(self.points) - 1)

    @property
    def length(self) -> float:
        """Arc length from the first control point to the last [m]."""
        return float(self._starts[-1])

    def at(self, s: Any) -> np.ndarray:
        """Points of the curve [m], shape (..., 3), for parameters up to the last point's."""
        s, piece = self._locate(s)
        inside = hermite.value(self._pieces(piece), s - piece)
        # A straight line at the pace of the first chord, so that s keeps its pace even where S' vanishes.
        return np.where((s < 0.0)[..., None], self.points[0] + s[..., None] * self.lead, inside)

    def slope(self, s: Any) -> np.ndarray:
        """dS/ds [m], shape (..., 3)."""
        s, piece = self._locate(s)
        return np.where((s < 0.0)[..., None], self.lead, hermite.slope(self._pieces(piece), s - piece))

    def arc_length(self, s: Any) -> np.ndarray:
        """Arc length from the first control point to S(s) [m]; negative before it."""
        s, piece = self._locate(s)
        inside = self._starts[piece] + hermite.arc(self._pieces(piece), np.maximum(s - piece, 0.0))
        return np.where(s < 0.0, s * np.linalg.norm(self.lead), inside)

    def at_arc_length(self, length: Any) -> np.ndarray:
        """The parameter s at a given arc length [-], clipped to the ends."""
        wanted = np.clip(np.asarray(length, dtype=float), 0.0, self.length)
        piece = np.clip(np.searchsorted(self._starts, wanted, side="right") - 1, 0, len(self.points) - 2)
        whole = self._starts[piece + 1] - self._starts[piece]
        return piece + hermite.parameter(self._pieces(piece), wanted - self._starts[piece], whole)

    def nearest(self, points: Any) -> np.ndarray:
        """The parameter s of the curve's nearest point to each given point [m], shape (..., 3); negative before it."""
        from scipy.spatial import cKDTree  # here, because it takes time to load

        given = array_of_numbers("points", points, Axes("...", 3), unit="m")
        wanted, last = given.reshape(-1, 3), len(self.points) - 2
        pieces = self._pieces(np.arange(last + 1))
        grid = np.arange(SAMPLES * (last + 1) + 1) / SAMPLES

        def off(s: np.ndarray) -> np.ndarray:
            piece = np.minimum(s.astype(int), last)
            return hermite.value(pieces[piece], s - piece) - wanted

        s = grid[cKDTree(self.at(grid)).query(wanted)[1]]
        low, high = np.maximum(s - 1.0 / SAMPLES, 0.0), np.minimum(s + 1.0 / SAMPLES, self.end)
        for _ in range(GOLDEN_ROUNDS):
            first, second = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
            left, right = (np.square(off(inner)).sum(axis=-1) for inner in (first, second))
            low, high = np.where(left < right, low, first), np.where(left < right, second, high)
        on_curve = (low + high) / 2.0
        lead = self.lead  # the straight line before the first point
        before = np.minimum((wanted - self.points[0]) @ lead / (lead @ lead), 0.0)
        nearer = np.square(self.points[0] + before[:, None] * lead - wanted).sum(axis=-1)
        return np.where(nearer < np.square(off(on_curve)).sum(axis=-1), before, on_curve).reshape(given.shape[:-1])

    def distance(self, points: Any) -> np.ndarray:
        """Distance of each given point [m], shape (..., 3), from the curve and the straight line before it [m]."""
        given = array_of_numbers("points", points, Axes("...", 3), unit="m")
        return np.asarray(np.linalg.norm(self.at(self.nearest(given)) - given, axis=-1))

    def extended(self, points: Any) -> ShapeCurve:
        """The curve with more control points at its end; the same as if it had been built at once."""
        more = np.atleast_2d(np.asarray(points, dtype=float))
        if more.ndim != 2 or more.shape[-1] != 3:
            raise InvalidModel("curve.points", f"an array of shape {more.shape}", "points x, y, z [m]")
        return ShapeCurve(np.concatenate([self.points, more]), self.kind)

    @property
    def lead(self) -> np.ndarray:
        """dS/ds of the straight line before the first control point [m], shape (3,), as long as the first chord.

        It has the direction of the first slope, or of the first chord if that slope vanishes.
        """
        chord, first = self.points[1] - self.points[0], self.slopes[0]
        pace, size = np.linalg.norm(chord), np.linalg.norm(first)
        return np.asarray(chord if size <= 1e-9 * pace else first * (pace / size))

    def _locate(self, s: Any) -> tuple[np.ndarray, np.ndarray]:
        s = np.asarray(s, dtype=float)
        if not np.all(s <= self.end):
            raise InvalidModel("s", float(np.max(s)), f"at most {self.end}, where the curve ends")
        return s, np.clip(np.floor(s), 0, len(self.points) - 2).astype(int)

    def _pieces(self, piece: np.ndarray) -> np.ndarray:
        shape = (*np.shape(piece), *self.points.shape)
        return hermite.coefficients(np.broadcast_to(self.points, shape), np.broadcast_to(self.slopes, shape), piece)
