"""Solves the force mapping and describes the result."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pushpoint.brief import brief
from pushpoint.mapping.force_mapping import ForceMapping
from pushpoint.model.arguments import checked_arguments

ACTIVE = 1e-6
"""Share of a limit within which it counts as reached [-]; the solver's own tolerance is 1e-8."""
HASTY: dict[str, Any] = {"max_iter": 25, "preconditioner_iter": 1}
"""Settings of the first try.

A wish that takes more iterations is assumed to be infeasible (feasible ones need 6 to 12). One scaling of the rows is
enough, and takes fewer iterations than ten.
"""
LEAST = 1e-9
"""Least cost of torques, relative to that of the slacks they cause, with which the solver still succeeds [-]."""


def minimise(
    P: np.ndarray,
    c: np.ndarray,
    least: np.ndarray,
    most: np.ndarray,
    *,
    equal: tuple[np.ndarray, np.ndarray] | None = None,
    between: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None,
    **settings: Any,
) -> tuple[np.ndarray, bool, int]:
    """The x with the least x^T P x / 2 + c^T x, and least <= x <= most; optionally A x = b and low <= G x <= high.

    `equal` is (A, b), `between` is (G, low, high); `settings` are solver settings that differ from its defaults.
    Returns x, whether the solver converged, and its iterations.
    """
    import piqp

    solver = piqp.DenseSolver()
    for name, value in settings.items():
        setattr(solver.settings, name, value)
    A, b = (np.asfortranarray(equal[0]), equal[1]) if equal else (None, None)
    G, low, high = (np.asfortranarray(between[0]), *between[1:]) if between else (None, None, None)
    solver.setup(np.asfortranarray(P), c, A, b, G, low, high, least, most)
    solver.solve()
    result = solver.result
    return np.asarray(result.x), bool(result.info.status == piqp.PIQP_SOLVED), int(result.info.iter)


@dataclass(frozen=True, kw_only=True, eq=False)
class ForceMappingResult:
    """Torques, forces and motion, and how close they come to the wish."""

    __repr__ = brief

    problem: ForceMapping
    """The problem that was solved."""
    joint_torque: np.ndarray
    """Joint torques [N m], shape (n_joints,)."""
    contact_force: np.ndarray
    """Normal forces of the contacts, positive toward the link's left, f_C [N], shape (n_contacts,)."""
    slack: np.ndarray
    """What is missing from the wish, z, with the rows and units of problem.rows, shape (2 + n_d,)."""
    pull: np.ndarray
    """By how much contacts would fall short of their least push, or exceed their limit [N], shape (n_contacts,).

    Without a least push it is how hard they would have to pull."""
    solved: bool
    """Whether the solver converged."""
    iterations: int
    """Iterations of the solver [-]."""

    @cached_property
    def active_torque(self) -> np.ndarray:
        """Which joints are at their torque limit, shape (n_joints,)."""
        return np.abs(self.joint_torque) >= (1.0 - ACTIVE) * self.problem.torque_limit

    @cached_property
    def active_contact(self) -> np.ndarray:
        """Which contacts are at a limit (least or largest force), shape (n_contacts,)."""
        push, most = self.problem.side * self.contact_force, self.problem.force_limit
        near = ACTIVE * max(1.0, float(np.abs(push).max()))
        return (push <= self.problem.least_force + near) | (push >= most - near)

    @cached_property
    def link_acceleration(self) -> np.ndarray:
        """Resulting angular accelerations of all links [rad/s^2], shape (n_links,)."""
        return self.problem.closed.acceleration(self.joint_torque)[:-2]

    @cached_property
    def center_acceleration(self) -> np.ndarray:
        """Resulting acceleration of the centre of mass [m/s^2], shape (2,)."""
        return self.problem.closed.acceleration(self.joint_torque)[-2:]

    @property
    def feasible(self) -> bool:
        """Whether the wish is fulfilled: no contact pulls, and every scaled slack is within the tolerance."""
        weights, scale = self.problem.weights, self.problem.scale
        return self.solved and not self.pull.any() and bool(np.abs(self.slack / scale).max() <= weights.tolerance)

    @property
    def cost(self) -> float:
        """Sum of the squared torques [(N m)^2]."""
        return float(self.joint_torque @ self.joint_torque)

    @property
    def sentence(self) -> str:
        """The result in words."""
        if not self.solved:
            return "unconverged: the solver did not reach its tolerance"
        if self.feasible:
            return "the wish is fulfilled"
        if self.pull.any():
            lost = ", ".join(str(k) for k in np.flatnonzero(self.pull))
            push = "at their least push" if self.problem.least_force.any() else "pushing"
            return f"no torques within the limits keep contacts {lost} {push}; these come closest to it"
        worst = int(np.argmax(np.abs(self.slack / self.problem.scale)))
        name, unit = self.problem.rows[worst]
        why = "the limits of torques or contacts forbid it" if self.problem.solvable else "A_e lacks the rank for it"
        return f"this is the closest motion: {name} misses the wish by {abs(self.slack[worst]):.3g} {unit}, as {why}"


@checked_arguments
def solve_force_mapping(problem: ForceMapping) -> ForceMappingResult:
    """Finds the best torques; if nothing fulfils the wish, those of the closest motion.

    An infeasible wish leaves large slacks with large costs, on which the solver fails. Then the contacts come first: if
    no torques satisfy (54), the result has the least violation of it, and `pull` says how much. Otherwise it has the
    least slack, with torques at almost no cost.
    """
    pull = np.zeros(len(problem.side))
    n_joints = problem.A_e.shape[1]
    unit, dear = _units(problem)
    x, solved, iterations = _solve(problem, 1.0, unit, **HASTY)
    if not solved:
        share = LEAST / _torque_price(problem)  # the least violations of (54), in the sum of squares
        x, solved, more = _minimised(problem, share, np.eye(len(pull)))
        iterations += more
        pull = np.abs(x[n_joints:])
        pull[pull <= ACTIVE * max(1.0, float(pull.max()))] = 0.0
        if not pull.any():
            x, solved, more = _least_slack(problem, unit * dear**0.5, dear)
            iterations += more
    limit = problem.torque_limit
    found = np.minimum(np.maximum(x[:n_joints], -limit), limit)
    return ForceMappingResult(
        problem=problem,
        joint_torque=found,
        contact_force=problem.closed.contact_force(found),
        slack=problem.b_e - np.matvec(problem.A_e, found),
        pull=pull,
        solved=solved,
        iterations=iterations,
    )


def _minimised(problem: ForceMapping, share: float, others: np.ndarray, **more: Any) -> tuple[np.ndarray, bool, int]:
    """Torques within (54) and (56) at a share of their cost, and unlimited unknowns at cost 1.

    Each of the unknowns adds `others` to the contact forces [N].
    """
    n_joints, size = problem.A_e.shape[1], problem.A_e.shape[1] + others.shape[1]
    P, c = np.eye(size), np.zeros(size)
    P[:n_joints, :n_joints], c[:n_joints] = share * problem.torque_cost, -share * problem.posture_pull
    free = problem.side * problem.closed.force_free
    G = np.hstack((problem.side[:, None] * problem.closed.force_per_torque, others))
    most = np.concatenate((problem.torque_limit, np.full(others.shape[1], np.inf)))
    return minimise(P, c, -most, most, between=(G, problem.least_force - free, problem.force_limit - free), **more)


def _torque_price(problem: ForceMapping) -> float:
    """Mean cost of a squared torque [1/(N m)^2]."""
    price = problem.weights.torque
    return price if isinstance(price, float) else float(problem.weights.torque_matrix(len(price)).diagonal().mean())


def _units(problem: ForceMapping) -> tuple[np.ndarray, float]:
    """Scaled slacks that cost 1 each, as columns, and the mean cost of a squared one [-]."""
    rows, price = len(problem.b_e), problem.weights.slack
    if isinstance(price, float):
        return price**-0.5 * np.eye(rows), price
    Q_z = problem.weights.slack_matrix(rows)
    return np.linalg.inv(np.linalg.cholesky(Q_z)).T, float(Q_z.diagonal().mean())


def _solve(problem: ForceMapping, share: float, unit: np.ndarray, **settings: Any) -> tuple[np.ndarray, bool, int]:
    """(53)-(56) with torques at a share of their cost; the columns of `unit` are scaled slacks that cost 1 each."""
    A = np.hstack((problem.A_e / problem.scale[:, None], unit))
    silent = np.zeros((len(problem.side), len(problem.b_e)))
    return _minimised(problem, share, silent, equal=(A, problem.b_e / problem.scale), **settings)


def _least_slack(problem: ForceMapping, unit: np.ndarray, dear: float) -> tuple[np.ndarray, bool, int]:
    """The closest motion: (53)-(56) with slacks at cost 1 on average and torques at almost none.

    `dear` is the mean cost of a squared slack in the problem as it stands.
    """
    steepest = float(np.abs(problem.A_e / problem.scale[:, None]).max())
    given, torque = 1.0 / dear, _torque_price(problem)
    for least in (LEAST, 1e3 * LEAST):
        found = _solve(problem, max(given, least * steepest**2 / torque), unit, preconditioner_scale_cost=True)
        if found[1]:
            break
    return found
