"""Positions of the links, from the centre of mass and the link angles; NumPy or torch, any leading dimensions."""

from __future__ import annotations

import numpy as np

from pushpoint.engine.on_device.namespaces import namespace_of
from pushpoint.model.planar_robot import PlanarRobot
from pushpoint.model.spatial_robot import AnyRobot


def directions(theta: np.ndarray) -> np.ndarray:
    """Unit vectors along the links, shape (..., n_links, 2)."""
    space = namespace_of(theta)
    return space.stack((space.cos(theta), space.sin(theta)), axis=-1)


def about_heading_zero(joint_angle: np.ndarray) -> np.ndarray:
    """Link angles with these joint angles and mean zero [rad], shape (n_joints + 1,)."""
    theta = np.concatenate(([0.0], np.cumsum(joint_angle)))
    return theta - theta.mean()


def to_mass(robot: AnyRobot) -> np.ndarray:
    """Distance from each link's rear joint to its centre of mass [m], shape (n_links,)."""
    return robot.column("length") / 2 + robot.column("mass_offset")


def rear_joints(robot: PlanarRobot, center: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """Rear joints of the links [m], shape (..., n_links, 2), from the robot's centre of mass."""
    e = directions(theta)
    steps = robot.column("length")[:, None] * e
    joints = np.cumsum(steps, axis=-2) - steps
    masses = robot.column("mass")[:, None]
    mean = ((joints + to_mass(robot)[:, None] * e) * masses).sum(axis=-2) / robot.mass
    return joints + (np.asarray(center) - mean)[..., None, :]


def link_positions(robot: PlanarRobot, center: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """Centres of mass of the links [m], shape (..., n_links, 2)."""
    return rear_joints(robot, center, theta) + to_mass(robot)[:, None] * directions(theta)


def link_weights(robot: PlanarRobot, link: int) -> np.ndarray:
    """Lengths [m], shape (n_links,): times the links' directions they lead from the robot's centre of mass to a link's.

    Each direction counts with the way along that link to this one, less the mean way to all of them.
    """
    length, mass, ahead = robot.column("length"), robot.column("mass"), to_mass(robot)
    ways = np.tril(np.broadcast_to(length, (robot.n_links, robot.n_links)), -1) + np.diag(ahead)
    return np.asarray(ways[link] - (mass[:, None] * ways).sum(axis=0) / robot.mass)


def rigid_velocities(robot: PlanarRobot, theta: np.ndarray, omega: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    """Velocities of the links' centres of mass [m/s] that keep the joints closed, given the robot's velocity."""
    e = directions(theta)
    left = np.stack((-e[..., 1], e[..., 0]), axis=-1)
    steps = (robot.column("length") * omega)[..., None] * left
    links = np.cumsum(steps, axis=-2) - steps + (to_mass(robot) * omega)[..., None] * left
    masses = robot.column("mass")[:, None]
    mean = (links * masses).sum(axis=-2) / robot.mass
    return links + (np.asarray(velocity) - mean)[..., None, :]
