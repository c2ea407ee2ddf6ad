"""The quadratic program of Holden2014 (53)-(56) that follows from a wanted motion, ready to be solved.

    minimise    u^T Q_u u + posture q_u |theta_ddot_f - a_f|^2_M + (z / scale)^T Q_z (z / scale)     (53)
    subject to  least <= side (force_free + force_per_torque u) <= limit     (54), with 0 in the paper and no limit
                A_e u + z = b_e                                              (55)
                |u| <= torque_limit                                          (56)

over joint torques u and slacks z. The rows of (55) are accelerations: two of the centre of mass, or one if it is
controlled in one direction, then one per chosen link. (The paper multiplies the first two by the mass.) Links that the
wish does not name are left free, f. Under load they buckle; the posture term, which the paper does not have, holds them
(docs/theory/force-mapping-stability.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pushpoint.brief import brief
from pushpoint.errors import InvalidModel
from pushpoint.mapping.limits import MappingBounds, MappingWeights
from pushpoint.mapping.wishes import MotionWish
from pushpoint.model.arguments import checked_arguments
from pushpoint.reduced.contacts import ClosedDynamics, Contacts, closed_dynamics, contact_terms, force_relation
from pushpoint.reduced.robot import ReducedRobot, ReducedState
from pushpoint.reduced.smooth import GroundFriction, smooth_terms

_CENTER = np.array([-2, -1])  # rows of the centre of mass in q = (theta, p)
RANK_TOLERANCE = 1e-10
"""Singular values below this share of the largest count as zero [-]; double precision leaves about 1e-13 after (34)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ForceMapping:
    """The force mapping at one instant. Its matrices can be read and tested without a solver."""

    __repr__ = brief

    closed: ClosedDynamics
    """Motion and contact forces as functions of the torques."""
    side: np.ndarray
    """Signs that the contact forces must have, gamma [-], shape (n_contacts,)."""
    links: np.ndarray
    """Indices of the links that the wish names [-], shape (n_d,)."""
    direction: np.ndarray | None
    """Unit vector along which the centre of mass is controlled, shape (2,); None: in both directions."""
    A_e: np.ndarray
    """Wanted accelerations per torque [1/(kg m), then 1/(kg m^2)], shape (n_rows, n_joints)."""
    b_e: np.ndarray
    """Accelerations that the torques must add [m/s^2, then rad/s^2], shape (n_rows,)."""
    scale: np.ndarray
    """One unit of slack in each row [m/s^2, then rad/s^2], shape (n_rows,)."""
    torque_limit: np.ndarray
    """Largest torques [N m], shape (n_joints,)."""
    least_force: np.ndarray
    """Least contact forces [N], shape (n_contacts,)."""
    force_limit: np.ndarray
    """Largest contact forces [N], shape (n_contacts,)."""
    torque_cost: np.ndarray
    """Quadratic cost of the torques [1/(N m)^2], shape (n_joints, n_joints).

    The first two terms of (53) are u^T torque_cost u - 2 posture_pull^T u, up to a constant.
    """
    posture_pull: np.ndarray
    """Linear cost of the torques, from the posture [1/(N m)], shape (n_joints,)."""
    weights: MappingWeights
    """The cost."""

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """Name and unit of each row of the wish."""
        names = ["center x", "center y"]
        if self.direction is not None:
            names = [f"center along ({self.direction[0]:.3g}, {self.direction[1]:.3g})"]
        center = tuple((name, "m/s^2") for name in names)
        return center + tuple((f"link {link}", "rad/s^2") for link in self.links)

    @cached_property
    def rank(self) -> int:
        """Rank of A_e [-]."""
        return int(self._directions.shape[1])

    @cached_property
    def solvable(self) -> bool:
        """Whether some torques, of any size and with contact forces of any sign, fulfil the wish.

        Holden2014, VI-A (Rouché-Capelli): the rank of [A_e, b_e] equals that of A_e, so b_e lies in the span of A_e.
        """
        b = self.b_e / self.scale
        outside = b - self._directions @ (self._directions.T @ b)
        return bool(np.linalg.norm(outside) <= 1e-9 * max(1.0, float(np.linalg.norm(b))))

    @cached_property
    def _directions(self) -> np.ndarray:
        U, size, _ = np.linalg.svd(self.A_e / self.scale[:, None], full_matrices=False)
        return U[:, size > RANK_TOLERANCE * size[0]]


@checked_arguments
def build_force_mapping(
    robot: ReducedRobot,
    ground: GroundFriction,
    state: ReducedState,
    contacts: Contacts,
    wish: MotionWish,
    bounds: MappingBounds,
    weights: MappingWeights = MappingWeights(),  # noqa: B008
) -> ForceMapping:
    """Builds the quadratic program for one state.

    Args:
        robot: The reduced model of the robot.
        ground: Friction of the ground.
        state: Pose and velocities of one robot.
        contacts: At least one contact; they must be independent.
        wish: The wanted accelerations.
        bounds: Limits of torques and peg forces.
        weights: Weights of the cost.

    Raises:
        InvalidModel: There are no contacts, or they depend on each other.
    """
    if contacts.count == 0:
        raise InvalidModel("contacts", 0, "at least one: without pegs there is nothing to push against")
    if contacts.link.ndim > 1 or state.link_angle.ndim > 1:
        raise InvalidModel(
            "state.link_angle: shape", state.link_angle.shape, f"({robot.n_links},): one robot at a time"
        )
    links = wish.links
    if links.size and int(links.max()) >= robot.n_links:
        raise InvalidModel("wish.links", int(links.max()), f"below {robot.n_links}, the number of links")
    torque_limit, least_force, force_limit = bounds.of(robot.n_joints, contacts.count)
    terms = smooth_terms(robot, ground, state)
    closed = closed_dynamics(contacts, force_relation(robot, terms, contact_terms(robot, state, contacts, terms)))
    torque_cost, posture_pull = _posture_cost(wish, weights, closed, terms.mass_matrix)
    rows = np.concatenate((_CENTER, links))
    per_torque = closed.per_torque[rows]
    missing = np.concatenate((wish.center_acceleration, wish.link_acceleration)) - closed.free[rows]
    if wish.direction is not None:
        per_torque = np.vstack((wish.direction @ per_torque[:2], per_torque[2:]))
        missing = np.concatenate(([wish.direction @ missing[:2]], missing[2:]))
    center_scale = weights.center_scale or weights.link_scale * robot.mean_length
    if not isinstance(weights.slack, float):
        weights.slack_matrix(len(missing))  # its size is checked
    return ForceMapping(
        closed=closed,
        side=contacts.side,
        links=links,
        direction=wish.direction,
        A_e=per_torque,
        b_e=missing,
        scale=np.array([center_scale] * (len(missing) - len(links)) + [weights.link_scale] * len(links)),
        torque_limit=torque_limit,
        least_force=least_force,
        force_limit=force_limit,
        torque_cost=torque_cost,
        posture_pull=posture_pull,
        weights=weights,
    )


def _posture_cost(
    wish: MotionWish, weights: MappingWeights, closed: ClosedDynamics, mass_matrix: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Quadratic and linear torque cost of the posture; see ForceMapping."""
    n, m = closed.per_torque.shape[0] - 2, closed.per_torque.shape[1]
    free = np.delete(np.arange(n), wish.links) if weights.posture else wish.links[:0]
    Q_u = weights.torque_matrix(m)
    if not free.size:
        return Q_u, np.zeros(m)
    if wish.posture is None or wish.posture.shape != (n,):
        given = None if wish.posture is None else wish.posture.shape
        raise InvalidModel("wish.posture: shape", given, f"({n},), as weights.posture = {weights.posture:g}")
    A_f, M_ff = closed.per_torque[free], mass_matrix[np.ix_(free, free)]
    price = Q_u.diagonal().mean() * weights.posture * A_f.T @ M_ff
    return Q_u + price @ A_f, price @ (wish.posture[free] - closed.free[free])
