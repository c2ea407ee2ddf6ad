"""Liljeback2011: what its words leave open about the hybrid controller, as interpretations that can be run.

The head rule (3) is missing from the text. The text around it says: "Delta y is the distance between the head position
and the CM position of the snake robot along the global y axis, and Delta y_max is the predefined amplitude of the head
motion perpendicular to the direction of locomotion" (III-B); "the initial position of the head link was (x_N = 0, y_N =
0) and the initial reference angle for the head link was theta_right in all three environments" (IV-C). Since the
reference has an initial value, the rule has a memory: it is a hysteresis. Three things are open: which point of the
head link counts as its position, what amplitude means, and what happens to the time of (5) while a jam is resolved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from pushpoint.control.hybrid import Clock, HeadPoint, HybridController, LeaderFollower
from pushpoint.engine.planar.ranges import Outlines
from pushpoint.model.catalogue import liljeback2011, liljeback2011_balls, liljeback2011_centre
from pushpoint.model.courses import Rectangle
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.papers.liljeback2011.scenarios import PEG_FRICTION, peg_course, published_course, published_start
from pushpoint.worlds.world import World

BODIES: dict[str, PlanarRobot] = {
    "tube": liljeback2011(),
    "balls": liljeback2011_balls(),
    "centre": liljeback2011_centre(),
}
"""The robot's bodies: a smooth tube, the shells of IV-A as balls, and contact forces at the links' centres as in II."""
AMPLITUDE = 0.14
"""Delta y_max as printed [m]."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One interpretation of the paper."""

    start: HeadPoint = "centre"
    """Which point of the head link is at the origin at the start (IV-C)."""
    head: HeadPoint = "centre"
    """Which point of the head link Delta y is measured to (III-B)."""
    band: float = AMPLITUDE
    """How far to either side the head may go [m]: Delta y_max, or half of it if that means from side to side."""
    clock: Clock = "pauses"
    """Time of (5) during a resolution (III-C): it "pauses", or it "runs" on."""

    @property
    def controller(self) -> HybridController:
        """The hybrid controller with this interpretation."""
        return HybridController(follower=LeaderFollower(head_point=self.head, swing=self.band), clock=self.clock)

    def worlds(self, environment: int, robot: PlanarRobot, seeds: Sequence[int | None]) -> list[World]:
        """Trials in one of the paper's environments, one per seed of the start; None gives the listed start."""
        return self.worlds_in(published_course(environment), environment, robot, seeds)

    def worlds_in(
        self, course: Environment, environment: int, robot: PlanarRobot, seeds: Sequence[int | None]
    ) -> list[World]:
        """Trials in another course, with the starts of one of the paper's environments."""
        starts = [published_start(environment, seed, robot, self.start).start for seed in seeds]
        return [World(robot, course, self.controller, start) for start in starts]


OURS = Reading()
"""The simplest one, used by all scenarios."""
NARROW = Reading(head="front", band=AMPLITUDE / 2)
"""With this one, tube and central forces pass environment 3; LB4, LB6 and LB8 then fail (docs/proof/bodies.md)."""
POINTS: tuple[HeadPoint, ...] = ("centre", "front")
CLOCKS: tuple[Clock, ...] = ("pauses", "runs")
READINGS = tuple(
    Reading(start=start, head=head, band=band, clock=clock)
    for start, head, band, clock in product(POINTS, POINTS, (AMPLITUDE, AMPLITUDE / 2), CLOCKS)
)
"""All of them; the first is ours."""
FIFTH_RADIUS = 0.15
"""Radius of the obstacle whose diameter is printed without a position [m]."""
AREA = Rectangle(x=(-1.5, 0.9), y=(-0.8, 0.8))
"""Where it may be [m]: slightly more than the course, "about 100 cm in width and 200 cm in length" (IV-C)."""


def fifth_places(spacing: float, robot: PlanarRobot, start: HeadPoint = "centre") -> np.ndarray:
    """Positions on a grid where the fifth obstacle overlaps neither pegs nor the robot at its start [m], (n, 2)."""
    x, y = (np.arange(low, high + spacing / 2, spacing) for low, high in (AREA.x, AREA.y))
    grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    pegs = np.array([(peg.x, peg.y) for peg in published_course(3).obstacles])  # type: ignore[attr-defined]
    apart = np.linalg.norm(grid[:, None] - pegs, axis=-1).min(axis=1) >= 2 * FIFTH_RADIUS
    pose = published_start(3, None, robot, start).start.pose(robot)
    free = [Outlines([_fifth(place)]).distances(robot, pose["center"], pose["theta"]).min() >= 0.0 for place in grid]
    return grid[apart & np.array(free)]


def _fifth(place: Sequence[float] | np.ndarray) -> Peg:
    return Peg(x=float(place[0]), y=float(place[1]), radius=FIFTH_RADIUS, friction=PEG_FRICTION)


def with_fifth(place: Sequence[float] | np.ndarray) -> Environment:
    """Environment 3 with its fifth obstacle at a position [m]."""
    return peg_course((*published_course(3).obstacles, _fifth(place)))  # type: ignore[arg-type]


def clear_of(world: World) -> World:
    """The world with its start moved to the nearest free pose: a perturbed start may touch the fifth obstacle."""
    from pushpoint.papers.liljeback2011.courses import free_start

    return replace(world, start=free_start(world.robot, world.environment, world.start).start)  # type: ignore[arg-type]
