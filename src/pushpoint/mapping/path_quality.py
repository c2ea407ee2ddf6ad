"""Whether a path through pegs can be travelled by pushing, position by position (Holden2014, VI-A).

The robot lies on the path like a train on rails. `path_quality` makes it static: the robot creeps forward, and at each
position some forces of the pegs must balance the friction of the ground: two forces and one moment. The joint torques
follow by cutting the robot at its joints. Of all such forces those with the least sum of squared torques are taken.

`path_solvability` is VI-A to the letter: has (46) a solution under (39)? The robot moves along the path with a given
speed. Asked for are the accelerations that go with this motion: of the centre of mass, of the links at the pegs and of
those that will be there next, and of the head.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pushpoint.engine.batching import pick
from pushpoint.errors import InvalidModel
from pushpoint.mapping.force_mapping import MappingBounds, MotionWish, build_force_mapping
from pushpoint.mapping.rails import Path, PathPose, pose_on_path
from pushpoint.mapping.solution import ForceMappingResult, minimise, solve_force_mapping
from pushpoint.model.checks import members, positive
from pushpoint.model.environment import Peg
from pushpoint.reduced.contacts import Contacts, contact_terms
from pushpoint.reduced.robot import ReducedRobot
from pushpoint.reduced.smooth import GroundFriction, centrifugal_matrix, smooth_terms

REACH = 0.02
"""Largest gap between peg and link at which the peg is expected to touch [m]."""
BALANCE = 1e-4
"""Largest share of the ground's friction that may stay unbalanced [-]."""
STRICT = 1e10
"""Cost of unbalanced loads over that of torques, both in units of the ground's friction [-]."""
STEP = 1e-4
"""Length of the path over which slopes are compared, to find accelerations [m]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PathQuality:
    """Balance of the robot at each position along a path."""

    head: np.ndarray
    """Arc length of the head's front end [m], shape (n_positions,)."""
    feasible: np.ndarray
    """Whether the pegs can balance the ground with torques and forces within the limits, shape (n_positions,)."""
    residual: np.ndarray
    """Share of the ground's friction that no pushing balances [-], shape (n_positions,)."""
    cost: np.ndarray
    """Sum of the squared joint torques [(N m)^2], shape (n_positions,)."""
    joint_torque: np.ndarray
    """Torques of the joints [N m], shape (n_positions, n_joints)."""
    peg_force: np.ndarray
    """Normal force on each peg, >= 0 [N], shape (n_positions, n_pegs)."""
    peg_link: np.ndarray
    """Link that each peg touches [-], -1 for none, shape (n_positions, n_pegs)."""

    @property
    def bad(self) -> float:
        """Share of the positions where the robot cannot push itself on [-]."""
        return float(np.mean(~self.feasible))


def path_quality(
    robot: ReducedRobot,
    ground: GroundFriction,
    path: Path,
    pegs: Sequence[Peg],
    head: np.ndarray,
    bounds: MappingBounds,
    speed: float = 0.1,
) -> PathQuality:
    """Feasibility and cost with the head's front end at given arc lengths [m]; speed matters to viscous friction."""
    pegs = members("pegs", pegs, Peg, "a Peg")
    if not pegs:
        raise InvalidModel("pegs", 0, "at least one: without a peg there is nothing to push against")
    pose = pose_on_path(robot, path, head)
    state = pose.moving(positive("speed", speed, "m/s"))
    contacts, touching = touches(robot, pose, pegs)
    terms = smooth_terms(robot, ground, state)
    touch = contact_terms(robot, state, contacts, terms)
    moment = terms.load[..., :-2] + np.matvec(centrifugal_matrix(robot, terms), np.square(state.link_rate))
    size = np.linalg.norm(terms.ground_force, axis=-1).sum(axis=-1)
    if not (size > 0.0).all():
        raise InvalidModel(
            "ground", "frictionless", "one with friction: nothing resists the robot, so it need not push"
        )
    push = contacts.side[..., None] * touch.G
    G_moment, G_force = push[..., :-2], push[..., -2:]
    torque_limit, force_limit = bounds.of(robot.n_joints, len(pegs))
    found = [
        _balance(
            _Position(
                load=np.concatenate((terms.load[k, -2:] / size[k], [moment[k].sum() / (size[k] * robot.mean_length)])),
                push=np.column_stack((G_force[k, at], G_moment[k, at].sum(axis=-1) / robot.mean_length)).T / size[k],
                torque=np.cumsum(moment[k])[:-1],
                torque_per_push=np.cumsum(G_moment[k, at], axis=-1)[:, :-1].T,
                unit=float(size[k]) * robot.mean_length,
            ),
            torque_limit,
            force_limit[at],
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


def touches(
    robot: ReducedRobot, pose: PathPose, pegs: Sequence[Peg], reach: float = REACH
) -> tuple[Contacts, np.ndarray]:
    """For each peg the nearest link as its contact, and whether it touches, shape (n_positions, n_pegs).

    One contact per peg; a peg beyond the tail's rear end or the head's front end does not touch.
    """
    along, across, on_link, gap = beside_links(robot, pose.center, pose.link_angle, pegs)
    radius = np.array([peg.radius for peg in pegs])
    link = np.argmin(gap, axis=1)

    def nearest(values: np.ndarray) -> np.ndarray:
        return np.take_along_axis(values, link[:, None, :], axis=1)[:, 0, :]

    past_end = ((link == 0) & (nearest(along) < -robot.to_rear[0])) | (
        (link == robot.n_links - 1) & (nearest(along) > robot.to_front[-1])
    )
    surface = robot.radius[link]
    contacts = Contacts(
        link=link,
        side=np.where(nearest(across) < 0.0, 1.0, -1.0),
        along=nearest(on_link),
        surface=surface,
        standoff=surface + radius,
        friction=np.array([peg.friction for peg in pegs]),
    )
    return contacts, (nearest(gap) < reach) & ~past_end


def beside_links(
    robot: ReducedRobot, center: np.ndarray, link_angle: np.ndarray, pegs: Sequence[Peg]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Where pegs are, seen from links, each of shape (..., n_links, n_pegs) [m].

    Their centres along the link from its centre of mass and to its left, the nearest point of the link along itself,
    and the gap between the surfaces.
    """
    e = np.stack((np.cos(link_angle), np.sin(link_angle)), axis=-1)
    middle = center[..., None, :] + np.matmul(robot.lever, e)
    away = np.array([(peg.x, peg.y) for peg in pegs]) - middle[..., None, :]
    along = np.vecdot(away, e[..., None, :])
    across = e[..., None, 0] * away[..., 1] - e[..., None, 1] * away[..., 0]
    on_link = np.clip(along, -robot.to_rear[:, None], robot.to_front[:, None])
    radius = np.array([peg.radius for peg in pegs])
    gap = np.hypot(across, along - on_link) - radius - robot.radius[:, None]
    return along, across, on_link, gap


@dataclass(frozen=True, kw_only=True, eq=False)
class _Position:
    """The balance at one position: load + push f = 0, torques = torque + torque_per_push f, f >= 0 the peg forces."""

    load: np.ndarray
    """Ground's force x, y and moment about the centre of mass, in units of its friction [-], shape (3,)."""
    push: np.ndarray
    """The same per peg force [1/N], shape (3, n_touching)."""
    torque: np.ndarray
    """Torques without peg forces [N m], shape (n_joints,)."""
    torque_per_push: np.ndarray
    """Torques per peg force [m], shape (n_joints, n_touching)."""
    unit: float
    """Friction of the ground times a link's length [N m]."""


def _balance(
    at: _Position, torque_limit: np.ndarray, force_limit: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float, bool]:
    """Peg forces [N], joint torques [N m], what stays unbalanced [-], and whether all is within the limits."""
    from scipy.optimize import nnls

    heavy, light = STRICT**0.5, 1.0 / at.unit
    force = np.zeros(at.push.shape[1])
    if force.size:
        E = np.vstack((heavy * at.push, light * at.torque_per_push))
        force, _ = nnls(E, -np.concatenate((heavy * at.load, light * at.torque)))
    torque = at.torque + at.torque_per_push @ force
    residual = float(np.linalg.norm(at.load + at.push @ force))
    if residual > BALANCE:
        return force, torque, residual, False
    if (force <= force_limit).all() and (np.abs(torque) <= torque_limit).all():
        return force, torque, residual, True
    bounded = _within_limits(at, torque_limit, force_limit)
    if bounded is None:
        return force, torque, residual, False
    residual = float(np.linalg.norm(at.load + at.push @ bounded))
    return bounded, at.torque + at.torque_per_push @ bounded, residual, residual <= BALANCE


def _within_limits(at: _Position, torque_limit: np.ndarray, force_limit: np.ndarray) -> np.ndarray | None:
    """Balancing peg forces within all limits with the least squared torques [N]; None if there are none."""
    T, size = at.torque_per_push, at.unit**2
    found = minimise(
        T.T @ T / size,
        T.T @ at.torque / size,
        np.zeros(T.shape[1]),
        force_limit,
        equal=(at.push, -at.load),
        between=(T, -torque_limit - at.torque, torque_limit - at.torque),
    )
    return found.x if found.solved else None


@dataclass(frozen=True, kw_only=True, eq=False)
class PathSolvability:
    """What the force mapping can do at each position along a path."""

    head: np.ndarray
    """Arc length of the head's front end [m], shape (n_positions,)."""
    solvable: np.ndarray
    """Whether the wish is within reach by rank, torques and signs of forces aside, shape (n_positions,)."""
    feasible: np.ndarray
    """Whether it is fulfilled within all limits, shape (n_positions,)."""
    cost: np.ndarray
    """Sum of the squared torques of the solution or of the closest motion [(N m)^2], NaN where no peg touches."""

    @property
    def bad(self) -> float:
        """Share of the positions where the wish cannot be fulfilled [-]."""
        return float(np.mean(~self.feasible))


def path_solvability(
    robot: ReducedRobot,
    ground: GroundFriction,
    path: Path,
    pegs: Sequence[Peg],
    head: np.ndarray,
    bounds: MappingBounds,
    speed: float = 0.1,
) -> PathSolvability:
    """The force mapping with the head's front end at given arc lengths [m], moving with a speed [m/s]."""
    pegs = members("pegs", pegs, Peg, "a Peg")
    speed = positive("speed", speed, "m/s")
    pose = pose_on_path(robot, path, head)
    before, after = pose_on_path(robot, path, pose.head - STEP), pose_on_path(robot, path, pose.head + STEP)
    center = speed**2 * (after.center_slope - before.center_slope) / (2 * STEP)
    turn = speed**2 * (after.link_slope - before.link_slope) / (2 * STEP)
    moving = pose.moving(speed)
    contacts, touching = touches(robot, pose, pegs)
    found: list[ForceMappingResult | None] = []
    for k, at in enumerate(touching):
        if not at.any():
            found.append(None)
            continue
        here = _some(contacts, k, at)
        links = np.unique(np.concatenate((here.link, np.maximum(here.link - 1, 0), [robot.n_links - 1])))
        wish = MotionWish(center_acceleration=center[k], links=links, link_acceleration=turn[k, links])
        found.append(solve_force_mapping(build_force_mapping(robot, ground, pick(moving, k), here, wish, bounds)))
    return PathSolvability(
        head=pose.head,
        solvable=np.array([result is not None and result.problem.solvable for result in found]),
        feasible=np.array([result is not None and result.feasible for result in found]),
        cost=np.array([np.nan if result is None else result.cost for result in found]),
    )


def _some(contacts: Contacts, k: int, at: np.ndarray) -> Contacts:
    names = ("link", "side", "along", "surface", "standoff", "friction")
    return Contacts(**{name: np.asarray(getattr(contacts, name))[k, at] for name in names})
