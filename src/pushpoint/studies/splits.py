"""Which random courses are for what: seeds to train on, to choose by, and to look at once, at the end.

A seed means the same course everywhere: `places.random_place` makes it. Nothing may be chosen by the held-out courses.
"""

from __future__ import annotations

from typing import Literal

from pushpoint.errors import UnknownName

Split = Literal["train", "validation", "held-out", "second-held-out"]
"""The name of a set of courses."""

TRAIN = range(0, 1000)
"""Seeds to train on, as often as needed."""
VALIDATION = range(3000, 3100)
"""Seeds to choose by: between training runs, parameters or controllers."""
HELD_OUT = range(1000, 1100)
"""Seeds that are looked at once, by a finished policy."""
SECOND_HELD_OUT = range(2000, 2100)
"""A second set of them, which no earlier study has used."""

SPLITS: dict[Split, range] = {
    "train": TRAIN,
    "validation": VALIDATION,
    "held-out": HELD_OUT,
    "second-held-out": SECOND_HELD_OUT,
}
"""The seeds of each set."""


def split_of(seed: int) -> Split | None:
    """The set that a seed belongs to; None for a seed of no set."""
    return next((name for name, seeds in SPLITS.items() if seed in seeds), None)


def seeds_of(name: str) -> range:
    """The seeds of a set."""
    for known, seeds in SPLITS.items():
        if known == name:
            return seeds
    raise UnknownName("set of courses", name, SPLITS)
