"""What a live simulation looks like at one time: everything that is drawn, as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.planar.kinematics import link_positions
from pushpoint.engine.settings import Status
from pushpoint.engine.spatial.kinematics import link_poses
from pushpoint.model.spatial_robot import AnyRobot, SpatialRobot


@dataclass(frozen=True, kw_only=True, eq=False)
class Look:
    """A live simulation at one time. Forces, torques and powers are means since the look before.

    Vectors have two components in the plane, three in space, along the axes of the world.
    """

    __repr__ = brief

    step: int
    """Time steps done [-]."""
    time: float
    """Simulated time [s]."""
    status: Status
    """How the world is doing."""
    mode: str
    """The controller's mode; empty if it has none."""
    link_position: np.ndarray
    """Centres of mass of the links [m], shape (n_links, 3); in the plane z is the link's radius."""
    link_orientation: np.ndarray
    """Unit quaternions w, x, y, z of the links [-], shape (n_links, 4)."""
    link_velocity: np.ndarray
    """Velocities of the links' centres of mass [m/s], shape (n_links, 2 or 3)."""
    center_of_mass: np.ndarray
    """Centre of mass of the robot [m], shape (2 or 3,)."""
    velocity: np.ndarray
    """Velocity of the centre of mass [m/s], same shape."""
    joint_angle: np.ndarray
    """Joint angles [rad], shape (n_joints,)."""
    joint_rate: np.ndarray
    """Joint rates [rad/s], same shape."""
    joint_reference: np.ndarray
    """Angles that the controller asks for [rad], same shape; NaN where it asks for none."""
    joint_torque: np.ndarray
    """Motor torques [N m], same shape."""
    joint_power: np.ndarray
    """Power of the motors [W], same shape."""
    ground_force: np.ndarray
    """Force of the ground on each link [N], shape (n_links, 2 or 3)."""
    obstacle_force: np.ndarray
    """Force of obstacles on each link [N], same shape."""
    contact_normal_force: np.ndarray
    """Obstacle force toward each link's left [N], shape (n_links,)."""
    obstacle_load: np.ndarray
    """Sum of the normal forces on each obstacle [N], shape (n_obstacles,)."""
    pushes: np.ndarray
    """Pushes on the links from outside, now [N], shape (n_links, 2 or 3)."""
    solver_iterations: int
    """Most iterations of a time step since the last sample [-]."""
    solver_residual: float
    """Largest violation of a force law since the last sample [m/s]."""
    penetration: float
    """Deepest overlap since the last sample [m]."""
    unconverged: int
    """Unconverged steps since the start [-]."""

    @property
    def speed(self) -> float:
        """Speed of the centre of mass, seen from above [m/s]."""
        return float(np.hypot(*self.velocity[:2]))

    @property
    def heading(self) -> np.ndarray:
        """Unit vector from the tail to the head, seen from above, shape (2,)."""
        along = self.link_position[-1, :2] - self.link_position[0, :2]
        size = float(np.hypot(*along))
        return np.asarray(along / size) if size > 0.0 else np.array([1.0, 0.0])

    @property
    def propulsion(self) -> np.ndarray:
        """Force of obstacles on each link along the heading [N], shape (n_links,)."""
        return np.asarray(self.obstacle_force[:, :2] @ self.heading)


def poses_in_space(robot: AnyRobot, state: Any) -> tuple[np.ndarray, np.ndarray]:
    """Centres of mass of the links of the only world [m], and their orientations, planar robots lying on the ground."""
    if isinstance(robot, SpatialRobot):
        return link_poses(robot, state.center[0], state.tail[0], state.angle[0])
    return lying(robot, link_positions(robot, state.center[0], state.theta[0]), state.theta[0])


def lying(robot: AnyRobot, places: np.ndarray, angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions [m] and orientations in space of planar links with centres and angles [rad] in the plane."""
    half, zero = angles / 2, np.zeros_like(angles)
    turned = np.stack((np.cos(half), zero, zero, np.sin(half)), axis=-1)
    return np.column_stack((places, robot.column("radius"))), turned
