"""The worlds of an environment, all in one Simulator."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pushpoint.engine.batching import merge, pick
from pushpoint.engine.settings import Settings
from pushpoint.engine.signals import Command, Measurement
from pushpoint.engine.state import SpatialState, State
from pushpoint.simulation.simulate import Simulator
from pushpoint.worlds.world import World


class Arena:
    """Slots for worlds; a slot can get another world while the others go on."""

    def __init__(self, count: int, rate: float, settings: Settings) -> None:
        self._worlds: list[World] = []
        self._count, self._rate, self._settings = count, rate, settings
        self._simulator: Simulator | None = None
        self._last: Measurement

    def begin(self, chosen: np.ndarray, worlds: Sequence[World]) -> Measurement:
        """Puts new worlds into the chosen slots and returns what is measured in all of them."""
        before = self._simulator
        if before is None:
            self._worlds = list(worlds)
        else:
            for slot, world in zip(np.flatnonzero(chosen).tolist(), worlds, strict=True):
                self._worlds[slot] = world
        after = self._simulator = Simulator(self._worlds, rate=self._rate, settings=self._settings)
        fresh = after.reset()
        if before is None or chosen.all():
            self._last = fresh
            return fresh
        state = merge(after.state, ~chosen, pick(before.state, ~chosen))
        self._last = merge(self._last, chosen, pick(after.restore(state), chosen))
        return self._last

    def step(self, command: Command, active: np.ndarray) -> Measurement:
        """One period of the active worlds."""
        assert self._simulator is not None
        self._last = self._simulator.step(command)
        return self._last

    @property
    def worlds(self) -> Sequence[World]:
        """The world in every slot."""
        return self._worlds

    @property
    def state(self) -> State | SpatialState:
        """The state of all worlds."""
        assert self._simulator is not None
        return self._simulator.state

    def failed(self) -> np.ndarray:
        """Which worlds have failed, shape (n_worlds,)."""
        assert self._simulator is not None
        return np.array([status.failed for status in self._simulator.statuses])
