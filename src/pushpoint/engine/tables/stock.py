"""What worlds of a batch share by number: friction laws and height fields, each there once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from pushpoint.model.friction import FrictionLaw
from pushpoint.model.terrain import HeightField

Thing = TypeVar("Thing")


class Numbered(Generic[Thing]):
    """Different things and their rows in a table of the kernels."""

    def __init__(self, key: Callable[[Thing], Hashable]) -> None:
        """Things with the same `key` are the same."""
        self._key = key
        self._rows: dict[Hashable, int] = {}
        self.all: list[Thing] = []
        """The things, row by row."""
        self._packed = 0

    def row(self, thing: Thing) -> int:
        """The row of a thing, added if it is new."""
        row = self._rows.setdefault(self._key(thing), len(self.all))
        if row == len(self.all):
            self.all.append(thing)
        return row

    @property
    def grown(self) -> bool:
        """Whether anything has been added since `fresh`."""
        return len(self.all) > self._packed

    def fresh(self) -> list[Thing]:
        """The things that have been added since the last call."""
        first, self._packed = self._packed, len(self.all)
        return self.all[first:]


def _itself(thing: FrictionLaw) -> Hashable:
    return thing


class Stock:
    """The different friction laws and height fields of a batch."""

    def __init__(self) -> None:
        self.laws: Numbered[FrictionLaw] = Numbered(_itself)
        """Friction laws, equal ones once."""
        self.fields: Numbered[HeightField] = Numbered(id)
        """Height fields, told apart by identity."""
        self.used: dict[str, int] = {}
        """Rows of the kernels' tables that they fill so far, by the name of the table."""

    @property
    def grown(self) -> bool:
        """Whether anything has been added that is not packed yet."""
        return self.laws.grown or self.fields.grown

    def begin(self, table: str, count: int) -> int:
        """The first of `count` further rows of a table."""
        first = self.used.get(table, 0)
        self.used[table] = first + count
        return first
