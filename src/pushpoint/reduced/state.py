"""The changing part of the reduced model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.checks import store

LARGEST = 1e30
"""Largest number in a state, in its unit."""


def finite_array(field: str, value: Any, unit: str) -> np.ndarray:
    """Returns value as an array of floats; refuses what is not finite, or too large for its powers to be so."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise InvalidModel(field, value, f"an array of numbers [{unit}]") from None
    fine = np.abs(array) < LARGEST  # false for NaN as well
    if not fine.all():
        where = tuple(int(k) for k in np.argwhere(~fine)[0])
        place, odd = f"[{', '.join(map(str, where))}]" if where else "", float(array[where])
        raise InvalidModel(field + place, odd, f"{f'below {LARGEST:g}' if np.isfinite(odd) else 'finite'} [{unit}]")
    return array


@dataclass(frozen=True, kw_only=True, eq=False)
class ReducedState:
    """Pose and velocity of the robot; leading dimensions, if any, are alike in all fields."""

    center: np.ndarray
    """Centre of mass of the robot, p [m], shape (..., 2)."""
    velocity: np.ndarray
    """Its velocity [m/s], shape (..., 2)."""
    link_angle: np.ndarray
    """Link angles, theta [rad], shape (..., n_links)."""
    link_rate: np.ndarray
    """Angular velocities of the links [rad/s], shape (..., n_links)."""

    def __post_init__(self) -> None:
        store(
            self,
            center=finite_array("state.center", self.center, "m"),
            velocity=finite_array("state.velocity", self.velocity, "m/s"),
            link_angle=finite_array("state.link_angle", self.link_angle, "rad"),
            link_rate=finite_array("state.link_rate", self.link_rate, "rad/s"),
        )
        for name in ("center", "velocity"):
            shape = getattr(self, name).shape
            if shape[-1:] != (2,):
                raise InvalidModel(f"state.{name}: shape", shape, "(..., 2)")
        if self.link_angle.ndim < 1 or self.link_rate.shape != self.link_angle.shape:
            raise InvalidModel("state.link_rate: shape", self.link_rate.shape, f"{self.link_angle.shape}")

    def check_fits(self, n_links: int) -> None:
        """Refuses a state of a robot with another number of links."""
        if self.link_angle.shape[-1] != n_links:
            raise InvalidModel("state.link_angle: number of links", self.link_angle.shape[-1], f"{n_links}")
