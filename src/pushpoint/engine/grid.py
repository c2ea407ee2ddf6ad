"""A uniform grid over the obstacles, so that a link looks only at those around it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

CELLS_PER_OBSTACLE = 4
ENTRIES_PER_OBSTACLE = 16
MOST_CELLS_ACROSS = 4096


@dataclass(frozen=True)
class Grid:
    """Obstacle rows by the cells that their boxes reach into."""

    origin: np.ndarray
    """Corner of cell (0, 0) [m], shape (2,)."""
    cell: float
    """Width of a cell [m]."""
    columns: int
    rows: int
    start: np.ndarray
    """First entry of each cell in `obstacles`, row by row, and the end, shape (columns * rows + 1,)."""
    obstacles: np.ndarray
    """Obstacle rows by cell, ascending within a cell."""


def grid_of(low: np.ndarray, high: np.ndarray, first: int) -> Grid:
    """A grid over boxes with corners low and high, shape (n, 2) [m]; the first is row `first` of the batch."""
    if len(low) == 0:
        return Grid(np.zeros(2), 1.0, 1, 1, np.zeros(2, dtype=int), np.zeros(0, dtype=int))
    origin = low.min(axis=0)
    extent = np.maximum(high.max(axis=0) - origin, 1e-9)
    # About as wide as an obstacle; wider where they are so sparse that there would be far more cells than obstacles.
    usual = float(np.median((high - low).max(axis=1)))
    cell = max(usual, np.sqrt(extent.prod() / (CELLS_PER_OBSTACLE * len(low))), extent.max() / MOST_CELLS_ACROSS)
    while _cells(low, high, origin, cell).prod(axis=1).sum() > ENTRIES_PER_OBSTACLE * len(low):
        cell *= 2.0  # a few long walls must not fill a fine grid
    columns, rows = (int(n) for n in np.floor(extent / cell).astype(int) + 1)
    entries = _entries(np.floor((low - origin) / cell).astype(int), _cells(low, high, origin, cell))
    index = entries[:, 2] * columns + entries[:, 1]
    order = np.argsort(index, kind="stable")
    start = np.concatenate(([0], np.cumsum(np.bincount(index, minlength=columns * rows))))
    return Grid(origin, float(cell), columns, rows, start, entries[order, 0] + first)


def _cells(low: np.ndarray, high: np.ndarray, origin: np.ndarray, cell: float) -> np.ndarray:
    """How many columns and rows each box reaches into, shape (n, 2)."""
    return np.asarray(np.floor((high - origin) / cell) - np.floor((low - origin) / cell)).astype(int) + 1


def _entries(corner: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """(obstacle, column, row) for every cell that a box reaches into, ascending by obstacle."""
    count = cells.prod(axis=1)
    obstacle = np.repeat(np.arange(len(count)), count)
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    wide = cells[obstacle, 0]
    return np.stack((obstacle, corner[obstacle, 0] + within % wide, corner[obstacle, 1] + within // wide), axis=1)
