"""Whether pegs can push robots forward, for many positions on many paths at once: a fast form of mapping.path_quality.

Of all peg forces that balance the friction of the ground, it uses those with the least sum of squared torques. Two
things are left to path_quality, which judges the finished plan: other forces where these demand too much of one joint,
and limits of the forces. Paths are polygons with corners at equal arc lengths. A link that touches a peg takes the
path's direction, as on the rails; benchmarks/pegs/angles.py shows the effect of other angles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pushpoint.mapping.path_quality import BALANCE, REACH, STRICT
from pushpoint.model.environment import Peg
from pushpoint.reduced.robot import ReducedRobot
from pushpoint.reduced.smooth import GroundFriction

ROUNDS = 4
"""Newton steps for a joint's position on the path; they leave less than 0.1 mm."""
HEAVY = STRICT**0.5
"""Weight of unbalanced loads relative to that of torques [-]."""
CREEP = 0.1
"""Speed of the head [m/s]. It matters for viscous friction only."""
STEEPEST = 0.3
"""Least cosine between a link and the path at its rear end that counts [-]; sharper bends are rejected anyway."""
ON_PATH = 1e-3
"""How far behind the path's start a link may end and still count as on it [m]."""
STRETCH_STEP = 0.02
"""Arc length between the points of a path's last stretch [m]. At a bend of 0.1 m radius it cuts 0.5 mm."""
FAR_AWAY = 1e6
"""Position of the placeholder for no peg [m]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PegArrays:
    """The pegs as arrays. One more at the end stands for no peg."""

    center: np.ndarray
    """Centres [m], shape (n_pegs + 1, 2)."""
    radius: np.ndarray
    """Radii [m], shape (n_pegs + 1,)."""
    friction: np.ndarray
    """Coulomb coefficients [-], shape (n_pegs + 1,)."""

    @property
    def none(self) -> int:
        """The index that stands for no peg [-]."""
        return len(self.radius) - 1

    @staticmethod
    def of(pegs: Sequence[Peg]) -> PegArrays:
        """Makes the arrays of these pegs."""
        return PegArrays(
            center=np.array([*((peg.x, peg.y) for peg in pegs), (FAR_AWAY, FAR_AWAY)]),
            radius=np.array([*(peg.radius for peg in pegs), 0.0]),
            friction=np.array([*(peg.friction for peg in pegs), 0.0]),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Stretches:
    """The last stretch of many paths."""

    points: np.ndarray
    """Points from the end backwards [m], shape (n_paths, n_points, 2)."""
    step: float
    """Arc length between the points [m]."""
    pegs: np.ndarray
    """The pegs beside each path [-], padded with the index for no peg, shape (n_paths, width)."""

    @staticmethod
    def of(
        paths: Sequence[tuple[np.ndarray, np.ndarray]], length: float, near: Sequence[np.ndarray], none: int
    ) -> Stretches:
        """The last `length` [m] of paths, given as arc lengths and points [m], with the pegs near each of them."""
        behind = np.arange(0.0, length, STRETCH_STEP)
        points = np.empty((len(paths), len(behind), 2))
        pegs = np.full((len(paths), max(1, *map(len, near))), none)
        for k, (arc, path) in enumerate(paths):
            pegs[k, : len(near[k])] = near[k]
            for axis in (0, 1):
                points[k, :, axis] = np.interp(arc[-1] - behind, arc, path[:, axis])
        return Stretches(points=points, step=STRETCH_STEP, pegs=pegs)

    def at(self, row: np.ndarray, behind: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Points [m] and unit tangents [-] of paths `row` at arcs behind their ends [m], shapes (n, 2)."""
        place = behind / self.step
        k = np.clip(place.astype(int), 0, self.points.shape[1] - 2)
        near, next_one = self.points[row, k], self.points[row, k + 1]
        tangent = near - next_one
        point = near - (place - k)[:, None] * tangent
        return point, tangent / np.sqrt(np.vecdot(tangent, tangent))[:, None]


def path_torques(
    robot: ReducedRobot,
    ground: GroundFriction,
    pegs: PegArrays,
    stretches: Stretches,
    row: np.ndarray,
    behind: np.ndarray,
    arc: np.ndarray,
    sharpest: float = np.inf,
) -> np.ndarray:
    """Joint torques with which the pegs balance the ground [N m], infinite where they cannot, shape (n, n_joints).

    `row` and `behind` give the path and how far behind its end the head's front end is [m]; `arc` is the head's arc
    length [m]. If the path is still too short for the whole body, links that are not on it do not count: an estimate of
    what is to come. A joint bent by more than `sharpest` [rad] counts like missing pegs.
    """
    bodies = _poses(robot, stretches, row, behind, arc)
    found = posture_torques(robot, ground, pegs, bodies, stretches.pegs[row])
    found[bodies.bend > sharpest] = np.inf
    return found


def posture_torques(
    robot: ReducedRobot, ground: GroundFriction, pegs: PegArrays, bodies: Bodies, near: np.ndarray
) -> np.ndarray:
    """The same for robots in given postures; `near` are the pegs beside each, shape (n, width)."""
    from scipy.optimize import nnls

    load, torque, size = _ground_loads(robot, ground, bodies)
    position, columns, torque_per_push = _push_loads(robot, pegs, near, bodies)
    E = np.concatenate((HEAVY * columns, torque_per_push / robot.mean_length), axis=1)
    b = -np.concatenate((HEAVY * load, torque / robot.mean_length), axis=1)
    found = np.full(torque.shape, np.inf)
    first = np.searchsorted(position, np.arange(len(near) + 1))
    for k in np.flatnonzero(np.diff(first)):
        at = slice(first[k], first[k + 1])
        force, _ = nnls(E[at].T, b[k])
        miss = load[k] + force @ columns[at]
        if miss @ miss <= BALANCE**2:
            found[k] = size[k] * (torque[k] + force @ torque_per_push[at])
    return found


def _left(e: np.ndarray) -> np.ndarray:
    return np.stack((-e[..., 1], e[..., 0]), axis=-1)


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


@dataclass(frozen=True, kw_only=True, eq=False)
class Bodies:
    """Robots on their paths, creeping forward. The leading dimension is that of the positions."""

    center: np.ndarray
    """Centres of mass of the links [m], shape (n, n_links, 2)."""
    along: np.ndarray
    """Unit vectors along the links [-], shape (n, n_links, 2)."""
    velocity: np.ndarray
    """Velocities of the centres of mass [m/s], same shape."""
    rate: np.ndarray
    """Angular velocities [rad/s], shape (n, n_links)."""
    on_path: np.ndarray
    """Whether a link is already on the path, shape (n, n_links)."""

    @property
    def left(self) -> np.ndarray:
        """Unit vectors to the left of the links [-], shape (n, n_links, 2)."""
        return _left(self.along)

    @property
    def bend(self) -> np.ndarray:
        """Largest joint angle among the joints on the path [rad], shape (n,)."""
        sine = _cross(self.along[:, :-1], self.along[:, 1:])
        turn = np.abs(np.arctan2(sine, np.vecdot(self.along[:, :-1], self.along[:, 1:])))
        return np.where(self.on_path[:, :-1], turn, 0.0).max(axis=1)


def _poses(robot: ReducedRobot, stretches: Stretches, row: np.ndarray, behind: np.ndarray, arc: np.ndarray) -> Bodies:
    """The robots with their heads at these positions; as in mapping.rails, but on polygons."""
    n, length = robot.n_links, robot.to_front + robot.to_rear
    center, along, velocity = np.empty((3, len(row), n, 2))
    rate, on_path = np.empty((len(row), n)), np.ones((len(row), n), dtype=bool)
    front, tangent = stretches.at(row, behind)
    pace, start = np.full(len(row), CREEP), behind
    for i in reversed(range(n)):
        at = behind + length[i]
        for _ in range(ROUNDS):
            rear, rear_tangent = stretches.at(row, at)
            gap = front - rear
            distance = np.sqrt(np.vecdot(gap, gap))
            cosine = np.maximum(np.vecdot(gap, rear_tangent) / np.maximum(distance, 1e-9), STEEPEST)
            at = at + (length[i] - distance) / cosine
        rear, rear_tangent = stretches.at(row, at)
        e = (front - rear) / length[i]
        across = _left(e)
        rear_pace = pace * np.vecdot(tangent, e) / np.maximum(np.vecdot(rear_tangent, e), STEEPEST)
        rear_speed = rear_pace[:, None] * rear_tangent
        rate[:, i] = np.vecdot(across, pace[:, None] * tangent - rear_speed) / length[i]
        center[:, i], along[:, i] = rear + robot.to_rear[i] * e, e
        velocity[:, i] = rear_speed + (robot.to_rear[i] * rate[:, i])[:, None] * across
        if i < n - 1:
            on_path[:, i] = at - start <= arc + ON_PATH
        front, tangent, pace, behind = rear, rear_tangent, rear_pace, at
    return Bodies(center=center, along=along, velocity=velocity, rate=rate, on_path=on_path)


def _ground_loads(
    robot: ReducedRobot, ground: GroundFriction, bodies: Bodies
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Friction of the ground: force and moment on the whole robot, torques that hold it [m], and its size [N].

    All but the last are in units of the size. The moment is about the head and divided by a link's length.
    """
    force, moment = ground.loads(robot, np.stack((bodies.along, bodies.left)), bodies.velocity, bodies.rate)
    force, moment = force * bodies.on_path[..., None], moment * bodies.on_path
    size = np.maximum(np.linalg.norm(force, axis=-1).sum(axis=-1), 1e-12)
    origin = bodies.center[:, -1:]
    turn = _cross(bodies.center - origin, force) + moment
    both = np.concatenate((force, turn[..., None]), axis=-1) / size[:, None, None]
    ahead = both[:, ::-1].cumsum(axis=1)[:, ::-1]
    torque = _cross(_joints(robot, bodies), ahead[:, 1:, :2]) - ahead[:, 1:, 2]
    return ahead[:, 0] / (1.0, 1.0, robot.mean_length), torque, size


def _joints(robot: ReducedRobot, bodies: Bodies) -> np.ndarray:
    """Positions of the joints relative to the head's centre of mass [m], shape (n, n_joints, 2)."""
    rear = bodies.center - robot.to_rear[:, None] * bodies.along
    return rear[:, 1:] - bodies.center[:, -1:]


def _push_loads(
    robot: ReducedRobot, pegs: PegArrays, peg: np.ndarray, bodies: Bodies
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One contact per peg within reach, with the nearest link, as in mapping.path_quality; ordered by position.

    Returns the position that a contact belongs to [-], force and moment (divided by a link's length) of a unit push
    with its friction, and the torques that hold it [m]; shapes (n_contacts,), (n_contacts, 3) and (n_contacts,
    n_joints).
    """
    centers = np.swapaxes(pegs.center[peg], 1, 2)
    along = np.matmul(bodies.along, centers) - np.vecdot(bodies.along, bodies.center)[..., None]
    left = bodies.left
    across = np.matmul(left, centers) - np.vecdot(left, bodies.center)[..., None]
    beyond = along - np.clip(along, -robot.to_rear[:, None], robot.to_front[:, None])
    gap = np.sqrt(across * across + beyond * beyond) - robot.radius[:, None]
    nearest = np.argmin(gap, axis=1)
    least = np.take_along_axis(gap, nearest[:, None, :], axis=1)[:, 0] - pegs.radius[peg]
    position, column = np.nonzero(least < REACH)
    link = nearest[position, column]
    over = beyond[position, link, column]
    past = ((link == robot.n_links - 1) & (over > 0.0)) | ((link == 0) & (over < 0.0))
    keep = ~past & bodies.on_path[position, link]
    position, column, link = position[keep], column[keep], link[keep]
    at = (position, link, column)
    side = np.where(across[at] < 0.0, 1.0, -1.0)
    t, n = bodies.along[position, link], left[position, link]
    surface = side * robot.radius[link]
    slip = np.vecdot(bodies.velocity[position, link], t) + surface * bodies.rate[position, link]
    place = bodies.center[position, link] - bodies.center[position, -1]
    place = place + (along[at] - beyond[at])[:, None] * t - surface[:, None] * n
    drag = pegs.friction[peg[position, column]] * np.sign(slip)
    push = side[:, None] * n - drag[:, None] * t
    turn = _cross(place, push)
    torque = _cross(_joints(robot, bodies)[position], push[:, None, :]) - turn[:, None]
    torque *= link[:, None] > np.arange(robot.n_joints)  # a joint carries the load of the links in front of it
    return position, np.concatenate((push, turn[:, None] / robot.mean_length), axis=1), torque
