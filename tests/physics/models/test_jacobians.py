"""Force directions and chain kinematics against finite differences of places."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.engine import Contact, contacts, gaps, stepper_in_poses
from oracles.robots import uneven_robot
from pushpoint.engine.planar.kinematics import link_positions, rear_joints, rigid_velocities
from pushpoint.engine.settings import Settings
from pushpoint.model.environment import Environment, Peg
from pushpoint.model.planar_robot import PlanarLink, PlanarRobot

STEP = 1e-6  # of the central differences: they err by STEP^2/radius^2 and by 1e-16/STEP, both far below 1e-6
TOLERANCE = 1e-6  # required
LINK = PlanarLink(length=0.2, mass=0.5, inertia=2e-3, radius=0.03, side_length=0.12, mass_offset=0.02)
ROBOT = PlanarRobot.uniform(2, LINK)
PEG_RADIUS = 0.05


def capsule_distance(q: np.ndarray, link: PlanarLink, peg: Peg) -> float:
    """Surface distance of a capsule with its rear joint at (x, y) and angle q[2] from a peg, by cases."""
    forward = np.array([np.cos(q[2]), np.sin(q[2])])
    rear, front = (q[:2] + (link.length / 2 + sign * link.side_length / 2) * forward for sign in (-1, 1))
    centre = np.array([peg.x, peg.y])
    if (centre - rear) @ forward < 0:
        distance = np.hypot(*(centre - rear))
    elif (centre - front) @ forward > 0:
        distance = np.hypot(*(centre - front))
    else:
        arm = centre - rear
        distance = abs(forward[0] * arm[1] - forward[1] * arm[0])
    return float(distance - link.radius - peg.radius)


def touching_worlds(count: int) -> tuple[list[Peg], list[dict[str, np.ndarray]]]:
    """Poses of ROBOT with a peg that overlaps its head link by 0.1 mm, anywhere around it."""
    random = np.random.default_rng(1)
    pegs, poses = [], []
    for _ in range(count):
        theta = random.uniform(-np.pi, np.pi) + np.array([0.0, random.uniform(-0.5, 0.5)])
        center = random.uniform(-0.3, 0.3, 2)
        forward = np.array([np.cos(theta[1]), np.sin(theta[1])])
        left = np.array([-forward[1], forward[0]])
        along = np.clip(random.uniform(-0.12, 0.12), -0.06, 0.06)  # half of them on the round ends
        bearing = random.uniform(-np.pi / 2, np.pi / 2) if abs(along) == 0.06 else np.pi / 2
        out = np.sign(along) * np.cos(bearing) * forward + random.choice([-1, 1]) * np.sin(bearing) * left
        axis_point = rear_joints(ROBOT, center, theta)[1] + (0.1 + along) * forward
        place = axis_point + (LINK.radius + PEG_RADIUS - 1e-4) * out
        pegs.append(Peg(x=place[0], y=place[1], radius=PEG_RADIUS))
        poses.append({"center": center, "theta": theta, "v": np.zeros((2, 2)), "omega": np.zeros(2)})
    return pegs, poses


@pytest.fixture(scope="module")
def touches() -> list[tuple[Contact, Peg]]:
    pegs, poses = touching_worlds(200)
    stepper = stepper_in_poses([ROBOT] * 200, [Environment(obstacles=[peg]) for peg in pegs], poses, Settings())
    stepper.advance(1)
    found = [(contact, pegs[contact.peg]) for contact in contacts(stepper) if contact.link == 1]
    assert len(found) == 200  # every world touches as it was built to
    return found


def test_normal_direction_is_the_gradient_of_the_gap(touches: list[tuple[Contact, Peg]]) -> None:
    for contact, peg in touches:
        q = np.array([*contact.rear_joint, contact.angle])
        gradient = [
            (capsule_distance(q + h, LINK, peg) - capsule_distance(q - h, LINK, peg)) / (2 * STEP)
            for h in STEP * np.eye(3)
        ]
        np.testing.assert_allclose(contact.W_N, gradient, atol=TOLERANCE)


def test_tangential_direction_is_the_motion_of_the_touching_point(touches: list[tuple[Contact, Peg]]) -> None:
    for contact, peg in touches:
        q = np.array([*contact.rear_joint, contact.angle])
        normal = contact.W_N[:2]
        tangent = np.array([-normal[1], normal[0]])
        # The point of the link's surface that lies deepest in the peg, carried along as if painted on the link.
        painted = np.array([peg.x, peg.y]) + (capsule_distance(q, LINK, peg) + PEG_RADIUS) * normal
        turn = np.array([[np.cos(q[2]), np.sin(q[2])], [-np.sin(q[2]), np.cos(q[2])]])
        own = turn @ (painted - q[:2])

        def place(p: np.ndarray, own: np.ndarray = own) -> np.ndarray:
            return p[:2] + np.array([[np.cos(p[2]), -np.sin(p[2])], [np.sin(p[2]), np.cos(p[2])]]) @ own

        slip = [tangent @ (place(q + h) - place(q - h)) / (2 * STEP) for h in STEP * np.eye(3)]
        np.testing.assert_allclose(contact.W_T, slip, atol=TOLERANCE)


def test_chain_velocities_are_the_rates_of_the_places() -> None:
    robot, random = uneven_robot(), np.random.default_rng(2)
    for _ in range(50):
        theta, omega = random.uniform(-3, 3, 4), random.uniform(-3, 3, 4)
        center, velocity = random.uniform(-1, 1, 2), random.uniform(-1, 1, 2)
        ahead, behind = (
            link_positions(robot, center + sign * STEP * velocity, theta + sign * STEP * omega) for sign in (1, -1)
        )
        rates = (ahead - behind) / (2 * STEP)
        np.testing.assert_allclose(rigid_velocities(robot, theta, omega, velocity), rates, atol=TOLERANCE)


def test_gap_and_normal_are_continuous_where_side_and_round_end_meet() -> None:
    rest = {"center": np.zeros(2), "theta": np.zeros(2), "v": np.zeros((2, 2)), "omega": np.zeros(2)}
    stepper = stepper_in_poses([ROBOT], [Environment()], [rest], Settings())
    random, hair = np.random.default_rng(3), 1e-9
    angle = random.uniform(-np.pi, np.pi, 400)
    forward = np.stack((np.cos(angle), np.sin(angle)), axis=-1)
    left = np.stack((-forward[:, 1], forward[:, 0]), axis=-1)
    J = random.uniform(-1, 1, (400, 2))
    end = np.where(random.random(400) < 0.5, 0.1 - 0.06, 0.1 + 0.06)[:, None]  # where the straight side ends
    away = random.uniform(0.02, 0.2, 400)[:, None] * random.choice([-1, 1], 400)[:, None]
    seam = J + end * forward + away * left
    normal_a, gap_a = gaps(stepper, 1, J, angle, seam - hair * forward)
    normal_b, gap_b = gaps(stepper, 1, J, angle, seam + hair * forward)
    np.testing.assert_allclose(gap_b, gap_a, atol=1e-15)  # the gap has no slope along the link there: hair^2/away
    np.testing.assert_allclose(normal_b, normal_a, atol=2 * hair / 0.02)  # turns by at most hair/distance, both sides
    np.testing.assert_allclose(gap_a, np.abs(away[:, 0]) - LINK.radius, atol=1e-15)  # the side's own distance
