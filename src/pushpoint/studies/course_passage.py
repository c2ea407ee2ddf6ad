"""Whether a course has a way through for a robot of some thickness, by geometry alone.

A disc as thick as the robot moves over a grid of places, from the head to any place far enough ahead. If it cannot, no
robot can. Places overlapping an obstacle by less than the grid can tell count as free, so that no course is called
blocked that is not; one that is barely blocked, or whose bends are too tight for the joints, is not found out.
"""

from __future__ import annotations

import numpy as np

from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.engine.planar.ranges import Outlines, link_obstacle_distance
from pushpoint.engine.planar.start import Start
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot

CELL = 0.02
"""Distance between places of the grid [m]."""
AROUND = 0.5
"""Room around obstacles and robot that the grid covers: outside everything is free [m]."""
MOST_CELLS = 4_000_000
"""Places of the largest grid; a wider course gets a coarser one [-]."""


def is_blocked(robot: PlanarRobot, environment: Environment, start: Start, way: float) -> bool:
    """Whether no place `way` [m] ahead of the head, along x, can be reached."""
    from scipy.ndimage import label

    pose = start.pose(robot)
    head = link_positions(robot, pose["center"], pose["theta"])[-1]
    if not environment.obstacles:
        return False
    thin = float(robot.column("radius").min())
    low, high = _corners(Outlines.of(environment.obstacles), head, way, thin)
    cell = max(CELL, float(np.sqrt(np.prod(high - low) / MOST_CELLS)))
    x, y = (np.arange(low[k], high[k] + cell, cell) for k in (0, 1))
    free = _clearance(environment, thin, x, y) > -cell / np.sqrt(2.0)
    free[[0, -1]] = True
    free[:, [0, -1]] = True
    zones, _ = label(free)
    own = zones[np.abs(x - head[0]).argmin(), np.abs(y - head[1]).argmin()]
    return bool(own == 0 or not (zones[x >= head[0] + way] == own).any())


def _corners(outlines: Outlines, head: np.ndarray, way: float, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """Corners of a box around everything, with room around it for the robot."""
    thick_pegs, thick_walls = outlines.circles[:, 2:], outlines.segments[:, 4:]
    ends = [outlines.circles[:, :2], outlines.segments[:, :2], outlines.segments[:, 2:4]]
    thick = [thick_pegs, thick_walls, thick_walls]
    points = [head[None], head[None] + [way, 0.0]]
    low = np.concatenate([*points, *(a - b for a, b in zip(ends, thick, strict=True))]).min(axis=0)
    high = np.concatenate([*points, *(a + b for a, b in zip(ends, thick, strict=True))]).max(axis=0)
    return low - AROUND - 2 * radius, high + AROUND + 2 * radius


def _clearance(environment: Environment, radius: float, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Distance between obstacles and a disc at every place [m], shape (n_x, n_y)."""
    nearest = np.full((len(x), len(y)), np.inf)
    for peg in environment.obstacles:
        if isinstance(peg, Peg):
            away = np.hypot((x - peg.x)[:, None], y - peg.y) - peg.radius - radius
            np.minimum(nearest, away, out=nearest)
    others = [obstacle for obstacle in environment.obstacles if not isinstance(obstacle, Peg)]
    if others:
        # Two links without length worth the name are a disc, and distances are those the engine is held to.
        disc = PlanarRobot.uniform(2, PlanarLink(length=1e-9, mass=1.0, inertia=1.0, radius=radius))
        for row, here in enumerate(x):
            places = np.stack((np.full(len(y), here), y), axis=1)
            away = link_obstacle_distance(disc, others, places, np.zeros((len(y), 2)))
            nearest[row] = np.minimum(nearest[row], away[:, 0].min(axis=1))
    return nearest
