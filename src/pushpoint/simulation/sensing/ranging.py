"""Distances from links to the nearest obstacle, for the worlds that sense them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pushpoint.engine.planar.ranges import Outlines
from pushpoint.worlds.world import World

PAIRS_AT_ONCE = 100_000
"""Pairs of link and obstacle that are looked at together [-]: enough to be quick, few enough to stay in the cache."""


class Ranges:
    """Looks around each link; worlds with the same robot and environment are looked at together."""

    def __init__(self, worlds: Sequence[World]) -> None:
        self.largest = np.array([world.sensors.max_range for world in worlds])[:, None]
        members: dict[tuple[int, int], list[int]] = {}
        for w, world in enumerate(worlds):
            if world.senses_range:
                members.setdefault((id(world.robot), id(world.environment)), []).append(w)
        self._groups: list[tuple[Any, Outlines, np.ndarray]] = [
            (worlds[rows[0]].robot, Outlines.of(worlds[rows[0]].environment.obstacles), np.array(rows))
            for rows in members.values()
        ]

    def read(self, state: Any, due: np.ndarray) -> np.ndarray:
        """Distances to the nearest obstacle [m], shape (n_worlds, n_links), NaN in worlds that do not look."""
        found = np.full(state.theta.shape, np.nan)
        for robot, outlines, members in self._groups:
            rows = members[due[members]]
            if not outlines.n_hulls:
                found[rows] = np.inf
                continue
            pairs = robot.n_links * (len(outlines.circles) + len(outlines.segments))
            together = max(1, PAIRS_AT_ONCE // pairs)
            for k in range(0, len(rows), together):
                part = rows[k : k + together]
                found[part] = outlines.distances(robot, state.center[part], state.theta[part]).min(axis=-1)
        return np.clip(found, 0.0, self.largest)
