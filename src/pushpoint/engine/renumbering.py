"""What belongs to obstacles when others take their place: rows of the kernels, loads so far, contacts of the last step.

Contacts with obstacles that stay keep their impulses, from which the next step starts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pushpoint.engine.engines import Engine
from pushpoint.engine.sharing import runs
from pushpoint.model.obstacle import Obstacle

GONE = -1
"""Number of an obstacle, or of a row, that is not there."""
Obstacles = Sequence[Sequence[Obstacle]]
"""The obstacles of each world of a batch."""


class Renumbering(NamedTuple):
    """Where rows of all worlds come from and go to."""

    row_after: np.ndarray
    """New row of each old row of the kernels' obstacles, shape (n_rows,); GONE without one."""
    load_before: np.ndarray
    """Old row of each new row of the loads on obstacles, shape (n_loads,); GONE for new ones."""


def renumbering(engine: Engine, before: Obstacles, after: Obstacles, kept: Sequence[Sequence[int]]) -> Renumbering:
    """The renumbering of rows; `kept` gives the old number of each new obstacle in its world, or GONE."""
    rows = _Rows(before, lambda obstacle: engine.obstacle_rows(obstacle)[0])
    new_rows = _Rows(after, lambda obstacle: engine.obstacle_rows(obstacle)[0])
    row_after = np.full(rows.count, GONE)
    old, new = new_rows.paired_with(rows, kept)
    row_after[old] = new
    loads, new_loads = _Rows(before, engine.load_rows), _Rows(after, engine.load_rows)
    load_before = np.full(new_loads.count, GONE)
    old, new = new_loads.paired_with(loads, kept)
    load_before[new] = old
    return Renumbering(row_after, load_before)


class _Rows:
    """The rows of all obstacles of a batch, one after the other."""

    def __init__(self, worlds: Obstacles, rows_of: Any) -> None:
        counts = [[rows_of(obstacle) for obstacle in world] for world in worlds]
        flat = np.array([count for world in counts for count in world], dtype=int)
        self.count, self.counts = int(flat.sum()), flat
        self.first = np.cumsum(flat) - flat
        self.begin = np.cumsum([0, *(len(world) for world in counts)])

    def paired_with(self, before: _Rows, kept: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
        """Old and new rows of the obstacles that stay and have as many rows as before."""
        numbers = [
            (before.begin[w] + old, self.begin[w] + new)
            for w, world in enumerate(kept)
            for new, old in enumerate(world)
            if old != GONE
        ]
        old, new = np.array(numbers, dtype=int).reshape(-1, 2).T
        alike = before.counts[old] == self.counts[new]
        old, new = old[alike], new[alike]
        return runs(before.first[old], before.counts[old]), runs(self.first[new], self.counts[new])


def contacts_after(state: Any, row_after: np.ndarray, engine: Engine) -> dict[str, np.ndarray]:
    """The contacts of a state under their new keys; those with obstacles that are gone are left out."""
    keys, count = state.contact_key, state.n_contacts
    row = keys // engine.FEATURES - engine.FIRST_ROW
    on_obstacle = (row >= 0) & (row < len(row_after))
    after = np.where(on_obstacle, row_after[np.where(on_obstacle, row, 0)] if row_after.size else GONE, row)
    there = np.arange(keys.shape[-1]) < count[..., None]
    stays = there & ((after != GONE) | (row < 0))
    order = np.argsort(~stays, axis=-1, kind="stable")  # those that stay come first
    new_keys = (after + engine.FIRST_ROW) * engine.FEATURES + keys % engine.FEATURES
    parts = {"contact_key": np.where(stays, new_keys, 0)}
    for name in ("P_contact", "Q_contact"):
        if name in type(state).names():
            parts[name] = np.where(stays[..., None], getattr(state, name), 0.0)
    sorted_parts = {
        name: np.take_along_axis(values, order if values.ndim == order.ndim else order[..., None], axis=2)
        for name, values in parts.items()
    }
    return sorted_parts | {"n_contacts": stays.sum(axis=-1)}
