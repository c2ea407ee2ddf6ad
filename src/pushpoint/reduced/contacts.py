"""Contacts with fixed pegs, and the relation between joint torques and contact forces, Holden2014 (34).

A peg that touches the side of link i has its centre at the distance `along` from the link's centre of mass, measured
along the link, and at the distance `standoff` from its axis. It stays at that distance from the axis while the link
slides past. With t and n the directions along the link and to its left, r its centre of mass, and d = -side standoff:

    n.r_dot + along theta_dot = 0,
    n.r_ddot + along theta_ddot - 2 theta_dot t.r_dot + d theta_dot^2 = 0.

The force is f (n + mu~ t), mu~ = -mu side sign(slip), (22); it acts where the surfaces touch, `surface` from the axis.
Holden2014 has points on the axis at the centre of mass (along = standoff = surface = 0), and its (32) has theta_dot
t.r_dot only once, as if the peg stayed there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.arrays import array_of_numbers
from pushpoint.model.checks import store
from pushpoint.reduced.robot import LARGEST, ReducedRobot, ReducedState, finite_array, link_numbers
from pushpoint.reduced.smooth import GroundFriction, SmoothTerms, smooth_terms

MOST_CONDITION = 1e10
"""Condition number of A_f above which contacts count as dependent [-]; forces would have no reliable digits."""

PARTING = 1e-4
"""Normal velocity below which links count as staying at their pegs [m/s]: from printed digits or a solver."""

_UNITS = {"side": "-", "along": "m", "surface": "m", "standoff": "m", "friction": "-"}
_LENGTHS = slice(2, None)  # those of them that must not be negative


@dataclass(frozen=True, kw_only=True, eq=False)
class Contacts:
    """Pegs that touch the robot's sides; arrays of shape (..., n_contacts), or single numbers for all contacts."""

    __repr__ = brief

    link: np.ndarray
    """Index of the touched link [-]."""
    side: np.ndarray
    """Side of the peg, gamma [-]: +1 to the link's right, -1 to its left; the sign of the contact force."""
    along: np.ndarray | float = 0.0
    """Position of the contact along the link, from its centre of mass toward the head, l [m]."""
    surface: np.ndarray | float = 0.0
    """Distance from the link's axis to the touching surfaces: the link's radius [m]."""
    standoff: np.ndarray | float = 0.0
    """Distance from the link's axis to the peg's centre: radius of the link and of the peg [m]."""
    friction: np.ndarray | float = 0.0
    """Coulomb coefficient between link and peg, mu [-]."""

    def __post_init__(self) -> None:
        link = link_numbers("contacts.link", self.link)
        given = [array_of_numbers(f"contacts.{name}", getattr(self, name), unit=unit) for name, unit in _UNITS.items()]
        try:
            values = np.empty((len(given), *np.broadcast_shapes(link.shape, *map(np.shape, given))))
            for row, value in zip(values, given, strict=True):
                row[...] = value
        except (TypeError, ValueError):
            raise _odd_one(given, link) from None
        fine = (np.abs(values) < LARGEST).all() and (values[_LENGTHS] >= 0.0).all() and (values[0] ** 2 == 1.0).all()
        if not fine or values.shape[-1] != link.shape[-1]:
            raise _odd_one(given, link)
        store(self, link=link, **dict(zip(_UNITS, values, strict=True)))

    @property
    def count(self) -> int:
        """Number of contacts of one robot [-]."""
        return int(self.link.shape[-1])


@dataclass(frozen=True, kw_only=True, eq=False)
class ContactTerms:
    """The effect of contact forces on q = (theta, p), and the constraint of the contacts: J q_ddot + bias = 0."""

    __repr__ = brief

    J: np.ndarray
    """Normal velocity of the contacts per q_dot [m, then -], shape (..., n_contacts, n_links + 2)."""
    bias: np.ndarray
    """Normal acceleration of the contacts without q_ddot [m/s^2], shape (..., n_contacts)."""
    G: np.ndarray
    """Load on q per contact force, friction included [m, then -], shape (..., n_contacts, n_links + 2).

    The first n_links columns are G~^T of (34), the last two g_x and g_y of (23) and (24)."""
    slip: np.ndarray
    """Velocity of the link's surface along the peg [m/s], shape (..., n_contacts)."""
    parting: np.ndarray
    """Normal velocity J q_dot, zero for closed contacts [m/s], shape (..., n_contacts)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ForceRelation:
    """Holden2014 (34): A_f f_C + A_u joint_torque = b_f, so that torques determine the contact forces.

    A_f and b_f have the opposite sign of Holden's, so that A_f is an inverse mass; A_u is his, as our torques are the
    negative of his.
    """

    __repr__ = brief

    response: np.ndarray
    """Accelerations of q = (theta, p) per joint torque, without torque, and per contact force, without constraints.

    Shape (..., n_links + 2, n_joints + 1 + n_contacts) [rad/s^2 and m/s^2 per N m, per 1 and per N].
    """
    at_contacts: np.ndarray
    """The same normal accelerations of the contacts, [A_u, -b_f, A_f], (..., n_contacts, n_joints + 1 + n_contacts)."""

    @property
    def A_f(self) -> np.ndarray:
        """Normal acceleration of the contacts per contact force [1/kg], shape (..., n_contacts, n_contacts)."""
        count = self.at_contacts.shape[-2]
        return self.at_contacts[..., self.at_contacts.shape[-1] - count :]

    @property
    def A_u(self) -> np.ndarray:
        """Normal acceleration of the contacts per joint torque [1/(kg m)], shape (..., n_contacts, n_joints)."""
        return self.at_contacts[..., : self.response.shape[-2] - 3]

    @property
    def b_f(self) -> np.ndarray:
        """Normal acceleration that forces and torques must supply [m/s^2], shape (..., n_contacts)."""
        return -self.at_contacts[..., self.response.shape[-2] - 3]


@checked_arguments
def contact_terms(robot: ReducedRobot, state: ReducedState, contacts: Contacts, terms: SmoothTerms) -> ContactTerms:
    """Directions of the contact forces and of the normal velocities."""
    link, side = contacts.link, contacts.side
    if link.size and link.max() >= robot.n_links:
        raise InvalidModel("contacts.link", int(link.max()), f"below {robot.n_links}, the number of links")
    n, lead = robot.n_links, state.link_angle.ndim - 1
    if link.ndim > 1 and link.shape[:-1] != state.link_angle.shape[:-1]:
        raise InvalidModel(
            "contacts.link: leading shape", link.shape[:-1], f"{state.link_angle.shape[:-1]}, the state's"
        )
    axes = _rows(terms.axes, link)
    rate = state.link_rate[..., link] if link.ndim == 1 else np.take_along_axis(state.link_rate, link, axis=-1)
    v_t, inward = np.vecdot(axes, _rows(terms.motion, link))
    surface = side * contacts.surface
    slip = v_t + surface * rate
    drag = -contacts.friction * side * np.sign(slip)  # mu~ of (22), with sign(f) = side
    push, arm = np.empty((2, *slip.shape, 2)), np.empty((2, *slip.shape))
    push[0] = axes[1]
    np.multiply(drag[..., None], axes[0], out=push[1])
    push[1] += axes[1]
    arm[0] = contacts.along
    np.multiply(surface, drag, out=arm[1])
    arm[1] += contacts.along
    bias = -inward - rate * v_t
    if robot.paper_table:  # (32) does not have the rest
        arm[0] = 0.0
    else:
        bias -= rate * (v_t + side * contacts.standoff * rate)
    both = np.empty((2, *slip.shape, n + 2))
    both[..., n:] = push
    reach = robot.levers[:, link]
    if link.ndim == 1 and lead:
        reach = reach.reshape(2, *(1,) * lead, *reach.shape[1:])
    both[..., :n] = reach * np.matmul(push, terms.axes[1].mT) + arm[..., None] * robot.identity[link]
    parting = np.vecdot(both[0, ..., :n], state.link_rate[..., None, :])
    parting += np.vecdot(both[0, ..., n:], state.velocity[..., None, :])
    return ContactTerms(J=both[0], bias=bias, G=both[1], slip=slip, parting=parting)


@checked_arguments
def force_relation(robot: ReducedRobot, terms: SmoothTerms, touch: ContactTerms) -> ForceRelation:
    """A_f, A_u and b_f of (34)."""
    m = robot.n_joints
    loads = np.empty((*touch.G.shape[:-2], robot.n_links + 2, m + 1 + touch.G.shape[-2]))
    loads[..., :m] = robot.torque_map
    loads[..., m] = terms.load
    loads[..., m + 1 :] = touch.G.mT
    response = np.linalg.solve(terms.mass_matrix, loads)
    at_contacts = np.matmul(touch.J, response)
    at_contacts[..., m] += touch.bias
    return ForceRelation(response=response, at_contacts=at_contacts)


def _odd_one(given: list[Any], link: np.ndarray) -> InvalidModel:
    """The error about the first field of contacts that is wrong."""
    for (name, unit), value in zip(_UNITS.items(), given, strict=True):
        array = finite_array(f"contacts.{name}", value, unit)
        if array.ndim and array.shape[-1] != link.shape[-1]:
            return InvalidModel(f"contacts.{name}: shape", array.shape, f"{link.shape}, as that of contacts.link")
        if name == "side" and (np.abs(array) != 1.0).any():
            return InvalidModel("contacts.side", value, "+1 (peg to the right of the link) or -1 (left) each")
        if name not in ("side", "along") and (array < 0.0).any():
            return InvalidModel(f"contacts.{name}", float(array.min()), f">= 0 [{unit}]")
    return InvalidModel(
        "contacts: shapes", [np.shape(value) for value in given], f"those of contacts.link {link.shape}"
    )


def _dependent(contacts: Contacts, A_f: np.ndarray) -> InvalidModel:
    """The error about dependent contacts; it names those involved, in the worst robot of a batch."""
    flat = A_f.reshape(-1, *A_f.shape[-2:])
    worst = int(np.argmax(np.linalg.cond(flat)))
    weights = np.abs(np.linalg.svd(flat[worst])[2][-1])
    found = [int(k) for k in np.flatnonzero(weights > 0.1 * weights.max())]
    links = np.broadcast_to(contacts.link, A_f.shape[:-1]).reshape(-1, contacts.count)[worst]
    named = ", ".join(f"{k} (link {links[k]})" for k in found)
    return InvalidModel(
        "contacts", named, "independent: none of these can move without another, so leave one of them out"
    )


def _rows(array: np.ndarray, link: np.ndarray) -> np.ndarray:
    """Rows of the touched links, shape (2, ..., n_contacts, 2), of an array of shape (2, ..., n_links, 2)."""
    if link.ndim == 1:
        return array[..., link, :]
    return np.take_along_axis(array, link[None, ..., None], axis=-2)


@dataclass(frozen=True, kw_only=True, eq=False)
class ClosedDynamics:
    """The robot with its contacts closed; valid while side * force >= 0 at every contact, (39).

        f_C    = force_free + force_per_torque joint_torque
        q_ddot = free + per_torque joint_torque,    q = (theta, p)

    These are (36)-(38), divided by the masses.
    """

    __repr__ = brief

    force_free: np.ndarray
    """Contact forces without torques [N], shape (..., n_contacts)."""
    force_per_torque: np.ndarray
    """Contact forces per torque [1/m], shape (..., n_contacts, n_joints)."""
    free: np.ndarray
    """Accelerations without torques: links [rad/s^2], centre of mass [m/s^2]; shape (..., n_links + 2)."""
    per_torque: np.ndarray
    """Accelerations per torque [1/(kg m^2), then 1/(kg m)], shape (..., n_links + 2, n_joints)."""

    def contact_force(self, joint_torque: np.ndarray) -> np.ndarray:
        """Contact forces, positive toward the link's left [N], shape (..., n_contacts)."""
        return self.force_free + np.matvec(self.force_per_torque, joint_torque)

    def acceleration(self, joint_torque: np.ndarray) -> np.ndarray:
        """Accelerations of links [rad/s^2] and centre of mass [m/s^2], shape (..., n_links + 2)."""
        return self.free + np.matvec(self.per_torque, joint_torque)


@checked_arguments
def closed_dynamics(contacts: Contacts, relation: ForceRelation) -> ClosedDynamics:
    """Eliminates the contact forces; raises InvalidModel if contacts depend on each other."""
    A_f = relation.A_f
    try:
        inverse = np.linalg.inv(A_f)
    except np.linalg.LinAlgError:
        raise _dependent(contacts, A_f) from None
    flat, flat_inverse = (matrix.reshape(*A_f.shape[:-2], -1) for matrix in (A_f, inverse))
    squared = np.vecdot(flat, flat) * np.vecdot(flat_inverse, flat_inverse)  # of the condition in Frobenius' norm
    if not (squared < MOST_CONDITION**2).all():  # torques do not determine each force
        raise _dependent(contacts, A_f)
    applied = relation.response.shape[-1] - contacts.count  # torques, and the loads without them
    force = np.matmul(-inverse, relation.at_contacts[..., :applied])
    motion = np.matmul(relation.response[..., applied:], force)
    motion += relation.response[..., :applied]
    return ClosedDynamics(
        force_free=force[..., -1], force_per_torque=force[..., :-1], free=motion[..., -1], per_torque=motion[..., :-1]
    )


@checked_arguments
def close(
    robot: ReducedRobot,
    ground: GroundFriction,
    state: ReducedState,
    contacts: Contacts,
    *,
    most_parting: float = PARTING,
) -> ClosedDynamics:
    """All of the above in one call, from a state and its contacts.

    Closed contacts have no normal velocity. InvalidModel is raised if a link leaves its peg or enters it faster than
    `most_parting` [m/s]. A measured state has some velocity: give what its errors allow, or infinity.
    """
    terms = smooth_terms(robot, ground, state)
    touch = contact_terms(robot, state, contacts, terms)
    if (np.abs(touch.parting) > most_parting).any():
        *_, k = worst = np.unravel_index(np.argmax(np.abs(touch.parting)), touch.parting.shape)
        allowed = f"at most {most_parting:g} m/s in size: a contact that is held has none"
        raise InvalidModel(f"state: normal velocity at contact {k}", float(touch.parting[worst]), allowed)
    return closed_dynamics(contacts, force_relation(robot, terms, touch))
