"""The short list of obstacles around each link, from a uniform grid, renewed when the link has moved far enough."""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.geometry import link_gap
from pushpoint.kernels.structs import MOST_NEAR, TOO_MANY_NEAR


@wp.func
def first_cell(low: Any, cells: int):
    """Cell number of a coordinate in cells, not below zero; `cells` beyond the last."""
    return int(wp.floor(wp.clamp(low, type(low)(0.0), type(low)(cells))))


@wp.func
def last_cell(high: Any, cells: int):
    """Cell number of a coordinate in cells, not beyond the last; -1 below the first."""
    return int(wp.floor(wp.clamp(high, type(high)(-1.0), type(high)(cells - 1))))


@wp.func
def list_neighbours(w: int, k: int, J: Any, e: Any, numerics: Any, link: Any, obstacles: Any, motion: Any):
    """Collects the obstacles within the margin of the link at k, in ascending order."""
    grid = obstacles.grids[w]
    rear = J + link.side_rear * e
    front = J + link.side_front * e
    reach = link.radius + numerics.near_margin
    low = (wp.min(rear, front) - wp.vector(reach, reach) - grid.origin) / grid.cell
    high = (wp.max(rear, front) + wp.vector(reach, reach) - grid.origin) / grid.cell
    count = int(0)
    for row in range(first_cell(low[1], grid.rows), last_cell(high[1], grid.rows) + 1):
        for column in range(first_cell(low[0], grid.columns), last_cell(high[0], grid.columns) + 1):
            cell = grid.first_cell + row * grid.columns + column
            for entry in range(obstacles.cell_start[cell], obstacles.cell_start[cell + 1]):
                o = obstacles.cell_obstacle[entry]
                gap = link_gap(J, e, link, obstacles.obstacles[o], obstacles)
                if gap <= numerics.near_margin:
                    count = insert_sorted(w, k * MOST_NEAR, count, MOST_NEAR, o, gap, motion)
    motion.links[k].n_near = count
    motion.links[k].near_slack = numerics.near_margin - numerics.active_gap


@wp.func
def insert_sorted(w: int, first: int, count: int, most: int, o: int, gap: Any, motion: Any):
    """Puts obstacle o into its place in a list of `count` and returns the new count; contacts keep one order for ever.

    An obstacle that reaches into several cells is met several times and stands in the list once.
    """
    slot = int(0)
    while slot < count and motion.near[first + slot].obstacle < o:
        slot += 1
    if slot < count:
        if motion.near[first + slot].obstacle == o:
            return count
    if count == most:
        motion.worlds[w].status = TOO_MANY_NEAR
        return count
    moved = int(count)
    while moved > slot:
        motion.near[first + moved] = motion.near[first + moved - 1]
        moved -= 1
    motion.near[first + slot].obstacle = o
    motion.near[first + slot].gap = gap
    return count + 1
