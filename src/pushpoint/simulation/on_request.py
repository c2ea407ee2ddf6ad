"""Variables that a run has only on request, and how they are made from what the kernels sampled."""

from __future__ import annotations

from collections.abc import Sequence
from operator import methodcaller
from typing import Any

import numpy as np

from pushpoint.engine.sharing import Shared
from pushpoint.engine.spatial.kinematics import turned
from pushpoint.simulation.sampled import ON_LINKS
from pushpoint.worlds.record import Record
from pushpoint.worlds.world import World


def mean_of(totals: np.ndarray, interval: float) -> np.ndarray:
    """Change of running totals per interval; zero in the first sample, which has no interval before it."""
    return np.diff(totals, axis=1, prepend=totals[:, :1]) / interval


def means_on_request(
    worlds: Sequence[World], samples: dict[str, np.ndarray], every: int, dt: float
) -> dict[str, np.ndarray]:
    """Means over the recording interval of `every` steps, of those that the samples hold."""
    found = {}
    for name, key in ON_LINKS.items():
        if key in samples:
            found[name] = mean_of(samples[key], float(every) if name == "contact_count" else every * dt)
    for name in found.keys() & {"stop_power", "joint_moment"}:
        found[name] = found[name][:, :, :-1]  # the head has no joint in front
    if "sphere_force" in found:
        found["sphere_force"] = _per_sphere(worlds, found["sphere_force"])
    return found


def most_spheres(worlds: Sequence[World]) -> int:
    """Contact spheres of a link, the most of all [-]."""
    return int(_spheres(worlds).max())


def _spheres(worlds: Sequence[World]) -> np.ndarray:
    """Contact spheres of all links, shape (n_worlds, n_links)."""
    robots: Shared[Any] = Shared([world.robot for world in worlds])
    return robots.stack(lambda robot: [len(link.spheres) + len(link.wheel_spheres) for link in robot.links])


def _per_sphere(worlds: Sequence[World], flat: np.ndarray) -> np.ndarray:
    """From [world, sample, link * sphere] to one axis each, NaN beyond the spheres of a link."""
    counts = _spheres(worlds)
    whole = flat.reshape(*flat.shape[:2], counts.shape[1], -1)
    there = np.arange(whole.shape[-1]) < counts[..., None]
    return np.where(there[:, None], whole, np.nan)


def states_on_request(worlds: Sequence[World], states: dict[str, np.ndarray], record: Record) -> dict[str, np.ndarray]:
    """Energies and angular momentum, from recorded positions and velocities."""
    found = {}
    robots: Shared[Any] = Shared([world.robot for world in worlds])
    mass, inertia = (robots.stack(methodcaller("column", name))[:, None] for name in ("mass", "inertia"))
    velocity, omega = states["link_velocity"], states["link_angular_velocity"]
    if record.wants("kinetic_energy") or record.wants("angular_momentum"):
        if "link_orientation" in states:  # inertia is that of the link's own axes
            frames = states["link_orientation"]
            spin = turned(frames, inertia * turned(frames * [1.0, -1.0, -1.0, -1.0], omega))
        else:
            spin = inertia * omega
        if record.wants("kinetic_energy"):
            found["kinetic_energy"] = 0.5 * ((mass * (velocity**2).sum(-1)).sum(-1) + _product_sum(spin, omega))
        if record.wants("angular_momentum"):
            found["angular_momentum"] = _angular_momentum(mass, states, spin)
    if record.wants("potential_energy") and worlds[0].spatial:
        weight = np.array([world.robot.mass * world.environment.ground.gravity for world in worlds])
        found["potential_energy"] = weight[:, None] * states["center_of_mass"][..., 2]
    return found


def _product_sum(spin: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """Twice the energy of turning, shape (n_worlds, n_samples)."""
    summed: np.ndarray = (spin * omega).sum(axis=tuple(range(2, omega.ndim)))
    return summed


def _angular_momentum(mass: np.ndarray, states: dict[str, np.ndarray], spin: np.ndarray) -> np.ndarray:
    """About the centre of mass [kg m2/s], shape (n_worlds, n_samples) or (n_worlds, n_samples, 3)."""
    arm = states["link_position"] - states["center_of_mass"][:, :, None]
    momentum = mass[..., None] * states["link_velocity"]
    if arm.shape[-1] == 3:
        turning: np.ndarray = (np.cross(arm, momentum) + spin).sum(axis=2)
        return turning
    across: np.ndarray = arm[..., 0] * momentum[..., 1] - arm[..., 1] * momentum[..., 0]
    return np.asarray((across + spin).sum(axis=2))
