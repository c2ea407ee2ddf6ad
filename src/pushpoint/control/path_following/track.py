"""A path as a table in which a robot's place is found: arc length, sideways distance, direction and curvature there.

A curve is a table of short straight pieces with tangents and curvatures of their own. Waypoints are joined by straight
legs. Both are straight beyond their last point. The arc length never falls, so that a robot cannot be thrown back to a
part of the path that it has passed.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.mapping.rails import Path

PIECES_AHEAD = 50
"""Pieces of a curve within one look-ahead distance; that far ahead the nearest point is looked for [-]."""
MOST_PIECES = 200_000
"""Most pieces of a table [-]; more is taken for a typing mistake."""
TIE = 1e-6
"""Where two parts of a path are equally near up to this share, the first one counts [-]."""


class OnTrack(NamedTuple):
    """Where robots are on their paths; each of shape (n_worlds,)."""

    piece: np.ndarray
    """Number of the piece of the table [-]; -1 before the first look."""
    arc: np.ndarray
    """Arc length of the nearest point [m]; 0 before the first point."""
    aside: np.ndarray
    """Cross-track error [m]: distance from the path, positive on its left."""
    angle: np.ndarray
    """Direction of the path there [rad]."""
    curvature: np.ndarray
    """Curvature of the path there [1/m]; positive to the left."""


NOWHERE = OnTrack(np.array(-1), np.array(0.0), np.array(0.0), np.array(0.0), np.array(0.0))
"""The place of one world before the first look."""


class Track(NamedTuple):
    """The table of one path, or of several of the same size, with a leading world axis where they differ."""

    points: np.ndarray
    """Ends of the pieces [m], (n_pieces + 1, 2)."""
    arc: np.ndarray
    """Arc lengths of the ends [m], (n_pieces + 1,)."""
    angle: np.ndarray
    """Direction of the path at the start of each piece [rad], (n_pieces,)."""
    curvature: np.ndarray
    """Curvature of the path along each piece [1/m], (n_pieces,)."""
    radius: np.ndarray
    """Distance before a waypoint at which the next leg is followed [m]; not used on a curve."""
    legs: bool
    """Whether the pieces are straight legs between waypoints, followed one by one."""

    def find(self, position: np.ndarray, before: OnTrack) -> OnTrack:
        """The places of positions [m], shape (n_worlds, 2), that were at other places before."""
        n_pieces = self.arc.shape[-1] - 1
        first = np.maximum(before.piece, 0)
        if self.legs:
            return self._on_leg(position, first, before.arc)
        new = before.piece < 0
        width = n_pieces if new.any() else min(PIECES_AHEAD, n_pieces)
        pieces = np.minimum(first[:, None] + np.arange(width), n_pieces - 1)
        along, gap = self._beside(position, pieces)
        # At the first look the path ends at its last point: its straight continuation may pass the start of a loop.
        ends = np.where((pieces == n_pieces - 1) & ~new[:, None], np.inf, self._length(pieces))
        inside = np.clip(along, 0.0, ends)
        distance = np.sum((gap - (inside - along)[..., None] * self._unit(pieces)) ** 2, axis=-1)
        # A world that has been here before looks no further than a world alone would.
        distance = np.where(new[:, None] | (np.arange(width) < PIECES_AHEAD), distance, np.inf)
        nearest = distance.min(axis=1, keepdims=True)
        k = np.argmax(distance <= nearest * (1.0 + TIE) + TIE * TIE, axis=1)
        rows = np.arange(len(k))
        piece = pieces[rows, k]
        return self._place(position, piece, np.maximum(self._taken(self.arc, piece) + inside[rows, k], before.arc))

    def _on_leg(self, position: np.ndarray, leg: np.ndarray, passed: np.ndarray) -> OnTrack:
        """The place on the straight line through a leg; the next leg once its start is near."""
        last = self.arc.shape[-1] - 2
        for _ in range(last + 1):
            along, _ = self._beside(position, leg[:, None])
            on = (leg < last) & (self._length(leg) - along[:, 0] < self.radius)
            if not on.any():
                break
            leg = leg + on
        return self._place(position, leg, np.maximum(self._taken(self.arc, leg) + along[:, 0], passed))

    def _place(self, position: np.ndarray, piece: np.ndarray, arc: np.ndarray) -> OnTrack:
        """The place at an arc length, as if the piece had no ends."""
        along = arc - self._taken(self.arc, piece)
        inside = np.minimum(along, self._length(piece))
        curvature = self._taken(self.curvature, piece)
        angle = self._taken(self.angle, piece) + curvature * inside
        on_path = self._taken(self.points, piece) + along[:, None] * self._unit(piece[:, None])[:, 0]
        gap = position - on_path
        aside = np.cos(angle) * gap[:, 1] - np.sin(angle) * gap[:, 0]
        return OnTrack(piece, arc, aside, angle, curvature)

    def _beside(self, position: np.ndarray, pieces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How far along the pieces positions are [m], (n_worlds, n), and what remains across [m], (n_worlds, n, 2)."""
        gap = position[:, None] - self._taken(self.points, pieces)
        unit = self._unit(pieces)
        along = np.sum(gap * unit, axis=-1)
        return along, gap - along[..., None] * unit

    def _length(self, pieces: np.ndarray) -> np.ndarray:
        """Lengths of pieces [m]."""
        return self._taken(self.arc, pieces + 1) - self._taken(self.arc, pieces)

    def _unit(self, pieces: np.ndarray) -> np.ndarray:
        """Directions of pieces as unit vectors, (n_worlds, n, 2)."""
        chord = self._taken(self.points, pieces + 1) - self._taken(self.points, pieces)
        return np.asarray(chord / np.linalg.norm(chord, axis=-1, keepdims=True))

    def _taken(self, table: np.ndarray, pieces: np.ndarray) -> np.ndarray:
        """Rows of a table, for tables with and without a world axis."""
        axes = 2 if table is self.points else 1
        if table.ndim == axes:
            return np.asarray(table[pieces])
        worlds = np.arange(len(table)).reshape(-1, *(1,) * (pieces.ndim - 1))
        return np.asarray(table[worlds, pieces])


def lay_track(path: Path, look_ahead: float, switching_radius: float | None) -> Track:
    """The table of a path: straight legs between its points if a switching radius [m] is given, otherwise a curve."""
    if switching_radius is not None or len(path.points) == 2:
        points = path.points
        chord = np.diff(points, axis=0)
        arc = np.concatenate(([0.0], np.cumsum(np.linalg.norm(chord, axis=1))))
        angle = np.unwrap(np.arctan2(chord[:, 1], chord[:, 0]))
        radius = 0.0 if switching_radius is None else switching_radius
        return Track(points, arc, angle, np.zeros(len(angle)), np.array(radius), True)
    count = max(8, ceil(path.length * PIECES_AHEAD / look_ahead))
    if count > MOST_PIECES:
        least = path.length * PIECES_AHEAD / MOST_PIECES
        raise InvalidModel("controller.look_ahead", look_ahead, f"at least {least:.3g} on so long a path", unit="m")
    arc = np.linspace(0.0, path.length, count + 1)
    points, tangent = path.at(arc)
    angle = np.unwrap(np.arctan2(tangent[:, 1], tangent[:, 0]))
    return Track(points, arc, angle[:-1], np.diff(angle) / np.diff(arc), np.array(0.0), False)
