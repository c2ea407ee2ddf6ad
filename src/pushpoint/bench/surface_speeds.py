"""How fast the surface of a robot moves at most: a world may go as deep as that in one step."""

from __future__ import annotations

from typing import Any

import numpy as np

from pushpoint.engine.spatial.kinematics import link_poses, rotation_of, turned

LOOKED_AT_ONCE = 50
"""Samples whose surface speed is computed together [-]."""


def fastest_point(robot: Any, samples: dict[str, np.ndarray]) -> float:
    """The largest surface speed of a run [m/s]; only samples that may contain it are examined closely."""
    reach = np.array([max(np.linalg.norm(s.position) + s.radius for s in link.spheres) for link in robot.links])
    reach = reach + np.abs(robot.column("mass_offset"))
    turning = np.linalg.norm(samples["omega"], axis=-1) * reach
    at_most = (np.linalg.norm(samples["v"], axis=-1) + turning).max(axis=1)
    order, found = np.argsort(-at_most), 0.0
    for first in range(0, len(order), LOOKED_AT_ONCE):
        rows = order[first : first + LOOKED_AT_ONCE]
        if not at_most[rows[0]] > found:
            break
        _places, frames = link_poses(robot, *(samples[name][rows] for name in ("center", "tail", "angle")))
        omega = turned(frames, samples["omega"][rows])
        found = max(found, float(surface_speed(robot, frames, samples["v"][rows], omega).max()))
    return found


def fastest_planar_point(robot: Any, samples: dict[str, np.ndarray]) -> float:
    """An upper bound of the speed of any point of a link in a planar run [m/s]."""
    reach = robot.column("length") / 2 + robot.column("radius") + np.abs(robot.column("mass_offset"))
    return float((np.linalg.norm(samples["v"], axis=-1) + np.abs(samples["omega"]) * reach).max())


def surface_speed(robot: Any, orientation: np.ndarray, velocity: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """Speed of the fastest point of every link's surface [m/s], shape (..., n_links).

    Links are hulls of spheres, so the fastest point lies on one. Among the points around a centre that moves at v, the
    fastest has sqrt(v_along^2 + (v_across + |omega| r)^2), along and across omega.
    """
    R = rotation_of(orientation)
    spin = np.linalg.norm(omega, axis=-1)
    axis = omega / np.maximum(spin, 1e-300)[..., None]
    fastest = np.zeros(spin.shape)
    for i, link in enumerate(robot.links):
        for sphere in link.spheres:
            arm = R[..., i, :, :] @ (np.array(sphere.position) - np.array([link.mass_offset, 0.0, 0.0]))
            v = velocity[..., i, :] + np.cross(omega[..., i, :], arm)
            along = (v * axis[..., i, :]).sum(axis=-1)
            across = np.linalg.norm(v - along[..., None] * axis[..., i, :], axis=-1)
            fastest[..., i] = np.maximum(fastest[..., i], np.hypot(along, across + spin[..., i] * sphere.radius))
    return fastest
