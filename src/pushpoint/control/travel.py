"""Where a robot travels, seen over a whole cycle of its gait, and how it turns by itself.

Within a cycle a robot swings. Its direction is therefore that of its displacement over a cycle: the mean of the
directions in it, half a cycle old. What was commanded meanwhile is known. The direction over a cycle, less the mean of
the turns that were commanded in it, is the *free* direction: what the robot does by itself. It drifts, at a rate that
is found with a lag of first order, and with what was commanded since it gives the direction now.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class CycleTravel(NamedTuple):
    """The last cycle of one world; in a batch all parts have a leading world axis."""

    places: np.ndarray
    """Positions, oldest first [m], (ticks + 1, 2)."""
    known: np.ndarray
    """How many of them are known [-]."""
    turned: np.ndarray
    """How far the robot was told to turn in all, oldest first [rad], (ticks + late,); it answers so much later."""
    lagging: np.ndarray
    """The free direction, with a lag [rad]."""

    def moved(self, here: np.ndarray, turned: np.ndarray) -> CycleTravel:
        """One command later: positions [m], shape (n_worlds, 2), and how far robots were told to turn in all [rad]."""
        places = np.concatenate([self.places[:, 1:], here[:, None]], axis=1)
        past = np.concatenate([self.turned[:, 1:], turned[:, None]], axis=1)
        new = CycleTravel(places, np.minimum(self.known + 1, places.shape[1]), past, self.lagging)
        return new._replace(lagging=np.where(self.whole, self.lagging, new.free))

    @property
    def ticks(self) -> int:
        """Commands per cycle [-]."""
        return self.places.shape[1] - 1

    @property
    def whole(self) -> np.ndarray:
        """Whether a whole cycle is known, shape (n_worlds,)."""
        return np.asarray(self.known == self.places.shape[1])

    @property
    def stride(self) -> np.ndarray:
        """Displacement over the cycle [m], shape (n_worlds, 2)."""
        return np.asarray(self.places[:, -1] - self.places[:, 0])

    @property
    def here(self) -> np.ndarray:
        """Positions without the swing [m], shape (n_worlds, 2); during the first cycle, as they are measured.

        A mean over a cycle is half a cycle old, so half of the displacement is added.
        """
        middle = self.places[:, 1:].mean(axis=1) + self.stride / 2.0
        return np.where(self.whole[:, None], middle, self.places[:, -1])

    @property
    def free(self) -> np.ndarray:
        """The free direction [rad], shape (n_worlds,)."""
        across = self.stride
        return np.asarray(np.arctan2(across[:, 1], across[:, 0]) - self.turned[:, : self.ticks].mean(axis=1))

    def drift(self, within: float | np.ndarray) -> np.ndarray:
        """Turn of the free direction per unit of time or way, shape (n_worlds,), with a lag of `within` such units."""
        return within_half_a_turn(self.free - self.lagging) / within

    def direction(self, drift: np.ndarray, step: float | np.ndarray) -> np.ndarray:
        """Direction in which robots will travel once they have answered [rad], shape (n_worlds,).

        The free direction is half a cycle old, and the answer comes late: it drifts until then. drift: Per unit of time
        or way. step: Such units from one command to the next.
        """
        until = self.turned.shape[1] - 0.5 * self.ticks
        return np.asarray(self.free + self.turned[:, -1] + until * step * drift)

    def drifted(self, angle: np.ndarray) -> CycleTravel:
        """The same with the lagging direction moved on by an angle [rad]."""
        return self._replace(lagging=self.lagging + angle)


def no_travel(ticks: int, late: int = 0) -> CycleTravel:
    """The memory of one world before its first position, for so many commands per cycle [-]."""
    return CycleTravel(np.zeros((ticks + 1, 2)), np.array(0), np.zeros(ticks + late), np.array(0.0))


def within_half_a_turn(angle: np.ndarray) -> np.ndarray:
    """The same directions, from -pi to pi [rad]."""
    return np.asarray((angle + np.pi) % (2.0 * np.pi) - np.pi)
