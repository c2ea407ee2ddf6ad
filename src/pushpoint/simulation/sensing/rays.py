"""What range sensors with a direction measure, for all worlds of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pushpoint.engine.planar.ranges import Outlines
from pushpoint.engine.planar.rays import distances_in_plane, planar_rays
from pushpoint.engine.spatial.rays import distances_in_space, spatial_rays
from pushpoint.worlds.world import World

PAIRS_AT_ONCE = 100_000
"""Pairs of ray and edge or solid that are processed together [-]."""


class Rays:
    """Follows the rays of all worlds. Worlds with the same robot, environment and sensors are processed together."""

    def __init__(self, worlds: Sequence[World], most: int = 0) -> None:
        """There is room for `most` rays at least."""
        self.most = max(most, *(len(world.sensors.rays) for world in worlds))
        """The most rays of a world [-]."""
        self.reach = np.full((len(worlds), self.most), np.nan)
        """Largest distances [m], shape (n_worlds, most); NaN for rays that a world does not have."""
        members: dict[tuple[int, int, Any], list[int]] = {}
        for w, world in enumerate(worlds):
            rays = world.sensors.rays
            self.reach[w, : len(rays)] = [ray.reach for ray in rays]
            if rays:
                members.setdefault((id(world.robot), id(world.environment), rays), []).append(w)
        self._groups = [(worlds[rows[0]], _edges(worlds[rows[0]]), np.array(rows)) for rows in members.values()]

    def read(self, state: Any, due: np.ndarray) -> np.ndarray:
        """True distances [m], shape (n_worlds, most); NaN in worlds and for rays that are not there."""
        found = np.full(self.reach.shape, np.nan)
        for world, outlines, members in self._groups:
            rows, rays = members[due[members]], world.sensors.rays
            edges = 1 if outlines is None else len(outlines.circles) + len(outlines.segments)
            together = max(1, PAIRS_AT_ONCE // (len(rays) * max(1, edges)))
            for k in range(0, len(rows), together):
                part = rows[k : k + together]
                found[part, : len(rays)] = _distances(world, outlines, state, part)
        return np.minimum(found, self.reach)


def _edges(world: World) -> Outlines | None:
    """The outlines of a planar world's obstacles."""
    return None if world.spatial else Outlines(world.environment.obstacles)


def _distances(world: World, outlines: Outlines | None, state: Any, rows: np.ndarray) -> np.ndarray:
    """Distances along the rays of some worlds that are alike [m], shape (n_worlds, n_rays)."""
    robot: Any = world.robot
    rays = world.sensors.rays
    if outlines is not None:
        return distances_in_plane(*planar_rays(robot, rays, state.center[rows], state.theta[rows]), outlines)
    starts, looks = spatial_rays(robot, rays, state.center[rows], state.tail[rows], state.angle[rows])
    reach = max(ray.reach for ray in rays)
    flat = distances_in_space(starts.reshape(-1, 3), looks.reshape(-1, 3), world.environment, reach)
    return flat.reshape(starts.shape[:-1])
