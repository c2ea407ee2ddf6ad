"""Worlds mostly share robots, environments and controllers: work is done once per object, then spread over worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

Part = TypeVar("Part")
Made = TypeVar("Made")


class Shared(Generic[Part]):
    """The different objects among those of all worlds, told apart by identity."""

    def __init__(self, parts: Sequence[Part]) -> None:
        """`parts` has one object per world."""
        rows: dict[int, int] = {}
        self.which = np.array([rows.setdefault(id(part), len(rows)) for part in parts], dtype=int)
        """The different object that each world has, shape (n_worlds,)."""
        self.first = np.unique(self.which, return_index=True)[1].tolist()
        """The first world that has each of the different objects."""
        self.parts: list[Part] = [parts[w] for w in self.first]
        """The different objects, in the order of the worlds."""

    def each(self, made: Callable[[Part], Made]) -> list[Made]:
        """What is made of each world's object; equal worlds get the same one."""
        found = [made(part) for part in self.parts]
        return [found[row] for row in self.which.tolist()]

    def members(self) -> list[np.ndarray]:
        """The worlds that have each of the different objects."""
        order = np.argsort(self.which, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.which))[:-1])

    def stack(self, made: Callable[[Part], Any]) -> np.ndarray:
        """The numbers of each world's object, shape (n_worlds, ...)."""
        return np.array([made(part) for part in self.parts])[self.which]

    def rows(self, counts: Sequence[int] | np.ndarray) -> np.ndarray | slice:
        """Rows of a table that holds `counts` rows of each different object, world by world."""
        if len(self.parts) == len(self.which):
            return slice(None)  # no world shares anything: the table need not be copied
        own = np.asarray(counts, dtype=int)[self.which]
        return runs((np.cumsum(counts, dtype=int) - counts)[self.which], own)


def runs(first: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Whole numbers in runs, one after the other: `counts` numbers from `first` on each."""
    begin = np.cumsum(counts) - counts
    return np.arange(int(np.sum(counts))) + np.repeat(first - begin, counts)


AT_ONCE = 200_000
"""Pairs that are looked at together: enough to be fast, few enough for the memory."""


def portions(sizes: np.ndarray) -> Iterator[np.ndarray]:
    """Rows in portions of about AT_ONCE in size, at least one row each."""
    number = np.cumsum(sizes) // AT_ONCE
    yield from np.split(np.arange(len(sizes)), np.flatnonzero(np.diff(number)) + 1)
