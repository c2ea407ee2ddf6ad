"""Which of many worlds start with links inside obstacles or each other. `check_clear` then names the overlap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pushpoint.engine.planar.ranges import (
    Outlines,
    Point,
    link_axes,
    link_link_distance,
    nearest_pair,
    point_to_segment,
)
from pushpoint.engine.sharing import Shared, portions, runs
from pushpoint.model.environment import Environment
from pushpoint.model.planar_robot import PlanarRobot


def least_gaps(
    robot: PlanarRobot, environments: Sequence[Environment], center: np.ndarray, theta: np.ndarray
) -> np.ndarray:
    """The smallest distance between surfaces in each world, where it is negative [m], shape (n_worlds,).

    Elsewhere it is any number that is not negative.
    """
    found = np.full(len(environments), np.inf)
    if robot.self_contact:
        for rows in portions(np.full(len(theta), robot.n_links**2)):
            if len(rows) == 1:  # a long robot: its pairs do not fit at once
                found[rows] = nearest_pair(robot, center[rows[0]], theta[rows[0]])[0]
            else:
                found[rows] = link_link_distance(robot, center[rows], theta[rows]).min(axis=(-2, -1))
    shared = Shared(environments)
    sizes = np.array([len(environment.pegs.number) for environment in shared.parts])[shared.which]
    for rows in portions(sizes):
        axes = link_axes(robot, center[rows], theta[rows])
        found[rows] = np.minimum(found[rows], _to_pegs(robot, shared, rows, axes))
    for environment, members in zip(shared.parts, shared.members(), strict=True):
        if environment.others:
            outlines = Outlines(list(environment.others.values()))
            edges = len(outlines.circles) + len(outlines.segments)
            for part in portions(np.full(len(members), robot.n_links * edges)):
                gaps = outlines.distances(robot, center[members[part]], theta[members[part]])
                found[members[part]] = np.minimum(found[members[part]], gaps.min(axis=(-2, -1)))
    return found


def _to_pegs(
    robot: PlanarRobot, shared: Shared[Environment], rows: np.ndarray, axes: tuple[Point, Point]
) -> np.ndarray:
    """The same for the pegs of some worlds, whose link axes are given; pegs beside the whole robot are left out."""
    used, which = np.unique(shared.which[rows], return_inverse=True)
    pegs = [shared.parts[k].pegs for k in used.tolist()]
    x, y, radius = (np.concatenate([getattr(each, name) for each in pegs]) for name in ("x", "y", "radius"))
    counts = np.array([len(each.number) for each in pegs])
    peg = runs((np.cumsum(counts) - counts)[which], counts[which])
    world = np.repeat(np.arange(len(rows)), counts[which])
    near = np.ones(len(peg), dtype=bool)
    thick = robot.column("radius")
    for place, *ends in zip((x, y), *axes, strict=True):
        low, high = (np.minimum(*ends) - thick).min(axis=1), (np.maximum(*ends) + thick).max(axis=1)
        near &= (place[peg] + radius[peg] >= low[world]) & (place[peg] - radius[peg] <= high[world])
    peg, world = peg[near], world[near]
    rear, front = ((end[0][world], end[1][world]) for end in axes)
    gaps = point_to_segment((x[peg, None], y[peg, None]), rear, front) - radius[peg, None] - thick
    found = np.full(len(rows), np.inf)
    np.minimum.at(found, world, gaps.min(axis=1))
    return found
