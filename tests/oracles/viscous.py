"""Closed forms for a straight robot on viscous ground, in continuous time and for the implicit time step.

A straight robot with rigid joints is one body. Under a constant load Q (a force through its centre of mass along or
across it, or a couple) its speed v obeys A v_dot = Q - c v, with A its mass or moment of inertia and c the sum of the
supports' coefficients (for turning: of the coefficients across times squared lever arms). With the friction taken at
the end of the step, A (v_next - v) = dt (Q - c v_next).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import expm

from pushpoint.model.friction import Viscous
from pushpoint.model.planar_robot import PlanarRobot

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class StraightBody:
    """A straight robot with rigid joints, as one body about its centre of mass."""

    mass: float
    """Mass [kg]."""
    own_inertia: float
    """Sum of the links' inertias about their own centres of mass [kg m^2]."""
    carried_inertia: float
    """Sum of mass times squared distance of the links' centres of mass [kg m^2]."""
    along: float
    """Friction force per speed along the body [N s/m]."""
    across: float
    """Friction force per speed across the body [N s/m]."""
    spin: float
    """Friction moment per rate of turning about the centre of mass [N m s]."""
    coupling: float
    """Friction moment per speed across [N s]; zero: moving across and turning do not mix."""

    @property
    def inertia(self) -> float:
        """Moment of inertia about the centre of mass [kg m^2]."""
        return self.own_inertia + self.carried_inertia


def straight_body(robot: PlanarRobot, friction: Viscous | Sequence[Viscous]) -> StraightBody:
    """Sums over the links and supports of a straight robot."""
    laws = (friction,) * robot.n_links if isinstance(friction, Viscous) else tuple(friction)
    length, mass = robot.column("length"), robot.column("mass")
    middle = np.cumsum(length) - length / 2.0
    centre = middle + robot.column("mass_offset")
    origin = float(mass @ centre) / robot.mass
    supports = [
        (law, support.share, float(middle[i]) + support.offset - origin)
        for i, law in enumerate(laws)
        for support in robot.links[i].supports or ()
    ]
    return StraightBody(
        mass=robot.mass,
        own_inertia=float(np.sum(robot.column("inertia"))),
        carried_inertia=float(mass @ (centre - origin) ** 2),
        along=sum(law.along * share for law, share, _ in supports),
        across=sum(law.across * share for law, share, _ in supports),
        spin=sum(law.across * share * arm**2 for law, share, arm in supports),
        coupling=sum(law.across * share * arm for law, share, arm in supports),
    )


def speed(load: float, drag: float, inertia: float, time: ArrayLike, *, initial: float = 0.0) -> Array:
    """v(t) = Q/c + (v_0 - Q/c) exp(-c t/A), without friction v_0 + Q t/A; any consistent units."""
    t = np.asarray(time, dtype=float)
    if drag == 0.0:
        return np.asarray(initial + load * t / inertia)
    return np.asarray(initial * np.exp(-drag * t / inertia) - load / drag * np.expm1(-drag * t / inertia))


def travel(load: float, drag: float, inertia: float, time: ArrayLike, *, initial: float = 0.0) -> Array:
    """Integral of `speed` from 0 to t, friction above zero: (Q t + A (v_0 - v(t)))/c, by the balance of momentum."""
    t = np.asarray(time, dtype=float)
    return np.asarray((load * t + inertia * (initial - speed(load, drag, inertia, t, initial=initial))) / drag)


def implicit_speed(load: float, drag: float, inertia: float, dt: float, steps: int, *, initial: float = 0.0) -> Array:
    """Speeds after 0 ... steps time steps of the implicit scheme, shape (steps + 1,): exact but for round-off."""
    k = np.arange(steps + 1)
    if drag == 0.0:
        return np.asarray(initial + k * (dt * load / inertia))
    decay = np.exp(-k * np.log1p(dt * drag / inertia))
    return np.asarray(load / drag + (initial - load / drag) * decay)


def implicit_travel(speeds: Array, dt: float) -> Array:
    """Positions after each step q_next = q + dt/2 (v + v_next), from zero: Transeth2008a (54), (63)."""
    return np.concatenate([[0.0], np.cumsum(0.5 * dt * (speeds[:-1] + speeds[1:]))])


def implicit_spin(torque: float, body: StraightBody, dt: float, steps: int) -> Array:
    """Rates of turning from rest under a constant couple [rad/s], shape (steps + 1,): exact but for round-off.

    The links' velocities at the start of a step were made in the directions of the last midpoint, an angle x = dt omega
    behind the present one, with what half a step of turning adds inward, dt/2 omega_before^2 r. Only their part across
    the present direction survives, so the momentum that comes in is
    (own inertia + carried inertia cos x) omega + carried inertia dt/2 omega_before^2 sin x.
    """
    if abs(body.coupling) > 1e-12 * body.across:
        raise ValueError("friction across is not centred: turning moves the centre of mass")
    result = np.zeros(steps + 1)
    for k in range(steps):
        omega = result[k]
        incoming = (body.own_inertia + body.carried_inertia * np.cos(dt * omega)) * omega
        incoming += body.carried_inertia * dt / 2 * result[max(k - 1, 0)] ** 2 * np.sin(dt * omega)
        result[k + 1] = (incoming + dt * torque) / (body.inertia + dt * body.spin)
    return result


@dataclass(frozen=True, kw_only=True)
class SidewaysChain:
    """Small sideways motion of a nearly straight chain with compliant joints: M q_ddot + C q_dot + K q = Q.

    q = (y of the tail's rear end [m], link angles [rad]); heading along x, references zero, every angle small. A point
    at the distance s from the rear joint of link i has y = y_tail + sum_{k<i} L_k theta_k + s theta_i. A point that
    does not move along x drags across only, since the link's turning enters with the speed times the angle.
    """

    M: Array
    """Mass matrix, shape (n_links + 1, n_links + 1)."""
    C: Array
    """Damping of servos and ground."""
    K: Array
    """Stiffness of the servos."""
    centre: Array
    """y of each centre of mass per q, shape (n_links, n_links + 1)."""

    def motion(self, forces: ArrayLike, times: ArrayLike) -> tuple[Array, Array]:
        """q and q_dot at the times [s], from rest and straight, under constant forces across each link's centre [N].

        Exact: the matrix exponential of the first-order system with the load as a constant state.
        """
        n = self.M.shape[0]
        system = np.zeros((2 * n + 1, 2 * n + 1))
        system[:n, n : 2 * n] = np.eye(n)
        system[n : 2 * n, :n] = -np.linalg.solve(self.M, self.K)
        system[n : 2 * n, n : 2 * n] = -np.linalg.solve(self.M, self.C)
        system[n : 2 * n, -1] = np.linalg.solve(self.M, self.centre.T @ np.asarray(forces, dtype=float))
        states = np.stack([expm(system * t)[:-1, -1] for t in np.asarray(times, dtype=float)])
        return states[:, :n], states[:, n:]


def sideways_chain(robot: PlanarRobot, friction: Viscous | Sequence[Viscous]) -> SidewaysChain:
    """The linear equations of a robot that lies straight along x."""
    n = robot.n_links
    laws = (friction,) * n if isinstance(friction, Viscous) else tuple(friction)
    row = _rows(robot)
    centre = np.stack([row(i, robot.links[i].mass_offset) for i in range(n)])
    M = centre.T @ np.diag(robot.column("mass")) @ centre
    M[1:, 1:] += np.diag(robot.column("inertia"))
    bend = np.hstack([np.zeros((n - 1, 1)), np.diff(np.eye(n), axis=0)])
    C = bend.T @ np.diag(robot.motor_column("damping")) @ bend
    for i, law in enumerate(laws):
        for support in robot.links[i].supports or ():
            C += law.across * support.share * np.outer(row(i, support.offset), row(i, support.offset))
    K = bend.T @ np.diag(robot.motor_column("stiffness")) @ bend
    return SidewaysChain(M=M, C=C, K=K, centre=centre)


def _rows(robot: PlanarRobot) -> Callable[[int, float], Array]:
    length = robot.column("length")

    def row(link: int, offset: float) -> Array:
        return np.concatenate([[1.0], length[:link], [length[link] / 2.0 + offset], np.zeros(length.size - link - 1)])

    return row
