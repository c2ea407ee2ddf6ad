"""What obstacles are made of: rounded hulls in the plane, upright columns and boxes in space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pushpoint.model.kinds import family_base

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
class Obstacle:
    """Something fixed that links push against.

    A kind of obstacle has the fields `friction` and `restitution` and says what it is made of: `hulls` make it known to
    planar robots, `solids` to spatial ones.
    """

    friction: float
    """Coulomb coefficient between obstacle and link [-]."""
    restitution: float
    """Newton's restitution coefficient [-], 0 to 1."""

    @property
    def hulls(self) -> tuple[Hull, ...]:
        """What it is made of in the plane; nothing if it stands in the way of spatial robots alone."""
        return ()

    @property
    def solids(self) -> tuple[Solid, ...]:
        """What it is made of in space; nothing if it stands in the way of planar robots alone."""
        return ()
