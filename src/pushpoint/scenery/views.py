"""Looks at space from far away, in which parallels stay parallel and all scales are equal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True, kw_only=True)
class View:
    """A look at space from far away."""

    right: np.ndarray
    """What points to the right in the picture, shape (3,)."""
    up: np.ndarray
    """What points upward in the picture, shape (3,)."""

    @cached_property
    def toward(self) -> np.ndarray:
        """What points to the viewer, shape (3,)."""
        return np.cross(self.right, self.up)

    @cached_property
    def basis(self) -> np.ndarray:
        """Its right, up and toward as rows, shape (3, 3)."""
        return np.stack([self.right, self.up, self.toward])

    def flat(self, points: np.ndarray) -> np.ndarray:
        """Places in the picture, shape (..., 3) to (..., 2)."""
        return np.asarray(points @ np.stack([self.right, self.up], axis=-1))


TOP = View(right=np.array([1.0, 0.0, 0.0]), up=np.array([0.0, 1.0, 0.0]))


def side_view(direction: np.ndarray) -> View:
    """A look from the right at what moves along a horizontal unit vector of shape (2,)."""
    return View(right=np.array([*direction, 0.0]), up=np.array([0.0, 0.0, 1.0]))


def look_from(heading: float, elevation: float) -> View:
    """A look from above whose horizontal points along a heading; both angles [rad]."""
    right = np.array([math.cos(heading), math.sin(heading), 0.0])
    away = np.array([-right[1], right[0], 0.0])
    return View(right=right, up=math.sin(elevation) * away + math.cos(elevation) * np.array([0.0, 0.0, 1.0]))
