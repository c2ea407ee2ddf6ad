"""Which of many worlds start with links inside the ground or an obstacle. `check_clear` then names the overlap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pushpoint.engine.sharing import Shared, portions, runs
from pushpoint.engine.spatial.kinematics import BodyPosture
from pushpoint.engine.spatial.placing import Beneath
from pushpoint.engine.spatial.ranges import bars_in, middles_of, reaches_of
from pushpoint.engine.spatial.solids import to_columns
from pushpoint.model.environment import Environment
from pushpoint.model.spatial_robot import SpatialRobot


def least_gaps(
    robot: SpatialRobot, environments: Sequence[Environment], posture: BodyPosture, center: np.ndarray
) -> np.ndarray:
    """The smallest distance between surfaces in each world, where it is negative [m], shape (n_worlds,).

    Elsewhere it is any number that is not negative.
    """
    found = Beneath(robot, environments, posture, endless=True).gaps(center)
    middles = middles_of(robot, posture.at(center), posture.frames)
    shared = Shared(environments)
    sizes = np.array([np.isnan(each.pegs.height).sum() for each in shared.parts])[shared.which]
    for rows in portions(sizes):
        to_pegs = _to_pegs(robot, shared, rows, middles[rows], posture.frames[rows])
        found[rows] = np.minimum(found[rows], to_pegs)
    return found


def _to_pegs(
    robot: SpatialRobot, shared: Shared[Environment], rows: np.ndarray, middles: np.ndarray, frames: np.ndarray
) -> np.ndarray:
    """The same for the pegs of unlimited height of some worlds; pegs beside the whole robot are left out."""
    used, which = np.unique(shared.which[rows], return_inverse=True)
    pegs = [(each, np.isnan(each.height)) for each in (shared.parts[k].pegs for k in used.tolist())]
    x, y, radius = (np.concatenate([getattr(each, name)[tall] for each, tall in pegs]) for name in ("x", "y", "radius"))
    center, counts, reach = np.stack((x, y), axis=-1), np.array([tall.sum() for _, tall in pegs]), reaches_of(robot)
    peg = runs((np.cumsum(counts) - counts)[which], counts[which])
    world = np.repeat(np.arange(len(rows)), counts[which])
    low, high = ((middles[..., :2] + side * reach[:, None]) for side in (-1.0, 1.0))
    near = (center[peg] + radius[peg, None] >= low.min(axis=1)[world]).all(axis=1)
    near &= (center[peg] - radius[peg, None] <= high.max(axis=1)[world]).all(axis=1)
    peg, world = peg[near], world[near]
    found = np.full(len(rows), np.inf)
    for i, link in enumerate(robot.links if peg.size else ()):
        apart = np.linalg.norm(center[peg] - middles[world, i, :2], axis=1) - radius[peg] - reach[i]
        p, w = peg[apart < 0.0], world[apart < 0.0]
        starts, ends, thick = bars_in(link, middles[w, i], frames[w, i])
        gaps = to_columns(starts, ends, center[p, None], radius[p, None]) - thick
        np.minimum.at(found, w, gaps.min(axis=1))
    return found
