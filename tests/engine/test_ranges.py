"""Distances between links and obstacles, against closed forms and against points strewn over both."""

from __future__ import annotations

import math
from math import hypot

import numpy as np
import pytest

from pushpoint.engine.planar.kinematics import directions, link_positions
from pushpoint.engine.planar.ranges import link_obstacle_distance
from pushpoint.model.environment import Peg, Polygon, Wall
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot

RADIUS = 0.02
ROOT2 = math.sqrt(2.0)
# Two links from x = -0.1 to x = 0.1; the joint is at the origin.
ROBOT = PlanarRobot.uniform(2, PlanarLink(length=0.1, mass=0.3, inertia=3e-4, radius=RADIUS))
SQUARE = ((0.1, 0.1), (0.2, 0.1), (0.2, 0.2), (0.1, 0.2))

# What stands there, and its distances from the axes of both links.
CLOSED_FORMS: dict[str, tuple[Obstacle, tuple[float, float]]] = {
    "a peg beside": (Peg(x=-0.03, y=0.2, radius=0.05), (0.15, hypot(0.03, 0.2) - 0.05)),
    "a peg ahead": (Peg(x=0.4, y=0.0, radius=0.05), (0.35, 0.25)),
    "a peg that overlaps": (Peg(x=0.05, y=0.06, radius=0.05), (hypot(0.05, 0.06) - 0.05, 0.01)),
    "a wall along": (Wall(start=(-1.0, -0.3), end=(1.0, -0.3), thickness=0.1), (0.25, 0.25)),
    "a wall across the way": (Wall(start=(0.3, -1.0), end=(0.3, 1.0), thickness=0.1), (0.25, 0.15)),
    "the end of a wall": (Wall(start=(0.13, 0.04), end=(1.0, 1.0), thickness=0.02), (hypot(0.13, 0.04) - 0.01, 0.04)),
    "slanting": (Wall(start=(0.0, 0.2), end=(0.2, 0.0), thickness=0.02), (0.1 * ROOT2 - 0.01, 0.05 * ROOT2 - 0.01)),
    "a wall through the head": (Wall(start=(0.05, -1.0), end=(0.05, 1.0), thickness=0.02), (0.04, -0.01)),
    "a wall along the axis": (Wall(start=(-1.0, 0.0), end=(1.0, 0.0), thickness=0.02), (-0.01, -0.01)),
    "a corner": (Polygon(vertices=[(x + 0.03, y - 0.06) for x, y in SQUARE]), (hypot(0.13, 0.04), 0.05)),
    "a face": (Polygon(vertices=[(x - 0.15, y) for x, y in SQUARE]), (0.1, 0.1)),
    "a face, clockwise": (Polygon(vertices=[(x - 0.15, -y) for x, y in SQUARE]), (0.1, 0.1)),
    "the head's end inside": (Polygon(vertices=[(x - 0.05, y - 0.15) for x, y in SQUARE]), (0.05, 0.0)),
    "right across the head": (Polygon(vertices=[(0.04, -1.0), (0.06, -1.0), (0.06, 1.0), (0.04, 1.0)]), (0.04, 0.0)),
    "all inside": (Polygon(vertices=[(-1.0, -1.0), (1.0, -1.0), (0.0, 1.5)]), (0.0, 0.0)),
}  # fmt: skip


@pytest.mark.parametrize("case", CLOSED_FORMS)
def test_closed_forms(case: str) -> None:
    obstacle, from_axes = CLOSED_FORMS[case]
    gaps = link_obstacle_distance(ROBOT, [obstacle], np.zeros(2), np.zeros(2))
    np.testing.assert_allclose(gaps, np.array(from_axes)[:, None] - RADIUS, atol=1e-15)


def field(rng: np.random.Generator) -> list[Obstacle]:
    """Obstacles of all kinds in mixed order, some of them on top of the robot."""
    obstacles: list[Obstacle] = []
    for x, y in rng.uniform(-0.5, 0.5, (4, 2)):
        corners = np.sort(rng.uniform(0.0, 2 * math.pi, 5))
        obstacles += [
            Polygon(vertices=[(x + 0.1 * math.cos(a), y + 0.2 * math.sin(a)) for a in corners]),
            Peg(x=y, y=x, radius=rng.uniform(0.01, 0.1)),
            Wall(start=(x, y), end=(x + rng.normal(0.0, 0.3), y + rng.normal(0.0, 0.3)), thickness=0.04),
        ]
    return obstacles


def strewn(obstacle: Obstacle) -> tuple[np.ndarray, float]:
    """Many points on an obstacle's middle or outline and its thickness around them."""
    share = np.linspace(0.0, 1.0, 201)[:, None]
    if isinstance(obstacle, Peg):
        return np.array([[obstacle.x, obstacle.y]]), obstacle.radius
    if isinstance(obstacle, Wall):
        return (1 - share) * obstacle.start + share * obstacle.end, obstacle.thickness / 2
    corners = np.array(obstacle.vertices)
    sides = [(1 - share) * a + share * b for a, b in zip(corners, np.roll(corners, 1, 0), strict=True)]
    return np.concatenate(sides), 0.0


def surrounded(points: np.ndarray, obstacle: Obstacle) -> np.ndarray:
    """Whether a polygon's corners wind once around each point."""
    if not isinstance(obstacle, Polygon):
        return np.zeros(len(points), dtype=bool)
    x, y = (np.array(obstacle.vertices)[None] - points[:, None]).transpose(2, 0, 1)
    turns = np.diff(np.arctan2(y, x), axis=1, append=np.arctan2(y, x)[:, :1])
    return np.abs(((turns + math.pi) % (2 * math.pi) - math.pi).sum(axis=1)) > math.pi


@pytest.mark.parametrize("seed", range(8))
def test_against_strewn_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lengths, radii = rng.uniform(0.05, 0.2, 3), rng.uniform(0.01, 0.03, 3)
    shapes = zip(lengths, radii, (None, 0.03, 0.0), (0.0, 0.02, -0.01), strict=True)
    links = tuple(
        PlanarLink(length=length, mass=1.0, inertia=1e-3, radius=radius, side_length=side, mass_offset=offset)
        for length, radius, side, offset in shapes
    )
    robot, obstacles = PlanarRobot(links=links), field(rng)
    center, theta = rng.uniform(-0.2, 0.2, 2), rng.uniform(-math.pi, math.pi, 3)
    gaps = link_obstacle_distance(robot, obstacles, center, theta)
    masses, e = link_positions(robot, center, theta), directions(theta)
    for i, link in enumerate(links):
        assert link.side_length is not None
        along = np.linspace(-link.side_length / 2, link.side_length / 2, 101)[:, None] - link.mass_offset
        axis = masses[i] + along * e[i]
        for k, obstacle in enumerate(obstacles):
            points, thickness = strewn(obstacle)
            from_axis = np.linalg.norm(axis[:, None] - points[None], axis=-1).min()
            from_axis = 0.0 if surrounded(axis, obstacle).any() else from_axis
            # Points are 2 mm apart on links and 5 mm on the longest wall: half of both may be missed.
            least = from_axis - thickness - link.radius
            assert least - 3.5e-3 <= gaps[i, k] <= least + 1e-12, (seed, i, k)


def test_many_postures_at_once_have_the_bits_of_each_alone() -> None:
    rng = np.random.default_rng(8)
    obstacles = field(rng)
    center, theta = rng.uniform(-0.2, 0.2, (5, 3, 2)), rng.uniform(-3.0, 3.0, (5, 3, 2))
    together = link_obstacle_distance(ROBOT, obstacles, center, theta)
    assert together.shape == (5, 3, 2, len(obstacles))
    for k in np.ndindex(5, 3):
        np.testing.assert_array_equal(together[k], link_obstacle_distance(ROBOT, obstacles, center[k], theta[k]))


def test_nothing_around() -> None:
    assert link_obstacle_distance(ROBOT, [], np.zeros(2), np.zeros(2)).shape == (2, 0)
