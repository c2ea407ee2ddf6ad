"""The way that the centre of mass went, up to the time one looks at."""

from __future__ import annotations

import numpy as np

MOST_POINTS = 300


class Trail:
    """Places with their times; what the simulation has gone back before is forgotten."""

    def __init__(self) -> None:
        self._times: list[float] = []
        self._places: list[np.ndarray] = []

    def note(self, time: float, place: np.ndarray, apart: float, reached: float) -> None:
        """Adds a place at a time [s] unless the one before is nearer than `apart` [m].

        Args:
            time: The time that one looks at.
            place: Where it is then [m], shape (3,).
            apart: Least distance between two places [m].
            reached: How far it is simulated now [s]: later places are of a past that was dropped.
        """
        while self._times and self._times[-1] > reached:
            self._times.pop()
            self._places.pop()
        if self._times and (time <= self._times[-1] or np.linalg.norm(place - self._places[-1]) <= apart):
            return
        self._times, self._places = [*self._times[1 - MOST_POINTS :], time], [*self._places[1 - MOST_POINTS :], place]

    def until(self, time: float) -> np.ndarray:
        """The places up to a time [s], shape (n, 3)."""
        count = int(np.searchsorted(self._times, time, side="right"))
        return np.array(self._places[:count]).reshape(-1, 3)
