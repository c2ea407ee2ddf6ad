"""The robot as a train on rails, with its joints on a path, one link apart (Holden2014, VI-A), and its force mapping.

`pose_on_path` lays it there. For a running controller, `Rails` is a table made once, from which poses and their
derivatives are read. `solve_rail_mapping` finds the torques and peg forces that come closest to the wanted
accelerations,

    minimise  |q_ddot - wish|^2_M + torque (|u|^2 + posture |theta_ddot_f - wish_f|^2_M) + force |f|^2

over joint torques |u| <= torque_limit and peg forces least_force <= f <= force_limit, q = (theta, p). The first term is
that of the centre of mass and the controlled links, the posture term that of free links, if any. In the free form, peg
forces are unknowns beside the torques, M q_ddot = torque_map u + G^T f + load. In the eliminated form of Holden2014
(36)-(39), the pegs hold their links and f follows from u; if no torques keep all contacts pushing, the pull is as small
as can be.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Annotated, Any, Literal

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.planar.start import Start
from pushpoint.errors import InvalidModel
from pushpoint.mapping.limits import Inertia, MappingBounds
from pushpoint.mapping.solution import minimise
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.arrays import Axes
from pushpoint.model.checks import above, at_least, check_fields, real, store
from pushpoint.reduced.contacts import Contacts, closed_dynamics, contact_terms, force_relation
from pushpoint.reduced.robot import ReducedRobot, ReducedState, finite_array, link_numbers
from pushpoint.reduced.smooth import GroundFriction, smooth_terms

PER_POINT = 20
"""Entries of the table of arc lengths between two points of a path."""
CLOSURE = 1e-9
"""How precisely joints lie one link apart, in link lengths [-]; Newton's method needs a few iterations."""
MOST_ITERATIONS = 30
DETOUR = math.pi / 2
"""Longest arc that a link may cut short, in link lengths [-]: half a circle over its diameter."""
SPACING = 0.05
"""Distance between the entries of the table, in mean link lengths [-]; curvature is then accurate to a thousandth."""
MOST_ENTRIES = 50_000
"""Most entries of the table [-]: a path of 2,500 link lengths."""
TURN = 2 * np.pi
HOLD = 1e4
"""Cost of a squared pull in the eliminated form, relative to that of a squared force [-]."""


@dataclass(frozen=True, eq=False)
class Path:
    """A smooth curve in the plane through points, measured by arc length; straight beyond both ends.

    For example:

        path = pp.mapping.Path([(0.0, 0.0), (1.0, 0.3), (2.0, 0.0)])
        points, tangents = path.at(np.linspace(0.0, path.length, 50))
    """

    __repr__ = brief

    points: np.ndarray
    """Points in order of travel [m], shape (n_points, 2); at least 2, no two neighbours equal."""

    def __post_init__(self) -> None:
        points = finite_array("path.points", self.points, "m")
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2:
            raise InvalidModel("path.points: shape", points.shape, "(n_points, 2) with at least 2 points")
        travelled = np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))
        same = np.flatnonzero(np.diff(travelled, prepend=0.0) == 0.0)  # up to round-off
        if same.size:
            raise InvalidModel(
                f"path.points[{same[0] + 1}]", points[same[0] + 1].tolist(), "different from the one before"
            )
        store(self, points=points)

    @property
    def length(self) -> float:
        """Arc length between the ends [m]."""
        return float(self._table[1][-1])

    @cached_property
    def _curve(self) -> Any:
        from scipy.interpolate import CubicSpline

        chord = np.linalg.norm(np.diff(self.points, axis=0), axis=1)
        return CubicSpline(np.concatenate(([0.0], np.cumsum(chord))), self.points)

    @cached_property
    def _table(self) -> tuple[np.ndarray, np.ndarray]:
        """Parameters of the curve, and the arc lengths there by Simpson's rule."""
        knots = self._curve.x
        fine = np.linspace(knots[:-1], knots[1:], PER_POINT, endpoint=False, axis=1).ravel()
        u = np.append(fine, knots[-1])
        speed = np.linalg.norm(self._curve(u, 1), axis=1)
        middle = np.linalg.norm(self._curve((u[1:] + u[:-1]) / 2, 1), axis=1)
        return u, np.concatenate(([0.0], np.cumsum(np.diff(u) * (speed[1:] + 4 * middle + speed[:-1]) / 6)))

    def at(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns points [m] and unit tangents [-] at arc lengths s [m], shapes (..., 2)."""
        s = finite_array("path: s", s, "m")
        u_table, s_table = self._table
        inside = np.clip(s, 0.0, s_table[-1])
        u = np.interp(inside, s_table, u_table)
        tangent = self._curve(u, 1)
        tangent /= np.linalg.norm(tangent, axis=-1, keepdims=True)
        return self._curve(u) + (s - inside)[..., None] * tangent, tangent


@dataclass(frozen=True, kw_only=True, eq=False)
class PathPose:
    """Poses along a path, and how they change as the head advances. The leading dimension is that of the positions."""

    __repr__ = brief

    head: np.ndarray
    """Arc length of the head's front end [m], shape (n_positions,)."""
    center: np.ndarray
    """Centre of mass [m], shape (n_positions, 2)."""
    link_angle: np.ndarray
    """Link angles [rad], shape (n_positions, n_links); neighbours differ by less than half a turn."""
    center_slope: np.ndarray
    """Motion of the centre of mass per motion of the head [-], shape (n_positions, 2)."""
    link_slope: np.ndarray
    """Rotation of the links per motion of the head [rad/m], shape (n_positions, n_links)."""

    def moving(self, speed: float) -> ReducedState:
        """The states of a robot whose head moves along the path at this speed [m/s]."""
        velocity, rate = speed * self.center_slope, speed * self.link_slope
        return ReducedState(center=self.center, velocity=velocity, link_angle=self.link_angle, link_rate=rate)


def state_of(q: np.ndarray, q_dot: np.ndarray) -> ReducedState:
    """The state with q = (theta, p) and its rate, shape (..., n_links + 2)."""
    center, velocity = q[..., -2:], q_dot[..., -2:]
    return ReducedState(center=center, velocity=velocity, link_angle=q[..., :-2], link_rate=q_dot[..., :-2])


@checked_arguments
def pose_on_path(robot: ReducedRobot, path: Path, head: Any) -> PathPose:
    """Poses of a robot on a path, with every joint on it, one link apart.

    Args:
        robot: The reduced model of the robot.
        path: The path. Its bends must be gentle enough for the links.
        head: Arc lengths of the head's front end [m], shape (n_positions,).
    """
    s = np.atleast_1d(finite_array("head", head, "m")).astype(float)
    if s.ndim != 1 or not s.size:
        raise InvalidModel("head: shape", s.shape, "(n_positions,), at least one position")
    arcs = s
    front, tangent = path.at(s)
    pace = np.ones(len(s))
    length = robot.to_front + robot.to_rear
    angle, slope = np.empty((len(s), robot.n_links)), np.empty((len(s), robot.n_links))
    center, drift = np.zeros((len(s), 2)), np.zeros((len(s), 2))
    for i in reversed(range(robot.n_links)):
        s, rear, rear_tangent = _one_link_back(path, s, front, length[i])
        e = (front - rear) / length[i]
        left = np.stack((-e[:, 1], e[:, 0]), axis=1)
        rear_pace = pace * np.vecdot(tangent, e) / np.vecdot(rear_tangent, e)  # the link keeps its length
        rear_speed = rear_pace[:, None] * rear_tangent
        slope[:, i] = np.vecdot(left, pace[:, None] * tangent - rear_speed) / length[i]
        angle[:, i] = np.arctan2(e[:, 1], e[:, 0])
        share = robot.mass[i] / robot.total_mass
        center += share * (rear + robot.to_rear[i] * e)
        drift += share * (rear_speed + (robot.to_rear[i] * slope[:, i])[:, None] * left)
        front, tangent, pace = rear, rear_tangent, rear_pace
    return PathPose(head=arcs, center=center, link_angle=np.unwrap(angle, axis=1), center_slope=drift, link_slope=slope)


def _one_link_back(
    path: Path, s: np.ndarray, front: np.ndarray, length: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Arc lengths, points and tangents one link behind the points at s; Newton's method on the distance."""
    behind = s - length
    for _ in range(MOST_ITERATIONS):
        rear, tangent = path.at(behind)
        gap = front - rear
        distance = np.linalg.norm(gap, axis=1)
        miss = distance - length
        if np.abs(miss).max() <= CLOSURE * length:
            break
        step = miss * distance / np.maximum(np.vecdot(gap, tangent), 0.1 * distance)
        behind = behind + np.clip(step, -length / 2, length / 2)
    lost = (np.abs(miss) > CLOSURE * length) | (s - behind > DETOUR * length)
    if lost.any():
        where = f"near {s[lost][0]:.3g} m"
        raise InvalidModel("path: bend", where, f"gentle enough for links of {length:.3g} m")
    return behind, rear, tangent


@dataclass(frozen=True, kw_only=True, eq=False)
class Rails:
    """All poses of a robot on a path, in the coordinates q = (theta, p) of the reduced model."""

    __repr__ = brief

    robot: ReducedRobot
    """The reduced model of the robot."""
    path: Path
    """The path on which the joints lie."""

    def __post_init__(self) -> None:
        check_fields(self, "rails")
        longest = MOST_ENTRIES * SPACING * self.robot.mean_length
        if not self.path.length <= longest:
            allowed = f"at most {longest:.6g} m for links of {self.robot.mean_length:.3g} m"
            raise InvalidModel("path: length", self.path.length, allowed)

    @cached_property
    def _q(self) -> Any:
        from scipy.interpolate import CubicSpline

        count = max(8, int(np.ceil(self.path.length / (SPACING * self.robot.mean_length))))
        pose = pose_on_path(self.robot, self.path, np.linspace(0.0, self.path.length, count + 1))
        angle = np.unwrap(pose.link_angle, axis=0)
        return CubicSpline(pose.head, np.column_stack((angle, pose.center)))

    def at(self, head: float | np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q, and its first and second derivative with respect to the arc length of the head's front end [m].

        Each has shape (..., n_links + 2), with the leading dimensions of `head`.
        """
        knots, c = self._q.x, self._q.c
        s = np.minimum(np.maximum(head, 0.0), knots[-1])
        k = np.minimum((s * (len(knots) - 1) / knots[-1]).astype(int), len(knots) - 2)
        d = (s - knots[k])[..., None]
        c_3, c_2, c_1, c_0 = c[:, k]
        return ((c_3 * d + c_2) * d + c_1) * d + c_0, (3.0 * c_3 * d + 2.0 * c_2) * d + c_1, 6.0 * c_3 * d + 2.0 * c_2

    def start(self, head: float) -> Start:
        """The robot at rest, with its head's front end at an arc length [m]."""
        q, _, _ = self.at(head)
        return Start(link_angles=q[:-2].tolist(), position=q[-2:].tolist())

    def error(self, q: np.ndarray, head: float | np.ndarray) -> np.ndarray:
        """Difference between a pose and that on the rails [rad, then m], full turns ignored; shape (n_links + 2,)."""
        return _apart(q, self.at(head)[0])

    def fit(self, q: np.ndarray, mass_matrix: np.ndarray, near: Any, iterations: int = 3) -> np.ndarray:
        """Arc length of the head at which the pose on the rails is nearest, in the metric of the masses [m].

        For one pose or several, shape (..., n_links + 2), each with its mass matrix and its first guess [m]. Newton's
        method; a robot moves so little between commands that a few steps suffice.
        """
        head, reach = near, self.robot.mean_length / 2
        for _ in range(iterations):
            on_path, slope, _ = self.at(head)
            pull = np.matvec(mass_matrix, slope)
            step = np.vecdot(pull, _apart(q, on_path)) / np.vecdot(pull, slope)
            head = np.clip(head + np.clip(step, -reach, reach), 0.0, self.path.length)
        return np.asarray(head)


def _apart(q: np.ndarray, on_path: np.ndarray) -> np.ndarray:
    found = q - on_path
    found[..., :-2] -= TURN * np.round(found[..., :-2].mean(axis=-1, keepdims=True) / TURN)
    return found


@checked_arguments
@lru_cache(maxsize=32)
def lay_rails(robot: ReducedRobot, path: Path) -> Rails:
    """The rails of a robot along a path, cached for the same robot and path.

    Args:
        robot: The reduced model of the robot.
        path: The path.
    """
    return Rails(robot=robot, path=path)


@dataclass(frozen=True, kw_only=True)
class RailCosts:
    """Costs of torques and peg forces relative to an unfulfilled wish, and the form of the mapping."""

    __repr__ = brief

    torque: Annotated[float, above(0, "1/(kg m^2)")] = 1e-2
    """Cost of a squared torque [1/(kg m^2)]."""
    force: Annotated[float, at_least(0, "1/kg")] = 1e-3
    """Cost of a squared peg force [1/kg]."""
    posture: Inertia | None = None
    """Cost of a free link's posture error relative to that of a squared torque, rho [kg m^2].

    As in `MappingWeights`. None: no link is left free.
    """
    form: Literal["free", "eliminated"] = "free"
    """"free" (peg forces are unknowns) or "eliminated" (pegs hold their links, Holden2014 (36)-(39))."""

    def __post_init__(self) -> None:
        check_fields(self, "costs")


@dataclass(frozen=True, kw_only=True, eq=False)
class RailSolution:
    """Torques and their expected effect."""

    __repr__ = brief

    joint_torque: np.ndarray
    """Joint torques [N m], shape (n_joints,)."""
    push: np.ndarray
    """Expected normal forces of the pegs, >= 0 if they push [N], shape (n_contacts,)."""
    miss: float
    """Weighted root of squares of the difference from the wish [kg^0.5 m/s^2]."""
    solved: bool
    """Whether the solver converged."""


def rail_metric(mass_matrix: np.ndarray, free: np.ndarray, costs: RailCosts) -> np.ndarray:
    """A root R of the cost of an unfulfilled wish, |R (q_ddot - wish)|^2, with free links; shaped like mass_matrix."""
    if not free.size:
        return np.linalg.cholesky(mass_matrix).mT
    loose = np.zeros(mass_matrix.shape[-1], dtype=bool)
    loose[free] = True
    root = np.linalg.cholesky(np.where(loose[:, None] == loose, mass_matrix, 0.0)).mT
    root[..., loose] *= math.sqrt(costs.torque * (costs.posture or 0.0))
    return root


@checked_arguments
def solve_rail_mapping(
    robot: ReducedRobot,
    ground: GroundFriction,
    state: ReducedState,
    contacts: Contacts,
    wish: Annotated[np.ndarray, real("rad/s^2, then m/s^2"), Axes("n_links + 2")],
    bounds: MappingBounds,
    costs: RailCosts = RailCosts(),  # noqa: B008
    links: Any = None,
) -> RailSolution:
    """Finds the best torques for one state.

    There is always a solution; `solved` says whether the solver found it.

    Args:
        robot: The reduced model of the robot.
        ground: Friction of the ground.
        state: Pose and velocities.
        contacts: Contacts with pegs.
        wish: Wanted accelerations of q [rad/s^2, then m/s^2], shape (n_links + 2,).
        bounds: Limits of torques and peg forces.
        costs: Costs and form of the mapping.
        links: Indices of the controlled links; the others are left to `costs.posture`. Default: all.

    Raises:
        InvalidModel: In the eliminated form, contacts depend on each other.
    """
    n, m, count, side = robot.n_links, robot.n_joints, contacts.count, contacts.side
    if len(wish) != n + 2:
        raise InvalidModel("solve_rail_mapping: wish", wish.shape, f"of shape ({n + 2},)")
    if links is not None and not np.isin(links := link_numbers("solve_rail_mapping: links", links), np.arange(n)).all():
        raise InvalidModel("solve_rail_mapping: links", int(links.max()), f"below {n}")
    torque_limit, least_force, force_limit = bounds.of(m, count)
    terms = smooth_terms(robot, ground, state)
    relation = force_relation(robot, terms, contact_terms(robot, state, contacts, terms))
    free_links = np.zeros(0, dtype=int) if links is None or costs.posture is None else np.delete(np.arange(n), links)
    metric = rail_metric(terms.mass_matrix, free_links, costs)
    eliminated = costs.form == "eliminated" and count > 0
    if eliminated:  # the unknowns besides the torques are pulls
        closed = closed_dynamics(contacts, relation)
        response, free = np.hstack((closed.per_torque, np.zeros((n + 2, count)))), closed.free
        push, push_free = side[:, None] * closed.force_per_torque, side * closed.force_free
        within = (np.hstack((push, np.eye(count))), least_force - push_free, force_limit - push_free)
        price, low, high = HOLD * max(costs.force, 1e-3), np.full(count, -np.inf), np.full(count, np.inf)
    else:  # the unknowns besides the torques are peg forces
        response = relation.response[:, [*range(m), *range(m + 1, m + 1 + count)]]
        response[:, m:] *= side
        free, within = relation.response[:, m], None
        price, low, high = costs.force, least_force, force_limit
    rows, target = metric @ response, metric @ (wish - free)
    least, most = np.concatenate((-torque_limit, low)), np.concatenate((torque_limit, high))
    P = rows.T @ rows + np.diag([costs.torque] * m + [price] * count)
    x, solved, _ = minimise(P, -rows.T @ target, least, most, between=within)
    x = np.minimum(np.maximum(x, least), most)
    force = push @ x[:m] + push_free if eliminated else x[m:]
    return RailSolution(joint_torque=x[:m], push=force, miss=float(np.linalg.norm(rows @ x - target)), solved=solved)
