"""The discrete part of the hybrid state, which contacts are closed and what sticks, and the directions that go with it.

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

from pushpoint.event_driven.model import HybridModel
from pushpoint.reduced import ReducedState, SmoothTerms, smooth_terms

STICK, SLIDE, ONSET = 0, 1, 2
"""States of a support point; ONSET is a slide that has begun from rest and is still too slow to show its direction."""
REAR, SIDE, FRONT = -1, 0, 1
"""Where a peg touches a link: at an end circle or beside the straight side."""
CLEARANCE = 1e-9
"""How far a gap may fall below zero before it counts as an impact [m]."""
NOTHING = np.zeros(0, dtype=int)


@dataclass(frozen=True, kw_only=True, eq=False)
class Touching:
    """Closed contacts; arrays of shape (n_contacts,)."""

    link: np.ndarray
    """Link that is touched [-]."""
    peg: np.ndarray
    """Peg that touches it [-]."""
    place: np.ndarray
    """REAR, SIDE or FRONT."""
    slip: np.ndarray
    """0 sticks; +1 or -1 slides, the sign of the slip velocity."""

    rest: np.ndarray | None = None
    """Normal force and friction when the mode began [N], shape (n_contacts, 2); see ContactMode.ground_rest."""

    @property
    def count(self) -> int:
        """Number of contacts [-]."""
        return len(self.link)

    @property
    def forces(self) -> np.ndarray:
        """The forces of `rest`, zero where none are known [N], shape (n_contacts, 2)."""
        return np.zeros((self.count, 2)) if self.rest is None else self.rest

    def only(self, keep: np.ndarray) -> Touching:
        """Those of them that a mask names."""
        return Touching(
            link=self.link[keep],
            peg=self.peg[keep],
            place=self.place[keep],
            slip=self.slip[keep],
            rest=self.forces[keep],
        )


APART = Touching(link=NOTHING, peg=NOTHING, place=NOTHING, slip=NOTHING)
"""No contact."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ContactMode:
    """One node of the automaton."""

    contacts: Touching
    """Closed contacts."""
    ground: np.ndarray
    """STICK, SLIDE or ONSET of every support point, shape (n_points,)."""
    heading: np.ndarray
    """Direction in which a point at its ONSET begins to slide [-], shape (n_points, 2)."""
    spin: np.ndarray
    """0 for a link that the ground keeps from turning, else the sign of its rate, shape (n_links,)."""
    floor: np.ndarray
    """Gap below which an open pair of link and peg has met [m], shape (n_links, n_pegs)."""
    ground_rest: np.ndarray
    """Forces on the points that stick when the mode began [N], shape (n_points, 2).

    Where more points stick than the robot has freedoms the forces are not unique: those nearest to these are taken."""
    spin_rest: np.ndarray
    """Likewise the moments on links that do not turn [N m], shape (n_links,)."""


def all_sliding(model: HybridModel) -> ContactMode:
    """The mode of a robot that touches nothing and sticks nowhere."""
    n_points, n_links = len(model.ground_bound), model.n_links
    return ContactMode(
        contacts=APART,
        ground=np.full(n_points, SLIDE),
        heading=np.zeros((n_points, 2)),
        spin=np.ones(n_links, dtype=int),
        floor=np.full((n_links, model.n_pegs), -CLEARANCE),
        ground_rest=np.zeros((n_points, 2)),
        spin_rest=np.zeros(n_links),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Snapshot:
    """Everything about one state that does not depend on the mode."""

    q_dot: np.ndarray
    """Velocities of links [rad/s] and centre of mass [m/s], shape (n_links + 2,)."""
    angle: np.ndarray
    """Link angles [rad], shape (n_links,)."""
    terms: SmoothTerms
    """Inertia, centrifugal terms and friction without stick."""
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
    """Place of the peg along the link, from its centre of mass, beyond the ends too [m]."""
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
    angle, q_dot = state[:n], state[n + 2 :]
    terms = smooth_terms(
        model.robot,
        model.ground,
        ReducedState(center=state[n : n + 2], velocity=q_dot[n:], link_angle=angle, link_rate=q_dot[:n]),
    )
    position = state[n : n + 2] + model.robot.lever @ terms.axes[0]
    return Snapshot(q_dot=q_dot, angle=angle, terms=terms, position=position)


def gaps(model: HybridModel, at: Snapshot) -> tuple[np.ndarray, np.ndarray]:
    """Distances between the surfaces of all links and pegs [m], and where the pegs are along the links [m].

    Both of shape (n_links, n_pegs).
    """
    apart = model.peg_center - at.position[:, None, :]
    along = np.vecdot(apart, at.terms.axes[0][:, None, :])
    near = np.clip(along, model.side[0][:, None], model.side[1][:, None])
    reach = near[..., None] * at.terms.axes[0][:, None, :] - apart
    return np.sqrt(np.vecdot(reach, reach)) - model.peg_radius - model.robot.radius[:, None], along


def place_of(model: HybridModel, link: np.ndarray, along: np.ndarray) -> np.ndarray:
    """REAR, SIDE or FRONT of pegs that are at these places along their links."""
    beyond = np.where(along > model.side[1, link], FRONT, SIDE)
    return np.where(along < model.side[0, link], REAR, beyond)


def point_rows(model: HybridModel, at: Snapshot, link: np.ndarray, along: np.ndarray) -> np.ndarray:
    """Directions x and y of points of links, shape (n_points, 2, n_links + 2)."""
    n, left = model.n_links, at.terms.axes[1]
    rows = np.empty((len(link), 2, n + 2))
    rows[..., :n] = model.robot.lever[link][:, None, :] * left.T
    rows[np.arange(len(link)), :, link] += along[:, None] * left[link]
    rows[..., n:] = np.eye(2)
    return rows


def ground_rows(model: HybridModel, at: Snapshot, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of support points, shape (n, 2, n_links + 2), and their biases [m/s^2], shape (n, 2)."""
    link, offset = model.robot.support_link[points], model.robot.support_offset[points]
    inward = offset * at.rate[link] ** 2
    bias = -at.terms.motion[1][link] - inward[:, None] * at.terms.axes[0][link]
    return point_rows(model, at, link, offset), bias


def contact_rows(model: HybridModel, at: Snapshot, contacts: Touching) -> ContactRows:
    """Rows of closed contacts, each in the place that the mode gives it."""
    link, center = contacts.link, model.peg_center[contacts.peg]
    radius, rate = model.robot.radius[link], at.rate[link]
    (e, left), velocity = at.terms.axes[:, link], at.terms.motion[0][link]
    apart = center - at.position[link]
    along = np.vecdot(apart, e)
    beside = contacts.place == SIDE
    s = np.where(beside, along, np.where(contacts.place == REAR, model.side[0, link], model.side[1, link]))
    drift = np.where(beside, rate * np.vecdot(apart, left) - np.vecdot(velocity, e), 0.0)
    from_peg = s[:, None] * e - apart
    distance = np.sqrt(np.vecdot(from_peg, from_peg))
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
