"""A planar chain in minimal coordinates, integrated by SciPy: what smooth runs of the engine converge to.

Coordinates q = (x, y, theta_0 ... theta_{n-1}): rear end of the tail link [m] and link angles [rad]. A point at the
distance s from the rear joint of link i lies at (x, y) + sum_{k<i} L_k e(theta_k) + s e(theta_i), with
e = (cos, sin). Its Jacobian and the derivative of that Jacobian are therefore explicit, and Jourdain's principle gives

    sum_i J_i^T (M_i (J_i q_ddot + J_dot_i q_dot) - f_i) = joint torques,    M_i = diag(m_i, m_i, I_i).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import solve_ivp

from pushpoint.model.friction import Viscous
from pushpoint.model.planar_robot import PlanarRobot

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Trajectory:
    """Motion at the requested times."""

    time: Array
    """Time [s], shape (n_times,)."""
    link_angle: Array
    """Link angles [rad], shape (n_times, n_links)."""
    link_angular_velocity: Array
    """Link rates [rad/s], shape (n_times, n_links)."""
    link_position: Array
    """Centres of mass of the links [m], shape (n_times, n_links, 2)."""
    link_velocity: Array
    """Their velocities [m/s], shape (n_times, n_links, 2)."""
    state: Array
    """(q, q_dot), shape (n_times, 2 n_links + 4)."""


@dataclass(frozen=True, kw_only=True)
class FreeChain:
    """The chain, its servos, viscous ground friction and external loads."""

    robot: PlanarRobot
    """Lengths, masses, inertias, mass offsets, supports and motors."""
    reference: Callable[[float], tuple[ArrayLike, ArrayLike]] | None = None
    """Time [s] -> reference angles [rad] and rates [rad/s] of the joints; None: no motors."""
    friction: Viscous | Sequence[Viscous] | None = None
    """Ground friction, one law for all links or one per link; it acts at the links' supports."""
    loads: Callable[[float], ArrayLike] | None = None
    """Time [s] -> (force x [N], force y [N], moment [N m]) at each centre of mass, shape (n_links, 3)."""

    def state(
        self,
        link_angle: ArrayLike,
        link_angular_velocity: ArrayLike | None = None,
        position: ArrayLike = (0.0, 0.0),
        velocity: ArrayLike = (0.0, 0.0),
    ) -> Array:
        """(q, q_dot) from angles [rad], rates [rad/s], and the robot's centre of mass: position [m], velocity [m/s]."""
        n = self.robot.n_links
        rates = np.zeros(n) if link_angular_velocity is None else np.asarray(link_angular_velocity, dtype=float)
        q = np.concatenate([np.zeros(2), np.asarray(link_angle, dtype=float)])
        q_dot = np.concatenate([np.zeros(2), rates])
        weights = self.robot.column("mass") / self.robot.mass
        q[:2] = np.asarray(position, dtype=float) - weights @ self.positions(q)
        q_dot[:2] = np.asarray(velocity, dtype=float) - weights @ (self.jacobian(q) @ q_dot)[:, :2]
        return np.concatenate([q, q_dot])

    @cached_property
    def reach(self) -> Array:
        """Distances that each link's angle carries each centre of mass [m]: row link, column angle."""
        length, n = self.robot.column("length"), self.robot.n_links
        return np.tril(np.tile(length, (n, 1)), -1) + np.diag(length / 2.0 + self.robot.column("mass_offset"))

    def positions(self, q: Array) -> Array:
        """Centres of mass of the links [m], shape (n_links, 2)."""
        return np.asarray(q[:2] + self.reach @ np.column_stack([np.cos(q[2:]), np.sin(q[2:])]))

    def jacobian(self, q: Array) -> Array:
        """Twist (v_x, v_y, omega) of each link per q_dot, at its centre of mass, shape (n_links, 3, n_links + 2)."""
        result = _jacobian(q[2:], self.reach)
        result[:, 2, 2:] = np.eye(self.robot.n_links)
        return result

    def jacobian_rate(self, q: Array, q_dot: Array) -> Array:
        """Time derivative of the Jacobian, same shape."""
        result = np.zeros((self.robot.n_links, 3, q.size))
        result[:, 0, 2:] = -self.reach * (np.cos(q[2:]) * q_dot[2:])
        result[:, 1, 2:] = -self.reach * (np.sin(q[2:]) * q_dot[2:])
        return result

    @cached_property
    def inertias(self) -> Array:
        """(m, m, I) of each link, shape (n_links, 3)."""
        mass = self.robot.column("mass")
        return np.column_stack([mass, mass, self.robot.column("inertia")])

    def mass_matrix(self, q: Array) -> Array:
        """Mass matrix of the minimal coordinates, shape (n_links + 2, n_links + 2)."""
        jacobian = self.jacobian(q)
        return np.asarray(np.einsum("iak,ia,ial->kl", jacobian, self.inertias, jacobian))

    def joint_torque(self, t: float, q: Array, q_dot: Array) -> Array:
        """Servo torques K (ref - phi) + D (ref_dot - phi_dot), cut at the limit [N m], shape (n_joints,)."""
        if self.reference is None:
            return np.zeros(self.robot.n_joints)
        angle, rate = (np.asarray(values, dtype=float) for values in self.reference(t))
        torque = self.robot.motor_column("stiffness") * (angle - np.diff(q[2:]))
        torque += self.robot.motor_column("damping") * (rate - np.diff(q_dot[2:]))
        limit = self.robot.motor_column("torque_limit")
        return np.asarray(np.clip(torque, -limit, limit))

    def forces(self, t: float, q: Array, q_dot: Array) -> Array:
        """Generalised forces of servos, ground and loads, without the velocity terms, shape (n_links + 2,)."""
        result = np.concatenate([[0.0, 0.0], torque_loads(self.joint_torque(t, q, q_dot))[:, 2]])
        if self.loads is not None:
            result += np.einsum("iak,ia->k", self.jacobian(q), np.asarray(self.loads(t), dtype=float))
        laws = (self.friction,) * self.robot.n_links if isinstance(self.friction, Viscous) else self.friction or ()
        for i, law in enumerate(laws):
            forward = np.array([np.cos(q[2 + i]), np.sin(q[2 + i])])
            left = np.array([-forward[1], forward[0]])
            drag = law.along * np.outer(forward, forward) + law.across * np.outer(left, left)
            for support in self.robot.links[i].supports or ():
                jacobian = self.point_jacobian(q, i, support.offset)
                result -= support.share * (jacobian.T @ drag @ jacobian @ q_dot)
        return result

    def point_jacobian(self, q: Array, link: int, offset: float) -> Array:
        """Velocity per q_dot of a point of a link, offset from its middle [m], shape (2, n_links + 2)."""
        reach = self.reach[link].copy()
        reach[link] = self.robot.links[link].length / 2.0 + offset
        return _jacobian(q[2:], reach[None])[0, :2]

    def acceleration(self, t: float, q: Array, q_dot: Array) -> Array:
        """q_ddot, shape (n_links + 2,)."""
        bias = np.einsum("iak,ia,ial,l->k", self.jacobian(q), self.inertias, self.jacobian_rate(q, q_dot), q_dot)
        return np.asarray(np.linalg.solve(self.mass_matrix(q), self.forces(t, q, q_dot) - bias))

    def integrate(self, times: ArrayLike, state: Array, *, method: str = "DOP853", rtol: float = 1e-11) -> Trajectory:
        """Motion from the state at times[0] [s], sampled at times; method "Radau" for very stiff servos."""
        n = self.robot.n_links + 2
        samples = np.asarray(times, dtype=float)

        def rate(t: float, y: Array) -> Array:
            return np.concatenate([y[n:], self.acceleration(t, y[:n], y[n:])])

        solution = solve_ivp(rate, samples[[0, -1]], state, method=method, t_eval=samples, rtol=rtol, atol=0.01 * rtol)
        if not solution.success:
            raise RuntimeError(solution.message)
        states = solution.y.T
        return Trajectory(
            time=samples,
            link_angle=states[:, 2:n],
            link_angular_velocity=states[:, n + 2 :],
            link_position=np.stack([self.positions(y[:n]) for y in states]),
            link_velocity=np.stack([(self.jacobian(y[:n]) @ y[n:])[:, :2] for y in states]),
            state=states,
        )

    def kinetic_energy(self, state: Array) -> float:
        """Kinetic energy [J]."""
        q, q_dot = np.split(state, 2)
        return float(0.5 * q_dot @ self.mass_matrix(q) @ q_dot)

    def spring_energy(self, t: float, state: Array) -> float:
        """Energy stored in the servos' stiffness [J] (below their torque limits)."""
        if self.reference is None:
            return 0.0
        error = np.asarray(self.reference(t)[0]) - np.diff(np.split(state, 2)[0][2:])
        return float(0.5 * np.sum(self.robot.motor_column("stiffness") * error**2))

    def momentum(self, state: Array) -> Array:
        """Linear momentum [kg m/s], both axes, and angular momentum about the origin [kg m^2/s]."""
        q, q_dot = np.split(state, 2)
        impulse = self.inertias * (self.jacobian(q) @ q_dot)
        r = self.positions(q)
        spin = np.sum(r[:, 0] * impulse[:, 1] - r[:, 1] * impulse[:, 0] + impulse[:, 2])
        return np.array([impulse[:, 0].sum(), impulse[:, 1].sum(), spin])


def torque_loads(torques: ArrayLike) -> Array:
    """Loads equal to commanded joint torques [N m]: +torque on the link ahead, -torque on the link behind."""
    torque = np.asarray(torques, dtype=float)
    moment = np.concatenate([[0.0], torque]) - np.concatenate([torque, [0.0]])
    return np.column_stack([np.zeros_like(moment), np.zeros_like(moment), moment])


def _jacobian(angles: Array, reach: Array) -> Array:
    """Velocities per q_dot of points, one per row of reach, and a third row left empty for the turning."""
    result = np.zeros((len(reach), 3, angles.size + 2))
    result[:, 0, 0] = result[:, 1, 1] = 1.0
    result[:, 0, 2:] = -reach * np.sin(angles)
    result[:, 1, 2:] = reach * np.cos(angles)
    return result
