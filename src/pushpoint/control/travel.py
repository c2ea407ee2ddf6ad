"""Where a robot travels, seen over a whole cycle of its gait: within a cycle it swings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Travel(NamedTuple):
    """Positions of the last cycle of one world; in a batch all have a leading world axis."""

    places: np.ndarray
    """Positions, oldest first [m], (ticks + 1, 2)."""
    known: np.ndarray
    """How many of them are known [-]."""

    def moved(self, here: np.ndarray) -> Travel:
        """One command later, with robots at positions [m], shape (n_worlds, 2)."""
        places = np.concatenate([self.places[:, 1:], here[:, None]], axis=1)
        return Travel(places, np.minimum(self.known + 1, places.shape[1]))

    @property
    def whole(self) -> np.ndarray:
        """Whether a whole cycle is known, shape (n_worlds,)."""
        return np.asarray(self.known == self.places.shape[1])

    @property
    def stride(self) -> np.ndarray:
        """Displacement over the cycle [m], shape (n_worlds, 2)."""
        return np.asarray(self.places[:, -1] - self.places[:, 0])

    @property
    def direction(self) -> np.ndarray:
        """Direction of that displacement [rad], shape (n_worlds,)."""
        return np.arctan2(self.stride[:, 1], self.stride[:, 0])

    @property
    def here(self) -> np.ndarray:
        """Positions without the swing [m], shape (n_worlds, 2): as they are measured during the first cycle.

        A mean over a cycle is half a cycle old, so half of the displacement is added.
        """
        middle = self.places[:, 1:].mean(axis=1) + self.stride / 2.0
        return np.where(self.whole[:, None], middle, self.places[:, -1])


def no_travel(ticks: int) -> Travel:
    """The memory of one world before its first position; `ticks`: commands per cycle [-]."""
    return Travel(np.zeros((ticks + 1, 2)), np.array(0))


def within_half_a_turn(angle: np.ndarray) -> np.ndarray:
    """The same directions, from -pi to pi [rad]."""
    return np.asarray((angle + np.pi) % (2.0 * np.pi) - np.pi)
