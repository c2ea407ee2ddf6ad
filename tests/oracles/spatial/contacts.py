"""The contact problem of one time step, and how far a proposed solution is from its inclusions.

Each contact has six rows: normal, along, across, rolling (two), spin. With gamma = c + G P the laws are
-xi_N in N_{P_N >= 0}, -gamma_T in N_{C_T}(P_T) (57), -gamma_V in N_{C_V}(P_V) (59), and Coulomb's law for spin; the
sets scale with P_N. Solver: projected Gauss-Seidel, from time to time a Newton step on the equations that hold while
each contact keeps its status (open, stick, slip); redundant normal rows are met in the least-squares sense.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from oracles.cones import project_ellipse
from oracles.spatial.pose import Array

TOLERANCE = 1e-12
"""Of impulses and velocities, relative to their scales [-]."""
MOST_SWEEPS = 5000
SWEEPS_BETWEEN_NEWTON_STEPS = 20
SETS = NORMAL, SLIDE, ROLL, SPIN = slice(0, 1), slice(1, 3), slice(3, 5), slice(5, 6)


@dataclass(frozen=True, kw_only=True)
class ContactLaws:
    """The laws of all active contacts."""

    sets: Array
    """Extent of the friction sets per normal impulse [-]: backward, forward, across, shape (n_active, 3)."""
    rolling: float
    """mu_V of (60) [-]."""
    spin: float
    """Largest spin impulse per normal impulse [m]."""
    bounce: Array
    """Restitution times the approach velocity, <= 0 [m/s], shape (n_active,)."""
    impulse_scale: float
    """Impulses are measured against this [N s]."""
    velocity_scale: float
    """Velocities are measured against this [m/s]."""

    def axes(self, k: int, direction: float) -> Array:
        """Semi-axes along and across per normal impulse [-] for a force that points that way along the link."""
        behind, ahead, across = self.sets[k]
        return np.array([behind if direction < 0.0 else ahead, across])


@dataclass(frozen=True, kw_only=True)
class Residuals:
    """Violations of the normal-cone inequalities, without any proximal map; zero for an exact solution.

    -gamma in N_C(P) means: P in C, and gamma . (Q - P) >= 0 for all Q in C, that is the dissipation -gamma . P reaches
    the support function of C at -gamma.
    """

    balance: float
    """Largest violation of (75) [N s, N m s]."""
    joints: float
    """Largest |W_J^T u_E|."""
    pull: float
    """Largest negative normal impulse [N s]."""
    approach: float
    """Largest negative xi_N [m/s]."""
    work: float
    """Largest |P_N xi_N| [J]."""
    outside: float
    """Largest distance by which a friction, rolling or spin impulse exceeds its set, radially [N s]."""
    shortfall: float
    """Largest support function minus dissipation [J]."""
    slip: float
    """Largest distance of a slipping contact's impulse from the one point that its slip allows [N s]."""
    relative: float
    """The largest of them all over the scales of impulse, velocity and their product [-]."""


def solve_contacts(G: Array, c: Array, laws: ContactLaws, first: Array) -> Array:
    """Impulses, shape (n_active, 6)."""
    P = first.copy()
    if len(P) == 0:
        return P
    weights, lost = _weights(G), np.inf
    for sweep in range(MOST_SWEEPS):
        moved = _sweep(G, c, laws, P, weights)
        if sweep % SWEEPS_BETWEEN_NEWTON_STEPS == 0 or moved <= TOLERANCE * laws.impulse_scale:
            for candidate in (_newton(G, c, laws, P), P):
                lost = _loss(G, c, laws, candidate)
                if lost <= TOLERANCE:
                    return candidate
    raise RuntimeError(f"contacts not solved: relative residual {lost:.1e}")


def _loss(G: Array, c: Array, laws: ContactLaws, P: Array) -> float:
    return residuals_of(P, (c + G @ P.ravel()).reshape(-1, 6), laws).relative


def _weights(G: Array) -> Array:
    """Prox factors: the inverse of the largest eigenvalue of each set's own block, shape (n_active, 6)."""
    found = np.empty((len(G) // 6, 6))
    for k in range(len(found)):
        for rows in SETS:
            here = slice(6 * k + rows.start, 6 * k + rows.stop)
            found[k, rows] = 1.0 / np.linalg.eigvalsh(G[here, here])[-1]
    return found


def _sweep(G: Array, c: Array, laws: ContactLaws, P: Array, weights: Array) -> float:
    """One projected Gauss-Seidel sweep in place; the largest change of an impulse."""
    gamma, moved = c + G @ P.ravel(), 0.0
    for k in range(len(P)):
        for rows in SETS:
            here = slice(6 * k + rows.start, 6 * k + rows.stop)
            aim = P[k, rows] - weights[k, rows] * (gamma[here] + (laws.bounce[k] if rows == NORMAL else 0.0))
            change = _nearest(laws, k, rows, aim, P[k, 0]) - P[k, rows]
            P[k, rows] += change
            gamma += G[:, here] @ change
            moved = max(moved, float(np.abs(change).max()))
    return moved


def _nearest(laws: ContactLaws, k: int, rows: slice, aim: Array, P_N: float) -> Array:
    """The admissible impulse nearest to an aim."""
    if rows == NORMAL:
        return np.maximum(aim, 0.0)
    if rows == SPIN:
        return np.clip(aim, -laws.spin * P_N, laws.spin * P_N)
    a, b = P_N * (np.full(2, laws.rolling) if rows == ROLL else laws.axes(k, float(aim[0])))
    if a == b:
        size = float(np.hypot(*aim))
        return aim if size <= a else aim * (a / size)
    return project_ellipse(aim, a, b)


def _newton(G: Array, c: Array, laws: ContactLaws, P: Array) -> Array:
    """Some of Newton's steps on the equations of the present statuses, which are read anew at every step.

    Redundant normal rows make the matrix singular: the step is then the smallest one.
    """
    error, slope = _system(G, c, laws, P)
    first = np.linalg.norm(error)
    for _ in range(12):
        P = P + np.linalg.lstsq(slope, -error.ravel(), rcond=1e-10)[0].reshape(P.shape)
        error, slope = _system(G, c, laws, P)
        size = np.linalg.norm(error)
        if not size <= 1e3 * first or size <= 1e-16 * laws.impulse_scale:
            break
    return P


def _system(G: Array, c: Array, laws: ContactLaws, P: Array) -> tuple[Array, Array]:
    """Equations of all contacts, shape (n_active, 6), and their derivative by P."""
    gamma = (c + G @ P.ravel()).reshape(-1, 6)
    error = np.zeros(P.shape)
    by_P, by_gamma = np.zeros((P.size, P.size)), np.zeros((P.size, P.size))
    for k in range(len(P)):
        here = slice(6 * k, 6 * k + 6)
        error[k], by_P[here, here], by_gamma[here, here] = _equations(G[here, here], laws, k, P[k], gamma[k])
    return error, by_P + by_gamma @ G


def _equations(block: Array, laws: ContactLaws, k: int, P: Array, gamma: Array) -> tuple[Array, Array, Array]:
    """Six equations of one contact, all in impulses, and their derivatives by P and by gamma."""
    weight = 1.0 / np.diag(block)
    if P[0] - weight[0] * (gamma[0] + laws.bounce[k]) <= 0.0:
        return P.copy(), np.eye(6), np.zeros((6, 6))
    error, by_P, by_gamma = np.zeros(6), np.zeros((6, 6)), np.zeros((6, 6))
    error[0], by_gamma[0, 0] = weight[0] * (gamma[0] + laws.bounce[k]), weight[0]
    for rows in (SLIDE, ROLL, SPIN):
        w = float(weight[rows].min())
        S = np.array([laws.spin]) if rows == SPIN else np.full(2, laws.rolling)
        if rows == SLIDE:
            S = laws.axes(k, float(P[1] - w * gamma[1]))
        e, p, n, g = _coulomb(P[rows], gamma[rows], float(P[0]), S, w)
        error[rows], by_P[rows, rows], by_P[rows, 0], by_gamma[rows, rows] = e, p, n, g
    return error, by_P, by_gamma


def _coulomb(P: Array, gamma: Array, N: float, S: Array, weight: float) -> tuple[Array, Array, Array, Array]:
    """Equations of stick or slip in an ellipse N S of any dimension, and derivatives by P, N and gamma.

    In the variables P/S and S gamma the ellipse is a disc of radius N, and the law is the same.
    """
    error, by_P, by_N, by_gamma = P.copy(), np.eye(P.size), np.zeros(P.size), np.zeros((P.size, P.size))
    wide = S > 0.0  # where the ellipse has no extent the impulse is zero
    if N <= 0.0 or not wide.any():
        return error, by_P, by_N, by_gamma
    both, S, g = np.ix_(wide, wide), S[wide], gamma[wide]
    rho = weight / float(np.max(S) ** 2)
    aim = P[wide] / S - rho * S * g
    size = float(np.linalg.norm(aim))
    if size <= N:
        error[wide], by_P[both], by_gamma[both] = weight * g, 0.0, weight * np.eye(S.size)
        return error, by_P, by_N, by_gamma
    turning = N / size * (np.eye(S.size) - np.outer(aim, aim) / size**2)
    error[wide], by_N[wide] = P[wide] - N * S * aim / size, -S * aim / size
    by_P[both] -= S[:, None] * turning / S
    by_gamma[both] = rho * S[:, None] * turning * S
    return error, by_P, by_N, by_gamma


def residuals_of(
    P: Array, gamma: Array, laws: ContactLaws, balance: Array | None = None, joints: Array | None = None
) -> Residuals:
    """Violations by impulses and velocities of shape (n_active, 6), and of the equations if they are given."""
    xi = gamma[:, 0] + laws.bounce
    pull, approach = np.maximum(-P[:, 0], 0.0), np.maximum(-xi, 0.0)
    sets = [_set_violation(laws, k, P[k], gamma[k]) for k in range(len(P))]
    outside, shortfall, slip = np.array(sets).reshape(-1, 3).max(axis=0, initial=0.0)
    worst = [float(np.max(np.abs(x), initial=0.0)) for x in (pull, approach, P[:, 0] * xi)]
    equation = [0.0 if x is None else float(np.max(np.abs(x), initial=0.0)) for x in (balance, joints)]
    p, v = laws.impulse_scale, laws.velocity_scale
    relative = [equation[0] / p, equation[1] / v, worst[0] / p, worst[1] / v, worst[2] / (p * v)]
    relative += [outside / p, shortfall / (p * v), slip / p]
    return Residuals(
        balance=equation[0],
        joints=equation[1],
        pull=worst[0],
        approach=worst[1],
        work=worst[2],
        outside=float(outside),
        shortfall=float(shortfall),
        slip=float(slip),
        relative=max(relative),
    )


def _set_violation(laws: ContactLaws, k: int, P: Array, gamma: Array) -> tuple[float, float, float]:
    """Outside, shortfall and slip error of one contact, the worst of its three sets."""
    found = []
    N = max(float(P[0]), 0.0)
    for rows in (SLIDE, ROLL, SPIN):
        p, g = P[rows], gamma[rows]
        if rows == SLIDE:
            inside, supporting = N * laws.axes(k, float(p[0])), N * laws.axes(k, float(-g[0]))
        else:
            inside = supporting = N * (np.full(2, laws.rolling) if rows == ROLL else np.array([laws.spin]))
        support = float(np.linalg.norm(supporting * g))
        size = float(np.linalg.norm(np.divide(p, inside, out=np.zeros_like(p), where=inside > 0)))
        outside = float(np.linalg.norm(p[inside <= 0])) + max(1.0 - 1.0 / max(size, 1e-300), 0.0) * np.linalg.norm(p)
        slip = 0.0
        if support > 1e-9 * max(N, laws.impulse_scale * 1e-9) * laws.velocity_scale:
            slip = float(np.linalg.norm(p + supporting**2 * g / support))
        found.append((float(outside), support + float(p @ g), slip))
    return max(f[0] for f in found), max(abs(f[1]) for f in found), max(f[2] for f in found)


def nearest_normals(P_N: Array, G_NN: Array, target: Array) -> Array:
    """Of all normal impulses with the same effect, G_NN Q = G_NN P_N and Q >= 0, the nearest to a target.

    Q = Q_0 + Z y with the null space Z of G_NN and Q_0 the point nearest to the target without regard to signs: the
    smallest y with Z y >= -Q_0, Lawson and Hanson's least-distance problem, which non-negative least squares solves.
    """
    values, vectors = np.linalg.eigh(G_NN)
    Z = vectors[:, values <= 1e-9 * values[-1]]
    Q = P_N + Z @ (Z.T @ (target - P_N))
    if Z.shape[1] == 0 or Q.min() >= 0.0:
        return np.asarray(np.maximum(Q, 0.0))
    scale = float(np.abs(P_N).max())
    E = np.vstack([Z.T, -Q[None] / scale])
    f = np.append(np.zeros(Z.shape[1]), 1.0)
    dual, _ = nnls(E, f, maxiter=100 * len(P_N))
    r = E @ dual - f
    return np.asarray(Q - scale * Z @ (r[:-1] / r[-1]))
