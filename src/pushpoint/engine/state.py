"""The changing part: pose, velocities, and the impulses that the next step starts from."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np


@dataclass(frozen=True, kw_only=True)
class AnyState:
    """What planar and spatial worlds have in common; vectors have two numbers in the plane, three in space."""

    step: np.ndarray
    """Steps done [-], shape (n_worlds,)."""
    status: np.ndarray
    """Kernel status codes [-], shape (n_worlds,)."""
    center: np.ndarray
    """Centre of mass of the robot [m], shape (n_worlds, 2 or 3)."""
    v: np.ndarray
    """Velocities of the links' centres of mass [m/s], shape (n_worlds, n_links, 2 or 3)."""
    n_contacts: np.ndarray
    """Contacts in the last step [-], shape (n_worlds, n_links); in the plane those with obstacles."""
    contact_key: np.ndarray
    """What these contacts belong to, in the plane a feature of an obstacle [-], shape (n_worlds, n_links, n_slots)."""

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Names of all fields."""
        return tuple(field.name for field in fields(cls))


@dataclass(frozen=True, kw_only=True)
class State(AnyState):
    """State of all worlds at one time; restoring it continues the run bit for bit.

    The pose is the robot's centre of mass and the link angles: joints are closed by construction. Velocities are kept
    per link, as the time stepping of Transeth2008a needs them.
    """

    theta: np.ndarray
    """Link angles [rad], shape (n_worlds, n_links)."""
    omega: np.ndarray
    """Angular velocities of the links [rad/s], shape (n_worlds, n_links)."""
    P_ground: np.ndarray
    """Friction impulses of the last step, in the law's coordinates [N s], shape (n_worlds, n_links, n_points, 2)."""
    P_spin: np.ndarray
    """Spin-friction impulses of the last step [N m s], shape (n_worlds, n_links)."""
    P_stop: np.ndarray
    """Impulses of the end stops of the joint in front of each link in the last step [N m s], same shape."""
    P_contact: np.ndarray
    """Normal and tangential impulses of the contacts [N s], shape (n_worlds, n_links, n_slots, 2)."""


@dataclass(frozen=True, kw_only=True)
class SpatialState(AnyState):
    """State of all spatial worlds at one time; restoring it continues the run bit for bit.

    The pose is the robot's centre of mass, the tail's orientation and the joint angles: joints are closed by
    construction. Velocities are kept per link, as the time stepping of Transeth2008b needs them.
    """

    tail: np.ndarray
    """Orientation of the tail link, unit quaternions w, x, y, z, shape (n_worlds, 4)."""
    angle: np.ndarray
    """Joint angles [rad], shape (n_worlds, n_joints)."""
    rate: np.ndarray
    """Joint rates [rad/s], same shape."""
    omega: np.ndarray
    """Angular velocities of the links in their own frames [rad/s], shape (n_worlds, n_links, 3)."""
    v_change: np.ndarray
    """What the last step changed of the velocities of the links' rear joints [m/s], shape (n_worlds, n_links, 3)."""
    w_change: np.ndarray
    """The same of their angular velocities, world axes [rad/s], same shape."""
    P_stop: np.ndarray
    """Impulses of the end stops in the last step [N m s], shape (n_worlds, n_joints)."""
    P_contact: np.ndarray
    """Normal and friction impulses of contacts, in the law's coordinates [N s], (n_worlds, n_links, n_slots, 3)."""
    Q_contact: np.ndarray
    """Their spin and rolling impulses [N m s], same shape."""
    n_self: np.ndarray
    """Contacts between links of the robot in the last step [-], shape (n_worlds,)."""
    self_key: np.ndarray
    """Which two links these belong to [-], shape (n_worlds, n_self_slots)."""
    P_self: np.ndarray
    """Their normal and tangential impulses [N s], shape (n_worlds, n_self_slots, 3)."""
