"""Hand-derived balances of robots that rest against pegs, and the instant at which they begin to move.

Frame: a straight robot lies along +x, its tail's rear end at the origin. Loads act at the links' centres of mass as
(force x [N], force y [N], moment [N m]). Signs: joint_torque[j] > 0 pushes link j+1 positively and link j negatively;
joint_force[j] is the force of link j on link j+1. Both follow from cutting the robot at joint j (at the point c_j) and
balancing the part ahead of the cut, whose applied forces F act at r, with couples G:

    joint_force[j] = -sum F,        joint_torque[j] = -sum (G + (r - c_j) x F).

All ground is frictionless. A robot held straight has motors that allow no motion (prescribed rates of zero).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pushpoint.model.planar_robot import PlanarRobot

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Balance:
    """Contact forces and what the joints carry."""

    peg_load: Array
    """Normal force of each peg on the robot [N], in the order of the pegs."""
    peg_friction: Array
    """Friction force of each peg on the robot [N], along the contact's tangent (the normal turned by +90 deg)."""
    joint_torque: Array
    """Torque of each motor [N m], shape (n_joints,)."""
    joint_force: Array
    """Force of link j on link j+1 [N], shape (n_joints, 2)."""
    acceleration: Array
    """Acceleration of the whole robot [m/s^2], shape (2,); zero at rest."""
    couple: float
    """Couple that must act on the touched link besides the loads, so that the robot does not turn [N m]."""


def centres(robot: PlanarRobot) -> Array:
    """x of the links' centres of mass, straight robot [m], shape (n_links,)."""
    length = robot.column("length")
    return np.asarray(np.cumsum(length) - length / 2.0 + robot.column("mass_offset"))


def link_at(robot: PlanarRobot, x: float) -> int:
    """The link that covers a place of the straight robot, x from the tail's rear end [m]."""
    return int(np.searchsorted(np.cumsum(robot.column("length")), x))


def beam_on_two_pegs(robot: PlanarRobot, press: ArrayLike, pegs: tuple[float, float]) -> Balance:
    """A straight robot pressed against two smooth pegs on its right: a beam on two supports.

    press: Force on each link toward -y [N], shape (n_links,). pegs: x of the pegs, a < b [m]; they push along +y.
    Moments about b and about a, with P = sum p_i acting at x_P = sum p_i x_i / P:

        N_a = P (b - x_P)/(b - a),        N_b = P (x_P - a)/(b - a),        both > 0 while a < x_P < b.

    Two equal links (length L, load p on each) on pegs at L/4 and 7L/4: N_a = N_b = p. The head link about the joint:
    torque - p L/2 + p 3L/4 = 0, so joint_torque = -p L/4 (the joint sags toward -y, the bend is positive, the motor
    resists it), and joint_force = 0.
    """
    load = np.asarray(press, dtype=float)
    total, (a, b) = float(load.sum()), pegs
    middle = float(load @ centres(robot)) / total
    normal = total * np.array([b - middle, middle - a]) / (b - a)
    if normal.min() <= 0.0:
        raise ValueError(f"the load acts at x = {middle:g} m, not between the pegs: the robot tips over")
    applied = [(i, np.array([x, 0.0]), np.array([0.0, -load[i]]), 0.0) for i, x in enumerate(centres(robot))]
    for x, N in zip(pegs, normal, strict=True):
        applied.append((link_at(robot, x), np.array([x, 0.0]), np.array([0.0, N]), 0.0))
    torque, force = _cut(robot, applied)
    return Balance(
        peg_load=normal,
        peg_friction=np.zeros(2),
        joint_torque=torque,
        joint_force=force,
        acceleration=np.zeros(2),
        couple=0.0,
    )


def against_side_peg(robot: PlanarRobot, push: ArrayLike, press: ArrayLike, at: float, friction: float) -> Balance:
    """A straight robot pressed with its right side against one rough peg, and pushed along +x.

    push, press: Forces on each link toward +x and toward -y [N]. at: x of the contact [m]; radius R of that link.
    With P = sum press and Q = sum push >= 0: N = P; the friction toward -x is T = min(Q, mu P); the robot rests if
    Q <= mu P, else it starts along +x with (Q - mu P)/m. The friction acts a distance R below the links' axis, so
    moments about the origin ask for the couple sum x_i p_i - at P + R T. The tangent is -x: peg_friction = +T.
    """
    loads = np.column_stack([push, -np.asarray(press, dtype=float)])
    link = link_at(robot, at)
    contact = np.array([at, -robot.links[link].radius])
    return _one_peg(robot, loads, link, contact, np.array([0.0, 1.0]), friction)


def against_front_peg(robot: PlanarRobot, push: ArrayLike, across: ArrayLike, friction: float) -> Balance:
    """A straight robot pushed along +x, head on, against one rough peg whose centre lies on its axis.

    push, across: Forces on each link toward +x and +y [N]. The head's round end touches at
    x_c = length - (head length - side length)/2 + radius. With Q = sum push and F = sum across: N = Q, along -x; the
    robot rests if |F| <= mu Q, else it starts sideways with (|F| - mu Q)/m. The couple is taken about the contact. The
    tangent is -y. If all is pushed at the tail and F = 0, then every joint_force is (Q, 0) and every torque zero.
    """
    loads = np.column_stack([push, across])
    head = robot.links[-1]
    tip = robot.length - head.length / 2.0 + float(head.side_length or 0.0) / 2.0 + head.radius
    return _one_peg(robot, loads, robot.n_links - 1, np.array([tip, 0.0]), np.array([-1.0, 0.0]), friction)


def _one_peg(robot: PlanarRobot, loads: Array, link: int, contact: Array, normal: Array, friction: float) -> Balance:
    """Straight robot, forces (n_links, 2), one contact; moments about the origin with d'Alembert's forces -m a."""
    tangent = np.array([-normal[1], normal[0]])
    total = loads.sum(axis=0)
    N = -float(total @ normal)
    if N <= 0.0:
        raise ValueError("the load does not press the robot against the peg")
    T = float(np.clip(-total @ tangent, -friction * N, friction * N))
    acceleration = (float(total @ tangent) + T) / robot.mass * tangent
    reaction = N * normal + T * tangent
    effective = loads - np.outer(robot.column("mass"), acceleration)
    couple = -float(centres(robot) @ effective[:, 1]) - _cross(contact, reaction)
    applied = [(i, np.array([x, 0.0]), effective[i], 0.0) for i, x in enumerate(centres(robot))]
    torque, force = _cut(robot, [*applied, (link, contact, reaction, couple)])
    return Balance(
        peg_load=np.array([N]),
        peg_friction=np.array([T]),
        joint_torque=torque,
        joint_force=force,
        acceleration=acceleration,
        couple=couple,
    )


def _cut(robot: PlanarRobot, applied: list[tuple[int, Array, Array, float]]) -> tuple[Array, Array]:
    """joint_torque and joint_force from all applied loads (link, point [m], force [N], couple [N m])."""
    joints = np.cumsum(robot.column("length"))[:-1]
    torque, force = np.zeros(joints.size), np.zeros((joints.size, 2))
    for link, point, load, couple in applied:
        for j in range(link):
            force[j] -= load
            torque[j] -= couple + _cross(point - np.array([joints[j], 0.0]), load)
    return torque, force


def _cross(arm: Array, force: Array) -> float:
    return float(arm[0] * force[1] - arm[1] * force[0])
