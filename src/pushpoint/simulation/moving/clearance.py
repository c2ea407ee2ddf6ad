"""Refuses changes that would put something where a link of a moving robot is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pushpoint.engine.planar.ranges import link_obstacle_distance
from pushpoint.engine.planar.start import TOUCHING
from pushpoint.engine.spatial.kinematics import link_poses
from pushpoint.engine.spatial.ranges import ground_gaps, nearest_solid
from pushpoint.errors import EditOverlap
from pushpoint.model.environment import Environment
from pushpoint.model.obstacle import Obstacle
from pushpoint.worlds.world import World


def refuse_overlap(world: World, before: Environment, kept: Sequence[int], state: Any) -> None:
    """Raises EditOverlap where what is new or has moved would overlap a link; names the deepest overlap.

    What stays is not looked at, and what moves may be as deep as it was: a link that rests on a peg is a few
    micrometres inside it.

    Args:
        world: The world as it would be.
        before: The environment so far.
        kept: The number before of each obstacle, or -1.
        state: The state of the only world.
    """
    robot: Any = world.robot
    pose = _Pose(robot, state, spatial=world.spatial)
    worst: EditOverlap | None = _with_ground(world, before, pose)
    for number, (old, new) in enumerate(zip(kept, world.environment.obstacles, strict=True)):
        known = before.obstacles[old] if old >= 0 else None
        if new is known or new == known:
            continue
        gap, link = pose.nearest(new)
        allowed = 0.0 if known is None else min(pose.nearest(known)[0], 0.0)
        if gap < allowed - TOUCHING and (worst is None or -gap > worst.depth):
            worst = EditOverlap(link, number, -gap)
    if worst is not None:
        raise worst


class _Pose:
    """The links of the only world."""

    def __init__(self, robot: Any, state: Any, *, spatial: bool) -> None:
        self.robot, self.state, self.spatial = robot, state, spatial
        if spatial:
            self.links = link_poses(robot, state.center[0], state.tail[0], state.angle[0])

    def nearest(self, obstacle: Obstacle) -> tuple[float, int]:
        """The smallest distance between a link and an obstacle [m], and that link."""
        if self.spatial:
            gap, link, _ = nearest_solid(self.robot, list(obstacle.solids), *self.links)
            return gap, link
        gaps = link_obstacle_distance(self.robot, [obstacle], self.state.center[0], self.state.theta[0])
        return float(gaps.min()), int(gaps.argmin())

    def above_ground(self, environment: Environment) -> np.ndarray:
        """Distances between links and ground [m], shape (n_links,)."""
        return ground_gaps(self.robot, environment, *self.links)


def _with_ground(world: World, before: Environment, pose: _Pose) -> EditOverlap | None:
    """The overlap with ground of another shape that is deeper than it was; None without one."""
    if not world.spatial or _shape(before) == _shape(world.environment):
        return None
    gaps = pose.above_ground(world.environment)
    deepest, link = float(gaps.min()), int(gaps.argmin())
    allowed = min(float(pose.above_ground(before).min()), 0.0)
    return EditOverlap(link, None, -deepest) if deepest < allowed - TOUCHING else None


def _shape(environment: Environment) -> tuple[Any, ...]:
    """What decides where the surface of the ground is."""
    ground = environment.ground
    return id(ground.heights), ground.slope, ground.slope_direction
