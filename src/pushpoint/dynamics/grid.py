"""A uniform grid over the obstacles, so that a link looks only at those around it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

CELLS_PER_PEG = 4


@dataclass(frozen=True)
class Grid:
    """Obstacle rows sorted by the cell of their centre."""

    origin: np.ndarray
    """Corner of cell (0, 0) [m], shape (2,)."""
    cell: float
    """Width of a cell [m]."""
    columns: int
    rows: int
    start: np.ndarray
    """First entry of each cell in `pegs`, row by row, and the end, shape (columns * rows + 1,)."""
    pegs: np.ndarray
    """Obstacle rows by cell, ascending within a cell."""
    reach: float
    """Largest radius [m]."""


def grid_of(pegs: np.ndarray, first: int) -> Grid:
    """A grid over obstacles (x, y, radius, ...), the first of which is row `first` of the batch."""
    if len(pegs) == 0:
        return Grid(np.zeros(2), 1.0, 1, 1, np.zeros(2, dtype=int), np.zeros(0, dtype=int), 0.0)
    centers, reach = pegs[:, :2], float(pegs[:, 2].max())
    origin = centers.min(axis=0)
    extent = centers.max(axis=0) - origin
    # Cells as wide as the largest peg, wider where pegs are so sparse that there would be far more cells than pegs.
    area = float(np.prod(np.maximum(extent, 2 * reach)))
    cell = max(2 * reach, np.sqrt(area / (CELLS_PER_PEG * len(pegs))), float(extent.max()) / 4096)
    columns, rows = (int(n) for n in np.floor(extent / cell).astype(int) + 1)
    at = np.minimum(np.floor((centers - origin) / cell).astype(int), (columns - 1, rows - 1))
    index = at[:, 1] * columns + at[:, 0]
    order = np.argsort(index, kind="stable")
    start = np.concatenate(([0], np.cumsum(np.bincount(index, minlength=columns * rows))))
    return Grid(origin, float(cell), columns, rows, start, order + first, reach)
