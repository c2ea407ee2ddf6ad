"""Gray's three links against three smooth pegs: Transeth2008a VII-B, Fig. 7 (claim TA10), derived by hand.

Which end is forward. The figure is not in the text. Gray (1946) asks that the curvature increases toward the head and
that the muscles on the concave side pull; the paper says that link 1 meets the propelling push-point (VII-B), and its
experiments lead with link 1. So the paper's link 1 is the head, alpha is the bend at the front joint, beta the bend at
the rear joint (both measured from straight, both to the same side), and the torques deepen both bends. Ours: link 0 is
the paper's link 3, joint_angle = (beta, alpha), joint_torque = (rear, front), all > 0 for a bend to the left.

Geometry. The middle link lies along e = +x, the front link along (cos alpha, sin alpha), the rear link along
(cos beta, -sin beta). The pegs touch the middles of the links: on the left (inside the bend) of both outer links, on
the right of the middle link. They are smooth: their forces cross the links' axes at right angles, whatever the radii.

Balance. A front link with the joint behind it and its peg an arm a ahead of that joint: moments about the joint, so
that the joint's force drops out, give N_front = front/a; likewise N_rear = rear/b. The forces on the links are

    front  N_front (sin alpha, -cos alpha),   rear  N_rear (-sin beta, -cos beta),   middle  N_middle (0, 1),

and the balance across e gives N_middle = N_front cos alpha + N_rear cos beta. What remains along e is the propulsion

    F = (front/a) sin alpha - (rear/b) sin beta:

with equal torques and arms forward if alpha > beta, backward if alpha < beta, zero if equal (0 < angles <= 90 deg).
Virtual power says the same: gliding along e at unit speed past the pegs, the front bend grows at sin alpha/a and the
rear bend shrinks at sin beta/b, so the torques' power is F. The robot stays at rest only if the middle link is held by
-F along e and by a couple against N_front h cos alpha - N_rear h cos beta + front - rear (h half its length). That rest
is unstable, like a ball on a hill: compare few steps, from exact rest, with commanded torques.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oracles.free_chain import FreeChain, torque_loads
from pushpoint.model.planar_robot import PlanarRobot

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class GrayScene:
    """Three links, their bends and torques; the middle of the middle link at the origin, its heading zero."""

    robot: PlanarRobot
    """Three links, centres of mass anywhere along them."""
    alpha: float
    """Bend between the middle and the front link [rad], joint_angle[1]."""
    beta: float
    """Bend between the rear and the middle link [rad], joint_angle[0]."""
    front_torque: float
    """joint_torque[1] [N m], > 0 deepens the bend."""
    rear_torque: float
    """joint_torque[0] [N m], > 0 deepens the bend."""

    @property
    def link_angle(self) -> Array:
        """Link angles, tail to head [rad], shape (3,)."""
        return np.array([-self.beta, 0.0, self.alpha])

    def peg_normals(self) -> Array:
        """Unit vectors from peg to link, tail to head, shape (3, 2)."""
        left = np.column_stack([-np.sin(self.link_angle), np.cos(self.link_angle)])
        return np.asarray(left * np.array([[-1.0], [1.0], [-1.0]]))

    def link_middles(self) -> Array:
        """Middles of the links, where the pegs' forces cross the axes [m], shape (3, 2)."""
        half = self.robot.column("length")[:, None] / 2.0
        forward = np.column_stack([np.cos(self.link_angle), np.sin(self.link_angle)])
        rear_joint, front_joint = -half[1] * forward[1], half[1] * forward[1]
        return np.stack([rear_joint - half[0] * forward[0], np.zeros(2), front_joint + half[2] * forward[2]])

    def peg_centres(self, peg_radius: float) -> Array:
        """Centres of pegs that touch the links' middles [m], shape (3, 2)."""
        distance = self.robot.column("radius")[:, None] + peg_radius
        return np.asarray(self.link_middles() - distance * self.peg_normals())

    def peg_load(self) -> Array:
        """Normal forces of the pegs in balance, tail to head [N], shape (3,)."""
        front = self.front_torque / (self.robot.links[2].length / 2.0)
        rear = self.rear_torque / (self.robot.links[0].length / 2.0)
        return np.array([rear, front * np.cos(self.alpha) + rear * np.cos(self.beta), front])

    def propulsion(self) -> float:
        """Sum of the pegs' forces along the middle link [N], > 0 forward; across it the sum is zero."""
        rear, _, front = self.peg_load()
        return float(front * np.sin(self.alpha) - rear * np.sin(self.beta))

    def holding_load(self) -> Array:
        """Load at the middle link's middle that keeps all at rest: (force x, force y [N], moment [N m]), shape (3,)."""
        rear, _, front = self.peg_load()
        half = self.robot.links[1].length / 2.0
        moment = half * (front * np.cos(self.alpha) - rear * np.cos(self.beta)) + self.front_torque - self.rear_torque
        return np.array([-self.propulsion(), 0.0, moment])

    def release(self) -> tuple[Array, Array, Array]:
        """What happens at the instant of release from rest, without the holding load, all pegs kept in touch.

        Solves M q_ddot = f + W N with W^T q_ddot = 0 in minimal coordinates, which is also the first time step of the
        velocity-level scheme (there the velocity after the step is dt times these accelerations).
        Returns peg_load [N] (3,), accelerations of the links (x, y [m/s^2], angular [rad/s^2]) (3, 3), and the
        acceleration of the centre of mass [m/s^2] (2,).
        """
        chain = FreeChain(robot=self.robot, loads=lambda _: torque_loads([self.rear_torque, self.front_torque]))
        q, q_dot = np.split(chain.state(self.link_angle), 2)
        rows = [chain.point_jacobian(q, i, 0.0) for i in range(3)]
        W = np.stack([row.T @ normal for row, normal in zip(rows, self.peg_normals(), strict=True)], axis=1)
        system = np.block([[chain.mass_matrix(q), -W], [W.T, np.zeros((3, 3))]])
        solution = np.linalg.solve(system, np.concatenate([chain.forces(0.0, q, q_dot), np.zeros(3)]))
        links = chain.jacobian(q) @ solution[:5]
        return solution[5:], links, self.robot.column("mass") @ links[:, :2] / self.robot.mass
