"""Holden2014 (36)-(39): motion and contact forces as functions of the joint torques alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pushpoint.reduced.contacts import (
    Contacts,
    ForceRelation,
    check_independent,
    contact_terms,
    dependent,
    force_relation,
)
from pushpoint.reduced.friction import GroundFriction
from pushpoint.reduced.robot import ReducedRobot
from pushpoint.reduced.smooth import smooth_terms
from pushpoint.reduced.state import ReducedState


@dataclass(frozen=True, kw_only=True, eq=False)
class ClosedDynamics:
    """The robot with its contacts held; valid while side * force >= 0 at every contact, (39).

    f_C    = force_free + force_per_torque joint_torque
    q_ddot = free + per_torque joint_torque,    q = (theta, p)      (36)-(38), divided by the masses
    """

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


def closed_dynamics(contacts: Contacts, relation: ForceRelation) -> ClosedDynamics:
    """The contact forces eliminated; contacts that depend on each other are refused."""
    try:
        inverse = np.linalg.inv(relation.A_f)
    except np.linalg.LinAlgError:
        raise dependent(contacts, relation.A_f) from None
    check_independent(contacts, relation.A_f, inverse)
    applied = relation.response.shape[-1] - contacts.count  # torques, and what acts without them
    force = np.matmul(-inverse, relation.at_contacts[..., :applied])
    motion = np.matmul(relation.response[..., applied:], force)
    motion += relation.response[..., :applied]
    return ClosedDynamics(
        force_free=force[..., -1], force_per_torque=force[..., :-1], free=motion[..., -1], per_torque=motion[..., :-1]
    )


def close(robot: ReducedRobot, ground: GroundFriction, state: ReducedState, contacts: Contacts) -> ClosedDynamics:
    """All of the above in one call, from a state and its contacts."""
    terms = smooth_terms(robot, ground, state)
    touch = contact_terms(robot, state, contacts, terms)
    return closed_dynamics(contacts, force_relation(robot, terms, touch))
