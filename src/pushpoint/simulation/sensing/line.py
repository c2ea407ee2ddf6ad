"""One measured quantity on its way from the truth to the readings: sampled, delayed, noisy, rounded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pushpoint.errors import InvalidModel
from pushpoint.model.sensors import PERFECT, QUANTITIES, Channel
from pushpoint.worlds.world import World

NUMBERS_AHEAD = 2048
"""Random numbers drawn at once per world and quantity [-]; a call costs more than a number."""


class Line:
    """One quantity of all worlds on its way from the truth to the readings.

    In every turn, `begin` says which worlds take a sample, and `pass_on` takes the true values and returns the
    readings. Reading k of a world shows its sample number max(0, k - delay) // every, counted in control periods. Noise
    comes from one random stream per world, independent of other worlds and other quantities.
    """

    def __init__(
        self, quantity: str, worlds: Sequence[World], size: int, period: float, largest: np.ndarray | None = None
    ) -> None:
        """`size` values per world, from 0 to `largest` if given; control periods last `period` [s]."""
        count = len(worlds)
        self._quantity, self._period = quantity, period
        self._all = np.arange(count)
        self._every, self._delay = np.ones((2, count), dtype=int)
        self._gain, self._bias, self._quantum = np.ones((count, 1)), np.zeros((count, 1)), np.ones((count, 1))
        self._rounded = np.zeros((count, 1), dtype=bool)
        self._turn = np.full(count, -1)
        self._held = np.zeros((count, size))
        self._past = np.zeros((1, count, size))
        self._noisy = np.zeros(0, dtype=int)  # worlds with noise, ascending
        self._deviation = np.zeros((0, 1))
        self._streams: dict[int, np.random.Generator] = {}
        self._ahead = np.zeros((0, max(1, NUMBERS_AHEAD // size), size))
        self._next = np.zeros(0, dtype=int)
        self.replace(self._all, worlds, largest)

    def restart(self, chosen: np.ndarray) -> None:
        """Forgets held and delayed samples of these worlds. Their noise continues."""
        self._turn[chosen] = -1

    def replace(self, rows: np.ndarray, worlds: Sequence[World], largest: np.ndarray | None = None) -> None:
        """Takes the sensors of other worlds in these rows, whose noise begins; `largest` are the values of all."""
        self._largest = largest
        channels = channels_of(worlds, self._quantity)
        fields = [f"worlds[{w}].sensors.{self._quantity}" for w in rows.tolist()]
        counts = [periods_of(field, each, self._period) for field, each in zip(fields, channels, strict=True)]
        self._every[rows], self._delay[rows] = np.array(counts).T
        self._lengthen(int(self._delay.max()) + 1)
        numbers = [(each.gain, each.noise, each.bias, each.quantum) for each in channels]
        gain, noise, bias, quantum = np.array(numbers).T[..., None]
        self._gain[rows], self._bias[rows], self._rounded[rows] = gain, bias, quantum > 0.0
        self._quantum[rows] = np.where(quantum > 0.0, quantum, 1.0)
        noisy = np.flatnonzero(noise)
        self._begin_noise(rows, rows[noisy])
        at = np.searchsorted(self._noisy, rows[noisy])
        self._deviation[at], self._next[at] = noise[noisy], self._ahead.shape[1]
        number = QUANTITIES.index(self._quantity)
        for k in noisy.tolist():
            # A counter-based generator: equal keys give equal numbers, different keys give independent ones.
            sensors = worlds[k].sensors
            stream = int(rows[k]) if sensors.stream is None else sensors.stream
            key = np.array((sensors.seed, stream * 256 + number), dtype=np.uint64)
            self._streams[int(rows[k])] = np.random.Generator(np.random.Philox(key=key))

    def _lengthen(self, length: int) -> None:
        """Makes room for so many samples of the past, with the latest ones in their places."""
        old, before = self._past, len(self._past)
        if length > before:
            self._past = np.zeros((length, *old.shape[1:]))
            for back in range(before):
                self._past[(self._turn - back) % length, self._all] = old[(self._turn - back) % before, self._all]

    def _begin_noise(self, rows: np.ndarray, noisy: np.ndarray) -> None:
        """Makes room for the noise of the worlds `noisy`, of all in `rows`."""
        kept = self._noisy[~np.isin(self._noisy, rows)]
        now, before = np.sort(np.concatenate((kept, noisy))), self._noisy
        if np.array_equal(now, before):
            return
        to, at = np.searchsorted(now, kept), np.searchsorted(before, kept)
        for name in ("_deviation", "_ahead", "_next"):
            old = getattr(self, name)
            new = np.zeros((len(now), *old.shape[1:]), dtype=old.dtype)
            new[to] = old[at]
            setattr(self, name, new)
        self._noisy = now

    def begin(self, active: np.ndarray) -> np.ndarray:
        """Starts the next turn of the active worlds; returns which of them take a sample, shape (n_worlds,)."""
        self._turn[active] += 1
        return active & (self._turn % self._every == 0)

    def pass_on(self, values: np.ndarray, due: np.ndarray) -> np.ndarray:
        """The readings of this turn, shape (n_worlds, size). Samples of ranges lie between 0 and the largest."""
        # Not 0 times what may be infinite, such as a range: a dead sensor shows nothing.
        samples = np.multiply(self._gain, values, out=np.zeros(values.shape), where=self._gain != 0.0) + self._bias
        self._add_noise(samples, due)
        samples = np.where(self._rounded, np.rint(samples / self._quantum) * self._quantum, samples)
        if self._largest is not None:
            samples = np.clip(samples, 0.0, self._largest)
        self._held = np.where(due[:, None], samples, self._held)
        length = len(self._past)
        self._past[self._turn % length, self._all] = self._held
        return self._past[(self._turn - np.minimum(self._delay, self._turn)) % length, self._all]

    def _add_noise(self, samples: np.ndarray, due: np.ndarray) -> None:
        """Adds the next noise to the worlds that take a sample."""
        which = np.flatnonzero(due[self._noisy])
        if not which.size:
            return
        for k in which[self._next[which] == self._ahead.shape[1]]:
            self._streams[int(self._noisy[k])].standard_normal(out=self._ahead[k])
            self._next[k] = 0
        samples[self._noisy[which]] += self._deviation[which] * self._ahead[which, self._next[which]]
        self._next[which] += 1


def channels_of(worlds: Sequence[World], quantity: str) -> list[Channel]:
    """The channels of one quantity; a perfect one where it is not measured."""
    return [getattr(world.sensors, quantity) or PERFECT for world in worlds]


def periods_of(field: str, channel: Channel, period: float) -> tuple[int, int]:
    """A channel's sampling interval and delay in control periods; raises InvalidModel if they are not whole numbers."""
    words, every = f"a whole number of control periods of {period:.6g} s", 1
    if channel.rate is not None:
        often = 1.0 / (channel.rate * period)
        every = whole_count(f"{field}.rate", channel.rate, often, f"a rate [Hz] whose period is {words}")
    return every, whole_count(f"{field}.delay", channel.delay, channel.delay / period, words, least=0)


MOST_PERIODS = 2**31
"""Most time steps or control periods between two events [-]."""


def whole_count(field: str, value: Any, count: float, allowed: str, least: int = 1) -> int:
    """Returns a count that is whole up to round-off; raises InvalidModel for its source value otherwise."""
    if not count < MOST_PERIODS or round(count) < least or abs(count - round(count)) > 1e-6 * count:
        raise InvalidModel(field, value, allowed)
    return round(count)
