"""What belongs to obstacles when others take their place: rows of the kernels, loads so far, contacts of the last step.

Contacts with obstacles that stay keep their impulses, from which the next step starts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from pushpoint.engine.engines import Engine
from pushpoint.engine.records import Records
from pushpoint.engine.sharing import runs
from pushpoint.model.obstacle import Obstacle

GONE = -1
"""Number of an obstacle, or of a row, that is not there."""


class Renumbering(NamedTuple):
    """Where the rows of a world come from and go to."""

    row_after: np.ndarray
    """New row of each old row of the kernels' obstacles, shape (n_rows,); GONE without one."""
    load_before: np.ndarray
    """Old row of each new row of the loads on obstacles, shape (n_loads,); GONE for new ones."""


def renumbering(
    engine: Engine, before: Sequence[Obstacle], after: Sequence[Obstacle], kept: Sequence[int]
) -> Renumbering:
    """The renumbering of a world's rows; `kept` gives the old number of each new obstacle, or GONE."""
    one, other = (_rows(each, lambda obstacle: engine.obstacle_rows(obstacle)[0]) for each in (before, after))
    old, new, counts = _pairs(one, other, kept)
    row_after = np.full(counts[0], GONE)
    row_after[old] = new
    one, other = (_rows(each, engine.load_rows) for each in (before, after))
    old, new, counts = _pairs(one, other, kept)
    load_before = np.full(counts[1], GONE)
    load_before[new] = old
    return Renumbering(row_after, load_before)


def _rows(obstacles: Sequence[Obstacle], count: Callable[[Obstacle], int]) -> np.ndarray:
    """How many rows each obstacle has; they lie one after the other."""
    return np.array([count(obstacle) for obstacle in obstacles], dtype=int)


def _pairs(
    before: np.ndarray, after: np.ndarray, kept: Sequence[int]
) -> tuple[np.ndarray, np.ndarray, tuple[int, int]]:
    """Old and new rows of the obstacles that stay and have as many rows as before, and how many there are of each."""
    stays = np.array(kept, dtype=int)
    new = np.flatnonzero(stays != GONE)
    old = stays[new]
    alike = before[old] == after[new]
    old, new = old[alike], new[alike]
    first, last = (np.cumsum(counts) - counts for counts in (before, after))
    return runs(first[old], before[old]), runs(last[new], before[old]), (int(before.sum()), int(after.sum()))


def contacts_after(state: Any, row_after: np.ndarray, engine: Engine) -> dict[str, np.ndarray]:
    """The contacts of a state under their new keys; those with obstacles that are gone are left out."""
    keys, count, first = state.contact_key, state.n_contacts, engine.FIRST_KEY // engine.FEATURES
    row = keys // engine.FEATURES - first
    on_obstacle = (row >= 0) & (row < len(row_after))
    after = np.where(on_obstacle, row_after[np.where(on_obstacle, row, 0)] if row_after.size else GONE, row)
    there = np.arange(keys.shape[-1]) < count[..., None]
    stays = there & ((after != GONE) | (row < 0))
    order = np.argsort(~stays, axis=-1, kind="stable")  # those that stay come first
    new_keys = (after + first) * engine.FEATURES + keys % engine.FEATURES
    parts = {"contact_key": np.where(stays, new_keys, 0)}
    for name in ("P_contact", "Q_contact"):
        if name in type(state).names():
            parts[name] = np.where(stays[..., None], getattr(state, name), 0.0)
    sorted_parts = {
        name: np.take_along_axis(values, order if values.ndim == order.ndim else order[..., None], axis=2)
        for name, values in parts.items()
    }
    return sorted_parts | {"n_contacts": stays.sum(axis=-1)}


def renumber_contacts(records: Records, motion: Any, engine: Engine, moved: np.ndarray) -> None:
    """Lets contacts go on with their obstacles, whose rows have moved so far in each world."""
    keys = records.read(motion, "contacts", "contact_key", several=True)
    on_obstacle = keys >= engine.FIRST_KEY
    keys += on_obstacle * (engine.FEATURES * moved)[:, None, None].astype(keys.dtype)
    records.write(motion, "contacts", "contact_key", keys)
