"""A spatial chain without contacts in minimal coordinates, integrated by SciPy: what contact-free runs converge to.

Coordinates: position and quaternion of the tail link and the angles of the axes; velocities nu = (v of the tail in
world axes, its omega in its own axes, joint rates). With u = J nu and u_dot = J nu_dot + b(nu), where b is what the
links' accelerations are while nu is constant, Jourdain's principle gives

    J^T (M (J nu_dot + b) - h) = (0, servo torques),    h of Transeth2008b (46).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from oracles.spatial.dense import E_X, E_Y, E_Z, DenseRobot
from oracles.spatial.pose import Array, Pose, cross
from pushpoint.model.spatial_robot import SpatialRobot


@dataclass(frozen=True, kw_only=True)
class Flight:
    """Motion at the requested times."""

    time: Array
    """Time [s], shape (n_times,)."""
    poses: tuple[Pose, ...]
    """Pose at each time."""
    u: Array
    """Velocities (v in world axes, omega in the link's axes), shape (n_times, n_links, 6)."""
    joint_angle: Array
    """Angles of the axes [rad], shape (n_times, n_joints)."""
    joint_rate: Array
    """Their rates [rad/s], shape (n_times, n_joints)."""

    @property
    def position(self) -> Array:
        """Centres of mass of the links [m], shape (n_times, n_links, 3)."""
        return np.array([pose.position for pose in self.poses])

    @property
    def quaternion(self) -> Array:
        """Quaternions (w, x, y, z) with w >= 0, shape (n_times, n_links, 4)."""
        return np.array([pose.quaternion for pose in self.poses])


@dataclass(frozen=True, kw_only=True)
class FreeFlight:
    """The chain, its weight and its servos."""

    robot: SpatialRobot
    """Lengths, masses, inertias, joints and motors; limits and play of the motors are not modelled."""
    gravity: float = 0.0
    """Acceleration along -z [m/s^2]."""
    reference: Callable[[float], tuple[ArrayLike, ArrayLike]] | None = None
    """Time [s] -> reference angles [rad] and rates [rad/s] of the axes; None: the motors are off."""

    @cached_property
    def dense(self) -> DenseRobot:
        """Its kinematics."""
        return DenseRobot.of(self.robot)

    def integrate(
        self, times: ArrayLike, pose: Pose, u: ArrayLike, *, method: str = "DOP853", rtol: float = 1e-11
    ) -> Flight:
        """Motion from a pose and velocities that the joints allow, at times[0] [s]; "Radau" for stiff servos."""
        samples = np.asarray(times, dtype=float)
        u_0 = np.asarray(u, dtype=float).reshape(-1, 6)
        start = [pose.position[0], pose.quaternion[0], self.dense.joint_angles(pose)]
        start += [u_0[0], self.dense.joint_rates(pose, u_0)]
        solution = solve_ivp(
            self._rate,
            samples[[0, -1]],
            np.concatenate(start),
            method=method,
            t_eval=samples,
            rtol=rtol,
            atol=0.01 * rtol,
        )
        if not solution.success:
            raise RuntimeError(solution.message)
        n = self.robot.n_joints
        poses = tuple(self._pose(y) for y in solution.y.T)
        velocities = [self.dense.chain_jacobian(p) @ y[7 + n :] for p, y in zip(poses, solution.y.T, strict=True)]
        return Flight(
            time=samples,
            poses=poses,
            u=np.array(velocities).reshape(len(samples), -1, 6),
            joint_angle=solution.y.T[:, 7 : 7 + n],
            joint_rate=solution.y.T[:, 13 + n :],
        )

    def acceleration(self, t: float, pose: Pose, nu: Array) -> Array:
        """nu_dot, shape (6 + n_joints,)."""
        J, M = self.dense.chain_jacobian(pose), self.dense.mass_matrix
        h = self.dense.smooth_forces(J @ nu, self.gravity).ravel()
        force = J.T @ (h - M @ self.bias(pose, nu).ravel())
        force[6:] += self.torques(t, self.dense.joint_angles(pose), nu[6:])
        return np.asarray(np.linalg.solve(J.T @ M @ J, force))

    def torques(self, t: float, angle: Array, rate: Array) -> Array:
        """Servo torques K (ref - alpha) + D (ref_rate - alpha_dot) [N m], shape (n_joints,)."""
        if self.reference is None:
            return np.zeros(self.robot.n_joints)
        target, target_rate = (np.asarray(r, dtype=float) for r in self.reference(t))
        stiff = self.robot.motor_column("stiffness") * (target - angle)
        return np.asarray(stiff + self.robot.motor_column("damping") * (target_rate - rate))

    def bias(self, pose: Pose, nu: Array) -> Array:
        """u_dot at constant nu: centripetal and axis-turning terms, shape (n_links, 6)."""
        dense, rates = self.dense, iter(nu[6:])
        w = pose.rotation[0] @ nu[3:6]
        result, v_dot, w_dot = np.zeros((dense.n_links, 6)), np.zeros(3), np.zeros(3)
        for k, joint in enumerate(dense.joints):
            rear, front = pose.rotation[k], pose.rotation[k + 1]
            v_dot = v_dot + _swing(w, w_dot, dense.ahead[k] * rear @ E_X)
            for hinge in joint.hinges:
                axis, rate = rear @ E_Y if hinge.name == "pitch" else front @ E_Z, next(rates)
                # The axis is carried by what lies behind it: d(axis)/dt = w x axis
                w_dot, w = w_dot + rate * cross(w, axis), w + rate * axis
                if hinge.name == "pitch":
                    forward = cross(rear @ E_Y, front @ E_Z)
                    v_dot = v_dot + _swing(w, w_dot, joint.axis_distance * forward)
            v_dot = v_dot + _swing(w, w_dot, dense.behind[k + 1] * front @ E_X)
            result[k + 1] = np.concatenate([v_dot, front.T @ w_dot])
        return result

    def energy(self, t: float, pose: Pose, u: ArrayLike) -> float:
        """Kinetic energy, that of height, and that in the servos' stiffness [J]."""
        total = self.dense.energy(pose, u, self.gravity)
        if self.reference is None:
            return total
        error = np.asarray(self.reference(t)[0], dtype=float) - self.dense.joint_angles(pose)
        return total + float(0.5 * np.sum(self.robot.motor_column("stiffness") * error**2))

    def _pose(self, y: Array) -> Pose:
        turned = Rotation.from_quat(y[3:7], scalar_first=True).as_matrix()
        return self.dense.pose(y[7 : 7 + self.robot.n_joints], position=y[:3], rotation=turned)

    def _rate(self, t: float, y: Array) -> Array:
        nu = y[7 + self.robot.n_joints :]
        (a, b), omega = (y[3], y[4:7]), nu[3:6]
        spin = 0.5 * np.concatenate([[-b @ omega], a * omega + cross(b, omega)])
        return np.concatenate([nu[:3], spin, nu[6:], self.acceleration(t, self._pose(y), nu)])


def _swing(w: Array, w_dot: Array, arm: Array) -> Array:
    """Acceleration of an arm's end against its root."""
    return np.asarray(cross(w_dot, arm) + cross(w, cross(w, arm)))
