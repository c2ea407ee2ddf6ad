"""A planar chain with contacts, every link on its own: one large linear system, nothing eliminated.

Unknowns: acceleration (x, y) and angular acceleration of each link, the force of each joint on the link ahead of it,
and one force per contact: 3 n + 2 (n - 1) + n_contacts numbers. Equations: Newton and Euler for each link, equal
accelerations of the two links at each joint, and the second derivative of each contact condition.

The contact condition is n.(o - r) = constant, o the fixed centre of the peg and r, n centre of mass and left normal of
the link. With n_dot = -w t and n_ddot = -w_dot t - w^2 n its second derivative is

    -n.r_ddot - w_dot t.(o - r) - w^2 n.(o - r) + 2 w t.r_dot = 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pushpoint.model.planar_robot import PlanarRobot

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Touch:
    """A peg at a link, in world coordinates."""

    link: int
    peg: Array
    """Centre of the peg [m]."""
    point: Array
    """Where the surfaces touch [m]."""
    side: int
    """+1: the peg is to the right of the link."""
    friction: float
    """Coulomb coefficient [-]."""


@dataclass(frozen=True, kw_only=True)
class Motion:
    """What the equations give."""

    center_acceleration: Array
    link_acceleration: Array
    contact_force: Array


def cross(a: Array, b: Array) -> float:
    return float(a[0] * b[1] - a[1] * b[0])


def link_motion(robot: PlanarRobot, center: Array, velocity: Array, theta: Array, rate: Array) -> tuple[Array, Array]:
    """Centres of mass of the links and their velocities, link after link from the tail, then shifted to the centre."""
    place, speed = [np.zeros(2)], [np.zeros(2)]
    position, motion = [], []
    for link, angle, w in zip(robot.links, theta, rate, strict=True):
        t, n = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        rear = link.length / 2 + link.mass_offset
        position.append(place[-1] + rear * t)
        motion.append(speed[-1] + rear * w * n)
        place.append(place[-1] + link.length * t)
        speed.append(speed[-1] + link.length * w * n)
    masses = [link.mass for link in robot.links]
    shift = center - np.average(position, axis=0, weights=masses)
    drift = velocity - np.average(motion, axis=0, weights=masses)
    return np.array(position) + shift, np.array(motion) + drift


def solve(
    robot: PlanarRobot,
    state: tuple[Array, Array, Array, Array],
    joint_torque: Array,
    loads: Array,
    touches: list[Touch],
) -> Motion:
    """Accelerations and contact forces.

    state: Centre of mass, its velocity, link angles, link rates. loads: (force x [N], force y [N], moment [N m]) of the
    ground on each link, shape (n_links, 3).
    """
    center, velocity, theta, rate = state
    n, n_touch = robot.n_links, len(touches)
    place, speed = link_motion(robot, center, velocity, theta, rate)
    along = np.column_stack((np.cos(theta), np.sin(theta)))
    left = np.column_stack((-np.sin(theta), np.cos(theta)))
    size = 3 * n + 2 * (n - 1) + n_touch
    A, b = np.zeros((size, size)), np.zeros(size)
    for i, link in enumerate(robot.links):
        A[3 * i, 3 * i] = A[3 * i + 1, 3 * i + 1] = link.mass
        A[3 * i + 2, 3 * i + 2] = link.inertia
        b[3 * i : 3 * i + 3] = loads[i]
    for j in range(n - 1):
        _joint(A, b, robot, j, joint_torque[j], (along, left, rate))
    for c, touch in enumerate(touches):
        i, row = touch.link, 3 * n + 2 * (n - 1) + c
        arm, offset = touch.point - place[i], touch.peg - place[i]
        slip = float((speed[i] + rate[i] * np.array([-arm[1], arm[0]])) @ along[i])
        pull = left[i] - touch.friction * touch.side * np.sign(slip) * along[i]
        A[3 * i : 3 * i + 2, row] -= pull
        A[3 * i + 2, row] -= cross(arm, pull)
        A[row, 3 * i : 3 * i + 2] = -left[i]
        A[row, 3 * i + 2] = -along[i] @ offset
        b[row] = rate[i] ** 2 * left[i] @ offset - 2.0 * rate[i] * along[i] @ speed[i]
    x = np.linalg.solve(A, b)
    x += np.linalg.solve(A, b - A @ x)
    each = x[: 3 * n].reshape(n, 3)
    masses = robot.column("mass")
    return Motion(
        center_acceleration=masses @ each[:, :2] / masses.sum(),
        link_acceleration=each[:, 2],
        contact_force=x[size - n_touch :],
    )


def _joint(
    A: Array, b: Array, robot: PlanarRobot, j: int, torque: float, directions: tuple[Array, Array, Array]
) -> None:
    """Joint j between links j and j+1: its force on both, the torque, and equal accelerations at its point."""
    along, left, rate = directions
    rear, front = robot.links[j], robot.links[j + 1]
    ahead, behind = rear.length / 2 - rear.mass_offset, front.length / 2 + front.mass_offset
    arm_rear, arm_front = ahead * along[j], -behind * along[j + 1]
    b[3 * j + 2] -= torque
    b[3 * j + 5] += torque
    column = 3 * robot.n_links + 2 * j
    for a in range(2):
        unit = np.eye(2)[a]
        A[3 * j + a, column + a] += 1.0  # the link behind feels the opposite force
        A[3 * j + 2, column + a] += cross(arm_rear, unit)
        A[3 * j + 3 + a, column + a] -= 1.0
        A[3 * j + 5, column + a] -= cross(arm_front, unit)
        row = column + a
        A[row, 3 * j + a], A[row, 3 * j + 3 + a] = 1.0, -1.0
        A[row, 3 * j + 2], A[row, 3 * j + 5] = ahead * left[j, a], behind * left[j + 1, a]
        b[row] = ahead * rate[j] ** 2 * along[j, a] + behind * rate[j + 1] ** 2 * along[j + 1, a]
