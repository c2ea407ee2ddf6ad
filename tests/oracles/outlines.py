"""Distances from convex outlines by their support function, and the gap of each feature of a contact.

The signed distance of a point p from a convex set K is the largest of u.p - h(u) over unit vectors u, where h(u) is
the largest of u.k over K: outside it is the distance, inside minus the distance to the nearest face.
"""

from __future__ import annotations

import numpy as np

from oracles.engine import Contact, contacts
from pushpoint.engine.stepper import Stepper
from pushpoint.kernels.planar.structs import FEATURES
from pushpoint.model.environment import Peg, Polygon, Wall
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.planar_robot import PlanarLink

REAR_END, FRONT_END, CORNERS = 0, 1, 2
"""Features of a contact with a wall or polygon: either end circle of the link, then the obstacle's corners."""


def corners(obstacle: Obstacle) -> tuple[np.ndarray, float]:
    """Corners of an obstacle [m], counter-clockwise, and the radius that grows around them [m]."""
    if isinstance(obstacle, Peg):
        return np.array([(obstacle.x, obstacle.y)]), obstacle.radius
    if isinstance(obstacle, Wall):
        return np.array([obstacle.start, obstacle.end]), obstacle.thickness / 2
    return np.array(obstacle.vertices), 0.0


def signed_distance(point: np.ndarray, obstacle: Obstacle) -> float:
    """Distance of a point from an obstacle's surface [m], negative inside."""
    vertices, radius = corners(obstacle)
    edges = np.roll(vertices, -1, axis=0) - vertices
    outward = np.column_stack((edges[:, 1], -edges[:, 0]))
    candidates = np.concatenate((outward, point - vertices)) if len(vertices) > 1 else point - vertices
    lengths = np.linalg.norm(candidates, axis=1)
    u = candidates[lengths > 0.0] / lengths[lengths > 0.0, None]
    return float((u @ point - (u @ vertices.T).max(axis=1)).max()) - radius


def end_point(q: np.ndarray, link: PlanarLink, feature: int) -> np.ndarray:
    """Centre of an end circle of a link with its rear joint at q[:2] and angle q[2] [m]."""
    assert link.side_length is not None
    sign = 1 if feature == FRONT_END else -1
    return q[:2] + (link.length / 2 + sign * link.side_length / 2) * np.array([np.cos(q[2]), np.sin(q[2])])


def feature_gap(q: np.ndarray, link: PlanarLink, obstacle: Obstacle, feature: int) -> float:
    """Surface distance of one feature [m]: an end circle from the outline, or a corner from the link's side."""
    if feature in (REAR_END, FRONT_END):
        return signed_distance(end_point(q, link, feature), obstacle) - link.radius
    vertices, radius = corners(obstacle)
    arm = vertices[feature - CORNERS] - q[:2]
    return float(abs(np.cos(q[2]) * arm[1] - np.sin(q[2]) * arm[0])) - radius - link.radius


def contacts_by_feature(stepper: Stepper) -> list[tuple[int, Contact]]:
    """Contacts of the last step, each with its feature; a peg's only feature is 0."""
    keys = stepper.state().contact_key
    seen: dict[tuple[int, int], int] = {}
    found = []
    for contact in contacts(stepper):
        slot = seen.setdefault((contact.world, contact.link), 0)
        seen[contact.world, contact.link] += 1
        found.append((int(keys[contact.world, contact.link, slot]) % int(FEATURES), contact))
    return found


def regular_polygon(
    center: tuple[float, float], radius: float, n_corners: int, turned: float = 0.0, friction: float = 0.0
) -> Polygon:
    """A polygon whose corners lie evenly on a circle, the first at the angle `turned` [rad]."""
    angles = turned + 2 * np.pi * np.arange(n_corners) / n_corners
    vertices = np.array(center) + radius * np.column_stack((np.cos(angles), np.sin(angles)))
    return Polygon(vertices=vertices.tolist(), friction=friction)
