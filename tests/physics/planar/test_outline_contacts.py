"""Contacts with walls and polygons, feature by feature: force directions are gradients of gaps, seams are smooth."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.engine import Contact, stepper_in_poses
from oracles.outlines import CORNERS, FRONT_END, REAR_END, contacts_by_feature, corners, feature_gap, regular_polygon
from pushpoint.engine.planar.kinematics import directions, link_positions, rear_joints
from pushpoint.engine.planar.ranges import link_obstacle_distance
from pushpoint.engine.settings import Settings
from pushpoint.engine.stepper import Stepper
from pushpoint.model.environment import Environment, Polygon, Wall
from pushpoint.model.obstacle import Obstacle
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot

STEP = 1e-6  # of the central differences: they err by STEP^2/radius^2 and by 1e-16/STEP, both far below 1e-6
TOLERANCE = 1e-6  # required
OVERLAP = 1e-4  # m: of the touching links
LINK = PlanarLink(length=0.2, mass=0.5, inertia=2e-3, radius=0.03, side_length=0.16, mass_offset=0.02)
ROBOT = PlanarRobot.uniform(2, LINK)
WORLDS = 120
HAIR = 1e-9  # m: to either side of a seam

Touches = tuple[Stepper, list[Obstacle], list[tuple[int, Contact]]]


def random_obstacle(random: np.random.Generator, kind: str) -> Obstacle:
    """Around the origin, 0.05 to 0.3 m wide."""
    if kind == "wall":
        half = random.uniform(0.05, 0.3) * directions(random.uniform(-np.pi, np.pi))
        return Wall(start=tuple(-half), end=tuple(half), thickness=random.uniform(0.002, 0.04))
    angles = np.sort(random.uniform(0.0, 2 * np.pi, random.integers(3, 9)))
    width, height = random.uniform(0.05, 0.3, 2)
    return Polygon(vertices=np.column_stack((width * np.cos(angles), height * np.sin(angles))).tolist())


def at_rest(center: np.ndarray, theta: np.ndarray) -> dict[str, np.ndarray]:
    return {"center": center, "theta": theta, "v": np.zeros((2, 2)), "omega": np.zeros(2)}


def pushed_in(random: np.random.Generator, obstacle: Obstacle) -> dict[str, np.ndarray]:
    """A bent robot moved toward the obstacle until it overlaps it."""
    theta = random.uniform(-np.pi, np.pi) + np.array([0.0, random.uniform(-1.0, 1.0)])
    toward = directions(random.uniform(-np.pi, np.pi))
    on_axis = rear_joints(ROBOT, np.zeros(2), theta)[1] + random.uniform(0.03, 0.17) * directions(theta[1])
    aim = corners(obstacle)[0].mean(axis=0) - on_axis  # there the head's axis lies in the obstacle's middle
    free, deep = 1.5, 0.0  # m
    while free - deep > 1e-12:
        way = (free + deep) / 2
        gap = link_obstacle_distance(ROBOT, [obstacle], aim - way * toward, theta).min()
        free, deep = (way, deep) if gap > -OVERLAP else (free, way)
    return at_rest(aim - free * toward, theta)


def step_once(obstacles: list[Obstacle], poses: list[dict[str, np.ndarray]]) -> Stepper:
    environments = [Environment(obstacles=[obstacle]) for obstacle in obstacles]
    stepper = stepper_in_poses([ROBOT] * len(poses), environments, poses, Settings())
    stepper.advance(1)
    return stepper


@pytest.fixture(scope="module", params=["wall", "polygon"])
def touches(request: pytest.FixtureRequest) -> Touches:
    random = np.random.default_rng(11)
    obstacles = [random_obstacle(random, request.param) for _ in range(WORLDS)]
    stepper = step_once(obstacles, [pushed_in(random, obstacle) for obstacle in obstacles])
    found = contacts_by_feature(stepper)
    assert {contact.world for _, contact in found} == set(range(WORLDS))  # every world touches as it was built to
    features = np.array([min(feature, CORNERS) for feature, _ in found])
    assert np.bincount(features).min() > 20  # either end and the corners
    return stepper, obstacles, found


def place_of(contact: Contact) -> np.ndarray:
    return np.array([*contact.rear_joint, contact.angle])


def test_normal_direction_is_the_gradient_of_the_gap(touches: Touches) -> None:
    _, obstacles, found = touches
    for feature, contact in found:
        q, obstacle = place_of(contact), obstacles[contact.world]
        gradient = [
            (feature_gap(q + h, LINK, obstacle, feature) - feature_gap(q - h, LINK, obstacle, feature)) / (2 * STEP)
            for h in STEP * np.eye(3)
        ]
        np.testing.assert_allclose(contact.W_N, gradient, atol=TOLERANCE)


def test_tangential_direction_is_the_motion_of_the_touching_point(touches: Touches) -> None:
    _, obstacles, found = touches
    for feature, contact in found:
        q, (vertices, _) = place_of(contact), corners(obstacles[contact.world])
        forward, normal = directions(contact.angle), contact.W_N[:2]
        ends = {REAR_END: 0.02, FRONT_END: 0.18}
        s = ends[feature] if feature in ends else (vertices[feature - CORNERS] - q[:2]) @ forward
        touching = s * forward - LINK.radius * normal  # a point of the link, from its rear joint
        tangent = np.array([-normal[1], normal[0]])
        arm = np.array([-touching[1], touching[0]])
        np.testing.assert_allclose(contact.W_T, [*tangent, tangent @ arm], atol=1e-12)  # round-off


def test_gaps_are_the_true_distances(touches: Touches) -> None:
    stepper, obstacles, found = touches
    deepest = np.zeros(len(obstacles))
    for feature, contact in found:
        gap = feature_gap(place_of(contact), LINK, obstacles[contact.world], feature)
        deepest[contact.world] = max(deepest[contact.world], -gap)
    np.testing.assert_allclose(deepest, OVERLAP, atol=1e-11)  # bisection of the poses
    np.testing.assert_allclose(stepper.totals("penetration"), deepest, atol=1e-15)


def only(found: list[tuple[int, Contact]], world: int, feature: int) -> Contact:
    (contact,) = [contact for f, contact in found if contact.world == world and contact.link == 1 and f == feature]
    return contact


def head_at(end: np.ndarray, angle: float) -> dict[str, np.ndarray]:
    """A straight robot whose head's front end circle is centred at `end`."""
    theta = np.full(2, angle)
    front = rear_joints(ROBOT, np.zeros(2), theta)[1] + 0.18 * directions(angle)
    return at_rest(end - front, theta)


@pytest.mark.parametrize("kind", ["wall", "polygon"])
def test_end_circle_passes_smoothly_from_a_face_to_a_corner(kind: str) -> None:
    random = np.random.default_rng(12)
    obstacles, poses = [], []
    for _ in range(100):
        obstacle = random_obstacle(random, kind)
        vertices, radius = corners(obstacle)
        v = random.integers(len(vertices))
        along = vertices[(v + 1) % len(vertices)] - vertices[v]
        along /= np.hypot(*along)
        outward = np.array([along[1], -along[0]])
        seam = vertices[v] + (radius + LINK.radius - OVERLAP) * outward
        angle = np.arctan2(-outward[1], -outward[0]) + random.uniform(-0.7, 0.7)  # the robot stands up from the face
        obstacles += [obstacle] * 2
        poses += [head_at(seam + side * HAIR * along, angle) for side in (-1, 1)]
    stepper = step_once(obstacles, poses)
    found = contacts_by_feature(stepper)
    for k in range(0, 200, 2):
        a, b = (only(found, world, FRONT_END) for world in (k, k + 1))
        np.testing.assert_allclose(
            b.W_N[:2], a.W_N[:2], atol=2 * HAIR / (LINK.radius - OVERLAP)
        )  # turns by hair/radius
    np.testing.assert_allclose(stepper.totals("penetration"), OVERLAP, atol=1e-15)  # no slope along the face there


@pytest.mark.parametrize("kind", ["wall", "polygon"])
def test_corner_passes_smoothly_from_the_side_to_the_round_end(kind: str) -> None:
    random = np.random.default_rng(13)
    obstacles, poses = [], []
    for _ in range(100):
        angle, side = random.uniform(-np.pi, np.pi), random.choice([-1.0, 1.0])
        left = side * directions(angle + np.pi / 2)
        # A tip that points at the link from its left or right, leaning a little.
        bearing = np.arctan2(left[1], left[0]) + random.uniform(-0.3, 0.3)
        if kind == "wall":
            obstacle: Obstacle = Wall(start=(0.0, 0.0), end=tuple(0.3 * directions(bearing)), thickness=0.01)
        else:
            obstacle = Polygon(vertices=[(0.0, 0.0), *(0.3 * directions(bearing + np.array([-0.4, 0.4]))).tolist()])
        end = -(corners(obstacle)[1] + LINK.radius - OVERLAP) * left
        obstacles += [obstacle] * 2
        poses += [head_at(end + shift * HAIR * directions(angle), angle) for shift in (1, -1)]
    stepper = step_once(obstacles, poses)
    found = contacts_by_feature(stepper)
    for k in range(0, 200, 2):
        (tip,) = np.flatnonzero(np.hypot(*corners(obstacles[k])[0].T) == 0.0)
        a, b = only(found, k, CORNERS + int(tip)), only(found, k + 1, FRONT_END)
        assert not [f for f, contact in found if contact.world == k + 1 and f >= CORNERS]  # the tip has left the side
        np.testing.assert_allclose(b.W_N, a.W_N, atol=2 * HAIR / (LINK.radius - OVERLAP))  # turns by hair/radius
    np.testing.assert_allclose(stepper.totals("penetration"), OVERLAP, atol=1e-15)


def test_flat_link_touches_a_face_with_both_ends_and_a_short_face_with_both_corners() -> None:
    square = regular_polygon((0.0, 0.0), 0.5 * np.sqrt(2.0), 4, turned=np.pi / 4)
    small = regular_polygon((0.1, 0.0), 0.05 * np.sqrt(2.0), 4, turned=np.pi / 4)
    heights = (0.5 + LINK.radius - 1e-7, 0.05 + LINK.radius - 1e-7)
    found = contacts_by_feature(step_once([square, small], [at_rest(np.array([0.0, y]), np.zeros(2)) for y in heights]))
    assert sorted(f for f, c in found if c.world == 0 and c.link == 1) == [REAR_END, FRONT_END]
    touched = [np.array(small.vertices)[f - CORNERS] for f, c in found if c.world == 1 and c.link == 1]
    np.testing.assert_allclose(sorted(point[0] for point in touched), [0.05, 0.15])
    np.testing.assert_allclose([point[1] for point in touched], 0.05)
    head = link_positions(ROBOT, np.zeros(2), np.zeros(2))[1, 0] - LINK.mass_offset
    assert head - 0.08 < 0.05 and 0.15 < head + 0.08  # the small face lies beside the head's straight side
