"""How far the links of a spatial robot are from the ground and from obstacles. NumPy, one pose at a time."""

from __future__ import annotations

import numpy as np

from pushpoint.dynamics.pack_spatial import bars_of, ground_normal
from pushpoint.dynamics.spatial_kinematics import turned
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.spatial_robot import SpatialRobot
from pushpoint.model.terrain import Box, HeightField, Stairs

NARROWINGS = 60
"""Rounds of the search for the point of a bar nearest to a box; each keeps two thirds."""
ALONG = np.linspace(0.0, 1.0, 21)[:, None]
"""Places along a bar at which uneven ground is looked at."""


def ground_gaps(robot: SpatialRobot, environment: Environment, places: np.ndarray, frames: np.ndarray) -> np.ndarray:
    """Distances between links and ground [m], shape (n_links,); negative where they overlap."""
    ground = environment.ground
    gaps = np.empty(robot.n_links)
    for i, link in enumerate(robot.links):
        middle = places[i] - link.mass_offset * turned(frames[i], np.array([1.0, 0.0, 0.0]))
        if ground.heights is None:
            centers = np.array([middle + turned(frames[i], np.array(sphere.position)) for sphere in link.spheres])
            gaps[i] = (centers @ ground_normal(ground)).min() - link.spheres[0].radius
        else:
            gaps[i] = min(
                float(_above(ground.heights, start + ALONG * (end - start)).min()) - radius
                for start, end, radius in _bars(robot, i, places[i], frames[i])
            )
    return gaps


def obstacle_gaps(robot: SpatialRobot, environment: Environment, places: np.ndarray, frames: np.ndarray) -> np.ndarray:
    """Distances between links and obstacles [m], shape (n_links, n_obstacles); negative where surfaces overlap.

    Once the middle of a link's edge or axis reaches into a box, the overlap is its radius, however deep.
    """
    gaps = np.full((robot.n_links, len(environment.obstacles)), np.inf)
    for i in range(robot.n_links):
        for start, end, radius in _bars(robot, i, places[i], frames[i]):
            for o, obstacle in enumerate(environment.obstacles):
                parts = obstacle.boxes if isinstance(obstacle, Stairs) else (obstacle,)
                for part in parts:
                    distance = _to_peg(start, end, part) if isinstance(part, Peg) else _to_box(start, end, part)  # type: ignore[arg-type]
                    gaps[i, o] = min(gaps[i, o], distance - radius)
    return gaps


def _bars(
    robot: SpatialRobot, i: int, place: np.ndarray, frame: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray, float]]:
    link = robot.links[i]
    middle = place - link.mass_offset * turned(frame, np.array([1.0, 0.0, 0.0]))
    return [
        (middle + turned(frame, start), middle + turned(frame, end), radius) for start, end, radius in bars_of(link)
    ]


def _to_peg(start: np.ndarray, end: np.ndarray, peg: Peg) -> float:
    along, to_peg = (end - start)[:2], np.array([peg.x, peg.y]) - start[:2]
    square = float(along @ along)
    share = np.clip(float(to_peg @ along) / square, 0.0, 1.0) if square > 0 else 0.5
    return float(np.linalg.norm(to_peg - share * along)) - peg.radius


def _to_box(start: np.ndarray, end: np.ndarray, box: Box) -> float:
    """The distance is convex along the bar: the search narrows down on its smallest value."""
    axes, half = box.rotation.T, np.array(box.size) / 2
    a, b = axes @ (start - np.array(box.center)), axes @ (end - np.array(box.center))

    def distance(share: float) -> float:
        point = a + share * (b - a)
        return float(np.linalg.norm(np.maximum(np.abs(point) - half, 0.0)))

    low, high = 0.0, 1.0
    for _ in range(NARROWINGS):
        third = (high - low) / 3
        if distance(low + third) <= distance(high - third):
            high -= third
        else:
            low += third
    return min(distance(0.0), distance(1.0), distance((low + high) / 2))


def _above(field: HeightField, points: np.ndarray) -> np.ndarray:
    """Heights of points over the ground, seen square to it [m]: the ground taken as flat around each."""
    grid = (points[:, :2] - np.array(field.origin)) / field.spacing
    most = np.array(field.heights.shape) - 1
    grid = np.clip(grid, 0.0, most)
    cell = np.minimum(grid.astype(int), most - 1)
    s, t = (grid - cell).T
    i, j = cell.T
    h = field.heights
    rear, front = h[i, j] * (1 - t) + h[i, j + 1] * t, h[i + 1, j] * (1 - t) + h[i + 1, j + 1] * t
    slope_x = (front - rear) / field.spacing
    slope_y = ((h[i, j + 1] - h[i, j]) * (1 - s) + (h[i + 1, j + 1] - h[i + 1, j]) * s) / field.spacing
    height = rear * (1 - s) + front * s
    return np.asarray((points[:, 2] - height) / np.sqrt(1 + slope_x**2 + slope_y**2))
