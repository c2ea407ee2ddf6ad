"""The shape of the ground: a plane through the origin, or heights on a grid that go on beyond its rim."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.ndimage import map_coordinates

from pushpoint.model.environment import Ground
from pushpoint.model.terrain import HeightField


@dataclass(frozen=True)
class GroundShape:
    """Where the ground of a model is, and how steep."""

    ground: Ground
    """The ground."""

    @property
    def field(self) -> HeightField | None:
        """Its heights; None for a plane."""
        return self.ground.heights

    @cached_property
    def gradient(self) -> np.ndarray:
        """Rise of the plane per length along x and y [-], shape (2,)."""
        direction = self.ground.slope_direction
        return math.tan(self.ground.slope) * np.array([math.cos(direction), math.sin(direction)])

    @property
    def flat(self) -> bool:
        """Whether it is horizontal."""
        return self.field is None and not self.gradient.any()

    @property
    def normal(self) -> np.ndarray:
        """Unit vector out of the plane, shape (3,)."""
        out = np.array([-self.gradient[0], -self.gradient[1], 1.0])
        return np.asarray(out / np.linalg.norm(out))

    @property
    def steepness(self) -> float:
        """Angle of the plane from the horizontal [rad]."""
        return math.atan(math.hypot(*self.gradient))

    def height(self, points: np.ndarray) -> np.ndarray:
        """Heights at places [m], shape (..., 2) to (...)."""
        if self.field is None:
            return np.asarray(points @ self.gradient)
        return _between(self.field, self.field.heights, points)

    def slopes(self, points: np.ndarray) -> np.ndarray:
        """Rise per length along x and y at places [-], shape (..., 2)."""
        if self.field is None:
            return np.broadcast_to(self.gradient, points.shape)
        rises = np.gradient(self.field.heights, self.field.spacing)
        return np.stack([_between(self.field, rise, points) for rise in rises], axis=-1)


def _between(field: HeightField, values: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Values at the points of a field's grid, between them; shape (..., 2) to (...)."""
    index = (points - np.array(field.origin)) / field.spacing
    return np.asarray(map_coordinates(values, np.moveaxis(index, -1, 0), order=1, mode="nearest"))
