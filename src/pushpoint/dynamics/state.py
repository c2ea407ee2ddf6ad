"""The changing part: pose, velocities, and the impulses that the next step starts from."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np


@dataclass(frozen=True, kw_only=True)
class State:
    """State of all worlds at one time; restoring it continues the run bit for bit.

    The pose is the robot's centre of mass and the link angles: joints are closed by construction. Velocities are kept
    per link, as the time stepping of Transeth2008a needs them.
    """

    step: np.ndarray
    """Steps done [-], shape (n_worlds,)."""
    center: np.ndarray
    """Centre of mass of the robot [m], shape (n_worlds, 2)."""
    theta: np.ndarray
    """Link angles [rad], shape (n_worlds, n_links)."""
    v: np.ndarray
    """Velocities of the links' centres of mass [m/s], shape (n_worlds, n_links, 2)."""
    omega: np.ndarray
    """Angular velocities of the links [rad/s], shape (n_worlds, n_links)."""
    P_ground: np.ndarray
    """Friction impulses of the last step, in the law's coordinates [N s], shape (n_worlds, n_links, n_points, 2)."""
    P_spin: np.ndarray
    """Spin-friction impulses of the last step [N m s], shape (n_worlds, n_links)."""
    P_stop: np.ndarray
    """Impulses of the end stops of the joint in front of each link in the last step [N m s], same shape."""
    n_contacts: np.ndarray
    """Contacts with obstacles in the last step [-], shape (n_worlds, n_links)."""
    contact_key: np.ndarray
    """Which obstacle and which of its features these contacts belong to [-], shape (n_worlds, n_links, n_slots)."""
    P_contact: np.ndarray
    """Normal and tangential impulses of these contacts [N s], shape (n_worlds, n_links, n_slots, 2)."""
    status: np.ndarray
    """Kernel status codes [-], shape (n_worlds,)."""

    @staticmethod
    def names() -> tuple[str, ...]:
        """Names of all fields."""
        return tuple(field.name for field in fields(State))
