"""The short list of obstacles around each link, from a uniform grid, renewed when the link has moved far enough."""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.near_lists import first_cell, insert_sorted, last_cell
from pushpoint.kernels.planar.geometry import link_gap
from pushpoint.kernels.planar.rims import rim_link_gap
from pushpoint.kernels.planar.structs import MOST_NEAR


@wp.func
def list_neighbours(w: int, k: int, J: Any, e: Any, numerics: Any, model: Any, link: Any, obstacles: Any, motion: Any):
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
                if obstacles.obstacles[o].last_edge > 0:
                    gap = rim_link_gap(J, e, link, obstacles.obstacles[o], obstacles)
                if gap <= numerics.near_margin:
                    count = insert_sorted(w, k, count, MOST_NEAR, o, gap, model, motion)
    motion.links[k].n_near = count
    motion.links[k].near_slack = numerics.near_margin - numerics.active_gap
