"""Where controllers with touch are compared: random courses, the paper's environments, your own scenarios."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import radians

import numpy as np

from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.engine.planar.ranges import Outlines, link_obstacle_distance
from pushpoint.engine.planar.start import Start
from pushpoint.errors import InvalidModel
from pushpoint.model.catalogue import liljeback2011 as paper_robot
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot
from pushpoint.papers.liljeback2011.courses import AS_PUBLISHED, PegLayout, free_start, perturbed, random_course
from pushpoint.papers.liljeback2011.scenarios import (
    GROUND_FRICTION,
    PASSED,
    PEG_FRICTION,
    peg_course,
    published_course,
    published_start,
)
from pushpoint.scenarios.scenario import Scenario

CELL = 0.02
"""Spacing of the grid [m]."""
AROUND = 0.5
"""Margin of the grid around obstacles and robot [m]; everything outside is free."""
MOST_CELLS = 4_000_000
"""Points of the largest grid [-]; a wider course gets a coarser one."""


def is_blocked(robot: PlanarRobot, environment: Environment, start: Start, way: float) -> bool:
    """Whether no point `way` [m] ahead of the head, along x, can be reached, by geometry alone.

    A disc as thick as the robot moves over a grid, from the head to any point far enough ahead. If it cannot get there,
    no robot can. Points that overlap an obstacle by less than the grid resolves count as free, so no open course is
    called blocked. A barely blocked course, or one with bends too tight for the joints, is not detected.
    """
    from scipy.ndimage import label

    pose = start.pose(robot)
    head = link_positions(robot, pose["center"], pose["theta"])[-1]
    if not environment.obstacles:
        return False
    thin = float(robot.column("radius").min())
    outlines = Outlines(environment.obstacles)
    ends = [outlines.circles, outlines.segments[:, [0, 1, 4]], outlines.segments[:, [2, 3, 4]]]  # x, y, thickness
    points = np.concatenate([*ends, [(*head, 0.0), (head[0] + way, head[1], 0.0)]])
    low = (points[:, :2] - points[:, 2:]).min(axis=0) - AROUND - 2 * thin
    high = (points[:, :2] + points[:, 2:]).max(axis=0) + AROUND + 2 * thin
    cell = max(CELL, float(np.sqrt(np.prod(high - low) / MOST_CELLS)))
    x, y = (np.arange(low[k], high[k] + cell, cell) for k in (0, 1))
    free = _clearance(environment, thin, x, y) > -cell / np.sqrt(2.0)
    free[[0, -1]] = True
    free[:, [0, -1]] = True
    zones, _ = label(free)
    own = zones[np.abs(x - head[0]).argmin(), np.abs(y - head[1]).argmin()]
    return bool(own == 0 or not (zones[x >= head[0] + way] == own).any())


def _clearance(environment: Environment, radius: float, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Distance between obstacles and a disc at every grid point [m], shape (n_x, n_y)."""
    nearest = np.full((len(x), len(y)), np.inf)
    for peg in environment.obstacles:
        if isinstance(peg, Peg):
            away = np.hypot((x - peg.x)[:, None], y - peg.y) - peg.radius - radius
            np.minimum(nearest, away, out=nearest)
    others = [obstacle for obstacle in environment.obstacles if not isinstance(obstacle, Peg)]
    if others:
        # Two links of almost no length are a disc, and the distances are the same as the engine's.
        disc = PlanarRobot.uniform(2, PlanarLink(length=1e-9, mass=1.0, inertia=1.0, radius=radius))
        for row, here in enumerate(x):
            places = np.stack((np.full(len(y), here), y), axis=1)
            away = link_obstacle_distance(disc, others, places, np.zeros((len(y), 2)))
            nearest[row] = np.minimum(nearest[row], away[:, 0].min(axis=1))
    return nearest


_random_course = cache(random_course)
SPREAD_DEG = 1.0
"""Standard deviation of the links' angles between starts [deg]."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """A course with a robot and its starts."""

    name: str
    """Name in tables."""
    robot: PlanarRobot
    """The robot."""
    environment: Environment
    """The ground and the obstacles."""
    starts: tuple[Start, ...]
    """The starts, clear of all obstacles; each is a trial for every controller."""
    note: str = ""
    """One sentence about changes to its starts."""

    @property
    def blocked(self) -> bool:
        """Whether there is no way through for a robot this thick."""
        return is_blocked(self.robot, self.environment, self.starts[0], PASSED)


def random_place(
    seed: int,
    starts: int = 1,
    *,
    robot: PlanarRobot | None = None,
    friction: float = GROUND_FRICTION,
    field: PegLayout = AS_PUBLISHED,
) -> Place:
    """The random course of a seed; starts after the first are perturbed."""
    chosen = robot or paper_robot()
    made = _random_course(chosen, seed, friction=PEG_FRICTION, field=field)
    place = peg_course(made.pegs, friction)
    lying = _starts(chosen, place, made.start, starts)
    return Place(name=f"random-{seed}", robot=chosen, environment=place, starts=lying)


def published_place(
    environment: int, starts: int, *, robot: PlanarRobot | None = None, friction: float = GROUND_FRICTION
) -> Place:
    """One of the paper's environments; all starts are perturbed, as in the tests of the paper's claims."""
    found = [published_start(environment, seed) for seed in range(starts)]
    return Place(
        name=f"environment-{environment}",
        robot=robot or paper_robot(),
        environment=published_course(environment, friction),
        starts=tuple(each.start for each in found),
        note=published_start(environment).note,
    )


def scenario_place(scenario: Scenario, starts: int) -> Place:
    """Robot, environment and start of any planar scenario; a start inside an obstacle is moved, and `note` says so."""
    robot, start = scenario.world.robot, scenario.world.start
    if not isinstance(robot, PlanarRobot) or not isinstance(start, Start):
        raise InvalidModel(f"{scenario.name}: robot", type(robot).__name__, "a PlanarRobot")
    found = free_start(robot, scenario.world.environment, start)
    return Place(
        name=scenario.name,
        robot=robot,
        environment=scenario.world.environment,
        starts=_starts(robot, scenario.world.environment, found.start, starts),
        note=found.note if found.moved else "",
    )


def _starts(robot: PlanarRobot, environment: Environment, first: Start, count: int) -> tuple[Start, ...]:
    more = [perturbed(first, radians(SPREAD_DEG), seed, robot) for seed in range(1, count)]
    return (first, *(free_start(robot, environment, each).start for each in more))
