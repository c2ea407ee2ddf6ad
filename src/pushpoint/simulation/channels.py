"""From what is true to what a sensor shows: sampling, noise, rounding and delay; and distances to obstacles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pushpoint.engine.planar.ranges import Outlines
from pushpoint.errors import InvalidModel
from pushpoint.model.sensors import PERFECT, QUANTITIES, Channel, Sensors
from pushpoint.worlds.world import World

NUMBERS_AHEAD = 2048
"""Random numbers drawn at once per world and quantity [-]: many, because a call costs more than a number."""


def channels_of(sensors: Sequence[Sensors], quantity: str) -> list[Channel]:
    """The channels of one quantity; a perfect one where it is not sensed."""
    return [getattr(each, quantity) or PERFECT for each in sensors]


class Line:
    """One quantity of all worlds on its way from the truth to the readings.

    Every turn, `begin` says which worlds take a sample, and `pass_on` takes the true values and gives what is read.
    Reading k of a world shows its sample number max(0, k - delay) // every, counted in control periods.
    """

    def __init__(self, quantity: str, sensors: Sequence[Sensors], size: int, period: float) -> None:
        """`size` values per world; control periods last `period` [s]."""
        channels = channels_of(sensors, quantity)
        counts = [_periods(f"worlds[{w}].sensors.{quantity}", each, period) for w, each in enumerate(channels)]
        self._every, self._delay = np.array(counts).T
        self._noise = Noise(quantity, sensors, size)
        self._bias = np.array([channel.bias for channel in channels])[:, None]
        quantum = np.array([channel.quantum for channel in channels])[:, None]
        self._rounded, self._quantum = quantum > 0.0, np.where(quantum > 0.0, quantum, 1.0)
        self._all = np.arange(len(channels))
        self._turn = np.full(len(channels), -1)
        self._held = np.zeros((len(channels), size))
        self._past = np.zeros((int(self._delay.max()) + 1, len(channels), size))

    def restart(self, chosen: np.ndarray) -> None:
        """Forgets what was held and under way in these worlds; their noise goes on."""
        self._turn[chosen] = -1

    def begin(self, active: np.ndarray) -> np.ndarray:
        """Starts the next turn of the active worlds; says which of them take a sample, shape (n_worlds,)."""
        self._turn[active] += 1
        return active & (self._turn % self._every == 0)

    def pass_on(self, values: np.ndarray, due: np.ndarray, largest: np.ndarray | None = None) -> np.ndarray:
        """What is read this turn, shape (n_worlds, size); samples of a quantity with an end lie in 0 ... largest."""
        samples = self._noise.added(values + self._bias, due)
        samples = np.where(self._rounded, np.rint(samples / self._quantum) * self._quantum, samples)
        if largest is not None:
            samples = np.clip(samples, 0.0, largest)
        self._held = np.where(due[:, None], samples, self._held)
        length = len(self._past)
        self._past[self._turn % length, self._all] = self._held
        return self._past[(self._turn - np.minimum(self._delay, self._turn)) % length, self._all]


class Noise:
    """Streams of random numbers, one per world, that no other world and no other quantity can move."""

    def __init__(self, quantity: str, sensors: Sequence[Sensors], size: int) -> None:
        deviation = np.array([channel.noise for channel in channels_of(sensors, quantity)])
        self._worlds = np.flatnonzero(deviation)
        self._deviation = deviation[self._worlds, None]
        number = QUANTITIES.index(quantity)
        # A counter-based generator: equal keys give equal numbers, different keys independent ones.
        keys = [np.array((sensors[w].seed, w * 256 + number), dtype=np.uint64) for w in self._worlds.tolist()]
        self._streams = [np.random.Generator(np.random.Philox(key=key)) for key in keys]
        self._ahead = np.zeros((len(keys), max(1, NUMBERS_AHEAD // size), size))
        self._next = np.full(len(keys), self._ahead.shape[1])

    def added(self, values: np.ndarray, due: np.ndarray) -> np.ndarray:
        """Values with the next noise of the worlds that take a sample."""
        which = np.flatnonzero(due[self._worlds])
        if not which.size:
            return values
        for k in which[self._next[which] == self._ahead.shape[1]]:
            self._streams[k].standard_normal(out=self._ahead[k])
            self._next[k] = 0
        values[self._worlds[which]] += self._deviation[which] * self._ahead[which, self._next[which]]
        self._next[which] += 1
        return values


def _periods(field: str, channel: Channel, period: float) -> tuple[int, int]:
    """A channel's sampling interval and delay in control periods; refuses what is not whole."""
    every = 1 if channel.rate is None else _whole(1.0 / (channel.rate * period))
    if not every:
        words = f"a rate [Hz] whose period is a whole number of control periods of {period:.6g} s"
        raise InvalidModel(f"{field}.rate", channel.rate, words)
    delay = _whole(channel.delay / period)
    if delay is None:
        raise InvalidModel(f"{field}.delay", channel.delay, f"a whole number of control periods of {period:.6g} s")
    return every, delay


def _whole(count: float) -> int | None:
    return round(count) if abs(count - round(count)) <= 1e-6 * count else None


PAIRS_AT_ONCE = 100_000
"""Pairs of link and obstacle that are looked at together [-]: enough to be quick, few enough to stay in the cache."""


class Ranges:
    """Looks around each link; worlds with the same robot and environment are looked at together."""

    def __init__(self, worlds: Sequence[World]) -> None:
        self.largest = np.array([world.sensors.max_range for world in worlds])[:, None]
        members: dict[tuple[int, int], list[int]] = {}
        for w, world in enumerate(worlds):
            if world.senses_range:
                members.setdefault((id(world.robot), id(world.environment)), []).append(w)
        self._groups: list[tuple[Any, Outlines, np.ndarray]] = [
            (worlds[rows[0]].robot, Outlines.of(worlds[rows[0]].environment.obstacles), np.array(rows))
            for rows in members.values()
        ]

    def read(self, state: Any, due: np.ndarray) -> np.ndarray:
        """Distances to the nearest obstacle [m], shape (n_worlds, n_links), NaN in worlds that do not look."""
        found = np.full(state.theta.shape, np.nan)
        for robot, outlines, members in self._groups:
            rows = members[due[members]]
            if not outlines.n_hulls:
                found[rows] = np.inf
                continue
            pairs = robot.n_links * (len(outlines.circles) + len(outlines.segments))
            together = max(1, PAIRS_AT_ONCE // pairs)
            for k in range(0, len(rows), together):
                part = rows[k : k + together]
                found[part] = outlines.distances(robot, state.center[part], state.theta[part]).min(axis=-1)
        return np.clip(found, 0.0, self.largest)
