"""The short list of obstacles around each link, as in the plane: a grid over the ground, renewed after some way."""

from __future__ import annotations

from typing import Any

import warp as wp

from pushpoint.kernels.near_lists import first_cell, insert_sorted, last_cell
from pushpoint.kernels.spatial.algebra.frames import column
from pushpoint.kernels.spatial.geometry import obstacle_distance
from pushpoint.kernels.spatial.structs import MOST_NEAR


@wp.func
def watch_neighbours(w: int, k: int, numerics: Any, model: Any, obstacles: Any, motion: Any, work: Any):
    """Renews the list of the link at k if it has moved through its margin."""
    link = model.links[k]
    # From midpoint to midpoint a link moves by dt u_A; a hundredth more covers the turning of its frame.
    swing = link.reach + wp.abs(link.middle - link.to_mass)
    speed = wp.length(motion.links[k].v) + swing * wp.length(motion.links[k].omega)
    slack = motion.links[k].near_slack - numerics.dt * speed * type(speed)(1.01)
    motion.links[k].near_slack = slack
    if slack < type(slack)(0.0):
        list_neighbours(w, k, numerics, model, link, obstacles, motion, work)


@wp.func
def list_neighbours(w: int, k: int, numerics: Any, model: Any, link: Any, obstacles: Any, motion: Any, work: Any):
    """Collects the obstacles within the margin of the ball around the link at k, in ascending order."""
    grid = obstacles.grids[w]
    middle = work.links[k].J + link.middle * column(work.links[k].R, 0)
    reach = link.reach + numerics.near_margin
    x = (middle[0] - grid.origin[0]) / grid.cell
    y = (middle[1] - grid.origin[1]) / grid.cell
    wide = reach / grid.cell
    count = int(0)
    for row in range(first_cell(y - wide, grid.rows), last_cell(y + wide, grid.rows) + 1):
        for place in range(first_cell(x - wide, grid.columns), last_cell(x + wide, grid.columns) + 1):
            cell = grid.first_cell + row * grid.columns + place
            for entry in range(obstacles.cell_start[cell], obstacles.cell_start[cell + 1]):
                o = obstacles.cell_obstacle[entry]
                gap = obstacle_distance(middle, obstacles.obstacles[o]) - link.reach
                if gap <= numerics.near_margin:
                    count = insert_sorted(w, k, count, MOST_NEAR, o, gap, model, motion)
    motion.links[k].n_near = count
    motion.links[k].near_slack = numerics.near_margin - numerics.active_gap
