"""Directions, velocities and accelerations of contacts and support points at a state.

A row W gives a velocity W q_dot and the load W^T of a unit force, in the coordinates q = (theta, p); its acceleration
is W q_ddot + bias. Q is the point of a link's axis nearest to a peg's centre H, n = (Q - H)/|Q - H|, t = (-n_y, n_x).
Beside the straight side Q moves along the link and n turns with it; at an end Q is fixed in the link and n turns as Q
goes round the peg:

    gamma_N = n.v_Q,                 gamma_N_dot = n.a_Q + Omega t.v_Q,
    gamma_T = t.v_Q - R omega,       gamma_T_dot = t.a_Q - Omega n.v_Q - R omega_dot.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pushpoint.event_driven.model import HybridModel, LinkPart, Touching
from pushpoint.reduced import ReducedState, SmoothTerms, smooth_terms


@dataclass(frozen=True, kw_only=True, eq=False)
class Snapshot:
    """Everything about a state that does not depend on the mode."""

    q_dot: np.ndarray
    """Velocities of links [rad/s] and centre of mass [m/s], shape (n_links + 2,)."""
    angle: np.ndarray
    """Link angles [rad], shape (n_links,)."""
    terms: SmoothTerms
    """Inertia, centrifugal terms and friction that cannot stick."""
    position: np.ndarray
    """Centres of mass of the links [m], shape (n_links, 2)."""

    @property
    def rate(self) -> np.ndarray:
        """Angular velocities of the links [rad/s], shape (n_links,)."""
        return self.q_dot[:-2]


@dataclass(frozen=True, kw_only=True, eq=False)
class ContactRows:
    """Closed contacts at a state; first dimension n_contacts."""

    gap: np.ndarray
    """Distance between the surfaces [m]."""
    along: np.ndarray
    """Position of the peg along the link, from its centre of mass, also beyond the ends [m]."""
    W_N: np.ndarray
    """Normal direction, away from the peg, shape (n_contacts, n_links + 2)."""
    W_T: np.ndarray
    """Tangential direction of the link's surface, same shape."""
    gamma_N: np.ndarray
    """Normal velocity [m/s]."""
    gamma_T: np.ndarray
    """Slip velocity [m/s]."""
    bias_N: np.ndarray
    """Normal acceleration without q_ddot [m/s^2]."""
    bias_T: np.ndarray
    """Tangential acceleration without q_ddot [m/s^2]."""


def snapshot(model: HybridModel, state: np.ndarray) -> Snapshot:
    """Terms of a state (q, q_dot)."""
    n = model.n_links
    angle, center, q_dot = state[:n], state[n : n + 2], state[n + 2 :]
    pose = ReducedState(center=center, velocity=q_dot[n:], link_angle=angle, link_rate=q_dot[:n], load=model.load)
    terms = smooth_terms(model.robot, model.ground, pose)
    return Snapshot(q_dot=q_dot, angle=angle, terms=terms, position=center + model.robot.lever @ terms.axes[0])


def lengths(vectors: np.ndarray) -> np.ndarray:
    """Lengths of vectors, in their unit, without the last dimension."""
    return np.sqrt(np.vecdot(vectors, vectors))


def signs(values: np.ndarray) -> np.ndarray:
    """+1 or -1, never 0."""
    return np.where(values < 0.0, -1, 1)


def gaps(model: HybridModel, at: Snapshot) -> tuple[np.ndarray, np.ndarray]:
    """Distances between the surfaces of all links and pegs [m], and positions of the pegs along the links [m].

    Both of shape (n_links, n_pegs).
    """
    apart = model.peg_center - at.position[:, None, :]
    along = np.vecdot(apart, at.terms.axes[0][:, None, :])
    near = np.clip(along, model.side[0][:, None], model.side[1][:, None])
    reach = near[..., None] * at.terms.axes[0][:, None, :] - apart
    return lengths(reach) - model.peg_radius - model.robot.radius[:, None], along


def place_of(model: HybridModel, link: np.ndarray, along: np.ndarray) -> np.ndarray:
    """The LinkPart of pegs at these positions along their links."""
    beyond = np.where(along > model.side[1, link], LinkPart.FRONT, LinkPart.SIDE)
    return np.where(along < model.side[0, link], LinkPart.REAR, beyond)


def point_velocities(model: HybridModel, at: Snapshot) -> np.ndarray:
    """Velocities of the support points along and across their links, scaled as their friction is [m/s].

    Shape (n_points, 2). An ellipse of forces f = S z is a disc of z, and z opposes S v where it slides.
    """
    link, offset = model.robot.support_link, model.robot.support_offset
    velocity = at.terms.motion[0][link] + (offset * at.rate[link])[:, None] * at.terms.axes[1][link]
    return np.asarray(np.matvec(_frames(model, at, slice(None)), velocity))


def _frames(model: HybridModel, at: Snapshot, points: np.ndarray | slice) -> np.ndarray:
    """From the world's axes to a point's scaled ones, S (e, left), shape (n, 2, 2)."""
    axes = at.terms.axes[:, model.robot.support_link[points]]
    return model.ground_scale[points][..., None] * axes.swapaxes(0, 1)


def point_rows(model: HybridModel, at: Snapshot, link: np.ndarray, along: np.ndarray) -> np.ndarray:
    """Directions x and y of points of links, shape (n_points, 2, n_links + 2)."""
    n, left = model.n_links, at.terms.axes[1]
    rows = np.empty((len(link), 2, n + 2))
    rows[..., :n] = model.robot.lever[link][:, None, :] * left.T
    rows[np.arange(len(link)), :, link] += along[:, None] * left[link]
    rows[..., n:] = np.eye(2)
    return rows


def ground_rows(model: HybridModel, at: Snapshot, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scaled rows of support points, shape (n, 2, n_links + 2), and their biases at rest [m/s^2], shape (n, 2)."""
    link, offset = model.robot.support_link[points], model.robot.support_offset[points]
    inward = offset * at.rate[link] ** 2
    bias = -at.terms.motion[1][link] - inward[:, None] * at.terms.axes[0][link]
    frames = _frames(model, at, points)
    return frames @ point_rows(model, at, link, offset), np.matvec(frames, bias)


def sideways(
    model: HybridModel, at: Snapshot, contacts: Touching, touch: ContactRows, normal: np.ndarray, tangential: np.ndarray
) -> np.ndarray:
    """Sum of contact forces or impulses on each link toward its left, in their unit, shape (n_links,)."""
    force = normal[:, None] * touch.W_N[:, -2:] + tangential[:, None] * touch.W_T[:, -2:]
    found = np.zeros(model.n_links)
    np.add.at(found, contacts.link, np.vecdot(force, at.terms.axes[1][contacts.link]))
    return found


def stop_gaps(model: HybridModel, at: Snapshot) -> np.ndarray:
    """Angles of the joints to their lower and upper end stops [rad], shape (2, n_joints)."""
    angle = np.diff(at.angle)
    return np.stack((angle - model.stops[0], model.stops[1] - angle))


def stop_rows(model: HybridModel, joints: np.ndarray, side: np.ndarray) -> np.ndarray:
    """Directions away from the stops on which joints rest, shape (n, n_links + 2); side: 1 for the upper, -1 lower."""
    rows = np.zeros((len(joints), model.n_coordinates))
    k = np.arange(len(joints))
    rows[k, joints + 1], rows[k, joints] = -side, side
    return rows


def contact_rows(model: HybridModel, at: Snapshot, contacts: Touching) -> ContactRows:
    """Rows of closed contacts, each at the part of the link that the mode gives."""
    link, center = contacts.link, model.peg_center[contacts.peg]
    radius, rate = model.robot.radius[link], at.rate[link]
    (e, left), velocity = at.terms.axes[:, link], at.terms.motion[0][link]
    apart = center - at.position[link]
    along = np.vecdot(apart, e)
    beside = contacts.place == LinkPart.SIDE
    s = np.where(beside, along, np.where(contacts.place == LinkPart.REAR, model.side[0, link], model.side[1, link]))
    drift = np.where(beside, rate * np.vecdot(apart, left) - np.vecdot(velocity, e), 0.0)
    from_peg = s[:, None] * e - apart
    distance = lengths(from_peg)
    normal = from_peg / distance[:, None]
    tangent = np.stack((-normal[:, 1], normal[:, 0]), axis=-1)
    v_Q = velocity + (s * rate)[:, None] * left
    turning = np.where(beside, rate, np.vecdot(tangent, v_Q) / distance)
    a_Q = -at.terms.motion[1][link] - (s * rate**2)[:, None] * e + (drift * rate)[:, None] * left
    rows = point_rows(model, at, link, s)
    W_T = np.matvec(rows.mT, tangent)
    W_T[np.arange(len(link)), link] -= radius
    return ContactRows(
        gap=distance - model.peg_radius[contacts.peg] - radius,
        along=along,
        W_N=np.matvec(rows.mT, normal),
        W_T=W_T,
        gamma_N=np.vecdot(normal, v_Q),
        gamma_T=np.vecdot(tangent, v_Q) - radius * rate,
        bias_N=np.vecdot(normal, a_Q) + turning * np.vecdot(tangent, v_Q),
        bias_T=np.vecdot(tangent, a_Q) - turning * np.vecdot(normal, v_Q),
    )
