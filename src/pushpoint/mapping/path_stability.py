"""Whether the links that a force mapping leaves free stay on a path, or buckle under their load.

At each position of a path the robot is held by the pegs that touch it and moves at some speed. A law gives its torques,
ignoring limits. What (53)-(56) control decays by itself, (50)-(52). The motions that contacts and wish leave free, xi,
are linearised,

    xi_ddot = c + K xi + V xi_dot.

On rails the wish is fulfilled only approximately, and xi are all motions that the contacts allow. If some xi grows, the
posture on the path cannot be kept there. If none does, it settles at an offset -K^-1 c. The paper's law has growth
under load; with a posture term above `least_stiffness` nothing grows (docs/theory/force-mapping-stability.md).
Positions are examined one by one, as if each lasted: this certifies each instant, not the whole path.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.batching import pick
from pushpoint.errors import InvalidModel
from pushpoint.mapping.limits import MappingWeights
from pushpoint.mapping.path_quality import Travel, beside_links, task_links
from pushpoint.mapping.rails import RailCosts, lay_rails, rail_metric, state_of
from pushpoint.mapping.wishes import Gains
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.environment import Peg
from pushpoint.reduced.contacts import (
    ClosedDynamics,
    Contacts,
    ContactTerms,
    ForceRelation,
    closed_dynamics,
    contact_terms,
    force_relation,
)
from pushpoint.reduced.robot import ReducedRobot
from pushpoint.reduced.smooth import GroundFriction, SmoothTerms, smooth_terms

FIRM = Gains(center_stiffness=400.0, center_damping=40.0, link_stiffness=400.0, link_damping=40.0)
"""Gains of the closed loop on rails, for all rows."""
STEP, RATE_STEP = 1e-6, 1e-5
"""Changes of coordinates [kg^0.5 m] and of their rates [kg^0.5 m/s] for finite differences.

A coordinate of one unit turns light links by tens of radians.
"""
CORRECTIONS = 3
"""Newton steps that bring a changed pose back to its pegs [-]."""
DEPENDENT = 1e-9
"""Share of the largest singular value below which rows of a wish count as dependent [-]."""
SOFTEST, STIFFEST = 1e-3, 1e4
"""Range of joint stiffness in which the least one is searched [N m/rad].

Far beyond it, finite differences lose all accuracy.
"""
CLOSENESS = 1e-3
"""Relative accuracy of the least stiffness [-]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PathStability:
    """How motions about a path grow or decay at each position of the head."""

    __repr__ = brief

    head: np.ndarray
    """Arc length of the head's front end [m], shape (n_positions,)."""
    growth: np.ndarray
    """Largest real part of an eigenvalue [1/s], shape (n_positions,).

    Infinite where no peg touches or contacts depend on each other, minus infinite where nothing is left free.
    """
    offset: np.ndarray
    """Largest angle between a link and the path after settling [rad], shape (n_positions,).

    Infinite where the motion does not settle.
    """
    free: np.ndarray
    """Number of motions that contacts and wish leave to the law [-], shape (n_positions,)."""

    @property
    def stable(self) -> bool:
        """Whether nothing grows at any position."""
        return bool((self.growth < 0.0).all())

    @property
    def worst(self) -> float:
        """Largest growth at any position [1/s]."""
        return float(self.growth.max())


@checked_arguments
def path_stability(
    travel: Travel,
    law: MappingWeights | RailCosts = MappingWeights(),  # noqa: B008
    gains: Gains = FIRM,
) -> PathStability:
    """How fast motions about a path grow at each position.

    Args:
        travel: The robot, its path and the positions.
        law: Weights of (53)-(56), or costs of the mapping on rails. The wish is the paper's: the centre of mass and the
            links of `task_links`.
        gains: Gains about the pose on the path.
    """
    found = []
    for held in _positions(travel, law):
        if held is None:
            found.append((np.inf, np.inf, 0))
        else:
            growth, offset = held.motion(law, gains)
            found.append((growth, offset if growth < 0.0 else np.inf, held.left))
    growths, offsets, free = (np.array(column) for column in zip(*found, strict=True))
    return PathStability(head=np.atleast_1d(travel.head).astype(float), growth=growths, offset=offsets, free=free)


@checked_arguments
def least_stiffness(travel: Travel, gains: Gains = FIRM) -> np.ndarray:
    """Least joint stiffness of the posture term of (53) with which nothing grows [N m/rad], shape (n_positions,).

    It is `MappingWeights.posture` times `Gains.posture_stiffness`: 0 where nothing grows without it, infinite where no
    stiffness is enough.

    Args:
        travel: The robot, its path and the positions.
        gains: Gains about the pose on the path.
    """
    found = []
    for held in _positions(travel, MappingWeights()):
        found.append(np.inf if held is None else _threshold(held, gains))
    return np.array(found)


def _threshold(held: _Held, gains: Gains) -> float:
    def grows(stiffness: float) -> bool:
        return held.motion(MappingWeights(posture=stiffness / gains.posture_stiffness), gains)[0] >= 0.0

    if not grows(0.0):
        return 0.0
    low, high = SOFTEST, STIFFEST
    if grows(high):
        return np.inf
    while high > (1.0 + CLOSENESS) * low:
        middle = np.sqrt(low * high)
        low, high = (middle, high) if grows(middle) else (low, middle)
    return float(high)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Held:
    """A robot held by its pegs: poses and rates near the one on the path, one per row, and the effect of torques there.

    The first row is on the path. Then coordinates are changed one by one, up and down, and then their rates.
    """

    tangent: np.ndarray
    """Remaining motions, of unit mass, Z, shape (n_links + 2, n_xi)."""
    links: np.ndarray
    """Indices of the links that the wish names."""
    side: np.ndarray
    """Signs of the contact forces."""
    error: np.ndarray
    """q and its rate minus those on the path, shape (2, n_rows, n_links + 2)."""
    reference: np.ndarray
    """Acceleration of q on the path, shape (n_links + 2,)."""
    mass_matrix: np.ndarray
    """Shape (n_rows, n_links + 2, n_links + 2)."""
    relation: ForceRelation
    closed: ClosedDynamics

    @property
    def left(self) -> int:
        """Number of motions that contacts and wish leave to the law [-]."""
        asked = self.tangent[[*self.links, -2, -1]]
        largest = np.linalg.svd(self.tangent)[1].max(initial=0.0)
        rank = int((np.linalg.svd(asked)[1] > DEPENDENT * largest).sum())
        return self.tangent.shape[1] - rank

    def motion(self, law: MappingWeights | RailCosts, gains: Gains) -> tuple[float, float]:
        """Largest real part of an eigenvalue [1/s], and largest angle of a link at equilibrium [rad]."""
        n = self.tangent.shape[1]
        if n == 0:
            return -np.inf, 0.0
        c, K, V = self.linearised(law, gains)
        system = np.block([[np.zeros((n, n)), np.eye(n)], [K, V]])
        settled = self.tangent @ np.linalg.lstsq(K, -c)[0]
        return float(np.linalg.eigvals(system).real.max()), float(np.abs(settled[:-2]).max())

    def linearised(self, law: MappingWeights | RailCosts, gains: Gains) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """c, K and V of xi_ddot = c + K xi + V xi_dot."""
        q_ddot = self.closed.acceleration(self.torque(law, gains))
        xi_ddot = np.matvec(self.tangent.T @ self.mass_matrix[0], q_ddot - self.reference)
        up, down = xi_ddot[1:].reshape(2, -1, 2, xi_ddot.shape[-1]).transpose(2, 0, 3, 1)
        slopes = (up - down) / (2.0 * np.array((STEP, RATE_STEP))[:, None, None])
        return xi_ddot[0], slopes[0], slopes[1]

    def torque(self, law: MappingWeights | RailCosts, gains: Gains) -> np.ndarray:
        """Torques of the law, ignoring limits [N m], shape (n_rows, n_joints)."""
        n = self.tangent.shape[0] - 2
        stiffness, damping = np.full(n + 2, gains.posture_stiffness), np.full(n + 2, gains.posture_damping)
        stiffness[self.links], damping[self.links] = gains.link_stiffness, gains.link_damping
        stiffness[-2:], damping[-2:] = gains.center_stiffness, gains.center_damping
        wish = self.reference - stiffness * self.error[0] - damping * self.error[1]
        if isinstance(law, MappingWeights):
            return self._of_program(law, wish)
        return self._on_rails(law, wish)

    def _of_program(self, law: MappingWeights, wish: np.ndarray) -> np.ndarray:
        """(53) with (55) and nothing else: u = H^-1 (g + A_e^T lambda)."""
        A, missing = self.closed.per_torque, wish - self.closed.free
        free = np.delete(np.arange(wish.shape[-1] - 2), self.links)
        rows = np.concatenate((self.links, (-2, -1)))
        Q_u = law.torque_matrix(A.shape[-1])
        rho = law.posture * Q_u.diagonal().mean()
        price = rho * np.matmul(A[:, free].mT, self.mass_matrix[:, free][:, :, free])
        H = Q_u + np.matmul(price, A[:, free])
        A_e = A[:, rows]
        right = np.concatenate((np.matvec(price, missing[:, free])[..., None], A_e.mT), axis=-1)
        solved = np.linalg.solve(H, right)
        plain, per_pull = solved[..., 0], solved[..., 1:]
        gram = np.matmul(A_e, per_pull)
        pull = np.matvec(
            np.linalg.pinv(gram, rcond=DEPENDENT, hermitian=True), missing[:, rows] - np.matvec(A_e, plain)
        )
        return plain + np.matvec(per_pull, pull)

    def _on_rails(self, law: RailCosts, wish: np.ndarray) -> np.ndarray:
        m, count = self.closed.per_torque.shape[-1], len(self.side)
        free = np.zeros(0, dtype=int)
        if law.posture is not None:
            free = np.delete(np.arange(wish.shape[-1] - 2), self.links)
        root = rail_metric(self.mass_matrix, free, law)
        response, unforced, price = self.closed.per_torque, self.closed.free, [law.torque] * m
        if law.form == "free":
            response = np.delete(self.relation.response, m, axis=-1)
            unforced, price = self.relation.response[..., m], price + [law.force] * count
        rows, target = np.matmul(root, response), np.matvec(root, wish - unforced)
        found = np.linalg.solve(np.matmul(rows.mT, rows) + np.diag(price), np.matvec(rows.mT, target)[..., None])
        return found[..., :m, 0]


def _positions(travel: Travel, law: MappingWeights | RailCosts) -> Iterator[_Held | None]:
    """The robot at each position; None where no peg touches or contacts depend on each other."""
    robot, speed = travel.robot, travel.speed
    pose, _, contacts, touching = travel.positions()
    q, slope, bend = lay_rails(robot, travel.path).at(pose.head)
    fulfilled = isinstance(law, MappingWeights)
    for k, near in enumerate(touching):
        if not near.any():
            yield None
            continue
        here = pick(contacts, (k, near))
        place = _Place(
            robot=robot,
            ground=travel.ground,
            contacts=here,
            pegs=[peg for peg, at in zip(travel.pegs, near, strict=True) if at],
            motion=np.stack((q[k], speed * slope[k], speed**2 * bend[k])),
            asked=np.concatenate((task_links(robot, here), (-2, -1))) if fulfilled else np.arange(0),
        )
        try:
            yield place.held()
        except InvalidModel:  # dependent contacts
            yield None


@dataclass(frozen=True, kw_only=True, eq=False)
class _Place:
    """One position: pegs keep their distances there, and the controlled rows keep their values."""

    robot: ReducedRobot
    ground: GroundFriction
    contacts: Contacts
    pegs: list[Peg]
    motion: np.ndarray
    """q on the path, its rate and its acceleration, shape (3, n_links + 2)."""
    asked: np.ndarray
    """Rows of q that are held, as the wish is fulfilled."""

    def held(self) -> _Held:
        """States near the position, and the effect of torques there."""
        _, terms, touch = self.terms(*self.motion[:2])
        hold, M = np.vstack((touch.J, np.eye(len(terms.mass_matrix))[self.asked])), terms.mass_matrix
        root = np.linalg.inv(np.linalg.cholesky(M)).T
        _, size, directions = np.linalg.svd(hold @ root)
        tangent = root @ directions[int((size > DEPENDENT * size[0]).sum()) :].T
        away = np.linalg.solve(M, hold.T)
        q, q_dot = self.motion[:2, None] + np.matmul(_changes(tangent.shape[1]), tangent.T)
        for _ in range(CORRECTIONS):
            q = q - np.matvec(away, np.matvec(self.inverse(q, q_dot, away)[0], self.off(q)))
        inverse, J = self.inverse(q, q_dot, away)
        wrong = np.concatenate((np.matvec(J, q_dot), (q_dot - self.motion[1])[:, self.asked]), axis=-1)
        q_dot = q_dot - np.matvec(away, np.matvec(inverse, wrong))
        here, terms, touch = self.terms(q, q_dot)
        relation = force_relation(self.robot, terms, touch)
        return _Held(
            tangent=tangent,
            links=task_links(self.robot, self.contacts),
            side=self.contacts.side,
            error=np.stack((q, q_dot)) - self.motion[:2, None],
            reference=self.motion[2],
            mass_matrix=terms.mass_matrix,
            relation=relation,
            closed=closed_dynamics(here, relation),
        )

    def beside(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions of the pegs along their links, and to the left of them [m]."""
        along, across, _, _ = beside_links(self.robot, q[..., -2:], q[..., :-2], self.pegs)
        touched = self.contacts.link, np.arange(self.contacts.count)
        return along[..., *touched], across[..., *touched]

    def off(self, q: np.ndarray) -> np.ndarray:
        """By how much poses violate the constraints [m, then rad and m]."""
        away = self.beside(self.motion[0])[1] - self.beside(q)[1]
        return np.concatenate((away, (q - self.motion[0])[..., self.asked]), axis=-1)

    def terms(self, q: np.ndarray, q_dot: np.ndarray) -> tuple[Contacts, SmoothTerms, ContactTerms]:
        """The contacts of states, and the terms of the equations of motion."""
        state, distance = state_of(q, q_dot), np.abs(self.beside(self.motion[0])[1])
        here = replace(self.contacts, along=self.beside(q)[0], standoff=distance)
        terms = smooth_terms(self.robot, self.ground, state)
        return here, terms, contact_terms(self.robot, state, here, terms)

    def inverse(self, q: np.ndarray, q_dot: np.ndarray, away: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How far to go `away` per violation of the constraints, and the normal velocities per rate, J."""
        J = self.terms(q, q_dot)[2].J
        rows = np.broadcast_to(away[self.asked], (*J.shape[:-2], len(self.asked), away.shape[-1]))
        return np.linalg.pinv(np.concatenate((J @ away, rows), axis=-2), rcond=DEPENDENT), J


def _changes(n: int) -> np.ndarray:
    """Changes of n coordinates and of their rates: none, then each one up and down; shape (2, 1 + 4 n, n)."""
    pair = np.stack((np.eye(n), -np.eye(n)), axis=1).reshape(2 * n, n)
    none = np.zeros_like(pair)
    rows = [np.concatenate((np.zeros((1, n)), *both)) for both in ((STEP * pair, none), (none, RATE_STEP * pair))]
    return np.stack(rows)
