"""Whether a robot can push itself along a path through pegs, position by position (Holden2014, VI-A).

`path_quality` treats it as static: the robot creeps forward, and at each position some forces of the pegs must balance
the friction of the ground, two forces and one moment. The joint torques follow by cutting the robot at its joints. Of
all such forces, those with the least sum of squared torques are used. `path_solvability` follows VI-A literally: does
(46) have a solution under (39), for the accelerations that belong to a given speed along the path (those of the centre
of mass, of the links at the pegs, of those that will be there next, and of the head)?
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pushpoint.brief import brief
from pushpoint.engine.batching import pick
from pushpoint.engine.planar.kinematics import directions
from pushpoint.errors import InvalidModel
from pushpoint.mapping.force_mapping import build_force_mapping
from pushpoint.mapping.limits import MappingBounds
from pushpoint.mapping.rails import Path, PathPose, pose_on_path
from pushpoint.mapping.solution import minimise, solve_force_mapping
from pushpoint.mapping.wishes import MotionWish
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import check_fields, members, positive, store
from pushpoint.model.environment import Peg
from pushpoint.reduced.contacts import Contacts, contact_terms
from pushpoint.reduced.robot import ReducedRobot, ReducedState, finite_array
from pushpoint.reduced.smooth import GroundFriction, centrifugal_matrix, smooth_terms

REACH = 0.02
"""Largest gap between peg and link at which contact is expected [m]."""
BALANCE = 1e-4
"""Largest share of the ground's friction that may remain unbalanced [-]."""
STRICT = 1e10
"""Cost of unbalanced loads relative to that of torques, both in units of the ground's friction [-]."""
STEP = 1e-4
"""Length of path over which slopes are differenced to find accelerations [m]."""


@dataclass(frozen=True, eq=False)
class Travel:
    """A robot that moves along a path through pegs, at some positions of its head."""

    __repr__ = brief

    robot: ReducedRobot
    """The robot."""
    ground: GroundFriction
    """Friction of the ground."""
    path: Path
    """The path."""
    pegs: Sequence[Peg]
    """The pegs that it can push against; at least one."""
    head: np.ndarray
    """Arc lengths of the head's front end [m], shape (n_positions,)."""
    speed: float = 0.1
    """Speed along the path [m/s]."""

    def __post_init__(self) -> None:
        check_fields(self, "travel")
        pegs = members("pegs", self.pegs, Peg, "a Peg")
        if not pegs:
            raise InvalidModel("pegs", 0, "at least one: without pegs there is nothing to push against")
        store(
            self,
            pegs=pegs,
            speed=positive("speed", self.speed, "m/s"),
            head=np.atleast_1d(finite_array("head", self.head, "m")),
        )

    def positions(self) -> tuple[PathPose, ReducedState, Contacts, np.ndarray]:
        """The moving robot on its path, a contact for each peg, and which of them touch."""
        pose = pose_on_path(self.robot, self.path, self.head)
        return pose, pose.moving(self.speed), *touches(self.robot, pose, self.pegs)


@dataclass(frozen=True, kw_only=True, eq=False)
class PathFeasibility:
    """Where along a path the robot can do what is wanted."""

    head: np.ndarray
    """Arc length of the head's front end [m], shape (n_positions,)."""
    feasible: np.ndarray
    """Whether the wish can be fulfilled with torques and forces within the limits, shape (n_positions,)."""
    cost: np.ndarray
    """Sum of squared joint torques [(N m)^2], shape (n_positions,)."""

    @property
    def bad(self) -> float:
        """Share of the positions that are not feasible [-]."""
        return float(np.mean(~self.feasible))


@dataclass(frozen=True, kw_only=True, eq=False)
class PathQuality(PathFeasibility):
    """Balance of forces at each position along a path: feasible where the pegs can balance the ground."""

    __repr__ = brief

    residual: np.ndarray
    """Share of the ground's friction that no push can balance [-], shape (n_positions,)."""
    joint_torque: np.ndarray
    """Joint torques [N m], shape (n_positions, n_joints)."""
    peg_force: np.ndarray
    """Normal force on each peg, >= 0 [N], shape (n_positions, n_pegs)."""
    peg_link: np.ndarray
    """Index of the link that each peg touches [-], -1 for none, shape (n_positions, n_pegs)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PathSolvability(PathFeasibility):
    """What the force mapping can do at each position along a path.

    If the wish cannot be fulfilled, the cost is that of the closest motion. Where no peg touches, nothing is feasible
    and the cost is NaN.
    """

    __repr__ = brief

    solvable: np.ndarray
    """Whether A_e has the rank for the wish, regardless of torque limits and signs of forces, shape (n_positions,)."""


@checked_arguments
def path_quality(travel: Travel, bounds: MappingBounds) -> PathQuality:
    """Whether the pegs can balance the ground at each position, and at what cost.

    Args:
        travel: The robot, its path, the pegs and the positions. The speed matters for viscous friction only.
        bounds: Limits of torques and peg forces.
    """
    robot, ground = travel.robot, travel.ground
    pose, state, contacts, touching = travel.positions()
    terms = smooth_terms(robot, ground, state)
    touch = contact_terms(robot, state, contacts, terms)
    moment = terms.load[..., :-2] + np.matvec(centrifugal_matrix(robot, terms), np.square(state.link_rate))
    size = np.linalg.norm(terms.ground_force, axis=-1).sum(axis=-1)
    if not (size > 0.0).all():
        raise InvalidModel("ground", "frictionless", "one with friction: without it, nothing resists the robot")
    push = contacts.side[..., None] * touch.G
    G_moment, G_force = push[..., :-2], push[..., -2:]
    torque_limit, least_force, force_limit = bounds.of(robot.n_joints, touching.shape[1])
    found = [
        _balance(
            np.concatenate((terms.load[k, -2:] / size[k], [moment[k].sum() / (size[k] * robot.mean_length)])),
            np.column_stack((G_force[k, at], G_moment[k, at].sum(axis=-1) / robot.mean_length)).T / size[k],
            np.cumsum(moment[k])[:-1],
            np.cumsum(G_moment[k, at], axis=-1)[:, :-1].T,
            float(size[k]) * robot.mean_length,
            torque_limit,
            (least_force[at], force_limit[at]),
        )
        for k, at in enumerate(touching)
    ]
    peg_force = np.zeros(touching.shape)
    force, torque, residual, feasible = zip(*found, strict=True)
    peg_force[touching] = np.concatenate(force)
    return PathQuality(
        head=pose.head,
        feasible=np.array(feasible),
        residual=np.array(residual),
        cost=np.square(torque).sum(axis=1),
        joint_torque=np.array(torque),
        peg_force=peg_force,
        peg_link=np.where(touching, contacts.link, -1),
    )


@checked_arguments
def path_solvability(travel: Travel, bounds: MappingBounds) -> PathSolvability:
    """What the force mapping can do at each position, for the accelerations that belong to the speed.

    Args:
        travel: The robot, its path, the pegs, the positions and the speed.
        bounds: Limits of torques and peg forces.
    """
    robot, ground, path, speed = travel.robot, travel.ground, travel.path, travel.speed
    pose, moving, contacts, touching = travel.positions()
    before, after = pose_on_path(robot, path, pose.head - STEP), pose_on_path(robot, path, pose.head + STEP)
    center = speed**2 * (after.center_slope - before.center_slope) / (2 * STEP)
    turn = speed**2 * (after.link_slope - before.link_slope) / (2 * STEP)
    solvable, feasible, cost = np.zeros((3, len(pose.head)))
    cost[:] = np.nan
    for k in np.flatnonzero(touching.any(axis=1)):
        here = pick(contacts, (k, touching[k]))
        links = task_links(robot, here)
        wish = MotionWish(center_acceleration=center[k], links=links, link_acceleration=turn[k, links])
        found = solve_force_mapping(build_force_mapping(robot, ground, pick(moving, k), here, wish, bounds))
        solvable[k], feasible[k], cost[k] = found.problem.solvable, found.feasible, found.cost
    return PathSolvability(head=pose.head, solvable=solvable.astype(bool), feasible=feasible.astype(bool), cost=cost)


def task_links(robot: ReducedRobot, contacts: Contacts) -> np.ndarray:
    """The links that the task of Holden2014, VI controls: those at pegs, those that come there next, and the head.

    The robot moves toward its last link, so the link behind the one at a peg comes next.
    """
    return np.unique(np.concatenate((contacts.link, np.maximum(contacts.link - 1, 0), [robot.n_links - 1])))


def touches(robot: ReducedRobot, pose: PathPose, pegs: Sequence[Peg]) -> tuple[Contacts, np.ndarray]:
    """For each peg, its nearest link as a contact, and whether it touches, shape (n_positions, n_pegs)."""
    link, side, along, near = nearest_links(robot, beside_links(robot, pose.center, pose.link_angle, pegs), REACH)
    surface = robot.radius[link]
    radius, friction = np.array([(peg.radius, peg.friction) for peg in pegs]).T
    standoff = surface + radius
    return Contacts(link=link, side=side, along=along, surface=surface, standoff=standoff, friction=friction), near


def nearest_links(
    robot: ReducedRobot, beside: tuple[np.ndarray, ...], reach: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """For each peg, the nearest link, side, position along the link [m] and whether it is in reach.

    Each has shape (..., n_pegs); the input is what `beside_links` returns. The side is that on which the peg is, as in
    `Contacts`. A peg beyond the tail's rear end or the head's front end is not in reach.
    """
    link = np.argmin(beside[3], axis=-2)
    along, across, on_link, gap = (np.take_along_axis(each, link[..., None, :], axis=-2)[..., 0, :] for each in beside)
    past = ((link == 0) & (along < -robot.to_rear[0])) | ((link == robot.n_links - 1) & (along > robot.to_front[-1]))
    return link, np.where(across < 0.0, 1.0, -1.0), on_link, (gap < reach) & ~past


def beside_links(
    robot: ReducedRobot, center: np.ndarray, link_angle: np.ndarray, pegs: Sequence[Peg]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Positions of pegs relative to links, each of shape (..., n_links, n_pegs) [m].

    Their centres along the link from its centre of mass and to its left, the nearest point of the link along itself,
    and the gap between the surfaces.
    """
    e = directions(link_angle)
    middle = center[..., None, :] + np.matmul(robot.lever, e)
    away = np.array([(peg.x, peg.y) for peg in pegs]) - middle[..., None, :]
    along = np.vecdot(away, e[..., None, :])
    across = e[..., None, 0] * away[..., 1] - e[..., None, 1] * away[..., 0]
    on_link = np.clip(along, -robot.to_rear[:, None], robot.to_front[:, None])
    radius = np.array([peg.radius for peg in pegs])
    gap = np.hypot(across, along - on_link) - radius - robot.radius[:, None]
    return along, across, on_link, gap


def _balance(
    load: np.ndarray,
    push: np.ndarray,
    torque: np.ndarray,
    per_push: np.ndarray,
    unit: float,
    torque_limit: np.ndarray,
    force_limits: tuple[np.ndarray, np.ndarray],
) -> tuple[np.ndarray, np.ndarray, float, bool]:
    """Peg forces f [N] with load + push f = 0, joint torques, the unbalanced share [-], and whether limits hold.

    load: The ground's force x, y and moment about the centre of mass, in units of its friction [-], shape (3,); push:
    the same per peg force [1/N], shape (3, n_touching). The joint torques [N m] are torque + per_push f; unit is the
    friction of the ground times a link's length [N m].
    """
    from scipy.optimize import nnls

    heavy, light = STRICT**0.5, 1.0 / unit
    least, most = force_limits
    force = least
    if force.size:
        begun = np.concatenate((heavy * (load + push @ least), light * (torque + per_push @ least)))
        force = least + nnls(np.vstack((heavy * push, light * per_push)), -begun)[0]
    residual, found = float(np.linalg.norm(load + push @ force)), torque + per_push @ force
    fits = bool((force <= most).all() and (np.abs(found) <= torque_limit).all())
    if residual <= BALANCE and not fits:
        P, c = per_push.T @ per_push / unit**2, per_push.T @ torque / unit**2
        within = (per_push, -torque_limit - torque, torque_limit - torque)
        other, fits, _ = minimise(P, c, least, most, equal=(push, -load), between=within)
        if fits:
            force = other
            residual, found = float(np.linalg.norm(load + push @ force)), torque + per_push @ force
    return force, found, residual, fits and residual <= BALANCE
