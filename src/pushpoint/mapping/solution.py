"""Solving the force mapping, and saying what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pushpoint.mapping.force_mapping import ForceMapping
from pushpoint.model.arguments import checked_arguments

ACTIVE = 1e-6
"""Share of a limit within which it counts as reached [-]; the solver's own tolerance is 1e-8."""
HASTY: dict[str, Any] = {"max_iter": 25, "preconditioner_iter": 1}
"""The first try: a wish that takes more iterations is taken for one that cannot be fulfilled (others need 6 to 12), and
one scaling of the rows does, with which it takes fewer than with ten."""
LEAST = 1e-9
"""Least cost of torques beside that of the slacks they cause for which the solver still succeeds [-]."""


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
    """The x with the least x^T P x / 2 + c^T x, and least <= x <= most; if asked for, A x = b and low <= G x <= high.

    equal is (A, b), between is (G, low, high); settings are those of the solver that are not its defaults. Returns x,
    whether the solver reached its tolerance, and its iterations.
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
    """Torques, forces and motion, and how near they come to the wish."""

    problem: ForceMapping
    """What was solved."""
    joint_torque: np.ndarray
    """Torques of the joints [N m], shape (n_joints,)."""
    contact_force: np.ndarray
    """Normal forces of the contacts, positive toward the link's left, f_C [N], shape (n_contacts,)."""
    slack: np.ndarray
    """What is missing of the wish, z, rows and units as in problem.rows [m/s^2, then rad/s^2], shape (2 + n_d,)."""
    pull: np.ndarray
    """By how much contacts would have to pull, or exceed their limit, for these torques [N], shape (n_contacts,)."""
    solved: bool
    """Whether the solver reached its tolerance."""
    iterations: int
    """Iterations of the solver [-]."""

    @cached_property
    def active_torque(self) -> np.ndarray:
        """Which joints are at their torque limit, shape (n_joints,)."""
        return np.abs(self.joint_torque) >= (1.0 - ACTIVE) * self.problem.torque_limit

    @cached_property
    def active_contact(self) -> np.ndarray:
        """Which contacts are at a limit, without force or with the largest one, shape (n_contacts,)."""
        push, most = self.problem.side * self.contact_force, self.problem.force_limit
        near = ACTIVE * max(1.0, float(np.abs(push).max()))
        return (push <= near) | (push >= most - near)

    @cached_property
    def link_acceleration(self) -> np.ndarray:
        """Angular accelerations of all links that result [rad/s^2], shape (n_links,)."""
        return self.problem.closed.acceleration(self.joint_torque)[:-2]

    @cached_property
    def center_acceleration(self) -> np.ndarray:
        """Acceleration of the centre of mass that results [m/s^2], shape (2,)."""
        return self.problem.closed.acceleration(self.joint_torque)[-2:]

    @property
    def feasible(self) -> bool:
        """Whether the wish is fulfilled: no contact pulls, and every slack after scaling is within the tolerance."""
        weights, scale = self.problem.weights, self.problem.scale
        return self.solved and not self.pull.any() and bool(np.abs(self.slack / scale).max() <= weights.tolerance)

    @property
    def cost(self) -> float:
        """Sum of the squared torques [(N m)^2]."""
        return float(self.joint_torque @ self.joint_torque)

    @property
    def sentence(self) -> str:
        """What came of it, in words."""
        if not self.solved:
            return "the solver did not reach its tolerance"
        if self.feasible:
            return "the wish is fulfilled"
        if self.pull.any():
            lost = ", ".join(str(k) for k in np.flatnonzero(self.pull))
            return f"no torques within the limits keep contacts {lost} pushing; these come nearest to it"
        worst = int(np.argmax(np.abs(self.slack / self.problem.scale)))
        name, unit = self.problem.rows[worst]
        why = "the limits of torques or contacts forbid it" if self.problem.solvable else "A_e lacks the rank for it"
        return f"this is the closest motion: {name} misses the wish by {abs(self.slack[worst]):.3g} {unit}, as {why}"


@checked_arguments
def solve_force_mapping(problem: ForceMapping) -> ForceMappingResult:
    """The best torques; if nothing fulfils the wish, those of the closest motion.

    A wish that cannot be fulfilled leaves large slacks of large costs, on which the solver fails. Then the contacts
    come first: if no torques keep (54), the result has the least violation of it, and `pull` says how much. Else it has
    the least slack, with torques for nearly nothing.
    """
    pull = np.zeros(len(problem.side))
    n_joints, weights = problem.A_e.shape[1], problem.weights
    x, solved, iterations = _solve(problem, 1.0, weights.slack**-0.5, **HASTY)
    if not solved:
        share = LEAST / weights.torque  # the least violations of (54), in the sum of squares
        x, solved, more = _minimised(problem, share, np.eye(len(pull)))
        iterations += more
        pull = np.abs(x[n_joints:])
        pull[pull <= ACTIVE * max(1.0, float(pull.max()))] = 0.0
        if not pull.any():
            x, solved, more = _least_slack(problem)
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
    """Torques within (54) and (56) that cost a share, and unknowns without limits, which cost 1.

    Each of these adds `others` to the contact forces [N].
    """
    n_joints, size = problem.A_e.shape[1], problem.A_e.shape[1] + others.shape[1]
    P, c = np.eye(size), np.zeros(size)
    P[:n_joints, :n_joints], c[:n_joints] = share * problem.torque_cost, -share * problem.posture_pull
    free = problem.side * problem.closed.force_free
    G = np.hstack((problem.side[:, None] * problem.closed.force_per_torque, others))
    most = np.concatenate((problem.torque_limit, np.full(others.shape[1], np.inf)))
    return minimise(P, c, -most, most, between=(G, -free, problem.force_limit - free), **more)


def _solve(problem: ForceMapping, share: float, unit: float, **settings: Any) -> tuple[np.ndarray, bool, int]:
    """(53)-(56) with torques at a share of their cost; slacks are counted in units of unit * scale, each costs 1."""
    rows = len(problem.b_e)
    A = np.hstack((problem.A_e / problem.scale[:, None], unit * np.eye(rows)))
    silent = np.zeros((len(problem.side), rows))
    return _minimised(problem, share, silent, equal=(A, problem.b_e / problem.scale), **settings)


def _least_slack(problem: ForceMapping) -> tuple[np.ndarray, bool, int]:
    """The closest motion: (53)-(56) with slacks that cost 1 and torques that cost next to nothing."""
    steepest = float(np.abs(problem.A_e / problem.scale[:, None]).max())
    given, torque = 1.0 / problem.weights.slack, problem.weights.torque
    for least in (LEAST, 1e3 * LEAST):
        found = _solve(problem, max(given, least * steepest**2 / torque), 1.0, preconditioner_scale_cost=True)
        if found[1]:
            break
    return found
