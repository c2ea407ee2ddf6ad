"""Holden2014 (13)-(15) without contacts: inertia, centrifugal terms and ground friction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pushpoint.reduced.friction import GroundFriction
from pushpoint.reduced.robot import ReducedRobot
from pushpoint.reduced.state import ReducedState


@dataclass(frozen=True, kw_only=True, eq=False)
class SmoothTerms:
    """The equations of a robot that touches no obstacle, in the coordinates q = (theta, p).

        mass_matrix q_ddot = torque_map joint_torque + load

    Its first n_links rows are (13), its last two (14) and (15). joint_torque[j] turns link j+1, and link j back:
    robot.torque_map is Holden's -D^T, and zero in the last two rows.
    """

    axes: np.ndarray
    """Unit vectors along the links, and to their left [-], shape (2, ..., n_links, 2)."""
    motion: np.ndarray
    """Velocities of the links' centres of mass, (3)-(4) [m/s], and what turning takes from their accelerations, (5)-(6)
    [m/s^2], shape (2, ..., n_links, 2)."""
    mass_matrix: np.ndarray
    """M_theta [kg m^2] and, below it, the robot's mass [kg], shape (..., n_links + 2, n_links + 2)."""
    ground_force: np.ndarray
    """Friction of the ground on each link, f_r [N], shape (..., n_links, 2)."""
    ground_moment: np.ndarray
    """Its moment about the link's centre of mass, tau_r [N m], shape (..., n_links)."""
    load: np.ndarray
    """Ground friction and centrifugal terms [N m, then N], shape (..., n_links + 2)."""


def centrifugal_matrix(robot: ReducedRobot, terms: SmoothTerms) -> np.ndarray:
    """W of (13): W theta_dot^2 are the moments that turning links ask for [kg m^2], shape (..., n_links, n_links)."""
    return -robot.coupling * np.matmul(terms.axes[1], terms.axes[0].mT)


def smooth_terms(robot: ReducedRobot, ground: GroundFriction, state: ReducedState) -> SmoothTerms:
    """Inertia, centrifugal terms and ground friction of a state."""
    state.check_fits(robot.n_links)
    n, rate = robot.n_links, state.link_rate[..., None]
    axes = np.empty((2, *state.link_angle.shape, 2))
    axes[0, ..., 0] = axes[1, ..., 1] = np.cos(state.link_angle)
    axes[0, ..., 1] = sin = np.sin(state.link_angle)
    axes[1, ..., 0] = -sin
    left = axes[1]
    turning = np.empty(axes.shape)
    np.multiply(rate, left, out=turning[0])
    np.multiply(rate * rate, axes[0], out=turning[1])
    motion = np.matmul(robot.lever, turning)
    motion[0] += state.velocity[..., None, :]
    force, moment = ground.loads(robot, axes, motion[0], state.link_rate)
    inert = robot.mass[:, None] * motion[1]
    if robot.paper_table:
        pull = np.matmul(robot.force_lever.T, force) + np.matmul(robot.lever.T, inert)
    else:
        pull = np.matmul(robot.lever.T, force + inert)
    load = np.empty((*state.link_angle.shape[:-1], n + 2))
    load[..., :n] = np.vecdot(left, pull) + moment
    load[..., n:] = np.add.reduce(force, axis=-2)
    mass_matrix = np.empty((*load.shape, n + 2))
    mass_matrix[...] = robot.own_mass
    mass_matrix[..., :n, :n] += robot.coupling * np.matmul(left, left.mT)  # S K M K^T S + C K M K^T C
    return SmoothTerms(
        axes=axes,
        motion=motion,
        mass_matrix=mass_matrix,
        ground_force=force,
        ground_moment=moment,
        load=load,
    )
