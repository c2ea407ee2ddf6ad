"""Spatial robots and states on which an engine and the dense oracle can be compared."""

from __future__ import annotations

import numpy as np

from oracles.spatial.dense import DenseRobot
from oracles.spatial.pose import Array, Pose, exponential
from pushpoint.model.joints import Cardan, Pitch, Yaw
from pushpoint.model.motor import Motor
from pushpoint.model.spatial_robot import SpatialLink, SpatialRobot

SOFT = Motor(stiffness=3.0, damping=0.02)


def mixed_robot(motor: Motor = SOFT) -> SpatialRobot:
    """Five uneven links with every kind of joint; one link is square."""
    links = (
        SpatialLink(length=0.12, mass=0.7, inertia=(3e-4, 9e-4, 1e-3), radius=0.05, side_length=0.08),
        SpatialLink(length=0.10, mass=0.5, inertia=(2e-4, 5e-4, 6e-4), radius=0.05, mass_offset=0.02),
        SpatialLink(length=0.15, mass=0.9, inertia=(4e-4, 1e-3, 9e-4), radius=0.04, shape="square"),
        SpatialLink(length=0.12, mass=0.6, inertia=(2e-4, 6e-4, 7e-4), radius=0.05, mass_offset=-0.01),
        SpatialLink(length=0.08, mass=0.4, inertia=(2e-4, 3e-4, 4e-4), radius=0.05, side_length=0.05),
    )
    bent = Cardan(yaw=motor, pitch=motor, axis_distance=0.022)
    return SpatialRobot(links=links, joints=(bent, Yaw(motor), Pitch(motor), Cardan(yaw=motor, pitch=motor)))


def single_link(inertia: tuple[float, float, float] = (2.35e-4, 9.63e-4, 9.63e-4)) -> SpatialRobot:
    """One link of Aiko alone."""
    link = SpatialLink(length=0.122, mass=7.5 / 11, inertia=inertia, radius=0.0525, side_length=2 * 0.0393)
    return SpatialRobot(links=(link,), joints=())


def moving_state(dense: DenseRobot, seed: int = 0, spread: float = 0.5) -> tuple[Pose, Array]:
    """A random pose and velocities that the joints allow; joint angles up to spread [rad]."""
    rng = np.random.default_rng(seed)
    R = exponential(rng.normal(scale=0.2, size=3))
    pose = dense.pose(rng.uniform(-spread, spread, dense.robot.n_joints), rng.normal(scale=0.1, size=3), R)
    rates = rng.normal(size=dense.robot.n_joints)
    return pose, dense.velocities(pose, rng.normal(scale=0.3, size=3), rng.normal(size=3), rates)


def pressed_state(dense: DenseRobot, seed: int = 0, depth: float = 0.01, spread: float = 0.4) -> tuple[Pose, Array]:
    """A random state with its lowest sphere depth [m] under the plane z = 0: it touches at a few spheres and slips.

    Most of these have unique impulses; `spatial_step.velocity_spread` tells.
    """
    rng = np.random.default_rng(seed)
    tilt = exponential([rng.uniform(-3.0, 3.0), 0.0, 0.0]) @ exponential(rng.normal(scale=0.03, size=3))
    pose = dense.pose(rng.uniform(-spread, spread, dense.robot.n_joints), (0.0, 0.0, 0.0), tilt)
    pose = dense.put_down(pose, -depth)
    velocity = rng.normal(scale=0.2, size=3) - np.array([0.0, 0.0, 0.1])
    rates = rng.normal(scale=0.5, size=dense.robot.n_joints)
    return pose, dense.velocities(pose, velocity, rng.normal(scale=0.5, size=3), rates)
