"""A spatial chain in maximal coordinates with dense matrices, written from Transeth2008b and sharing no engine code.

Every link has the position of its centre of mass, a rotation matrix R (link frame to world) and the velocity
u_i = (v in world axes, omega in the link's own axes): Transeth2008b (4), (5). Arrays u have the shape (n_links, 6);
matrices act on the flat u of 6 n_links numbers. Jacobians W have one column per row of W^T u, as in the paper.

Conventions: world z up; link frame x forward, y left, z up; R_front = R_rear Ry(pitch) Rz(yaw). Axes are counted as
`SpatialRobot.axes` counts them: tail to head, pitch before yaw within a cardan joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from oracles.spatial.pose import Array, Pose, cross, skew, turn
from pushpoint.model.joints import Cardan, Joint, Yaw
from pushpoint.model.spatial_robot import SpatialRobot

E_X, E_Y, E_Z = LEVEL = np.eye(3)


@dataclass(frozen=True)
class Sphere:
    """A contact sphere."""

    link: int
    """The link that it belongs to."""
    center: Array
    """Centre in the link's frame, from the centre of mass [m]."""
    radius: float
    """Radius [m]."""


@dataclass(frozen=True)
class DenseRobot:
    """Kinematics and matrices of a chain."""

    robot: SpatialRobot
    """Lengths, masses, inertias, joints and contact spheres."""

    @staticmethod
    def of(robot: SpatialRobot) -> DenseRobot:
        """The dense view of a robot."""
        return DenseRobot(robot)

    @property
    def n_links(self) -> int:
        """Number of links [-]."""
        return self.robot.n_links

    @cached_property
    def joints(self) -> tuple[Joint, ...]:
        """The joints, tail to head."""
        return tuple(self.robot.joints)  # type: ignore[arg-type]

    @cached_property
    def ahead(self) -> Array:
        """From each centre of mass forward to the link's front end [m], shape (n_links,)."""
        return np.asarray(self.robot.column("length") / 2 - self.robot.column("mass_offset"))

    @cached_property
    def behind(self) -> Array:
        """From each centre of mass back to the link's rear end [m], shape (n_links,)."""
        return np.asarray(self.robot.column("length") / 2 + self.robot.column("mass_offset"))

    @cached_property
    def spheres(self) -> tuple[Sphere, ...]:
        """All contact spheres, tail to head, in the order of `SpatialLink.spheres`."""
        return tuple(
            Sphere(i, np.asarray(sphere.position) - link.mass_offset * E_X, sphere.radius)
            for i, link in enumerate(self.robot.links)
            for sphere in link.spheres
        )

    @cached_property
    def inertia(self) -> Array:
        """Moments of inertia [kg m^2], shape (n_links, 3)."""
        return self.robot.column("inertia")

    @cached_property
    def mass_matrix(self) -> Array:
        """M of (47), (48), diagonal, shape (6 n_links, 6 n_links)."""
        mass = self.robot.column("mass")
        return np.diag(np.column_stack([mass, mass, mass, self.inertia]).ravel())

    def smooth_forces(self, u: ArrayLike, gravity: float) -> Array:
        """h of (46): weight along -z and -omega x Theta omega, shape (n_links, 6)."""
        twist = np.asarray(u, dtype=float).reshape(-1, 6)
        weight = -gravity * np.outer(self.robot.column("mass"), E_Z)
        return np.hstack([weight, -np.cross(twist[:, 3:], self.inertia * twist[:, 3:])])

    # Kinematics in minimal coordinates

    def pose(
        self, joint_angles: ArrayLike | None = None, position: ArrayLike = (0.0, 0.0, 0.0), rotation: Array = LEVEL
    ) -> Pose:
        """All links from the axes' angles [rad], and the tail link: centre of mass [m], rotation matrix."""
        angles = iter(np.zeros(self.robot.n_joints) if joint_angles is None else np.asarray(joint_angles, dtype=float))
        places, turns = [np.array(position, dtype=float)], [np.array(rotation, dtype=float)]
        for k, joint in enumerate(self.joints):
            R, end = turns[-1], places[-1] + self.ahead[k] * turns[-1] @ E_X
            for hinge in joint.hinges:
                R = R @ turn(E_Y if hinge.name == "pitch" else E_Z, next(angles))
                if hinge.name == "pitch":
                    end = end + joint.axis_distance * R @ E_X
            places.append(end + self.behind[k + 1] * R @ E_X)
            turns.append(R)
        return Pose(np.array(places), np.array(turns))

    def joint_angles(self, pose: Pose) -> Array:
        """Angles of the axes [rad], shape (n_joints,): (65), (66) in our axes, valid on the whole circle.

        The relative rotation Ry(p) Rz(y) has the elements 02, 22 = sin p, cos p and 10, 11 = sin y, cos y.
        """
        angles: list[float] = []
        for k, joint in enumerate(self.joints):
            R = pose.rotation[k].T @ pose.rotation[k + 1]
            pitch, yaw = np.arctan2(R[0, 2], R[2, 2]), np.arctan2(R[1, 0], R[1, 1])
            angles += [float(pitch if hinge.name == "pitch" else yaw) for hinge in joint.hinges]
        return np.array(angles)

    def chain_jacobian(self, pose: Pose) -> Array:
        """J with u = J nu, nu = (v of the tail in world axes, its omega in its own, joint rates), (6 n, 6 + n_joints).

        The pose must be one that the joints allow.
        """
        size = 6 + self.robot.n_joints
        v, w = np.zeros((3, size)), np.zeros((3, size))
        v[:, :3], w[:, 3:6] = np.eye(3), pose.rotation[0]
        rows, column = [np.vstack([v, pose.rotation[0].T @ w])], 6
        for k, joint in enumerate(self.joints):
            v, w = v - skew(self.ahead[k] * pose.rotation[k] @ E_X) @ w, w.copy()
            for hinge in joint.hinges:
                w[:, column] += pose.rotation[k] @ E_Y if hinge.name == "pitch" else pose.rotation[k + 1] @ E_Z
                column += 1
                if hinge.name == "pitch" and isinstance(joint, Cardan):
                    v = v - skew(joint.axis_distance * _cross_axis(pose, k)) @ w
            v = v - skew(self.behind[k + 1] * pose.rotation[k + 1] @ E_X) @ w
            rows.append(np.vstack([v, pose.rotation[k + 1].T @ w]))
        return np.vstack(rows)

    def velocities(
        self, pose: Pose, velocity: ArrayLike, angular_velocity: ArrayLike, joint_rates: ArrayLike | None = None
    ) -> Array:
        """u, shape (n_links, 6), from the tail's velocity [m/s], world axes, its angular velocity, own axes, rates."""
        rates = np.zeros(self.robot.n_joints) if joint_rates is None else np.asarray(joint_rates, dtype=float)
        nu = np.concatenate([np.asarray(velocity, dtype=float), np.asarray(angular_velocity, dtype=float), rates])
        return np.asarray(self.chain_jacobian(pose) @ nu).reshape(-1, 6)

    def joint_rates(self, pose: Pose, u: ArrayLike) -> Array:
        """Rates of the axes [rad/s], shape (n_joints,), by the axis Jacobian."""
        return np.asarray(self.axis_jacobian(pose).T @ np.asarray(u, dtype=float).ravel())

    def assembled(self, pose: Pose) -> Pose:
        """The nearest thing to a pose that the joints allow: same tail rotation, angles and centre of mass."""
        rigid = self.pose(self.joint_angles(pose), rotation=pose.rotation[0])
        return rigid.shifted(self.center_of_mass(pose) - self.center_of_mass(rigid))

    # Joints

    def joint_gaps(self, pose: Pose) -> Array:
        """Gap functions of the joints: (12) [m] and (13) [-]; 4 for a cardan joint, 5 for a single axis."""
        gaps = []
        for k, joint in enumerate(self.joints):
            rear, front = pose.rotation[k], pose.rotation[k + 1]
            gap = pose.position[k + 1] - self.behind[k + 1] * front @ E_X - pose.position[k]
            gap = gap - self.ahead[k] * rear @ E_X - joint.axis_distance * _cross_axis(pose, k)
            gaps += [gap, [(rear @ a) @ (front @ b) for a, b in _right_angles(joint)]]
        return np.concatenate(gaps) if gaps else np.zeros(0)

    def joint_jacobian(self, pose: Pose) -> Array:
        """W_J of (43): d(gaps)/dt = W_J^T u, exact at any pose, shape (6 n_links, n_gaps)."""
        blocks = []
        for k, joint in enumerate(self.joints):
            rear, front = pose.rotation[k], pose.rotation[k + 1]
            rotational = _right_angles(joint)
            rows = np.zeros((3 + len(rotational), self.n_links, 6))
            rows[:3, k, :3], rows[:3, k + 1, :3] = -np.eye(3), np.eye(3)
            # d(R a)/dt = -(R a)~ omega in world axes = -(R a)~ R omega in the link's axes
            rows[:3, k, 3:] = self.ahead[k] * skew(rear @ E_X) @ rear
            rows[:3, k + 1, 3:] = self.behind[k + 1] * skew(front @ E_X) @ front
            if joint.axis_distance > 0.0:
                by_rear, by_front = _cross_axis_rates(pose, k)
                rows[:3, k, 3:] -= joint.axis_distance * by_rear @ rear
                rows[:3, k + 1, 3:] -= joint.axis_distance * by_front @ front
            for row, (a, b) in zip(rows[3:], rotational, strict=True):
                normal = cross(rear @ a, front @ b)  # d(a.b)/dt = (omega_rear - omega_front) . (a x b)
                row[k, 3:], row[k + 1, 3:] = rear.T @ normal, -front.T @ normal
            blocks.append(rows.reshape(len(rows), -1))
        return np.vstack(blocks).T if blocks else np.zeros((6 * self.n_links, 0))

    def axis_jacobian(self, pose: Pose) -> Array:
        """Rates of the axes = W^T u, shape (6 n_links, n_joints); a torque tau acts as W tau: + on the link in front.

        The pitch axis is taken from the rear link, the yaw axis from the front link, as they are built.
        """
        columns = []
        for k, joint in enumerate(self.joints):
            for hinge in joint.hinges:
                axis = pose.rotation[k] @ E_Y if hinge.name == "pitch" else pose.rotation[k + 1] @ E_Z
                row = np.zeros((self.n_links, 6))
                row[k, 3:], row[k + 1, 3:] = -pose.rotation[k].T @ axis, pose.rotation[k + 1].T @ axis
                columns.append(row.ravel())
        return np.array(columns).T if columns else np.zeros((6 * self.n_links, 0))

    # Contact spheres against a plane through the origin

    def sphere_positions(self, pose: Pose) -> Array:
        """Centres of the contact spheres [m], shape (n_spheres, 3)."""
        return np.array([pose.position[s.link] + pose.rotation[s.link] @ s.center for s in self.spheres])

    def contact_gaps(self, pose: Pose, normal: ArrayLike = E_Z) -> Array:
        """Distances of the spheres from the plane with the given unit normal: (9) [m], shape (n_spheres,)."""
        radii = np.array([s.radius for s in self.spheres])
        return np.asarray(self.sphere_positions(pose) @ np.asarray(normal, dtype=float) - radii)

    def contact_jacobian(self, pose: Pose, which: Sequence[int], normal: ArrayLike = E_Z) -> Array:
        """W of the named spheres, 6 columns each, shape (6 n_links, 6 len(which)).

        Columns: normal (18); along the link and across it to the left, (22) to (30) with the sphere's own contact
        point; rolling (33) to (36) along and across, gamma_V = r n x omega [m/s]; spin n . omega [rad/s].
        """
        n = np.asarray(normal, dtype=float)
        rows = np.zeros((len(which), 6, self.n_links, 6))
        for row, index in zip(rows, which, strict=True):
            sphere = self.spheres[index]
            i, R = sphere.link, pose.rotation[sphere.link]
            directions = np.array([n, *tangents(R, n)])
            lever = R @ sphere.center - sphere.radius * n
            row[:3, i, :3] = directions
            row[:3, i, 3:] = -directions @ skew(lever) @ R
            row[3:5, i, 3:] = directions[1:] @ skew(sphere.radius * n) @ R
            row[5, i, 3:] = n @ R
        return rows.reshape(6 * len(which), 6 * self.n_links).T

    def put_down(self, pose: Pose, gap: float = 0.0, normal: ArrayLike = E_Z) -> Pose:
        """The posture moved vertically until its lowest sphere has the given gap [m]; below zero it is pressed in.

        Random postures pressed in by a few millimetres touch at few spheres; then the normal impulses, and with them
        u, are mostly unique. `spatial_step.velocity_spread` tells.
        """
        n = np.asarray(normal, dtype=float)
        return pose.shifted((gap - self.contact_gaps(pose, n).min()) / n[2] * E_Z)

    # Balances

    def center_of_mass(self, pose: Pose) -> Array:
        """Centre of mass of the robot [m], shape (3,)."""
        return np.asarray(self.robot.column("mass") @ pose.position / self.robot.mass)

    def energy(self, pose: Pose, u: ArrayLike, gravity: float = 0.0) -> float:
        """Kinetic energy and, with gravity [m/s^2], that of height [J]."""
        flat = np.asarray(u, dtype=float).ravel()
        kinetic = 0.5 * flat @ self.mass_matrix @ flat
        return float(kinetic + gravity * self.robot.mass * self.center_of_mass(pose)[2])

    def momentum(self, pose: Pose, u: ArrayLike) -> Array:
        """Linear momentum [kg m/s] and angular momentum about the origin [kg m^2/s], world axes, shape (6,)."""
        twist = np.asarray(u, dtype=float).reshape(-1, 6)
        linear = self.robot.column("mass")[:, None] * twist[:, :3]
        own = np.einsum("nij,nj->ni", pose.rotation, self.inertia * twist[:, 3:])
        return np.concatenate([linear.sum(axis=0), (np.cross(pose.position, linear) + own).sum(axis=0)])


def tangents(R: Array, normal: Array) -> tuple[Array, Array]:
    """Along and across in the plane: (27). A link that stands upright has no direction: then world x is taken."""
    along = R @ E_X - normal * (normal @ R @ E_X)
    if np.linalg.norm(along) < 1e-9:
        along = E_X - normal * normal[0]
    along = along / np.linalg.norm(along)
    return along, cross(normal, along)


def _right_angles(joint: Joint) -> tuple[tuple[Array, Array], ...]:
    """Axes (of the rear link, of the front link) that a joint keeps at right angles."""
    if isinstance(joint, Cardan):
        return ((E_Y, E_Z),)
    if isinstance(joint, Yaw):
        return ((E_X, E_Z), (E_Y, E_Z))
    return ((E_Y, E_X), (E_Y, E_Z))


def _cross_axis(pose: Pose, k: int) -> Array:
    """Unit vector from the pitch axis to the yaw axis of a cardan joint: across both, forward."""
    forward = cross(pose.rotation[k] @ E_Y, pose.rotation[k + 1] @ E_Z)
    return np.asarray(forward / np.linalg.norm(forward))


def _cross_axis_rates(pose: Pose, k: int) -> tuple[Array, Array]:
    """d(cross axis)/dt per angular velocity of the rear and of the front link, both in world axes."""
    p, y = pose.rotation[k] @ E_Y, pose.rotation[k + 1] @ E_Z
    forward = cross(p, y)
    size = np.linalg.norm(forward)
    flat = (np.eye(3) - np.outer(forward, forward) / size**2) / size
    return flat @ skew(y) @ skew(p), -flat @ skew(p) @ skew(y)
