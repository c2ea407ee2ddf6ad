"""One time step after Transeth2008b (72) to (83) on dense matrices, solved to round-off and checked by its inclusions.

The pose at the midpoint follows from u_A; there the Jacobians, the joint angles and the active contacts are taken
(gap <= 1e-6 m). Velocities are those of the end of the step, half a step later. With u = J nu, J has then changed by
dt/2 J_dot, so that u_E = J nu_E + b with the drift b = dt/2 J_dot nu, nu being velocities that the links have in the
step (`way`; u_A if none are given): W_J^T (u_E - b) = 0 instead of the paper's W_J^T u_E = 0, and joint rates are
W_S^T (u_E - b). A contact is carried round its link's centre of mass in that time: gamma = W^T u_E + dt/2 w x (w x r).

Servos are compliant rows. With tau = K (ref - alpha) + D (ref_rate - alpha_dot) the impulse is
dt (share tau_E + (1 - share) tau_A), alpha_E = alpha_M + dt/2 alpha_dot_E, and 1 - share = 1/(2 (1 + z)^2),
z = dt (dt K/2 + D)/I, I being what the two links at the axis oppose to its turning. Joint impulses are eliminated
exactly, which is (84) as it must read. Contacts: gamma_NE + e min(gamma_NA, 0) >= 0 with restitution e, friction
sets of `oracles.cones`, rolling discs of radius mu_V P_N and spin bounds, all in impulses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from oracles.cones import semi_axes
from oracles.spatial.contacts import ContactLaws, Residuals, residuals_of, solve_contacts
from oracles.spatial.dense import DenseRobot, tangents
from oracles.spatial.free import FreeFlight
from oracles.spatial.pose import Array, Pose, cross
from pushpoint.engine.packing import _axis_inertia
from pushpoint.model.environment import Ground
from pushpoint.model.friction import FrictionLaw, Frictionless
from pushpoint.model.spatial_robot import SpatialRobot

CONTACT_GAP = 1e-6
"""Spheres nearer to the ground than this at the midpoint are active [m]."""


class Way(NamedTuple):
    """How links and joints turn in a step [rad/s]."""

    start_rates: Array
    """Joint rates at its start."""
    omega: Array
    """Angular velocity of the tail, its own axes, that the drift is made of."""
    rates: Array
    """Joint rates that the drift is made of."""
    last: Array | None = None
    """u of the step before: the gyroscopic torque is carried on to the midpoint, 3/2 of now less 1/2 of then."""


@dataclass(frozen=True, kw_only=True)
class StepResult:
    """What a step gives. Contacts are the active spheres, in the order of `DenseRobot.spheres`."""

    u: Array
    """u_E: velocity at the end, (v in world axes, omega in the link's axes), shape (n_links, 6)."""
    pose: Pose
    """Pose at the end, (83), not projected back onto the joints."""
    pose_mid: Pose
    """Pose at the midpoint, (72)."""
    active: tuple[int, ...]
    """Active spheres."""
    gap: Array
    """Gaps of all spheres at the midpoint [m], shape (n_spheres,)."""
    P_J: Array
    """Joint impulses [N s], [N m s]; rows as in `DenseRobot.joint_gaps`."""
    P_S: Array
    """Servo impulses [N m s], shape (n_joints,)."""
    P_N: Array
    """Normal impulses [N s], shape (n_active,)."""
    P_T: Array
    """Friction impulses along and across the link [N s], shape (n_active, 2)."""
    P_V: Array
    """Rolling impulses [N s], shape (n_active, 2); the moment is radius times as large."""
    P_D: Array
    """Spin impulses about the normal [N m s], shape (n_active,)."""
    gamma: Array
    """W^T u_E + dt/2 w x (w x r) of the active contacts, shape (n_active, 6): normal, along, across, rolling (2) [m/s],
    spin [rad/s]."""
    joint_angle: Array
    """alpha_M [rad], shape (n_joints,)."""
    joint_rate: Array
    """alpha_dot_E [rad/s], shape (n_joints,)."""
    delassus: Array
    """G with gamma = c + G P for the active contacts, servos and joints included, shape (6 n_active, 6 n_active)."""
    normal_rank: int
    """Rank of the normal rows of G; below n_active the normal impulses are not unique."""
    residuals: Residuals
    """How far the result is from the equations and inclusions of the step, measured without the solver."""


@dataclass(frozen=True, kw_only=True)
class _Problem:
    """The step's linear part: u_E = u_free + response @ P."""

    dense: DenseRobot
    mid: Pose
    active: tuple[int, ...]
    gap: Array
    W_J: Array
    W_S: Array
    W_C: Array
    drive: Array
    compliance: Array
    inverse: Array
    push: Array
    drift: Array
    arcs: Array
    laws: ContactLaws

    def velocity(self, P: Array) -> tuple[Array, Array]:
        """u_E and P_J for contact impulses P."""
        size = len(self.push)
        forces = self.push - self.dense.mass_matrix @ self.drift + self.W_S @ self.drive + self.W_C @ P
        solution = self.inverse[:, :size] @ forces
        return solution[:size] + self.drift, solution[size:]


def ground_normal(ground: Ground) -> Array:
    """Unit normal of the plane, upward."""
    uphill = np.array([np.cos(ground.slope_direction), np.sin(ground.slope_direction)])
    return np.array([*(-np.sin(ground.slope) * uphill), np.cos(ground.slope)])


def step(
    robot: SpatialRobot | DenseRobot,
    pose: Pose,
    u: ArrayLike,
    dt: float,
    *,
    ground: Ground | None = None,
    references: tuple[ArrayLike, ArrayLike] | None = None,
    start: Array | None = None,
    way: Way | None = None,
) -> StepResult:
    """One step of dt [s] from a pose and u_A, shape (n_links, 6).

    ground: A plane, level or sloped, and gravity; None: neither ground nor gravity.
    references: Angles [rad] and rates [rad/s] of the axes, all through the step; None: the motors are off.
    start: Contact impulses with which the iteration begins, shape (n_active, 6); None: zero.
    way: Joint rates at the start, and what the drift is made of; None: those of u_A.
    """
    dense = robot if isinstance(robot, DenseRobot) else DenseRobot.of(robot)
    u_A = np.array(u, dtype=float).ravel()
    problem = _set_up(dense, pose, u_A, dt, ground, references, way)
    count = len(problem.active)
    size = len(u_A)
    response = problem.inverse[:size, :size] @ problem.W_C
    G, c = problem.W_C.T @ response, problem.W_C.T @ problem.velocity(np.zeros(6 * count))[0] + problem.arcs.ravel()
    first = np.zeros((count, 6)) if start is None else np.array(start, dtype=float)
    impulses = solve_contacts(G, c, problem.laws, first)
    u_E, P_J = problem.velocity(impulses.ravel())
    rate = problem.W_S.T @ (u_E - problem.drift)
    P_S = problem.drive - problem.compliance * rate
    gamma = (problem.W_C.T @ u_E).reshape(count, 6) + problem.arcs
    M = dense.mass_matrix
    balance = M @ u_E - problem.push - problem.W_J @ P_J - problem.W_S @ P_S - problem.W_C @ impulses.ravel()
    normals = G[::6, ::6]
    result = StepResult(
        u=u_E.reshape(-1, 6),
        pose=problem.mid.advanced(u_E, dt / 2),
        pose_mid=problem.mid,
        active=problem.active,
        gap=problem.gap,
        P_J=P_J,
        P_S=P_S,
        P_N=impulses[:, 0],
        P_T=impulses[:, 1:3],
        P_V=impulses[:, 3:5],
        P_D=impulses[:, 5],
        gamma=gamma,
        joint_angle=dense.joint_angles(problem.mid),
        joint_rate=rate,
        delassus=G,
        normal_rank=int(np.linalg.matrix_rank(normals, tol=1e-9 * np.abs(normals).max())) if count else 0,
        residuals=residuals_of(
            impulses, gamma, problem.laws, balance=balance, joints=problem.W_J.T @ (u_E - problem.drift)
        ),
    )
    _refuse_saturation(robot=dense.robot, result=result, dt=dt, driven=references is not None)
    return result


def _set_up(
    dense: DenseRobot,
    pose: Pose,
    u_A: Array,
    dt: float,
    ground: Ground | None,
    references: tuple[ArrayLike, ArrayLike] | None,
    way: Way | None,
) -> _Problem:
    mid = pose.advanced(u_A, dt / 2)
    u = u_A.reshape(-1, 6)
    if way is None:
        way = Way(dense.joint_rates(pose, u), u[0, 3:], dense.joint_rates(pose, u))
    nu = np.concatenate([u[0, :3], way.omega, way.rates])
    way_w = (dense.chain_jacobian(mid) @ nu).reshape(-1, 6)[:, 3:]
    normal = np.array([0.0, 0.0, 1.0]) if ground is None else ground_normal(ground)
    gap = dense.contact_gaps(mid, normal)
    active = () if ground is None else tuple(int(k) for k in np.flatnonzero(gap <= CONTACT_GAP))
    W_J, W_S, W_C = dense.joint_jacobian(mid), dense.axis_jacobian(mid), dense.contact_jacobian(mid, active, normal)
    drive, compliance = servo_rows(dense, mid, dt, references, way.start_rates)
    aside = np.array([0.0, 0.0, 1.0]) if ground is None else normal
    arcs = [arc_speeds(dense, mid, omegas, active, aside, dt) for omegas in (way_w, u[:, 3:])]
    rows = W_J.shape[1]
    loaded = dense.mass_matrix + (W_S * compliance) @ W_S.T
    # u_E: loaded u_E - W_J P_J = push + W_S drive + W_C P, W_J^T u_E = 0
    inverse = np.linalg.inv(np.block([[loaded, -W_J], [W_J.T, np.zeros((rows, rows))]]))
    gravity = 0.0 if ground is None else ground.gravity
    smooth = dense.smooth_forces(u_A, gravity)
    if way.last is not None:
        smooth = 1.5 * smooth - 0.5 * dense.smooth_forces(way.last, gravity)
    return _Problem(
        dense=dense,
        mid=mid,
        active=active,
        gap=gap,
        W_J=W_J,
        W_S=W_S,
        W_C=W_C,
        drive=drive,
        compliance=compliance,
        inverse=inverse,
        push=dense.mass_matrix @ u_A + dt * smooth.ravel(),
        drift=dt / 2 * FreeFlight(robot=dense.robot).bias(mid, nu).ravel(),
        arcs=arcs[0],
        laws=_laws(dense, active, ground, (W_C.T @ u_A).reshape(-1, 6) - arcs[1], dt),
    )


def arc_speeds(dense: DenseRobot, mid: Pose, omega: Array, active: tuple[int, ...], normal: Array, dt: float) -> Array:
    """What half a step of turning about the centre of mass adds to a contact's velocity, shape (n_active, 6)."""
    found = np.zeros((len(active), 6))
    for row, k in enumerate(active):
        sphere = dense.spheres[k]
        R = mid.rotation[sphere.link]
        arc = dt / 2 * R @ cross(omega[sphere.link], cross(omega[sphere.link], sphere.center))
        found[row, :3] = np.array([normal, *tangents(R, normal)]) @ arc
    return found


def servo_share(robot: SpatialRobot, dt: float) -> Array:
    """Weight of the end of the step in a servo's impulse [-], shape (n_joints,)."""
    K, D = robot.motor_column("stiffness"), robot.motor_column("damping")
    z = dt * (0.5 * dt * K + D) / _axis_inertia(robot)
    return np.asarray(1.0 - 0.5 / (1.0 + z) ** 2)


def servo_rows(
    dense: DenseRobot, mid: Pose, dt: float, references: tuple[ArrayLike, ArrayLike] | None, rate_A: Array
) -> tuple[Array, Array]:
    """Impulse at zero joint rate, and its decrease per joint rate."""
    if references is None:
        return np.zeros(dense.robot.n_joints), np.zeros(dense.robot.n_joints)
    angle, rate = (np.broadcast_to(np.asarray(r, dtype=float), dense.robot.n_joints) for r in references)
    K, D = dense.robot.motor_column("stiffness"), dense.robot.motor_column("damping")
    share, alpha = servo_share(dense.robot, dt), dense.joint_angles(mid)
    late = dt * (K * (angle - alpha) + D * rate)
    early = dt * (K * (angle - alpha + dt / 2 * rate_A) + D * (rate - rate_A))
    return share * late + (1 - share) * early, share * dt * (0.5 * dt * K + D)


def _laws(dense: DenseRobot, active: tuple[int, ...], ground: Ground | None, gamma_A: Array, dt: float) -> ContactLaws:
    earth = Ground() if ground is None else ground
    if earth.regions or earth.heights is not None:
        raise NotImplementedError("the ground of this oracle is one plane with one law per link")
    laws = earth.laws(dense.n_links)
    axes = np.array([_axes_of(laws[dense.spheres[k].link]) for k in active]).reshape(-1, 3)
    return ContactLaws(
        sets=axes,
        rolling=earth.rolling,
        spin=earth.spin,
        bounce=earth.restitution * np.minimum(gamma_A[:, 0], 0.0),
        impulse_scale=dense.robot.mass * max(earth.gravity * dt, float(np.abs(gamma_A).max(initial=0.0)), 1e-12),
        velocity_scale=max(earth.gravity * dt, float(np.abs(gamma_A).max(initial=0.0)), 1e-12),
    )


def _axes_of(law: FrictionLaw) -> tuple[float, float, float]:
    """Extent of a law's set per normal impulse: backward, forward, across [-]."""
    if isinstance(law, Frictionless):
        return 0.0, 0.0, 0.0
    if type(law).__name__ not in {"Isotropic", "Elliptic", "Skin"} or getattr(law, "flow", "") == "directional":
        raise NotImplementedError(f"{law} is not an ellipse with associated flow")
    return semi_axes(law)


def _refuse_saturation(*, robot: SpatialRobot, result: StepResult, dt: float, driven: bool) -> None:
    """The servo here is linear: a state that meets a limit of its motors is no state to compare."""
    low, high = robot.motor_column("lower"), robot.motor_column("upper")
    if np.any(result.joint_angle < low) or np.any(result.joint_angle > high):
        raise NotImplementedError("a joint is beyond its end stop")
    if driven and np.any(np.abs(result.P_S) > dt * robot.motor_column("torque_limit")):
        raise NotImplementedError("a servo is at its torque limit")
    if driven and (np.any(robot.motor_column("backlash") > 0) or np.isfinite(robot.motor_column("speed_limit")).any()):
        raise NotImplementedError("a servo has play or a speed limit")


def velocity_spread(
    robot: SpatialRobot | DenseRobot,
    pose: Pose,
    u: ArrayLike,
    dt: float,
    *,
    ground: Ground,
    references: tuple[ArrayLike, ArrayLike] | None = None,
    tries: int = 4,
    way: Way | None = None,
) -> float:
    """Largest difference in u_E [m/s, rad/s] between solutions reached from random first impulses.

    Near zero where u_E is unique. Redundant normal rows (normal_rank below the number of contacts) make it differ by
    way of the friction bounds; with much friction Coulomb's law itself can have several solutions.
    """
    dense = robot if isinstance(robot, DenseRobot) else DenseRobot.of(robot)
    told: dict[str, Any] = {"ground": ground, "references": references, "way": way}
    first = step(dense, pose, u, dt, **told)
    rng = np.random.default_rng(0)
    size = max(float(first.P_N.max(initial=0.0)), dense.robot.mass * ground.gravity * dt)
    worst = 0.0
    for _ in range(tries):
        guess = size * rng.uniform(-1.0, 1.0, (len(first.active), 6))
        guess[:, 0] = np.abs(guess[:, 0])
        other = step(dense, pose, u, dt, start=guess, **told)
        worst = max(worst, float(np.abs(other.u - first.u).max()))
    return worst
