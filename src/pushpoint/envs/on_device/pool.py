"""The episodes of an environment on a device: made and packed once, then drawn there again and again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import warp as wp

from pushpoint.control.neural.observing import Asked
from pushpoint.engine.compiled import launch
from pushpoint.engine.on_device.beside_warp import view_of
from pushpoint.engine.on_device.namespaces import Constant
from pushpoint.engine.signals import Measurement
from pushpoint.envs.snake_task import Episode, SnakeTask
from pushpoint.kernels.pools import draw_worlds
from pushpoint.simulation.stepping.on_device import DeviceSimulator


class EpisodePool:
    """Episodes to draw from, and those that the worlds of a batch have now."""

    def __init__(
        self, task: SnakeTask, episodes: Sequence[Episode], slots: int, arrays: Literal["torch", "numpy"]
    ) -> None:
        """Packs the worlds of the episodes."""
        worlds = [episode.world for episode in episodes]
        self.simulator = DeviceSimulator(worlds, slots=slots, rate=task.rate, settings=task.settings, arrays=arrays)
        """Steps the worlds."""
        self.space, like = self.simulator.space, self.simulator.like
        self.everyone = self.space.ones_like(like, dtype=self.space.bool)
        """A mask of all worlds."""
        asked = [[getattr(episode, name) for episode in episodes] for name in Asked._fields]
        self._asked = [Constant(np.array(each, dtype=float)).like(like) for each in asked]
        self._told = _tables([episode.told for episode in episodes], like)
        device = task.device
        chosen = wp.zeros(slots, dtype=wp.bool, device=device)
        numbers = [wp.zeros(slots, dtype=wp.int32, device=device) for _ in range(4)]
        self._chosen = view_of(chosen, self.space)
        self._seed, self._turn, self._which, self._noise = (view_of(each, self.space) for each in numbers)
        inputs = [chosen, numbers[0], len(episodes), *numbers[1:]]
        self._drawing = launch(draw_worlds, dim=slots, inputs=inputs, device=device, record_cmd=True)
        self._entropy = np.random.SeedSequence().spawn(1)[0]
        self._seeded = False

    def seed(self, seeds: Sequence[int | None], chosen: Any) -> None:
        """Lets the random numbers of chosen worlds with a seed begin anew, and at first those of all."""
        given = [np.random.SeedSequence(each).generate_state(1)[0] for each in seeds if each is not None]
        has = np.array([each is not None for each in seeds])
        fresh = self._entropy.generate_state(len(seeds)) if not self._seeded else np.zeros(len(seeds), np.uint32)
        fresh[has] = given
        new = np.ones(len(seeds), dtype=bool) if not self._seeded else has
        self._seeded = True
        if new.any():
            where, mask = self.space.where, Constant(new).like(self._seed) & chosen
            self._seed[...] = where(mask, Constant(fresh.view(np.int32)).like(self._seed), self._seed)
            self._turn[...] = where(mask, 0, self._turn)

    def begin(self, chosen: Any) -> Measurement:
        """Draws an episode for each of the chosen worlds, which begin with it; returns what all of them measure."""
        self._chosen[...] = chosen
        with self.simulator.on_stream():
            self._drawing.launch()
        return self.simulator.begin(chosen, self._which, self._noise)

    @property
    def _rows(self) -> Any:
        return self.space.asarray(self._which, dtype=self.space.int64, copy=True)

    def asked(self) -> Asked:
        """What the worlds are asked for."""
        rows = self._rows
        return Asked(*(each[rows] for each in self._asked))

    def told(self) -> dict[str, Any]:
        """The numbers of the worlds' episodes in the pool, and what is told of them."""
        rows = self._rows
        return {"episode": rows, **_of_rows(self._told, rows)}


def _tables(told: Sequence[Mapping[str, Any]], like: Any) -> dict[str, Any]:
    """What is told of each episode as arrays by name; anything but numbers is left out."""
    found: dict[str, Any] = {}
    for name, first in told[0].items():
        values = [each[name] for each in told]
        if isinstance(first, Mapping):
            found[name] = _tables(values, like)
        elif isinstance(first, int | float):
            found[name] = Constant(np.array(values)).like(like)
    return found


def _of_rows(tables: Mapping[str, Any], rows: Any) -> dict[str, Any]:
    return {name: _of_rows(each, rows) if isinstance(each, Mapping) else each[rows] for name, each in tables.items()}
