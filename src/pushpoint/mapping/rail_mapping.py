"""Force mapping for a whole pose on rails: torques and peg forces that come nearest to wished accelerations.

With q = (theta, p), all rows of the wish at once, and the distance measured in the metric of the masses:

    minimise  (q_ddot - wish)^T S M S (q_ddot - wish) + torque |u|^2 + force |f|^2

over joint torques |u| <= torque_limit and peg forces 0 <= f <= force_limit. S weighs the links.

Two forms differ in what they know of the pegs. In the free form the peg forces are unknowns beside the torques,
    M q_ddot = torque_map u + G^T f + load,
so that it has a solution always, also where a contact is expected but not there yet. In the eliminated form, that of
Holden2014 (36)-(39) and (53)-(56), the pegs hold their links and f follows from u; where no torques keep all contacts
pushing, the pull is the least possible.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from pushpoint.mapping.force_mapping import MappingBounds
from pushpoint.mapping.solution import minimise
from pushpoint.model.checks import above, at_least, check_fields
from pushpoint.reduced.contacts import Contacts, closed_dynamics, contact_terms, force_relation
from pushpoint.reduced.robot import ReducedRobot, ReducedState
from pushpoint.reduced.smooth import GroundFriction, smooth_terms

HOLD = 1e4
"""Cost of a squared pull in the eliminated form, over that of a squared force [-]."""


@dataclass(frozen=True, kw_only=True)
class RailCosts:
    """What torques and peg forces cost beside a miss of the wish, and which form is used."""

    torque: Annotated[float, above(0, "1/(kg m^2)")] = 1e-2
    """Cost of a squared torque [1/(kg m^2)]."""
    force: Annotated[float, at_least(0, "1/kg")] = 1e-3
    """Cost of a squared peg force [1/kg]."""
    form: Literal["free", "eliminated"] = "free"
    """"free" (peg forces are unknowns) or "eliminated" (pegs hold their links, Holden2014 (36)-(39))."""

    def __post_init__(self) -> None:
        check_fields(self, "costs")


@dataclass(frozen=True, kw_only=True, eq=False)
class RailMapping:
    """One instant: least squares of rows x - target, and linear limits; x are torques, then forces or pulls."""

    rows: np.ndarray
    """Weighted accelerations per unknown, shape (n_links + 2, n_x)."""
    target: np.ndarray
    """Weighted accelerations asked for, less those without unknowns, shape (n_links + 2,)."""
    price: np.ndarray
    """Cost of each squared unknown, shape (n_x,)."""
    most: np.ndarray
    """Largest value of each unknown, shape (n_x,)."""
    least: np.ndarray
    """Smallest value of each unknown, shape (n_x,)."""
    push: np.ndarray
    """Peg forces per unknown, >= 0 when pushing [1/m, or -], shape (n_contacts, n_x)."""
    push_free: np.ndarray
    """Peg forces without unknowns [N], shape (n_contacts,)."""
    force_limit: np.ndarray
    """Largest peg forces [N], shape (n_contacts,)."""
    n_joints: int
    """Number of torques among the unknowns [-]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RailSolution:
    """Torques and what is expected of them."""

    joint_torque: np.ndarray
    """Torques of the joints [N m], shape (n_joints,)."""
    push: np.ndarray
    """Expected normal forces of the pegs, >= 0 when pushing [N], shape (n_contacts,)."""
    miss: float
    """Root of the weighted square of what is missing of the wish [kg^0.5 m/s^2]."""
    solved: bool
    """Whether the solver reached its tolerance."""


def build_rail_mapping(
    robot: ReducedRobot,
    ground: GroundFriction,
    state: ReducedState,
    contacts: Contacts,
    wish: np.ndarray,
    bounds: MappingBounds,
    costs: RailCosts = RailCosts(),  # noqa: B008
    link_weight: np.ndarray | None = None,
) -> RailMapping:
    """The quadratic program for one state; wish: accelerations of q [rad/s^2, then m/s^2], shape (n_links + 2,).

    link_weight: How much each link's miss counts [-], shape (n_links,); default: 1 for all. In the eliminated form
    contacts that depend on each other are refused.
    """
    n, m, count = robot.n_links, robot.n_joints, contacts.count
    torque_limit, force_limit = bounds.of(m, count)
    terms = smooth_terms(robot, ground, state)
    touch = contact_terms(robot, state, contacts, terms)
    relation = force_relation(robot, terms, touch)
    metric = np.linalg.cholesky(terms.mass_matrix).T
    if link_weight is not None:
        metric[:, :n] *= np.sqrt(link_weight)
    if costs.form == "free" or count == 0:
        response = relation.response[:, [*range(m), *range(m + 1, m + 1 + count)]]
        response[:, m:] *= contacts.side
        free, push_free = relation.response[:, m], np.zeros(count)
        push = np.eye(count, m + count, m)
        price = np.concatenate((np.full(m, costs.torque), np.full(count, costs.force)))
        least, most = np.zeros(count), force_limit
    else:
        closed = closed_dynamics(contacts, relation)
        response = np.hstack((closed.per_torque, np.zeros((n + 2, count))))
        free, push_free = closed.free, contacts.side * closed.force_free
        push = np.hstack((contacts.side[:, None] * closed.force_per_torque, np.eye(count)))
        price = np.concatenate((np.full(m, costs.torque), np.full(count, HOLD * max(costs.force, 1e-3))))
        least, most = np.full(count, -np.inf), np.full(count, np.inf)
    return RailMapping(
        rows=metric @ response,
        target=metric @ (wish - free),
        price=price,
        most=np.concatenate((torque_limit, most)),
        least=np.concatenate((-torque_limit, least)),
        push=push,
        push_free=push_free,
        force_limit=force_limit,
        n_joints=m,
    )


def solve_rail_mapping(problem: RailMapping) -> RailSolution:
    """The best torques; the program always has a solution, and a solver that misses it says so."""
    rows, m = problem.rows, problem.n_joints
    eliminated = bool(np.isneginf(problem.least).any())
    limits = (problem.push, -problem.push_free, problem.force_limit - problem.push_free) if eliminated else None
    P, c = rows.T @ rows + np.diag(problem.price), -rows.T @ problem.target
    found = minimise(P, c, problem.least, problem.most, between=limits)
    x = np.minimum(np.maximum(found.x, problem.least), problem.most)
    torque = x[:m]
    force = problem.push[:, :m] @ torque + problem.push_free if eliminated else x[m:]
    return RailSolution(
        joint_torque=torque, push=force, miss=float(np.linalg.norm(rows @ x - problem.target)), solved=found.solved
    )
