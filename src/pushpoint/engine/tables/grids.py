"""Grids over the obstacles of environments: which obstacle rows the kernels look at near a link. All at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.engine.sharing import Shared, runs

CELLS_PER_OBSTACLE = 4
ENTRIES_PER_OBSTACLE = 16
MOST_CELLS_ACROSS = 4096


@dataclass(frozen=True)
class Grids:
    """Obstacle rows by the grid cells that their bounding boxes touch, one grid per environment."""

    counts: np.ndarray
    """Obstacle rows of each environment, shape (n,)."""
    origin: np.ndarray
    """Corners of the cells (0, 0) [m], shape (n, 2)."""
    cell: np.ndarray
    """Widths of the cells [m], shape (n,)."""
    columns: np.ndarray
    rows: np.ndarray
    starts: np.ndarray
    """Grid by grid, the first entry of each cell in the grid's own entries, row by row, and their end."""
    entries: np.ndarray
    """How many entries each grid has, shape (n,)."""
    obstacles: np.ndarray
    """Grid by grid, obstacle rows of its environment by cell, ascending within a cell."""

    @property
    def cells(self) -> np.ndarray:
        """How many of the `starts` belong to each grid, shape (n,)."""
        return self.columns * self.rows + 1


def grids_of(low: np.ndarray, high: np.ndarray, counts: np.ndarray) -> Grids:
    """Grids over boxes with corners `low` and `high`, shape (n_boxes, 2) [m], of which each environment has `counts`.

    An environment without obstacles gets one empty cell.
    """
    there = np.flatnonzero(counts)  # grids with obstacles, among all
    of_box = np.repeat(np.arange(len(there)), counts[there])
    origin, cell, across = _cells_of(low, high, counts[there], of_box)
    number, place = _touched(low, high, origin[of_box], cell[of_box])
    slots = np.full(len(counts), 2)
    slots[there] = across[:, 0] * across[:, 1] + 1
    first_slot = np.cumsum(slots) - slots
    grid = of_box[number]
    slot = first_slot[there][grid] + place[:, 1] * across[grid, 0] + place[:, 0]
    order = np.argsort(slot, kind="stable")
    listed = np.bincount(slot, minlength=int(slots.sum()))
    entries = np.zeros(len(counts), dtype=int)
    entries[there] = np.bincount(grid, minlength=len(there))
    starts = np.cumsum(listed) - listed - np.repeat(np.cumsum(entries) - entries, slots)
    first_box = np.cumsum(counts) - counts
    numbers = (number - first_box[there][grid])[order]
    whole = Grids(
        counts,
        origin=np.zeros((len(counts), 2)),
        cell=np.ones(len(counts)),
        columns=np.ones(len(counts), dtype=int),
        rows=np.ones(len(counts), dtype=int),
        starts=starts,
        entries=entries,
        obstacles=numbers,
    )
    whole.origin[there], whole.cell[there] = origin, cell
    whole.columns[there], whole.rows[there] = across.T
    return whole


def _cells_of(
    low: np.ndarray, high: np.ndarray, counts: np.ndarray, of_box: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Corner [m], width of the cells [m] and number of columns and rows of each grid that has boxes."""
    first = np.cumsum(counts) - counts
    origin = _over(np.minimum, low, first)
    extent = np.maximum(_over(np.maximum, high, first) - origin, 1e-9)
    # Cells as wide as an obstacle, or wider if sparse obstacles would give far more cells than obstacles.
    usual = _medians((high - low).max(axis=1), counts, of_box)
    sparse = np.sqrt(extent[:, 0] * extent[:, 1] / (CELLS_PER_OBSTACLE * counts))
    cell = np.maximum(np.maximum(usual, sparse), extent.max(axis=1) / MOST_CELLS_ACROSS)
    crowded = np.arange(len(counts))
    while crowded.size:  # a few long walls must not fill a fine grid
        boxes = slice(None) if len(crowded) == len(counts) else runs(first[crowded], counts[crowded])
        touched = _spans(low[boxes], high[boxes], origin[of_box[boxes]], cell[of_box[boxes]])[1].prod(axis=1)
        own = counts[crowded]
        crowded = crowded[_over(np.add, touched, np.cumsum(own) - own) > ENTRIES_PER_OBSTACLE * own]
        cell[crowded] *= 2.0
    return origin, cell, np.floor(extent / cell[:, None]).astype(int) + 1


def _over(combine: np.ufunc, values: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Values combined grid by grid; `first` are the rows where grids begin."""
    return np.asarray(combine.reduceat(values, first, axis=0)) if len(first) else values[:0]


def _medians(values: np.ndarray, counts: np.ndarray, of_box: np.ndarray) -> np.ndarray:
    """The median of each grid's values."""
    ordered = values[np.lexsort((values, of_box))]
    first = np.cumsum(counts) - counts
    return np.asarray((ordered[first + (counts - 1) // 2] + ordered[first + counts // 2]) / 2)


def _spans(low: np.ndarray, high: np.ndarray, origin: np.ndarray, cell: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First column and row that each box touches, and how many of them, shape (n, 2) each."""
    first = np.floor((low - origin) / cell[:, None]).astype(int)
    return first, np.floor((high - origin) / cell[:, None]).astype(int) - first + 1


def _touched(low: np.ndarray, high: np.ndarray, origin: np.ndarray, cell: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The box, and column and row, for every cell that a box touches, sorted by box."""
    corner, cells = _spans(low, high, origin, cell)
    count = cells.prod(axis=1)
    box = np.repeat(np.arange(len(count)), count)
    within, wide = runs(np.zeros(len(count), dtype=int), count), cells[box, 0]
    return box, corner[box] + np.stack((within % wide, within // wide), axis=1)


def pack_grids(records: Any, grids: Grids, shared: Shared[Any]) -> dict[str, Any]:
    """The grids of all worlds as fields of the kernels' obstacles; `shared` says which environment each world has."""
    which = shared.which
    counts, cells, entries = (part[which] for part in (grids.counts, grids.cells, grids.entries))
    first, first_cell, first_entry = (np.cumsum(part) - part for part in (counts, cells, entries))
    fields: dict[str, Any] = {"first": first, "last": first + counts, "first_cell": first_cell}
    fields |= {name: getattr(grids, name)[which] for name in ("origin", "cell", "columns", "rows")}
    return {
        "grids": records.make("Grid", len(which), **fields),
        "cell_start": grids.starts[shared.rows(grids.cells)] + np.repeat(first_entry, cells),
        "cell_obstacle": grids.obstacles[shared.rows(grids.entries)] + np.repeat(first, entries),
    }
